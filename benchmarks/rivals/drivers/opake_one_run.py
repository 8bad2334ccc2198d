"""Scores and coins given; every canary is guessed about, at the threshold of the best accuracy."""

import numpy as np
from common import run_each
from opake.api.auditing._coin_flip import CoinFlip, canary_scores
from opake.auditing import one_run


def estimate(scores, included):
    places = np.arange(len(scores))
    flips = CoinFlip(len(scores), places, included, places[included], places[~included], len(scores))
    return one_run(canary_scores(scores, canary_indices=places), coin_flip=flips)


def order_statistics(scores, included, delta, level):
    return estimate(scores, included).eps_delta().epsilon_at(delta=delta, significance=level)


def gaussian(scores, included, delta, level):
    return estimate(scores, included).gdp(grid_size=1000).epsilon_at(delta=delta, significance=level)


run_each({"order statistics": order_statistics, "Gaussian fit": gaussian})
