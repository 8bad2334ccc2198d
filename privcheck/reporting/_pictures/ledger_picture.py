"""The ledger of a certificate: which release charges which rounds, with how much noise, and what each round pays."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from privcheck.errors import PrivcheckError
from privcheck.reporting._pictures.ledger_currency import budget_in, ledger_currency
from privcheck.reporting._pictures.ledger_excerpt import LedgerView, by_round, ledger_view, stretches
from privcheck.reporting._pictures.refused_totals import refused_totals
from privcheck.reporting._pictures.style import CELL, COLOURS, INK, MID, WIDE, add_axes, new_figure, settings
from privcheck.reporting._pictures.style import CERTIFIED as OF_CERTIFIED
from privcheck.reporting._text.certificate_sentences import (
    CERTIFICATE_MARKS,
    CERTIFIED,
    certificate_word,
    ledger_sentence,
    reasons,
)
from privcheck.reporting._text.certificate_sentences import REFUSED as REFUSED_WORD
from privcheck.reporting._text.numbers import clean, shorten, small
from privcheck.results import Certificate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEFT, RIGHT = 0.62, 0.14
TOP, HEADING, BETWEEN, BELOW = 0.06, 0.2, 0.2, 0.74
TIMELINE, TOTALS, LINE = 0.75, 0.85, 0.17
"""Heights in inches."""

REFUSED: dict[str, Any] = {"facecolor": "none", "edgecolor": COLOURS["violation"], "hatch": "////", "lw": 1.0}
"""How a release is drawn that was refused."""

SHAPES = "osD^vP*X"

WORDS = {CERTIFIED: OF_CERTIFIED, REFUSED_WORD: COLOURS["violation"]}
"""Colours of the words of a certificate; others are in ink."""


def ledger_figure(certificate: Certificate, *, width: float = WIDE, headed: bool = False) -> Figure:
    """Return a figure of a ledger: the losses release by release, the noise of each release, the total of each round.

    A round with a datum per arm shows the one that pays most.

    Parameters
    ----------
    certificate : what `privcheck.certify` returned, with a release in its ledger.
    width : in inches.
    headed : whether the target, the verdict and, if it was not certified, the first reason stand above: a page has them
        elsewhere, a picture alone would look like that of any other certificate.

    Raises
    ------
    PrivcheckError : when nothing was released.

    Examples
    --------
    >>> from privcheck.results._example_results import GRANTED
    >>> len(ledger_figure(GRANTED).axes)
    3
    """
    if not certificate.ledger.releases:
        got = f"the certificate of {certificate.target}"
        raise PrivcheckError("certificate", got, "one with a release in its ledger", "nothing was released")
    currency = ledger_currency(certificate)
    shown = ledger_view(certificate.ledger, certificate.horizon, currency=currency)
    losses = min(3.2, max(0.5, 0.14 * len(shown.releases)))
    panels = [losses, TIMELINE, TOTALS]
    head = [*_head(certificate, width)] if headed else []
    height = TOP + LINE * len(head) + sum(panels) + 3 * HEADING + 2 * BETWEEN + BELOW
    described = ledger_sentence(certificate)
    with settings():
        title = f"Ledger of {clean(certificate.target)}"
        figure = new_figure(width, height, title, f"{described[0].upper()}{described[1:]}.")
        for number, (line, colour) in enumerate(head):
            place = LEFT / width, 1.0 - (TOP + LINE * number) / height
            figure.text(*place, line, color=colour, weight="normal" if number else "bold", va="top")
        top = TOP + LINE * len(head)
        axes = []
        for panel in panels:
            axes.append(add_axes(figure, LEFT, top + HEADING, width - LEFT - RIGHT, panel))
            axes[-1].set_xlim(_first(shown) - 0.5, shown.stop + 0.5)
            top += HEADING + panel + BETWEEN
        most = _draw_losses(axes[0], shown, losses, currency)
        _draw_timeline(axes[1], shown, width)
        _draw_totals(axes[2], certificate, shown, currency)
        _rounds(axes, shown)
        _key(figure, certificate, shown, most, currency)
    return figure


def _head(certificate: Certificate, width: float) -> Iterator[tuple[str, str]]:
    """Yield the lines above the panels, with their colours."""
    word, most = certificate_word(certificate), int((width - LEFT - RIGHT) / 0.075)
    yield shorten(f"{CERTIFICATE_MARKS[word]} {word}: {clean(certificate.target)}", most), WORDS.get(word, INK)
    if not certificate.granted:
        yield from ((shorten(clean(reason), most), INK) for reason in reasons(certificate, brief=True)[:1])


def _first(shown: LedgerView) -> int:
    """Return the first round shown; 0 when that is 1 and something is released before it."""
    before = shown.start == 1 and any(release.round == 0 for release in shown.releases)
    return 0 if before else shown.start


def _heading(axes: Axes, text: str) -> None:
    axes.annotate(text, (0.0, 1.0), (0, 4), xycoords="axes fraction", textcoords="offset points", weight="bold")


def _alpha(loss: float, most: float) -> float:
    return 1.0 if loss >= most else 0.3 + 0.6 * loss / most


def _draw_losses(axes: Axes, shown: LedgerView, height: float, currency: str) -> float:
    """Draw a row per release, a rectangle per stretch of rounds charged alike; return the largest loss."""
    from matplotlib.patches import Rectangle

    charged = [by_round(release.charges, currency) for release in shown.releases]
    most = max((loss for losses in charged for loss in losses.values()), default=1.0)
    count = len(charged)
    axes.set_ylim(count, 0.0)
    gap = 0.06 if height / count > 0.05 else 0.0
    aside = min(0.06, 0.0015 * (shown.stop - shown.start + 1))
    for row, (release, losses) in enumerate(zip(shown.releases, charged, strict=True)):
        for first, last, loss in stretches(losses, shown.start, shown.stop):
            corner, size = (first - 0.5 + aside, row + gap), (last - first + 1 - 2 * aside, 1.0 - 2 * gap)
            axes.add_patch(Rectangle(corner, *size, facecolor=CELL, alpha=_alpha(loss, most), lw=0, clip_on=False))
        if _first(shown) <= release.round <= shown.stop:
            axes.plot(
                [release.round + 0.5] * 2, [row, row + 1], color=INK, lw=1.2 if gap else 0.5, clip_on=False, zorder=4
            )
    axes.spines["bottom"].set_visible(False)
    step = max(1, math.ceil(count * 0.13 / height))
    places = range(0, count, step)
    axes.set_yticks([row + 0.5 for row in places], [str(shown.releases[row].number + 1) for row in places], fontsize=7)
    axes.tick_params(length=0)
    axes.set_ylabel("release")
    _heading(axes, "Loss charged by each release")
    return most


def _draw_timeline(axes: Axes, shown: LedgerView, width: float) -> None:
    """Draw a stem per release, as high as the scale of its noise."""
    counted: dict[tuple[str, int, float], int] = {}
    for release in shown.releases:
        key = clean(release.mechanism), release.round, release.scale
        counted[key] = counted.get(key, 0) + 1
    scales = [scale for _, _, scale in counted if math.isfinite(scale)]
    highest, lowest = max(scales, default=1.0) or 1.0, min(scales, default=1.0)
    logarithmic = 0.0 < lowest * 25 < highest
    if logarithmic:
        from matplotlib.ticker import NullLocator

        axes.set_yscale("log")
        axes.yaxis.set_minor_locator(NullLocator())
    bottom, limit = (lowest / 2, highest * 2) if logarithmic else (0.0, 1.25 * highest)
    axes.set_ylim(bottom, limit)
    _levels(axes, [lowest, highest] if logarithmic else [0.0, highest])
    names = list(dict.fromkeys(name for name, _, _ in counted))
    few = len(counted) <= (40 if width >= WIDE else 16)
    size = 4.0 if len(counted) * 0.06 < width - LEFT - RIGHT else 2.0
    for (name, number, scale), count in counted.items():
        if not _first(shown) <= number <= shown.stop:
            continue
        end, shape = min(scale, limit), SHAPES[names.index(name) % len(SHAPES)]
        axes.plot([number, number], [bottom, end], color=MID, lw=0.8, zorder=1)
        axes.plot(number, end, marker=shape, ms=size, color=INK, clip_on=False, zorder=3)
        if count > 1 and few:
            place = {"xycoords": "data", "textcoords": "offset points", "ha": "left", "va": "center", "fontsize": 6.5}
            axes.annotate(f"×{count}", (number, end), (4, 0), **place)  # type: ignore[arg-type]
    drawn = ", ".join(f"{name} {_sign(i)}" for i, name in enumerate(names)) if len(names) > 1 else names[0]
    axes.set_ylabel("scale (log)" if logarithmic else "scale")
    _heading(axes, shorten(f"Noise: {drawn}", int((width - LEFT - RIGHT) / 0.08)))


def _sign(number: int) -> str:
    return "●■◆▲▼✚★✖"[number % len(SHAPES)]


def _draw_totals(axes: Axes, certificate: Certificate, shown: LedgerView, currency: str) -> None:
    budget, refused = budget_in(certificate, currency), _refused(certificate, shown, currency)
    highest = max([*shown.totals.values(), *refused.values(), budget or 0.0]) or 1.0
    limit = 1.2 * highest
    axes.set_ylim(0.0, limit)
    for first, last, total in stretches(shown.totals, shown.start, shown.stop):
        above = budget is not None and total > budget * (1.0 + 1e-9)
        colour = COLOURS["violation"] if above else CELL
        axes.bar((first + last) / 2, total, width=last - first + 1, facecolor=colour, lw=0, zorder=2)
    for number, total in refused.items():
        charged = shown.totals.get(number, 0.0)
        axes.bar(number, total - charged, bottom=charged, width=1.0, zorder=2, **REFUSED)
    if budget is not None:
        axes.axhline(budget, color=INK, lw=1.5, ls=(0, (3, 1.5)), zorder=3)
    levels = {0.0, highest}
    if budget is not None and min(abs(budget - level) for level in levels) > 0.15 * limit:
        levels.add(budget)
    _levels(axes, sorted(levels))
    axes.set_ylabel("total")
    group = certificate.ledger.group_size
    heading = "Largest total loss in each round" if shown.by_arm else "Total loss of each round"
    if certificate.primitives:
        heading = "Total loss of the round that differs"
    heading += "" if currency == "epsilon" else f", in {currency}"
    _heading(axes, heading if group == 1 else f"{heading} (budget: any {group} together)")


def _refused(certificate: Certificate, shown: LedgerView, currency: str) -> dict[int, float]:
    """Return what refused releases would have taken the rounds to that are shown."""
    totals = refused_totals(certificate, currency).items()
    return {n: total for n, total in totals if shown.start <= n <= shown.stop and total > shown.totals.get(n, 0.0)}


def _levels(axes: Axes, values: list[float]) -> None:
    axes.set_yticks(values, [small(value) for value in values], fontsize=7)
    axes.tick_params(axis="y", length=0)


def _rounds(axes: list[Axes], shown: LedgerView) -> None:
    from matplotlib.ticker import MaxNLocator

    ticks = MaxNLocator(nbins=8, integer=True, min_n_ticks=1).tick_values(shown.start, shown.stop)
    inside = [int(t) for t in ticks if shown.start <= t <= shown.stop]
    if inside[0] - shown.start > (shown.stop - shown.start) / 20:
        inside = [shown.start, *inside]
    for each in axes[:-1]:
        each.set_xticks([])
    axes[-1].set_xticks(inside)
    axes[-1].set_xlabel("round")


def _key(figure: Figure, certificate: Certificate, shown: LedgerView, most: float, currency: str) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    seen = {loss for release in shown.releases for loss in by_round(release.charges, currency).values()}
    name = "loss" if currency == "epsilon" else currency
    losses = sorted(seen) if len(seen) <= 3 else [min(seen), (min(seen) + most) / 2, most]
    handles: list[Any] = [
        Patch(facecolor=CELL, alpha=_alpha(loss, most), lw=0, label=f"{name} {small(loss)}") for loss in losses
    ]
    handles.append(Line2D([], [], color=INK, marker="|", ms=7, mew=1.2, lw=0, label="released here"))
    if budget_in(certificate, currency) is not None:
        handles.append(Line2D([], [], color=INK, lw=1.5, ls=(0, (3, 1.5)), label="budget"))
    if _refused(certificate, shown, currency):
        handles.append(Patch(label="refused", **REFUSED))
    width, height = figure.get_size_inches()
    narrow = width < WIDE - 1
    figure.legend(
        handles=handles, loc="lower left", bbox_to_anchor=(LEFT / width, 0.02 / height), ncols=3 if narrow else 6,
        frameon=False, fontsize=7.5, borderaxespad=0.0, handlelength=1.4, borderpad=0.0, columnspacing=1.4,
    )  # fmt: skip
    if shown.omitted:
        figure.text(1.0 - RIGHT / width, 0.44 / height, f"shown: {shown.omitted}", ha="right", va="center", fontsize=7)


def ledger_caption(certificate: Certificate) -> str:
    """Return what stands below the picture."""
    total = (
        "the total loss of each reward"
        if any(isinstance(d, tuple) for d in certificate.ledger.paid)
        else "the total loss of each round"
    )
    refused = refused_totals(certificate, ledger_currency(certificate))
    which = "explored execution"
    if certificate.primitives:
        which = "replay"
        total = (
            "the total loss of the round in which its two streams differ; other rounds were charged in other replays"
        )
    return (
        f"The {which} with the largest loss. Top: the rounds that each release charges, in a stronger colour "
        f"for a larger loss, and the round of the release. Middle: the scale of its noise. Bottom: {total}"
        + (", compared with the budget" if certificate.budget is not None else "")
        + (", with what a refused release would have added to it, hatched." if refused else ".")
    )
