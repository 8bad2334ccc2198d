"""The profile likelihood of a Bernoulli mean, given the sums of several batches with Gaussian noise.

Let the batches of an arm have l_1, ..., l_k rewards and released sums Y_1, ..., Y_k with noise of variance 1 / (2 rho).
If batch j had mean z_j before the noise, z_j has likelihood exp(-l_j kl(z_j, q)) under the mean q, up to a factor that
grows no faster than sqrt(l_j), and its noise exp(-rho (l_j z_j - Y_j)^2). Maximised over z_j, the negative
log-likelihood of q is

    D(q) = sum_j min_z l_j kl(z, q) + rho (l_j z - Y_j)^2.

The minimising z_j solves logit(z) + 2 rho l_j z = logit(q) + 2 rho Y_j; its left side increases in z. By the envelope
theorem D'(q) = sum_j l_j (q - z_j) / (q (1 - q)), so the most likely mean is the average of the z_j. D is convex: kl is
jointly convex, so each term is the partial minimum of a jointly convex function. As rho tends to infinity, D(q) - min D
tends to n kl(mean of all rewards, q).
"""

from __future__ import annotations

import math

from privcheck.arrays import Array
from privcheck.bandits.batch_likelihood import kl
from privcheck.kernels import compiled

EXTREME = 1e-12
"""Means are kept this far from 0 and 1, where the logit is infinite."""


@compiled
def hidden_mean(pull: float, stiffness: float, guess: float) -> float:
    """Return the z in (0, 1) with logit(z) + stiffness z = pull, for a stiffness of 0 or more.

    Newton's method for the logit x of z, x + stiffness / (1 + e^-x) = pull, from a guess of z, between the ends of the
    bracket in which the root lies; bisection where a step leaves it, and in every fourth step, because Newton's may go
    back and forth. It ends with a step of Newton's below 1e-7: the next would be below its square.

    >>> z = hidden_mean(1.0, 4.0, 0.5)
    >>> round(math.log(z / (1.0 - z)) + 4.0 * z, 12)
    1.0
    """
    low, high = pull - stiffness, pull
    x = math.log(guess / (1.0 - guess)) if 0.0 < guess < 1.0 else 0.5 * (low + high)
    x = min(max(x, low), high)
    z = 0.5
    for step in range(200):
        z = 1.0 / (1.0 + math.exp(-x)) if x > -700.0 else 0.0
        slope = 1.0 + stiffness * z * (1.0 - z)
        excess = x + stiffness * z - pull
        if excess > 0.0:
            high = x
        else:
            low = x
        moved = x - excess / slope
        if abs(excess) <= 1e-7 * slope:
            return z - z * (1.0 - z) * excess / slope
        if step % 4 == 3 or not low < moved < high:
            moved = 0.5 * (low + high)
        if not low < moved < high:
            break
        x = moved
    return z


@compiled
def likely_hidden_mean(total: float, length: float, rho: float, q: float, logit: float) -> float:
    """Return the z_j of a batch under the mean q, whose logit is given.

    The guess is the mean of a normal law of the batch's mean, with the variance q (1 - q) / length, given its sum.
    """
    precision = 1.0 / (q * (1.0 - q))
    guess = (q * precision + 2.0 * rho * total) / (precision + 2.0 * rho * length)
    return hidden_mean(logit + 2.0 * rho * total, 2.0 * rho * length, guess)


@compiled
def inside(q: float) -> float:
    """Return the mean, moved to the nearest one whose logit is finite.

    >>> inside(0.25), inside(0.0) > 0.0
    (0.25, True)
    """
    return min(max(q, EXTREME), 1.0 - EXTREME)


@compiled
def gaussian_most_likely_mean(sums: Array, lengths: Array, batches: int, rho: float, one: float, other: float) -> float:
    """Return the minimiser of D, which has to lie between `one` and `other`.

    It lies between the minimiser of the first k - 1 batches and Y_k / l_k, clipped to [0, 1], because D is a sum of
    convex functions. Newton's method on sum_j l_j (q - z_j), which has the sign of D'; bisection where a step leaves
    the bracket or the bracket shrinks slowly.
    """
    low, high = min(inside(one), inside(other)), max(inside(one), inside(other))
    q = 0.5 * (low + high)
    for step in range(200):
        if not low < q < high:
            break
        logit, variance = math.log(q / (1.0 - q)), q * (1.0 - q)
        slope, rise = 0.0, 0.0
        for j in range(batches):
            stiffness = 2.0 * rho * lengths[j]
            z = likely_hidden_mean(sums[j], lengths[j], rho, q, logit)
            slope += lengths[j] * (q - z)
            inner = z * (1.0 - z)
            rise += lengths[j] * (1.0 - inner / (variance * (1.0 + stiffness * inner)))
        if slope > 0.0:
            high = q
        else:
            low = q
        moved = q - slope / rise if rise > 0.0 and step % 4 < 3 else 0.5 * (low + high)
        if not low < moved < high:
            moved = 0.5 * (low + high)
        if abs(moved - q) <= 1e-12 * variance:
            return moved
        q = moved
    return 0.5 * (low + high)


@compiled
def gaussian_divergence_sum(sums: Array, lengths: Array, batches: int, q: float, rho: float) -> float:
    """Return D(q), at the nearest mean whose logit is finite."""
    q = inside(q)
    logit = math.log(q / (1.0 - q))
    total = 0.0
    for j in range(batches):
        z = likely_hidden_mean(sums[j], lengths[j], rho, q, logit)
        missed = lengths[j] * z - sums[j]
        total += lengths[j] * kl(z, q) + rho * missed * missed
    return total
