"""Random programs with numbers from 1e-300 to 1e300: no datum moves what is computed by more than it pays for.

The loss is exact: it is calculated in fractions from the very floats that the mechanisms are given on two neighbours.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from privcheck import PrivcheckError, certify
from privcheck.certifying import Session
from privcheck.certifying import _session as sessions
from privcheck.certifying._charging import one_release
from privcheck.mechanisms import BinaryTree, DiscreteLaplace, Laplace, NoisyMax
from privcheck.privacy import relation
from privcheck.private_values import (
    _computed_sensitivity as computed_sensitivity,
)
from privcheck.private_values import (
    _float_rounding as float_rounding,
)
from privcheck.private_values import (
    _integers as integers,
)
from privcheck.private_values import (
    _vector_bounds as vector_bounds,
)
from privcheck.private_values import with_rounding, zeros

SAMPLE = 250
FOUND = (117, 146, 630, 1199)
"""Programs that paid nothing for what they lost, as long as the rounding of a common shift was not counted."""


def test_no_program_loses_more_than_it_pays(programs, evidence):
    numbers = (*FOUND, *range(evidence(SAMPLE, 100_000)))
    assert [found for number in numbers if (found := programs.unpaid(number))] == []


def test_the_programs_release_through_every_mechanism(programs):
    runs = [programs.run(number, 0) for number in range(100)]
    released = {type(mechanism).__name__ for run in runs for mechanism, _ in run.values}
    assert released >= {"Laplace", "NoisyMax", "BinaryTree", "HybridTree", "DiscreteLaplace", "RandomisedResponse"}
    assert sum(0.0 < run.paid < 100.0 for run in runs) > 20
    assert sum(bool(run.values) for run in runs) > 50


def before(patch):
    """The code before common shifts were taken away: rounding is compared with the largest sensitivity alone."""

    def checked(value, exact, declared=None, inside=None):
        found = {datum: s for datum, s in exact.items() if s > 0.0}
        if found and not float_rounding.rounding_error(value) <= float_rounding.SHARE * max(found.values()):
            raise PrivcheckError("value", 1.0, "a smaller number")
        return found

    patch.setattr(one_release, "with_rounding", checked)
    patch.setattr(sessions, "without_common_shift", lambda value: value)


@pytest.mark.parametrize("number", FOUND)
def test_they_find_the_unpaid_rounding_of_a_common_shift(programs, number, monkeypatch):
    before(monkeypatch)
    assert "pays 0 for a loss of" in programs.unpaid(number)


def test_they_find_norms_that_underflow(programs, monkeypatch):
    monkeypatch.setattr(vector_bounds, "_length", lambda vector: float(np.linalg.norm(vector)))
    uncached = vars(vector_bounds.VectorBound)["_of"].__func__.__wrapped__
    monkeypatch.setattr(vector_bounds.VectorBound, "_of", classmethod(uncached))
    with np.errstate(all="ignore"):
        assert programs.unpaid(42)


def start(rewards=(0.0, 1.0)):
    return Session(relation("row"), rewards, None, np.random.default_rng(0), round=1)


# The certificate that was wrong


class Shifted:
    """Adds every reward to all scores: in exact arithmetic the winner does not depend on it."""

    def __init__(self, rng):
        self.rng, self.arm = rng, 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.arm = self.choose(zeros(4) + np.arange(4) * 1e-11 + reward)

    def choose(self, scores):
        return NoisyMax.with_scale(1e-13).release(scores, self.rng)


class NearlyShifted(Shifted):
    """The coefficients of the scores differ in their last digit."""

    def update(self, action, reward):
        scores = zeros(2)
        scores[0], scores[1] = reward * 0.3, reward * 0.1 + reward * 0.2
        self.arm = self.choose(scores)


def winner(policy, reward):
    """The arm without noise: scores are computed and compared as they are under the guard."""
    session = start((0.0, 1e6))
    with session.active():
        policy.update(0, session.reward(reward, 0))
    return policy.arm, session.ledger.epsilon


def test_a_common_shift_is_free_and_rounds_nothing(monkeypatch):
    """Without noise at this scale the winner is the same in every run, so a single run on each stream shows it."""
    for reward in (0.0, 1e6, 1.0 / 3.0):
        assert winner(Shifted(np.random.default_rng(0)), reward) == (3, 0.0)
    assert certify(Shifted, epsilon=0.001, arms=4, horizon=8, rewards=(0.0, 1e6), runs=2).granted
    before(monkeypatch)
    assert [winner(Shifted(np.random.default_rng(0)), reward) for reward in (0.0, 1e6)] == [(3, 0.0), (0, 0.0)]


def test_a_shift_that_cancels_but_for_rounding_is_charged_and_refused():
    assert winner(NearlyShifted(np.random.default_rng(0)), 1.0)[1] > 1e3
    certificate = certify(NearlyShifted, epsilon=0.001, arms=2, horizon=8, rewards=(0.0, 1e6), runs=2)
    assert not certificate.granted
    assert "over" in certificate.refusals[0] or "takes the reward" in certificate.refusals[0]


def test_what_rounding_may_add_is_charged_where_the_scale_is_given():
    session = start()
    with session.active():
        Laplace.with_scale(1.0).release(session.reward(1.0, 0), None)
        assert session.ledger.epsilon == 1.0
        Laplace.with_scale(1.0).release(session.reward(1.0, 0) + 1e9, None)
    (charged,) = session.ledger.releases[1].losses.values()
    assert 1.0 + 4e-7 < charged < 1.0 + 5e-7


def test_a_datum_that_moves_a_value_by_rounding_alone_is_charged_beside_others():
    """The second datum's coefficient is 1e-18: next to the first, only rounding shows that it is there."""
    session = start()
    large = session.reward(1.0, 0)
    session.round = 2
    small = session.reward(1.0, 0) * 1e-18
    with session.active():
        Laplace.with_scale(1.0).release(large + small, None)
    losses = session.ledger.releases[0].losses
    assert losses[1] == 1.0
    assert 2.0**-53 <= losses[2] < 1e-14


# Where else rounding exceeds what the sensitivity says


def test_integers_that_floats_round_are_refused():
    """3 f for f = 2^53 and 2^53 + 2 are 8 apart in floats, and their exact distance is 6."""
    session = start((2.0**53, 2.0**53 + 2.0))
    count = integers.rounded(session.reward(2.0**53, 0)) * 3 - 3.0 * 2.0**53
    with session.active(), pytest.raises(PrivcheckError, match="beyond 2\\^53, which floats round"):
        DiscreteLaplace(sensitivity=6, epsilon=1.0).release(count, None)


def nothing_inside(patch):
    """Break: what mechanisms round before they add noise is not counted."""
    patch.setattr(one_release, "with_rounding", lambda value, exact, declared, _: with_rounding(value, exact, declared))


def test_the_sums_inside_a_tree_are_counted(monkeypatch):
    """A reward beside a public 1e9 is exact, but the node that adds the two is not."""

    def paid():
        session = start()
        stream = zeros(2)
        stream[0], stream[1] = 2.0**40, session.reward(1.0, 0)
        with session.active():
            BinaryTree.with_scale(1.0, horizon=2).release(stream, None)
        return session.ledger.epsilon

    assert paid() > 2.0 + 2.0 * 2.0**40 * 2.0**-52
    with_tree = paid()
    nothing_inside(monkeypatch)
    assert paid() < with_tree


def test_the_sum_of_score_and_noise_is_counted(monkeypatch):
    """Public scores of 2^30 with exact private parts: adding the noise rounds to multiples of 2^-22."""

    def paid():
        session = start((0.0, 2.0**-20))
        scores = np.full(2, 2.0**30) + zeros(2)
        scores[1] += session.reward(2.0**-20, 0)
        with session.active():
            NoisyMax.with_scale(1.0).release(scores, None)
        return session.ledger.epsilon

    counted = paid()
    nothing_inside(monkeypatch)
    assert paid() < counted


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_squares_that_under_or_overflow_do_not_hide_a_sensitivity(size, monkeypatch):
    session = start((0.0, size))
    first = session.reward(size, 0)
    square = np.stack([first, first * 0.75])
    square = square + np.stack([session.source.scalar(0.0, 0.0, size, 1), 0.0 * first])
    assert square.sensitivities("l2")[1] / size == pytest.approx(math.hypot(2.0, 0.75), rel=1e-12)
    monkeypatch.setattr(computed_sensitivity, "_without_overflow", lambda norm, matrix: norm(matrix))
    assert square.sensitivities("l2")[1] in (0.0, math.inf)


def test_the_rounding_of_products_is_part_of_their_diameter(monkeypatch):
    """The squares of neighbouring floats near 1.2 are 2.4 units apart, and some of their rounded squares three."""
    unit = 2.0**-52
    x = next(x for x in 1.2 + 1e-7 * np.arange(1.0, 100.0) if (x + unit) * (x + unit) - x * x > 2.5 * unit)
    high = 1.2 + 1e-3

    def sensitivity():
        vector = start().source.vector([x, 0.0], [1.1, -1e-9], [high, 1e-9], 1, l2_diameter=unit)
        return max((vector * vector).sensitivities("l2").values())

    assert sensitivity() >= 3.0 * unit
    monkeypatch.setattr(vector_bounds, "_ROUNDING", 0.0)
    assert sensitivity() < 3.0 * unit


@pytest.mark.parametrize("end", [0.0, 1.0])
def test_a_clipped_sum_that_may_overflow_is_refused_whatever_it_is(end):
    """Computing it would raise for some data only."""
    session = start()
    row = session.reward_vector([end, end])
    with pytest.raises(PrivcheckError, match="interval of a private value: got infinite ends"):
        (row.sum() * 1.7e308).clip(0.0, 1.0)
