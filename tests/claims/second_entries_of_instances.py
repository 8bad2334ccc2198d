"""Theorems on instances, remarks and steps entered a second time, by somebody who read them against the papers later.

As in `second_entries.py` each function takes the variables of a claim and returns both sides, here by other means than
the first entry where there are some: enumeration, quadrature, matrices, linear programmes.
"""

from __future__ import annotations

from itertools import product
from math import exp, log, sqrt

import numpy as np
from scipy.integrate import quad
from scipy.optimize import linprog
from scipy.stats import binom, laplace, norm


def difference_above(level, scale):
    """P(X - Y >= level) for two Laplace variables, by quadrature."""
    kinks = sorted({0.0, level})
    return quad(lambda y: laplace.pdf(y, scale=scale) * laplace.sf(level + y, scale=scale), -60 * scale, 60 * scale,
                points=[*kinks, *(-k for k in kinks)], limit=400)[0]  # fmt: skip


# ---- Azize and Basu 2022


def theorem_5(Delta, epsilon):
    arms = np.eye(2)
    against = arms[1] - arms[0]
    rho = sum(abs(arm @ against) / (arm @ arm) for arm in arms)
    variation = norm.cdf(Delta / 2) - norm.cdf(-Delta / 2)
    if variation < 1e-6 or Delta > 1e3:
        raise ValueError("floats cancel")
    return min(Delta**2 / 2, epsilon * variation), min(0.5 * Delta**2, 3 * epsilon * rho * Delta)


def theorem_6(**at):
    epsilon = at["epsilon"]
    if not 0.05 < epsilon < 20 or abs(at["ahead"]) * epsilon > 20:
        raise ValueError("out of reach of quadrature")
    first, other = (difference_above(at["s"] - at[name] - at["ahead"], 1 / epsilon) for name in ("r", "r'"))
    return first, exp(epsilon) * other


def theorem_7(Delta, alpha, epsilon):
    if not 0.05 < epsilon < 20 or Delta * epsilon > 20:
        raise ValueError("out of reach of quadrature")
    pulls = 1 + difference_above((0.5 + Delta / 2) - (0.5 - Delta / 2), 1 / epsilon)
    return Delta * pulls, 16 * alpha / min(Delta, epsilon) * log(3) + 3 * alpha / (alpha - 3)


def low_privacy(p, q, epsilon):
    nats = p * log(p / q) + (1 - p) * log((1 - p) / (1 - q))
    return 1 / (epsilon * (q - p)), 1 / nats


def equation_11(epsilon, m, delta):
    """One datum, p_1 = 1: everything from the products as they are printed."""
    p = 1.0
    up, down = 1 - p + p * exp(epsilon), 1 - p + p * exp(-epsilon)
    right = up / down * (m + (1 - down) / (1 - exp(-epsilon)) * delta) + (down - 1) / (exp(epsilon) - 1) * delta
    return exp(epsilon) * m + delta, right


def moments(p_1, p_2, t):
    mean = 0.0
    for first, second in product((0, 1), repeat=2):
        mean += (p_1 if first else 1 - p_1) * (p_2 if second else 1 - p_2) * exp(t * (first + second))
    return mean, (1 - p_1 + p_1 * exp(t)) * (1 - p_2 + p_2 * exp(t))


def pulls_and_block(j):
    """Play the arm: one pull, then episodes that double it."""
    pulls = block = 1
    for _ in range(int(j)):
        block, pulls = pulls, 2 * pulls
    return block, pulls / 2


# ---- Hu et al.


def selector(K, Delta_min, epsilon):
    if K > 80:
        raise ValueError("too many hypotheses")
    K, success = int(K), 0.0
    for own, ones in product((0, 1), range(K)):
        chance = (0.5 + Delta_min if own else 0.5 - Delta_min) * binom.pmf(ones, K - 1, 0.5)
        mine, all_weights = exp(epsilon * own / 2), ones * exp(epsilon / 2) + (K - 1 - ones)
        success += chance * mine / (mine + all_weights)
    return 1 - success, 0.45 * min(1, (K - 1) / exp(10 * epsilon * Delta_min))


def smallest_horizon(lnK, Delta_min, epsilon):
    horizon = max(lnK / (16 * Delta_min**2), lnK / (10 * epsilon * Delta_min))
    return max(lnK / Delta_min, lnK / epsilon), horizon * Delta_min


def first_rounds(**at):
    rounds = at["lnK"] / (10 * at["epsilon"] * at["Delta_min"])
    return 0.2 * 0.49 * rounds * at["Delta_min"], 0.0098 * at["lnK"] / at["epsilon"]


def not_always_true():
    M, growth = 2, exp(0.0)
    return 0.8 * M * min(1, M / growth) - 0.9 * M * (M - 1) / (M - 1 + growth), 0.7


# ---- Chen et al.


def widths(n_1, n_2, T, epsilon):
    each = [4 * sqrt(2 * log(T) / (epsilon**2 * n)) for n in (n_1, n_2)]
    return max(each), each[0 if n_1 <= n_2 else 1]


def ratios(**at):
    term = at["B_inf"] ** 2 * at["ln T"] / at["Delta"]
    with_noise = at["K"] ** 2 * term / at["epsilon"] ** 2
    return with_noise / term, at["K"] ** 2 / at["epsilon"] ** 2


def ratio_of_both(**at):
    plain = at["B_inf"] ** 2 * at["ln T"] / (at["epsilon"] ** 2 * at["Delta"])
    return at["K"] ** 2 * plain / plain, at["K"] ** 2


def theorem_9(m, K, log_T, epsilon, Delta):
    upper = m * K * log_T**2 / Delta + m * K * log_T**3 * log(2 + K * log_T / Delta / epsilon) / epsilon
    return m * K * log_T / Delta + m * K * log_T / epsilon, upper


def theorem_9_for_bandits(m, log_T, epsilon, Delta):
    return m * log_T * (1 / Delta + 1 / epsilon), m * log_T / epsilon / Delta


# ---- Shariff and Sheffet 2018


def volumes(**at):
    noise = np.array([[at["h_11"], at["h_12"]], [at["h_12"], at["h_22"]]])
    x = np.array([at["x_1"], at["x_2"]])
    if x @ noise @ x < 1e-4 * abs(x) @ abs(noise) @ abs(x):
        raise ValueError("floats cancel")
    return x @ noise @ x, at["rho_min"] * x @ x


def wrong_arm(u):
    direction = np.array([1 - u * u, 2 * u]) / (1 + u * u)
    arms = direction, -direction
    return max(arm @ direction for arm in arms) - min(arm @ direction for arm in arms), 2


def wrong_arms(**at):
    """The least p + q for the probabilities of the wrong arm under both contexts."""
    growth, delta = at["e^epsilon"], at["delta"]
    found = linprog([1, 1], [[-1, -growth], [-growth, -1]], [delta - 1, delta - 1], bounds=(0, 1), method="highs")
    return at["n"] * found.fun, at["n"] / 4


def variance(p):
    values, chances = np.array([1.0, -1.0]), np.array([p, 1 - p])
    return 1, chances @ (values - chances @ values) ** 2


# ---- Jourdan and Azize 2025


def half_to_the_leader(w):
    before = np.array([w, (1 - w) / 2, (1 - w) / 2])
    after = np.array([0.5, 0.25, 0.25])
    return (after / before).min(), 0.5


def equal_means(K, v):
    inverses = np.full(int(K) - 1, 1 / v)
    return inverses.max() + inverses.sum(), K / v


SIDES = {
    ("azize-basu-2022/thm5-orthonormal", 0): theorem_5,
    ("azize-basu-2022/thm6-round", 0): theorem_6,
    ("azize-basu-2022/thm7-round", 0): theorem_7,
    ("azize-basu-2022/thm2-nothing-lost", 0): lambda epsilon: (
        max(sqrt(10**6 * 99) / 27, 99 / (131 * epsilon)),
        sqrt(10**6 * 99) / 27,
    ),
    ("azize-basu-2022/thm3-consistency", 0): lambda p, margin, log_T, log_C: (p + log_C / log_T, p + margin),
    ("azize-basu-2022/thm2-pulls", 0): lambda T, N_2, N_3: (min(N_2, N_3), T / (3 - 1)),
    ("azize-basu-2022/lem2-moments", 0): moments,
    ("azize-basu-2022/thm3-low", 1): low_privacy,
    ("azize-basu-2022/eq11", 0): equation_11,
    ("azize-basu-2022/half-of-pulls", 0): pulls_and_block,
    ("hu-2021/eq56-selector", 0): selector,
    ("hu-2021/thm12-regret", 0): first_rounds,
    ("hu-2021/asz-published", 0): not_always_true,
    ("chen-2020/least-pulled", 0): widths,
    ("chen-2020/extra-factor", 0): ratios,
    ("chen-2020/extra-factor", 1): ratio_of_both,
    ("chen-2020/tree-noise", 0): lambda j, T: (sum((log(T) / log(2)) ** 2 for _ in range(int(j))), 2**j - 1),
    ("shariff-sheffet-2018/lower-volumes", 0): volumes,
    ("shariff-sheffet-2018/claim13-two", 0): wrong_arm,
    ("shariff-sheffet-2018/claim13-days", 0): wrong_arms,
    ("shariff-sheffet-2018/variance", 0): variance,
    ("shariff-sheffet-2018/lem21-product", 0): lambda n, r: (n * r, np.ones(int(n)) @ np.full(int(n), r / n)),
    ("jourdan-azize-2025/lem43-weights", 0): half_to_the_leader,
    ("jourdan-azize-2025/factor-reduced", 0): lambda eta: (2 * 2 * (1 + eta) / 2 / 2, 1 + eta),
    ("jourdan-azize-2025/linear-in-arms", 0): equal_means,
}
ORDERS = {
    ("hu-2021/thm12-horizon", 0): smallest_horizon,
    ("chen-2020/thm9-above", 0): theorem_9,
    ("chen-2020/thm9-one-arm", 0): theorem_9_for_bandits,
}
