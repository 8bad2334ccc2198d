"""Two faults of noisy sums: a swapped parameter of shares of noise, and one draw of noise for several sums."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from audits.wild.implementation import Shown

EPSILON, BATCH = 1.0, 4


def swapped_polya_parameter() -> Shown:
    """Compare the two laws of the sum by enumeration, from the convolution of all shares.

    A Poisson number with a gamma mean of shape r and scale s is negative binomial, and weights of k are
    proportional to (s / (1 + s))^k. With s = (1 - p) / p that ratio is 1 - p.
    """
    precision = math.ceil(EPSILON * math.sqrt(BATCH))
    p = math.exp(-EPSILON / precision)
    scale = (1.0 - p) / p
    numbers = np.arange(4000)
    share = stats.nbinom.pmf(numbers, 1.0 / BATCH, 1.0 / (1.0 + scale))
    positive = share
    for _ in range(BATCH - 1):
        positive = np.convolve(positive, share)[: len(numbers)]
    noise = np.convolve(positive, positive[::-1])  # difference of two sums; its centre is noise 0
    centre = len(positive) - 1
    least = math.log(noise[centre] / noise[centre + precision])
    because = (
        f"enumeration of the law of the noise of {BATCH} users: one reward moves the sum by {precision} units, and "
        f"probabilities at noise 0 and {precision} differ by the factor exp({least:.3f}); the closed form "
        f"-g ln(1 - e^(-eps/g)) is {-precision * math.log(1.0 - p):.3f}"
    )
    return Shown(EPSILON, least, because)


def one_draw_for_all_arms() -> Shown:
    """The difference of two sums with the same noise is the difference of the sums."""
    rng = np.random.default_rng(0)
    differences = set()
    for sums in ([1.0, 1.0], [1.0, 0.0]):
        noisy = np.array(sums) + rng.laplace(0.0, 1.0 / EPSILON, 1000)[:, None]
        differences.add(tuple(np.unique(np.round(noisy[:, 0] - noisy[:, 1], 9)).tolist()))
    because = (
        "the difference of two sums with the same noise is that of the sums: over 1,000 draws it is always "
        f"{' on one input and '.join(str(found[0]) for found in sorted(differences))} on the other"
    )
    separated = len(differences) == 2 and all(len(found) == 1 for found in differences)
    return Shown(EPSILON, math.inf if separated else 0.0, because)
