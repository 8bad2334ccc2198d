"""The figure of a simulation: regret against rounds, at the width of a paper's column."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privcheck.errors import PrivcheckError, words
from privcheck.simulation.lower_bounds import asymptotic_rates

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from privcheck.simulation.results import Simulation

SUFFIXES = (".png", ".svg", ".pdf")

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""The colours of Okabe and Ito, which colour-blind readers can tell apart."""

DASHES: tuple[Any, ...] = ("-", (0, (5, 1.2)), (0, (2, 1)))


def check_plot_path(path: str | Path) -> Path:
    """Return the path if a figure can be saved there; call it before work is done whose figure would be lost.

    >>> check_plot_path("regret.jpeg")
    Traceback (most recent call last):
    bounds.errors.PrivcheckError: plot: got 'regret.jpeg', expected a file name that ends in .png, .svg or .pdf
    """
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise PrivcheckError("plot", str(path), "a file name that ends in .png, .svg or .pdf")
    if not target.parent.is_dir():
        hint = f"make the folder {target.parent} first"
        raise PrivcheckError("plot", str(path), "a file in a folder that exists", hint)
    return target


def save(figure: Figure, target: Path) -> None:
    """Write the figure in the format of the suffix; a figure that fails to render leaves no file behind."""
    image = io.BytesIO()
    figure.savefig(image, format=target.suffix[1:].lower(), dpi=300)
    try:
        target.write_bytes(image.getvalue())
    except OSError as error:
        raise PrivcheckError("plot", words(f"{target}: {error.strerror}"), "a file that can be written") from None


def draw(simulation: Simulation, lines: Sequence[str] | None) -> Figure:
    """Return the figure; see `Simulation.plot`."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    rates = asymptotic_rates(simulation, lines)
    with rc_context({"font.size": 8, "axes.spines.top": False, "axes.spines.right": False, "text.usetex": False}):
        entries = len(simulation.results) + 2 * len(rates) + 1
        figure = Figure(figsize=(3.5, 2.4 + 0.145 * entries), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        _draw_policies(axes, simulation)
        rounds = simulation.checkpoints
        for i, (label, constant) in enumerate(rates):
            axes.plot(rounds, constant * np.log(rounds), color="0.35", lw=1, ls=(":", "-.")[i % 2], label=label)
        axes.set_xscale("log")
        axes.set_xlim(_first_round(simulation), simulation.horizon)
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.10g}")
        axes.set_xlabel("round t")
        axes.set_ylabel("pseudo-regret")
        title = f"mean and 5–95 % band of {simulation.runs:,} runs"
        legend = figure.legend(title=title, loc="outside upper left", frameon=False, fontsize=7, handlelength=2.2)
        legend.set_alignment("left")
        legend.get_title().set(fontsize=7, color="0.3")
    return figure


def _draw_policies(axes: Any, simulation: Simulation) -> None:
    order = sorted(range(len(simulation.results)), key=lambda i: -simulation.results[i].regret[:, -1].mean())
    for i in order:
        result = simulation.results[i]
        color, dash = PALETTE[i % len(PALETTE)], DASHES[i // len(PALETTE) % len(DASHES)]
        low, high = np.quantile(result.regret, (0.05, 0.95), axis=0)
        axes.fill_between(result.checkpoints, low, high, color=color, alpha=0.18, lw=0)
        axes.plot(result.checkpoints, result.regret.mean(axis=0), color=color, ls=dash, lw=1.4, label=result.policy)


def _first_round(simulation: Simulation) -> float:
    """Return where the x-axis starts: the first round at which anything is visible, at 1 % of the final regret."""
    largest = max(float(result.regret[:, -1].mean()) for result in simulation.results)
    visible = [result.checkpoints[result.regret.mean(axis=0) > 0.01 * largest] for result in simulation.results]
    starts = [int(rounds[0]) for rounds in visible if len(rounds)]
    first = min(starts, default=1)
    return float(10.0 ** np.floor(np.log10(first))) if first < simulation.horizon else 1.0
