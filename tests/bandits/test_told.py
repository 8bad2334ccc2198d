"""The shipped policies check what they are told before it changes anything, with and without a guard."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest

from privcheck.bandits import ALGORITHMS
from privcheck.errors import PrivcheckError

NO_REWARDS = [
    5,
    -3,
    1e6,
    1.0000001,
    -1e-12,
    math.nan,
    math.inf,
    -math.inf,
    None,
    "0.5",
    1j,
    [0.5],
    np.array([0.5]),
    [],
    {},
]
ONE_ARM = [name for name in ALGORITHMS if ALGORITHMS[name].feedback not in ("contextual", "semi-bandit")]
NO_ARMS = [-1, 3, 7, True, None, "1", 0.5, math.nan, [0]]


@pytest.fixture(params=ONE_ARM)
def algorithm(request):
    """Every policy that plays an arm; test_semi_bandits.py and test_linear_bandits.py have the others."""
    return ALGORITHMS[request.param]


def state(policy):
    """Return all that a policy holds, as text: generators by their state."""
    parts = copy.deepcopy(vars(policy))
    return repr(
        [part.bit_generator.state if isinstance(part, np.random.Generator) else _text(part) for part in parts.values()]
    )


def _text(part):
    if isinstance(part, list):
        return [_text(item) for item in part]
    return (
        sorted((name, repr(value)) for name, value in vars(part).items() if name != "_rng")
        if type(part).__name__ == "PrefixStream"
        else part
    )


def built(algorithm, play):
    spec = play.example(algorithm)
    policy = spec.build(np.random.default_rng(0))
    policy.select()
    return policy, (lambda reward: [0.5, 0.5, reward]) if spec.feedback == "full" else (lambda reward: reward)


def refused(policy, action, told):
    before = state(policy)
    with pytest.raises(PrivcheckError) as caught:
        policy.update(action, told)
    assert state(policy) == before
    return caught.value.parameter


def test_rewards_outside_the_unit_interval_are_refused(algorithm, play):
    """Before, every policy took 5, -3, 1e6 and NaN, for which no guarantee and no regret bound holds."""
    policy, told = built(algorithm, play)
    finite = [5, -3, 1e6, 1.0000001, -1e-12]
    for reward in NO_REWARDS:
        if not (algorithm.any_rewards and reward in finite):
            assert refused(policy, policy.select(), told(reward)).startswith("reward"), reward
    if algorithm.any_rewards:
        for reward in finite:
            policy.update(policy.select(), reward)


def test_actions_that_are_no_arms_are_refused(algorithm, play):
    policy, told = built(algorithm, play)
    assert {refused(policy, action, told(0.5)) for action in NO_ARMS} == {"action"}


@pytest.mark.parametrize("reward", [True, np.False_, np.float32(0.25), np.int64(1), np.array(0.5), 0, 1.0])
def test_clicks_and_numpy_numbers_are_rewards(algorithm, play, reward):
    """They have the effect of the same number as a float."""
    (one, told), (other, _) = built(algorithm, play), built(algorithm, play)
    one.update(np.int64(one.select()), told(reward))
    other.update(other.select(), told(float(reward)))
    assert state(one) == state(other)


def test_a_row_has_a_reward_for_each_arm(algorithm, play):
    if algorithm.feedback != "full":
        return
    policy, _ = built(algorithm, play)
    for row in ([0.5] * 2, [0.5] * 4, 0.5, [[0.5] * 3]):
        assert refused(policy, 0, row) == "rewards"
