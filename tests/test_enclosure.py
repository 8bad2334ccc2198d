"""Enclosures: what they hold, how they are made from computed numbers, what they refuse."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from privcheck.bounds import Enclosure, PrivcheckError


def test_an_enclosure_holds_its_ends_and_nothing_beyond():
    found = Enclosure(1.0, 2.0)
    assert 1.0 in found
    assert 2.0 in found
    assert 2.1 not in found
    assert (found.value, found.width) == (1.5, 1.0)
    assert Enclosure.around(1e-20, absolute=1.0) == Enclosure(0.0, 1.0 + 1e-20)
    infinite = Enclosure.around(math.inf)
    assert (infinite.value, infinite.width) == (math.inf, 0.0)


@pytest.mark.parametrize(("lower", "upper"), [(1.0, 0.0), (math.nan, 1.0), (0.0, math.nan)])
def test_an_enclosure_of_nothing_is_refused(lower, upper):
    with pytest.raises(PrivcheckError, match="enclosure"):
        Enclosure(lower, upper)


def test_an_enclosure_between_two_ends_takes_them_in_either_order():
    assert Enclosure.between(2.0, 1.0, relative=0.5) == Enclosure.between(1.0, 2.0, relative=0.5) == Enclosure(0.5, 3.0)
    assert Enclosure.between(-1e-20, 1e-20, relative=0.0).lower == 0.0
    assert Enclosure.between(0.0, math.inf, relative=0.1) == Enclosure(0.0, math.inf)


@pytest.mark.parametrize("relative", [0.0, 2.0**-52])
def test_only_a_widened_enclosure_holds_a_number_that_was_rounded(relative):
    """0.1 + 0.2 is rounded: the true sum of the two floats is in neither enclosure unless they are widened."""
    rounded, true = 0.1 + 0.2, Fraction(0.1) + Fraction(0.2)
    for found in (Enclosure.around(rounded, relative=relative), Enclosure.between(rounded, rounded, relative=relative)):
        assert (Fraction(found.lower) <= true <= Fraction(found.upper)) == (relative > 0.0)
