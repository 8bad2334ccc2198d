"""Adjusted p-values of many tests: against brute force, and calibrated on counts of true and of broken claims."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from privcheck import PrivcheckError
from privcheck.inference import false_discovery, holm, p_value, two_tails_p_value


def closed_bonferroni(values):
    """The closed test of Bonferroni's: a hypothesis is refuted if every subset with it is; Holm's is this shortcut."""
    m, adjusted = len(values), np.zeros(len(values))
    for size in range(1, m + 1):
        for subset in itertools.combinations(range(m), size):
            p = min(1.0, size * min(values[i] for i in subset))
            for i in subset:
                adjusted[i] = max(adjusted[i], p)
    return adjusted


def step_up(values, level, factor):
    """Whether each is refuted at a level: the largest j with p_(j) <= j level / (factor m), and all up to it."""
    m, order = len(values), np.argsort(values, kind="stable")
    passing = [j for j in range(1, m + 1) if values[order[j - 1]] <= j * level / (factor * m)]
    refuted = np.zeros(m, bool)
    refuted[order[: max(passing, default=0)]] = True
    return refuted


@pytest.mark.parametrize("seed", range(20))
def test_holm_is_the_closed_test(seed):
    rng = np.random.default_rng(seed)
    values = rng.random(6) ** 3
    values[seed % 6] = values[0]  # with ties
    assert holm(values) == pytest.approx(closed_bonferroni(values), abs=1e-15)


@pytest.mark.parametrize("independent", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_false_discovery_is_the_step_up_test(seed, independent):
    values = np.random.default_rng(seed).random(8) ** 3
    factor = 1.0 if independent else sum(1 / j for j in range(1, 9))
    for level in (0.01, 0.05, 0.2, 0.5):
        expected = step_up(values, level, factor)
        assert ((false_discovery(values, independent=independent) <= level) == expected).all()


def test_one_claim_is_not_adjusted():
    assert holm([0.03]).tolist() == false_discovery([0.03]).tolist() == [0.03]


@pytest.mark.parametrize("bad", [[], 0.5, [0.5, 1.1], [-0.1], [math.nan], ["a"], [[0.1]], None])
@pytest.mark.parametrize("adjust", [holm, false_discovery])
def test_other_numbers_are_refused(adjust, bad):
    with pytest.raises(PrivcheckError, match=r"p_values: got .* expected one or more numbers in \[0, 1\]"):
        adjust(bad)


CLAIM, RUNS, TRUE, BROKEN, FAMILIES, LEVEL = 1.0, 400, 15, 5, 1500, 0.1


def families(delta, seed, *, shared=False):
    """Return p-values of families of claims at their boundary and of broken ones, shape (families, claims).

    Runs of true claims are the same for all of them if they are shared, which is as dependent as it gets.
    """
    rng = np.random.default_rng(seed)
    low = 0.2
    high, broken = delta + low * math.exp(CLAIM), delta + low * math.exp(CLAIM + 0.45)
    cache = {}

    def p(k, l):
        if (k, l) not in cache:
            value = p_value(k, l, RUNS, CLAIM, delta, 1e-4) if delta else two_tails_p_value(k, l, 0, 0, CLAIM)
            cache[k, l] = value
        return cache[k, l]

    found = np.empty((FAMILIES, TRUE + BROKEN))
    for family in found:
        more = rng.binomial(RUNS, [high] * TRUE + [broken] * BROKEN)
        less = rng.binomial(RUNS, low, TRUE + BROKEN)
        if shared:
            more[:TRUE], less[:TRUE] = more[0], less[0]
        family[:] = [p(int(k), int(l)) for k, l in zip(more, less, strict=True)]
    return found


def most(rate):
    """Return the largest share that 1500 families show with probability 1 - 1e-6, by Hoeffding's inequality."""
    return rate + math.sqrt(math.log(1e6) / (2 * FAMILIES))


@pytest.mark.chance(2e-6, "a share of families and a mean share of claims, by Hoeffding's inequality at 1e-6")
@pytest.mark.parametrize("shared", [False, True])
def test_both_rates_are_kept(shared):
    """False failures by Hoeffding's inequality.

    Unadjusted, the family-wise rate is above a half: the test can fail.
    """
    found = families(0.0, 3, shared=shared)
    wrong = np.array([(holm(p)[:TRUE] <= LEVEL).any() for p in found])
    assert wrong.mean() <= most(LEVEL)
    refuted = np.array([false_discovery(p, independent=not shared) <= LEVEL for p in found])
    share = refuted[:, :TRUE].sum(axis=1) / np.maximum(1, refuted.sum(axis=1))
    assert share.mean() <= most(LEVEL)
    assert refuted[:, TRUE:].mean() > 0.3
    if not shared:
        assert (found[:, :TRUE] <= LEVEL).any(axis=1).mean() > most(LEVEL) + 0.1


@pytest.mark.chance(1e-6, "a share of families, by Hoeffding's inequality")
def test_rates_are_kept_with_delta():
    found = families(1e-2, 4)
    assert np.mean([(holm(p)[:TRUE] <= LEVEL).any() for p in found]) <= most(LEVEL)
