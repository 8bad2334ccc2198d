"""What a source accepts, and with which public numbers private values may be combined."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from privcheck.errors import PrivcheckError
from privcheck.private_values import PrivateSource, zeros


@pytest.fixture
def source():
    return PrivateSource()


def test_two_sources_do_not_mix(source):
    one, two = source.scalar(0.5, 0.0, 1.0, datum=0), PrivateSource().scalar(0.5, 0.0, 1.0, datum=0)
    sums = zeros(2)
    sums[0] = one
    for use in (lambda: one + two, lambda: np.stack([one, two]), lambda: sums.__setitem__(1, two), lambda: one * two):
        with pytest.raises(PrivcheckError, match="values of two runs"):
            use()


@pytest.mark.parametrize("wrap", [
    lambda s: s.scalar(1.5, 0.0, 1.0, datum=0), lambda s: s.scalar(np.nan, 0.0, 1.0, datum=0),
    lambda s: s.scalar("0.5", 0.0, 1.0, datum=0), lambda s: s.scalar(0.5, 1.0, 0.0, datum=0),
    lambda s: s.scalar(0.5, 0.0, np.inf, datum=0), lambda s: s.scalar(0.5, 0.0, 1.0, datum=[0]),
    lambda s: s.scalar([0.5], 0.0, 1.0, datum=0), lambda s: s.vector(0.5, 0.0, 1.0, data=0),
    lambda s: s.vector([], 0.0, 1.0, data=0), lambda s: s.vector([0.5, 0.5], 0.0, 1.0, data=[0]),
    lambda s: s.vector([0.5, 0.5], 0.0, 1.0, data=((0, 0), (0, 1))), lambda s: s.vector([[0.5]], 0.0, 1.0, data=0),
    lambda s: s.vector([0.5, 0.5], [0.0] * 3, 1.0, data=0),
    lambda s: s.vector([0.5], 0.0, 1.0, data=0, l2_diameter=0.0),
    lambda s: s.vector([0.5, 1.5], 0.0, [1.0, 1.0], data=0),
])  # fmt: skip
def test_bad_input_is_refused_without_showing_the_value(wrap, source):
    with pytest.raises(PrivcheckError) as caught:
        wrap(source)
    assert "1.5" not in str(caught.value)


def test_public_factors_must_be_ordinary(source):
    reward = source.scalar(0.5, 0.0, 1.0, datum=0)
    for factor in (np.inf, np.nan, 1e308 * 10.0, 1e-320):
        with pytest.raises(PrivcheckError):
            reward * factor
    for use in (lambda: reward / 0.0, lambda: reward * 1e-200 * 1e-200, lambda: np.ones(2) * reward / [1.0, 0.0]):
        with pytest.raises(PrivcheckError):
            use()


def test_an_entry_with_one_possible_value_is_public(source):
    context = source.vector([0.5, 1.0], [0.0, 1.0], 1.0, data=0)
    assert context[1].is_public
    assert float(context[1]) == 1.0
    assert context.sensitivities("l1") == {0: 1.0}


EQUAL_IDS = [
    (3, Decimal(3)),
    (np.float32(3.0), 3),
    (3 + 0j, Fraction(3)),
    ((4, 1), (4.0, True)),
    ((4, 1), (Decimal(4), 1.0)),
]


@pytest.mark.parametrize(("one", "same"), EQUAL_IDS)
def test_equal_ids_of_any_types_are_one_datum(one, same):
    """As in a dictionary; two data instead of one would have half of its sensitivity each."""
    source = PrivateSource()
    total = source.scalar(0.5, 0.0, 1.0, datum=one) + source.scalar(0.5, 0.0, 1.0, datum=same)
    assert total.sensitivities("l1") == {one: 2.0}
    assert source.vector([0.1, 0.9], 0.0, 1.0, data=[one, same]).sensitivities("l1") == {one: 2.0}
