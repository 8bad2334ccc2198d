"""That the broken one of each pair of twins is broken, and the other is not: on the known pair and event alone."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from . import TWINS
from .bandits import CurtailedBatches
from .pair import count, count_outputs, least_loss, makes_many_runs

DISCRETE = [pair for pair in TWINS if not makes_many_runs(pair.broken)]
QUICK = {pair.name for pair in TWINS if makes_many_runs(pair.broken)} | {pair.name for pair in DISCRETE[:2]}


def cases(pairs):
    return [pytest.param(pair, id=pair.name, marks=() if pair.name in QUICK else pytest.mark.nightly) for pair in pairs]


def test_there_are_forty():
    assert len(TWINS) == len({pair.name for pair in TWINS}) == 40
    assert sum(pair.kind == "function" for pair in TWINS) == 16
    for pair in TWINS:
        first, second = pair.shares
        at_event = np.log(first / second) if second else np.inf
        assert 1.6 <= at_event <= pair.loss + 1e-3, pair.name


def test_neighbours_differ_in_one_row():
    for pair in TWINS:
        first, second = (np.asarray(stream, dtype=float) for stream in pair.streams)
        low, high = pair.options.get("rewards", (0.0, 1.0))
        assert first.shape == second.shape, pair.name
        assert len(first) == pair.options["horizon"], pair.name
        assert np.sum(np.atleast_2d(first.T != second.T).any(axis=0)) == 1, pair.name
        if pair.kind != "contextual":
            assert low <= min(first.min(), second.min()) <= max(first.max(), second.max()) <= high, pair.name


@pytest.mark.chance(3e-8, "two counts between binomial quantiles at 1e-8; both limits at 1e-6 are far from the bar")
@pytest.mark.parametrize("pair", cases(TWINS))
def test_the_broken_twin_leaks(pair):
    rng = np.random.default_rng(1)
    counts = [count(pair, pair.broken, side, rng) for side in (0, 1)]
    for (hits, runs), share in zip(counts, pair.shares, strict=True):
        assert stats.binom.ppf(5e-9, runs, share) <= hits <= stats.binom.isf(5e-9, runs, share), (hits, runs, share)
    assert least_loss(*counts, level=1e-6) > 1.3


@pytest.mark.chance(8e-8, "four bounds of two limits at 1e-8 each")
@pytest.mark.parametrize("pair", cases(TWINS))
def test_the_correct_twin_does_not(pair):
    rng = np.random.default_rng(2)
    first, second = (count(pair, pair.correct, side, rng) for side in (0, 1))
    for one, other in ((first, second), (second, first)):
        without = ((one[1] - one[0], one[1]), (other[1] - other[0], other[1]))
        for counts in ((one, other), without):
            assert least_loss(*counts, level=1e-8) < 1.0, counts


def greatest(pair, target, seed):
    """Return the largest bound that any single output gives, on either side, with limits at 1e-12."""
    rng = np.random.default_rng(seed)
    sides = [count_outputs(pair, target, side, rng) for side in (0, 1)]
    return max(
        least_loss((one[output], pair.runs), (other[output], pair.runs), level=1e-12)
        for one, other in (sides, sides[::-1])
        for output in one
        if one[output] >= 40  # fewer bound nothing
    )


@pytest.mark.chance(4e-8, "two bounds of two limits at 1e-12 each, for at most 10,000 outputs that are not all rare")
@pytest.mark.parametrize("pair", cases(DISCRETE))
def test_no_single_output_of_the_correct_twin_tells(pair):
    assert greatest(pair, pair.correct, 3) < 1.0


def test_single_outputs_tell_of_a_broken_twin():
    pair = next(pair for pair in DISCRETE if pair.broken is CurtailedBatches)
    assert greatest(pair, pair.broken, 4) > 1.3
