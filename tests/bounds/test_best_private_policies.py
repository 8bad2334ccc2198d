"""Minimax lower bounds against the best epsilon-DP policy of a few rounds, by a linear programme over all policies."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import lil_matrix

from privcheck.bounds import THEOREMS, Instance


def least_regret(instances, epsilon, rounds):
    """Least sum of the regrets in two Bernoulli instances with two arms, over epsilon-DP policies.

    A policy is given by the probabilities of playing a_1, ..., a_t when the rewards of the rounds before are r_1, ...,
    r_(t-1): these are linear in each other. It is private if the probability of every sequence of actions changes by at
    most e^epsilon when one reward changes. The last reward decides nothing.
    """
    places = {}
    for t in range(1, rounds + 1):
        for actions in itertools.product((0, 1), repeat=t):
            for rewards in itertools.product((0, 1), repeat=t - 1):
                places[actions, rewards] = len(places)
    sums, right = lil_matrix((len(places) // 2, len(places))), []
    for row, (actions, rewards) in enumerate(key for key in places if key[0][-1] == 0):
        sums[row, places[actions, rewards]] = sums[row, places[(*actions[:-1], 1), rewards]] = 1
        if len(actions) > 1:
            sums[row, places[actions[:-1], rewards[:-1]]] = -1
        right.append(float(len(actions) == 1))
    last = [key for key in places if len(key[0]) == rounds]
    private, row = lil_matrix((len(last) * (rounds - 1), len(places))), 0
    for actions, rewards in last:
        for changed in range(rounds - 1):
            other = (*rewards[:changed], 1 - rewards[changed], *rewards[changed + 1 :])
            private[row, places[actions, rewards]] = 1
            private[row, places[actions, other]] = -math.exp(epsilon)
            row += 1
    cost = np.zeros(len(places))
    for means in instances:
        for (actions, rewards), place in places.items():
            seen = zip(actions[:-1], rewards, strict=True)
            chance = math.prod(means[a] if r else 1 - means[a] for a, r in seen)
            cost[place] += chance * (max(means) - means[actions[-1]])
    found = linprog(cost, private.tocsr(), np.zeros(row), sums.tocsr(), right, method="highs")
    assert found.status == 0
    return found.fun


@pytest.mark.parametrize(("epsilon", "rounds"), [(1.0, 2), (1.0, 4), (0.5, 4), (0.7, 5)])
def test_the_best_private_policy_regrets_at_least_the_bernoulli_bound(epsilon, rounds):
    gap = 4 / (9 * epsilon * rounds)
    instances = [(0.5 + gap, 0.5), (0.5 + gap, 0.5 + 2 * gap)]
    row = THEOREMS["azize-basu-2022/thm2-bernoulli"].evaluate(
        Instance("bernoulli", (0.5, 0.5), epsilon=epsilon, horizon=rounds)
    )
    least = least_regret(instances, epsilon, rounds) / 2
    assert row.applies
    assert row.value <= least
    assert least_regret(instances, 12.0, rounds) / 2 < least - 1e-3, "so the programme sees the privacy"
    assert least < 5 * row.value, "so a bound 5 times as large would be noticed"
