"""The probability that two independent binomial counts fall above a rising boundary, compiled."""

from __future__ import annotations

import math

import numpy as np

from privcheck.arrays import Array, Integers
from privcheck.kernels import compiled


@compiled
def divergence(count: float, runs: float, p: float) -> float:
    """Return runs times the Kullback-Leibler divergence of Bernoulli(count / runs) from Bernoulli(p)."""
    total = 0.0
    if count > 0.0:
        if p <= 0.0:
            return math.inf
        total += count * math.log(count / (runs * p))
    if count < runs:
        if p >= 1.0:
            return math.inf
        total += (runs - count) * math.log((runs - count) / (runs * (1.0 - p)))
    return total


@compiled
def log_ratio(count: int, other: int, n: int, r: float, delta: float) -> float:
    """Return the log-likelihood ratio of two counts against p <= r q + delta, 0 where they do not contradict it.

    Half a run is taken from the first count and added to the other: without that, an event that was never seen on
    the second input would weigh too much. The most likely q on the boundary p = r q + delta lies between l / n and
    (k / n - delta) / r; Newton steps find it, kept in a shrinking bracket. The ratio rises with the first count and
    falls with the other.
    """
    k, l = max(count - 0.5, 0.0), min(other + 0.5, float(n))
    low, high = l / n, min((k / n - delta) / r, 1.0)
    if high <= low:
        return 0.0
    q = 0.5 * (low + high)
    for _ in range(60):
        p = r * q + delta
        v, w = p * (1.0 - p), q * (1.0 - q)
        slope = r * (k - n * p) / v + (l - n * q) / w
        if slope > 0.0:
            low = q
        else:
            high = q
        bend = r * r * n / v + n / w + r * r * (k - n * p) * (1.0 - 2.0 * p) / (v * v)
        bend += (l - n * q) * (1.0 - 2.0 * q) / (w * w)
        after = q + slope / bend if bend > 0.0 else low
        if not low < after < high:
            after = 0.5 * (low + high)
        done = abs(after - q) <= 1e-9 * after
        q = after
        if done:
            break
    return divergence(k, float(n), r * q + delta) + divergence(l, float(n), q)


@compiled
def boundary(n: int, r: float, delta: float, ratio: float, first: int, last: int) -> Integers:
    """Return the least k whose `log_ratio` is at least `ratio` for l = first, ..., last; n + 1 where there is none."""
    least = np.full(last - first + 1, n + 1)
    k, step = 0, 0
    for i in range(last - first + 1):
        low, high, probe, width = k - 1, n + 1, min(k + step, n), 1
        below, above = False, False
        while high - low > 1:
            if log_ratio(probe, first + i, n, r, delta) >= ratio:
                high, above = probe, True
            else:
                low, below = probe, True
            if below and above:
                probe = (low + high) // 2
            else:
                probe = max(low + 1, high - width) if above else min(high - 1, low + width)
                width *= 2
        if high > n:
            break
        step = high - k if i > 0 else 0
        k = high
        least[i] = k
    return least


@compiled
def window(n: int, p: float) -> tuple[int, int]:
    """Return a range of counts outside which Binomial(n, p) has probability below 1e-13 (Bernstein's inequality)."""
    reach = 8.0 * math.sqrt(n * p * (1.0 - p)) + 30.0
    return max(0, int(n * p - reach)), min(n, int(n * p + reach) + 1)


@compiled
def weights(n: int, p: float, low: int, high: int) -> Array:
    """Return the Binomial(n, p) probabilities of low, ..., high, by recursion from the mode, scaled to sum to 1."""
    found = np.zeros(high - low + 1)
    if p <= 0.0 or p >= 1.0:
        found[0 if p <= 0.0 else high - low] = 1.0
        return found
    mode = min(high, max(low, int((n + 1) * p)))
    odds = p / (1.0 - p)
    found[mode - low] = 1.0
    for k in range(mode, high):
        found[k + 1 - low] = found[k - low] * odds * (n - k) / (k + 1)
    for k in range(mode, low, -1):
        found[k - 1 - low] = found[k - low] * k / (odds * (n - k + 1))
    found /= found.sum()
    return found


@compiled
def probability_above(n: int, p: float, q: float, least: Integers, first: int) -> float:
    """Return P(K >= least[L - first]) for K ~ Binomial(n, p) and L ~ Binomial(n, q) independent.

    Below `first` the boundary is taken as its first value, and above its end nothing counts: `least` must cover the
    `window` of q. The boundary rises, so one pass from above suffices.
    """
    from_k, to_k = window(n, p)
    from_l, to_l = window(n, q)
    k_weights, l_weights = weights(n, p, from_k, to_k), weights(n, q, from_l, to_l)
    total, above, k = 0.0, 0.0, to_k + 1
    for l in range(min(to_l, first + least.shape[0] - 1), from_l - 1, -1):
        edge = max(from_k, least[max(0, l - first)])
        while k > edge:
            k -= 1
            above += k_weights[k - from_k]
        total += l_weights[l - from_l] * above
    return min(1.0, total + 1e-12)
