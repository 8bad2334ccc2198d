"""What a refused release says to do: how much noise is enough, or who releases the same rewards twice in a round."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import privcheck
from privcheck import guard
from privcheck.accounting import ReleaseRefusedError
from privcheck.mechanisms import Gaussian, Laplace


class Flushes:
    """Releases a batch when it is full, and at the horizon what is left, which can be the batch just released."""

    def __init__(self, rng, epsilon=1.0, horizon=8):
        self.rng, self.epsilon, self.horizon = rng, epsilon, horizon
        self.t, self.sum, self.seen = 0, 0.0, [0.0]

    def select(self):
        return int(self.seen[-1] > 2.0)

    def update(self, action, reward):
        self.t += 1
        self.sum += reward
        if self.t % 4 == 0:
            self.publish()  # full
        if self.t == self.horizon:
            self.publish()  # at the end
        if self.t % 4 == 0:
            self.sum = 0.0

    def publish(self):
        self.seen.append(float(self.sum + self.rng.laplace(0.0, 1.0 / self.epsilon)))


class Repeats(Flushes):
    """Releases each batch twice in a loop."""

    def update(self, action, reward):
        self.t += 1
        self.sum += reward
        if self.t % 4 == 0:
            for _ in range(2):
                self.publish()
            self.sum = 0.0


class Flushed(Flushes):
    """Releases each batch once."""

    def update(self, action, reward):
        self.t += 1
        self.sum += reward
        if self.t % 4 == 0 or self.t == self.horizon:
            self.publish()
            self.sum = 0.0


class ByMechanism(Flushes):
    """Releases by a mechanism in place of noise of its own."""

    def publish(self):
        noise = Laplace(sensitivity=1.0, epsilon=self.epsilon)
        self.seen.append(noise.release(self.sum, self.rng))


class Prefixes(Flushes):
    """Releases two sums that hold the same rewards, by one line of a loop."""

    def update(self, action, reward):
        self.t += 1
        self.sum += reward
        for weight in (1.0, 0.5):
            self.seen.append(float(weight * self.sum + self.rng.laplace(0.0, 1.0 / self.epsilon)))
        self.sum = 0.0


def refusals_of(policy, **given):
    """Return what the guard says when it refuses a release within 8 rounds, in a list; an empty one if it does not."""
    guarded = guard(policy, arms=2, **(given if given.keys() & {"epsilon", "rho", "mu"} else {"epsilon": 1.0} | given))
    try:
        for _ in range(8):
            guarded.update(guarded.select(), 0.25)
    except ReleaseRefusedError as refused:
        return [str(refused)]
    return []


def line_of(policy, text):
    lines, first = inspect.getsourcelines(policy)
    return first + next(number for number, line in enumerate(lines) if text in line)


@pytest.mark.parametrize("policy", [Flushes, ByMechanism])
def test_a_value_released_by_two_callers_names_both_lines(policy):
    full, end = (f"{__file__.rpartition('/')[2]}:{line_of(Flushes, text)}" for text in ("# full", "# at the end"))
    for refusal in refusals_of(policy):
        assert refusal.endswith(
            f"; 1 was charged before, by the same line in the same round: called from {full}, and now from {end}; each "
            "release is charged in full, so make one"
        )
        assert "zeros" not in refusal
    assert refusals_of(policy)


def test_a_value_released_twice_in_a_loop_is_told_apart_from_one_for_each_arm():
    refusals = refusals_of(Repeats)
    assert refusals
    for refusal in refusals:
        assert "by the same line in the same round, for the same value: each release" in refusal
        assert "zeros" not in refusal


def test_two_values_of_one_loop_are_not_called_the_same():
    refusals = refusals_of(Prefixes)
    assert refusals
    for refusal in refusals:
        assert "also by the same line in the same round" in refusal
        assert "for the same value" not in refusal
        assert "called from" not in refusal


def test_a_value_released_once_is_not_refused():
    assert refusals_of(Flushed) == []


class Sums:
    """Releases the sum of each four rewards, or of one reward for each entry of an array."""

    def __init__(self, rng, scale, mechanism=None, entries=1, factor=1.0):
        self.rng, self.scale, self.mechanism, self.entries, self.factor = rng, scale, mechanism, entries, factor
        self.kept, self.seen = [], 0.0

    def select(self):
        return int(self.seen > 1.0)

    def update(self, action, reward):
        self.kept.append(self.factor * reward)
        if len(self.kept) == 4:
            total = sum(self.kept)
            if self.entries > 1:
                total = privcheck.zeros(self.entries) + total
            if self.mechanism is None:
                noised = total + self.rng.laplace(0.0, self.scale, self.entries if self.entries > 1 else None)
            else:
                noised = self.mechanism.with_scale(self.scale).release(total, self.rng)
            self.seen, self.kept = float(np.sum(noised)), []


def sums(**given):
    return lambda rng: Sums(rng, **given)


@pytest.mark.parametrize(
    ("given", "budget", "said", "enough"),
    [
        (
            {"scale": 0.5},
            {"epsilon": 1.0},
            "moves this value by 1 and the scale is 0.5; a scale of 1 is",
            {"scale": 1.0},
        ),
        (
            {"scale": 0.5, "factor": 2.0},
            {"epsilon": 0.3},
            "moves this value by 2 and the scale is 0.5; a scale of 6.66667 is",
            {"scale": 6.66667},
        ),
        (
            {"scale": 0.5, "mechanism": Laplace},
            {"epsilon": 1.0},
            "moves this value by 1 and the scale is 0.5; a scale of 1 is",
            {"scale": 1.0},
        ),
        (
            {"scale": 0.5, "mechanism": Gaussian},
            {"rho": 0.3},
            "and the standard deviation is 0.5; a standard deviation of 1.291 is",
            {"scale": 1.291},
        ),
        (
            {"scale": 0.5, "mechanism": Gaussian},
            {"mu": 0.3},
            "and the standard deviation is 0.5; a standard deviation of 3.33334 is",
            {"scale": 3.33334},
        ),
        ({"scale": 0.5, "entries": 3}, {"epsilon": 1.0}, "noise of 6 times its scale is", {"scale": 3.0}),
    ],
)
def test_a_first_release_names_the_noise_that_is_enough_and_it_is(given, budget, said, enough):
    (refusal, *_) = refusals_of(sums(**given), **budget)
    (name, value), *_ = budget.items()
    assert "nothing was charged before this release, which is too much by itself: " in refusal
    assert f"{said} enough for {name} = {value:g}" in refusal
    assert refusals_of(sums(**given | enough), **budget) == []
    less = {"scale": enough["scale"] * (1 - 1e-5)}
    assert refusals_of(sums(**given | less), **budget) != []


def test_no_number_is_given_where_none_is_exact():
    for given, budget in (
        ({"scale": 0.5}, {"epsilon": 1.0, "delta": 1e-6}),
        ({"scale": 0.5}, {"mu": 0.5}),
        ({"scale": 0.5, "mechanism": Gaussian}, {"epsilon": 1.0, "delta": 1e-6}),
    ):
        (refusal, *_) = refusals_of(sums(**given), **budget)
        assert refusal.endswith("too much by itself: use more noise")


@pytest.mark.parametrize("clipped", [False, True])
def test_a_wide_range_names_a_clip_for_rewards_that_come_as_they_are(clipped):
    class Clips(Sums):
        def update(self, action, reward):
            super().update(action, min(1.0, max(0.0, reward)) if clipped else reward)

    refusals = refusals_of(lambda rng: Clips(rng, 0.5), rewards=(-1.0, 2.0))
    assert ("min(1, max(0, reward))" in refusals[0]) is not clipped
    assert (refusals_of(lambda rng: Clips(rng, 1.0), rewards=(-1.0, 2.0)) == []) is clipped


class Bins:
    """Counts rewards in three bins and releases the counts one by one, with noise for the two that a reward moves."""

    def __init__(self, rng, epsilon=1.0):
        self.rng, self.epsilon, self.counts = rng, epsilon, [0.0, 0.0, 0.0]

    def select(self):
        return 0

    def update(self, action, reward):
        self.counts[0] += reward < 0.3
        self.counts[1] += 0.3 <= reward < 0.6
        self.counts[2] += reward >= 0.6
        self.shown = [self.noisy(count) for count in self.counts]
        self.counts = [0.0, 0.0, 0.0]

    def noisy(self, count):
        return float(count + self.rng.laplace(0.0, 2.0 / self.epsilon))


class BinsByMechanism(Bins):
    """The same with a mechanism of a declared sensitivity."""

    def noisy(self, count):
        return Laplace(sensitivity=2.0, epsilon=self.epsilon).release(count, self.rng)


class BinsAbove(Bins):
    """The same with noise for a little more than the budget."""

    def noisy(self, count):
        return float(count + self.rng.laplace(0.0, 2.0 / (1.0 + 1e-7)))


class BinsAndSum(Bins):
    """Releases two counts, and a sum beside them that costs less together with them than alone, but not nothing."""

    def update(self, action, reward):
        first, second = (reward < 0.3) * 1.0, (reward >= 0.6) * 1.0
        self.shown = [self.noisy(first), self.noisy(second), self.noisy(reward + first)]


@pytest.mark.parametrize("policy", [Bins, BinsByMechanism])
def test_releases_that_cost_the_whole_budget_together_are_made(policy):
    assert refusals_of(policy) == []


def test_a_total_just_above_the_budget_does_not_read_like_the_budget():
    (refusal,) = refusals_of(BinsAbove)
    assert "takes the reward of round 1 to 1.0000001, expected at most epsilon = 1 per datum" in refusal


def test_a_release_that_costs_less_after_others_is_not_said_to_be_charged_in_full():
    (refusal,) = refusals_of(BinsAndSum)
    assert "what one change of the datum moves in all of them" in refusal
    assert "in full" not in refusal
