"""Scores given, as if every run were a canary of one training run; the threshold is that of the best accuracy."""

import numpy as np
from common import run
from opake.api.auditing._coin_flip import CoinFlip, canary_scores
from opake.auditing import one_run


def estimate(samples):
    scores = np.concatenate([samples["first_score"], samples["second_score"]])
    places = np.arange(len(scores))
    heads = places < len(samples["first_score"])
    flips = CoinFlip(len(scores), places, heads, places[heads], places[~heads], len(scores))
    return one_run(canary_scores(scores, canary_indices=places), coin_flip=flips)


def order_statistics(samples, delta, level):
    return estimate(samples).eps_delta().epsilon_at(delta=delta, significance=level)


def gaussian(samples, delta, level):
    return estimate(samples).gdp().epsilon_at(delta=delta or 1e-5, significance=level)


run({"order statistics": order_statistics, "Gaussian fit": gaussian})
