"""The budget filter refuses what does not fit, before it is recorded, and nothing else."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privcheck.accounting import BudgetExceededError, BudgetFilter, Charge, Ledger
from privcheck.certifying import Session
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import Laplace
from privcheck.privacy import relation


def charges_of(losses):
    return {datum: Charge(loss) for datum, loss in losses.items()}


def charged(budget, *releases, group_size=1):
    """Return the ledger after those releases that the filter lets pass, and how many it refused."""
    ledger, budget_filter, refused = Ledger(group_size=group_size), BudgetFilter(budget), 0
    for losses in releases:
        try:
            budget_filter.check(ledger, charges_of(losses), "bandit.py:7")
        except BudgetExceededError:
            refused += 1
        else:
            ledger.record(1, "laplace", 1.0, losses, charges_of(losses), "bandit.py:7")
    return ledger, refused


def test_three_tenths_fit_into_three_tenths():
    assert 0.1 + 0.1 + 0.1 > 0.3
    ledger, refused = charged(0.3, {1: 0.1}, {1: 0.1}, {1: 0.1})
    assert (refused, len(ledger.releases)) == (0, 3)
    assert BudgetFilter(0.3).left(ledger) == 0.0


@pytest.mark.parametrize("epsilon", [1e-6, 0.3, 1.0, 50.0])
@pytest.mark.parametrize(("excess", "refusals"), [(0.0, 0), (0.9e-9, 0), (1.1e-9, 1), (1e-6, 1), (1.0, 1)])
def test_the_slack_is_relative_and_one_in_a_billion(epsilon, excess, refusals):
    assert charged(epsilon, {1: epsilon * (1.0 + excess)})[1] == refusals


def test_the_slack_does_not_add_up():
    """Whatever the number of releases, the total stays within one slack of the budget."""
    ledger, refused = charged(1.0, *[{1: 1e-4 * (1.0 + 1e-8)}] * 20_000)
    assert refused == 20_000 - 9_999
    assert ledger.epsilon <= 1.0 + 1e-9


def test_a_refusal_changes_nothing_and_smaller_releases_still_fit():
    ledger, refused = charged(1.0, {1: 0.7}, {1: 0.4, 2: 0.4}, {2: 0.9}, {1: 0.3})
    assert refused == 1
    assert {datum: pytest.approx(total) for datum, total in ledger.totals.items()} == {1: 1.0, 2: 0.9}
    assert [release.losses for release in ledger.releases] == [{1: 0.7}, {2: 0.9}, {1: 0.3}]


def test_other_data_have_a_budget_of_their_own():
    assert charged(1.0, *({datum: 1.0} for datum in range(50)))[1] == 0


def test_a_release_that_touches_no_datum_is_free():
    assert charged(1.0, {1: 1.0}, {}, {})[1] == 0


@pytest.mark.parametrize(("size", "refusals"), [(1, 0), (2, 0), (3, 1)])
def test_a_group_shares_one_budget(size, refusals):
    ledger, refused = charged(1.0, {1: 0.4}, {2: 0.4}, {3: 0.4}, {4: 0.2}, group_size=size)
    assert refused == refusals
    assert ledger.epsilon <= 1.0 + 1e-9


def test_a_group_is_refused_even_when_the_release_touches_its_cheapest_member():
    """Two data have paid 0.5 each; a third that pays 0.6 makes a pair of 1.1."""
    ledger, refused = charged(1.0, {1: 0.5, 2: 0.5}, {3: 0.6}, {3: 0.5}, group_size=2)
    assert (refused, ledger.totals[3]) == (1, 0.5)


def test_the_refusal_of_a_group_says_what_its_others_have_paid():
    """Nothing was charged before, it said, and the release was too much by itself: it costs a half."""
    ledger, _ = charged(1.0, {1: 0.6}, group_size=2)
    with pytest.raises(BudgetExceededError) as caught:
        BudgetFilter(1.0).check(ledger, charges_of({2: 0.5}), "bandit.py:31")
    assert str(caught.value) == (
        "budget: got a release at bandit.py:31 that takes 2 data together, with the reward of round 2, to 1.1, "
        "expected at most epsilon = 1 per 2 data; 0.6 was charged before: release less often or with more noise"
    )
    with pytest.raises(BudgetExceededError, match="nothing was charged before this release, which is too much by it"):
        BudgetFilter(1.0).check(Ledger(group_size=2), charges_of({2: 0.6, 3: 0.5}), "bandit.py:31")


def test_the_refusal_says_where_who_and_how_much():
    ledger, _ = charged(1.0, {1: 0.7, 2: 0.2})
    with pytest.raises(BudgetExceededError) as caught:
        BudgetFilter(1.0).check(ledger, charges_of({1: 0.5, 2: 0.5}), "bandit.py:31")
    assert str(caught.value) == (
        "budget: got a release at bandit.py:31 that takes the reward of round 1 to 1.2, expected at most epsilon = 1 "
        "per datum; 0.7 was charged before: release less often or with more noise"
    )


@pytest.mark.parametrize("epsilon", [math.nan, math.inf, -math.inf, 0.0, -1.0, "1", None, True])
def test_a_budget_is_positive_and_finite(epsilon):
    """NaN would let everything pass: no comparison with it is true."""
    with pytest.raises(PrivcheckError) as caught:
        BudgetFilter(epsilon)
    assert caught.value.parameter == "epsilon"


def test_left_is_what_fits():
    ledger, _ = charged(1.0, {1: 0.25}, {2: 0.75})
    assert BudgetFilter(1.0).left(ledger) == 0.25
    assert charged(1.0, {1: 0.25}, {2: 0.75}, {2: 0.25})[1] == 0
    assert charged(1.0, {1: 0.25}, {2: 0.75}, {2: 0.2501})[1] == 1


class CountingGenerator(np.random.Generator):
    """Counts the draws of noise."""

    draws = 0

    def laplace(self, *arguments, **options):
        self.draws += 1
        return super().laplace(*arguments, **options)


def test_nothing_is_drawn_before_the_filter_agrees():
    noise = CountingGenerator(np.random.PCG64(0))
    session = Session(relation("row"), (0.0, 1.0), 1.0, noise)
    reward = session.reward(0.5, 0)
    with session.active():
        Laplace(sensitivity=1.0, epsilon=0.75).release(reward, None)
        state = noise.bit_generator.state
        for _ in range(3):
            with pytest.raises(BudgetExceededError):
                Laplace(sensitivity=1.0, epsilon=0.5).release(reward, None)
        assert (noise.draws, noise.bit_generator.state) == (1, state)
        assert (session.ledger.epsilon, len(session.ledger.releases), len(session.refusals)) == (0.75, 1, 3)
        Laplace(sensitivity=1.0, epsilon=0.25).release(reward, None)
    assert (noise.draws, session.ledger.epsilon) == (2, 1.0)


LOSSES = st.dictionaries(st.integers(0, 4), st.floats(0.0, 0.6), max_size=4)


@given(st.lists(LOSSES, max_size=12), st.integers(1, 3), st.floats(0.2, 1.5))
def test_whatever_is_released_the_budget_holds_and_refusals_were_needed(releases, size, budget):
    """Against sums by hand: no group ever exceeds the budget, and each refused release would have."""
    ledger, budget_filter, totals = Ledger(group_size=size), BudgetFilter(budget), {}
    for losses in releases:
        after = {datum: totals.get(datum, 0.0) + losses.get(datum, 0.0) for datum in {*totals, *losses}}
        touched = list(losses)
        fits = not touched or sum(sorted(after.values())[-size:]) <= budget * (1 + 1e-9)
        if size == 1 and touched:
            fits = max(after[datum] for datum in touched) <= budget * (1 + 1e-9)
        try:
            budget_filter.check(ledger, charges_of(losses), "bandit.py:7")
        except BudgetExceededError:
            assert not fits
        else:
            assert fits
            ledger.record(1, "laplace", 1.0, losses, charges_of(losses), "bandit.py:7")
            totals = after
    assert ledger.epsilon <= budget * (1 + 1e-9)


def test_a_first_release_above_the_budget_speaks_of_no_earlier_charge():
    by = BudgetFilter(1.0)
    with pytest.raises(BudgetExceededError, match=r"to 2, .*nothing was charged before this release") as refused:
        by.check(by.new_ledger(), {1: Charge(2.0)}, "bandit.py:6")
    assert "0 was charged before" not in str(refused.value)
