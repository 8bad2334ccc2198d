"""What a budget could have shown of a claim in rho or mu: the Gaussian noise that it would have refuted.

One event and one epsilon show about half of the rho of a Gaussian mechanism at 6,000 runs, and nine tenths with any
number: zCDP allows more at each epsilon than Gaussian noise has. An event that is certain on one stream and never seen
on the other, which no mechanism with a small rho has, says nothing of that.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

from privcheck.accounting import ClaimedProfile
from privcheck.arrays import Array
from privcheck.auditing._events.claim_selection import EPSILONS
from privcheck.inference import delta_lower

TIMES = 2.2
"""A claim in rho is called consistent only if Gaussian noise with so many times this rho would have been refuted; 1.5
times would never be at 6,000 runs. It is 1.48 times the mu.
"""

THRESHOLDS = np.linspace(-4.0, 8.0, 241)
"""Thresholds of the event, in standard deviations from the mean on one of the streams."""


def shown_of_gaussian(profile: ClaimedProfile, claimed: float, runs: int, error: float, times: float = TIMES) -> float:
    """Return the lower limit on rho, or on mu, that so many runs are expected to show of Gaussian noise.

    Parameters
    ----------
    profile : the claim, in rho or in mu.
    claimed : the amount.
    runs : counted runs per stream.
    error : the level of the verdict.
    times : the noise has so many times the claimed rho, or squared mu.

    Examples
    --------
    >>> from privcheck.accounting._claimed_profile import ConcentratedProfile
    >>> profile = ConcentratedProfile(0.5)
    >>> shown_of_gaussian(profile, 0.5, 6000, 1e-3, 1.5) < 0.5 < shown_of_gaussian(profile, 0.5, 6000, 1e-3)
    True
    """
    mu = math.sqrt(times) * (math.sqrt(2.0 * claimed) if profile.name == "rho" else claimed)
    likely, other = ndtr(mu - THRESHOLDS), ndtr(-THRESHOLDS)
    best = (-math.inf, 0.0, 0.0, 0.0)
    for epsilon in EPSILONS:
        r = math.exp(epsilon)
        spread = np.sqrt(_variance(likely, runs) + r * r * _variance(other, runs))
        clear = (likely - r * other - profile.delta_at(epsilon)) / spread
        i = int(np.argmax(clear))
        best = max(best, (float(clear[i]), epsilon, float(likely[i]), float(other[i])))
    _, epsilon, p, q = best
    return profile.amount(epsilon, delta_lower(round(runs * p), round(runs * q), runs, epsilon, error))


def _variance(chance: Array, runs: int) -> Array:
    """Return that of an event, which may never be seen: one run on each side of it is added."""
    some = (chance * runs + 1.0) / (runs + 2.0)
    return some * (1.0 - some)
