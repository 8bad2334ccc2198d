"""Leaks that only streams on a decision boundary show: the search walks to them."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

import privcheck
from privcheck.auditing._search import equal_coins
from privcheck.auditing._search.decision_boundaries import boundary_pairs
from privcheck.auditing._search.stream_families import structured_pairs
from privcheck.privacy import relation
from privcheck.scheduling import HERE
from privcheck.targets import MISSING, Outputs, Sampler

HORIZON = 200


def elimination(noise):
    """Return a policy that plays two arms in turn until the sums of a batch are far apart, then the better one.

    Batches are disjoint, and a round moves the difference of one batch by at most 1: noise of scale 1 costs epsilon 1.
    """

    class Eliminates:
        def __init__(self, rng):
            pass

        def select(self):
            raise NotImplementedError

        update = select

        def run_batch(self, table, rng, runs):
            actions = np.tile(np.resize(np.array([0, 1], np.int8), len(table)), (runs, 1))
            left = np.ones(runs, bool)
            paid = table[np.arange(len(table)), np.arange(len(table)) % 2] * np.resize([-1.0, 1.0], len(table))
            for start, stop in ((0, 32), (32, 96), (96, 192)):
                gap = paid[start:stop].sum() + rng.laplace(scale=noise, size=runs)
                out = left & (np.abs(gap) > 3.0 * math.sqrt(stop - start))
                actions[out, stop:] = (gap > 0.0)[out, None]
                left &= ~out
            return actions

    return Eliminates


@pytest.mark.chance(1e-6, "one verdict, where the other pairs show nothing")
@pytest.mark.parametrize("seed", [0, 1])
def test_an_elimination_bandit_that_leaks_only_at_a_flip_is_found_without_a_pair(monkeypatch, seed):
    options = {"epsilon": 1.0, "arms": 2, "horizon": HORIZON, "runs": 1000, "error": 1e-6, "seed": seed}
    assert privcheck.audit(elimination(1e-9), **options).verdict == "violation"
    monkeypatch.setattr(equal_coins, "boundary_pairs", lambda *_: ([], 0))
    assert privcheck.audit(elimination(1e-9), **options).verdict != "violation", "no other pair shows it"


@pytest.mark.chance(1e-6, "one verdict on a true claim at this error")
def test_its_correct_twin_is_not_accused():
    report = privcheck.audit(elimination(1.0), epsilon=1.0, arms=2, horizon=HORIZON, runs=1000, error=1e-6)
    assert report.verdict != "violation"


class Threshold:
    """A runner that shows whether the sum of a stream is above half of its largest, without noise."""

    engine, chunk_runs, joblib_backend = "kernel", 500, "threading"

    def __init__(self, *, reproducible=True):
        self.reproducible = reproducible

    def play(self, table, runs, seed, other=None):
        return Outputs.of_symbols(np.full((runs, 1), int(table.sum() > table.size / 2)))


@pytest.mark.parametrize("neighbours", ["row", "reward"])
def test_pairs_are_neighbours_that_flip(neighbours):
    pairs = structured_pairs(30, 2, (0.0, 1.0), neighbours)
    related, runner = relation(neighbours), Threshold()
    found, runs = boundary_pairs(Sampler(runner, 0, HERE, math.inf), pairs, related, lambda _: None, (1,))
    assert len(found) >= 3
    assert runs <= 24 * (2 + math.ceil(math.log2(60)))
    for pair in found:
        related.check(pair.first, pair.second)
        assert (pair.first.sum() > 30) != (pair.second.sum() > 30)


def test_there_are_no_walks_without_equal_coins():
    pairs = structured_pairs(30, 2, (0.0, 1.0), "row")
    runner = Threshold(reproducible=False)
    assert boundary_pairs(Sampler(runner, 0, HERE, math.inf), pairs, relation("row"), lambda _: None, (1,)) == ([], 0)


@pytest.mark.parametrize("apart", [1, 7])
def test_runs_that_were_padded_to_different_lengths_are_compared(apart):
    """Runs that are played together are padded to one length, and those of another time to another one."""
    pairs, related, calls = structured_pairs(30, 2, (0.0, 1.0), "row"), relation("row"), []
    whole = Sampler(Threshold(), 0, HERE, math.inf)

    def play(requests, advance):
        calls.append(len(requests))
        width = ((0, 0), (0, 10 + apart * len(calls)))
        sides = whole.play(requests, advance)
        return [Outputs.of_symbols(np.pad(side.symbols, width, constant_values=MISSING)) for side in sides]

    found, _ = boundary_pairs(SimpleNamespace(runner=whole.runner, play=play), pairs, related, lambda _: None, (1,))
    expected, _ = boundary_pairs(whole, pairs, related, lambda _: None, (1,))
    assert len(calls) > 2
    assert len(found) == len(expected) >= 3
    for one, two in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one.first, two.first)
        np.testing.assert_array_equal(one.second, two.second)
