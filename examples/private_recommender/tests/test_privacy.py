"""What one visitor clicked stays private: epsilon = 1."""

import pytest
from hypothesis import given, settings
from private_recommender import Recommender, clicks_of
from private_recommender.recommender import BLOCK

from privcheck.testing import (
    BanditMachine,
    assert_sensitivity,
    assert_unchanged_by,
    load_profile,
    neighbouring_tables,
)

load_profile("ci")


@pytest.mark.privacy(epsilon=1.0, arms=3, horizon=3 * BLOCK + 1)
def test_an_audit_does_not_refute_the_claim():
    return Recommender


@pytest.mark.certified(epsilon=1.0, arms=3, horizon=6 * BLOCK)
def test_every_visitor_pays_for_one_release():
    return Recommender


def test_one_visitor_moves_a_block_by_one_click():
    assert_sensitivity(lambda visits: clicks_of(visits[:, 0]), 1.0, arms=1, horizon=BLOCK)


@given(neighbouring_tables(arms=1, max_rounds=BLOCK))
def test_so_says_hypothesis(pair):
    first, second = (clicks_of(visits[:, 0]) for visits in pair)
    assert abs(first - second) <= 1.0


def test_choosing_an_article_reads_nothing_but_releases():
    assert_unchanged_by(Recommender, epsilon=1.0, arms=3, horizon=4 * BLOCK)


class Visitors(BanditMachine):
    factory, arms, horizon = Recommender, 3, 3 * BLOCK


TestVisitors = Visitors.TestCase
TestVisitors.settings = settings(max_examples=20, stateful_step_count=3 * BLOCK)
