"""The figure of a simulation: regret against rounds, at the width of a paper's column."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privcheck.errors import PrivcheckError, words
from privcheck.extras import require_extra
from privcheck.files import check_output, write_whole
from privcheck.reporting._pictures.regret_lower_bounds import asymptotic_rates
from privcheck.reporting._pictures.style import MID
from privcheck.reporting._text.places import picture_title, place_text
from privcheck.reporting._text.simulation_notes import budgets_words, runs_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from privcheck.results import PolicyResult, Simulation

SUFFIXES = (".png", ".svg", ".pdf")

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#1b1f24")
"""The colours of Okabe and Ito, which colour-blind readers can distinguish; the last is ink, white on dark pages."""

DASHES: tuple[Any, ...] = ("-", (0, (5, 1.2)), (0, (2, 1)))


def check_plot_path(path: str | Path) -> Path:
    """Return the path if a figure can be saved there; call it before work is done whose figure would be lost.

    >>> check_plot_path("regret.jpeg")
    Traceback (most recent call last):
    privcheck.errors.PrivcheckError: plot: got 'regret.jpeg', expected a file name that ends in .png, .svg or .pdf
    """
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise PrivcheckError("plot", str(path), "a file name that ends in .png, .svg or .pdf")
    if not target.parent.is_dir():
        hint = f"make the folder {target.parent} first"
        raise PrivcheckError("plot", str(path), "a file in a folder that exists", hint)
    return target


def save(figure: Figure, target: Path) -> None:
    """Write the figure in the format of the suffix, whole or not at all."""
    image = io.BytesIO()
    figure.savefig(image, format=target.suffix[1:].lower(), dpi=300)
    try:
        write_whole(check_output(target, "plot", SUFFIXES), image.getvalue(), "plot")
    except PrivcheckError as error:
        raise PrivcheckError("plot", words(f"{target}: {error.hint}"), "a file that can be written") from None


def draw(simulation: Simulation, lines: Sequence[str] | None, log_regret: bool = False) -> Figure:
    """Return the figure; see `Simulation.plot`."""
    require_extra("plots", "plot")
    from matplotlib import rc_context

    from privcheck.reporting._pictures.shown_figure import ShownFigure

    rates = asymptotic_rates(simulation, lines)
    with rc_context({"font.size": 8, "axes.spines.top": False, "axes.spines.right": False, "text.usetex": False}):
        place = picture_title(place_text(simulation), 60)
        budgets = "\n".join(textwrap.wrap(budgets_words(simulation), 60))
        place = f"{place}\n{budgets}" if budgets else place
        entries = len(simulation.results) + 2 * len(rates) + 2 + place.count("\n")
        figure = ShownFigure(figsize=(3.5, 2.4 + 0.145 * entries), layout="constrained")
        axes = figure.add_subplot()
        draw_panel(axes, simulation.results, rates, log_regret=log_regret)
        title = f"{place}\nmean and 5–95 % band of {runs_words([len(result.regret) for result in simulation.results])}"
        legend = figure.legend(title=title, loc="outside upper left", frameon=False, fontsize=7, handlelength=2.2)
        legend.set_alignment("left")
        legend.get_title().set(fontsize=7, color="0.3")
    return figure


def draw_panel(
    axes: Any, results: Sequence[PolicyResult], rates: Sequence[tuple[str, float]] = (), *, log_regret: bool = False
) -> None:
    """Draw the mean and the 5-95 % band of each result, and the lines constant * ln t of `rates`, on given axes.

    Parameters
    ----------
    axes : of matplotlib.
    results : of one simulation or of several; their colours follow their order.
    rates : labels and constants, as `asymptotic_rates` returns them.
    log_regret : whether the regret has a log axis.
    """
    order = sorted(range(len(results)), key=lambda i: -results[i].regret[:, -1].mean())
    for i in order:
        result, curves = results[i], results[i].curves()
        color, dash = PALETTE[i % len(PALETTE)], DASHES[i // len(PALETTE) % len(DASHES)]
        axes.fill_between(result.checkpoints, curves["q05"], curves["q95"], color=color, alpha=0.18, lw=0)
        axes.plot(
            result.checkpoints, curves["mean"], color=color, ls=dash, lw=1.4, label=result.policy.replace("$", r"\$")
        )
    rounds = results[0].checkpoints
    for i, (label, constant) in enumerate(rates):
        axes.plot(rounds, constant * np.log(rounds), color=MID, lw=1.2, ls=(":", "-.")[i % 2], label=label)
    axes.set_xscale("log")
    axes.set_xlim(_first_round(results), rounds[-1])
    largest = max(float(result.regret[:, -1].mean()) for result in results)
    if log_regret and largest > 0:
        axes.set_yscale("log")
        axes.set_ylim(bottom=max(largest / 1e4, 1.0) if largest > 1.0 else largest / 1e4)
    else:
        axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.10g}")
    axes.set_xlabel("round t")
    axes.set_ylabel("pseudo-regret")


def _first_round(results: Sequence[PolicyResult]) -> float:
    """Return where the x-axis starts: the first round at which anything is visible, at 1 % of the final regret."""
    largest = max(float(result.regret[:, -1].mean()) for result in results)
    visible = [result.checkpoints[result.regret.mean(axis=0) > 0.01 * largest] for result in results]
    starts = [int(rounds[0]) for rounds in visible if len(rounds)]
    first = min(starts, default=1)
    return float(10.0 ** np.floor(np.log10(first))) if first < results[0].checkpoints[-1] else 1.0
