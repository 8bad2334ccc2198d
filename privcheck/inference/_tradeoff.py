"""The trade-off of the errors of distinguishing two inputs, with a confidence region for all thresholds together."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from privcheck.arrays import Array, ComparedByValue, Integers
from privcheck.declared import check
from privcheck.errors import PrivcheckError, words
from privcheck.inference._counts import DELTA, EPSILON, LEVEL
from privcheck.inference._limits import chances_lower, chances_upper


def declared_thresholds(first: npt.ArrayLike, second: npt.ArrayLike, number: int = 24) -> Array:
    """Return thresholds for the scores of other runs, at quantiles that are evenly spaced in log-odds.

    >>> declared_thresholds(np.arange(1000.0), np.arange(1000.0), 3).round().tolist()
    [3.0, 500.0, 996.0]
    """
    scores = np.concatenate([_scores("first", first), _scores("second", second)])
    edge = math.log(len(scores) / 6.0)
    shares = 1.0 / (1.0 + np.exp(-np.linspace(-edge, edge, number)))
    with np.errstate(over="ignore", invalid="ignore"):  # between scores at both ends of the floats
        return np.unique(np.quantile(scores, shares))


@dataclass(frozen=True, eq=False)
class TradeoffRegion(ComparedByValue):
    """Counts of scores at or above declared thresholds, and what they say about all events "score >= t" together.

    Parameters
    ----------
    thresholds : fixed before the runs were counted, increasing.
    more, less : runs on the first and on the second input with a score of at least each threshold.
    runs : runs on the first and on the second input.
    level : largest probability that any of the limits misses.

    """

    thresholds: Array
    more: Integers
    less: Integers
    runs: tuple[int, int]
    level: float

    @property
    def power_lower(self) -> Array:
        """Lower limits of the probability of each event on the first input."""
        return chances_lower(self.more, self.runs[0], self.level / (2 * len(self.thresholds)))

    @property
    def size_upper(self) -> Array:
        """Upper limits of the probability of each event on the second input."""
        return chances_upper(self.less, self.runs[1], self.level / (2 * len(self.thresholds)))

    def delta_lower(self, epsilon: float) -> float:
        """Return the lower limit of delta given epsilon; misses for any epsilon with probability at most `level`."""
        r = math.exp(check("epsilon", epsilon, EPSILON))
        high, low = self._ratios()
        return float(max(0.0, (high - r * low).max()))

    def epsilon_lower(self, delta: float) -> float:
        """Return the lower limit of epsilon given delta; misses for any delta with probability at most `level`."""
        high, low = self._ratios()
        excess = high - check("delta", delta, DELTA)
        seen = excess > 0.0
        return max(0.0, float(np.log(excess[seen] / low[seen]).max())) if seen.any() else 0.0

    def curve(self) -> tuple[Array, Array]:
        """Return the corners (type I, type II) of a convex curve that lies on or above the true trade-off function."""
        points = sorted(
            {(0.0, 1.0), (1.0, 0.0), *zip(self.size_upper.tolist(), (1.0 - self.power_lower).tolist(), strict=True)}
        )
        hull: list[tuple[float, float]] = []
        for x, y in points:
            while len(hull) > 1 and _turns_up(hull[-2], hull[-1], (x, y)):
                hull.pop()
            hull.append((x, y))
        return np.array([x for x, _ in hull]), np.array([y for _, y in hull])

    def _ratios(self) -> tuple[Array, Array]:
        """Return lower limits and upper limits of the two sides of every event and of every complement."""
        p, q = self.power_lower, self.size_upper
        return np.concatenate([p, 1.0 - q]), np.concatenate([q, 1.0 - p])


def tradeoff_region(
    first: npt.ArrayLike, second: npt.ArrayLike, thresholds: npt.ArrayLike, level: float
) -> TradeoffRegion:
    """Count scores of fresh runs at declared thresholds.

    Parameters
    ----------
    first, second : scores of independent runs on each input; high scores are evidence for the first.
    thresholds : declared before these runs were seen.
    level : error probability of the whole region, in (0, 0.5]; every threshold's two Clopper-Pearson limits get an
        equal share (Bonferroni).

    Raises
    ------
    PrivcheckError : scores or thresholds that are empty, not numbers or NaN, or a level outside (0, 0.5].

    Source
    ------
    Clopper and Pearson 1934; Dong, Roth and Su 2022 (trade-off functions).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> first, second = rng.laplace(1.0, size=100_000), rng.laplace(0.0, size=100_000)
    >>> region = tradeoff_region(first, second, np.linspace(-2.0, 3.0, 11), 0.05)
    >>> 0.96 < region.epsilon_lower(0.0) < 1.0
    True

    """
    levels = np.unique(_scores("thresholds", thresholds))
    scores = _scores("first", first), _scores("second", second)
    more, less = (at_least(side, levels) for side in scores)
    return TradeoffRegion(levels, more, less, (len(scores[0]), len(scores[1])), float(check("level", level, LEVEL)))


def at_least(scores: Array, thresholds: Array) -> Integers:
    """Return how many scores are at least each of the thresholds, which increase.

    >>> at_least(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0])).tolist()
    [2, 0]
    """
    passed = np.bincount(np.searchsorted(thresholds, scores, side="right"), minlength=len(thresholds) + 1)
    return np.asarray(passed[::-1].cumsum()[::-1][1:], np.int64)


def _turns_up(first: tuple[float, float], middle: tuple[float, float], last: tuple[float, float]) -> bool:
    run, rise = last[0] - first[0], last[1] - first[1]
    return (middle[1] - first[1]) * run >= (middle[0] - first[0]) * rise


def _scores(name: str, values: npt.ArrayLike) -> Array:
    try:
        array = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise PrivcheckError(name, words("something other than numbers"), "a list of numbers") from None
    if array.ndim != 1 or len(array) == 0 or np.isnan(array).any():
        nan = " with NaN" if np.isnan(array).any() else ""
        raise PrivcheckError(
            name, words(f"an array of shape {array.shape}{nan}"), "a non-empty list of numbers, none NaN"
        )
    return array
