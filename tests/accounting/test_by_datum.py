"""Charges and totals are kept in few bytes, and say what dictionaries would say."""

from __future__ import annotations

import copy
import pickle
from decimal import Decimal
from fractions import Fraction
from heapq import nlargest

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privcheck.accounting import ByDatum, Charge, Ledger
from privcheck.accounting._totals import Totals

DATA = st.one_of(
    st.integers(0, 40), st.integers(250, 262), st.tuples(st.integers(1, 5), st.integers(0, 1)), st.just(-1),
    st.text("ab", max_size=1), st.just(10**30),
)  # fmt: skip
BLOCKS = st.tuples(st.integers(0, 600), st.integers(0, 600)).map(lambda ends: dict.fromkeys(range(*ends), 0.5))
RELEASES = st.lists(
    st.one_of(st.dictionaries(DATA, st.sampled_from([0.0, 0.25, 0.5, 1.0]), max_size=40), BLOCKS), max_size=8
)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(values=st.dictionaries(DATA, st.sampled_from([0.0, 0.5, 1.0]), max_size=40))
def test_a_mapping_is_the_dictionary_that_it_was_made_of(values):
    kept = ByDatum.of(values)
    assert kept == values
    assert values == kept
    assert (len(kept), dict(kept), sorted(map(str, kept))) == (len(values), values, sorted(map(str, values)))
    assert all(kept[datum] == value and datum in kept for datum, value in values.items())
    assert all(datum in values or datum not in kept for datum in [3, 3.5, (3, 1), "a", None, -7, 255])
    assert pickle.loads(pickle.dumps(kept)) == values
    assert copy.deepcopy(kept) == values
    assert kept.map(lambda value: 2 * value) == {datum: 2 * value for datum, value in values.items()}


@settings(max_examples=80, deadline=None, derandomize=True)
@given(releases=RELEASES, size=st.integers(1, 3))
def test_totals_are_those_of_a_dictionary(releases, size):
    """Also the largest one, and what it would be after the next release."""
    totals, known = Totals(size), {}
    for losses in releases:
        charges = ByDatum.of({datum: Charge(loss) for datum, loss in losses.items()})
        after = {datum: known.get(datum, 0.0) + loss for datum, loss in losses.items()}
        expected = sum(nlargest(size, (known | after).values())) if size > 1 else max(after.values(), default=0.0)
        assert totals.largest_with(charges)["epsilon"] == expected
        before = totals.copy()
        totals.add(charges)
        assert dict(before.amounts("epsilon")) == known
        known |= after
        assert {datum: total.epsilon for datum, total in totals.items()} == known
        assert len(totals) == len(known)
        assert totals.largest("epsilon") == sum(nlargest(size, known.values()))
        assert totals.most("epsilon") == max(known.values(), default=0.0)
    assert [totals.get(datum) for datum in (7.5, "c", (9, 9), 10**20, None)] == [None] * 5


@pytest.mark.parametrize("same", [np.int64(3), np.float64(3.0), 3.0, np.float32(3.0), Decimal(3), Fraction(3), 3 + 0j])
def test_equal_data_are_one_datum(same):
    """As in a dictionary: a total that is split in two would be too small."""
    totals = Totals()
    for datum in (3, same):
        totals.add(ByDatum.of({datum: Charge(0.5)}))
    assert (totals.largest("epsilon"), len(totals), totals[same].epsilon) == (1.0, 1, 1.0)


def test_a_block_of_rounds_takes_no_memory_per_round():
    charges = ByDatum.of(dict.fromkeys(range(7, 5000), Charge(1.0)))
    assert len(pickle.dumps(charges)) < 500
    assert len(pickle.dumps(ByDatum.of(dict.fromkeys(range(7, 5000, 2), Charge(1.0))))) < 9 * 2500


def test_a_snapshot_is_not_the_ledger():
    ledger = Ledger(group_size=2)
    ledger.record(1, "laplace", 1.0, {1: 1.0}, {1: Charge(0.5)}, "bandit.py:7")
    seen = ledger.snapshot()
    assert seen == ledger
    seen.record(2, "laplace", 1.0, {1: 1.0}, {1: Charge(0.5)}, "bandit.py:7")
    seen.releases.clear()
    assert (ledger.epsilon, len(ledger.releases), seen.epsilon) == (0.5, 1, 1.0)
    with pytest.raises((TypeError, AttributeError)):
        ledger.releases[0].charges[1] = Charge(0.0)


def test_the_first_of_equally_dear_data_is_the_worst():
    ledger = Ledger()
    for data in ([5, 6], [1, 2], [1]):
        ledger.record(9, "laplace", 1.0, dict.fromkeys(data, 1.0), dict.fromkeys(data, Charge(0.5)), "bandit.py:7")
        ledger.record(9, "laplace", 1.0, {}, {}, "bandit.py:7")
    assert ledger.worst_datum == 1
    ledger.record(9, "laplace", 1.0, {6: 1.0}, {6: Charge(0.5)}, "bandit.py:7")
    assert ledger.worst_datum == 6
