"""The profile likelihood of a Bernoulli mean, given the noisy sums of several batches.

Let the batches of an arm have l_1, ..., l_k rewards and private means m_1, ..., m_k, clipped to [0, 1]. If batch j had
mean z_j before the noise, z_j has likelihood exp(-l_j kl(z_j, q)) under the mean q, up to a factor that grows no faster
than sqrt(l_j), and its noise exp(-epsilon l_j |m_j - z_j|). Maximised over z_j, the negative log-likelihood of q is

    D(q) = sum_j l_j d_epsilon(m_j, q),    d_epsilon(m, q) = min_z kl(z, q) + epsilon |m - z|,

with z_j = m_j moved to the nearest point whose logit differs from logit(q) by at most epsilon. By the envelope theorem
D'(q) = sum_j l_j (q - z_j) / (q (1 - q)), so the most likely mean is the average of the z_j: a mean winsorised on the
logit scale, on which a batch with absurdly large noise counts no more than one with implausibly large noise. D is
convex, because d_epsilon is. As epsilon tends to infinity, D(q) - min D tends to n kl(mean of all rewards, q).
"""

from __future__ import annotations

import math

from privcheck.arrays import Array
from privcheck.kernels import compiled


@compiled
def nearest_plausible(q: float, epsilon: float) -> tuple[float, float]:
    """Return the means whose logits are logit(q) - epsilon and logit(q) + epsilon.

    >>> low, high = nearest_plausible(0.5, math.log(3.0))
    >>> round(low, 12), round(high, 12)
    (0.25, 0.75)
    """
    shrink = math.exp(-epsilon)
    return q * shrink / (1.0 - q + q * shrink), q / (q + (1.0 - q) * shrink)


@compiled
def most_likely_mean(means: Array, lengths: Array, batches: int, epsilon: float, one: float, other: float) -> float:
    """Return the minimiser of D, which has to lie between `one` and `other`.

    It lies between the minimiser of the first k - 1 batches and m_k, because D is a sum of convex functions. Newton's
    method on sum_j l_j (q - z_j), which has the sign of D'; bisection where a step leaves the bracket or the bracket
    shrinks slowly. Without clipped batches the first step is exact.
    """
    low, high = min(one, other), max(one, other)
    q = 0.5 * (low + high)
    for step in range(200):
        if not low < q < high:
            break
        least, most = nearest_plausible(q, epsilon)
        variance = q * (1.0 - q)
        slope, rise = 0.0, 0.0
        for j in range(batches):
            if means[j] < least:
                slope += lengths[j] * (q - least)
                rise += lengths[j] * (1.0 - least * (1.0 - least) / variance)
            elif means[j] > most:
                slope += lengths[j] * (q - most)
                rise += lengths[j] * (1.0 - most * (1.0 - most) / variance)
            else:
                slope += lengths[j] * (q - means[j])
                rise += lengths[j]
        if slope > 0.0:
            high = q
        else:
            low = q
        moved = q - slope / rise if rise > 0.0 and step % 4 < 3 else 0.5 * (low + high)
        if moved == q:
            return q
        q = moved if low < moved < high else 0.5 * (low + high)
    return 0.5 * (low + high)


@compiled
def divergence_sum(means: Array, lengths: Array, batches: int, q: float, epsilon: float) -> float:
    """Return D(q) for q in [0, 1]."""
    least, most = nearest_plausible(q, epsilon)
    below, above = kl(least, q), kl(most, q)
    total = 0.0
    for j in range(batches):
        m = means[j]
        if m < least:
            total += lengths[j] * (below + epsilon * (least - m))
        elif m > most:
            total += lengths[j] * (above + epsilon * (m - most))
        else:
            total += lengths[j] * kl(m, q)
    return total


@compiled
def kl(p: float, q: float) -> float:
    """Return kl(p, q) of Bernoulli laws, for q in (0, 1), or equal to p at an end; without cancellation."""
    return kl_from_complements(p, 1.0 - p, q, 1.0 - q, q - p)


@compiled
def kl_from_complements(p: float, p_bar: float, q: float, q_bar: float, gap: float) -> float:
    """Return kl(p, q) from p, 1 - p, q, 1 - q and q - p, of which the last three may be known more precisely.

    >>> kl_from_complements(0.5, 0.5, 0.5, 0.5, 1e-20)
    2e-40
    """
    return _excess(p, q, gap) + _excess(p_bar, q_bar, -gap)


@compiled
def _excess(p: float, q: float, gap: float) -> float:
    """Return gap - p ln(q / p) for gap = q - p, which is never negative: one part of a divergence.

    For small x = -gap / q it is q ((1 + x) ln(1 + x) - x), with ln(1 + x) = 2 (r + r^3 / 3 + ...) at r = x / (2 + x).
    """
    if abs(gap) < 0.1 * q:
        r = -gap / (2.0 * q - gap)
        s = r * r
        series = 1.0 / 3.0 + s * (1.0 / 5.0 + s * (1.0 / 7.0 + s * (1.0 / 9.0 + s * (1.0 / 11.0 + s / 13.0))))
        return q * 2.0 * s * (1.0 + (r + s) * series) / (1.0 - r)
    return gap + (p * math.log(p / q) if p > 0.0 else 0.0)
