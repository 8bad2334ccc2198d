"""One function that draws any result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from privcheck.accounting import Plan
from privcheck.bounds import Curve
from privcheck.errors import PrivcheckError, words
from privcheck.files import check_output
from privcheck.reporting._pictures.account_picture import account_figure
from privcheck.reporting._pictures.svg import save_figure
from privcheck.reporting._pictures.theory_picture import theory_figure
from privcheck.results import AuditReport, Certificate, Frontier, Simulation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DRAWN = "an audit, a certificate, a frontier, a simulation, a curve of bounds or a plan"


def plot(result: Any, path: str | Path | None = None, **options: Any) -> Figure:
    """Draw a result.

    Parameters
    ----------
    result : an audit report, a certificate, a frontier or a simulation, whose own `plot` this calls; a
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
    if isinstance(result, AuditReport | Certificate | Frontier | Simulation):
        return result.plot(path, **options)
    if not isinstance(result, Curve | Plan):
        raise PrivcheckError("result", words(f"an object of type {type(result).__name__}"), DRAWN)
    if path is not None:
        check_output(path, "path", (".svg", ".png"))
    figure = theory_figure(result, **options) if isinstance(result, Curve) else account_figure(result, **options)
    if path is not None:
        save_figure(figure, path)
    return figure
