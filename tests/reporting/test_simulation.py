"""Tables and pictures of simulations."""

import doctest
import io

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from PIL import Image
from rich.console import Console

from privcheck.reporting import (
    details,
    panels_figure,
    small_png,
)
from privcheck.reporting._pictures import simulation_pictures
from privcheck.reporting._pictures.simulation_pictures import RATE
from privcheck.reporting._terminal import simulation_tables
from privcheck.reporting._terminal.simulation_tables import comparison_table, summary_table
from privcheck.simulation import identify, simulate


@pytest.fixture(scope="module")
def simulation():
    return simulate(["adap-ucb", "ucb", "kl-ucb"], "c2", horizon=500, runs=10, epsilon=1.0, checkpoints=10)


def printed(table, width=200):
    console = Console(file=io.StringIO(), width=width)
    console.print(table)
    return console.file.getvalue()


@pytest.mark.parametrize("module", [simulation_pictures, simulation_tables])
def test_examples_run(module):
    found = doctest.testmod(module)
    assert found.attempted >= 2
    assert found.failed == 0


def test_tables_show_the_numbers(simulation):
    text = printed(summary_table(simulation))
    for row in simulation.summary():
        assert row["policy"] in text
        assert f"{row['q99']:.4g}" in text
    comparisons = simulation.compare()
    text = printed(comparison_table(comparisons))
    for found in comparisons:
        assert f"{found.mean.value:.4g}" in text
        assert f"[{found.q95.low:.4g}, {found.q95.high:.4g}]" in text
        assert f"{found.better:.1%}" in text
    assert "95 % interval" in text
    assert all(len(line.rstrip()) <= 80 for line in printed(comparison_table(comparisons), 80).splitlines())


def test_panels_share_a_legend_and_call_rates_rates(simulation):
    figure = panels_figure({"one": simulation.results, "two": simulation.results}, rates={"two": 5.0})
    assert [axes.get_title() for axes in figure.axes] == ["one", "two"]
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["adap-ucb", "ucb", "kl-ucb", RATE]
    assert "not a bound at t" in RATE
    assert {axes.get_yscale() for axes in figure.axes} == {"log"}
    assert [len(axes.lines) for axes in figure.axes] == [3, 4]
    colours = [{line.get_label(): line.get_color() for line in axes.lines} for axes in figure.axes]
    assert colours[0] == {label: colours[1][label] for label in colours[0]}


@pytest.mark.parametrize("panels", [1, 2, 3])
def test_the_legend_fits_into_the_picture(simulation, panels):
    titles = "abc"[:panels]
    figure = panels_figure(dict.fromkeys(titles, simulation.results), rates=dict.fromkeys(titles, 5.0), columns=3)
    figure.canvas.draw()
    assert figure.legends[0].get_window_extent().x1 <= figure.bbox.x1


def test_an_odd_number_of_panels_leaves_a_blank(simulation):
    figure = panels_figure(dict.fromkeys("abc", simulation.results), log_regret=False)
    assert [axes.axison for axes in figure.axes] == [True, True, True, False]


def test_small_pictures_are_small(simulation):
    figure = panels_figure(dict.fromkeys("abcd", simulation.results))
    full = io.BytesIO()
    figure.savefig(full, format="png", dpi=110)
    assert len(small_png(figure)) < 0.6 * len(full.getvalue())


def test_a_small_picture_keeps_the_colours_of_curves_apart():
    """Red and brown had become one: most colours went to the shades between lighter ones."""
    figure = Figure(figsize=(8.0, 5.0), layout="constrained")
    axes, x, rng = figure.subplots(), np.linspace(0.0, 1.0, 20), np.random.default_rng(0)
    for i in range(6):
        (line,) = axes.plot(x, i + 0.3 * rng.random(20), marker=".", label=f"{i}")
        axes.fill_between(x, i - 0.8, i + 1.2, color=line.get_color(), alpha=0.15, linewidth=0)
    axes.legend()
    shown = np.asarray(Image.open(io.BytesIO(small_png(figure))).convert("RGB")).reshape(-1, 3).astype(int)
    for line in axes.lines:
        own = np.round(255.0 * np.array(to_rgb(line.get_color())))
        assert np.abs(shown - own).max(axis=1).min() <= 8


def test_tables_of_identification_fit_into_80_columns():
    found = identify("dp-exact-tt", [0.9, 0.8, 0.5], horizon=1e5, delta=[0.1, 0.01], runs=20, epsilon=1.0)
    text = printed(details(found), width=80)
    assert max(map(len, text.splitlines())) <= 80
    for word in ("dp-exact-tt", "median", "q99", "95 % interval", "seconds"):
        assert word in text
