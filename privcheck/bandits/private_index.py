"""The private divergence d_epsilon of Bernoulli laws and the index based on it, for kernels.

For p < q, d(p, q) = kl(p, q) if logit q - logit p <= epsilon, else -ln(1 - q (1 - e^-epsilon)) - epsilon p. The
index max{q : d(m, q) <= c} is returned as x = -ln(1 - q), the scale of `privcheck.bandits.kl_index`; it is infinite
when c >= epsilon (1 - m), because d(m, 1) = epsilon (1 - m).
"""

from __future__ import annotations

import math

from privcheck.bandits.imed import bernoulli_kl
from privcheck.bandits.kl_index import kl_index
from privcheck.kernels import compiled

LARGEST_BELOW_ONE = math.nextafter(1.0, 0.0)


@compiled
def private_divergence(p: float, q: float, epsilon: float) -> float:
    """Return d_epsilon(p, q) for 0 <= p <= q <= 1."""
    if p >= q:
        return 0.0
    if p > 0.0 and q < 1.0 and math.log(q) - math.log1p(-q) - math.log(p) + math.log1p(-p) <= epsilon:
        return p * math.log(p / q) + (1.0 - p) * (math.log1p(-p) - math.log1p(-q))
    return -math.log1p(q * math.expm1(-epsilon)) - epsilon * p


@compiled
def private_index(mean: float, level: float, epsilon: float) -> float:
    """Return x = -ln(1 - q) of the largest q with d_epsilon(mean, q) <= level, for a mean in [0, 1] and level >= 0."""
    left = epsilon * (1.0 - mean) - level
    if left <= 0.0:
        return math.inf
    if mean > 0.0:
        x = kl_index(mean, level)
        if x + math.log(-math.expm1(-x)) - math.log(mean) + math.log1p(-mean) <= epsilon:
            return x
    return epsilon * mean + level + math.log(-math.expm1(-epsilon)) - math.log(-math.expm1(-left))


def private_index_by_bisection(mean: float, level: float, epsilon: float) -> float:
    """Return the same x by bisection on the definition of d_epsilon, in plain Python: the readable reference.

    >>> round(1 - math.exp(-private_index_by_bisection(0.2, 0.3842648, 1.0)), 6)
    0.7
    """
    low, high = mean, 1.0
    for _ in range(60):  # without branches: a certificate's short runs may have only one of the two cases
        q = 0.5 * (low + high)
        z = max(mean, q / (q + (1.0 - q) * math.exp(epsilon)))
        within = bernoulli_kl(z, q) + epsilon * (z - mean) <= level
        low, high = within * q + (1 - within) * low, (1 - within) * q + within * high
    found = -math.log1p(-min(low, LARGEST_BELOW_ONE))
    return (found, math.inf)[epsilon * (1.0 - mean) <= level]
