"""A badge of a store of watches: red while an alarm stands in any of them."""

from __future__ import annotations

import hashlib
import html
import math
import re
from collections.abc import Sequence

from privcheck.errors import PrivcheckError
from privcheck.reporting._pictures.style import COLOURS
from privcheck.reporting._text.numbers import clean
from privcheck.reporting._text.watch_sentences import known
from privcheck.results import WatchReport

CHARACTER, MARGIN = 6.6, 6.0
"""Width of a character and space beside a text of a badge, in pixels."""

NAMED = 3
"""Watches with an alarm that are named on the badge; its title names all of them."""


def badge_svg(reports: Sequence[WatchReport], before: str = "") -> str:
    """Return a badge that says what is known of all watches of a store, as SVG.

    Parameters
    ----------
    reports : of all watches of the store.
    before : the text of the file in place of which it is written.

    Raises
    ------
    PrivcheckError : the file is the badge of another store, whose alarm would be gone.

    >>> from privcheck.results._example_results import WATCHED
    >>> "bandit.py:Bandit: alarm on night 2" in badge_svg([WATCHED])
    True
    """
    marks = [*filter(None, map(_mark, reports))]
    there = re.search(r'data-watches="([0-9a-f ]+)"', before)
    if there and not {*there[1].split()} <= {*marks}:
        hint = "give each store a badge of its own, or delete the file"
        raise PrivcheckError("badge", "the badge of another store", "a free name, or the badge of this store", hint)
    name, said = "privcheck", _said(reports)
    colour = COLOURS["violation"] if any(report.alarm for report in reports) else "#2a6f97"
    left, right = (math.ceil(CHARACTER * len(text) + 2 * MARGIN) for text in (name, said))
    details = "; ".join(_known(report) for report in reports) or said
    words = html.escape(f"{name}: {details}", quote=True)
    parts = ((name, left / 2.0), (said, left + right / 2.0))
    texts = "".join(f'<text x="{x:g}" y="14">{html.escape(text)}</text>' for text, x in parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" aria-label="{words}" '
        f'data-watches="{" ".join(marks)}"><title>{words}</title>'
        f'<clipPath id="r"><rect width="{left + right}" height="20" rx="3"/></clipPath><g clip-path="url(#r)">'
        f'<rect width="{left}" height="20" fill="#444b54"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{colour}"/></g>'
        f'<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">{texts}</g>'
        "</svg>\n"
    )


def _known(report: WatchReport) -> str:
    return f"{clean(report.name)}: {known(report)}"


def _said(reports: Sequence[WatchReport]) -> str:
    """Return the text of the badge.

    >>> from privcheck.results._example_results import WATCHED
    >>> _said([WATCHED, WATCHED])
    'alarm: bandit.py:Bandit, bandit.py:Bandit (2 of 2 watches)'
    """
    if len(reports) == 1:
        return _known(reports[0])
    red = [clean(report.name) for report in reports if report.alarm]
    if red:
        named = ", ".join(red[:NAMED]) + (f" and {len(red) - NAMED} more" if len(red) > NAMED else "")
        return f"alarm: {named} ({len(red)} of {len(reports)} watches)"
    past = sum(len(report.alarms) for report in reports)
    counted = f"{len(reports)} watches" if reports else "no watch"
    return f"{counted}, no alarm{f' stands, {past} raised before' if past else ''}"


def _mark(report: WatchReport) -> str:
    """Return by what a badge recognises a watch in its store: its first night, which never changes; "" before it."""
    told = [f"{report.name} {night.at} {night.runs} {night.first} {night.second}" for night in report.nights[:1]]
    return "".join(hashlib.sha256(text.encode(errors="replace")).hexdigest()[:12] for text in told)
