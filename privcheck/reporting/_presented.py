"""Results of every kind, shown: what shows a kind stands in one module, which is loaded when it is first needed."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privcheck.errors import PrivcheckError, words
from privcheck.files import check_output, write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType

KINDS = {
    "AuditReport": "audit",
    "list": "audits",
    "tuple": "audits",
    "Certificate": "certificate",
    "Simulation": "simulation",
    "Frontier": "frontier",
    "Bounds": "bounds",
    "Curve": "curve",
    "Plan": "plan",
    "Findings": "claims",
    "Identification": "identification",
    "Sweep": "sweep",
    "Folder": "folder",
    "Baseline": "baseline",
    "WatchReport": "watch",
    "Fix": "fix",
    "StepsReport": "steps",
}
"""The module in `kinds` that shows results of a class."""

PAGES = (".html", ".htm")
"""Suffixes of pages."""

DRAWN = "an audit, a certificate, a frontier, a simulation, a curve of bounds or a plan"


def kind_of(result: Any) -> Any:
    """Return the module that shows a result; None for an object of another kind.

    >>> from privcheck.results._example_results import VIOLATION
    >>> kind_of(VIOLATION).__name__.rpartition(".")[2], kind_of(3)
    ('audit', None)
    """
    for cls in type(result).__mro__:
        if cls.__name__ in KINDS and cls.__module__.partition(".")[0] in ("privcheck", "builtins"):
            return importlib.import_module(f"privcheck.reporting._kinds.{KINDS[cls.__name__]}")
    return None


def _way(result: Any, name: str, expected: str = "a result that can be shown so") -> Callable[..., Any]:
    """Return the function of a kind that shows a result in one way."""
    found: Callable[..., Any] | None = getattr(kind_of(result), name, None)
    if found is None:
        raise PrivcheckError("result", words(f"an object of type {type(result).__name__}"), expected)
    return found


def details(result: Any, **options: Any) -> RenderableType:
    """Return everything about a result for the terminal.

    Parameters
    ----------
    result : of any kind.
    options : `compare`, whether policies are compared too, of a simulation; `everything`, of bounds; `paths`, the files
        of a curve; `found` and `asked_delta`, of a plan; `expected`, of several audits; `each` and `total`, of claims.

    Examples
    --------
    >>> from rich.console import Console
    >>> from privcheck.results._example_results import VIOLATION
    >>> console = Console(width=100, record=True, quiet=True)
    >>> console.print(details(VIOLATION))
    """
    shown: RenderableType = _way(result, "details")(result, **options)
    return shown


def notebook(result: Any) -> str:
    """Return what a notebook shows of a result, as HTML."""
    return str(_way(result, "notebook")(result))


def sentence(result: Any) -> str:
    """Return what was found, in one sentence, of an audit, a certificate or a folder of results."""
    return str(_way(result, "sentence")(result))


def evidence(result: Any) -> list[str]:
    """Return what speaks against an audit's claim or a certificate, as lines of plain text."""
    found: list[str] = _way(result, "evidence")(result)
    return found


def python_call(result: Any) -> str:
    """Return the Python call that repeats an audit or a certificate, or why there is none."""
    return str(_way(result, "python_call")(result))


def markdown(result: Any, *part: str) -> str:
    """Return a result as Markdown: for the summary of a job, or, of claims, a page of the documentation.

    Parameters
    ----------
    result : of any kind that has this form.
    part : of claims, the paper whose page is meant; without it, the page about all of them.
    """
    return str(_way(result, "markdown")(result, *part))


def review(result: Any, form: str = "markdown") -> str:
    """Return what a review of a paper or a bug report says of an audit or a certificate.

    Parameters
    ----------
    result : an audit or a certificate.
    form : "markdown" or "latex".

    Examples
    --------
    >>> from privcheck.results._example_results import VIOLATION
    >>> review(VIOLATION).splitlines()[0].startswith("**Result.** rnm-ftnl-published")
    True
    """
    from privcheck.reporting._text.review_text import FORMS

    if form not in FORMS:
        raise PrivcheckError("form", form, " or ".join(map(repr, FORMS)))
    return FORMS[form](_way(result, "review", "an audit or a certificate")(result))


def as_json(result: Any) -> str:
    """Return the JSON that the command writes of bounds or a curve: with what it knows beyond the result's own."""
    return str(_way(result, "as_json")(result))


def as_csv(result: Any) -> str:
    """Return the table that the command writes of a curve."""
    return str(_way(result, "as_csv")(result))


def workflow_commands(result: Any) -> str:
    """Return the findings of an audit or a certificate, or an error, as GitHub shows them at lines of code."""
    from privcheck.reporting._annotations.code_finding import findings
    from privcheck.reporting._annotations.github import commands_of

    return "".join(f"{line}\n" for line in commands_of(findings(result)))


def save_sarif(result: Any, path: str | Path) -> None:
    """Write the findings of an audit or a certificate as a SARIF file."""
    from privcheck.reporting._annotations import sarif
    from privcheck.reporting._annotations.code_finding import findings

    sarif.save_sarif(findings(result), path)


def page(result: Any, **options: Any) -> str:
    """Return the page that `save_page` writes; the same result gives the same page.

    >>> from privcheck.results._example_results import VIOLATION
    >>> shown = page([VIOLATION])
    >>> shown.startswith("<!DOCTYPE html>"), "epsilon is at least 1.764" in shown
    (True, True)
    """
    return str(_way(result, "page")(result, **options))


def save_page(result: Any, path: str | Path, **options: Any) -> None:
    """Write one self-contained page about a result.

    The file is written whole or not at all; its folder is made when it does not exist.

    Parameters
    ----------
    result : an audit report or several, a certificate, bounds, claims, a simulation or a frontier.
    path : of the file, ending in .html or .htm.
    options : `title`, the heading of the page; `expected`, the verdict expected of each of several audits, None where
        none is; `along`, a curve for the picture of bounds.

    Raises
    ------
    PrivcheckError : without reports, when `expected` has not one entry per report, or when the path is no HTML file, is
        a folder, or cannot be written.

    Examples
    --------
    >>> save_page([], "audit.txt")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    privcheck.errors.PrivcheckError: path: got 'audit.txt', expected a file that ends in .html or .htm; ...
    """
    _way(result, "page")  # what has no page leaves no folder behind
    target = check_output(path, "path", PAGES)
    write_whole(target, page(result, **options))


def check_plot(kind: str, path: str | Path | None, picture: str) -> None:
    """Refuse a path or the name of a picture before any work is done; the kind is "audit" or "certificate".

    >>> check_plot("certificate", "ledger.svg", "ledger")
    >>> check_plot("certificate", "ledger.svg", "witness")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    privcheck.errors.PrivcheckError: picture: got 'witness', expected ...
    """
    from privcheck.reporting._pictures import plot

    plot.check_plot(path, picture, importlib.import_module(f"privcheck.reporting._kinds.{kind}").PICTURES)


def plot(result: Any, path: str | Path | None = None, **options: Any) -> Figure:
    """Draw a result.

    Parameters
    ----------
    result : an audit report, a certificate, a frontier or a simulation, which have this as their own `plot`; a
        `privcheck.bounds.Curve`; or a `privcheck.accounting.Plan`, together with `delta`.
    path : where to save the picture, ending in .svg or .png; None to save nothing.
    options : those of the result's own `plot`; `width` in inches, of a curve or a plan; `delta` of a plan.

    Returns
    -------
    The matplotlib Figure.

    Raises
    ------
    PrivcheckError : a result that has no picture, matplotlib missing, a path that cannot be written.

    Examples
    --------
    >>> from privcheck.bounds import curve, named_instance
    >>> figure = plot(curve(named_instance("c2", epsilon=1.0, horizon=None), "epsilon", [0.1, 1.0]))
    >>> figure.axes[0].get_xlabel()
    'privacy budget epsilon'
    """
    figure: Figure = _way(result, "plot", DRAWN)(result, path, **options)
    return figure
