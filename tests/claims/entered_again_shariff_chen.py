"""Refuted statements of Shariff and Sheffet 2018 and Chen et al. 2020, entered a second time as plain functions.

For each reading that is refuted, in its order: both sides of what is printed, from the text, as functions of the
variables by name. Laws come from scipy. Readings that are not refuted are None.
"""

from __future__ import annotations

import math
from math import ceil, exp, log, log2, sqrt

import numpy as np
from scipy import stats


def normal_delta(epsilon, mu):
    """The smallest delta of N(mu, 1) against N(0, 1): the integral of the positive part of p - e^epsilon q."""
    start = epsilon / mu + mu / 2  # where the log-ratio is epsilon
    return stats.norm.sf(start - mu) - math.exp(epsilon + stats.norm.logsf(start))


def composed_delta(m, e0, d0, epsilon):
    """Optimal composition by enumerating all 2^m answers of m randomised responses."""
    yes, no = 1 / (1 + exp(-e0)), 1 / (1 + exp(e0))
    told = 0.0
    for answers in np.ndindex(*(2,) * m):
        lies = sum(answers)
        told += max(0.0, yes ** (m - lies) * no**lies - exp(epsilon) * no ** (m - lies) * yes**lies)
    return 1 - (1 - d0) ** m * (1 - told)


def wide(d, factor, n, alpha):
    return sqrt(d) + sqrt(2 * log(factor * n / alpha))


def chi_outside(degrees, root, width):
    low = max(0.0, root - width)
    return stats.chi2.sf((root + width) ** 2, degrees) + stats.chi2.cdf(low**2, degrees)


def bandit(n, S, rho, gamma, sigma, alpha):
    """Theorem 5's bracket for d = 1, L = 1 and rho_min = rho_max = rho."""
    volume = log(rho / rho + n / rho)
    return sigma * (2 * log(2 / alpha) + volume) + (S * sqrt(rho) + gamma) * sqrt(log(1 + n / rho))


def with_gap(n, S, rho, gamma, sigma, alpha):
    bracket = bandit(n, S, rho, gamma, sigma, alpha)
    return 2 * S, 8 * max(1, S) / (2 * S) * bracket**2


def degrees(d, m, epsilon, delta):
    return d + 1 + ceil(224 * m * epsilon**-2 * log(8 * m / delta) * log(2 / delta))


def levels(i):
    return 1 + ceil(log2(2**i))


def prop9_one_node(i, epsilon, delta, alpha):
    n, m = 2**i, levels(i)
    k = degrees(1, m, epsilon, delta)
    return 1 - alpha / 2 / n, k / (sqrt(m * k) - 1 - sqrt(2 * log(8 * n / alpha))) ** 2


def prop9_all_nodes(i, k, alpha):
    n, m = 2**i, levels(i)
    return 1 - alpha / 2 / n, m * k / (sqrt(m * k) - 1 - sqrt(2 * log(8 * n / alpha))) ** 2


def prop9_as_set(i, epsilon, delta, alpha):
    return prop9_all_nodes(i, degrees(1, levels(i), epsilon, delta), alpha)


def shift(d, i, epsilon, delta):
    n, m = 2**i, levels(i)
    x, off = sqrt(m * degrees(d, m, epsilon, delta)), wide(d, 8, n, 0.05)
    if x > 1e6:
        raise ValueError("the difference of the squares is lost in rounding")
    smallest, largest = (x - off) ** 2, (x + off) ** 2
    c = smallest - 4 * x * off
    return largest - c, largest


def gamma_step(d, n, alpha, root):
    eight, two = wide(d, 8, n, alpha), wide(d, 2, n, alpha)
    left = two * (root - eight) / sqrt(4 * root * eight)
    return left, (root - eight) * sqrt(two) / (4 * sqrt(root))


def prop11(m, d, n, L, epsilon, delta, alpha):
    sure = log(2 * n / alpha)
    noise = sqrt(16 * m * L**4 * log(4 / delta) ** 2 / epsilon**2)
    upsilon = sqrt(32) * m * L**2 * log(4 / delta) * (4 * sqrt(d) + 2 * sure) / epsilon
    gamma = noise * sqrt(m / upsilon) * (sqrt(d) + sqrt(2 * sure))
    return gamma**2, m * L**2 * (sqrt(d) + 2 * sure) / (sqrt(2) * epsilon)


def frobenius(u, v, cosine):
    first = np.array([u, 0.0])
    second = v * np.array([cosine, sqrt(1 - cosine**2)])
    return np.linalg.norm(np.outer(second, second) - np.outer(first, first)) ** 2, 1.0


def change_of_the_norm(u, v, cosine, g_1, g_2, share):
    """The other data have the Gram matrix `rest`; one datum is replaced."""
    rest = np.array([[g_1, share * sqrt(g_1 * g_2)], [share * sqrt(g_1 * g_2), g_2]])
    first, second = np.array([u, 0.0]), v * np.array([cosine, sqrt(1 - cosine**2)])
    norms = [np.linalg.norm(rest + np.outer(datum, datum)) for datum in (first, second)]
    return norms[0], norms[1] + 1.0


def history(h, delta, p, q, **rest):
    return p, rest["e^epsilon"] * q + delta


def n_max(K, Delta, epsilon, T, B_1):
    first = 256 * B_1**2 * K**2 * log(T) / Delta**2
    return max(first, 96 * B_1 * K**2 * log(T) ** 3 / (epsilon * Delta)), (
        256 * K**2 * B_1**2 * log(T) ** 4 / (epsilon * Delta**2)
    )


def lemma_2(T, m, Delta):
    pulled = min(T, 4 * log(m * T) / Delta**2) - 1
    within = 16 * log(T) / Delta**2 + 1
    return Delta * (pulled - within), 3 * Delta


SHARIFF = {
    "a1-gaussian": [
        lambda epsilon, delta: (normal_delta(epsilon, 1 / sqrt(2 * log(2 / delta) / epsilon**2)), delta),
        None,
    ],
    "a2-tree": [
        lambda m, epsilon, delta: (
            composed_delta(m, epsilon / sqrt(8 * m * log(2 / delta)), delta / 2 / m, epsilon),
            delta,
        ),
        None,
    ],
    "claim19": [
        lambda alpha, m, **rest: (chi_outside(2 * rest["k/2"], sqrt(m), 1 + sqrt(2 * log(2 / alpha))), alpha),
        None,
    ],
    "claim20": [lambda H, rho, c: ((H - c) ** -1, H**-1 * rho / (rho - c)), None],
    "frobenius": [frobenius, None, change_of_the_norm],
    "gaussian-node": [
        lambda m, epsilon, delta: (
            normal_delta(epsilon / sqrt(8 * m * log(2 / delta)), 1 / sqrt(16 * m * log(4 / delta) ** 2 / epsilon**2)),
            delta / 2,
        ),
        None,
    ],
    "gaussian-tree": [
        lambda m, epsilon, delta: (
            normal_delta(epsilon, sqrt(m) / sqrt(16 * m * log(4 / delta) ** 2 / epsilon**2)),
            delta,
        ),
        None,
    ],
    "prop11": [prop11],
    "claim13-step": [
        lambda epsilon, delta, p: (
            (1 - p) + exp(-epsilon) * (p - delta),
            1 + (exp(-epsilon) - 1) * (1 - p) - delta,
        )
    ],
    "claim13-history": [history, None],
    "claim14-postulated": [lambda mu, Delta: (mu + Delta, 1.0), None],
    "claim14-coupling": [
        lambda epsilon, Delta: ((1 - Delta) + Delta * exp(epsilon), exp(epsilon * Delta)),
        lambda epsilon, Delta: ((1 - Delta) + Delta * exp(epsilon), exp(6 * epsilon * Delta)),
    ],
    "prop4-equality": [lambda G, H, rho_min: ((G + H) ** -1, (G + rho_min) ** -1), None],
    "thm5": [
        lambda n, S, rho, gamma, sigma, alpha: (
            2 * S,
            max(1, S) * sqrt(8 * n) * bandit(n, S, rho, gamma, sigma, alpha),
        )
    ],
    "thm6": [with_gap],
    "thm6-rewards": [lambda S: with_gap(10, S, 1e-4, 1e-6, 0.01, 0.1)],
    "tree-sums": [lambda j, n: (bin(2**j - 1).count("1"), log2(n)), None],
    "thm6-scaling": [lambda S: with_gap(10, S, 1e-4, 1e-6, 0.01, 0.1)],
    "lem22-telescope": [
        lambda n, U: (
            2 * sum(log(1 + 1 / (U + s)) for s in range(n)),
            2 * log((U + n) / (U + n - 1)),
        ),
        None,
    ],
    "thm8": [lambda epsilon, delta, **rest: (stats.chi2.cdf(1, 2 * rest["(k_0 - d)/2"]), delta), None],
    "scale": [lambda m, epsilon, delta, L: (1 - degrees(0, m, epsilon, delta) / L, delta / 2 / m), None],
    "prop9": [prop9_one_node, prop9_all_nodes, prop9_as_set],
    "prop9-union": [lambda n, alpha: (alpha / 2 / n + alpha / 2 / n, alpha / 2 / n), None],
    "shift": [shift, shift],
    "prop9-gamma-step": [gamma_step],
    "lem21-product": [lambda n, r: (sum(r for _ in range(n)), float(np.dot(np.ones(n), np.full(n, r) / n)))],
}
CHEN = {
    "thm8-logarithm": [n_max, None],
    "lem2": [lemma_2, None],
    "tree-nodes": [lambda j: (bin(2**j - 1).count("1"), ceil(log2(2**j - 1)))],
    "thm9-arms": [lambda K, m: (m + (K - 1) + (m - 2 * K + 1), m), None],
    "laplace": [lambda a, b, epsilon: (abs(a - b) / (1 / epsilon), epsilon)] * 2,
    "lem1": [
        lambda j, epsilon: ((log2(2**j) + 1) / (log2(2**j) / epsilon), epsilon),
        lambda j, epsilon: ((log2(2**j) + 1) / (log(2**j) / epsilon), epsilon),
    ],
    "tree-noise": [lambda j, T: (bin(2**j - 1).count("1") * log2(T) ** 2, 2**j - 1), None],
    "thm7-noise": [lambda j: ((log2(2**j) + 1) / (2 * log(2**j)), 1.0), None],
}


def additive(m, K, log_T, Delta, epsilon):
    """Theorem 8 for B_1 = 1, with a logarithm that is not negative."""
    return m * K * log_T**2 / Delta + m * K * log_T**3 * log(2 + K * log_T / Delta / epsilon) / epsilon


def late(s):
    """ln T for T = s^4."""
    return log(s**4)


def lost_arm(s):
    return exp(s) * exp(-4 * sqrt(2 * s)), s


def last_line(epsilon, log_T):
    """The last line of the display of Theorem 8's proof, and what it becomes; B_1 = K = m = 1, both gaps are 1/2."""
    enough = 256 * log_T / 0.25 + 96 * log_T**3 / (epsilon * 0.5)
    left = 16 * sqrt(log_T * enough) + 48 * log_T**3 / epsilon * (1 + log(256 * log_T**4 / (epsilon * 0.25)))
    return left, log_T**2 / 0.5 + log_T**3 * log(log_T / (0.5 * epsilon)) / epsilon


ORDERS = {
    "shariff-sheffet-2018/main-term": lambda s: (sqrt(s) * (s**0.25 + 1) * (s**0.25 + 1), s**0.75),
    "shariff-sheffet-2018/cor15": lambda s: (2 * log(s) / (1 / s), 2 * s),
    "shariff-sheffet-2018/gap-order": lambda s: (s**2, s),
    "chen-2020/thm2": lost_arm,
    "chen-2020/thm4": lost_arm,
    "chen-2020/abstract-ldp": lambda s: (2 / 0.5, 2 / (0.5 * s**2)),
    "chen-2020/dp-upper": lambda s: (2 / 0.5, 2 / (0.5 * s)),
    "chen-2020/dp-lower": lambda s: (2 * late(s) / ((1 / s) * (1 / s)), additive(2, 1, late(s), 1 / s, 1 / s)),
    "chen-2020/dp-smooth": lambda s: (
        3 * s * s * late(s) / (s / 4) + 3 * s * s * late(s),
        3 * s * s * late(s) ** 6 / (s / 4),
    ),
    "chen-2020/thm8": lambda s: last_line(2 * s, s),
    "chen-2020/thm9-many": lambda s: (2 * s, 2 * s - 2 * s + 1),
    "chen-2020/thm9-pulls": lambda s: (s * 0.25 * (s * late(s) / 0.25), additive(s, 1, late(s), 0.25, 1)),
    "chen-2020/thm9-reduction": lambda s: (1 / s, 1 / s**2),
    "chen-2020/conclusion": lambda s: (s, 1),
}
"""Both sides of each order that is refuted, at s on the path of the first reading."""
