"""The trade-off of the two errors of telling the streams apart, with its confidence region and the claim."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privcheck.accounting import profile_of
from privcheck.arrays import Array
from privcheck.errors import PrivcheckError, words
from privcheck.reporting._pictures.style import CERTIFIED, COLOURS, INK, MID, WIDE, add_axes, new_figure, settings
from privcheck.reporting._pictures.witness_excerpt import words_of
from privcheck.reporting._text.audit_sentences import claim, verdict_word
from privcheck.reporting._text.numbers import clean, percent
from privcheck.results import AuditReport

if TYPE_CHECKING:
    from matplotlib.figure import Figure


TRADEOFF_CAPTION = (
    "Error probabilities of an attacker who compares the score of the event with a threshold to guess which of the two "
    "was played. With the stated confidence, the curve of the best attacker lies on or below the line; a line that "
    "dips below the dashed one refutes the claim. The region holds for all thresholds at once; it is separate from the "
    "lower bound."
)

SIDE = 3.7
"""Largest side of the square in inches."""

LEGEND = 2.6
"""Width of a legend beside it; on narrower paper it stands above."""


EPSILONS = np.append(0.0, np.geomspace(1e-3, 12.0, 240))
"""Where a claim in mu or in rho is read as a pair (epsilon, delta). All of them together are the claim's curve."""


def claimed_curve(report: AuditReport, type_one: Array) -> Array | None:
    """Return the smallest type II error that the claim of an audit allows at each type I error; None without a claim.

    Source: Dong, Roth and Su 2022, Proposition 2.12: the supremum of the curves of all pairs (epsilon, delta).

    >>> from privcheck.results._example_results import VIOLATION
    >>> claimed_curve(VIOLATION, np.array([0.0, 1.0])).tolist()
    [1.0, 0.0]
    """
    if report.epsilon_claimed is not None:
        return claimed_tradeoff(report.epsilon_claimed, report.delta, type_one)
    if report.tradeoff_claimed is not None:
        corners: Array = np.transpose(report.tradeoff_claimed)
        return np.asarray(np.interp(type_one, corners[0], corners[1]))
    profile = profile_of(report.mu, report.rho, None)
    if profile is None:
        return None
    every = [claimed_tradeoff(e, profile.delta_at(e), type_one) for e in EPSILONS.tolist()]
    return np.asarray(np.max(every, axis=0))


def claimed_tradeoff(epsilon: float, delta: float, type_one: Array) -> Array:
    """Return the smallest type II error that (epsilon, delta)-DP allows at each type I error.

    Parameters
    ----------
    epsilon, delta : the claim.
    type_one : probabilities of calling the second stream the first, in [0, 1].

    Source
    ------
    Wasserman and Zhou 2010; Dong, Roth and Su 2022, equation (5).

    Examples
    --------
    >>> claimed_tradeoff(0.0, 0.0, np.array([0.0, 0.25, 1.0])).tolist()
    [1.0, 0.75, 0.0]
    """
    r = math.exp(min(epsilon, 700.0))
    return np.maximum(0.0, np.maximum(1.0 - delta - r * type_one, (1.0 - delta - type_one) / r))


def tradeoff_figure(report: AuditReport, *, width: float = WIDE) -> Figure:
    """Return a figure of the type II error of telling the streams apart against its type I error.

    The true trade-off of all attacks lies on or below the drawn curve with the audit's confidence; the claim forbids
    it to be below the dashed line. Points are the attacks that were counted.

    Parameters
    ----------
    report : an audit with a trade-off region.
    width : in inches.

    Raises
    ------
    PrivcheckError : when the report has none.

    Examples
    --------
    >>> from privcheck.results._example_results import VIOLATION
    >>> len(tradeoff_figure(VIOLATION).axes)
    1
    """
    region = report.tradeoff
    if region is None:
        raise PrivcheckError(
            "report", words(f"no trade-off for {report.target}"), "an audit of a fixed number of runs", "repeat it"
        )
    beside = width > SIDE + LEGEND
    side = min(width, SIDE)
    top = 0.12 if beside else 0.75
    title = f"Trade-off of errors for {clean(report.target)}"
    told = f"Type II against type I error of telling the two streams apart; {percent(report.confidence)} region."
    description = words_of(report).said(told)
    with settings():
        figure = new_figure(width, side * 0.9 + top, title, description)
        axes = add_axes(figure, 0.55, top, side - 0.72, side * 0.9 - 0.5)
        axes.spines["left"].set_visible(True)
        type_one, type_two = region.curve()
        axes.plot([0.0, 1.0], [1.0, 0.0], color=MID, lw=0.8, zorder=1)
        axes.text(0.5, 0.52, "no leak", color=INK, rotation=-38, ha="center", va="bottom", fontsize=7)
        grid = np.linspace(0.0, 1.0, 201)
        if (least := claimed_curve(report, grid)) is not None:
            axes.plot(
                grid,
                least,
                color=INK,
                lw=1.2,
                ls=(0, (4, 2)),
                zorder=3,
                label=f"the claim {claim(report)} allows nothing below",
            )
        colour = COLOURS[verdict_word(report)]
        label = f"the truth is on or below ({percent(report.confidence)})"
        axes.plot(type_one, type_two, color=colour, lw=1.6, zorder=4, label=label)
        axes.fill_between(type_one, 0.0, type_two, color=colour, alpha=0.12, lw=0.0, zorder=0)
        seen = region.less / region.runs[1], 1.0 - region.more / region.runs[0]
        axes.plot(*seen, ls="", marker="o", ms=2.6, color=CERTIFIED, zorder=5, label="attacks as counted")
        axes.set_xlim(0.0, 1.0)
        axes.set_ylim(0.0, 1.0)
        axes.set_xticks([0.0, 0.25, 0.5, 0.75, 1.0])
        axes.set_yticks([0.0, 0.25, 0.5, 0.75, 1.0])
        one = words_of(report).one
        axes.set_xlabel(f"type I error: event on the second {one}")
        axes.set_ylabel(f"type II error: no event on the first {one}")
        place = ((SIDE + 0.1) / width, 0.95) if beside else (0.5 / width, 1.0)
        figure.legend(loc="upper left", bbox_to_anchor=place, frameon=False)
    return figure
