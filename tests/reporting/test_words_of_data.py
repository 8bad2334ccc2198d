"""Audits of functions of data speak of inputs and rows, not of streams, rounds and arms."""

from __future__ import annotations

import io
import re

import numpy as np
import pytest
from rich.console import Console

import privcheck
from privcheck.reporting import details, page, review
from privcheck.reporting._pictures.witness_excerpt import text_streams
from privcheck.reporting._text.certificate_sentences import reasons

BANDIT_WORDS = re.compile(r"\b(streams?|rounds?|arms?)\b")
ELSEWHERE = re.compile(r"streams=|--streams|numpy\.save|of the witness$|^runs per stream$|are counted from 1")
"""Options, and what a page says of all audits that it may show."""


def histogram(data, rng):
    counts, _ = np.histogram(data, bins=3, range=(0.0, 1.0))
    return counts + rng.laplace(0.0, 0.5, 3)


def fit(data, rng):
    features, labels = data
    return float((features[:, 0] * labels).sum() + rng.laplace(0.0, 0.3))


FEATURES, LABELS = np.linspace(0.0, 1.0, 4).reshape(4, 1), np.array([0.0, 1.0, 1.0, 0.0])
OTHER = FEATURES.copy()
OTHER[2, 0] = 0.125
CASES = {
    "rows": (histogram, {}),
    "X and y": (fit, {"streams": ((FEATURES, LABELS), (OTHER, LABELS))}),
    "arrays": (histogram, {"streams": ([0.0, 0.5, 1.0], [1.0, 0.5, 1.0])}),
    "add-remove": (histogram, {"neighbours": "add-remove"}),
}


@pytest.fixture(scope="module", params=CASES)
def report(request):
    target, options = CASES[request.param]
    return privcheck.audit(target, epsilon=1.0, runs=3000, horizon=3, **options)


def printed(report):
    console = Console(width=200, file=io.StringIO())
    console.print(details(report))
    return console.file.getvalue()


def prose(text):
    return [line for line in text.splitlines() if BANDIT_WORDS.search(line) and not ELSEWHERE.search(line)]


def test_no_bandit_is_spoken_of(report):
    assert report.verdict == "violation"
    assert prose(printed(report)) == []
    assert prose(review(report)) == []
    assert prose(review(report, "latex")) == []
    without_pictures = re.sub(r"<(svg|style|script).*?</\1>", "", page(report), flags=re.DOTALL)
    without_pictures = re.sub(r"<[^>]*>", "\n", without_pictures)
    assert prose(without_pictures) == []


def test_the_place_at_which_objects_differ_is_shown():
    target, options = CASES["X and y"]
    report = privcheck.audit(target, epsilon=1.0, runs=3000, **options)
    where = "a tuple of 2 and a tuple of 2; [0][2, 0] is 0.6666666666666666 vs 0.125"
    assert where in printed(report)
    assert where.replace("[", r"\[").replace("]", r"\]") in review(report)


def test_what_is_drawn_of_data_has_rows(report):
    drawn = report.witness.first.size
    of_arrays = "row" in report.witness.streams or report.witness.streams.endswith("given by the user")
    assert bool(drawn) == of_arrays
    if drawn:
        assert re.search(r"v +row \d", printed(report))


class Shy:
    """An object that shows nothing of itself, and cannot be compared."""

    def __init__(self, count):
        self.count = count

    def __repr__(self):
        raise RuntimeError("not shown")

    def __eq__(self, other):
        raise RuntimeError("not compared")

    __hash__ = None


def test_objects_that_cannot_be_shown_or_compared_are_audited():
    streams = [Shy(1), Shy(1)], [Shy(0), Shy(1)]
    report = privcheck.audit(
        lambda data, rng: sum(each.count for each in data) + rng.laplace(0.0, 0.3),
        epsilon=1.0, runs=3000, streams=streams,
    )  # fmt: skip
    assert report.verdict == "violation"
    assert report.witness.streams == "inputs given by the user: a list of 2 and a list of 2"


def test_a_certificate_of_a_function_speaks_of_rows():
    """Its data have no rounds and no arms, and nothing is played on them."""

    def fit(data, rng):
        mean = np.mean(data) + rng.normal(0.0, 1e-3)
        return mean, np.mean(data)

    found = privcheck.certify(fit, rho=1.0, horizon=3, runs=3, primitives=["numpy"])
    assert found.replay.divergences
    assert found.refusals
    console = Console(width=200, file=io.StringIO(), record=True)
    console.print(details(found))
    told = " ".join(console.export_text().split())
    assert "that takes row" in told
    assert "The inputs differ in row" in told
    for page_of in (told, page(found)):
        assert "reward of round" not in page_of
        assert "played on the" not in page_of
        assert "in round" not in page_of
    assert "Two neighbouring inputs, which differ in row" in page(found)
    assert "takes row" in reasons(found)[-1]


def sharp_sum(data, rng):
    return float(np.sum(data) + rng.laplace(0.0, 0.1))


def test_data_outside_of_the_declared_range_are_drawn_and_named_as_they_are():
    report = privcheck.audit(sharp_sum, epsilon=1.0, streams=([2.0, -1.0], [5.0, -1.0]), runs=400)
    assert report.verdict == "violation"
    _, first, second, legend = text_streams(report).splitlines()
    assert (first.split()[-1], second.split()[-1]) == ("5.", "#.")
    assert legend.strip().startswith(". low (-1)  # high (5)")
