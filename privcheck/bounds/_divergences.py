"""Kullback-Leibler divergence and total variation of Bernoulli laws and of unit-variance Gaussian laws."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from privcheck.arrays import Array, broadcast, in_kind
from privcheck.declared import UNIT_INTERVAL, Real

_FINITE = Real()
_SERIES = tuple(1.0 / k for k in range(25, 1, -2))  # 1/25, 1/23, ..., 1/3
_LEAST_NORMAL = float(np.finfo(np.float64).tiny)
_erf = np.vectorize(math.erf, otypes=[np.float64])


def kl_bernoulli(p: ArrayLike, q: ArrayLike) -> Any:
    """Kullback-Leibler divergence between Bernoulli(p) and Bernoulli(q), in nats.

    `kl(p, q) = p ln(p/q) + (1-p) ln((1-p)/(1-q))` with `0 ln 0 = 0`; infinite when q is 0 or 1 and p is not.
    The relative error stays near machine precision, even when p is close to q, to 0 or to 1.

    Parameters
    ----------
    p : mean of the true law, in [0, 1]; a number or an array.
    q : mean of the other law, in [0, 1]; broadcast against `p`.

    Returns
    -------
    A float for two numbers, otherwise an array of the broadcast shape.

    Raises
    ------
    PrivcheckError : an argument outside [0, 1] or not a number, shapes that do not broadcast.

    Source
    ------
    Azize & Basu 2022, Definition 5.

    Examples
    --------
    >>> round(kl_bernoulli(0.1, 0.8), 7)
    1.1457255
    >>> kl_bernoulli([0.5, 1.0], 1.0).tolist()
    [inf, 0.0]
    """
    p, q = broadcast(p=(p, UNIT_INTERVAL), q=(q, UNIT_INTERVAL))
    return in_kind(kl_from_complements(p, 1 - p, q, 1 - q, q - p))


def tv_bernoulli(p: ArrayLike, q: ArrayLike) -> Any:
    """Total variation `|p - q|` between Bernoulli(p) and Bernoulli(q).

    Parameters
    ----------
    p, q : means, in [0, 1]; numbers or arrays that broadcast.

    Returns
    -------
    A float for two numbers, otherwise an array of the broadcast shape.

    Raises
    ------
    PrivcheckError : an argument outside [0, 1] or not a number, shapes that do not broadcast.

    Examples
    --------
    >>> tv_bernoulli(0.25, 0.75)
    0.5
    """
    p, q = broadcast(p=(p, UNIT_INTERVAL), q=(q, UNIT_INTERVAL))
    return in_kind(np.abs(p - q))


def kl_gaussian(mean: ArrayLike, other_mean: ArrayLike) -> Any:
    """Kullback-Leibler divergence `(m - m')^2 / 2` between N(m, 1) and N(m', 1), in nats.

    Parameters
    ----------
    mean, other_mean : means in units of the common standard deviation; numbers or arrays that broadcast.

    Returns
    -------
    A float for two numbers, otherwise an array of the broadcast shape.

    Raises
    ------
    PrivcheckError : an argument that is not a finite number, shapes that do not broadcast.

    Examples
    --------
    >>> kl_gaussian(0.0, 2.0)
    2.0
    """
    mean, other_mean = broadcast(mean=(mean, _FINITE), other_mean=(other_mean, _FINITE))
    with np.errstate(over="ignore"):
        return in_kind((mean - other_mean) ** 2 / 2)


def tv_gaussian(mean: ArrayLike, other_mean: ArrayLike) -> Any:
    """Total variation `2 Phi(|m - m'| / 2) - 1` between N(m, 1) and N(m', 1); exact.

    Parameters
    ----------
    mean, other_mean : means in units of the common standard deviation; numbers or arrays that broadcast.

    Returns
    -------
    A float for two numbers, otherwise an array of the broadcast shape.

    Raises
    ------
    PrivcheckError : an argument that is not a finite number, shapes that do not broadcast.

    Examples
    --------
    >>> round(tv_gaussian(0.0, 1.0), 6)
    0.382925
    """
    mean, other_mean = broadcast(mean=(mean, _FINITE), other_mean=(other_mean, _FINITE))
    with np.errstate(over="ignore"):
        return in_kind(_erf(np.abs(mean - other_mean) / math.sqrt(8)))


def kl_from_complements(p: Array, p_bar: Array, q: Array, q_bar: Array, gap: Array) -> Array:
    """Bernoulli divergence from p, 1-p, q, 1-q and q-p, for callers who know the last three more precisely.

    >>> float(kl_from_complements(*map(np.array, (0.0, 1.0, 1e-20, 1.0, 1e-20))))
    1e-20
    """
    return excess(p, q, gap) + excess(p_bar, q_bar, -gap)


def excess_from_log(p: Array, q: Array, log_ratio: Array) -> Array:
    """`q - p + p ln(p/q)`, never negative, for masses p and q whose log-ratio ln(p/q) is known more precisely.

    >>> excess_from_log(np.array([0.0, 1.0]), np.array([0.5, 1.0]), np.array([-np.inf, 1e-9])).tolist()
    [0.5, 4.999999998333333e-19]
    """
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        x = np.expm1(-np.clip(log_ratio, -1.0, 1.0))
        far = np.where(p == 0, q, q - p + p * log_ratio)
        return np.where(np.abs(log_ratio) <= 0.25, p * linear_minus_log(x), far)


def linear_minus_log(x: Any) -> Any:
    """`x - ln(1 + x)` for |x| <= 0.3: with `s = x/(2+x)` it is `x s - 2 s^3 (1/3 + s^2/5 + ...)`, without cancellation.

    >>> linear_minus_log(np.array([1e-9])).tolist()
    [4.999999996666666e-19]
    """
    s = x / (2 + x)
    square = s * s
    series = s * 0.0
    for coefficient in _SERIES:
        series *= square
        series += coefficient
    return x * s - 2 * s * square * series


def log_of_ratio(q: Array, p: Array) -> Array:
    """Return `ln(q/p)`, also where the ratio overflows or has lost digits below the normal floats.

    >>> round(float(log_of_ratio(np.array(1e300), np.array(1e-300))), 3)
    1381.551
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        ratio = q / p
        normal = (ratio >= _LEAST_NORMAL) & (ratio < np.inf)
        return np.where(normal, np.log(ratio), np.log(q) - np.log(p))


def log_odds_ratio(a: Array, b_bar: Array, gap: Array) -> Array:
    """Return `logit(b) - logit(a)` from a, 1-b and `gap = b - a >= 0`: the sum of two terms >= 0, so no digits cancel.

    >>> round(float(log_odds_ratio(np.array(0.5), np.array(0.5 - 1e-12), np.array(1e-12))), 24)
    4e-12
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        parts = [np.where(gap / x < np.inf, np.log1p(gap / x), np.log(gap) - np.log(x)) for x in (a, b_bar)]
    return np.where(gap == 0, 0.0, parts[0] + parts[1])


def excess(p: Array, q: Array, gap: Array) -> Array:
    """`q - p - p ln(q/p)`, never negative: one part of a divergence, from p, q and the more precise q - p.

    >>> excess(np.array(1.0), np.array(1 + 1e-9), np.array(1e-9)).tolist()
    4.999999996666666e-19
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        near = p * linear_minus_log(gap / p)
        far = gap - p * log_of_ratio(q, p)
    return np.where(p == 0, q, np.where(np.abs(gap) <= 0.3 * p, near, far))


def root_of_one_minus_exp(x: Array) -> Array:
    """`sqrt(1 - exp(-x^2))`, |x| itself where the square underflows.

    >>> root_of_one_minus_exp(np.array([1e-200, 1e200])).tolist()
    [1e-200, 1.0]
    """
    with np.errstate(over="ignore", under="ignore"):
        return np.where(np.abs(x) < 1e-9, np.abs(x), np.sqrt(-np.expm1(-(x**2))))
