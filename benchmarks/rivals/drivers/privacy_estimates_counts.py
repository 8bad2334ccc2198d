"""Counts at a threshold given: it is chosen on a half of the scores, by a plain estimate, and counted on the other."""

import numpy as np
from common import run
from privacy_estimates import AttackResults, compute_eps_lo


def counts(samples, delta):
    """Return counts on the second half, at the threshold and in the direction that the first half prefers."""
    half = len(samples["first_score"]) // 2
    one, two = samples["first_score"], samples["second_score"]
    best = (-np.inf, 0.0, 1.0)
    for sign in (1.0, -1.0):
        more, less = np.sort(sign * one[:half]), np.sort(sign * two[:half])
        more, less = (more, less) if sign > 0 else (less, more)
        for threshold in np.unique(np.quantile(np.concatenate([more, less]), np.linspace(0.005, 0.995, 199))):
            k, l = half - np.searchsorted(more, threshold), half - np.searchsorted(less, threshold)
            if k - delta * half > 0:
                error = np.sqrt(1.0 / k + 1.0 / (l + 0.5))
                best = max(best, (np.log((k - delta * half) / (l + 0.5)) - 2.0 * error, threshold, sign))
    _, threshold, sign = best
    more, less = (one, two) if sign > 0 else (two, one)
    tp, fp = (int((sign * scores[half:] >= threshold).sum()) for scores in (more, less))
    return AttackResults(FN=len(one) - half - tp, FP=fp, TN=len(one) - half - fp, TP=tp)


def of(method):
    return lambda samples, delta, level: compute_eps_lo(counts(samples, delta), delta, level, method)


run({"Clopper-Pearson": of("beta"), "Jeffreys": of("jeffreys"), "joint beta": of("joint-beta")})
