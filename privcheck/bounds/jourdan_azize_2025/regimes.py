"""Where privacy begins to cost pulls in best-arm identification."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from privcheck.arrays import checked_array
from privcheck.bounds._divergences import log_odds_ratio
from privcheck.bounds.jourdan_azize_2025.characteristic_time import characteristic_time, characteristic_time_tv
from privcheck.bounds.jourdan_azize_2025.transport import transport
from privcheck.declared import UNIT_INTERVAL


def free_privacy_epsilon(means: ArrayLike) -> float:
    """Smallest epsilon with `T*_epsilon = T*_KL` for Bernoulli arms; below it privacy costs pulls.

    At the cheapest common means u of the non-private problem, `d_epsilon` equals the divergence exactly when epsilon is
    at least the log-odds ratio: the largest of `logit(mu*) - logit(u_a)` and `logit(u_a) - logit(mu_a)` over the arms.
    The non-private optimum then stays a saddle point; below it, the certificate of some arm becomes cheaper to evade.

    For Gaussian arms there is no such epsilon: their log-likelihood ratios are unbounded.

    Parameters
    ----------
    means : shape (K,), in [0, 1], with a unique maximum.

    Raises
    ------
    PrivcheckError : as `characteristic_time`.

    Source
    ------
    Derived; Jourdan & Azize 2025 give the larger, sufficient `low_privacy_epsilon`.

    Examples
    --------
    >>> means = [0.95, 0.9, 0.9, 0.9, 0.5]
    >>> round(free_privacy_epsilon(means), 4), round(low_privacy_epsilon(means), 4)
    (2.8721, 2.9444)
    """
    means = checked_array("means", means, UNIT_INTERVAL)
    time = characteristic_time("bernoulli", means, None)
    arms = transport("bernoulli", means, math.inf)
    x = arms.cheapest(time.upper * time.allocation[int(means.argmax())])
    gap = arms.best - arms.others
    below = log_odds_ratio(arms.others, 1 - arms.best + (1 - x) * gap, x * gap)
    above = log_odds_ratio(arms.others + x * gap, np.full_like(gap, 1 - arms.best), (1 - x) * gap)
    return float(np.max(np.maximum(below, above)))


def low_privacy_epsilon(means: ArrayLike) -> float:
    """Epsilon from which on privacy is free whatever the allocation: `max_a logit(mu*) - logit(mu_a)`, Bernoulli arms.

    Parameters
    ----------
    means : shape (K,), in [0, 1], with a unique maximum; the result is infinite when a mean is 0 or 1.

    Raises
    ------
    PrivcheckError : as `characteristic_time`.

    Source
    ------
    Jourdan & Azize 2025, low-privacy regime (authors' response to the reviews).

    Examples
    --------
    >>> round(low_privacy_epsilon([0.75, 0.7, 0.7, 0.7, 0.7]), 4)
    0.2513
    """
    arms = transport("bernoulli", checked_array("means", means, UNIT_INTERVAL), math.inf)
    beyond = np.full_like(arms.others, 1 - arms.best)
    return float(np.max(log_odds_ratio(arms.others, beyond, arms.best - arms.others)))


def crossing_epsilon(family: str, means: ArrayLike) -> float:
    """Epsilon at which the two limits of the characteristic time are equal: `T*_TV / T*_KL`, any family.

    Parameters
    ----------
    family, means : as in `characteristic_time`.

    Raises
    ------
    PrivcheckError : as `characteristic_time`.

    Source
    ------
    Derived from `T*_epsilon >= max(T*_KL, T*_TV / epsilon)`.

    Examples
    --------
    >>> round(crossing_epsilon("bernoulli", [0.95, 0.9, 0.9, 0.9, 0.5]), 4)
    0.2079
    """
    return characteristic_time_tv(family, means) / characteristic_time(family, means, None).value
