"""Domains are those that are printed: a range that is smaller than the kind of variable has quotes what narrows it."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from privcheck.claims import CLAIMS, Variable, at_most, integer, positive, printed, probability
from privcheck.claims._search.hunt import hunt

NATURAL = {
    (-math.inf, math.inf, False, False),
    (0, math.inf, True, False), (0, math.inf, False, False),
    (0, 1, False, False), (0, 1, True, True), (0, 1, True, False), (0, 1, False, True),
}  # fmt: skip
"""All numbers, those from 0 on, and those between 0 and 1, which probabilities, gaps and means in [0, 1] are."""


def narrowed(variable: Variable) -> bool:
    """Return whether a range is smaller than that of its kind: whole numbers start at 0 or 1."""
    if variable.integer:
        return (variable.low, variable.high) not in ((-math.inf, math.inf), (0, math.inf), (1, math.inf))
    return (variable.low, variable.high, variable.low_open, variable.high_open) not in NATURAL


def all_variables():
    for claim in CLAIMS.values():
        for reading in claim.readings:
            for variable in reading.variables:
                yield claim, variable


def test_a_narrow_range_quotes_what_narrows_it():
    silent = sorted({(claim.id, str(of)) for claim, of in all_variables() if narrowed(of) and not of.words})
    assert silent == []
    assert len({(claim.id, of.name) for claim, of in all_variables() if of.words}) > 30


def test_words_stand_only_where_something_is_narrowed():
    assert [(claim.id, str(of)) for claim, of in all_variables() if of.words and not narrowed(of)] == []


@pytest.mark.parametrize(
    ("name", "variable", "low"),
    [
        ("chen-2020/tree-nodes", "j", 1),
        ("azize-basu-2022/lem3a", "delta", 0),
        ("shariff-sheffet-2018/tree-sums", "n", 1),
    ],
)
def test_domains_that_were_cut_reach_their_end(name, variable, low):
    (found,) = (of for of in CLAIMS[name].readings[0].variables if of.name == variable)
    assert found.low == low


@pytest.mark.parametrize("end", [0.05, 0.1, 0.3, 0.35])
def test_an_end_is_the_decimal_number_that_is_printed(end):
    """The float 0.05 is above 1/20 and the float 0.35 below 7/20: a counterexample at the end counts all the same."""
    exact = Fraction(str(end))
    assert Variable("x", end, 1).has(exact)
    assert Variable("x", 0, end).has(exact)
    assert not Variable("x", end, 1, low_open=True).has(exact)
    assert not Variable("x", 0, end, high_open=True).has(exact)


def test_a_violation_at_the_end_of_a_domain_is_confirmed():
    x = Variable("x", 0.05, 1)
    assert hunt(printed(x, says=at_most(1 / x.symbol, 19)), 400, 0).found.point == {"x": "1/20"}


def test_a_cut_domain_is_noticed():
    assert narrowed(integer("j", 2))
    assert narrowed(Variable("x", -2, 2))
    assert not narrowed(positive("epsilon"))
    assert not narrowed(probability("p", open_ends=True))
    assert not narrowed(integer("n", 1, region=(1, 8))), "a region limits the proof, not the domain"
