"""Hu et al.: the explicit constants of Theorems 9 and 12 recomputed, and exact laws of RNM-FTNL below them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privcheck.bounds import THEOREMS, Instance, named_instance

ORDERS = ("thm3", "thm5", "thm9", "cor10a", "cor10b", "cor11", "thm12")


def bound(name, instance):
    return THEOREMS[f"hu-2021/{name}"].evaluate(instance)


@pytest.mark.parametrize("name", ORDERS)
def test_orders_have_no_number(name):
    instance = Instance("bernoulli", (0.75, 0.7, 0.7, 0.7), epsilon=1.0, horizon=10_000)
    row = bound(name, instance)
    assert row.applies
    assert row.provenance == "order-only"
    assert row.value is row.constant is None


def by_brackets(gaps, epsilon):
    """Theorem 9's sum bracket by bracket, with the brackets of its eq. (9)."""
    smallest, total = min(gaps), 0.0
    for level in range(1, 60):
        low = 2 ** (level - 1) * smallest
        inside = sum(low <= gap < 2 * low for gap in gaps)
        if inside:
            total += (264 if inside == 1 else 256 * (1 + math.log(inside))) / min(low, epsilon)
    return total


@settings(derandomize=True, deadline=None, max_examples=100)
@given(gaps=st.lists(st.integers(1, 1024), min_size=1, max_size=8), epsilon=st.floats(0.01, 10))
def test_theorem_9_by_brackets(gaps, epsilon):
    gaps = [gap / 1024 for gap in gaps]
    instance = Instance("bernoulli", [1.0, *(1 - gap for gap in gaps)], epsilon=epsilon, horizon=100)
    value = bound("thm9-explicit", instance).value
    assert value == pytest.approx(by_brackets(gaps, epsilon), rel=1e-12)
    coarse = 2 * 264 * (1 + math.log(len(gaps))) / min(gaps) + sum(
        264 * (1 + math.log(len(gaps))) / epsilon for level in range(11) if 2**level * min(gaps) > epsilon
    )
    assert value <= coarse * (1 + 1e-12)


@settings(derandomize=True, deadline=None, max_examples=100)
@given(x=st.floats(1e-4, 1.0), actions=st.integers(1, 50))
def test_the_constants_of_theorem_9_from_its_proof(x, actions):
    """Expected plays of a bracket: `2^(r0+1) + 4 n sum_r 2^r exp(-2^r x/8)` at the proof's r0, in gaps of size 2."""
    first = 1 if actions == 1 else math.ceil(math.log2(8 * math.log(actions) / x)) + 1
    tail = sum(2.0**r * math.exp(-(2.0**r) * x / 8) for r in range(first, 60) if 2.0**r * x < 5000)
    plays = 2 ** (first + 1) + 4 * actions * tail
    assert 2 * plays <= (264 if actions == 1 else 256 * (1 + math.log(actions))) / x


def test_no_gap_no_regret():
    assert bound("thm9-explicit", Instance("bernoulli", (0.5, 0.5), epsilon=1.0, horizon=10)).value == 0.0


@pytest.mark.chance(1e-8, "a mean of 200 runs more than 6 standard errors below the bound")
@pytest.mark.parametrize(("name", "actions"), [("hhmh-setting1", 5), ("hhmh-setting2", 5)])
@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_simulated_rnm_ftnl_stays_below_theorem_9(name, actions, scale):
    """Published and repaired noise, 200 runs: the mean is below by more than 6 standard errors."""
    instance = named_instance(name, epsilon=0.5, horizon=2**12 - 1)
    rng, means, gaps = np.random.default_rng(3), np.array(instance.means), np.array(instance.gaps)
    regrets = []
    for _ in range(200):
        regret, chosen = gaps[0], int(np.argmax(rng.binomial(1, means) + rng.laplace(0, scale / 0.5, actions)))
        for epoch in range(1, 12):
            regret += 2**epoch * gaps[chosen]
            chosen = int(np.argmax(rng.binomial(2**epoch, means) + rng.laplace(0, scale / 0.5, actions)))
        regrets.append(regret)
    value = bound("thm9-explicit", instance).value
    assert np.mean(regrets) + 6 * np.std(regrets) / math.sqrt(200) < value


def private_selection_error(arms, gap, epsilon, rounds):
    """Error of the best epsilon-DP selector allowed by group privacy over the coupling of the proof's instances."""
    return 0.45 * min(1.0, (arms - 1) / math.exp(10 * epsilon * rounds * gap))


@settings(derandomize=True, deadline=None, max_examples=200)
@given(arms=st.integers(4, 10**6), gap=st.floats(1e-4, 0.2499), epsilon=st.floats(1e-3, 20))
def test_theorem_12_is_what_a_majority_vote_loses(arms, gap, epsilon):
    """An answer after n rounds is wrong with the probability of eq. (56), and n + 1 decisions rest on n rounds."""
    rounds = math.floor(math.log(arms) / (10 * epsilon * gap))
    lost = gap * private_selection_error(arms, gap, epsilon, rounds) * (rounds + 1) / 2
    horizon = math.ceil(max(math.log(arms) / (16 * gap**2), math.log(arms) / (10 * epsilon * gap))) + 1
    claimed = 0.2 * 0.49 * math.log(arms) / (10 * epsilon)
    assert lost >= claimed
    if arms < 50:
        instance = Instance("bernoulli", [0.5 + gap, *[0.5] * (arms - 1)], epsilon=epsilon, horizon=horizon)
        assert bound("thm12-explicit", instance).value == pytest.approx(claimed)


def test_full_information_is_another_quantity_than_bandit_feedback():
    assert THEOREMS["hu-2021/thm3"].quantity == THEOREMS["azize-basu-2022/thm7"].quantity
    assert THEOREMS["hu-2021/thm9"].quantity != THEOREMS["azize-basu-2022/thm7"].quantity
    assert "one reward vector replaced" in THEOREMS["hu-2021/thm9"].quantity
