"""Pictures: what their axes and labels say, and that they are reproducible."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pytest

from privcheck.errors import PrivcheckError
from privcheck.reporting import bounds_figure, save_png, to_svg, witness_figure
from privcheck.reporting._pictures.probability_picture import allowed
from privcheck.reporting._pictures.style import INK
from privcheck.reporting._pictures.witness_excerpt import text_streams
from privcheck.results import Estimate

WITH_WITNESS = ["violation", "consistent", "unclaimed", "coarse", "unbounded", "long"]


def words_of(figure):
    return [text.get_text() for axes in figure.axes for text in axes.texts]


@pytest.mark.parametrize("name", ["violation", "consistent", "coarse", "unclaimed", "long"])
def test_axis_includes_claim_and_bounds(reports, name):
    report = reports[name]
    low, high = bounds_figure([report]).axes[0].get_xlim()
    values = [report.epsilon_claimed, report.epsilon_lower, report.epsilon_lower_clopper_pearson]
    estimate = report.epsilon_estimate
    values += [v for v in (estimate.value, estimate.high) if math.isfinite(v)]
    assert low == 0.0
    assert all(value < high for value in values if value is not None)


def test_bars_end_at_the_lower_bounds(reports):
    chosen = [reports["violation"], reports["consistent"], reports["unclaimed"]]
    axes = bounds_figure(chosen).axes[0]
    ends = [patch.get_x() + patch.get_width() for patch in axes.patches]
    assert ends == pytest.approx([report.epsilon_lower for report in chosen])
    claims = [line.get_xdata()[0] for line in axes.lines if line.get_linestyle() == "--"]
    assert claims == [1.0, 1.0]


def test_verdicts_are_told_apart_without_colour(reports):
    words = words_of(bounds_figure(list(reports.values())))
    for part in ("✗ violation, epsilon ≥ 1.764", "✓ consistent, epsilon ≥ 0.959", "? inconclusive, no bound"):
        assert part in words
    assert "– no claim, epsilon ≥ 9.211" in words


def test_scale_is_squeezed_only_when_rows_differ_much(reports):
    near, far = bounds_figure([reports["violation"]]), bounds_figure([reports["violation"], reports["unclaimed"]])
    assert near.axes[0].get_xlabel() == "epsilon"
    assert far.axes[0].get_xlabel() == "epsilon (square-root scale)"
    assert far.axes[0].get_xlim()[1] > 9.2117


@pytest.mark.parametrize("width", [7.2, 3.7])
@pytest.mark.parametrize("name", WITH_WITNESS)
def test_everything_is_inside_its_picture(reports, name, width):
    for figure in (witness_figure(reports[name], width=width), bounds_figure([reports[name]], width=width)):
        figure.canvas.draw()
        drawn = figure.get_tightbbox(figure.canvas.get_renderer())
        full_width, full_height = figure.get_size_inches()
        assert drawn.width > 0.8 * full_width
        assert 0.0 <= drawn.x0 < drawn.x1 <= full_width
        assert 0.0 <= drawn.y0 < drawn.y1 <= full_height


@pytest.mark.parametrize("width", [7.2, 3.7])
def test_row_headings_do_not_overlap(reports, width):
    figure = bounds_figure(list(reports.values()), width=width)
    figure.canvas.draw()
    texts = figure.axes[0].texts
    for name, result in zip(texts[::2], texts[1::2], strict=True):
        assert name.get_window_extent().x1 < result.get_window_extent().x0


def test_witness_shows_that_the_claim_is_exceeded(reports):
    report = reports["violation"]
    labels = words_of(witness_figure(report))
    assert "second stream: 0.377  ✗ above what is allowed" in labels
    assert "the claim allows exp(1) × other = 0.169" in labels
    assert not any("above" in label for label in words_of(witness_figure(reports["consistent"])))
    assert not any("claim allows" in label for label in words_of(witness_figure(reports["unclaimed"])))


def test_what_a_claim_allows():
    most = allowed(1.0, 0.01, Estimate(0.1, 0.05, 0.2))
    assert (most.value, most.low, most.high) == pytest.approx([math.e * p + 0.01 for p in (0.1, 0.05, 0.2)])
    assert allowed(1e6, 0.0, Estimate(0.1, 0.05, 0.2)).value > 1.0


def test_changed_rounds_are_framed(reports):
    witness = reports["violation"].witness
    first, second = np.zeros((8, 4)), np.zeros((8, 4))
    second[[1, 4]] = 1.0
    report = replace(reports["violation"], witness=replace(witness, first=first, second=second, rounds=(2, 5)))
    figure = witness_figure(report)
    frames = [p for p in figure.axes[1].patches if p.get_linewidth() == 1.3]
    assert [(p.get_x(), p.get_width()) for p in frames] == [(1.5, 1.0), (4.5, 1.0)]
    assert "▾ rounds 2 and 5 differ" in words_of(figure)


def test_far_apart_probabilities_get_a_logarithmic_axis(reports):
    figure = witness_figure(reports["unbounded"])
    assert figure.axes[2].get_xscale() == "log"
    assert "mathdefault" not in to_svg(figure), "an SVG has text, not mathematics"
    labels = [label.get_text() for label in figure.axes[2].get_xticklabels()]
    assert {"0.1", "1"} <= set(labels), labels
    assert witness_figure(reports["violation"]).axes[2].get_xscale() == "linear"


def test_no_witness_no_picture(reports):
    with pytest.raises(PrivcheckError, match="an audit with a witness"):
        witness_figure(reports["early"])
    with pytest.raises(PrivcheckError, match="at least one report"):
        bounds_figure([])


@pytest.mark.parametrize("name", WITH_WITNESS)
def test_svg_is_the_same_twice_and_well_formed(reports, name):
    once, twice = (to_svg(witness_figure(reports[name])) for _ in range(2))
    assert once == twice
    root = ET.fromstring(once)
    title, description = root[0], root[1]
    assert title.tag.endswith("title")
    assert reports[name].target in title.text
    assert reports[name].witness.event in description.text
    assert root.get("aria-labelledby").split() == [title.get("id"), description.get("id")]
    assert INK not in once
    assert "currentColor" in once


def test_svg_does_not_depend_on_the_users_settings(reports):
    plain = to_svg(bounds_figure([reports["violation"]]))
    with mpl.rc_context({"font.size": 20, "svg.fonttype": "none", "text.color": "red", "axes.labelcolor": "red"}):
        assert to_svg(bounds_figure([reports["violation"]])) == plain
        assert mpl.rcParams["font.size"] == 20


def test_hostile_names_are_drawn_and_escaped(reports):
    svg = to_svg(bounds_figure([reports["early"]]))
    assert ET.fromstring(svg)[1].text.startswith('x<script>alert("1")</script> & [bold]y[/bold] $\\frac{$')
    assert "<script" not in svg


def test_png(reports, tmp_path):
    save_png(bounds_figure([reports["violation"]]), tmp_path / "new" / "bounds.png", dpi=50)
    assert (tmp_path / "new" / "bounds.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(PrivcheckError, match=r"ends in \.png"):
        save_png(bounds_figure([reports["violation"]]), tmp_path / "bounds.jpg")
    assert [path.name for path in tmp_path.rglob("*")] == ["new", "bounds.png"]


@pytest.mark.parametrize("width", [7.2, 3.7])
@pytest.mark.parametrize("name", ["violation", "long"])
def test_round_numbers_do_not_overlap(reports, name, width):
    figure = witness_figure(reports[name], width=width)
    figure.canvas.draw()
    places = [label.get_window_extent() for label in figure.axes[1].get_xticklabels()]
    assert len(places) > 3
    assert all(left.x1 < right.x0 for left, right in pairwise(places))


def contextual(report, contexts):
    """Return a report of 2 arms and contexts of 3 entries, which differ in round 2."""
    first = np.hstack([np.zeros((4, 2)), np.tile(contexts, (4, 1))])
    second = first.copy()
    second[1] = [1.0, 0.0, *reversed(contexts)]
    witness = replace(report.witness, first=first, second=second, rounds=(2,))
    return replace(report, witness=witness, feedback="contextual", neighbours="context-reward", arms=2, horizon=4)


@pytest.mark.parametrize(
    ("contexts", "ends"),
    [((-0.5, 0.0, 0.25), ("-0.5", "0.5")), ((0.25, 0.5, 1.0), ("0.25", "1")), ((2, 2, 2), ("2", "2"))],
)
def test_entries_of_contexts_are_named_and_drawn_in_their_own_range(reports, contexts, ends):
    report = contextual(reports["violation"], contexts)
    figure = witness_figure(report)
    first, second = figure.axes[:2]
    names = ["arm 0", "arm 1", "context x1", "context x2", "context x3"]
    assert [[label.get_text() for label in axes.get_yticklabels()] for axes in (first, second)] == [names, names]
    key = [text.get_text() for text in figure.legends[0].get_texts()]
    assert key[:2] == [f"reward 0, context {ends[0]}", f"reward 1, context {ends[1]}"]
    lines = text_streams(report).splitlines()
    assert [line[8:18].strip() for line in lines[1:6]] == names
    assert lines[-1].strip() == f"contexts: . {ends[0]}  # {ends[1]}"
    assert lines[3][19] == "."
    assert "arm 2" in text_streams(replace(report, feedback="full"))
