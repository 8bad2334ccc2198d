"""The bounds of an instance, shown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from privcheck.bounds import Bounds, BoundValue
from privcheck.reporting._pages.notebook_theory import bounds_html
from privcheck.reporting._pages.page_bounds import render_bounds
from privcheck.reporting._presented import save_page
from privcheck.reporting._terminal.bounds_table import theory_table
from privcheck.reporting._text.resting_claims import with_failed_claims
from privcheck.serialise import plain, to_json


def details(values: Bounds, *, everything: bool = False) -> RenderableType:
    """Return a block of bounds for each quantity."""
    return theory_table(values.instance, values, everything=everything)


def as_json(values: Bounds) -> str:
    """Return the bounds as JSON text, with the claims that failed beside the theorems that rest on them."""
    return to_json(values.to_dict() | {"bounds": [plain(with_failed_claims(value)) for value in values]})


def notebook(values: Bounds) -> str:
    """Return the bounds as `privcheck bounds` prints them, with the sources."""
    return bounds_html(values.instance, values)


def page(values: Bounds, **options: Any) -> str:
    """Return the page about the bounds."""
    return render_bounds(values.instance, values, **options)


def save_bounds_page(instance: Any, values: Sequence[BoundValue], path: str | Path, **options: Any) -> None:
    """Write one self-contained page about the bounds of an instance, with `save_page`.

    >>> from privcheck.bounds import evaluate, named_instance
    >>> instance = named_instance("c2", epsilon=1.0)
    >>> save_bounds_page(instance, evaluate(instance), "bounds.txt")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    privcheck.errors.PrivcheckError: path: got 'bounds.txt', expected a file that ends in .html or .htm; ...
    """
    save_page(Bounds(values, instance), path, **options)
