"""The simplest witness: shorter, plainer, and refuting the claim on runs of its own; reports read back from JSON."""

import json
import math
import time

import numpy as np
import pytest

import privcheck
from privcheck.auditing._scoring.prefix import distinct_rows, sequence_codes
from privcheck.auditing._scoring.view import SequenceView
from privcheck.auditing._search import simplest_witness as simplest_module
from privcheck.auditing._search.decision_boundaries import BOUNDARY
from privcheck.auditing._search.equal_coins import COUPLED
from privcheck.auditing._search.simplest_witness import Begins, _beginnings, _Shrinking, planned
from privcheck.errors import PrivcheckError
from privcheck.privacy import relation
from privcheck.results import AuditReport
from privcheck.targets import Outputs, Sampler

PAIR = (np.zeros(1), np.ones(1))


def leaky_sum(data, rng, runs):
    """The loss is 2 on data of any length."""
    return data.sum() + rng.laplace(scale=0.5, size=runs)


@pytest.mark.chance(
    2e-6,
    "one bound at 1e-6, and twelve searches none of which ends short and one-tailed, each with probability .3 at most",
)
def test_a_witness_of_many_rounds_becomes_one_of_two():
    """RNM-FTNL as published shows the first reward in the second action already.

    One search in five or so ends at eight rounds: what is left of its streams leaks too little for an attempt's 2000
    runs to refute the claim. One in twenty or so ends with an event and its mirror image.
    """
    options = {"arms": 3, "horizon": 8, "runs": 50_000, "confidence": 1.0 - 1e-6}
    audits = (privcheck.audit("rnm-ftnl-published", epsilon=1.0, seed=seed, **options) for seed in range(12))
    report = next(r for r in audits if len(r.simplest.first) < 8 and r.simplest.mirror is None)
    assert report.verdict == "violation"
    simplest = report.simplest
    assert np.count_nonzero(simplest.first != simplest.second) <= np.count_nonzero(
        report.witness.first != report.witness.second
    )
    relation("row").check(simplest.first, simplest.second)
    assert 0.5 < report.simplest_lower <= 2.0, "the claim is refuted at 1e-3, and this limit is at 1e-6"
    assert simplest.event.startswith("the actions begin")
    assert "; or" not in simplest.event, "one beginning"
    high, low = sorted((simplest.probability_first.value, simplest.probability_second.value), reverse=True)
    assert math.log(high / low) > report.simplest_lower


def test_data_of_a_mechanism_become_shorter():
    report = privcheck.audit(leaky_sum, epsilon=1.0, horizon=4, runs=20_000)
    assert report.simplest.first.shape == (1, 1)
    assert report.simplest_lower > 1.0


def test_the_users_own_pair_is_left_as_it_is():
    pair = (np.array([0.0, 0.5, 0.5]), np.array([1.0, 0.5, 0.5]))
    report = privcheck.audit(leaky_sum, epsilon=1.0, streams=pair, runs=20_000)
    assert report.simplest.first.tolist() == [[0.0], [0.5], [0.5]]


@pytest.mark.parametrize("runs", [20, 399, 400, 1000, 2000, 9999, 10_000, 48_000, 123_457])
@pytest.mark.parametrize("searched", [0.0, 0.3, 2.0, 8.0])
def test_no_more_runs_are_planned_than_the_audit_made(runs, searched):
    made = int((2.0 + searched) * runs)
    attempts, attempt, final = planned(runs, made)
    assert 2 * (attempts * attempt + final) <= min(3.4 * runs, made)
    assert attempts == 30 or runs < 10_000 or searched < 2.0
    assert attempt >= 400
    assert final >= min(runs, 400)


def tells_any(data, rng, runs):
    """The loss is large on every pair of data."""
    return data.sum() + rng.laplace(scale=0.1, size=runs)


@pytest.mark.parametrize("options", [{}, {"pairs": 1}, {"pairs": 2}, {"pairs": 1, "jobs": 2}])
@pytest.mark.parametrize("runs", [300, 4000, 60_000])
def test_simplifying_takes_no_more_runs_than_the_audit(requested, runs, options):
    """Runs are counted on both streams: those of the search and the confirmation, and those that simplify."""
    report = privcheck.audit(tells_any, epsilon=0.3, horizon=8, runs=runs, **options)
    assert report.verdict == "violation"
    spent = dict.fromkeys((1, 2, 4), 0)
    for request in requested:
        spent[request.key[0]] += request.runs
    assert 0 < spent[4] <= spent[1] + spent[2]
    assert spent[1] == report.screening_runs
    assert spent[2] == 2 * runs
    assert runs < 400 or len(report.simplest.first) < 8, "a pair that was not chosen among others is made simpler too"


def test_the_count_of_runs_notices_a_longer_simplification(requested, monkeypatch):
    """The broken twin plans its attempts without regard to the audit."""
    monkeypatch.setattr(simplest_module, "planned", lambda runs, most: (30, runs, 9 * runs))
    privcheck.audit(tells_any, epsilon=0.3, horizon=8, runs=4000)
    spent = sum(request.runs for request in requested if request.key[0] == 4)
    assert spent > sum(request.runs for request in requested if request.key[0] != 4)


def test_a_sequential_audit_does_not_simplify(requested):
    report = privcheck.audit(tells_any, epsilon=0.3, horizon=8, runs=20_000, sequential=True)
    assert report.verdict == "violation"
    assert {request.key[0] for request in requested} == {3}


def test_beginnings_take_time_in_proportion_to_their_length():
    """Eight million symbols: a second, where sorting whole beginnings of every length takes a minute."""
    rng = np.random.default_rng(0)
    first, second = (np.repeat((rng.random(20_000) < p).astype(np.int8)[:, None], 200, axis=1) for p in (0.3, 0.7))
    view = SequenceView("actions", 0, lambda outputs: outputs.symbols, str)
    started = time.process_time()
    found = list(_beginnings(view, (Outputs.of_symbols(first), Outputs.of_symbols(second)), 1e-3))
    assert time.process_time() - started < 15.0
    assert len(found) == 400
    assert found[-1].promise == found[1].promise > 0.7, "the first symbol says it all"


@pytest.mark.parametrize("levels", [2, 5, 300])
def test_beginnings_are_those_of_a_sort(levels):
    """The slow way: the distinct beginnings of every length, sorted, and the best of them by the same rule."""
    rng = np.random.default_rng(levels)
    first, second = rng.integers(0, levels, (700, 5)), rng.integers(0, levels, (700, 5)) ** 2 % levels
    view = SequenceView("output", 0, lambda outputs: outputs.symbols, str)
    sides = Outputs.of_symbols(first), Outputs.of_symbols(second)
    for place, candidate in enumerate(_beginnings(view, sides, 1e-3)):
        depth = place // 2 + 1
        one, two = (first, second) if place % 2 == 0 else (second, first)
        rows = np.unique(np.concatenate([first, second])[:, :depth], axis=0)
        k, l = (np.array([(side[:, :depth] == row).all(axis=1).sum() for row in rows]) for side in (one, two))
        worth = np.log((k + 0.5) / (l + 0.5)) - 3.0 * np.sqrt(1.0 / (k + 0.5) + 1.0 / (l + 0.5))
        beginning = candidate.event.score.beginning
        assert len(beginning) == depth
        of_it = int(np.flatnonzero((rows == beginning).all(axis=1))[0])
        assert worth[of_it] == worth.max()


@pytest.mark.chance(1e-9, "a claim of 2.5 where the loss is 2, refuted at level 1e-6")
def test_there_is_none_without_a_violation():
    report = privcheck.audit(leaky_sum, epsilon=2.5, streams=PAIR, runs=5000, error=1e-6)
    assert report.verdict == "consistent"
    assert report.simplest is report.simplest_lower is None


def test_it_is_confirmed_on_runs_of_its_own(requested):
    """No run of the search or of the counting is used again."""
    privcheck.audit("rnm-ftnl-published", epsilon=1.0, arms=3, horizon=5, runs=20_000)
    seen = [request.key for request in requested if request.key[1] not in (COUPLED, BOUNDARY)]  # equal coins
    assert len(set(seen)) == len(seen)
    assert {key[0] for key in seen} == {1, 2, 4}


def test_both_readings_of_the_same_runs_share_the_level(monkeypatch):
    """The plain event is read first and the learned ones if it fails: all their shares add up to 1."""
    readings = []
    in_turn = simplest_module._in_turn

    def watched(plain, chosen):
        readings.append(in_turn(plain, chosen))
        return readings[-1]

    monkeypatch.setattr(simplest_module, "_in_turn", watched)
    report = privcheck.audit("rnm-ftnl-published", epsilon=1.0, arms=3, horizon=5, runs=20_000)
    assert report.simplest is not None
    (reading,) = readings
    assert len(reading) == 2
    assert sum(share for events in reading for _, share in events) == pytest.approx(1.0, abs=1e-12)


def test_an_interrupt_while_simplifying_keeps_the_verdict(monkeypatch):
    play = Sampler.play

    def cut(sampler, requests, advance):
        if requests[0].key[0] == 4:
            raise KeyboardInterrupt
        return play(sampler, requests, advance)

    monkeypatch.setattr(Sampler, "play", cut)
    report = privcheck.audit(leaky_sum, epsilon=1.0, streams=PAIR, runs=20_000)
    assert report.verdict == "violation"
    assert report.epsilon_lower > 1.0
    assert report.simplest is None


def test_beginnings():
    runs = np.array([[0, 1, 2], [0, 1, 1], [1, 1, 2]])
    assert Begins(np.array([0, 1]), 1.0)(runs).tolist() == [1.0, 1.0, 0.0]
    assert Begins(np.array([0, 1]), -1.0)(runs).tolist() == [-1.0, -1.0, 0.0]


@pytest.mark.parametrize(("levels", "columns"), [(2, 6), (3, 2), (100, 4), (2**40, 2)])
def test_distinct_rows_are_those_of_a_sort(levels, columns):
    rng = np.random.default_rng(levels)
    rows = rng.integers(-1, levels, (500, columns))
    kept, kind = distinct_rows(rows)
    assert len(np.unique(rows, axis=0)) == len(kept)
    assert np.array_equal(rows[kept][kind], rows)
    assert len(np.unique(sequence_codes(rows))) == len(kept)


def test_no_rows_and_no_columns():
    assert [part.tolist() for part in distinct_rows(np.zeros((3, 0), int))] == [[0], [0, 0, 0]]


def test_an_interruption_while_the_witness_is_simplified_keeps_the_violation(monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(_Shrinking, "settled", interrupt)
    report = privcheck.audit(leaky_sum, epsilon=1.0, streams=PAIR, runs=5000)
    assert (report.verdict, report.simplest) == ("violation", None)


# Reports read back


@pytest.mark.parametrize(
    "options", [{"epsilon": 1.0}, {"epsilon": 1.0, "delta": 1e-3}, {}, {"epsilon": 1.0, "sequential": True}]
)
def test_a_report_is_read_back(options):
    report = privcheck.audit(leaky_sum, streams=PAIR, runs=5000, **options)
    again = AuditReport.from_json(report.to_json())
    assert again.to_json() == report.to_json()
    assert str(again) == str(report)
    if report.tradeoff is not None:
        assert again.tradeoff.epsilon_lower(0.0) == report.tradeoff.epsilon_lower(0.0)


def test_a_report_with_infinities_is_read_back():
    report = privcheck.audit("ucb", epsilon=1.0, arms=2, horizon=4, runs=1000)
    assert report.epsilon_estimate.value == math.inf
    assert AuditReport.from_json(report.to_json()).to_json() == report.to_json()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text[:-1], "not JSON"),
        (lambda text: "[" * 100_000, "not JSON"),
        (lambda text: "[]", "JSON of another kind"),
        (lambda text: json.dumps(json.loads(text) | {"schema_version": 99}), "another kind"),
        (
            lambda text: json.dumps(json.loads(text) | {"leak": 1, "schema_version": 2}),
            "unknown or missing fields: leak",
        ),
        (lambda text: json.dumps({k: v for k, v in json.loads(text).items() if k != "runs"}), "missing fields: runs"),
        (lambda text: json.dumps(json.loads(text) | {"witness": 3}), "wrong type"),
        (lambda text: json.dumps(json.loads(text) | {"epsilon_estimate": "high"}), "wrong type"),
        (lambda text: json.dumps(json.loads(text) | {"verdict": "well"}), "wrong type"),
        (lambda text: text.replace('"first": [[0.0', f'"first": [[1{"0" * 400}'), "wrong type"),
    ],
)
def test_what_is_no_report_is_refused(change, message):
    text = privcheck.audit(leaky_sum, epsilon=3.0, streams=PAIR, runs=500).to_json()
    with pytest.raises(PrivcheckError, match=message):
        AuditReport.from_json(change(text))


def test_a_shorter_stream_may_have_outputs_without_parts():
    """Differences of successive sums: one row has none, and no event tells empty outputs apart."""

    def differences(data, rng):
        return np.diff(np.cumsum(data) + rng.normal(0.0, 1e-3))

    report = privcheck.audit(differences, epsilon=1.0, delta=0.01, horizon=4, runs=1500)
    assert report.verdict == "violation"
    assert report.simplest is None or len(report.simplest.first) > 1
