r"""An exact unconditional test of p <= e^epsilon q + delta from two independent binomial counts.

The counts (K, L) are ordered by the approximate lower limit that the likelihood ratio gives; R is the set of counts
whose limit is at least the observed one. For a claim (epsilon, delta) the probability of R is largest at
p = e^epsilon q + delta, because with (k, l) every (k + i, l - j) is in R. The p-value is gamma plus the largest
probability of R over the q in a Clopper-Pearson interval that misses with probability gamma (Berger and Boos 1994). R
does not depend on the claim, so the p-value rises with epsilon and with delta, and the claims that are refuted end at
one limit (Buehler 1957).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

from privcheck.declared import check
from privcheck.inference._binomial_pair import boundary, log_ratio, window
from privcheck.inference._counts import DELTA, EPSILON, LEVEL, RUNS, check_count
from privcheck.inference._limits import clopper_pearson
from privcheck.inference._supremum import largest_probability

NUISANCE_SHARE = 0.01
"""Share of the level that the nuisance interval may spend; from 0.001 to 0.1 it changed limits by less than 1 %."""

TOLERANCE_SHARE = 0.002
"""Share of the level that interpolation may add to a p-value; a tenth of it would raise limits by less than 0.1 %."""

CLOSE = 0.002
"""The search for the limit ends when its p-value is the level, or smaller by at most this share."""


def epsilon_lower(k: int, l: int, n: int, delta: float, level: float) -> float:
    """Return the lower limit of epsilon given delta; 0 when nothing is refuted.

    Parameters
    ----------
    k, l : counts of one event, fixed beforehand, on the first and on the second input.
    n : independent runs on each input, fixed beforehand.
    delta : of the claim, in [0, 1).
    level : one-sided error probability, in (0, 0.5].

    Returns
    -------
    The largest epsilon up to which every claim (epsilon, delta) is refuted, to within 0.2 % of the level.

    Raises
    ------
    PrivcheckError : counts, runs, delta or level outside their range.

    Source
    ------
    Berger and Boos 1994; Buehler 1957.

    Examples
    --------
    >>> round(epsilon_lower(466, 207, 100_000, 1e-5, 0.05), 2)
    0.67

    """
    k, l, n, level = _checked(k, l, n, level)
    delta = check("delta", delta, DELTA)
    return _limit(k, l, n, level, lambda epsilon: (math.exp(epsilon), delta), math.log(4.0 * n))


def delta_lower(k: int, l: int, n: int, epsilon: float, level: float) -> float:
    """Return the lower limit of delta given epsilon; 0 when nothing is refuted.

    The parameters are those of `epsilon_lower`, with the claim's epsilon, at least 0, in place of delta.

    >>> round(delta_lower(500, 100, 1000, 0.0, 0.05), 2)
    0.37
    """
    k, l, n, level = _checked(k, l, n, level)
    r = math.exp(check("epsilon", epsilon, EPSILON))
    return _limit(k, l, n, level, lambda delta: (r, delta), 1.0 - 1e-12)


def p_value(k: int, l: int, n: int, epsilon: float, delta: float, gamma: float = 1e-4) -> float:
    """Return a p-value of the claim (epsilon, delta), never below `gamma`, which the nuisance interval spends.

    >>> p_value(640, 320, 100_000, 0.0, 1e-3) < 0.001 < 0.1 < p_value(640, 320, 100_000, 0.7, 0.0)
    True
    """
    k, l, n, gamma = _checked(k, l, n, gamma, "gamma")
    r, delta = math.exp(check("epsilon", epsilon, EPSILON)), check("delta", delta, DELTA)
    ratio = log_ratio(k, l, n, r, delta)
    if ratio <= 0.0:
        return 1.0
    return min(1.0, _Region(l, n, r, delta, ratio, gamma).p_value(r, delta, gamma / 10.0))


class _Region:
    """The counts that contradict a claim at least as much as the observed ones, and their largest probability."""

    def __init__(self, l: int, n: int, r: float, delta: float, ratio: float, gamma: float) -> None:
        self.n, self.gamma = n, gamma
        self.low, self.high = clopper_pearson(l, n, gamma / 2.0)
        self.first, last = window(n, self.low)[0], window(n, self.high)[1]
        self.least = boundary(n, r, delta, ratio * (1.0 - 1e-9), self.first, last)

    def p_value(self, r: float, delta: float, tolerance: float) -> float:
        """Return the p-value of the claim p <= r q + delta."""
        return self.gamma + float(
            largest_probability(self.n, r, delta, self.low, self.high, self.least, self.first, tolerance)
        )


def _limit(
    k: int, l: int, n: int, level: float, claim: Callable[[float], tuple[float, float]], largest: float
) -> float:
    ratio = 0.5 * NormalDist().inv_cdf(min(level, 0.4)) ** 2
    if log_ratio(k, l, n, *claim(0.0)) <= ratio:
        return 0.0
    start = _crossing(lambda x: log_ratio(k, l, n, *claim(x)) - ratio, 0.0, largest)
    region = _Region(l, n, *claim(start), ratio, NUISANCE_SHARE * level)

    def excess(x: float) -> float:
        return math.log(region.p_value(*claim(x), TOLERANCE_SHARE * level) / level)

    return _refuted_up_to(excess, start, largest) if excess(0.0) <= 0.0 else 0.0


def _crossing(falling: Callable[[float], float], low: float, high: float) -> float:
    while high - low > 1e-12 * (1.0 + high):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if falling(middle) > 0.0 else (low, middle)
    return low


def _refuted_up_to(excess: Callable[[float], float], start: float, largest: float) -> float:
    """Return a point just below the root of the rising `excess`, by false position from `start`.

    Only points at which it was found to be at most 0 are returned, so validity does not rely on convergence.
    """
    low, high, below, above = 0.0, largest, -math.inf, math.inf
    point, step = start, 1e-3 * start
    while high - low > 1e-7 * start:
        value = excess(point)
        if value <= 0.0:
            low, below = point, value
            if value > -CLOSE:
                break
        else:
            high, above = point, value
        if above == math.inf or below == -math.inf:
            point = min(low + step, 0.5 * (low + high)) if above == math.inf else max(high - step, 0.5 * high)
            step *= 4.0
        else:
            share = (-0.5 * CLOSE - below) / (above - below)
            point = low + min(0.98, max(0.02, share)) * (high - low)
    return low


def _checked(k: int, l: int, n: int, level: float, name: str = "level") -> tuple[int, int, int, float]:
    n = check("runs", n, RUNS)
    return check_count("k", k, n), check_count("l", l, n), n, float(check(name, level, LEVEL))
