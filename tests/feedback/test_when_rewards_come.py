"""When batch and delayed policies are asked and told, and what they may not state or return."""

from __future__ import annotations

import numpy as np
import pytest

import privcheck
from privcheck import PolicyError, PrivcheckError
from privcheck.feedback import kind

TABLE = np.arange(12.0).reshape(6, 2) / 16


class Records:
    """Plays the arms in turn and writes down every call."""

    batch, delay = 4, 2

    def __init__(self, rng=None):
        self.calls, self.chosen = [], 0

    def select(self):
        self.chosen += 1
        self.calls.append("select")
        return self.chosen % 2

    def update(self, *told):
        self.calls.append(told)

    def act(self, n):
        self.calls.append(n)
        return [(self.chosen + i) % 2 for i in range(n)]

    def learn(self, actions, rewards):
        self.calls.append((actions.tolist(), rewards.tolist()))
        self.batch = 1  # too late


def played(name, policy):
    by, symbols = kind(name), []
    by.play(policy, iter(by.rounds(TABLE, 2, None)), 2, symbols)
    return symbols


def test_the_last_batch_is_as_long_as_the_rounds_left():
    policy = Records()
    assert played("batch", policy) == [0, 1, 0, 1, 0, 1]
    first, second = TABLE[range(4), [0, 1, 0, 1]], TABLE[[4, 5], [0, 1]]
    assert policy.calls == [4, ([0, 1, 0, 1], first.tolist()), 2, ([0, 1], second.tolist())]


@pytest.mark.parametrize("sizes", [[1, 2], (1, 2), np.array([1, 2]), [1, 2, 2, 9]])
def test_batches_may_grow(sizes):
    policy = Records()
    policy.batch = sizes
    played("batch", policy)
    assert [call for call in policy.calls if isinstance(call, int)] == [1, 2, 2, 1]


@pytest.mark.parametrize(
    ("delay", "told"),
    [
        (0, ["select", 1, "select", 2, "select", 3, "select", 4, "select", 5, "select", 6]),
        (2, ["select", "select", "select", 1, "select", 2, "select", 3, "select", 4]),
        (9, ["select"] * 6),
        ([3, 0, 1], ["select", "select", 2, "select", "select", 1, 3, "select", 4, "select", 5]),
    ],
)
def test_rewards_come_in_their_rounds_and_never_after_the_horizon(delay, told):
    policy = Records()
    policy.delay = delay
    assert played("delayed", policy) == [1, 0, 1, 0, 1, 0]
    assert [call if call == "select" else call[0] for call in policy.calls] == told
    for call in policy.calls:
        if call != "select":
            assert call[1] == TABLE[call[0] - 1, call[0] % 2]


class Learns:
    """Plays by its last reward, from its own coins: under bandit feedback, and delayed by no rounds."""

    delay = 0

    def __init__(self, rng):
        self.rng, self.mean = rng, 0.5

    def select(self):
        return int(self.rng.random() < self.mean)

    def update(self, _, reward):
        self.mean = 0.9 * reward


class LearnsInBatches(Learns):
    batch = 1

    def act(self, n):
        assert n == 1
        return [self.select()]

    def learn(self, actions, rewards):
        self.update(actions[0], rewards[0])


@pytest.mark.parametrize(("name", "policy"), [("delayed", Learns), ("batch", LearnsInBatches)])
def test_no_delay_and_batches_of_one_are_bandit_feedback(name, policy):
    """The same report, digit for digit, apart from what the kind is called."""
    options = {"epsilon": 1.0, "arms": 2, "horizon": 6, "runs": 2000, "pairs": 20}
    one = privcheck.audit(Learns, **options).to_dict()
    other = privcheck.audit(policy, feedback=name, **options).to_dict()
    different = {key for key in one if one[key] != other[key]}
    assert different <= {
        "feedback",
        "seconds",
        "target",
        "faults",
        "notes",
        "certificate",
        "simplest",
        "simplest_lower",
    }
    assert one["epsilon_lower"] == other["epsilon_lower"] > 1.0


@pytest.mark.parametrize("stated", [0, -1, True, 1.5, "4", None, [], [4, 0], [[1, 2]], [1, [2]], float("nan")])
@pytest.mark.parametrize(("name", "attribute"), [("batch", "batch"), ("delayed", "delay")])
def test_sizes_and_delays_are_integers(name, attribute, stated):
    if attribute == "delay" and stated in (0, [4, 0]):
        return
    policy = type("Stated", (Records,), {attribute: stated})
    with pytest.raises(PolicyError, match=f"{attribute}: got .* expected an integer of at least"):
        privcheck.audit(policy, epsilon=1.0, arms=2, horizon=6, runs=100, feedback=name)


@pytest.mark.parametrize(("name", "attribute"), [("batch", "batch"), ("delayed", "delay")])
def test_they_have_to_be_stated(name, attribute):
    class Silent:
        def __init__(self, rng):
            pass

        select = update = act = learn = lambda *args: 0

    with pytest.raises(PrivcheckError, match=f"target: got Silent, which has no attribute {attribute}, .*; add"):
        privcheck.audit(Silent, epsilon=1.0, arms=2, horizon=6, runs=100, feedback=name)


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        (0, "actions in rounds 1 to 4: got 0, expected a sequence of integers"),
        ([0, 1], "actions in rounds 1 to 4: got 2 arms, expected 4 arms, as act"),
        (np.array(1), "actions in rounds 1 to 4: got one number"),
        (np.zeros((4, 2), int), "actions in rounds 1 to 4: got .*expected an integer, the arm to play"),
        ([0, 1, 2, 0], "actions in rounds 1 to 4: got 2, expected an arm in 0, ..., 1"),
        (["0"] * 4, "actions in rounds 1 to 4: got '0', expected an integer"),
        (None, "actions in rounds 1 to 4: got None"),
    ],
)
def test_actions_of_a_batch(actions, message):
    policy = type("Returns", (Records,), {"act": lambda self, n: actions})
    with pytest.raises(PolicyError, match=message):
        privcheck.audit(policy, epsilon=1.0, arms=2, horizon=6, runs=100, feedback="batch")


@pytest.mark.parametrize("name", ["batch", "delayed"])
def test_a_policy_of_another_kind_is_told_how_it_is_called(name):
    class Contextual:
        batch, delay = 2, 1

        def __init__(self, rng):
            pass

        def select(self, context):
            return 0

        def act(self, context, n):
            return [0] * n

        def update(self, context, action, reward):
            pass

        learn = update

    with pytest.raises(
        PolicyError, match=rf"TypeError.*, expected {kind(name).call.replace('(', '.').replace(')', '.')}"
    ):
        privcheck.audit(Contextual, epsilon=1.0, arms=2, horizon=6, runs=100, feedback=name)
