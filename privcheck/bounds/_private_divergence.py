"""The divergence of differentially private learning: Bernoulli laws under a privacy budget epsilon."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from privcheck.arrays import Array, broadcast, in_kind
from privcheck.bounds._divergences import kl_from_complements, log_odds_ratio
from privcheck.declared import POSITIVE, UNIT_INTERVAL


def d_epsilon(p: ArrayLike, q: ArrayLike, epsilon: ArrayLike) -> Any:
    """Private divergence between Bernoulli(p) and Bernoulli(q): `inf_z kl(z, q) + epsilon |p - z|`, in nats.

    The most that an epsilon-DP policy can learn from one round: moving the law of the data from p to z reveals at most
    `epsilon |p - z|` in its actions, and z diverges from q by `kl(z, q)`. For p < q, with `L = logit(q) - logit(p)`:

        L >  epsilon:  -ln(1 - q (1 - e^-epsilon)) - epsilon p      (privacy matters)
        L <= epsilon:  kl(p, q)                                     (privacy is free)

    and `d(p, q) = d(1-p, 1-q)` for p > q. Not symmetric. Increasing in epsilon, and at most
    `min(kl(p, q), epsilon |p - q|)`. Computed as a sum of two non-negative terms, so no digits cancel.

    Parameters
    ----------
    p : mean of the true (or estimated) law, in [0, 1]; clip a noisy mean first.
    q : mean of the alternative, in [0, 1].
    epsilon : privacy budget, above 0. All three broadcast.

    Returns
    -------
    A float for three numbers, otherwise an array of the broadcast shape. Always finite for finite epsilon, unless
    `epsilon |p - q|` overflows.

    Raises
    ------
    PrivcheckError : a mean outside [0, 1], a budget that is not a finite number above 0, shapes that do not broadcast.

    Source
    ------
    Azize et al. 2025 and Jourdan & Azize 2025 (definition); closed form in docs/evidence/derivations.md.

    Examples
    --------
    >>> round(d_epsilon(0.2, 0.7, 1.0), 7), round(d_epsilon(0.7, 0.2, 1.0), 7)
    (0.3842648, 0.4046055)
    >>> d_epsilon(0.5, [0.5, 1.0], 2.0).tolist()
    [0.0, 1.0]
    """
    p, q, epsilon = broadcast(p=(p, UNIT_INTERVAL), q=(q, UNIT_INTERVAL), epsilon=(epsilon, POSITIVE))
    return in_kind(d_epsilon_from_complements(p, 1 - p, q, 1 - q, q - p, epsilon))


def d_epsilon_from_complements(p: Array, p_bar: Array, q: Array, q_bar: Array, gap: Array, epsilon: Array) -> Array:
    """Return `d_epsilon` from p, 1-p, q, 1-q and q-p, for callers who know some of them more precisely.

    >>> arguments = map(np.array, (0.2, 0.8, 0.7, 0.3, 0.5, 1.0))
    >>> round(float(d_epsilon_from_complements(*arguments)), 7)
    0.3842648
    """
    branch = _Branch(p, p_bar, q, q_bar, gap, epsilon)
    kl = kl_from_complements(branch.z, branch.z_bar, branch.b, branch.b_bar, branch.b_minus_z)
    return kl + epsilon * branch.z_minus_a


def d_epsilon_minimiser(p: ArrayLike, q: ArrayLike, epsilon: ArrayLike) -> Any:
    """Law z between p and q that attains `d_epsilon(p, q, epsilon)`.

    `logit(z)` is `logit(q)` moved by epsilon towards `logit(p)`; z is p itself when p is closer than that.

    Parameters
    ----------
    p, q : means, in [0, 1].
    epsilon : privacy budget, above 0. All three broadcast.

    Returns
    -------
    A float for three numbers, otherwise an array of the broadcast shape.

    Raises
    ------
    PrivcheckError : as `d_epsilon`.

    Source
    ------
    As `d_epsilon`.

    Examples
    --------
    >>> round(d_epsilon_minimiser(0.2, 0.7, 1.0), 6)
    0.461898
    >>> d_epsilon_minimiser(0.6, 0.7, 1.0)
    0.6
    """
    p, q, epsilon = broadcast(p=(p, UNIT_INTERVAL), q=(q, UNIT_INTERVAL), epsilon=(epsilon, POSITIVE))
    branch = _Branch(p, 1 - p, q, 1 - q, q - p, epsilon)
    return in_kind(np.where(branch.rising, branch.z, branch.z_bar))


class _Branch:
    """The problem reflected so that a <= b, its minimiser z, and precise complements and differences.

    a, b are p, q when p <= q and 1-p, 1-q otherwise; `x_bar` is 1-x.
    """

    def __init__(self, p: Array, p_bar: Array, q: Array, q_bar: Array, gap: Array, epsilon: Array) -> None:
        self.rising = gap >= 0
        self.a, self.a_bar = np.where(self.rising, p, p_bar), np.where(self.rising, p_bar, p)
        self.b, self.b_bar = np.where(self.rising, q, q_bar), np.where(self.rising, q_bar, q)
        gap = np.abs(gap)
        with np.errstate(divide="ignore", invalid="ignore"):
            private = log_odds_ratio(self.a, self.b_bar, gap) > epsilon
            weight = self.b * np.exp(-epsilon)
            z = np.where(self.b_bar == 0, 1.0, weight / (self.b_bar + weight))
            z_bar = np.where(self.b_bar == 0, 0.0, self.b_bar / (self.b_bar + weight))
        b_minus_z = -self.b * z_bar * np.expm1(-epsilon)
        z_minus_a = np.maximum(np.where(z < self.b / 2, z - self.a, gap - b_minus_z), 0.0)
        self.z, self.z_bar = np.where(private, z, self.a), np.where(private, z_bar, self.a_bar)
        self.b_minus_z, self.z_minus_a = np.where(private, b_minus_z, gap), np.where(private, z_minus_a, 0.0)
