"""Charges add up, never decrease, and refuse what is no bound of a loss."""

from __future__ import annotations

import copy
import math
import pickle
from dataclasses import FrozenInstanceError
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privcheck.accounting import NOTHING, Charge, check_charges
from privcheck.errors import PrivcheckError

EPSILONS = st.floats(0.0, 1e300)
CHARGES = EPSILONS.map(Charge)


@given(EPSILONS, EPSILONS)
def test_charges_add_as_floats_do(one, two):
    assert (Charge(one) + Charge(two)).epsilon == one + two


@given(CHARGES, CHARGES)
def test_the_order_of_two_charges_does_not_matter(one, two):
    assert one + two == two + one


@given(CHARGES, CHARGES, CHARGES)
def test_grouping_matters_by_rounding_only(one, two, three):
    left, right = (one + two) + three, one + (two + three)
    assert left.epsilon == pytest.approx(right.epsilon, rel=4 * np.finfo(float).eps, abs=0.0)


@given(CHARGES)
def test_nothing_is_neutral(charge):
    assert charge + NOTHING == NOTHING + charge == charge


@given(CHARGES, CHARGES)
def test_a_total_never_decreases(one, two):
    assert (one + two).epsilon >= max(one.epsilon, two.epsilon)


@given(st.lists(CHARGES, max_size=20))
def test_a_sum_starts_from_nothing(charges):
    assert sum(charges, NOTHING).epsilon == sum((charge.epsilon for charge in charges), 0.0)


@pytest.mark.parametrize("epsilon", [math.nan, math.inf, -math.inf, -0.1, -5e-324, "0.5", True, 1j, [0.5]])
def test_what_bounds_nothing_is_refused(epsilon):
    with pytest.raises(PrivcheckError) as caught:
        Charge(epsilon)
    hint = "write the number without quotation marks" if epsilon == "0.5" else "see `loss` of the mechanism"
    assert str(caught.value) == f"loss: got {epsilon!r}, expected a finite number of at least 0; {hint}"


@pytest.mark.parametrize("epsilon", [1, np.float64(1.0), np.int64(1), Fraction(1)])
def test_any_real_number_becomes_a_float(epsilon):
    assert type(Charge(epsilon).epsilon) is float
    assert Charge(epsilon) == Charge(1.0)


@pytest.mark.parametrize("other", [0.5, 0, None, "1"])
def test_a_number_does_not_add_to_a_charge(other):
    with pytest.raises(TypeError):
        Charge(0.5) + other
    with pytest.raises(TypeError):
        other + Charge(0.5)


def test_charges_have_no_order():
    with pytest.raises(TypeError):
        assert Charge(0.5) < Charge(1.0)


def test_a_charge_does_not_change():
    charge = Charge(0.5)
    with pytest.raises(FrozenInstanceError):
        charge.epsilon = 0.25
    assert pickle.loads(pickle.dumps(charge)) == copy.deepcopy(charge) == charge
    assert len({charge, Charge(0.5), NOTHING}) == 2


def test_a_charge_in_words():
    assert (str(Charge(0.1) + Charge(0.2)), f"{NOTHING}", repr(Charge(0.5))) == ("0.3", "0", "Charge(epsilon=0.5)")


def test_a_total_may_overflow_but_is_no_charge():
    assert (Charge(1e308) + Charge(1e308)).epsilon == math.inf
    check_charges([Charge(1e308)])
    with pytest.raises(PrivcheckError, match="loss: got inf, expected a finite number of at least 0"):
        check_charges([NOTHING, Charge.total(math.inf)])
