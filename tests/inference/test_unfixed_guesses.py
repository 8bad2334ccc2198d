"""A limit that holds even if the number of guesses depends on the output: against linear programmes over all laws."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import linprog

from privcheck.inference import binomial_lower, tradeoff_lower, unfixed_lower


def largest_probability(least, canaries, epsilon, delta):
    """The largest probability that one of several numbers of guesses is made, of which `least[guesses]` are correct.

    A linear programme over the joint law of the number of guesses and of correct ones. For every choice of an i for
    some of the numbers of guesses, the union of the events that at least i are correct keeps (epsilon, delta)-DP
    between its parts right(i) and wrong(i - 1).
    """
    cells = [(guesses, correct) for guesses in least for correct in range(guesses + 1)]
    numbers, correct = np.array(cells).T
    rows = []
    for choice in itertools.product(*(range(guesses + 1) for guesses in least)):
        row = np.zeros(len(cells))
        for guesses, i in zip(least, choice, strict=True):
            if i:  # otherwise this number of guesses is left out of the union
                here = numbers == guesses
                row += np.where(here & (correct >= i), correct / canaries, 0.0)
                row -= np.where(here & (correct >= i - 1), math.exp(epsilon) * (guesses - correct) / canaries, 0.0)
        rows.append(row)
    wanted = correct >= np.array([least[number] for number in numbers])
    ones = [np.ones(len(cells))]
    found = linprog(-wanted.astype(float), A_ub=rows, b_ub=np.full(len(rows), delta), A_eq=ones, b_eq=[1.0])
    assert found.success
    return -found.fun


def first_refuted(lower, numbers, canaries, epsilon, level, delta):
    """For each number of guesses, the first number of correct ones at which a limit is above epsilon."""
    return {
        guesses: next(
            (right for right in range(guesses + 1) if lower(right, guesses, canaries, level, delta) > epsilon),
            guesses + 1,
        )
        for guesses in numbers
    }


@pytest.mark.parametrize("numbers", [(4, 9), (3, 6, 8)])
@pytest.mark.parametrize("epsilon", [0.3, 1.0])
@pytest.mark.parametrize("delta", [0.004, 0.02, 0.05])
def test_no_law_exceeds_the_level(numbers, epsilon, delta):
    for level in (0.05, 0.3):
        least = first_refuted(unfixed_lower, numbers, 10, epsilon, level, delta)
        assert largest_probability(least, 10, epsilon, delta) <= level * (1.0 + 1e-6)


def test_a_limit_for_a_fixed_number_of_guesses_is_exceeded_too_often_if_it_is_not_fixed():
    """The broken twin: the mechanism makes all guesses where delta lets it be right, and few otherwise."""
    numbers, canaries, epsilon, delta, level = (3, 10), 10, 0.0, 0.05, 0.3
    least = first_refuted(tradeoff_lower, numbers, canaries, epsilon, level, delta)
    assert largest_probability(least, canaries, epsilon, delta) > level * 1.1
    least = first_refuted(unfixed_lower, numbers, canaries, epsilon, level, delta)
    assert largest_probability(least, canaries, epsilon, delta) < level * 0.5


def test_the_limit_is_below_that_of_a_fixed_number_and_equal_to_the_binomial_one_for_pure_privacy():
    for right in range(41):
        limits = [unfixed_lower(right, 40, 100, 0.05, delta) for delta in (0.0, 1e-5, 1e-3, 0.1)]
        assert limits == sorted(limits, reverse=True)
        assert limits[0] == binomial_lower(right, 40, 100, 0.05)
        assert limits[1] <= tradeoff_lower(right, 40, 100, 0.05, 1e-5) + 1e-5
    assert unfixed_lower(40, 40, 100, 0.05, 1e-5) > 0.85 * tradeoff_lower(40, 40, 100, 0.05, 1e-5)
