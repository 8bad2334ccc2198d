"""The exact loss and the dominating pairs that a mechanism states: against its other statements, and when they hold."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from privcheck.accounting import Charge, FiniteLaws, LaplacePair
from privcheck.accounting._loss_distribution import composed
from privcheck.auditing._exact import exact_delta, exact_loss
from privcheck.mechanisms import (
    MECHANISMS,
    BinaryTree,
    Gaussian,
    GaussianTree,
    Laplace,
    Mechanism,
    NoisyMax,
    ScoresAfterWinner,
    SymmetricGaussianTree,
)
from privcheck.mechanisms.planned import charge_with_pairs

STATING = {name for name in MECHANISMS if MECHANISMS[name].dominating_pairs is not Mechanism.dominating_pairs}
TIGHT = {
    "binary-tree",
    "discrete-laplace",
    "factorised-stream",
    "gaussian",
    "gaussian-tree",
    "hybrid-tree",
    "k-ary-tree",
    "laplace",
    "randomised-response",
    "symmetric-gaussian",
    "symmetric-gaussian-tree",
}
"""Mechanisms whose plans are as tight as they can be; new ones may join."""

EPSILONS = (0.0, 0.1, 0.5, 1.0, 2.0)


def test_no_output_has_a_larger_log_ratio_than_the_loss(case):
    """The law of the pair and the log-ratio are two statements about one law; a law that shows too little is caught."""
    first, second, _ = case.pair
    mechanism = case.with_scale(0.7)
    law = mechanism.law_of_pair(first, second)
    assert (law is not None) == case.exact
    if law is None:
        return
    outputs = mechanism.release_batch(first, np.random.default_rng(1), 300)
    ratios = [abs(float(mechanism.log_ratio(output, first, second))) for output in outputs]
    assert max(ratios) <= law.loss().upper
    if math.isfinite(law.loss().upper):
        assert max(ratios) > case.with_scale(7.0).law_of_pair(first, second).loss().upper


def exceeds(pairs, law) -> list[float]:
    """Return where the exact delta of a law is above that of what should dominate it."""
    upper, _ = composed(pairs)
    return [epsilon for epsilon in EPSILONS if law.delta(epsilon).lower > upper.delta(epsilon)]


def test_dominating_pairs_are_above_the_exact_law_and_weaker_ones_are_not(cases):
    compared = set()
    for case in cases.values():
        first, second, distance = case.pair
        charge = charge_with_pairs(case.with_scale(0.7), distance)
        law = case.with_scale(0.7).law_of_pair(first, second)
        if law is None or not charge.pairs:
            continue
        assert exceeds(charge.pairs, law) == []
        assert exceeds(charge_with_pairs(case.with_scale(2.1), distance).pairs, law)
        compared.add(case.mechanism.id)
    stating = {case.mechanism.id for case in cases.values() if case.mechanism.id in STATING}
    assert stating == STATING >= TIGHT
    assert compared == stating


class Renamed(Laplace):
    """Laplace noise under another name."""


class Rounded(Laplace):
    """Laplace noise rounded to the grid of the value: another law."""

    def draw(self, value, rng, *, secure=False):
        return np.round(super().draw(value, rng, secure=secure))


class OtherNoise(Gaussian):
    def noise(self, shape, rng):
        return rng.standard_t(3.0, shape) * self.scale


def test_a_derived_class_states_its_own_law():
    """It inherits neither what dominates it nor, if it draws in its own way, the law of a pair."""
    assert Renamed.with_scale(1.0).law_of_pair(0.0, 1.0).loss().value == 1.0
    assert charge_with_pairs(Renamed.with_scale(1.0), 1.0).pairs == ()
    for cls in (Rounded, OtherNoise):
        assert exact_loss(cls.with_scale(1.0), (0.0, 1.0)) is None
        assert exact_delta(cls.with_scale(1.0), (0.0, 1.0), 0.5) is None
        assert charge_with_pairs(cls.with_scale(1.0), 1.0).pairs == ()


def test_scores_that_follow_a_winner_have_no_law_of_their_own():
    assert Laplace.with_scale(1.0).law_of_pair([0.0, 1.0], [1.0, 0.0]) is not None
    assert ScoresAfterWinner.with_scale(1.0, winner=0).law_of_pair([0.0, 1.0], [1.0, 0.0]) is None


def test_a_parameter_called_noise_is_no_noise():
    """`NoisyMax.noise` names a law; only a method of this name makes one."""
    assert NoisyMax.with_scale(1.0, noise="gumbel").law_of_pair([0.0, 1.0], [1.0, 0.0]).loss().upper < 2.0


def test_matrices_have_the_law_of_their_coordinates():
    one, two = np.zeros((2, 2, 2)), np.zeros((2, 2, 2))
    two[0] = np.eye(2)
    matrices = SymmetricGaussianTree.with_scale(1.0, horizon=2, degree=2).law_of_pair(one, two)
    numbers = GaussianTree.with_scale(1.0, horizon=2, degree=2).law_of_pair([0.0, 0.0], [math.sqrt(2.0), 0.0])
    assert matrices.delta(1.0).value == pytest.approx(numbers.delta(1.0).value, rel=1e-12)


@dataclass(frozen=True)
class Coin(Mechanism):
    """A bit that is kept with probability 3 / 4, in one class: nothing else has to know it."""

    notion: ClassVar[str] = "pure"
    sensitivity_norm: ClassVar[str] = "number of changed entries"
    source: ClassVar[str] = "Warner (1965)"

    def charge(self, sensitivity):
        return Charge(math.log(3.0) if sensitivity else 0.0)

    def draw(self, value, rng, *, secure=False):
        return int(value) ^ int(rng.random() < 0.25)

    def law_of_pair(self, value, other):
        logs = [np.log([0.75, 0.25] if bit == 0 else [0.25, 0.75]) for bit in (value, other)]
        return FiniteLaws(*logs, np.full(2, 1e-15))

    def dominating_pairs(self, charge, sensitivity):
        return ((LaplacePair(charge.epsilon), 2),)


def test_one_class_is_all_that_a_mechanism_of_your_own_needs():
    assert exact_loss(Coin(), (0, 1)).value == pytest.approx(math.log(3.0))
    assert exact_delta(Coin(), (0, 1), 0.0).value == pytest.approx(0.5)
    assert charge_with_pairs(Coin(), 1.0).pairs == ((LaplacePair(math.log(3.0)), 2),)
    assert charge_with_pairs(Coin(), 0.0).pairs == ()


@pytest.mark.parametrize("first", [[0.0, 1.0, 0.0], [0.0, math.nan]])
def test_inputs_that_do_not_fit_are_refused_as_by_the_log_ratio(first):
    from privcheck.errors import PrivcheckError

    for mechanism in (Laplace.with_scale(1.0), NoisyMax.with_scale(1.0), BinaryTree.with_scale(1.0, horizon=2)):
        with pytest.raises(PrivcheckError) as of_pair:
            mechanism.law_of_pair([0.0, 1.0], first)
        with pytest.raises(PrivcheckError) as of_ratio:
            mechanism.log_ratio(0 if isinstance(mechanism, NoisyMax) else [0.0, 1.0], [0.0, 1.0], first)
        assert str(of_pair.value) == str(of_ratio.value)
