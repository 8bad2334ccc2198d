"""The exact law of a Binomial plus Laplace noise, in logarithms.

Let Y = S + E with S ~ Binomial(l, q) and E ~ Laplace(1 / epsilon), k = floor(Y), and let F be the Binomial's
distribution function. Summing e^(-epsilon |Y - s|) over s <= k and over s > k gives, without the factor epsilon / 2 of
the density,

    f_q(Y) = e^(-epsilon Y) A^l F(k; l, q e^epsilon / A) + e^(epsilon Y) B^l (1 - F(k; l, q e^-epsilon / B)),
    A = 1 - q + q e^epsilon,    B = 1 - q + q e^-epsilon.

F and 1 - F are incomplete beta functions. A^l overflows and F underflows long before their product does, so a tail is
expanded in logarithms with the powers of A, B and e^epsilon cancelled by hand; the other side is one minus a tail.
"""

from __future__ import annotations

import math

import numpy as np

from privcheck.arrays import Array
from privcheck.kernels._cache import compiled

TINY = 1e-300
DIGITS = 1e-15
MOST_STEPS = 1_000_000


SHORT = 64
"""Up to so many rewards, the sum over all values is faster than two continued fractions."""


@compiled
def value_weights(total: float, length: int, epsilon: float) -> tuple[Array, float]:
    """Return (l choose s) e^(-epsilon |Y - s|) for s = 0, ..., l, divided by the largest, and the largest's logarithm.

    >>> weights, log_most = value_weights(0.5, 1, 1.0)
    >>> weights.tolist(), log_most
    ([1.0, 1.0], -0.5)
    """
    logs = np.empty(length + 1)
    for s in range(length + 1):
        choices = math.lgamma(length + 1.0) - math.lgamma(s + 1.0) - math.lgamma(length - s + 1.0)
        logs[s] = choices - epsilon * abs(total - s)
    most = logs.max()
    return np.exp(logs - most), most


@compiled
def short_noisy_binomial(weights: Array, log_most: float, q: float) -> float:
    """Return ln f_q(Y) from `value_weights`: a polynomial in the odds with positive coefficients.

    >>> weights, log_most = value_weights(1.3, 2, 1.0)
    >>> direct = noisy_binomial(1.3, 2.0, 0.3, 1.0, log_choices(2.0, 1.0))
    >>> abs(short_noisy_binomial(weights, log_most, 0.3) - direct) < 1e-14
    True
    """
    length, value = int(weights.shape[0]) - 1, 0.0
    if q <= 0.5:
        odds = q / (1.0 - q)
        for s in range(length, -1, -1):
            value = value * odds + weights[s]
        return log_most + length * math.log1p(-q) + math.log(value)
    odds = (1.0 - q) / q
    for s in range(length + 1):
        value = value * odds + weights[s]
    return log_most + length * math.log(q) + math.log(value)


@compiled
def beta_fraction(x: float, a: float, b: float) -> float:
    """Return the continued fraction of the incomplete beta function, for x < (a + 1) / (a + b + 2).

    I_x(a, b) = x^a (1 - x)^b / (a B(a, b)) times it; Lentz's method.

    >>> from scipy.special import betainc
    >>> found = 0.25**2 * 0.75**3 / 2.0 * 12.0 * beta_fraction(0.25, 2.0, 3.0)
    >>> round(abs(found - float(betainc(2.0, 3.0, 0.25))), 15)
    0.0
    """
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > TINY else TINY)
    h = d
    for m in range(1, MOST_STEPS):
        for step in range(2):
            if step == 0:
                factor = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
            else:
                factor = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
            d = 1.0 + factor * d
            d = 1.0 / (d if abs(d) > TINY else TINY)
            c = 1.0 + factor / c
            c = c if abs(c) > TINY else TINY
            h *= c * d
        if abs(c * d - 1.0) < DIGITS:
            break
    return h


@compiled
def log_sum(one: float, other: float) -> float:
    """Return ln(e^one + e^other)."""
    high, low = max(one, other), min(one, other)
    return high if low == -math.inf else high + math.log1p(math.exp(low - high))


@compiled
def log_complement(log_tail: float) -> float:
    """Return ln(1 - e^log_tail)."""
    return math.log1p(-min(math.exp(log_tail), 1.0))


@compiled
def log_choices(length: float, k: float) -> float:
    """Return -ln B(k + 1, length - k), which every tail of a Binomial contains, and 0 outside of 0 <= k < length."""
    if k < 0.0 or k >= length:
        return 0.0
    return math.lgamma(length + 1.0) - math.lgamma(k + 1.0) - math.lgamma(length - k)


@compiled
def noisy_binomial(total: float, length: float, q: float, epsilon: float, choices: float) -> float:
    """Return ln f_q(Y) for one released sum.

    Parameters
    ----------
    total : Y.
    length : l, the number of rewards in the sum.
    q : their mean, in (0, 1).
    epsilon : 1 / scale of the Laplace noise; infinite for a sum without noise, whose binomial coefficient is left out.
    choices : `log_choices(length, np.floor(total))`, which does not depend on q.

    >>> y, choices = 1.3, log_choices(2.0, 1.0)
    >>> direct = sum(p * math.exp(-abs(y - s)) for s, p in enumerate((0.49, 0.42, 0.09)))
    >>> abs(noisy_binomial(y, 2.0, 0.3, 1.0, choices) - math.log(direct)) < 1e-15
    True
    """
    log_q, log_rest = math.log(q), math.log1p(-q)
    if epsilon == math.inf:
        return total * log_q + (length - total) * log_rest
    k, shrink = np.floor(total), math.exp(-epsilon)
    raised, lowered = q + (1.0 - q) * shrink, 1.0 - q + q * shrink  # A e^-epsilon and B
    log_raised, log_lowered = math.log(raised), math.log(lowered)
    if epsilon < 1.0:  # both are near 1, and their logarithms are multiplied by the length
        lost = math.expm1(-epsilon)
        log_raised, log_lowered = math.log1p((1.0 - q) * lost), math.log1p(q * lost)
    if k >= length:
        return length * log_raised - epsilon * (total - length)
    if k < 0.0:
        return length * log_lowered + epsilon * total
    a, b = k + 1.0, length - k
    powers = a * log_q + b * log_rest + choices
    up, down = q / raised, q * shrink / lowered
    not_up, not_down = (1.0 - q) * shrink / raised, (1.0 - q) / lowered
    if not_up < (b + 1.0) / (a + b + 2.0):
        below = powers - epsilon * (total - k) - log_raised - math.log(b) + math.log(beta_fraction(not_up, b, a))
    else:
        tail = a * math.log(up) + b * math.log(not_up) + choices + math.log(beta_fraction(up, a, b) / a)
        below = length * log_raised - epsilon * (total - length) + log_complement(tail)
    if down < (a + 1.0) / (a + b + 2.0):
        above = powers - epsilon * (a - total) - log_lowered - math.log(a) + math.log(beta_fraction(down, a, b))
    else:
        tail = a * math.log(down) + b * math.log(not_down) + choices + math.log(beta_fraction(not_down, b, a) / b)
        above = length * log_lowered + epsilon * total + log_complement(tail)
    return log_sum(below, above)
