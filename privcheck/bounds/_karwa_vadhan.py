"""How well differential privacy hides a change in the law of the data: three forms of the Karwa-Vadhan lemma.

Setting: X_1, ..., X_T independent, X_i of law P_i or of law Q_i, `p_i = TV(P_i, Q_i)`, and a mechanism M that is
(epsilon, delta)-DP when one X_i is replaced. M_P and M_Q are the laws of its output.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from privcheck.arrays import Array, checked_array
from privcheck.bounds._private_divergence import d_epsilon
from privcheck.declared import POSITIVE, UNIT_INTERVAL, Real, check
from privcheck.errors import PrivcheckError

CLASSIC_EPSILON_LIMIT = 2.9183004757830526
"""Largest epsilon at which the classic form, with its constant 6, is true: the root of (e^x - 1)/x = 6."""

_DELTA = Real(0.0, 1.0, high_open=True)
_LARGEST_EXPONENT = 700.0
"""Double precision overflows at e^709.8; beyond 700 the code works with logarithms or returns infinity."""


@dataclass(frozen=True)
class Indistinguishability:
    """The conclusion `M_P(E) <= e^epsilon_prime M_Q(E) + delta_prime`, for every event E.

    Parameters
    ----------
    epsilon_prime : largest log-ratio of the two probabilities, at least 0.
    delta_prime : additive term, at least 0; from 1 on the conclusion is vacuous. May be infinite.
    """

    epsilon_prime: float
    delta_prime: float


def karwa_vadhan_classic(total_variations: ArrayLike, epsilon: float, delta: float = 0.0) -> Indistinguishability:
    """Sequential Karwa-Vadhan lemma as printed: `epsilon' = 6 epsilon S`, `delta' = 4 e^epsilon' delta S`.

    Here `S = sum_i p_i`. The printed lemma sets no limit on epsilon, but it is false for large budgets: a Bernoulli(p)
    bit against a zero, answered by randomised response, has log-ratio `ln(1 + p (e^epsilon - 1))`, which for small p
    exceeds `6 epsilon p` once `(e^epsilon - 1)/epsilon > 6`. Up to that root, the sharp form implies the printed one.

    Parameters
    ----------
    total_variations : the p_i, shape (T,) or a number, in [0, 1].
    epsilon : privacy budget, above 0 and at most `CLASSIC_EPSILON_LIMIT` (2.9183...).
    delta : in [0, 1).

    Returns
    -------
    Indistinguishability

    Raises
    ------
    PrivcheckError : `epsilon` above the limit, or an argument outside its range.

    Source
    ------
    Azize & Basu 2022, Lemma 2 (Appendix B.1), after Karwa & Vadhan 2017, Lemma 6.1; the limit is derived in
    docs/evidence/derivations.md.

    Examples
    --------
    >>> karwa_vadhan_classic([0.25, 0.25], epsilon=1.0)
    Indistinguishability(epsilon_prime=3.0, delta_prime=0.0)
    >>> karwa_vadhan_classic([0.01], epsilon=4.0)
    Traceback (most recent call last):
        ...
    privcheck.errors.PrivcheckError: epsilon: got 4.0, expected a number in (0, 2.91830]; use karwa_vadhan_sharp
    """
    variations, epsilon, delta = _checked(total_variations, epsilon, delta)
    if epsilon > CLASSIC_EPSILON_LIMIT:
        raise PrivcheckError("epsilon", epsilon, "a number in (0, 2.91830]", "use karwa_vadhan_sharp")
    total = float(variations.sum())
    epsilon_prime = 6 * epsilon * total
    return Indistinguishability(epsilon_prime, 4 * delta * total * _exp(epsilon_prime) if delta else 0.0)


def karwa_vadhan_sharp(total_variations: ArrayLike, epsilon: float, delta: float = 0.0) -> Indistinguishability:
    """Sharp form, for every epsilon: `epsilon' = ln F`, `delta' = delta (F-1)/(e^epsilon - 1)`.

    `F = prod_i (1 + p_i (e^epsilon - 1))`. Swap one coordinate at a time: with m the probability of E and i its
    infimum over that coordinate, `E_P m - E_Q m <= p ((e^epsilon - 1) i + delta)`. With delta = 0 it is attained by
    randomised response on bits that are all zero under Q. `ln F` is at most `min(T epsilon, (e^epsilon - 1) sum p_i)`.

    Parameters
    ----------
    total_variations : the p_i, shape (T,) or a number, in [0, 1].
    epsilon : privacy budget, above 0.
    delta : in [0, 1).

    Returns
    -------
    Indistinguishability

    Raises
    ------
    PrivcheckError : an argument outside its range.

    Source
    ------
    Derived, checked by linear programming (proof in docs/evidence/derivations.md); replaces Azize & Basu 2022, Lemma 2.

    Examples
    --------
    >>> round(karwa_vadhan_sharp([0.01], epsilon=4.0).epsilon_prime, 5)
    0.42917
    """
    variations, epsilon, delta = _checked(total_variations, epsilon, delta)
    if epsilon < _LARGEST_EXPONENT:
        factors = np.log1p(variations * math.expm1(epsilon))
    else:
        with np.errstate(divide="ignore"):
            factors = np.logaddexp(np.log1p(-variations), np.log(variations) + epsilon)
    epsilon_prime = float(factors.sum())
    if not delta or not epsilon_prime:
        return Indistinguishability(epsilon_prime, 0.0)
    ratio = _exp(epsilon_prime - epsilon) * math.expm1(-epsilon_prime) / math.expm1(-epsilon)
    return Indistinguishability(epsilon_prime, delta * ratio)


def karwa_vadhan_kl(total_variations: ArrayLike, epsilon: float) -> float:
    """Divergence form with constant 1, for every epsilon: `KL(M_P || M_Q) <= epsilon sum_i p_i`, in nats.

    A factor 6 below Theorem 10 of Azize & Basu 2022, whose proof needs the classic form. For pure DP (delta = 0).

    Parameters
    ----------
    total_variations : the p_i, shape (T,) or a number, in [0, 1].
    epsilon : privacy budget, above 0.

    Returns
    -------
    A float of at least 0.

    Raises
    ------
    PrivcheckError : an argument outside its range.

    Source
    ------
    Derived in docs/evidence/derivations.md (maximal coupling, log-sum inequality, group privacy).

    Examples
    --------
    >>> karwa_vadhan_kl([0.25, 0.25], epsilon=1.0)
    0.5
    """
    variations, epsilon, _ = _checked(total_variations, epsilon, 0.0)
    return epsilon * float(variations.sum())


def karwa_vadhan_kl_bernoulli(p: ArrayLike, q: ArrayLike, epsilon: float) -> float:
    """Divergence form for Bernoulli data: `KL(M_P || M_Q) <= sum_i d_epsilon(p_i, q_i)`, in nats.

    Never above `karwa_vadhan_kl`, nor above the divergence of the data themselves. For pure DP (delta = 0).

    Parameters
    ----------
    p, q : means of the P_i and of the Q_i, shape (T,) or numbers that broadcast, in [0, 1].
    epsilon : privacy budget, above 0.

    Returns
    -------
    A float of at least 0.

    Raises
    ------
    PrivcheckError : an argument outside its range.

    Source
    ------
    Derived in docs/evidence/derivations.md; the lemma behind Azize et al. 2025, Theorem 1.

    Examples
    --------
    >>> round(karwa_vadhan_kl_bernoulli([0.2, 0.2], [0.7, 0.2], epsilon=1.0), 7)
    0.3842648
    """
    return float(np.sum(d_epsilon(p, q, check("epsilon", epsilon, POSITIVE))))


def _checked(total_variations: ArrayLike, epsilon: float, delta: float) -> tuple[Array, float, float]:
    variations = checked_array("total_variations", total_variations, UNIT_INTERVAL)
    return variations, check("epsilon", epsilon, POSITIVE), check("delta", delta, _DELTA)


def _exp(exponent: float) -> float:
    return math.exp(exponent) if exponent < _LARGEST_EXPONENT else math.inf
