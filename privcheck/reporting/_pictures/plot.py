"""The pictures of audits and certificates."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privcheck.declared import Choice, check
from privcheck.files import check_output
from privcheck.reporting._pictures.audited_bounds_picture import bounds_figure
from privcheck.reporting._pictures.divergence_picture import divergence_figure
from privcheck.reporting._pictures.ledger_picture import ledger_figure
from privcheck.reporting._pictures.svg import PLOTS, save_figure, save_png, to_svg
from privcheck.reporting._pictures.tradeoff_picture import tradeoff_figure
from privcheck.reporting._pictures.witness_picture import witness_figure
from privcheck.results import AuditReport, Certificate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

AUDIT_PICTURES: dict[str, Callable[[AuditReport], Figure]] = {
    "bounds": lambda report: bounds_figure([report]),
    "witness": lambda report: witness_figure(report),
    "trade-off": lambda report: tradeoff_figure(report),
}
"""The pictures of an audit by name, the usual one first."""

CERTIFICATE_PICTURES: dict[str, Callable[[Certificate], Figure]] = {
    "ledger": lambda certificate: ledger_figure(certificate, headed=True),
    "divergence": lambda certificate: divergence_figure(certificate),
}
"""The pictures of a certificate by name, the usual one first."""

__all__ = [
    "AUDIT_PICTURES",
    "CERTIFICATE_PICTURES",
    "bounds_figure",
    "divergence_figure",
    "ledger_figure",
    "plot_audit",
    "plot_certificate",
    "save_figure",
    "save_png",
    "to_svg",
    "tradeoff_figure",
    "witness_figure",
]


def plot_audit(report: AuditReport, path: str | Path | None = None, picture: str = "bounds") -> Figure:
    """Return a picture of an audit and save it; see `AuditReport.plot`.

    >>> from privcheck.results._example_results import VIOLATION
    >>> len(plot_audit(VIOLATION, picture="witness").axes)
    3
    """
    return _plot(report, AUDIT_PICTURES, path, picture)


def plot_certificate(certificate: Certificate, path: str | Path | None = None, picture: str = "ledger") -> Figure:
    """Return a picture of a certificate and save it; see `Certificate.plot`.

    >>> from privcheck.results._example_results import GRANTED
    >>> len(plot_certificate(GRANTED).axes)
    3
    """
    return _plot(certificate, CERTIFICATE_PICTURES, path, picture)


def check_plot(path: str | Path | None, picture: str, pictures: dict[str, Any]) -> None:
    """Refuse a path or the name of a picture before any work is done.

    >>> check_plot("ledger.svg", "ledger", CERTIFICATE_PICTURES)
    >>> check_plot("ledger.svg", "witness", CERTIFICATE_PICTURES)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    privcheck.errors.PrivcheckError: picture: got 'witness', expected ...
    """
    if path is not None:
        check_output(path, "plot", PLOTS)
    check("picture", picture, Choice(tuple(pictures)))


def _plot(subject: Any, pictures: dict[str, Any], path: str | Path | None, picture: str) -> Figure:
    check_plot(path, picture, pictures)
    figure: Figure = pictures[picture](subject)
    if path is not None:
        save_figure(figure, path)
    return figure
