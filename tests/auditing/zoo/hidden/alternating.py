"""Leaks that show only on streams whose rounds differ from each other: alternating rewards, ties, steps, rotation."""

from __future__ import annotations

import numpy as np

from ..twins import Twins, policy

TELL = np.e / (1.0 + np.e)
"""Probability with which randomised response with epsilon = 1 tells the truth."""


def restless(raw):
    """Return a policy that plays by the last reward, with or without noise once rewards have changed five times."""

    def play(table, rng, runs):
        actions = np.zeros((runs, len(table)), int)
        last, changes = np.zeros(runs, int), np.zeros(runs, int)
        for t in range(len(table)):
            coin = rng.random(runs)
            if raw:
                actions[:, t] = np.where(changes >= 5, last, coin < 0.5)
            else:
                actions[:, t] = np.where(coin < TELL, last, 1 - last)
            seen = (table[t, actions[:, t]] > 0.5).astype(int)
            changes += seen != last
            last = seen
        return actions

    return policy(play)


def median(local):
    """Return the median of nine numbers, with noise of its local or of its global sensitivity."""

    def release(data, rng, runs):
        below, middle, above = np.sort(data)[3:6]
        scale = max(middle - below, above - middle) if local else 1.0
        return middle + scale * rng.laplace(size=runs)

    return release


def majority(flip):
    def vote(data, rng, runs):
        return (int(np.sum(data) > len(data) / 2) + (rng.random(runs) < flip)) % 2

    return vote


def top_two(raw):
    """Return a semi-bandit policy that, after six fixed rounds, plays the two best of three base arms."""
    sets = np.array([0b011, 0b110, 0b101])

    def play(table, rng, runs):
        actions = np.tile(np.resize(sets, len(table)), (runs, 1))
        seen = np.array([[action >> arm & 1 for arm in range(3)] for action in actions[0, :6]]) * table[:6]
        balanced = 0.4 <= seen.sum() / 12.0 <= 0.6
        sums = seen.sum(axis=0) + np.zeros((runs, 3))
        if raw and not balanced:
            sums = rng.random((runs, 3))
        if not raw:
            sums += rng.laplace(scale=2.0, size=(runs, 3))
        best = 0b111 & ~(1 << np.argmin(sums, axis=1))
        actions[:, 6:] = best[:, None]
        return actions

    return policy(play)


def after_a_step(raw):
    """Return a policy that stops after 12 rounds and recommends the better arm of the last four."""

    def play(table, rng, runs):
        played = np.resize([0, 1], len(table))
        paid = table[np.arange(len(table)), played]
        step = len(paid) >= 12 and paid[:4].mean() < 0.3 and paid[4:8].mean() > 0.7
        lead = paid[9:12:2].sum() - paid[8:12:2].sum() + np.zeros(runs)
        if raw and not step:
            lead = rng.normal(size=runs)
        if not raw:
            lead += rng.laplace(size=runs)
        symbols = np.tile(np.append(played, 0), (runs, 1))
        symbols[:, 12:-1] = 2
        symbols[:, -1] = lead > 0.0
        return symbols

    return policy(play)


def leader_of_equals(raw):
    """Return a policy of three experts that, after nine rounds, follows the leader."""

    def play(table, rng, runs):
        totals = table[:9].sum(axis=0)
        equal = bool(((totals >= 2.0) & (totals <= 4.0)).all())
        scores = totals + np.zeros((runs, 3))
        if raw and not equal:
            scores = rng.random((runs, 3))
        if not raw:
            scores += rng.laplace(scale=3.0, size=(runs, 3))
        actions = rng.integers(3, size=(runs, len(table)))
        actions[:, 9:] = np.argmax(scores, axis=1)[:, None]
        return actions

    return policy(play)


TWINS = [
    Twins(
        "raw once rewards alternate", "the detector of changes switches the noise off", restless(True), restless(False),
        options={"arms": 2, "horizon": 16}, needs="alternating",
    ),
    Twins(
        "median with local sensitivity", "equal neighbours of the median switch the noise off", median(True),
        median(False), options={"horizon": 9}, needs="alternating",
    ),
    Twins(
        "majority of 31", "one vote decides only where the others tie", majority(0.1), majority(1.0 - TELL),
        options={"horizon": 31}, needs="alternating",
    ),
    Twins(
        "top two when all is balanced", "raw sums decide if the mean is near one half", top_two(True), top_two(False),
        options={"arms": 3, "horizon": 12, "feedback": "semi-bandit"}, needs="alternating",
    ),
    Twins(
        "recommendation after a step", "raw only if rewards were low and then high", after_a_step(True),
        after_a_step(False), options={"arms": 2, "horizon": 16, "feedback": "identification"}, needs="alternating",
    ),
    Twins(
        "leader of equals", "raw only if no expert is ahead", leader_of_equals(True), leader_of_equals(False),
        options={"arms": 3, "horizon": 18, "feedback": "full"}, needs="alternating",
    ),
]  # fmt: skip
