"""A datum that a released value depends on by less than the declared sensitivity is charged what it costs."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privcheck import zeros
from privcheck.accounting import Charge, Concentrated, GaussianDP
from privcheck.certifying import Session
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import BinaryTree, DiscreteLaplace, Laplace, NoisyMax
from privcheck.mechanisms.base import NOISE_SLACK
from privcheck.privacy import relation

SIZES = st.floats(1e-12, 1e12)


def session_with(rounds, budget=None):
    session = Session(relation("row"), (0.0, 1.0), budget, np.random.default_rng(0))
    rewards = []
    for _ in range(rounds):
        session.next_round()
        rewards.append(session.reward(0.5, 0))
    return session, rewards


@given(SIZES, st.floats(1e-6, 50.0), st.floats(1e-9, 1.0))
def test_a_charge_is_between_the_exact_loss_and_a_billionth_more(sensitivity, epsilon, share):
    """The exact loss of noise of this scale, for values a share of the sensitivity apart, rounding of 2e-9 included."""
    mechanism = Laplace(sensitivity=sensitivity, epsilon=epsilon)
    computed = share * sensitivity
    charged = mechanism.loss(computed)
    assert computed * (1.0 + 2e-9) / mechanism.scale <= charged
    assert charged <= min(epsilon, computed / mechanism.scale * (1.0 + NOISE_SLACK) * (1.0 + 2e-9))


@given(SIZES, st.floats(1e-6, 50.0), st.floats(-1e-9, 0.99e-9))
def test_the_declared_sensitivity_costs_exactly_epsilon(sensitivity, epsilon, excess):
    """Also where the computed one differs from it by rounding: no digit of a pure ledger changes."""
    charged = Laplace(sensitivity=sensitivity, epsilon=epsilon).charge(sensitivity * (1.0 + 0.9 * excess))
    assert charged == Charge(epsilon)


@pytest.mark.parametrize("tiny", [5e-324, sys.float_info.min, 1e-300])
@pytest.mark.parametrize(
    "mechanism", [Laplace(sensitivity=1e9, epsilon=1e-9), NoisyMax(score_range=1e300, epsilon=1.0)]
)
def test_what_moves_the_value_is_never_free(mechanism, tiny):
    assert mechanism.loss(tiny) > 0.0
    assert mechanism.loss(0.0) == 0.0


def test_a_decayed_sum_is_charged_what_it_costs():
    """With weights 1, 1/2, 1/4, ...: the sum of all charges is below 2 epsilon for any number of rounds."""
    session, rewards = session_with(20)
    total = 0.0
    for reward in rewards:
        total = total * 0.5 + reward
    with session.active():
        Laplace(sensitivity=1.0, epsilon=0.5).release(total, None)
    charged = [session.ledger.totals[t] for t in range(20, 0, -1)]
    assert charged[0] == 0.5
    assert charged == pytest.approx([0.5 * 0.5**age for age in range(20)], rel=2e-9)
    assert all(loss >= 0.5 * 0.5**age / (1.0 + NOISE_SLACK) for age, loss in enumerate(charged))


def test_released_in_every_round_the_decayed_sum_costs_twice_as_much_as_once():
    session, rewards = session_with(30, budget=1.0)
    total, noise = 0.0, Laplace(sensitivity=1.0, epsilon=0.5)
    with session.active():
        for reward in rewards:
            total = total * 0.5 + reward
            noise.release(total, None)
    assert 0.999 < session.ledger.epsilon <= 1.0 + 1e-8
    assert session.refusals == []


def test_coefficients_that_cancel_but_for_rounding_are_charged_for_the_rounding():
    """0.1 + 0.2 - 0.3 leaves 5.6e-17 of the datum, and a sum beside it rounds by as much."""
    session, (reward, other) = session_with(2)
    value = 0.1 * reward + 0.2 * reward - 0.3 * reward + other
    assert 0.0 < value.sensitivities("l1")[1] < 1e-15
    with session.active():
        Laplace(sensitivity=1.0, epsilon=0.5).release(value, None)
    left = abs(0.1 + 0.2 - 0.3)
    charged = session.ledger.totals[1]
    assert charged >= 0.5 * (left + 2.0**-52)
    assert charged < 1e-14
    assert session.ledger.totals[2] == 0.5


def test_weights_in_a_vector_and_integers_and_trees():
    session, (one, two) = session_with(2)
    value = zeros(2)
    value[0], value[1] = one * 0.5, two * 1.0
    with session.active():
        Laplace(sensitivity=1.0, epsilon=0.5).release(value, None)
    assert dict(session.ledger.totals) == {1: pytest.approx(0.25, rel=2e-9), 2: 0.5}
    assert DiscreteLaplace(sensitivity=4, epsilon=1.0).loss(1) == pytest.approx(0.25, rel=2e-9)
    tree = BinaryTree(horizon=8, sensitivity=1.0, epsilon=2.0)
    assert tree.loss(0.5) == pytest.approx(tree.statistics_per_datum * 0.5 / tree.scale, rel=1e-8)


@pytest.mark.parametrize(("budget", "name"), [(Concentrated(1.0), "rho"), (GaussianDP(2.0), "mu")])
def test_the_other_currencies_shrink_with_it(budget, name):
    session, (one, two) = session_with(2, budget)
    with session.active():
        Laplace(sensitivity=1.0, epsilon=1.0).release(one * 0.25 + two, None)
    for datum, epsilon in ((1, 0.25), (2, 1.0)):
        assert getattr(session.ledger.paid[datum], name) == pytest.approx(getattr(Charge(epsilon), name), rel=1e-8)


def test_more_than_declared_is_refused_as_before():
    with pytest.raises(PrivcheckError, match="at most the declared"):
        Laplace(sensitivity=1.0, epsilon=0.5).charge(1.0 + 2e-9)
    assert math.isclose(Laplace(sensitivity=1.0, epsilon=0.5).loss(0.3), 0.15, rel_tol=2e-9)
