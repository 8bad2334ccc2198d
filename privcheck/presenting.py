"""What a result asks for when somebody wants to see it: a page, a picture, a cell of a notebook.

Results stand below the reports and know nothing of them. They ask here, and the package, which knows both, says who
answers: `privcheck/__init__.py`, which is run before any module of it, sets `presenter`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Presenter(Protocol):
    """Who shows results of every kind."""

    def notebook(self, result: Any) -> str:
        """Return what a notebook shows of a result, as HTML."""

    def save_page(self, result: Any, path: str | Path) -> None:
        """Write one self-contained page about a result."""

    def plot(self, result: Any, path: str | Path | None, **options: Any) -> Figure:
        """Draw a result, and save the picture if there is a path."""

    def as_json(self, result: Any) -> str:
        """Return the JSON of a result, with what is known beyond the result's own fields."""


def _nobody() -> Presenter:
    raise NotImplementedError("privcheck/__init__.py says who shows results")


presenter: Callable[[], Presenter] = _nobody
"""Returns who shows results; it is called when the first one is shown, so that nothing is loaded before."""


def notebook(result: Any) -> str:
    """Return what a notebook shows of a result, as HTML.

    >>> from privcheck.results._example_results import VIOLATION
    >>> notebook(VIOLATION)[:30]
    '<p><b>rnm-ftnl-published(arms='
    """
    return presenter().notebook(result)


def as_json(result: Any) -> str:
    """Return the JSON of a result, with what is known beyond the result's own fields.

    >>> from privcheck.bounds import evaluate, named_instance
    >>> '"rests_on": [{"claim": "azize-basu-2022/lem2"' in as_json(evaluate(named_instance("c2", epsilon=1.0)))
    True
    """
    return presenter().as_json(result)


def save_page(result: Any, path: str | Path) -> None:
    """Write one self-contained page about a result."""
    presenter().save_page(result, path)


def plot(result: Any, path: str | Path | None, **options: Any) -> Figure:
    """Draw a result, and save the picture if there is a path."""
    return presenter().plot(result, path, **options)
