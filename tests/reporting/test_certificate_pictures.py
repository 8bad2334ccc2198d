"""The ledger, the diverging streams and the page of a certificate."""

from __future__ import annotations

import html
import re
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

import privcheck
from privcheck.accounting import Charge, Ledger
from privcheck.errors import PrivcheckError
from privcheck.reporting import clean, divergence_figure, ledger_figure, replay_sentence, to_svg
from privcheck.reporting import page as render
from privcheck.reporting import save_page as save
from privcheck.reporting._descriptions import certificate as description
from privcheck.reporting._pictures.ledger_excerpt import ledger_view
from privcheck.reporting._pictures.ledger_picture import ledger_caption
from privcheck.reporting._pictures.style import COLOURS, INK, NARROW, WIDE
from privcheck.reporting._text.certificate_sentences import (
    certificate_sentence,
    coverage,
    ledger_sentence,
)

WITH_LEDGER = ["granted", "free", "long"]


class Reader(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.words, self.tags, self.attributes = [], Counter(), []
        self.feed(page)
        self.close()
        self.text = " ".join(" ".join(self.words).split())

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        self.attributes += attrs

    def handle_data(self, data):
        self.words.append(data)


def inside(figure):
    figure.canvas.draw()
    drawn = figure.get_tightbbox(figure.canvas.get_renderer())
    width, height = figure.get_size_inches()
    return 0.0 <= drawn.x0 < drawn.x1 <= width and 0.0 <= drawn.y0 < drawn.y1 <= height


# Ledger


def test_every_release_has_its_row_its_stem_and_its_noise(certificates):
    losses, noise, totals = ledger_figure(certificates["granted"]).axes
    boxes = [(p.get_x(), p.get_x() + p.get_width(), p.get_y()) for p in losses.patches]
    assert [(round(a + 0.5), round(b - 0.5), int(y)) for a, b, y in boxes] == [
        (1, 1, 0),
        (2, 2, 1),
        (3, 4, 2),
        (5, 8, 3),
    ]
    stems = {line.get_xdata()[0]: line.get_ydata()[0] for line in noise.lines if len(line.get_xdata()) == 1}
    assert stems == {1: 1.0, 2: 1.0, 4: 0.5, 8: 0.25}
    assert [(p.get_x() + 0.5, p.get_width(), p.get_height()) for p in totals.patches] == [(1.0, 8.0, 1.0)]
    assert [line.get_ydata()[0] for line in totals.lines] == [1.0]


def test_totals_above_the_budget_are_coloured(certificates):
    from matplotlib.colors import to_hex

    over = replace(certificates["granted"], epsilon_claimed=0.5)
    colours = {to_hex(patch.get_facecolor()) for patch in ledger_figure(over).axes[2].patches}
    assert colours == {COLOURS["violation"]}


def test_rounds_with_a_datum_per_arm(certificates):
    figure = ledger_figure(certificates["free"])
    assert any("Largest total loss in each round" in text.get_text() for axes in figure.axes for text in axes.texts)
    assert not figure.axes[2].lines, "there is no budget to draw"


def test_long_ledgers_are_cut_around_the_dearest_round(certificates):
    shown = ledger_view(certificates["long"].ledger, 500)
    assert (shown.start, shown.stop) == (1, 200)
    assert shown.omitted == "rounds 1-200 of 500, 200 of 500 releases"
    late = Ledger()
    for number in (1, 450):
        late.record(number, "laplace", 1.0, {number: 1.0}, {number: Charge(number / 450)}, "a.py:1")
    shown = ledger_view(late, 500)
    assert (shown.start, shown.stop) == (301, 500)
    assert [release.round for release in shown.releases] == [450]


@pytest.mark.parametrize("loss", [1e6, 1e-6, 0.0])
def test_extreme_losses_are_drawn(certificates, loss):
    ledger = Ledger()
    ledger.record(0, "laplace", 1.0, {1: 1.0}, {1: Charge(loss)}, "a.py:1")
    assert inside(ledger_figure(replace(certificates["granted"], ledger=ledger, ledger_epsilon=loss)))


def test_an_empty_ledger_has_no_picture_but_a_sentence(certificates):
    with pytest.raises(PrivcheckError, match="nothing was released"):
        ledger_figure(certificates["leaky"])
    assert "there is nothing to draw" in render(certificates["leaky"])


@pytest.mark.parametrize("width", [7.2, 3.7])
@pytest.mark.parametrize("name", WITH_LEDGER)
def test_ledgers_are_inside_their_picture(certificates, name, width):
    assert inside(ledger_figure(certificates[name], width=width))


@pytest.mark.parametrize("draw", [ledger_figure, divergence_figure])
def test_svg_is_the_same_twice_and_well_formed(certificates, draw):
    certificate = certificates["granted" if draw is ledger_figure else "leaky"]
    once, twice = (to_svg(draw(certificate)) for _ in range(2))
    assert once == twice
    assert clean(certificate.target) in ET.fromstring(once)[0].text
    assert INK not in once
    assert "<script" not in once


# Divergence


@pytest.mark.parametrize("width", [7.2, 3.7])
def test_divergence_shows_what_was_played(certificates, width):
    figure = divergence_figure(certificates["leaky"], width=width)
    assert inside(figure)
    for axes, last in zip(figure.axes[:2], (0, 1), strict=True):
        dots = [(line.get_xdata()[0], line.get_ydata()[0], line.get_marker()) for line in axes.lines]
        assert len(dots) == 7
        assert dots[-1] == (7, last + 0.5, "D")
        assert {marker for _, _, marker in dots[:-1]} == {"o"}


def test_divergence_that_stops_early_or_is_late_is_drawn(certificates):
    certificate = certificates["leaky"]
    first = np.zeros((400, 2))
    seen = replace(
        certificate.replay.first_divergence, first=first, second=first + 1.0, round=399,
        actions_first=(0,) * 399, actions_second=(0,) * 398, reason="the other stream makes fewer releases",
    )  # fmt: skip
    late = replace(certificate, replay=replace(certificate.replay, first_divergence=seen))
    assert inside(divergence_figure(late))
    assert "the run on the second plays nothing: the other stream makes fewer releases" in render(late).replace(
        "&#x27;", "'"
    )
    with pytest.raises(PrivcheckError, match="no replay diverged"):
        divergence_figure(certificates["granted"])


# Page


@pytest.mark.parametrize("name", ["granted", "leaky", "refused", "free"])
def test_page_is_complete_and_self_contained(certificates, name):
    certificate = certificates[name]
    page = render(certificate)
    reader = Reader(page)
    said = [ledger_sentence(certificate), replay_sentence(certificate), *coverage(certificate), *certificate.notes]
    said += [certificate_sentence(certificate).partition(": ")[2], clean(certificate.target), *certificate.refusals]
    for leak in certificate.leaks:
        said += [f":{leak.line}", clean(leak.code), leak.function, leak.file, leak.hint]
    assert all(part in reader.text for part in said)
    assert not {"link", "iframe", "object", "image", "img", "i"} & set(reader.tags)
    assert not {"src", "srcset", "data"} & {key for key, _ in reader.attributes}
    links = {value for key, value in reader.attributes if key in ("href", "xlink:href")}
    assert all(link.startswith("#") for link in links)
    ids = Counter(value for key, value in reader.attributes if key == "id")
    assert max(ids.values(), default=1) == 1
    assert {link[1:] for link in links} <= set(ids)
    assert not re.search(r"(https?:)?//[a-z]", re.sub(r'xmlns(:\w+)?="[^"]*"', "", page))
    pictures = bool(certificate.ledger.releases) + (certificate.replay.first_divergence is not None)
    assert reader.tags["figure"] == pictures
    assert render(certificate) == page


def test_page_escapes(certificates):
    page = render(certificates["leaky"], title="<i>title</i>")
    assert html.escape('x<script>alert("1")</script>') in page
    assert "&lt;my&gt; bandit.py:12" in page
    assert "if reward &gt; 0 and a &lt; b:" in page
    assert "&lt;i&gt;title" in page
    page.encode()


def test_save_is_whole_or_not_at_all(certificates, tmp_path, monkeypatch):
    path = tmp_path / "new" / "certificate.html"
    save(certificates["refused"], path)
    before = path.read_text(encoding="utf-8")
    assert before == render(certificates["refused"])

    def fail(*arguments, **settings):
        raise RuntimeError("no ink")

    monkeypatch.setattr(description, "ledger_figure", fail)
    for target in (path, tmp_path / "other.html"):
        with pytest.raises(RuntimeError, match="no ink"):
            save(certificates["granted"], target)
    with pytest.raises(PrivcheckError, match=r"ends in \.html"):
        save(certificates["granted"], tmp_path / "certificate.pdf")
    assert [file.name for file in tmp_path.rglob("*.*")] == ["certificate.html"]
    assert path.read_text(encoding="utf-8") == before


def test_a_real_certificate_saves_its_page(tmp_path):
    certificate = privcheck.certify("adap-ucb", epsilon=1.0, arms=2, horizon=8, runs=3)
    save(certificate, tmp_path / "certificate.html")
    text = Reader((tmp_path / "certificate.html").read_text(encoding="utf-8")).text
    assert "epsilon is at most 1.000 on every execution of the policy under its guard" in text
    assert "3 guarded executions of 8 rounds" in text


def test_a_refused_release_is_drawn_above_what_was_charged(certificates):
    """The bar once ended below the budget, as if nothing was wrong."""
    said = (
        "budget: got a release at loop.py:22 that takes the reward of round 1 to 1.5, expected at most 1 per datum; "
        "1 was charged before: release less often or with more noise"
    )
    refused = replace(certificates["granted"], refusals=[said])
    figure = ledger_figure(refused)
    hatched = [patch for patch in figure.axes[2].patches if patch.get_hatch()]
    assert [(p.get_x() + 0.5, p.get_y(), p.get_height()) for p in hatched] == [(1.0, 1.0, 0.5)]
    assert figure.axes[2].get_ylim()[1] > 1.5
    assert "refused" in [text.get_text() for text in figure.legends[0].get_texts()]
    assert inside(figure)
    assert "hatched" in ledger_caption(refused)
    assert not any(patch.get_hatch() for axes in ledger_figure(certificates["granted"]).axes for patch in axes.patches)
    assert "hatched" not in ledger_caption(certificates["granted"])


@pytest.mark.parametrize(
    ("changes", "lines"),
    [
        ({}, ["✓ certified: "]),
        (
            {"refusals": ["a release at bandit.py:9 that takes ..."], "coverage": "explored"},
            ["✗ not certified: ", "a release was refused"],
        ),
    ],
)
@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_a_picture_alone_says_whether_it_was_certified(certificates, changes, lines, width):
    """The one beside the text of a page does not."""
    certificate = replace(certificates["granted"], **changes)
    figure = ledger_figure(certificate, width=width, headed=True)
    head = figure.texts[: len(lines)]
    assert [text.get_text().startswith(line) for text, line in zip(head, lines, strict=True)] == [True] * len(lines)
    assert inside(figure)
    assert not [text for text in ledger_figure(certificate).texts if "certified" in text.get_text()]
