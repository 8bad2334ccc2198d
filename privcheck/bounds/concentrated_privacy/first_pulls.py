"""How often an arm is pulled at least: what the first n pulls of it can show under zCDP or Gaussian DP."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from privcheck.arrays import Array
from privcheck.bounds.families.base import MeanFamily

PARTS = (0.5, 0.75, 0.9, 1.0)
"""Where the law in between lies on the way from the arm's mean to the raised one: each is valid. 1 is privacy alone;
for 0, the noise of the rewards alone, `privcheck.bounds.finite_time` has a better bound."""

LEVELS = (0.1, 0.01)
"""With which probability a count of differing rewards, or a likelihood ratio, may be larger than is reckoned with."""

_POINTS = 60
_ROOM = 10.0

Hidden = Callable[[Array, Array], Array]
"""The largest probability of an event from -ln of its probability on other rewards, of which d differ."""


@dataclass(frozen=True)
class FirstPulls:
    """Rows of choices (raise, law in between, levels) for which P(N_a <= n) is bounded, for every n of a grid.

    Parameters
    ----------
    pulls : n, increasing, shape (N,).
    missed : probability that a count or a likelihood ratio is too large, shape (C, N).
    ratio : c, the largest log-likelihood ratio reckoned with, shape (C, N).
    differing : d, the largest number of differing rewards reckoned with, shape (C, N).
    at_stake : ln of the regret if arm a is not the one that is played after n pulls, shape (C, N).
    """

    pulls: Array
    missed: Array
    ratio: Array
    differing: Array
    at_stake: Array

    def least_mean(self, regret: float, hidden: Hidden) -> float:
        """Return a lower bound of E N_a if the regret is at most `regret`: the sum of P(N_a > n) over n."""
        found = self.missed + hidden(self.at_stake - math.log(regret) - self.ratio, self.differing)
        more = 1.0 - np.minimum(found.min(axis=0), 1.0)
        more = np.maximum.accumulate(more[::-1])[::-1]  # P(N_a > n) falls in n
        return float(np.sum(np.diff(self.pulls, prepend=-1.0) * more))


def first_pulls(
    family: MeanFamily, mean: float, best: float, raises: Sequence[float], rho: float, horizon: int
) -> FirstPulls | None:
    """Return the choices for an arm that is raised from `mean` to `best + x`; None if no raise is possible."""
    targets = [(x, best + x) for x in raises if best + x < family.highest_mean]
    if not targets or horizon < 2:
        return None
    largest = math.log(horizon) + _ROOM
    most = max(max(largest / family.kl(mean, to), math.sqrt(largest / rho) / family.tv(mean, to)) for _, to in targets)
    pulls = np.unique(np.append(np.floor(np.geomspace(1.0, max(min(1.5 * most, horizon - 1.0), 1.0), _POINTS)), 0.0))
    rows: list[tuple[Array, Array, Array, Array]] = []
    for x, to in targets:
        at_stake = np.log(x * (horizon - pulls))
        for part in PARTS:
            between = to if part == 1.0 else mean + part * (to - mean)
            for count_level in LEVELS:
                differing, missed = _count(pulls, family.tv(mean, between), count_level)
                for level in LEVELS[: 1 if part == 1.0 else None]:
                    ratio, beyond = _ratio(family, between, to, pulls, level)
                    rows.append((missed + beyond, ratio, differing, at_stake))
    return FirstPulls(pulls, *(np.array(column) for column in zip(*rows, strict=True)))


def _count(pulls: Array, variation: float, level: float) -> tuple[Array, Array]:
    """Return a quantile d of Binomial(n, tv) and the probability of more."""
    from scipy.stats import binom

    found = binom.isf(level, pulls, variation)
    return found, binom.sf(found, pulls, variation)


def _ratio(family: MeanFamily, law: float, other: float, pulls: Array, level: float) -> tuple[Array, Array]:
    """Return a quantile c of the log-likelihood ratio of n rewards of `law` against `other`, and P(more)."""
    from scipy.stats import binom, norm

    if law == other:
        return np.zeros_like(pulls), np.zeros_like(pulls)
    if family.id == "gaussian":
        mean = pulls * family.kl(law, other)
        return mean + np.sqrt(2.0 * mean) * norm.isf(level), np.where(pulls > 0.0, level, 0.0)
    ones = binom.ppf(level, pulls, law)  # fewer ones speak for the smaller mean
    up, down = math.log(law / other), math.log1p(-law) - math.log1p(-other)
    return ones * up + (pulls - ones) * down, binom.cdf(ones - 1.0, pulls, law)


def under_zcdp(rho: float) -> Hidden:
    """Return exp(-(sqrt(l) - d sqrt(rho))^2), which is 1 where the bracket is negative.

    >>> round(float(under_zcdp(0.5)(np.array(8.0), np.array(2.0))), 6)
    0.135335
    """

    def hidden(exponent: Array, differing: Array) -> Array:
        root = np.sqrt(np.maximum(exponent, 0.0)) - differing * math.sqrt(rho)
        return np.asarray(np.exp(-(np.maximum(root, 0.0) ** 2)))

    return hidden


def under_gdp(mu: float) -> Hidden:
    """Return Phi(Phi^-1(e^-l) + mu d), which is 1 for l below 0.

    >>> round(float(under_gdp(1.0)(np.array(8.0), np.array(2.0))), 6)
    0.080578
    """
    from scipy.special import log_ndtr, ndtri_exp

    def hidden(exponent: Array, differing: Array) -> Array:
        known = exponent > 0.0
        quantile = ndtri_exp(-np.where(known, exponent, 1.0))
        return np.asarray(np.where(known, np.exp(log_ndtr(quantile + mu * differing)), 1.0))

    return hidden
