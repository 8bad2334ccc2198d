"""Hu et al., Theorems 3 and 5, Corollaries 10 and 11: the orders, with the constants of the proofs put back."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privcheck.bounds import THEOREMS, Instance

GAPS = st.lists(st.integers(1, 1000), min_size=1, max_size=12).map(lambda gaps: [gap / 1000 for gap in gaps])
BUDGETS = st.floats(0.01, 10)


def bound(name, instance):
    return THEOREMS[f"hu-2021/{name}"].evaluate(instance)


def instance_of(gaps, epsilon, horizon=1000):
    return Instance("bernoulli", [1.0, *(1 - gap for gap in gaps)], epsilon=epsilon, horizon=horizon)


def explicit(gaps, epsilon):
    return bound("thm9-explicit", instance_of(gaps, epsilon)).value


# ---- Corollaries 10 and 11: what they conclude from Theorem 9


@settings(derandomize=True, deadline=None, max_examples=200)
@given(gaps=GAPS, epsilon=BUDGETS)
def test_corollary_10_follows_from_theorem_9_where_it_applies(gaps, epsilon):
    """(a) A geometric sum over the brackets, twice its first; (b) at most two brackets."""
    instance, size = instance_of(gaps, epsilon), 1 + math.log(len(gaps))
    smallest = 1 - (1 - min(gaps))
    (low, scale), value = (bound(name, instance) for name in ("cor10a", "cor10b")), explicit(gaps, epsilon)
    assert low.applies == all(gap <= epsilon for gap in instance.gaps)
    assert scale.applies == (max(instance.gaps) <= 2 * min(gap for gap in instance.gaps if gap > 0))
    if low.applies:
        assert value <= 528 * size / smallest * (1 + 1e-9)
    if scale.applies:
        assert value <= 528 * size / min(smallest, epsilon) * (1 + 1e-9)


def test_corollary_10_needs_its_conditions():
    """With a tenth of the budget, or with many scales, the same Theorem 9 is larger than what it concludes."""
    gaps = [0.9 / 2**level for level in range(12)]
    assert not bound("cor10a", instance_of(gaps, 1e-4)).applies
    assert explicit(gaps, 1e-4) > 10 * 528 / min(gaps)
    assert not bound("cor10b", instance_of(gaps, 1e-4)).applies
    assert explicit(gaps, 1e-4) > 5 * 528 / min(*gaps, 1e-4)


@settings(derandomize=True, deadline=None, max_examples=200)
@given(gaps=GAPS, epsilon=BUDGETS, horizon=st.integers(10, 10**9))
def test_corollary_11_splits_the_gaps_at_its_own_rate(gaps, epsilon, horizon):
    """Gaps below sqrt(ln K/T) lose at most sqrt(T ln K); the others what Theorem 9 says of them."""
    actions = math.log(len(gaps) + 1)
    split = math.sqrt(actions / horizon)
    large = [gap for gap in gaps if gap > split]
    by_parts = horizon * split + (explicit(large, epsilon) if large else 0.0)
    order = math.sqrt(horizon * actions) + actions * math.log(horizon) / epsilon
    assert bound("cor11", instance_of(gaps, epsilon, horizon)).applies
    assert by_parts <= 2000 * order


# ---- Theorems 3 and 5: simulated from the pseudo-code, every round


def simulate(index, means, epsilon, horizon, runs, rng):
    """Regret of a lazy policy after every round, shape (horizon,), mean of the runs, and its standard error at the end.

    Blocks of 1, 2, 4, ... pulls per arm; an arm's mean is released when its block is full, with noise Lap(1/epsilon).
    """
    means = np.array(means)
    rows, arms = np.arange(runs), len(means)
    size, open_, total = np.ones((runs, arms)), np.zeros((runs, arms)), np.zeros((runs, arms))
    released = (rng.random((runs, arms)) < means) + rng.laplace(0, 1 / epsilon, (runs, arms))
    lost, regret = np.full(runs, (means.max() - means).sum()), np.zeros(horizon)
    for t in range(arms + 1, horizon + 1):
        chosen = index(released, size, t).argmax(axis=1)
        total[rows, chosen] += rng.random(runs) < means[chosen]
        open_[rows, chosen] += 1
        lost += means.max() - means[chosen]
        regret[t - 1] = lost.mean()
        full = rows[open_[rows, chosen] == 2 * size[rows, chosen]]
        if len(full):
            arm = chosen[full]
            size[full, arm] *= 2
            released[full, arm] = (total[full, arm] + rng.laplace(0, 1 / epsilon, len(full))) / size[full, arm]
            total[full, arm] = open_[full, arm] = 0
    return regret, float(lost.std() / math.sqrt(runs))


MEANS, BUDGET, HORIZON = (0.9, 0.3), 0.5, 8000


def lazy_ucb(released, size, t):
    return released + np.sqrt(3 * math.log(t) / size) + 3 * math.log(t) / (BUDGET * size)


def lazy_ts(rng):
    def index(released, size, t):
        mean = np.clip(released + 3 * math.log(t) / (BUDGET * size), 0, 1)
        return rng.beta(mean * size + 1, (1 - mean) * size + 1)

    return index


def greedy(released, size, t):
    return released


@pytest.mark.chance(1e-8, "a mean of 40 runs more than 6 standard errors below the bound")
@pytest.mark.parametrize(("name", "constant"), [("thm3", 24), ("thm5", 72)])
def test_theorems_3_and_5_have_the_order_that_they_claim(name, constant):
    """A suboptimal arm is left alone after about 2^(d + 2) pulls, `d = log2(constant ln T/(gap min(gap, epsilon)))`.

    The mean of 40 runs is below by more than 6 standard errors, and doubles less than the
    horizon does.
    """
    rng = np.random.default_rng(11)
    index = lazy_ucb if name == "thm3" else lazy_ts(rng)
    regret, error = simulate(index, MEANS, BUDGET, HORIZON, 40, rng)
    row = bound(name, Instance("bernoulli", MEANS, epsilon=BUDGET, horizon=HORIZON))
    assert row.applies
    gap = MEANS[0] - MEANS[1]
    order = math.log(HORIZON) / min(gap, BUDGET)
    assert regret[-1] + 6 * error < 4 * constant * order
    assert regret[-1] - regret[HORIZON // 8] < 0.1 * gap * HORIZON


@pytest.mark.chance(1e-6, "a mean of 40 runs")
def test_a_policy_without_a_bonus_does_not_have_that_order():
    """The mean released last decides for ever, and the noise of a first block often decides wrongly."""
    regret, error = simulate(greedy, MEANS, BUDGET, HORIZON, 40, np.random.default_rng(11))
    assert regret[-1] - regret[HORIZON // 8] - 2 * error > 0.1 * 0.6 * HORIZON
