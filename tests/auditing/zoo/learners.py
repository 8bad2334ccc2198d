"""Bandits whose actions are all that is seen."""

import numpy as np
from scipy.stats import laplace

from .twins import Twins, largest_log_ratio, policy

ROUNDS = 8
EXPLORED = 4
"""Rounds in which the arms take turns, before anything is decided."""


def explore(table, runs):
    """Return zero actions, shape (runs, T), with the turns filled in, and the sum of each arm's rewards in them."""
    actions = np.zeros((runs, len(table)), int)
    actions[:, :EXPLORED] = np.arange(EXPLORED) % 2
    return actions, _sums(table)


def _sums(table):
    return np.array([table[arm:EXPLORED:2, arm].sum() for arm in (0, 1)])


def corrects_by_increments(weight):
    """Release block sums with noise; the estimate that decides adds `weight` times what came since."""

    def play(table, rng, runs):
        actions = np.zeros((runs, len(table)), int)
        released, since = np.zeros(runs), np.zeros(runs)
        for t in range(len(table)):
            actions[:, t] = released + weight * since > t / 2
            since += table[t, actions[:, t]]
            if t % 4 == 3:
                released, since = released + since + rng.laplace(size=runs), np.zeros(runs)
        return actions

    return policy(play)


def follows_prefixes(*, tree):
    """Play arm 1 when the noisy sum of all rewards so far is above half of the rounds; noise for a tree of 5 levels."""

    def play(table, rng, runs):
        actions = np.zeros((runs, len(table)), int)
        total, nodes = np.zeros(runs), np.zeros((5, runs))
        for t in range(1, len(table)):
            total += table[t - 1, actions[:, t - 1]]
            done = (t & -t).bit_length() - 1
            nodes[done] = rng.laplace(scale=5.0, size=runs)
            noise = sum(nodes[level] for level in range(5) if t >> level & 1)
            actions[:, t] = total + (noise if tree else nodes[done]) > t / 2
        return actions

    return policy(play)


def eliminates(*, on_raw_means):
    """Drop the arm that is behind after the turns, and show a noisy difference of sums by a last action."""

    def play(table, rng, runs):
        actions, sums = explore(table, runs)
        noisy = sums + rng.laplace(size=(runs, 2))
        compared = np.broadcast_to(sums, (runs, 2)) if on_raw_means else noisy
        far_behind = np.abs(compared[:, 0] - compared[:, 1]) > 1.5
        actions[:, EXPLORED:] = np.where(far_behind, np.argmax(noisy, axis=1), 0)[:, np.newaxis]
        actions[:, EXPLORED + 1 :: 2] ^= ~far_behind[:, np.newaxis]
        return actions

    return policy(play)


def stops(*, on_raw_means):
    """Identify the best arm: after each pair of rounds, stop when one sum is ahead of the other by more than 1.5.

    The correct one compares sums of disjoint pairs of rounds with noise.
    """

    def play(table, rng, runs):
        arms, stopped = table.shape[1], np.zeros(runs, bool)
        actions = np.full((runs, len(table) + 1), arms)
        ahead = np.zeros(runs)
        for t in range(0, len(table), 2):
            actions[~stopped, t], actions[~stopped, t + 1] = 0, 1
            pair = table[t, 0] - table[t + 1, 1]
            ahead = np.where(stopped, ahead, ahead + pair + (0.0 if on_raw_means else rng.laplace(size=runs)))
            stopped |= np.abs(ahead) > 1.5
        actions[stopped, -1] = ahead[stopped] < 0.0
        return actions

    return policy(play)


def plays_by_index(*, redrawn):
    """Play the arm with the larger noisy sum in every round after the turns."""

    def play(table, rng, runs):
        actions, sums = explore(table, runs)
        noise = rng.laplace(size=(runs, 1, 2))
        for t in range(EXPLORED, len(table)):
            noise = rng.laplace(size=(runs, 1, 2)) if redrawn else noise
            actions[:, t] = np.argmax(sums + noise[:, 0], axis=1)
        return actions

    return policy(play)


def redrawn_law(first, second):
    """Return the loss of independent choices, one a round: the difference of two Laplace noises in closed form."""

    def second_is_larger(sums):
        gap = sums[0] - sums[1]
        tail = (0.5 + abs(gap) / 4.0) * np.exp(-abs(gap))
        return tail if gap > 0.0 else 1.0 - tail

    rounds = len(first) - EXPLORED
    p, q = (second_is_larger(_sums(table)) for table in (first, second))
    return rounds * largest_log_ratio([p, 1.0 - p], [q, 1.0 - q])


def breaks_ties(*, by_raw_sums):
    """Compare noisy sums in steps of 10; ties go to the larger raw sum, or to arm 0."""

    def play(table, rng, runs):
        actions, sums = explore(table, runs)
        noisy = np.round((sums + rng.laplace(size=(runs, 2))) / 10.0)
        tie = int(sums[1] > sums[0]) if by_raw_sums else 0
        best = np.where(noisy[:, 0] == noisy[:, 1], tie, np.argmax(noisy, axis=1))
        actions[:, EXPLORED:] = best[:, np.newaxis]
        return actions

    return policy(play)


def ties_law(first, second):
    """Return the loss of the broken one, by summing over the steps of both sums."""
    edges = (np.arange(-6, 7) + 0.5) * 10.0

    def second_wins(sums):
        one, two = (np.diff(laplace.cdf(edges, loc=value)) for value in sums)
        joint = np.outer(one, two)
        return np.triu(joint, 1).sum() + np.trace(joint) * (sums[1] > sums[0])

    p, q = (second_wins(_sums(table)) for table in (first, second))
    return largest_log_ratio([p, 1.0 - p], [q, 1.0 - q])


BANDIT = {"arms": 2, "horizon": ROUNDS}

TWINS = [
    Twins(
        "prefixes with fresh noise",
        "with the scale of a tree of 5 levels; the first of 16 rewards is in 15 prefixes",
        follows_prefixes(tree=False),
        follows_prefixes(tree=True),
        runs=50_000,
        options=BANDIT | {"horizon": 16},
    ),
    Twins(
        "increments between releases",
        "what came since the last release is added without noise",
        corrects_by_increments(1.0),
        corrects_by_increments(0.0),
        options=BANDIT,
    ),
    Twins(
        "elimination on raw means",
        "which arm is dropped has noise, whether one is dropped has none",
        eliminates(on_raw_means=True),
        eliminates(on_raw_means=False),
        options=BANDIT,
    ),
    Twins(
        "stopping on raw means",
        "the stopping time has no noise",
        stops(on_raw_means=True),
        stops(on_raw_means=False),
        options=BANDIT | {"feedback": "identification"},
    ),
    Twins(
        "ties broken by raw means",
        "sums that are equal when rounded are compared without noise",
        breaks_ties(by_raw_sums=True),
        breaks_ties(by_raw_sums=False),
        options=BANDIT,
        law=ties_law,
    ),
    Twins(
        "noise redrawn for every index",
        "the sums of four rounds get new noise in each of the four later ones",
        plays_by_index(redrawn=True),
        plays_by_index(redrawn=False),
        options=BANDIT,
        law=redrawn_law,
    ),
]
