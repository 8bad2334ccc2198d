"""Comparisons of policies: which has the lower regret, in the mean and at quantiles, and with what confidence."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from privcheck.arrays import Array
from privcheck.declared import Choice, Real, check
from privcheck.errors import PrivcheckError

if TYPE_CHECKING:
    from privcheck.results._simulation import Simulation

QUANTILES = (0.5, 0.95, 0.99)
"""The quantiles of regret that are compared: the typical run, and the two upper tails that `Simulation.summary` has."""


@dataclass(frozen=True)
class Difference:
    """The difference between two policies' regret: the estimate and the ends of its confidence interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Comparison:
    """Final regret of `first` minus that of `second`; negative values mean that `first` is better.

    Parameters
    ----------
    first, second : labels of the policies.
    mean : difference of means, with Welch's interval; wider for a policy whose runs all have the same regret, by what
        so many equal runs cannot rule out.
    median, q95, q99 : differences of quantiles, with distribution-free intervals.
    p_mean : two-sided p-value of the hypothesis that the means are equal, from these intervals (of Welch's test, where
        there is spread), adjusted for all comparisons made together by Holm's method.
    p_order : two-sided p-value of the Mann-Whitney test that both have the same law, adjusted in the same way; never
        below what a permutation test can show.
    better : share of pairs of runs in which `first` has the lower regret; ties count one half.
    """

    first: str
    second: str
    mean: Difference
    median: Difference
    q95: Difference
    q99: Difference
    p_mean: float
    p_order: float
    better: float


def compare(simulation: Simulation, *, baseline: str | None = None, confidence: float = 0.95) -> list[Comparison]:
    r"""Compare the final regret of every pair of policies, or of every policy with one baseline.

    Two policies have independent rewards, coins and noise: run i of one has nothing in common with run i of the other
    (algorithms that choose differently see different rewards, and an event engine draws sums, not a table that could be
    shared). There is nothing to pair, so the tests are those for two independent samples.

    All intervals for means hold jointly with probability `confidence`, and so do those for medians, for 95 % quantiles
    and for 99 % quantiles (Bonferroni). Intervals for quantiles are valid for any number of runs: they combine two
    intervals between order statistics, whose ranks follow from Binomial(runs, q), or which end at the smallest or
    largest possible regret if there are too few runs. Welch's interval and the two tests are approximations for many
    runs, among which failures of a policy, if it has any, occur many times. Runs that are all equal show no spread:
    other regrets, up to the smallest or largest possible, then count with the share that these runs do not rule out.

    Parameters
    ----------
    simulation : two policies or more, two runs or more.
    baseline : label of the policy that all others are compared with; None for all pairs.
    confidence : in (0, 1).

    Raises
    ------
    PrivcheckError : one policy, one run, an unknown baseline, a confidence outside (0, 1).

    Source
    ------
    Welch 1947; Mann and Whitney 1947; Holm 1979; David and Nagaraja 2003, Section 7.1 (order statistics).

    Examples
    --------
    >>> from privcheck.simulation._simulate import simulate
    >>> found = compare(simulate(["ucb", "kl-ucb"], [0.9, 0.1], horizon=2000, runs=50))[0]
    >>> found.first, found.second, found.mean.low > 0, found.p_mean < 0.01
    ('ucb', 'kl-ucb', True, True)
    """
    confidence = check("confidence", confidence, Real(0.0, 1.0, low_open=True, high_open=True))
    final = _in_steps({result.policy: result.regret[:, -1] for result in simulation.results})
    if len(final) < 2:
        raise PrivcheckError("policies", list(final), "two policies or more", "there is nothing to compare")
    fewest = min(map(len, final.values()))
    if fewest < 2:
        raise PrivcheckError("runs", fewest, "two runs or more", "one run has no spread")
    if baseline is None:
        pairs = list(combinations(final, 2))
    else:
        check("baseline", baseline, Choice(tuple(final)))
        pairs = [(name, baseline) for name in final if name != baseline]
    error, extremes = (1.0 - confidence) / len(pairs), simulation.environment.regret_range(simulation.horizon)
    means = [_mean_difference(final[a], final[b], error, extremes) for a, b in pairs]
    orders = [_order(final[a], final[b]) for a, b in pairs]
    p_means, p_orders = _holm([p for _, p in means]), _holm([p for _, p in orders])
    quantiles = [[_quantile_difference(final[a], final[b], q, error, extremes) for q in QUANTILES] for a, b in pairs]
    return [
        Comparison(
            a, b, means[i][0], quantiles[i][0], quantiles[i][1], quantiles[i][2], p_means[i], p_orders[i], orders[i][0]
        )
        for i, (a, b) in enumerate(pairs)
    ]


def _in_steps(final: dict[str, Array]) -> dict[str, Array]:
    """Return the regrets in order, in steps far above their rounding errors.

    Engines add gaps up in different orders, and a test of order would take the last digits of equal regrets for a
    difference.
    """
    largest = max((float(np.abs(regret).max(initial=0.0)) for regret in final.values()), default=0.0)
    places = 11 - math.ceil(math.log10(largest)) if 0.0 < largest < math.inf else 11
    return {name: np.sort(np.round(regret, places)) for name, regret in final.items()}


def quantile_interval(
    ordered: Array, quantile: float, error: float, largest: float, least: float = 0.0
) -> tuple[float, float]:
    """Return an interval that contains the quantile with probability at least 1 - `error`, whatever the law.

    >>> quantile_interval(np.arange(100.0), 0.5, 0.05, 1000.0)
    (39.0, 60.0)
    """
    low, high = _ranks(len(ordered), quantile, error)
    return float(ordered[low - 1]) if low > 0 else least, float(ordered[high - 1]) if high <= len(ordered) else largest


@lru_cache
def _ranks(runs: int, quantile: float, error: float) -> tuple[int, int]:
    """Return the last rank l with P(B < l) <= error / 2 and the first u with P(B >= u) <= error / 2; B is Binomial."""
    from scipy import stats

    law, ranks = stats.binom(runs, quantile), np.arange(runs + 2)
    return int(ranks[law.cdf(ranks - 1) <= error / 2][-1]), int(ranks[law.sf(ranks - 1) <= error / 2][0])


def _quantile_difference(
    first: Array, second: Array, quantile: float, error: float, extremes: tuple[float, float]
) -> Difference:
    least, largest = extremes
    ends_1, ends_2 = (quantile_interval(sample, quantile, error / 2, largest, least) for sample in (first, second))
    value = float(np.quantile(first, quantile) - np.quantile(second, quantile))
    return Difference(value, ends_1[0] - ends_2[1], ends_1[1] - ends_2[0])


def _mean_difference(
    first: Array, second: Array, error: float, extremes: tuple[float, float]
) -> tuple[Difference, float]:
    """Return the difference of means with its interval, and the least error whose interval leaves out 0."""
    value = float(first.mean() - second.mean())
    below, above = _reach(first, second, error, extremes)
    if not any(map(_constant, (first, second))):
        from scipy import stats

        spread, freedom = _welch(first, second)
        return Difference(value, value - below, value + above), float(2.0 * stats.t(freedom).sf(abs(value) / spread))
    return Difference(value, value - below, value + above), _least_error(first, second, value, extremes)


def _reach(first: Array, second: Array, error: float, extremes: tuple[float, float]) -> tuple[float, float]:
    """Return how far the interval reaches below and above the difference: by Welch, and by what equal runs leave open.

    Where a sample has no spread it says nothing of one, and a policy that rarely fails looks like that.
    """
    constant = [sample for sample in (first, second) if _constant(sample)]
    below = above = 0.0
    if len(constant) < 2:
        from scipy import stats

        spread, freedom = _welch(first, second)
        below = above = spread * float(stats.t(freedom).isf(error / (4.0 if constant else 2.0)))
    for sample in constant:
        other, regret = _other_share(len(sample), error / 2.0), float(sample[0])
        down, up = other * (regret - extremes[0]), other * (extremes[1] - regret)
        below, above = (below + down, above + up) if sample is first else (below + up, above + down)
    return below, above


def _other_share(runs: int, error: float) -> float:
    """Return the share of runs with another regret that so many equal runs rule out.

    If every regret has a probability of at most a, all runs are equal with probability a^(runs - 1) at most.

    >>> round(_other_share(300, 0.05), 4)
    0.01
    """
    return -math.expm1(math.log(error) / (runs - 1))


def _least_error(first: Array, second: Array, value: float, extremes: tuple[float, float]) -> float:
    """Return the least error at which an interval leaves out 0; 1 if none does."""
    low, high = math.log(sys.float_info.min), 0.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        below, above = _reach(first, second, math.exp(middle), extremes)
        left_out = value - below > 0.0 or value + above < 0.0
        low, high = (low, middle) if left_out else (middle, high)
    return math.exp(high)


def _constant(sample: Array) -> bool:
    return float(sample[-1] - sample[0]) <= 1e-12 * abs(float(sample[-1]))


def _welch(first: Array, second: Array) -> tuple[float, float]:
    """Return the standard error of the difference, and the degrees of freedom of its law."""
    variances = [float(sample.var(ddof=1)) / len(sample) for sample in (first, second)]
    spread = math.sqrt(sum(variances))
    pairs = zip(variances, (first, second), strict=True)
    return spread, spread**4 / sum(variance**2 / (len(sample) - 1) for variance, sample in pairs)


def _order(first: Array, second: Array) -> tuple[float, float]:
    from scipy import stats

    test = stats.mannwhitneyu(first, second, method="asymptotic")
    p_value = max(float(test.pvalue), _least_p_value(first, second))
    return 1.0 - float(test.statistic) / (len(first) * len(second)), p_value


def _least_p_value(first: Array, second: Array) -> float:
    """Return the probability that runs of one law are divided in this way or the opposite one, all of a sample below
    all of the other: runs by themselves, without a normal law, show no less.
    """
    return 2.0 * math.exp(
        math.lgamma(len(first) + 1) + math.lgamma(len(second) + 1) - math.lgamma(len(first) + len(second) + 1)
    )


def _holm(p_values: list[float]) -> list[float]:
    """Return p-values adjusted for multiple testing by Holm's method.

    >>> _holm([0.01, 0.5, 0.02])
    [0.03, 0.5, 0.04]
    """
    adjusted, worst = [0.0] * len(p_values), 0.0
    for rank, i in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        worst = max(worst, min(1.0, p_values[i] * (len(p_values) - rank)))
        adjusted[i] = worst
    return adjusted
