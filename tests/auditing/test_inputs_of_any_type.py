"""Pairs of inputs that are no arrays, and functions that draw pairs of neighbours for the search."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import privcheck
from privcheck import PrivcheckError
from privcheck.auditing._search.given_inputs import drawn_pairs, given_pair
from privcheck.cli import run
from privcheck.reporting._text.repeating import repeat_audit
from privcheck.targets import Effort, Game, input_of


def audited(target, **options):
    return privcheck.audit(target, **{"epsilon": 1.0, "runs": 4000, "error": 1e-6} | options)


class Frame:
    """Stands for a data frame: columns with names, which an array would drop."""

    def __init__(self, **columns):
        self.content = columns
        self.columns = list(columns)

    @property
    def shape(self):
        return (len(next(iter(self.content.values()))), len(self.columns))

    def to_numpy(self):
        raise AssertionError("a data frame is not made an array")


RECORDS = [{"age": 30, "ill": True}, {"age": 40, "ill": False}]
OTHERS = [{"age": 30, "ill": False}, {"age": 40, "ill": False}]
INPUTS = {
    "records": ((RECORDS, OTHERS), lambda data: sum(row["ill"] for row in data)),
    "frames": ((Frame(ill=[1, 0]), Frame(ill=[0, 0])), lambda data: sum(data.content["ill"])),
    "X, y": (
        ((np.ones((2, 2)), np.array([1.0, 0.0])), (np.ones((2, 2)), np.array([0.0, 0.0]))),
        lambda data: float(data[1].sum()),
    ),
    "text": (("one two", "one three"), lambda data: data.count("three")),
    "rows of text": ((["a", "b"], ["a", "c"]), lambda data: data.count("c")),
    "one row less": ((RECORDS, OTHERS[1:]), lambda data: sum(row["ill"] for row in data)),
    "ragged": (([[1.0], [1.0, 0.0]], [[1.0], [0.0, 0.0]]), lambda data: sum(map(sum, data))),
}


@pytest.mark.chance(1e-6, "one verdict on a true claim at this error")
@pytest.mark.parametrize("kind", INPUTS)
def test_inputs_of_every_type_are_handed_over_as_they_are(kind):
    """Laplace noise of scale 1 is at the boundary; the twin has half of it."""
    streams, count = INPUTS[kind]
    right = audited(lambda data, rng: count(data) + rng.laplace(), streams=streams)
    twin = audited(lambda data, rng: count(data) + rng.laplace(scale=0.5), streams=streams)
    assert (right.verdict != "violation", twin.verdict) == (True, "violation")
    assert twin.epsilon_lower > 1.6
    assert any("on your word" in note for note in twin.notes)
    assert json.loads(twin.to_json())["streams"] == "pair"
    assert "inputs given by the user" in twin.witness.streams
    assert privcheck.AuditReport.from_json(twin.to_json()).to_json() == twin.to_json()


@pytest.mark.chance(1e-6, "one verdict on a true claim at this error")
def test_an_input_that_a_run_changes_is_given_afresh():
    def eats(data, rng):
        return len(data.pop()) + rng.laplace()

    assert audited(eats, streams=(["a", "bb"], ["a", "b"])).verdict == "consistent"


def frame_of(*visits):
    return pd.DataFrame({"visits": list(visits)})


def test_objects_in_a_frame_are_given_afresh_too():
    """A deep copy of pandas shares them: the first run took the data of all others, and the leak was not seen."""

    def eats(data, rng):
        total = sum(map(len, data["visits"]))
        for visits in data["visits"]:
            visits.clear()
        return bool(total + rng.laplace() > 5.0)

    one, two = frame_of([1] * 8, [1]), frame_of([], [1])
    for streams in ((one, two), ({"data": one}, {"data": two})):
        target = eats if streams[0] is one else lambda data, rng: eats(data["data"], rng)
        assert audited(target, streams=streams, runs=1000).verdict == "violation"
    assert [len(visits) for visits in one["visits"]] == [8, 1]


def test_pairs_keep_what_they_were_when_they_were_drawn():
    """A function that fills one list again and again changed all pairs that it had drawn before."""
    people = [{"ill": 0} for _ in range(4)]

    def draw(rng):
        for person in people:
            person["ill"] = int(rng.integers(2))
        return people, [{"ill": 1 - people[0]["ill"]}, *map(dict, people[1:])]

    drawn = drawn_pairs(draw, Effort(pairs=8), lambda pair: given_pair(pair, Game()))
    assert len(drawn) == 8
    for pair in drawn:
        one, two = (input_of(side, plain=False) for side in (pair.first, pair.second))
        assert [a == b for a, b in zip(one, two, strict=True)] == [False, True, True, True]
        assert f"{one} and {two}" in pair.label or len(str(one)) > 40


def test_masked_arrays_are_handed_over_as_they_are():
    """The numbers under the mask were, as if they were data."""
    one, two = (np.ma.array([shown, 9.0], mask=[False, True]) for shown in (0.0, 1.0))
    pair = given_pair((one, two), Game())
    assert [input_of(side, plain=False).sum() for side in (pair.first, pair.second)] == [0.0, 1.0]
    with pytest.raises(PrivcheckError, match="masked"):
        audited("ucb", arms=2, streams=(one, two))


class InCents(np.ndarray):
    """Amounts in another unit than the one in which their sum is told."""

    def sum(self):
        return 100.0 * float(np.asarray(self).sum())


def test_arrays_with_operations_of_their_own_are_handed_over_as_they_are():
    """A plain array was, so that a sum moved by a hundredth of what it does."""
    one, two = (np.array([amount, 0.0]).view(InCents) for amount in (0.0, 1.0))
    pair = given_pair((one, two), Game())
    assert [input_of(side, plain=False).sum() for side in (pair.first, pair.second)] == [0.0, 100.0]


def test_an_input_of_which_no_copy_is_made_is_refused():
    """It was a traceback of pickle."""
    with pytest.raises(PrivcheckError, match="streams: got an object of type memoryview, of which no copy is made"):
        given_pair((memoryview(b"a"), memoryview(b"b")), Game())


@pytest.mark.parametrize("kind", [dict, lambda pairs: {name for name, _ in pairs}, lambda pairs: (x for _, x in pairs)])
def test_pairs_have_an_order_and_no_names(kind):
    """The names of a dictionary were played in place of its values; a generator had nothing left for the report."""
    streams = kind([("first", (0.0, 1.0)), ("second", (1.0, 1.0))])
    for target in (lambda data, rng: len(data) + rng.laplace(), "ucb"):
        with pytest.raises(PrivcheckError, match=r"got an object of type (dict|set|generator), expected a pair"):
            audited(target, arms=2, streams=streams)


def test_equal_or_single_objects_are_refused():
    for streams in ((RECORDS, [dict(row) for row in RECORDS]), ("a", "a")):
        with pytest.raises(PrivcheckError, match="two equal inputs"):
            audited(lambda data, rng: rng.laplace(), streams=streams)
    with pytest.raises(PrivcheckError, match=r"streams: got a .*Frame.*streams=\(first, second\)"):
        audited(lambda data, rng: rng.laplace(), streams=Frame(ill=[1, 0]))
    with pytest.raises(PrivcheckError, match="a pair"):
        audited(lambda data, rng: rng.laplace(), streams=3)


def test_the_report_of_objects_is_printed_and_drawn(tmp_path, capsys):
    streams, count = INPUTS["frames"]
    twin = audited(lambda data, rng: count(data) + rng.laplace(scale=0.5), streams=streams)
    twin.save_html(tmp_path / "report.html")
    assert "a Frame of shape (2, 1)" in (tmp_path / "report.html").read_text()
    assert len(twin.plot(picture="witness").axes) >= 1


def draws(rng):
    """Return two neighbours that are no tables: a text with one word replaced."""
    text = ["word"] * int(rng.integers(3, 6))
    other = list(text)
    other[int(rng.integers(len(text)))] = str(rng.choice(["word!", "secret", "words"]))
    return " ".join(text), " ".join(other)


@pytest.mark.chance(1e-9, "a claim of 1 where the loss is 0, and a broken twin")
def test_a_function_draws_pairs_for_the_search():
    """Only one of the words leaks: one pair in three shows it."""

    def counts(data, rng):
        return data.count("secret") + rng.laplace(scale=0.3)

    report = audited(counts, streams=draws, pairs=30)
    assert report.verdict == "violation"
    assert report.search.pairs == report.pairs == 30
    assert "secret" in report.witness.streams
    assert audited(lambda data, rng: rng.laplace(), streams=draws, pairs=30).verdict == "consistent"
    assert audited(counts, streams=draws, pairs=30).epsilon_lower == report.epsilon_lower
    repeated = repeat_audit(report)
    assert "streams=neighbours_of_mine" in str(repeated.python)
    assert "--streams DRAW.py:NAME" in str(repeated.command)


def test_a_function_draws_streams_of_a_policy():
    def one_round(rng):
        first = rng.integers(0, 2, (6, 4)).astype(float)
        second = first.copy()
        second[2] = 1.0 - second[2]
        return first, second

    report = audited("rnm-ftnl-published", arms=4, feedback="full", streams=one_round, pairs=20)
    assert report.horizon == 6
    assert report.search.families == ("pairs drawn by the user's function",)


def test_what_a_function_draws_is_checked():
    def refuse(draw, match):
        with pytest.raises(PrivcheckError, match=match):
            audited(lambda data, rng: rng.laplace(), streams=draw)

    refuse(lambda rng: 1 / 0, "streams: got ZeroDivisionError.*expected a function draw")
    refuse(lambda rng: ([0.0], [0.0]), "two identical inputs")
    refuse(lambda: None, "streams: got TypeError")
    with pytest.raises(PrivcheckError, match="at most 1"):
        audited("adap-ucb", arms=2, streams=lambda rng: (np.zeros((4, 2)), np.ones((4, 2))))


FILE = """
import numpy as np

class Model:
    def __init__(self, weight):
        self.weight = weight

def fit(data, rng):
    return Model(sum(row["ill"] for row in data) + rng.laplace(scale=0.5))

def weight(model):
    return model.weight

def draw(rng):
    rows = [{"ill": int(x)} for x in rng.integers(0, 2, 4)]
    return rows, [{"ill": 1 - rows[0]["ill"]}, *rows[1:]]
"""


def test_the_command_line_takes_places_of_both_functions(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(FILE)
    options = ["--epsilon", "1", "--runs", "2000", "--pairs", "4", "--streams", "mine.py:draw"]
    assert run(["audit", "mine.py:fit", "--encode", "mine.py:weight", *options]) == 1
    assert "--encode mine.py:weight" in " ".join(capsys.readouterr().out.split())
    assert run(["audit", "mine.py:fit", "--encode", "mine.py:none", *options]) == 2
    assert run(["audit", "mine.py:fit", *options]) == 2


@pytest.mark.chance(3e-7, "three verdicts on true claims at this error")
@pytest.mark.parametrize("shape", [(3,), (3, 2), (3, 2, 2)])
def test_arrays_that_differ_in_more_than_the_relation_counts_are_refused(shape):
    """A sum that is right for two rows was called a violation, of a pair that differs in three."""

    def total(data, rng, runs):
        return np.sum(data) + rng.normal(size=runs)

    three = (np.zeros(shape), np.ones(shape))
    options = {"mu": 2.0 * np.prod(shape[1:]), "runs": 1000, "error": 1e-7}
    for streams in (three, lambda rng: three):
        with pytest.raises(PrivcheckError, match=r"differ in 3 rows .* at most 2 for neighbours='group:2'"):
            privcheck.audit(total, streams=streams, neighbours="group:2", **options)
    two = (three[0], np.concatenate([three[1][:2], three[0][:1]]))
    assert privcheck.audit(total, streams=two, neighbours="group:2", **options).verdict != "violation"
    if shape[1:]:
        with pytest.raises(PrivcheckError, match=r"at most 1 for neighbours='reward'"):
            privcheck.audit(total, streams=two, neighbours="reward", **options)
