r"""A Gaussian trade-off fitted to threshold counts: not a bound, unless the trade-off is Gaussian.

If some rising function of the score is N(mu, 1) on the first input and N(0, 1) on the second, the normal quantiles of
P_1(score >= t) and P_2(score >= t) differ by mu at every threshold t. mu is estimated by least squares with the
multinomial covariance of the counts, and the remaining sum of squares tests the model. The fit is refused when the test
rejects, and when the runs are too few for it to reject a Laplace trade-off of the same total variation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from scipy.special import ndtr, ndtri

from privcheck.accounting import gaussian_epsilon
from privcheck.arrays import Array
from privcheck.declared import Real, check
from privcheck.inference._counts import LEVEL
from privcheck.inference._tradeoff import TradeoffRegion

FEWEST = 50
"""Thresholds with fewer runs than this above or below, on either input, are left out: normal quantiles are noisy."""

FIT_LEVEL = 0.05
"""Level of the test of the model, the conventional one: about the share of Gaussian trade-offs that it rejects."""

FIT_POWER = 0.95
"""Probability with which that test has to reject a Laplace trade-off, or the fit is refused; 1 - its level."""

DELTA_ABOVE_0 = Real(0.0, 1.0, low_open=True, high_open=True)

LABEL = "conditional on a Gaussian trade-off"


@dataclass(frozen=True)
class GaussianFit:
    """A fit, accepted or refused.

    Parameters
    ----------
    mu, mu_lower : estimate and lower limit of the distance between the two normal laws, in standard deviations.
    fit_p_value : of the hypothesis that the trade-off is Gaussian at all thresholds.
    fit_power : estimated probability that a Laplace trade-off would have been rejected.
    refused : why there is no bound; empty when there is one.
    label : the caveat to show with every number derived from the fit.

    """

    mu: float
    mu_lower: float
    fit_p_value: float
    fit_power: float
    refused: str
    label: str = LABEL

    def epsilon_lower(self, delta: float) -> float | None:
        """Return the lower limit of epsilon given delta in (0, 1), conditional on the model; None when refused."""
        delta = check("delta", delta, DELTA_ABOVE_0)
        if self.refused:
            return None
        return gaussian_epsilon(self.mu_lower, delta).lower if self.mu_lower > 0.0 else 0.0


def fit_gaussian(region: TradeoffRegion, level: float) -> GaussianFit:
    """Fit a Gaussian trade-off to the counts of a region.

    Parameters
    ----------
    region : counts at declared thresholds; its own level is not used.
    level : one-sided error probability of `mu_lower` if the model holds (asymptotic), in (0, 0.5].

    Source
    ------
    Dong, Roth and Su 2022 (Gaussian differential privacy).

    Examples
    --------
    >>> from privcheck.inference._tradeoff import tradeoff_region
    >>> rng, thresholds = np.random.default_rng(1), np.linspace(-2.5, 3.5, 13)
    >>> second = rng.normal(size=20_000)
    >>> fit = fit_gaussian(tradeoff_region(rng.normal(1.0, size=20_000), second, thresholds, 0.05), 0.05)
    >>> fit.refused, 0.95 < fit.mu_lower < 1.0
    ('', True)

    """
    from scipy.stats import chi2, ncx2

    level = check("level", level, LEVEL)
    n, m = region.runs
    enough = (
        (np.minimum(region.more, region.less) >= FEWEST) & (region.more <= n - FEWEST) & (region.less <= m - FEWEST)
    )
    p, q = region.more[enough] / n, region.less[enough] / m
    _, distinct = np.unique(np.stack([p, q]), axis=1, return_index=True)
    p, q = p[np.sort(distinct)], q[np.sort(distinct)]
    if len(p) < 5:
        return GaussianFit(math.nan, math.nan, math.nan, 0.0, "fewer than five thresholds with enough runs")
    precision = np.asarray(np.linalg.pinv(_covariance(p, n) + _covariance(q, m), hermitian=True), np.float64)
    mu, rest = _fit(ndtri(p) - ndtri(q), precision)
    freedom = len(p) - 1
    error = 1.0 / math.sqrt(float(precision.sum()))
    fit_p_value = float(chi2.sf(rest, freedom))
    other = _fit(ndtri(_laplace_power(q, mu)) - ndtri(q), precision)[1]
    fit_power = float(ncx2.sf(chi2.isf(FIT_LEVEL, freedom), freedom, max(other, 1e-12)))
    refused = ""
    if fit_p_value < FIT_LEVEL:
        refused = "the trade-off is not Gaussian"
    elif fit_power < FIT_POWER:
        refused = "too few runs to distinguish a Gaussian trade-off from a Laplace one"
    return GaussianFit(mu, mu + NormalDist().inv_cdf(level) * error, fit_p_value, fit_power, refused)


def _fit(distances: Array, precision: Array) -> tuple[float, float]:
    mu = float(precision.sum(axis=0) @ distances / precision.sum())
    return mu, float((distances - mu) @ precision @ (distances - mu))


def _covariance(p: Array, n: int) -> Array:
    """Return the covariance of the normal quantiles of shares p of n runs, by the delta method."""
    slope = np.exp(-0.5 * ndtri(p) ** 2) / math.sqrt(2.0 * math.pi)
    return np.asarray((np.minimum.outer(p, p) - np.outer(p, p)) / (n * np.outer(slope, slope)))


def _laplace_power(q: Array, mu: float) -> Array:
    """Return the power at size q of the best test between two Laplace laws with the total variation of the fit."""
    shift = -2.0 * math.log(2.0 * ndtr(-abs(mu) / 2.0))
    ends = np.minimum(q * math.exp(shift), 1.0 - (1.0 - q) * math.exp(-shift))
    middle = 1.0 - 0.25 * math.exp(-shift) / q
    return np.where((q > 0.5 * math.exp(-shift)) & (q < 0.5), middle, ends)
