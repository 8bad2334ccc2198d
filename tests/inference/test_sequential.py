"""The betting test: no factor gains under the claim, by enumeration; when it stops; what it bounds."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binom

from privcheck.errors import PrivcheckError
from privcheck.inference import SequentialTest
from privcheck.inference._betting import add_block, end_of_block

OUTCOMES = list(itertools.product([1, -1, 0], [1, -1, 0]))


def factors(past, pairs, r, delta):
    """Return the factor of every bet for each outcome of one pair: shape (outcomes, directions, stakes)."""
    found = []
    for first, second in OUTCOMES:
        wealth = np.zeros((3, 21))
        block = np.array([first == 1, first == -1, second == -1, second == 1], np.int64)
        add_block(wealth, np.array(past, np.int64), block, pairs, 1, r, delta)
        found.append(np.exp(wealth))
    return np.array(found)


def expectation(past, pairs, bet, truth):
    """Return the expected factor when bets are made against (r, delta) = bet and (a, d, b, c) = truth."""
    a, d, b, c = truth
    first, second = {1: a, -1: d, 0: 1 - a - d}, {1: b, -1: c, 0: 1 - b - c}
    chance = np.array([first[i] * second[j] for i, j in OUTCOMES])
    return np.tensordot(chance, factors(past, pairs, *bet), 1)


PASTS = [([0, 0, 0, 0], 0), ([5, 0, 0, 1], 10), ([40, 3, 38, 5], 100), ([1, 1, 90, 3], 100), ([100, 0, 0, 100], 100)]


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 3.0])
@pytest.mark.parametrize("delta", [0.0, 1e-3, 0.2])
def test_no_bet_gains_under_the_claim(epsilon, delta):
    """Whatever was seen before, at every law in a grid of the claim's laws, its edge included."""
    r = math.exp(epsilon)
    for past, pairs in PASTS:
        assert (factors(past, pairs, r, delta) > 0.0).all()
        for b, d in itertools.product([0.0, 1e-3, 0.05, 0.2, 0.5], repeat=2):
            for share in (0.0, 0.7, 1.0):
                a, c = min(share * (r * b + delta), 1.0 - d), min(share * (r * d + delta), 1.0 - b)
                assert (expectation(past, pairs, (r, delta), (a, d, b, c)) <= 1.0 + 1e-12).all()


def test_bets_against_a_smaller_claim_gain_and_are_caught():
    """A mutant that forgets delta, or bets with a smaller epsilon, has an expectation above 1 within the claim."""
    past, pairs = PASTS[2]
    b = d = 0.05
    edge = (math.e * b + 0.1, d, b, math.e * d + 0.1)
    assert (expectation(past, pairs, (math.e, 0.1), edge) <= 1.0 + 1e-12).all()
    assert (expectation(past, pairs, (math.e, 0.0), edge) > 1.0).any()
    assert (expectation(past, pairs, (math.exp(0.8), 0.1), edge) > 1.0).any()


def laplace_pairs(rng, pairs, epsilon, *, mirrored):
    """Return codes of x <= 0 and of its mirror image x >= epsilon under a Laplace mechanism with true loss epsilon."""
    rare = 0.5 * math.exp(-epsilon)
    u, v = rng.random((2, pairs))
    if not mirrored:
        return (u < 0.5).astype(int), (v < rare).astype(int)
    return (u < 0.5) * 1 - (u > 1.0 - rare), (v < rare) * 1 - (v > 0.5)


def stopping_pairs(claim, truth, level, most, repetitions, *, mirrored, step=1):
    """Return after how many pairs the claim is refuted, most + 1 where it is not, over seeds."""
    found = []
    for seed in range(repetitions):
        first, second = laplace_pairs(np.random.default_rng(seed), most, truth, mirrored=mirrored)
        test, pairs = SequentialTest(claim, mirrored=mirrored), 0
        while pairs < most and test.p_value > level:
            test.update(first[pairs : pairs + step], second[pairs : pairs + step])
            pairs += step
        found.append(pairs if test.p_value <= level else most + 1)
    return np.array(found)


@pytest.mark.chance(1e-9, "a median of 200 more than 10 standard errors below")
@pytest.mark.parametrize(("level", "target"), [(0.05, 60), (1e-3, 150)])
def test_a_gross_violation_is_refuted_within_dozens_of_pairs(level, target):
    """Claim 1, truth 2: the median of 200 is below the target by over ten of its standard errors."""
    assert np.median(stopping_pairs(1.0, 2.0, level, 400, 200, mirrored=True)) <= target


@pytest.mark.chance(1e-6, "a count of refuted sequences, against its binomial quantile; none at all is rarer")
@pytest.mark.parametrize("mirrored", [False, True])
def test_a_true_claim_is_rarely_ever_refuted(mirrored):
    """At the edge of the claim, 400 sequences, of which at most 0.1 are refuted."""
    refuted = stopping_pairs(1.0, 1.0, 0.1, 2000, 400, mirrored=mirrored, step=100) <= 2000
    assert 0 < refuted.sum() <= binom.isf(1e-6, 400, 0.1)


@pytest.mark.chance(1e-6, "a count of refuted sequences, against its binomial quantile")
def test_events_chosen_on_the_counted_pairs_are_caught():
    """The best of 40 events afterwards, without the average: most sequences of a correct mechanism are refuted."""
    rng, refuted, averaged = np.random.default_rng(1), 0, 0
    for _ in range(40):
        first, second = rng.random((2, 500, 40)) < 0.2
        tests = [SequentialTest(0.0) for _ in range(40)]
        for i, test in enumerate(tests):
            test.update(first[:, i], second[:, i])
        refuted += min(test.p_value for test in tests) <= 0.05
        together = SequentialTest(0.0, events=40)
        together.update(first, second)
        averaged += together.p_value <= 0.05
        assert together.e_value == pytest.approx(np.mean([test.e_value for test in tests]))
    assert refuted > 15
    assert averaged <= binom.isf(1e-6, 40, 0.05)


def adaptive_alarms(sequences, *, peeking):
    """Return how often a true claim is refuted at level .1 by bets on the best of 30 events so far, every 16 pairs.

    The events are independent coins at the edge of the claim 1: of probability e / 4 on the first input, 1 / 4 on the
    other. With `peeking` an event is chosen on the pairs that are bet on.
    """
    rng, refuted = np.random.default_rng(3), 0
    for _ in range(sequences):
        first, second = rng.random((320, 30)) < math.e / 4.0, rng.random((320, 30)) < 0.25
        test = SequentialTest(1.0)
        for start in range(16, 320, 16):
            looked = slice(0, start + 16 if peeking else start)
            best = int(np.argmax(first[looked].sum(axis=0) - math.e * second[looked].sum(axis=0)))
            test.change_events(first[:start, best], second[:start, best])
            test.update(first[start : start + 16, best], second[start : start + 16, best])
        refuted += test.p_value <= 0.1
    return refuted


@pytest.mark.chance(1e-6, "a count of alarms, against its binomial quantile")
def test_events_may_be_chosen_anew_from_earlier_pairs():
    """Choosing on the pairs that are bet on is noticed."""
    alarms, caught = (adaptive_alarms(120, peeking=peeking) for peeking in (False, True))
    assert alarms <= binom.isf(1e-6, 120, 0.1)
    assert caught > 60 > binom.isf(1e-6, 120, 0.1)


def test_a_change_to_the_same_event_changes_nothing():
    """Below 64 pairs, where every pair is a block of its own."""
    first, second = laplace_pairs(np.random.default_rng(4), 60, 2.0, mirrored=True)
    whole, parts = SequentialTest(1.0, mirrored=True), SequentialTest(1.0, mirrored=True)
    whole.update(first, second)
    for begin in range(0, 60, 20):
        parts.change_events(first[:begin], second[:begin])
        parts.update(first[begin : begin + 20], second[begin : begin + 20])
    assert parts.pairs == 60
    assert parts.log_e_value == pytest.approx(whole.log_e_value, rel=1e-12)
    assert parts.lower_bound(0.1) == whole.lower_bound(0.1)


def test_a_change_keeps_the_capital():
    """A change alone wins and loses nothing; what was known of the new events makes the next bets better."""
    rng = np.random.default_rng(5)
    first, second = laplace_pairs(rng, 60, 2.0, mirrored=True)
    test, blank = SequentialTest(1.0, mirrored=True), SequentialTest(1.0, mirrored=True)
    test.update(first, second)
    before = test.log_e_value
    test.change_events(first, second)
    test.change_events(first[:0], second[:0])
    test.change_events(first, second)
    assert test.log_e_value == before
    known = SequentialTest(1.0, mirrored=True)
    known.change_events(*laplace_pairs(rng, 200, 2.0, mirrored=True))
    for each in (known, blank):
        each.update(first, second)
    assert known.log_e_value > blank.log_e_value
    with pytest.raises(PrivcheckError):
        test.change_events([2], [0])


@pytest.mark.chance(1e-6, "a count of misses, against its binomial quantile")
def test_the_lower_bound_holds_and_grows():
    """100 sequences, level 0.1, read three times each."""
    misses, bounds = 0, []
    for seed in range(100):
        first, second = laplace_pairs(np.random.default_rng(seed), 3000, 1.0, mirrored=True)
        test, found = SequentialTest(0.5, mirrored=True), []
        for part in range(3):
            test.update(first[part * 1000 : part * 1000 + 1000], second[part * 1000 : part * 1000 + 1000])
            found.append(test.lower_bound(0.1, step=0.05))
        assert found == sorted(found)
        misses += found[-1] > 1.0
        bounds.append(found[-1])
    assert misses <= binom.isf(1e-6, 100, 0.1)
    assert np.mean(bounds) > 0.75


def test_batches_do_not_matter():
    first, second = laplace_pairs(np.random.default_rng(4), 5000, 1.5, mirrored=True)
    whole, parts = SequentialTest(1.0, 1e-3, mirrored=True), SequentialTest(1.0, 1e-3, mirrored=True)
    whole.update(first, second)
    for begin in range(0, 5000, 77):
        parts.update(first[begin : begin + 77], second[begin : begin + 77])
    assert parts.pairs == whole.pairs == 5000
    assert parts.log_e_value == whole.log_e_value
    assert parts.p_value <= whole.p_value


def test_blocks_begin_with_single_pairs_and_cover_everything():
    start, blocks = 0, 0
    while start < 10**9:
        assert start < end_of_block(start) <= start + max(1, start // 32)
        start, blocks = end_of_block(start), blocks + 1
    assert end_of_block(63) == 64
    assert blocks < 2048


def test_nothing_happened_and_bad_input():
    test = SequentialTest(1.0)
    assert (test.p_value, test.e_value, test.lower_bound(0.05)) == (1.0, 1.0, 0.0)
    for first, second in [
        ([1, 0], [1]),
        ([2], [0]),
        ([-1], [0]),
        ([[1, 0]], [[0, 0]]),
        (["a"], ["b"]),
        ([math.nan], [0]),
    ]:
        with pytest.raises(PrivcheckError):
            test.update(first, second)
    assert test.pairs == 0
    for wrong in [(-1.0, 0.0, 1), (1.0, 1.0, 1), (1.0, 0.0, 0)]:
        with pytest.raises(PrivcheckError):
            SequentialTest(*wrong)
    with pytest.raises(PrivcheckError, match="level"):
        test.lower_bound(0.0)
