"""One simulation on a page, several in one picture, and pictures small enough to be committed."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from privcheck.extras import require_extra
from privcheck.reporting._pictures.regret_lower_bounds import asymptotic_rates
from privcheck.reporting._pictures.regret_picture import draw_panel
from privcheck.reporting._pictures.style import INK, MID, WIDE, new_figure, settings
from privcheck.reporting._text.places import place_text
from privcheck.reporting._text.simulation_notes import runs_words
from privcheck.results import PolicyResult, Simulation

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure

RATE = "lower bound's asymptotic rate $c\\,\\ln t$, not a bound at t"


def regret_figure(simulation: Simulation, *, log_regret: bool = False, width: float = WIDE) -> Figure:
    """Return a figure for a page: mean regret against rounds, bands from 5 to 95 %, asymptotic rates of lower bounds.

    Parameters
    ----------
    simulation : what `privcheck.simulate` returned.
    log_regret : whether the regret has a log axis.
    width : in inches.

    Examples
    --------
    >>> from privcheck.simulation._simulate import simulate
    >>> regret_figure(simulate("ucb", [0.75, 0.5], horizon=100, runs=5)).axes[0].get_xlabel()
    'round t'
    """
    rates = asymptotic_rates(simulation, None)
    columns = 1 if width < WIDE - 1 else 3
    rows = -(-(len(simulation.results) + len(rates)) // columns)
    height = (2.9 if columns == 1 else 3.3) + 0.2 * (rows + bool(rates) * (columns == 1))
    final = [f"{row['policy']} {row['mean']:.4g}" for row in simulation.summary()]
    runs = runs_words([len(result.regret) for result in simulation.results])
    title = f"Pseudo-regret against rounds on {place_text(simulation)}, {runs}"
    described = f"Mean pseudo-regret after {simulation.horizon:g} rounds: {', '.join(final)}."
    with settings():
        figure = new_figure(width, height, title, described)
        figure.set_layout_engine("constrained")
        axes = figure.add_subplot(facecolor="none")
        draw_panel(axes, simulation.results, rates, log_regret=log_regret)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.10g}")
        axes.xaxis.set_minor_formatter("")
        axes.spines["left"].set_visible(True)
        axes.tick_params(axis="y", labelcolor=INK, color=MID)
        axes.grid(color=MID, alpha=0.25, lw=0.5)
        figure.legend(loc="outside lower left", ncols=columns, frameon=False, fontsize=7.5, handlelength=2.2)
    return figure


def panels_figure(
    panels: Mapping[str, Sequence[PolicyResult]],
    *,
    rates: Mapping[str, float] | None = None,
    columns: int = 2,
    log_regret: bool = True,
) -> Figure:
    """Return a figure with one panel for each entry: mean regret against rounds, with bands from 5 to 95 %.

    Parameters
    ----------
    panels : titles and results; every panel has the same policies in the same order.
    rates : for a title the constant c of an asymptotic lower bound c ln t.
    columns : panels in a row.
    log_regret : whether the regret has a log axis.

    Examples
    --------
    >>> from privcheck.simulation._simulate import simulate
    >>> results = simulate("ucb", [0.75, 0.5], horizon=100, runs=5).results
    >>> len(panels_figure({"one": results, "two": results}).axes)
    2
    """
    require_extra("plots", "plot")
    from matplotlib import rc_context

    from privcheck.reporting._pictures.shown_figure import ShownFigure

    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    with rc_context({"font.size": 8, "axes.spines.top": False, "axes.spines.right": False, "text.usetex": False}):
        figure = ShownFigure(figsize=(3.4 * columns, 0.7 + 2.1 * rows), layout="constrained")
        grid = figure.subplots(rows, columns, squeeze=False, sharey=True)
        entries: dict[str, Artist] = {}
        for axes, (title, results) in zip(grid.flat, panels.items(), strict=False):
            constant = (rates or {}).get(title)
            draw_panel(axes, results, [] if constant is None else [(RATE, constant)], log_regret=log_regret)
            axes.set_title(title, fontsize=8)
            entries |= {str(line.get_label()): line for line in axes.lines}
        for axes in grid.flat[len(panels) :]:
            axes.set_axis_off()
        order = [result.policy for result in next(iter(panels.values()))] + [RATE]
        shown = [label for label in order if label in entries]
        texts = [label.replace(", ", ",\n") if columns == 1 else label for label in shown]
        figure.legend(
            [entries[label] for label in shown],
            texts,
            loc="outside upper left",
            frameon=False,
            fontsize=7,
            ncols=min(columns + 1, 3),
        )
    return figure


def small_png(figure: Figure, dpi: int = 110, colours: int = 128) -> bytes:
    """Return a PNG with few colours, a fraction of the usual size. With half as many, red and brown curves became one.

    Examples
    --------
    >>> from privcheck.simulation._simulate import simulate
    >>> small_png(simulate("ucb", [0.75, 0.5], horizon=100, runs=5).plot())[1:4]
    b'PNG'
    """
    from PIL import Image

    full, small = io.BytesIO(), io.BytesIO()
    figure.savefig(full, format="png", dpi=dpi)
    Image.open(full).convert("RGB").quantize(colours, dither=Image.Dither.NONE).save(small, "PNG", optimize=True)
    return small.getvalue()
