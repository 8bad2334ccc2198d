"""A sequential test of differential privacy by bets on a kernel witness, written from its paper.

Gonzalez, Dulce-Rubio, Ramdas and Ribero 2025, "Sequentially auditing differential privacy" (arXiv 2509.07055). Under
(epsilon, delta)-DP the total variation of two neighbouring laws is at most (e^epsilon - 1 + 2 delta) / (e^epsilon + 1),
and the maximum mean discrepancy, for a kernel from 0 to 1, at most sqrt(2) times that: tau. The witness, a function in
the unit ball of the kernel's space, follows online gradient ascent; the stake, online Newton steps; both use earlier
pairs alone, so the wealth is a supermartingale under the claim. Its code is in no public repository that we know;
the Gaussian kernel, whose width is the median distance of the first pairs, which are not bet on, and the steps of the
ascent are our choice.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

FIRST = 20
"""Pairs from which the width of the kernel is taken."""


def stopping(first: Array, second: Array, epsilon: float, delta: float, error: float) -> int | None:
    """Return the number of pairs after which the claim is refuted, or None if all pairs do not refute it.

    Parameters
    ----------
    first, second : outputs on the two inputs, shape (n,) or (n, dimensions), in the order in which they come.
    epsilon, delta : the claim.
    error : a true claim is refuted with at most this probability, at any time.

    """
    one, two = (np.asarray(side, float).reshape(len(side), -1) for side in (first, second))
    some = np.concatenate([one[:FIRST], two[:FIRST]])
    distances = np.square(some[:, None] - some).sum(axis=2)
    width = float(np.median(distances[distances > 0.0])) if (distances > 0.0).any() else 1.0
    tau = math.sqrt(2.0) * (math.expm1(epsilon) + 2.0 * delta) / (math.exp(epsilon) + 1.0)
    most = 0.5 / (math.sqrt(2.0) + tau)
    points = np.concatenate([one[:, None], two[:, None]], axis=1)  # (pairs, 2, dimensions)
    weights = np.zeros(len(points))
    scale, norm, steps, wealth, stake, curvature = 1.0, 0.0, 0.0, 1.0, 0.0, 1.0
    for now in range(FIRST, len(points)):
        past = slice(FIRST, now)
        kernel = np.exp(-np.square(points[past, :, None] - points[now][None, None]).sum(axis=3) / width)
        signed = kernel[:, 0] - kernel[:, 1]  # (pairs, the two new points)
        slope = float(scale * weights[past] @ (signed[:, 0] - signed[:, 1]))
        gain = slope - tau
        wealth *= 1.0 + stake * gain
        if wealth >= 1.0 / error:
            return now + 1
        gradient = gain / (1.0 + stake * gain)
        curvature += gradient * gradient
        stake = min(most, max(0.0, stake + 2.0 / (2.0 - math.log(3.0)) * gradient / curvature))
        square = 2.0 - 2.0 * float(np.exp(-np.square(points[now, 0] - points[now, 1]).sum() / width))
        steps += square
        if square > 0.0:
            step = math.sqrt(2.0 / steps)
            norm += 2.0 * step * slope + step * step * square
            weights[now] = step / scale
            if norm > 1.0:
                scale, norm = scale / math.sqrt(norm), 1.0
    return None
