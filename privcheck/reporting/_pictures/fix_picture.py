"""The regret of a bandit and of its patches, in each environment, beside the uniform policy's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from privcheck.reporting._pictures.style import CERTIFIED, COLOURS, INK, MID, NARROW, WIDE, new_figure, settings
from privcheck.reporting._text.fix_sentences import sentence
from privcheck.reporting._text.numbers import clean
from privcheck.results import CERTIFIED_TOO, NOT_CERTIFIED, RECOMMENDED, Fix, PolicyRegret

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEAST = 0.005
"""The smallest share that is drawn."""

MARKERS = "os^Dv"
"""One for each environment."""


def fix_figure(found: Fix, *, width: float = WIDE) -> Figure:
    """Return the picture: a row for each policy, and in it the regret in each environment as a share of uniform play's.

    >>> from privcheck.results._example_results import FIXED_BANDIT
    >>> [label.get_text() for label in fix_figure(FIXED_BANDIT).axes[0].get_yticklabels()]
    ['original', 'patch 1', 'adap-ucb', 'uniform']
    """
    rows = _rows(found)
    with settings():
        title = f"Regret of {clean(found.target)} and of its patches"
        height = 0.9 + 0.3 * max(1, len(rows)) + 0.18 * (len(rows[0][0].places) if rows and width <= NARROW else 1)
        figure = new_figure(width, height, title, sentence(found))
        figure.set_layout_engine("constrained")
        axes = figure.add_subplot(facecolor="none")
        _draw(axes, rows)
        axes.set_xscale("log")
        axes.set_xlim(LEAST * 0.8, 2.5)
        axes.xaxis.set_major_locator(_locator())
        axes.xaxis.set_major_formatter(lambda value, _: f"{100 * value:g} %")
        axes.xaxis.set_minor_formatter("")
        axes.tick_params(axis="x", which="minor", bottom=False)
        axes.tick_params(axis="y", length=0, labelcolor=INK)
        axes.set_xlabel(f"regret after {found.rounds:,} rounds, as a share of uniform play's")
        axes.grid(axis="x", color=MID, alpha=0.25, lw=0.5)
        if rows:
            across = 1 if width <= NARROW else 3
            figure.legend(
                *axes.get_legend_handles_labels(), frameon=False, fontsize=7, loc="outside upper left", ncols=across,
                handletextpad=0.3, columnspacing=1.2,
            )  # fmt: skip
    return figure


def _locator() -> Any:
    from matplotlib.ticker import FixedLocator

    return FixedLocator([0.01, 0.03, 0.1, 0.3, 1.0])


def _rows(found: Fix) -> list[tuple[PolicyRegret, str]]:
    colours = {RECOMMENDED: CERTIFIED, CERTIFIED_TOO: COLOURS["consistent"], NOT_CERTIFIED: COLOURS["inconclusive"]}
    patches = [
        (patch.regret, colours.get(patch.standing, COLOURS["violation"]))
        for patch in found.patches
        if patch.regret is not None
    ]
    own = [] if found.original is None else [(found.original, INK)]
    return [*own, *patches, *((other, MID) for other in reversed(found.others))]


def _draw(axes: Any, rows: list[tuple[PolicyRegret, str]]) -> None:
    axes.axvline(1.0, color=MID, lw=0.8, ls=(0, (4, 3)))
    for number, (regret, colour) in enumerate(rows):
        for each, place in enumerate(regret.places):
            value = max(LEAST, place.share)
            scale = place.share / place.mean if place.mean > 0.0 else 0.0
            error = 2.0 * place.se * scale
            height = number + (each - (len(regret.places) - 1) / 2.0) * 0.2
            low = max(LEAST, value - error)
            axes.plot([low, max(low, value + error)], [height, height], color=colour, lw=1.0, alpha=0.6)
            axes.plot(
                [value], [height], ls="none", marker=MARKERS[each % len(MARKERS)], ms=4.5, color=colour,
                mec=colour, label=place.place if number == 0 else None,
            )  # fmt: skip
    axes.set_yticks(range(len(rows)), [regret.policy for regret, _ in rows])
    axes.set_ylim(max(1, len(rows)) - 0.4, -0.6)
