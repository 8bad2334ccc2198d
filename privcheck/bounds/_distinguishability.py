"""How hard an arm is to distinguish from a better one: the KL- and TV-distinguishability gaps."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from privcheck.arrays import Array, broadcast, in_kind
from privcheck.bounds.families import FAMILIES
from privcheck.bounds.families.base import MeanFamily
from privcheck.declared import Choice, check

MEAN_FAMILIES = {name: known() for name, known in FAMILIES.items() if issubclass(known, MeanFamily)}


def d_inf(mean: ArrayLike, best_mean: ArrayLike, family: str = "bernoulli") -> Any:
    """KL-distinguishability gap `inf{KL(P || P') : P' in the family, mean(P') > best_mean}`, in nats.

    The divergence to the law of mean `best_mean`: `kl(mean, best_mean)` for Bernoulli, `(best_mean - mean)^2 / 2` for
    unit-variance Gaussian laws. Infinite when no law has a larger mean (`best_mean` is 1 for Bernoulli), otherwise zero
    when `mean >= best_mean`. For laws not determined by their means, see `privcheck.bounds.families`.

    Parameters
    ----------
    mean : mean of the arm's law P, in the family's range: [0, 1] for Bernoulli.
    best_mean : mean of the best arm; broadcast against `mean`.
    family : "bernoulli", "two-point", "gaussian" (variance 1), "exponential" or "poisson".

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
    kind, means, best = _arms(mean, best_mean, family)
    return in_kind(np.where(best >= kind.highest_mean, np.inf, kind.kl(means, best)))


def t_inf(mean: ArrayLike, best_mean: ArrayLike, family: str = "bernoulli") -> Any:
    """TV-distinguishability gap `inf{TV(P, P') : P' in the family, mean(P') > best_mean}`.

    For Bernoulli laws it is the gap `best_mean - mean`, on {-1, 1} half the gap, and for unit-variance Gaussian laws
    `2 Phi(gap/2) - 1`. Infinite when no law has a larger mean. For general laws on [0, 1] it is larger than the gap:
    see `privcheck.bounds.families`.

    Parameters
    ----------
    mean : mean of the arm's law P, in the family's range: [0, 1] for Bernoulli.
    best_mean : mean of the best arm; broadcast against `mean`.
    family : "bernoulli", "two-point", "gaussian" (variance 1), "exponential" or "poisson".

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
    kind, means, best = _arms(mean, best_mean, family)
    return in_kind(np.where(best >= kind.highest_mean, np.inf, kind.tv(means, best)))


def _arms(mean: ArrayLike, best_mean: ArrayLike, family: str) -> tuple[MeanFamily, Array, Array]:
    kind = MEAN_FAMILIES[check("family", family, Choice(tuple(MEAN_FAMILIES)))]
    means, best = broadcast(mean=(mean, kind.domain), best_mean=(best_mean, kind.domain))
    return kind, np.minimum(means, best), best
