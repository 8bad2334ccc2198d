"""How hard an arm is to tell from a better one: the KL- and TV-distinguishability gaps."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bounds.arrays import Array, broadcast, in_kind
from bounds.divergences import kl_bernoulli, kl_gaussian, tv_bernoulli, tv_gaussian
from bounds.domains import UNIT_INTERVAL, Choice, Real, check

FAMILIES = Choice(("bernoulli", "gaussian"))


def d_inf(mean: ArrayLike, best_mean: ArrayLike, family: str = "bernoulli") -> Any:
    """KL-distinguishability gap `inf{KL(P || P') : P' in the family, mean(P') > best_mean}`, in nats.

    Bernoulli: `kl(mean, best_mean)`, infinite when `best_mean` is 1 (no law has a larger mean). Unit-variance Gaussian:
    `(best_mean - mean)^2 / 2`. Zero when `mean >= best_mean` and a law with a larger mean exists.

    Parameters
    ----------
    mean : mean of the arm's law P; in [0, 1] for Bernoulli.
    best_mean : mean of the best arm; broadcast against `mean`.
    family : "bernoulli" or "gaussian" (variance 1).

    Returns
    -------
    A float for two numbers, otherwise an array of the broadcast shape.

    Raises
    ------
    PrivcheckError : unknown family, a mean outside the family's range.

    Source
    ------
    Azize & Basu 2022, Section 3, before Theorem 3. (Lai & Robbins 1985; Burnetas & Katehakis 1996.)

    Examples
    --------
    >>> round(d_inf(0.5, 0.75), 6)
    0.143841
    >>> d_inf(0.0, 1.0, family="gaussian")
    0.5
    """
    means, best = _arms(mean, best_mean, family)
    divergence = kl_bernoulli if family == "bernoulli" else kl_gaussian
    return in_kind(_unless_empty(np.asarray(divergence(np.minimum(means, best), best)), best, family))


def t_inf(mean: ArrayLike, best_mean: ArrayLike, family: str = "bernoulli") -> Any:
    """TV-distinguishability gap `inf{TV(P, P') : P' in the family, mean(P') > best_mean}`.

    Bernoulli: the gap `best_mean - mean`, infinite when `best_mean` is 1. Unit-variance Gaussian: `2 Phi(gap/2) - 1`.
    For general laws on [0, 1] it is larger than the Bernoulli value; this function does not cover them.

    Parameters
    ----------
    mean : mean of the arm's law P; in [0, 1] for Bernoulli.
    best_mean : mean of the best arm; broadcast against `mean`.
    family : "bernoulli" or "gaussian" (variance 1).

    Returns
    -------
    A float for two numbers, otherwise an array of the broadcast shape.

    Raises
    ------
    PrivcheckError : unknown family, a mean outside the family's range.

    Source
    ------
    Azize & Basu 2022, Section 3, before Theorem 3.

    Examples
    --------
    >>> t_inf([0.25, 0.75], 0.75).tolist()
    [0.5, 0.0]
    """
    means, best = _arms(mean, best_mean, family)
    variation = tv_bernoulli if family == "bernoulli" else tv_gaussian
    return in_kind(_unless_empty(np.asarray(variation(np.minimum(means, best), best)), best, family))


def _arms(mean: ArrayLike, best_mean: ArrayLike, family: str) -> list[Array]:
    check("family", family, FAMILIES)
    domain = UNIT_INTERVAL if family == "bernoulli" else Real()
    return broadcast(mean=(mean, domain), best_mean=(best_mean, domain))


def _unless_empty(values: Array, best: Array, family: str) -> Array:
    return np.where((family == "bernoulli") & (best == 1), np.inf, values)
