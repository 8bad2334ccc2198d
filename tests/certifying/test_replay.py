"""Transcript replay: the exact loss of a transcript, by hand from its tape, and raw data that steers a policy."""

from __future__ import annotations

import math

import numpy as np
import pytest

from privcheck.bandits.adap_ucb import AdaPUCB
from privcheck.bandits.rnm_ftnl import RNMFTNL
from privcheck.bandits.ucb import UCB
from privcheck.certifying import drive
from privcheck.certifying._replay import replay
from privcheck.errors import PolicyError
from privcheck.mechanisms import Laplace
from privcheck.mechanisms.base import recording
from privcheck.mechanisms.tape import DivergenceError, ForcedTape, Tape

ADAP = AdaPUCB(arms=3, epsilon=0.8)


def neighbours(seed, horizon=40, arms=3):
    """Return a stream and those that differ from it in one round, all rounds in turn."""
    rng = np.random.default_rng(seed)
    first = rng.random((horizon, arms))
    seconds = []
    for t in range(horizon):
        second = first.copy()
        second[t] = rng.random(arms)
        seconds.append(second)
    return first, seconds


def recorded(build, table, seed=0, feedback="bandit"):
    tape = Tape(np.random.default_rng([seed, 1]))
    return tape, drive(build(np.random.default_rng([seed, 0])), table, tape, feedback)


def forced(build, table, tape, seed=0, feedback="bandit"):
    again = ForcedTape(tape.releases)
    return again, drive(build(np.random.default_rng([seed, 0])), table, again, feedback)


@pytest.mark.parametrize("seed", range(5))
def test_the_loss_of_adap_ucb_is_what_its_tape_says(seed):
    """By hand: which blocks hold the changed round follows from the actions; a block's mean moves by change / n."""
    first, seconds = neighbours(seed)
    tape, actions = recorded(ADAP.build, first, seed)
    losses = []
    for t, second in enumerate(seconds):
        again, played = forced(ADAP.build, second, tape, seed)
        assert played == actions
        by_hand, start = 0.0, 0
        for release in tape.releases:
            n = round(1.0 / release.mechanism.sensitivity)
            block = range(start, start + n)
            start += n
            if t in block:
                one, two = (sum(table[s, actions[s]] for s in block) / n for table in (first, second))
                scale = (1.0 / n) * (1.0 + 4e-9) / 0.8
                by_hand = (abs(release.output - two) - abs(release.output - one)) / scale
                assert abs(by_hand) <= abs(one - two) / scale + 1e-9
                if not min(one, two) < release.output < max(one, two):
                    assert abs(by_hand) == pytest.approx(abs(one - two) / scale, rel=1e-6)
        assert again.log_ratio == pytest.approx(by_hand, abs=1e-9)
        losses.append(abs(by_hand))
    found = replay(ADAP.build, [(first, second) for second in seconds], [seed], "bandit")
    assert (found.replays, found.divergences, found.first_divergence) == (40, 0, None)
    assert found.largest_loss == pytest.approx(max(losses), rel=1e-9)
    assert 0.05 < found.largest_loss <= 0.8


def test_identical_streams_lose_nothing():
    for algorithm, feedback in ((ADAP, "bandit"), (RNMFTNL(arms=3, epsilon=1.0), "full")):
        first, _ = neighbours(3)
        found = replay(algorithm.build, [(first, first.copy())], [0, 1, 2], feedback)
        assert (found.replays, found.divergences, found.largest_loss) == (3, 0, 0.0)


def test_a_change_that_no_released_block_holds_loses_nothing():
    """The last block of AdaP-UCB never closes: its rewards are in no release."""
    first, seconds = neighbours(2, horizon=41)
    tape, _ = recorded(ADAP.build, first)
    released = sum(round(1.0 / release.mechanism.sensitivity) for release in tape.releases)
    assert 20 < released < 41
    for t, second in enumerate(seconds):
        again, _ = forced(ADAP.build, second, tape)
        assert (again.log_ratio == 0.0) == (t >= released)


def test_both_directions_have_opposite_losses():
    first, seconds = neighbours(4)
    tape, _ = recorded(ADAP.build, first)
    again, _ = forced(ADAP.build, seconds[0], tape)
    mechanism, value, output = (getattr(tape.releases[0], name) for name in ("mechanism", "value", "output"))
    other = seconds[0][0, 0]
    assert again.log_ratio == mechanism.log_ratio(output, value, other) == -mechanism.log_ratio(output, other, value)


class Branches:
    """Releases every reward, and plays arm 1 from the round after the raw sum exceeds 2.5."""

    def __init__(self, rng):
        self.total, self.noisy = 0.0, []

    def select(self):
        return int(self.total > 2.5)

    def update(self, action, reward):
        self.total += reward
        self.noisy.append(Laplace(sensitivity=1.0, epsilon=1.0).release(reward, None))


@pytest.mark.parametrize("changed", [1, 3, 5])
def test_a_branch_on_a_raw_sum_diverges_in_the_right_round(changed):
    """Five rewards of 1 switch the arm in round 4; with one of the first three set to 0 they switch in round 5."""
    first = np.ones((8, 2))
    second = first.copy()
    second[changed - 1] = 0.0
    found = replay(Branches, [(first, second)], [0], "bandit")
    if changed == 5:
        assert (found.divergences, found.first_divergence) == (0, None)
        return
    seen = found.first_divergence
    assert (found.divergences, seen.round) == (1, 4)
    assert (seen.actions_first, seen.actions_second) == ((0, 0, 0, 1), (0, 0, 0, 0))
    assert seen.reason == "the actions differ although the coins and all releases are the same"
    assert np.array_equal(seen.first, first)
    assert np.array_equal(seen.second, second)


class ReleasesWhenRich(Branches):
    """Releases only rewards above one half, with more noise above three quarters."""

    def select(self):
        return 0

    def update(self, action, reward):
        if reward > 0.5:
            Laplace.with_scale(2.0 if reward > 0.75 else 1.0).release(reward, None)


@pytest.mark.parametrize(
    ("one", "two", "round_number", "reason"),
    [
        ([0.6, 0.6, 0.6], [0.6, 0.0, 0.6], 3, "the other stream makes fewer releases"),
        ([0.6, 0.0, 0.6], [0.6, 0.6, 0.6], 3, "release 3 happens on one stream only"),
        ([0.6, 0.6, 0.0], [0.6, 0.9, 0.0], 2, "release 2 is made with another mechanism or shape on the other stream"),
    ],
)
def test_raw_data_that_decide_whether_to_release_diverge(one, two, round_number, reason):
    pair = tuple(np.repeat(np.array(rewards)[:, np.newaxis], 2, axis=1) for rewards in (one, two))
    found = replay(ReleasesWhenRich, [pair], [0], "bandit")
    assert (found.divergences, found.first_divergence.round, found.first_divergence.reason) == (1, round_number, reason)


def test_ucb_diverges_and_its_divergence_is_the_first_one():
    first, seconds = neighbours(6)
    pairs = [(first, second) for second in seconds]
    found = replay(UCB(arms=3).build, pairs, [0], "bandit")
    assert found.divergences > 10
    assert found.largest_loss == 0.0
    by_pair = [replay(UCB(arms=3).build, [pair], [0], "bandit") for pair in pairs]
    assert found.divergences == sum(each.divergences for each in by_pair)
    earliest = next(each for each in by_pair if each.divergences).first_divergence
    assert (earliest.round, earliest.actions_second) == (
        found.first_divergence.round, found.first_divergence.actions_second,
    )  # fmt: skip


class Coins(Branches):
    """Plays by its own coins: those stay in step with the recorded run, whatever the noise takes."""

    def __init__(self, rng):
        self.rng = rng

    def select(self):
        return int(self.rng.integers(2))

    def update(self, action, reward):
        Laplace(sensitivity=1.0, epsilon=1.0).release(reward, self.rng)


def test_the_policys_own_coins_do_not_diverge():
    first, seconds = neighbours(1, horizon=20, arms=2)
    found = replay(Coins, [(first, second) for second in seconds], [0, 1], "bandit")
    assert (found.replays, found.divergences) == (40, 0)
    assert 0.0 < found.largest_loss <= 1.0


def test_two_releases_of_one_reward_add_up():
    class Twice(Coins):
        def update(self, action, reward):
            super().update(action, reward)
            super().update(action, reward)

    first, second = np.zeros((6, 2)), np.zeros((6, 2))
    second[2] = 1.0
    found = replay(Twice, [(first, second)], list(range(40)), "bandit")
    assert found.largest_loss == pytest.approx(2.0, rel=1e-8)


def test_a_tape_is_noise_of_its_own_and_forces_what_it_recorded():
    tape = Tape(np.random.default_rng(0))
    mechanism = Laplace.with_scale(2.0)
    with recording(tape):
        outputs = [mechanism.release(value, None) for value in (0.25, np.array([1.0, 2.0]))]
    again = ForcedTape(tape.releases)
    with recording(again):
        assert mechanism.release(0.75, None) == outputs[0]
        assert mechanism.release(np.array([1.0, 2.0]), None).tolist() == outputs[1].tolist()
        with pytest.raises(DivergenceError):
            mechanism.release(0.25, None)
    expected = (abs(outputs[0] - 0.75) - abs(outputs[0] - 0.25)) / 2.0
    assert math.isclose(again.log_ratio, expected, rel_tol=1e-12)


@pytest.mark.parametrize(("action", "expected"), [(2, "an arm in 0, ..., 1"), (0.5, "an integer, the arm to play")])
def test_an_action_that_is_no_arm_fails_the_policy(action, expected):
    class Plays(Coins):
        def select(self):
            return action

    with pytest.raises(PolicyError, match="action in round 1") as caught:
        replay(Plays, [(np.zeros((4, 2)), np.ones((4, 2)))], [0], "bandit")
    assert caught.value.expected == expected


def test_a_policy_that_raises_is_named_with_its_line():
    class Raises(Coins):
        def update(self, action, reward):
            raise KeyError("lost")

    with pytest.raises(PolicyError, match=r"round 1: got KeyError: 'lost' \(test_replay\.py, line \d+\)"):
        replay(Raises, [(np.zeros((4, 2)), np.ones((4, 2)))], [0], "bandit")


class ChangesItsRelease:
    """Changes a released array in place, which is its own."""

    def __init__(self, rng):
        self.rng, self.theta, self.sums = rng, np.zeros(2), np.zeros(2)

    def select(self):
        return int(self.theta[0] > 0.0)

    def update(self, action, reward):
        self.sums[action] += reward
        self.theta = Laplace(sensitivity=1.0, epsilon=1.0).release(self.sums, self.rng)
        self.theta -= 3.0
        self.sums = np.zeros(2)


def test_a_policy_may_change_what_was_released():
    rng = np.random.default_rng(0)
    first = rng.integers(0, 2, (10, 2)).astype(float)
    second = first.copy()
    second[4] = 1.0 - second[4]
    result = replay(ChangesItsRelease, [(first, second)], [0, 1, 2, 3, 4], "bandit")
    assert (result.divergences, result.largest_loss <= 1.0) == (0, True)
    assert result.largest_loss > 0.0
