"""One page about audits: a single HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from privcheck.errors import PrivcheckError
from privcheck.files import check_output, write_whole
from privcheck.reporting._pages.audit_section import audit_section
from privcheck.reporting._pages.audits_table import overview
from privcheck.reporting._pages.elements import document, header, inline_picture
from privcheck.reporting._pictures.plot import bounds_figure
from privcheck.reporting._text.audit_sentences import as_expected, headline
from privcheck.reporting._text.both_bounds import upper_bound
from privcheck.results import AuditReport

SUFFIXES = (".html", ".htm")


def save_page(
    reports: Sequence[AuditReport],
    path: str | Path,
    *,
    title: str = "privcheck audit",
    expected: Sequence[str | None] | None = None,
) -> None:
    """Write one self-contained page about audits: verdicts, bounds, witnesses with their pictures, and what they mean.

    The file is written whole or not at all; its folder is made when it does not exist.

    Parameters
    ----------
    reports : what `privcheck.audit` returned, one or more.
    path : of the file, ending in .html or .htm.
    title : heading of the page.
    expected : the verdict expected of each, None where none is.

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
    target = check_output(path, "path", SUFFIXES)
    page = render_page(reports, title=title, expected=expected)
    write_whole(target, page)


def render_page(
    reports: Sequence[AuditReport], *, title: str = "privcheck audit", expected: Sequence[str | None] | None = None
) -> str:
    """Return the page that `save_page` writes; the same reports give the same page.

    >>> from privcheck.reporting._example_results import VIOLATION
    >>> page = render_page([VIOLATION])
    >>> page.startswith("<!DOCTYPE html>"), "epsilon is at least 1.764" in page
    (True, True)
    """
    if not reports:
        raise PrivcheckError("reports", reports, "at least one report")
    met = as_expected(reports, expected)
    caption = (
        "Lower bounds on epsilon, and the claims. A bar that passes its dashed line by enough to refute the claim at "
        "the level of the verdict is a violation."
    )
    if any(upper_bound(report) is not None for report in reports):
        caption += " Where a certificate bounds epsilon from above, the true epsilon lies in the shaded interval."
    body = [
        overview(reports, expected, met),
        inline_picture(lambda width: bounds_figure(reports, width=width), "bounds", caption),
        *(audit_section(report, number) for number, report in enumerate(reports, start=1)),
    ]
    return document(title, header(title, headline(reports, expected)), body)
