"""Three estimates of a policy's mean reward from a log, against logs whose truth is known."""

import numpy as np
import pytest

from privcheck.environments import LoggedFeedback, Replay
from privcheck.errors import PrivcheckError
from privcheck.simulation import replay

MEANS = np.array([0.2, 0.5, 0.8])
ODDS = np.array([0.6, 0.3, 0.1])
"""Of the logging policy, which prefers the worst arm."""


class Always:
    def __init__(self, rng):
        pass

    def select(self):
        return 2

    def update(self, action, reward):
        pass


class Alternates(Always):
    def __init__(self, rng):
        self.rounds = 0

    def select(self):
        return self.rounds % 3

    def update(self, action, reward):
        self.rounds += 1


def log(rng, rows=2000, *, told=True, means=MEANS):
    actions = rng.choice(3, rows, p=ODDS)
    rewards = (rng.random(rows) < means[actions]).astype(float)
    return LoggedFeedback(("a", "b", "c"), actions, rewards, ODDS[actions] if told else np.ones(rows))


@pytest.mark.chance(2e-7, "three means beyond 5.5 standard errors, 4e-8 each, and three spreads above 1.25, 1e-8 each")
@pytest.mark.parametrize(("policy", "truth"), [(Always, 0.8), (Alternates, 0.5)])
def test_estimates_are_unbiased_and_their_errors_are_right(policy, truth):
    """300 logs: a mean of z-scores beyond 5.5 / sqrt(300) has probability 4e-8, a spread above 1.25 1e-8."""
    rng = np.random.default_rng(4)
    found = [replay(policy, log(rng), runs=1, seed=i) for i in range(300)]
    for place in range(3):
        values = np.array([(r.reward[0], r.weighted[0], r.doubly_robust[0])[place] for r in found])
        scores = (values - truth) / np.array([r.errors[place, 0] for r in found])
        spread = values.std(ddof=1) / np.sqrt(len(values))
        assert abs(values.mean() - truth) < 5.5 * spread
        assert scores.std(ddof=1) < 1.25
    if policy is Always:
        robust, weighted = (np.mean([r.errors[place, 0] for r in found]) for place in (2, 1))
        assert robust < weighted


@pytest.mark.chance(1e-8, "a spread above 1.25")
def test_rows_of_one_wait_have_their_arm_in_common():
    """Rewards are known for sure: what varies is how long each arm is waited for. Rows counted as independent of each
    other would have a standard error a quarter of the true one.
    """
    rng, sure = np.random.default_rng(5), np.array([0.0, 1.0, 1.0])
    found = [replay(Alternates, log(rng, means=sure), runs=1, seed=i) for i in range(300)]
    values = np.array([r.doubly_robust[0] for r in found])
    errors = np.array([r.errors[2, 0] for r in found])
    assert ((values - 2.0 / 3.0) / errors).std(ddof=1) < 1.25
    rows = np.sqrt(values * (1.0 - values) / 2000)
    assert ((values - 2.0 / 3.0) / rows).std(ddof=1) > 2.5


def test_a_log_without_its_propensities_misleads_and_this_test_sees_it():
    """The broken twin: the same rows as if arms had been chosen uniformly."""
    rng = np.random.default_rng(5)
    found = [replay(Always, log(rng, told=False), runs=1, seed=i) for i in range(30)]
    values = np.array([r.weighted[0] for r in found])
    assert abs(values.mean() - 0.8) > 20 * values.std(ddof=1) / np.sqrt(len(values))


def test_a_learning_policy_and_the_summary():
    result = replay("ucb", log(np.random.default_rng(6), 3000), runs=3)
    rows = result.estimates()
    assert [row["estimator"] for row in rows] == ["rejection", "inverse-propensity", "doubly-robust"]
    for row in rows[1:]:
        assert abs(row["reward"] - rows[0]["reward"]) < 6 * (row["se"] + rows[0]["se"])


def test_an_environment_is_no_log():
    log = LoggedFeedback(("a", "b"), np.array([0, 1]), np.array([1.0, 0.0]), np.ones(2))
    with pytest.raises(PrivcheckError, match="log: got Replay, expected LoggedFeedback"):
        replay("ucb", Replay.from_log(log))
