"""The search finds that a constant of a printed statement is 2 % off, and is silent about the constant as printed."""

from __future__ import annotations

from collections import Counter

import pytest

from privcheck.claims import listed_items
from privcheck.claims._search.hunt import hunt
from tests.modules import beside

twins = beside(__file__, "moved_constants", registered=True)

USUAL = 3000
"""Points of a search as `examine` makes it."""


def name_of(twin):
    return twin.claim


def test_there_are_ten_of_each_paper():
    assert Counter(twin.claim.partition("/")[0] for twin in twins.TWINS) == dict.fromkeys(listed_items(), 10)
    assert len({twin.claim for twin in twins.TWINS}) == 50


@pytest.mark.parametrize("twin", twins.TWINS, ids=name_of)
def test_the_twin_is_false_at_its_point_and_the_printed_form_is_not(twin):
    assert twins.fails(twin.moved, twin.point)
    assert not twins.fails(twin.printed, twin.point)


@pytest.mark.parametrize("twin", twins.TWINS, ids=name_of)
def test_the_search_finds_the_twin(twin, evidence):
    for seed in range(evidence(1, 5)):
        assert hunt(twin.moved, USUAL, seed).found is not None


@pytest.mark.parametrize("twin", twins.TWINS, ids=name_of)
def test_the_search_is_silent_about_the_printed_form(twin, evidence):
    for seed in range(evidence(1, 5)):
        found = hunt(twin.printed, USUAL, seed)
        assert found.found is None
        assert not found.unconfirmed
