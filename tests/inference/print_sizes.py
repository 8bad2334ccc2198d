"""Print the exact sizes quoted in docs/evidence/inference.md, by enumeration: python tests/inference/print_sizes.py."""

import itertools
import math
import sys

import numpy as np
from scipy.signal import fftconvolve
from scipy.special import gammaln, xlogy
from scipy.stats import binom

from privcheck.inference import epsilon_lower, two_tails_p_value

LEVELS = [0.05, 0.05 / 3, 1e-3]


def trinomial(n, x, y):
    i, j = np.indices((n + 1, n + 1))
    rest = np.maximum(n - i - j, 0)
    weight = gammaln(n + 1) - gammaln(i + 1) - gammaln(j + 1) - gammaln(rest + 1)
    weight += xlogy(i, x) + xlogy(j, y) + xlogy(rest, max(0.0, 1.0 - x - y))
    return np.where(i + j <= n, np.exp(weight), 0.0)


def two_tails_sizes(n, epsilon):
    r = math.exp(epsilon)
    hits, misses = np.indices((2 * n + 1, 2 * n + 1))
    table = np.vectorize(lambda k, l: two_tails_p_value(int(k), int(l), 0, 0, epsilon))(hits, misses)
    rates, found = [0.0, 1e-6, *np.geomspace(0.02 / n, 0.5, 11), 0.6, 0.75, 0.9], np.zeros(len(LEVELS))
    for b, d in itertools.product(rates, repeat=2):
        if b + d > 0.0 and d <= b:
            law = fftconvolve(trinomial(n, min(r * b, 1.0 - d), d), trinomial(n, min(r * d, 1.0 - b), b))
            found = np.maximum(found, [law[table <= level].sum() for level in LEVELS])
    return found


def approximate_sizes(n, delta, epsilon):
    counts, found = np.arange(n + 1), []
    rates = np.concatenate([[1e-9], np.geomspace(0.01 / n, 0.5, 60), np.linspace(0.51, 1.0, 50)])
    for level in LEVELS:
        above = np.array([[epsilon_lower(k, l, n, delta, level) > epsilon + 1e-9 for l in counts] for k in counts])
        laws = ((min(1.0, math.exp(epsilon) * q + delta), q) for q in rates if math.exp(epsilon) * q + delta <= 1.0)
        found.append(max(binom.pmf(counts, n, p) @ above @ binom.pmf(counts, n, q) for p, q in laws))
    return found


if __name__ == "__main__":
    say = sys.stdout.write
    say("two tails: largest size / level over b, d\n   n epsilon " + " ".join(f"{x:8.5f}" for x in LEVELS) + "\n")
    for n, epsilon in itertools.product([10, 40, 80], [0.0, 0.1, 1.0, 3.0]):
        sizes = two_tails_sizes(n, epsilon) / LEVELS
        say(f"{n:4d} {epsilon:7.1f} " + " ".join(f"{x:8.3f}" for x in sizes) + "\n")
    say(
        "approximate: largest size / level over q\n   n   delta epsilon " + " ".join(f"{x:8.5f}" for x in LEVELS) + "\n"
    )
    for n, delta, epsilon in itertools.product([20, 60], [0.0, 1e-3, 0.05], [0.1, 1.0, 3.0]):
        sizes = np.array(approximate_sizes(n, delta, epsilon)) / LEVELS
        say(f"{n:4d} {delta:7.3f} {epsilon:7.1f} " + " ".join(f"{x:8.3f}" for x in sizes) + "\n")
