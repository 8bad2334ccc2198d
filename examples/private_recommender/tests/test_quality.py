"""Private recommendations are still useful."""

import numpy as np
from private_recommender import Recommender, logged_visits

from privcheck.testing import assert_regret_below


def test_clicks_on_the_log_are_more_than_by_chance():
    log, recommender = logged_visits(), Recommender(np.random.default_rng(0))
    clicked = 0.0
    for visitor in log:
        article = recommender.select()
        recommender.update(article, visitor[article])
        clicked += visitor[article]
    assert clicked / len(log) > 1.3 * log.mean()


def test_regret_on_visitors_like_those_of_the_log():
    assert_regret_below(Recommender, 60.0, logged_visits().mean(axis=0), horizon=400, epsilon=1.0)
