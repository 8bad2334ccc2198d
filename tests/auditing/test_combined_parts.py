"""What parts of an output say together, and the grid of numbers: read where no part says anything by itself."""

from __future__ import annotations

import numpy as np
import pytest

import privcheck
from privcheck.auditing._scoring.combined_parts import Parity, TwoParts
from privcheck.auditing._scoring.output_views import output_views
from privcheck.auditing._scoring.repeated_values import Remainder, RepeatedValues, grid_step
from privcheck.targets import Outputs, StreamPair

SURE = {"error": 1e-6, "confidence": 1.0 - 1e-6}
HIGH, LOW = [1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]


def high(data):
    return int(np.sum(np.asarray(data) > 0.5))


def signs(shared):
    """Eleven numbers of random signs; two of the signs agree if the count of high rows is even, or if not `shared`."""

    def release(data, rng, runs):
        numbers = rng.normal(size=(runs, 11))
        if shared and high(data) % 2:
            numbers[:, 7] = np.copysign(numbers[:, 7], numbers[:, 2])
        return numbers

    return release


def bits(shared):
    """Ten bits, four of which have the parity of the count of high rows."""

    def release(data, rng, runs):
        found = rng.integers(2, size=(runs, 10))
        if shared:
            found[:, 8] = (found[:, [1, 3, 6]].sum(axis=1) + high(data)) % 2
        return found

    return release


def whole_noise(raw):
    """A sum with noise of which only the fractional part is bare."""

    def release(data, rng, runs):
        total = float(np.sum(data)) if raw else float(high(data))
        share = 1.0 - np.exp(-0.02)
        return total + (rng.geometric(share, runs) - rng.geometric(share, runs)).astype(float)

    return release


CASES = [
    pytest.param(signs, (HIGH, LOW), "output 2 divided by output 7", id="two parts"),
    pytest.param(bits, (HIGH, LOW), "the parity of symbol 2, symbol 4, symbol 7 and symbol 9", id="parity"),
    pytest.param(whole_noise, ([0.4, 0.0], [0.0, 0.0]), "the remainder of output modulo 1", id="remainder"),
]


@pytest.mark.chance(1e-6, "one bound at this level")
@pytest.mark.parametrize(("made", "streams", "event"), CASES)
def test_what_no_part_shows_is_found(made, streams, event):
    report = privcheck.audit(made(True), epsilon=1.0, runs=10_000, streams=streams, **SURE)
    assert report.verdict == "violation"
    assert event in report.witness.event


@pytest.mark.chance(2e-6, "verdict and bound of one audit of a true claim")
@pytest.mark.parametrize(("made", "streams"), [pytest.param(*case.values[:2], id=case.id) for case in CASES])
def test_its_twin_is_not_accused(made, streams):
    report = privcheck.audit(made(False), epsilon=1.0, runs=10_000, streams=streams, **SURE)
    assert report.verdict == "consistent"
    assert report.epsilon_lower <= 1.0


def correct(data, rng, runs):
    """A sum and a count with whole noise, each of which moves by at most 1, with half of the budget each."""
    share = 1.0 - np.exp(-0.5)
    count = high(data) + rng.geometric(share, runs) - rng.geometric(share, runs)
    return np.column_stack([np.sum(data) + rng.laplace(scale=2.0, size=runs), count, count % 2, rng.random(runs)])


@pytest.mark.nightly
@pytest.mark.chance(1e-5, "200 bounds at level .05 of a claim that is true, more than 25 above it")
def test_pair_and_event_are_fixed_before_runs_are_counted():
    """Truth: 1. Were combinations chosen on the runs that count, the best of many would exceed it far more often."""
    options = {"streams": ([1.0, 0.0], [0.0, 0.0]), "runs": 2000}
    bounds = [privcheck.audit(correct, epsilon=1.0, seed=seed, **options).epsilon_lower for seed in range(200)]
    assert sum(bound > 1.0 for bound in bounds) <= 25
    assert max(bounds) > 0.3


@pytest.mark.chance(2e-6, "the distance of two empirical distributions of 6,000 runs, at most .05")
def test_combinations_that_tell_nothing_have_even_scores():
    """The chance of a combination that was chosen as the best of many is spent on the runs that chose it."""
    rng = np.random.default_rng(3)
    learned, fresh = rng.normal(size=(2, 6000, 12)), rng.normal(size=(2, 6000, 12))
    score = TwoParts(*learned, [str(place) for place in range(12)])
    one, two = (score(side) for side in fresh)
    assert max(abs(np.mean(one <= value) - np.mean(two <= value)) for value in np.unique(one)) < 0.05


def test_missing_and_infinite_numbers_are_read():
    parts = np.array([[np.nan, np.inf, 1.0], [0.0, 0.0, -np.inf]] * 200)
    score = TwoParts(parts, parts[::-1].copy(), ["a", "b", "c"])
    assert np.isfinite(score(parts)).all()
    assert np.isfinite(Remainder(parts, parts, ["a", "b", "c"])(parts)).all()


def test_equal_numbers_count_as_one_value_whatever_their_last_bits():
    quotient = np.tile([2.0, 2.0 * (1.0 + 2e-16)], 50)
    score = RepeatedValues(quotient, np.linspace(0.0, 1.0, 100))
    assert len(score.values) == 1
    assert score(np.array([2.0]))[0] > 2.0
    assert score(np.array([3.0]))[0] == 0.0


@pytest.mark.parametrize(
    ("values", "step"), [(np.arange(50) * 0.1, 0.1), (np.array([3.0, 5.0, 9.0]), 2.0), (np.ones(9), None)]
)
def test_the_step_of_a_grid(values, step):
    assert grid_step(values) == pytest.approx(step)
    assert grid_step(values + np.random.default_rng(1).random(len(values)) * 1e-12) == pytest.approx(step)
    assert grid_step(np.random.default_rng(2).laplace(size=5000)) is None


def test_constant_symbols_have_no_parity():
    same = np.zeros((600, 3), int)
    assert Parity(same, same, "abc").described == "no parity"


def test_few_runs_of_the_search_are_not_read_for_combinations():
    numbers = Outputs.of_numbers(np.random.default_rng(0).normal(size=(600, 3)))
    pair = StreamPair(np.zeros(2), np.array([1.0, 0.0]))
    for runs, expected in ((100, 0), (600, 1)):
        views = output_views(pair, (numbers[:runs],) * 2, thorough=False)
        assert sum(view.name == "two numbers of the output" for view in views) == expected
