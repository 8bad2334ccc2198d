"""The pages of bounds and of simulations hold every number, and pictures are saved as SVG and PNG."""

from __future__ import annotations

import html
import math
import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
from PIL import Image

from privcheck.bounds import Instance, LinearInstance, contradictions, curve, evaluate, named_instance
from privcheck.enclosure import digits_down, digits_up
from privcheck.errors import PrivcheckError
from privcheck.reporting import render_bounds, save_bounds_page, to_svg
from privcheck.reporting._pages import page_bounds, page_simulation
from privcheck.reporting._pages.elements import text
from privcheck.reporting._pages.html_table import NUMBER, TEXT, Cell, table
from privcheck.reporting._pages.page_simulation import render_simulation
from privcheck.reporting._pictures.simulation_pictures import regret_figure
from privcheck.reporting._pictures.style import NARROW, WIDE
from privcheck.reporting._pictures.theory_picture import theory_figure
from privcheck.reporting._text.numbers import amount
from privcheck.simulation import simulate
from tests.example_results import CERTIFIED, GRANTED, VIOLATION


def cells(page):
    """Return the rows of all tables by name, each as the texts of its cells without their second lines."""
    found = {}
    for row in re.findall(r"<tr[^>]*><th scope=\"row\"[^>]*>(.*?)</tr>", page):
        first, *others = re.split(r"</t[hd]>", re.sub(r"<small>.*?</small>", "", row))
        found[html.unescape(re.sub("<[^>]*>", "", first))] = [re.sub("<[^>]*>", "", cell) for cell in others[:-1]]
    return found


@pytest.fixture
def no_pictures(monkeypatch):
    for module in (page_bounds, page_simulation):
        monkeypatch.setattr(module, "inline_picture", lambda draw, name, caption: f"<figure>{caption}</figure>")


@pytest.mark.usefixtures("no_pictures")
def test_a_page_of_bounds_has_every_theorem_once():
    instance = named_instance("c2", epsilon=1.0, horizon=1e6)
    values = evaluate(instance)
    page = render_bounds(instance, values)
    rows = cells(page)
    elsewhere = re.findall(r"Theorems about [^:]*: (\d+) not shown", page)
    assert len(rows) + sum(map(int, elsewhere)) == len(values)
    for value in values:
        if value.applies:
            row = rows.get(value.id) or rows.get(f"★ {value.id}") or rows[f"☆ {value.id}"]
            known = value.constant if value.asymptotic else value.value
            digits = digits_down if value.kind == "lower" else digits_up
            shown = "order only" if known is None else digits(known)
            if value.asymptotic:
                product = "-" if known is None else digits(known * math.log(1e6))
                assert row[:5] == [value.kind, "-", shown, product, value.provenance]
            else:
                assert row[:5] == [value.kind, shown, "-", "-", value.provenance]
            assert text(value.statement) in page
            assert text(value.source) in page
    assert "Privacy regime.</b> mixed regime at epsilon = " in page


@pytest.mark.usefixtures("no_pictures")
def test_contradictions_are_loud():
    instance = named_instance("c2", epsilon=1.0, horizon=1e6)
    values = evaluate(instance)
    wrong = [replace(v, value=1e9) if v.id == "azize-basu-2022/thm2-bernoulli" else v for v in values]
    assert contradictions(wrong, instance)
    assert "CONTRADICTION" not in render_bounds(instance, values)
    assert render_bounds(instance, wrong).count("alarm") > render_bounds(instance, values).count("alarm")
    assert "CONTRADICTION: azize-basu-2022/thm2-bernoulli" in render_bounds(instance, wrong)


@pytest.mark.usefixtures("no_pictures")
def test_pictures_of_bounds_are_there_where_something_can_be_drawn():
    instance = named_instance("c2", epsilon=1.0)
    assert "<figure>" in render_bounds(instance, evaluate(instance))
    assert "rounds T" in render_bounds(instance, evaluate(instance), along=curve(instance, "horizon", [100.0, 1e4]))
    linear = LinearInstance(((1.0, 0.0), (0.0, 1.0)), (0.5, 0.25), 1.0, 1e5)
    assert "<figure>" not in render_bounds(linear, evaluate(linear))
    level = Instance("bernoulli", (0.5, 0.5), epsilon=1.0)
    assert "<h1>" in render_bounds(level, evaluate(level))


@pytest.mark.parametrize("name", ["c2", "fig3"])
@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_the_picture_of_bounds_keeps_inside_itself(name, width):
    figure = theory_figure(
        curve(named_instance(name, epsilon=1.0, horizon=1e6), "epsilon", [0.01, 1.0, 10.0]), width=width
    )
    figure.canvas.draw()
    for axes in figure.axes:
        box = axes.get_legend().get_window_extent()
        assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1
        assert axes.get_window_extent().width > 0.6 * figure.bbox.width
    assert figure.get_suptitle()


@pytest.fixture(scope="module")
def simulation():
    return simulate(["adap-ucb", "ucb"], [0.75, 0.5], horizon=500, runs=10, epsilon=1.0, checkpoints=20)


@pytest.mark.usefixtures("no_pictures")
def test_a_page_of_a_simulation_has_every_number(simulation):
    page = render_simulation(simulation)
    rows = cells(page)
    for row in simulation.summary():
        shown = [amount(row[name]) for name in ("mean", "se", "median", "q05", "q95", "q99")]
        assert rows[row["policy"]][:6] == shown
    (pair,) = simulation.compare()
    found = rows["adap-ucb − ucb"]
    assert [found[0], found[2]] == [amount(pair.mean.value), amount(pair.median.value)]
    assert f"[{amount(pair.q95.low)}, {amount(pair.q95.high)}]" in page
    assert "2 policies on bernoulli (means 0.75, 0.5): 500 rounds, 10 runs" in page
    assert "AdaPUCB(arms=2, epsilon=1.0, alpha=3.1)" in page


@pytest.mark.usefixtures("no_pictures")
@pytest.mark.parametrize(("policies", "runs"), [(["ucb"], 10), (["ucb", "kl-ucb"], 1)])
def test_without_two_of_both_there_is_no_comparison(policies, runs):
    page = render_simulation(simulate(policies, [0.75, 0.5], horizon=100, runs=runs))
    assert "Comparisons" not in page
    assert ("-" in cells(page)["ucb"]) is (runs == 1)


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("count", [1, 8])
def test_the_picture_of_regret_is_plain_text_on_any_paper(simulation, width, count):
    several = replace(simulation, results=simulation.results[:1] * count)
    figure = regret_figure(several, width=width)
    figure.canvas.draw()
    labels = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert "100" in labels
    assert not any("$" in label for label in labels)
    assert figure.legends[0].get_window_extent().x1 <= figure.bbox.x1
    assert figure.axes[0].get_window_extent().height > 0.4 * figure.bbox.height
    svg = to_svg(figure)
    assert "#000000" not in svg
    assert "currentColor" in svg


# Files


@pytest.mark.parametrize("suffix", ["svg", "png", "PNG"])
@pytest.mark.parametrize(
    ("subject", "picture"),
    [(CERTIFIED, "bounds"), (VIOLATION, "witness"), (VIOLATION, "trade-off"), (GRANTED, "ledger")],
)
def test_every_picture_as_a_file(subject, picture, suffix, tmp_path):
    path = tmp_path / "new" / f"a.{suffix}"
    figure = subject.plot(path, picture=picture)
    if suffix == "svg":
        assert ET.fromstring(path.read_text(encoding="utf-8")).tag.endswith("svg")
    else:
        with Image.open(path) as image:
            assert abs(image.width - 200 * figure.get_size_inches()[0]) <= 1
            assert image.convert("L").getextrema() == (pytest.approx(20, abs=20), 255)
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_the_divergence_as_a_file(certificates, tmp_path):
    certificates["leaky"].plot(tmp_path / "a.svg", picture="divergence")
    assert "First divergence" in (tmp_path / "a.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("subject", "path", "picture", "message"),
    [
        (VIOLATION, "a.pdf", "bounds", r"plot: got .*\.svg or \.png"),
        (VIOLATION, "a.svg", "ledger", "picture: got 'ledger'"),
        (GRANTED, "a.svg", "witness", "picture: got 'witness'"),
        (GRANTED, "a.svg", "divergence", "no replay diverged"),
        (replace(VIOLATION, witness=None), "a.png", "witness", "ended early"),
        (replace(VIOLATION, tradeoff=None), "a.png", "trade-off", "fixed number of runs"),
    ],
)
def test_what_cannot_be_drawn_is_refused_and_leaves_nothing(subject, path, picture, message, tmp_path):
    with pytest.raises(PrivcheckError, match=message):
        subject.plot(tmp_path / path, picture=picture)
    assert list(tmp_path.iterdir()) == []


def test_pages_are_saved_whole(simulation, tmp_path):
    simulation.save_html(tmp_path / "new" / "regret.html")
    assert (tmp_path / "new" / "regret.html").read_text(encoding="utf-8") == render_simulation(simulation)
    instance = named_instance("c2", epsilon=1.0)
    for save in (simulation.save_html, lambda path: save_bounds_page(instance, evaluate(instance), path)):
        with pytest.raises(PrivcheckError, match="path: got"):
            save(tmp_path / "page.txt")
    assert {entry.name for entry in tmp_path.iterdir()} == {"new"}


def test_what_is_no_number_has_no_key_and_sorts_after_all_numbers():
    page = table("a", [("name", TEXT), ("length", NUMBER)], [["a", Cell("nan", math.nan)], ["b", Cell("-1", -1.0)]])
    assert re.findall('data-key="([^"]*)"', page) == ["-1.0"]
