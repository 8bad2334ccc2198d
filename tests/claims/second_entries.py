"""The printed statements entered a second time, from the papers' texts and before the first entries were read.

Each function takes the variables of a claim and returns both sides of what is printed, in plain floats and with laws
from scipy; ValueError at a point where floats cannot tell. A misquoted claim is a false accusation of its authors, so
that `test_second_entries.py` compares these with the first entries at random points.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import ceil, exp, expm1, floor, log, log2, sqrt

import numpy as np
from scipy.integrate import quad
from scipy.special import betainc, betaincc, rel_entr
from scipy.stats import binom, laplace

Entry = Callable[..., tuple[float, float]]
SIDES: dict[tuple[str, int], Entry] = {}
"""By id and number of the reading: both sides, which have to agree with those of the first entry."""
ORDERS: dict[tuple[str, int], Entry] = {}
"""Both sides of an order, which have to agree along its paths up to a constant factor."""
TRUTH: dict[tuple[str, int], tuple[str, Entry]] = {}
"""The same where the first entry is rearranged: the sense, and both sides, of which only the truth is compared."""


def sides(name: str, reading: int = 0) -> Callable[[Entry], Entry]:
    def keep(entry: Entry) -> Entry:
        SIDES[name, reading] = entry
        return entry

    return keep


def order(name: str, reading: int = 0) -> Callable[[Entry], Entry]:
    def keep(entry: Entry) -> Entry:
        ORDERS[name, reading] = entry
        return entry

    return keep


def truth(name: str, sense: str, reading: int = 0) -> Callable[[Entry], Entry]:
    def keep(entry: Entry) -> Entry:
        TRUTH[name, reading] = (sense, entry)
        return entry

    return keep


def kl(p: float, q: float) -> float:
    return float(rel_entr(p, q) + rel_entr(1.0 - p, 1.0 - q))


def _step(level: float) -> float:
    """Return a level of a sum of integers, exactly if it is an integer up to rounding."""
    nearest = round(level)
    if 1e-13 * max(1.0, abs(level)) < abs(level - nearest) < 1e-6:
        raise ValueError("too close to an integer")
    return float(nearest) if abs(level - nearest) < 1e-6 else level


def at_least(level: float, n: float, mean: float) -> float:
    """P(S >= level) for the sum S of n Bernoulli variables."""
    return float(binom.sf(ceil(_step(level)) - 1, n, mean))


def at_most(level: float, n: float, mean: float) -> float:
    """P(S <= level) for the sum S of n Bernoulli variables."""
    return float(binom.cdf(floor(_step(level)), n, mean))


def noisy_mean_above(level: float, n: float, mean: float, epsilon: float) -> float:
    """P(mean of n Bernoulli variables + Lap(1/(n epsilon)) >= level)."""
    k = np.arange(n + 1)
    return float(np.sum(binom.pmf(k, n, mean) * laplace.sf(level - k / n, scale=1 / (n * epsilon))))


def two_laplace_above(level: float) -> float:
    """P(Y - Z > level) for two standard Laplace variables, by quadrature."""
    corners = sorted({-60.0, 0.0, min(max(-level, -60.0), 60.0), 60.0})

    def density(z: float) -> float:
        return float(laplace.pdf(z) * laplace.sf(level + z))

    return sum(quad(density, a, b, epsabs=0.0, epsrel=1e-11)[0] for a, b in pairwise(corners))


# --- Azize and Basu 2022


@sides("azize-basu-2022/thm2")
def _(K, T, epsilon):  # every mean in [0, 1]: no policy regrets more than 1 a round
    return max(sqrt(T * (K - 1)) / 27, (K - 1) / (131 * epsilon)), T


@sides("azize-basu-2022/thm2-regime")
def _(K, T, epsilon):  # the private term "is higher than the lower bound for bandits without privacy"
    return (K - 1) / (131 * epsilon), sqrt(T * (K - 1)) / 27


@sides("azize-basu-2022/thm2-example")
def _(epsilon):
    return sqrt(1e6 * 99) / 27, 99 / (131 * epsilon)


@sides("azize-basu-2022/thm2-constant")
def _():
    return exp(-1), 48 / 131


@sides("azize-basu-2022/thm2-tv")
def _(Delta):
    return sqrt(0.5 * (2 * Delta) ** 2 / 2), Delta


@order("azize-basu-2022/thm3-bernoulli")
@order("azize-basu-2022/thm3-bernoulli", 1)
def _(mu_a, one_minus_best, epsilon):
    best = 1 - one_minus_best
    gap = best - mu_a
    return gap / min(kl(mu_a, best), 6 * epsilon * gap), 1 / min(gap, epsilon)


@sides("azize-basu-2022/thm4-markov")
def _(T, wrong, epsilon):  # a policy whose number of wrong signs is not random
    return wrong / (epsilon * T), float(wrong >= T / 2) / epsilon


@sides("azize-basu-2022/eq18")
def _(epsilon, product):
    return 6 * epsilon * sqrt(product**2 / 4), 3 * epsilon * abs(product)


def _two_arms(x, y, counts):
    """Arms (1, 0), the best, and (x, y): the arms, their difference and the inverse of G for expected counts."""
    arms = np.array([[1.0, 0.0], [x, y]])
    return arms, arms[1] - arms[0], np.linalg.inv(sum(n * np.outer(a, a) for n, a in zip(counts, arms, strict=True)))


@truth("azize-basu-2022/thm5-bilinear", "<=")
def _(x, y, N_1, N_2):
    arms, change, inverse = _two_arms(x, y, (N_1, N_2))
    return abs(arms[0] @ inverse @ change), abs(arms[0] @ change) / (arms[0] @ arms[0]) / N_1


@truth("azize-basu-2022/thm5-rho", "<=")
def _(x, y):  # a policy that regrets little pulls the second arm a vanishing share of the time
    if y < 0.05:
        raise ValueError("G is ill-conditioned")
    counts = (1e9, 1.0)
    arms, change, inverse = _two_arms(x, y, counts)
    limit = _two_arms(x, y, (1e14, 1.0))[2]
    limit = limit / np.linalg.norm(limit, 2)
    played = sum(n * abs(a @ limit @ change) for n, a in zip((0.0, 1.0), arms, strict=True))
    left = (change @ inverse @ change) / (change @ limit @ change) * played
    return left, sum(abs(a @ change) / (a @ a) for a in arms)


@sides("azize-basu-2022/eq12")
def _(p, epsilon):
    return log((1 - p + p * exp(epsilon)) / (1 - p + p * exp(-epsilon))), 6 * epsilon * p


def _one_datum(p, epsilon):
    """M_P(E) and M_Q(E) of an event e^epsilon times as likely on "yes", which has probability p under P, 0 under Q."""
    on_no = exp(-epsilon) / 2
    on_yes = exp(epsilon) * on_no
    return (1 - p) * on_no + p * on_yes, on_no


@truth("azize-basu-2022/thm9", "<=")
def _(p, epsilon):  # T = 1, delta = 0
    left, right = _one_datum(p, epsilon)
    return left, exp(6 * epsilon * p) * right


@truth("azize-basu-2022/lem2", "<=")
def _(p, epsilon):
    left, right = _one_datum(p, epsilon)
    return left, exp(6 * epsilon * p) * right


@truth("azize-basu-2022/thm10-step", "<=")
def _(p, epsilon):
    left, right = _one_datum(p, epsilon)
    return log(left / right), 6 * epsilon * p


@truth("azize-basu-2022/eq10", ">=")
def equation_10(p, epsilon, delta, share=0.0):  # T = 1; an event of probability `share` whatever the datum is
    grown = 1 - p + p * exp(-epsilon)
    return share, share * grown + delta / expm1(-epsilon) * (grown - 1)


def _eq13_to_16(p, T, epsilon):
    """(13), (14), (15) and (16) over delta, all p_i equal."""
    down, up = 1 - exp(-epsilon), exp(epsilon) - 1
    lift, P = exp(6 * epsilon * T * p), T * p
    return (
        lift * (1 - (1 - p + p * exp(-epsilon)) ** T) / down + ((1 - p + p * exp(epsilon)) ** T - 1) / up,
        lift * (1 - exp(2 * P * (exp(-epsilon) - 1))) / down + (exp(2 * P * (exp(epsilon) - 1)) - 1) / up,
        lift * 2 * P + 2 * P,
        lift * 4 * P,
    )


@sides("azize-basu-2022/eq14")
def _(p, T, epsilon):
    lines = _eq13_to_16(p, T, epsilon)
    return lines[0], lines[1]


@sides("azize-basu-2022/eq15")
def _(p, T, epsilon):
    lines = _eq13_to_16(p, T, epsilon)
    return lines[1], lines[2]


@sides("azize-basu-2022/eq16")
def _(p, T, epsilon):
    lines = _eq13_to_16(p, T, epsilon)
    return lines[0], lines[3]


@sides("azize-basu-2022/lem3a")
def _(n, mu, epsilon, delta):
    level = mu + log(1 / delta) / (n * epsilon) + sqrt(log(1 / delta) / (2 * n))
    return noisy_mean_above(level, n, mu, epsilon), 1.5 * delta


@sides("azize-basu-2022/lem3b")
def _(n, mu, epsilon, delta):
    level = mu - log(1 / delta) / (n * epsilon) - sqrt(log(1 / delta) / (2 * n))
    return noisy_mean_above(1 - level, n, 1 - mu, epsilon), 1.5 * delta


@sides("azize-basu-2022/lem4a")
def _(n, mu, epsilon, delta, alpha):
    level = mu - alpha - log(1 / delta) / (n * epsilon)
    return noisy_mean_above(1 - level, n, 1 - mu, epsilon), exp(-n * kl(mu - alpha, mu)) + delta / 2


@sides("azize-basu-2022/lem4b")
def _(n, mu, epsilon, shift):  # the delta at which the index reaches mu exactly from mu - shift
    delta = exp(-n * kl(mu - shift, mu))
    level = mu - shift - kl(mu - shift, mu) / epsilon
    return noisy_mean_above(1 - level, n, 1 - mu, epsilon), 1.5 * delta


@sides("azize-basu-2022/lem4b", 1)
def _(delta):  # an index is at most 1 = mu
    return 1.0, 1.5 * delta


@sides("azize-basu-2022/thm11-count")
def _(t, alpha):
    return sum(phi ** (1 - alpha) for phi in range(ceil(t / 2), int(t) + 1)), (2 / t) ** (alpha - 2)


@sides("azize-basu-2022/thm11-integral")
def _(alpha, K):
    # both sides over 3/2
    return 2 ** (alpha - 2) / (alpha - 3) / K ** (alpha - 3), 2 / (alpha - 3) * (2 / K) ** (alpha - 3)


@sides("azize-basu-2022/thm11-last")
def _(alpha, K):
    return 1.5 * 2 / (alpha - 3) * (2 / K) ** (alpha - 3), 3 / (alpha - 3)


@sides("azize-basu-2022/thm11-sum")
def _(alpha):
    return 1 + 3 / (alpha - 3), alpha / (alpha - 3)


def episodes(horizon: float, failing: bool) -> tuple[int, int]:
    """Play Algorithm 1 on the instance of Theorem 11; return the pulls of arm 2, and those of N_a prime."""
    played, last, t, pulls, good = [1, 1], [1, 1], 3, 1, 0
    while t <= horizon:
        first = 0.5 if failing and t <= 6 else 0.7
        arm = 0 if first > (0.55 if last[1] == 2 else 1.0) else 1
        length = int(min(played[arm], horizon - t + 1))
        last[arm], t = played[arm], t + length
        played[arm] += length
        pulls += length * (arm == 1)
        good += length * (arm == 1 and first > 0.6)
    return pulls, good


@sides("azize-basu-2022/thm11")
def _(T, alpha):
    q = 1.5 / 6.0**alpha
    return q * episodes(T, True)[0] + (1 - q) * episodes(T, False)[0], 4 + alpha / (alpha - 3)


@sides("azize-basu-2022/thm11-good-event")
def _(T, alpha):
    q = 1.5 / 6.0**alpha
    return q * episodes(T, True)[1] + (1 - q) * episodes(T, False)[1], 4.0


@sides("azize-basu-2022/eq17")
def _(T, more, **gaps):  # arm 2 in all rounds: its gap is Delta_2 under nu, and more than that under nu'
    return T * gaps["Delta_2"] + T * (more + gaps["Delta_2"]), T / 2 * gaps["Delta"]


@order("azize-basu-2022/thm8-constants")
def _(one_minus_best):  # 2^l >= log(T)/log(1/mu_a), and 2^l < 2 (C_1/4) log(T)/d(mu_a, mu_1)
    return kl(0.5, 1 - one_minus_best) / (2 * log(2)), 1.0


@truth("azize-basu-2022/eq33b", "<=")
def _(ratio):
    return (1 + sqrt(1 + 4 * ratio)) ** 2, 4 + 8 * ratio


@truth("azize-basu-2022/eq33c", "<=")
def _(Delta, epsilon):
    return (4 + 8 * Delta / epsilon) / (2 * Delta**2), 4 / (Delta * min(epsilon, 2 * Delta))


@truth("azize-basu-2022/thm7-choice", ">=")
def _(Delta, epsilon, alpha, T):
    samples = 2.0 ** ceil(log2(4 * alpha * log(T) / (Delta * min(epsilon, 2 * Delta))))
    bonus = alpha * log(T)
    return Delta - 2 * sqrt(bonus / (2 * samples)) - 2 * bonus / (epsilon * samples), 0.0


@truth("azize-basu-2022/eq34", "<=")
def _(alpha, T):
    return alpha / (alpha - 3) + T * 1.5 / T**alpha, 3 * alpha / (alpha - 3)


@sides("azize-basu-2022/thm8-sum")
def _(T, samples):
    return exp(-samples * (log(T) / samples)) + 1 / (2 * T), 3 / (2 * T)


@sides("azize-basu-2022/thm12-tuning")
def _(c, K, T):
    gap = 4 * sqrt(c * K / T)
    return T * gap + 16 * c * K / gap, 8 * sqrt(c * K * T)


@sides("azize-basu-2022/thm12-split")
def _(Delta, epsilon):
    return 1 / min(epsilon, Delta), 1 / Delta + 1 / epsilon


@sides("azize-basu-2022/lem6")
def _(n, mu, level):
    return at_least(level, n, mu), n * mu / level


@sides("azize-basu-2022/lem8")
def _(p, q):
    return p + (1 - q), 0.5 * exp(-kl(p, q))


@sides("azize-basu-2022/lem9")
def _(p, step):
    return kl(p, p + step), 2 * step**2


@sides("azize-basu-2022/lem11a")
def _(n, mu, beta):
    return at_least(n * (mu + beta), n, mu), exp(-2 * n * beta**2)


@sides("azize-basu-2022/lem11b")
def _(n, mu, beta):
    return at_most(n * (mu - beta), n, mu), exp(-2 * n * beta**2)


@sides("azize-basu-2022/lem13a")
def _(n, mu, beta):
    return at_least(n * (mu + beta), n, mu), exp(-n * kl(mu + beta, mu))


@sides("azize-basu-2022/lem13b")
def _(n, mu, beta):
    return at_most(n * (mu - beta), n, mu), exp(-n * kl(mu - beta, mu))


# --- Hu, Huang, Mehta and Hegde 2021


@sides("hu-2021/fact15")
def _(n, mean, a):
    return at_least(n * mean + a, n, mean) + at_most(n * mean - a, n, mean), 2 * exp(-2 * a**2 / n)


@sides("hu-2021/fact16")
def _(delta, b):
    return 2 * laplace.sf(log(1 / delta) * b, scale=b), delta


@sides("hu-2021/fact17a")
def _(n, mu, **of):
    return at_least(n * (mu + of["lambda"]), n, mu), exp(-n * kl(mu + of["lambda"], mu))


@sides("hu-2021/fact17b")
def _(n, mu, **of):
    return at_least(n * (mu - of["lambda"]), n, mu), exp(-n * kl(mu - of["lambda"], mu))


@sides("hu-2021/fact18")
def _(alpha, beta, y):
    return float(betainc(alpha, beta, y)), float(binom.sf(alpha - 1, alpha + beta - 1, y))


@truth("hu-2021/eq21", "<=")
def _(y, change, epsilon):
    return float(laplace.logpdf(y, scale=1 / epsilon)), epsilon + float(laplace.logpdf(y - change, scale=1 / epsilon))


@sides("hu-2021/omega")
def _(r):
    return float(sum(2**q for q in range(int(r) + 1))), 2.0 ** (r + 1) - 1


def _eq24(d, p, first):
    """Only s = d + 1 has a probability, p."""
    d = int(d)
    left = (2 ** (d + 2) - 1) + p * sum(2**q for q in range(d + 1, d + 3))
    return float(left), 2.0 ** (first + 1) - 1 + p * (2 ** (d + 3) - 1)


@truth("hu-2021/eq24", "<=")
def _(d, p):
    return _eq24(d, p, d)


@truth("hu-2021/eq24", "<=", 1)
def _(d, p):
    return _eq24(d, p, d + 1)


@truth("hu-2021/eq29", "<=")
def _(Delta, epsilon):  # ln T cancels
    samples = 24 / (Delta * min(Delta, epsilon))
    return sqrt(3 / samples) + 3 / (epsilon * samples), Delta / 2


@truth("hu-2021/lem20-clip", "<=")
def _(Delta):
    return 6 * Delta / 72 + sqrt(3 / (72 / Delta**2)) if Delta else 0.0, Delta / 3


@truth("hu-2021/lem20-e", "<=")
def _(Delta, epsilon, T):
    return Delta * min(epsilon, Delta) / (72 * log(T)), Delta / 12


@truth("hu-2021/lem20-g", "<=")
def _(Delta, smaller, lnT):
    return -72 * lnT / (Delta * smaller) * 2 * 25 * Delta**2 / 144, -2 * lnT


@sides("hu-2021/lem7")
def _(count, mu, y):
    k = np.arange(count + 1)
    below, above = betainc(k + 1, count - k + 1, y), betaincc(k + 1, count - k + 1, y)
    return float(np.sum(binom.pmf(k, count, mu) * below / above)), 3 / (mu - y)


@sides("hu-2021/thm8")
def _(epoch, ahead, epsilon):  # two actions; the other one leads by `ahead`, and by `ahead` + 2 after the change
    return two_laplace_above(epsilon * ahead), exp(epsilon) * two_laplace_above(epsilon * (ahead + 2))


@sides("hu-2021/lem24")
def _(r, mu, Delta, epsilon):
    n = 2 ** int(r)
    if n > 4:
        raise ValueError("a long sum")
    k = np.arange(n + 1)
    law = np.convolve(binom.pmf(k, n, mu), binom.pmf(k, n, mu - Delta)[::-1])
    left = sum(w * two_laplace_above(epsilon * lead) for lead, w in zip(range(-n, n + 1), law, strict=True))
    return left, 2 * exp(-n * Delta * min(Delta, epsilon) / 8)


@truth("hu-2021/eq52", "<=")
def _(x):  # x: 2^r Delta epsilon / 4
    return two_laplace_above(2 * x), exp(-x)


@sides("hu-2021/lem24-sum")
def _(rounds, Delta, epsilon):
    right = 2 * exp(-rounds * Delta * min(Delta, epsilon) / 8)
    return exp(-rounds * Delta**2 / 8) + exp(-rounds * Delta * epsilon / 4), right


@sides("hu-2021/thm9-sum")
def _(r0, alpha):
    r0 = int(r0)
    if alpha < 0.02:
        raise ValueError("more than the first 13 terms of the sum count")
    left = sum(2.0**r * exp(-(2.0**r) * alpha) for r in range(r0, r0 + 60) if 2.0**r * alpha < 700)
    return left, 4 * exp(-(2.0 ** (r0 - 1)) * alpha) / alpha


@sides("hu-2021/thm9-exp")
def _(x):
    return exp(-x), 1 - x / 2


def _tuned(size, smallest):
    """The printed r_0, of which the text says that it is a positive integer, and 1."""
    if size == 1:
        return -1e300, 1.0
    return float(ceil(log2(8 * log(size) / smallest)) + 1), 1.0


@truth("hu-2021/thm9-tuning", ">=")
def _(size, smallest):
    return _tuned(size, smallest)


@truth("hu-2021/thm9-tuning", ">=", 1)
def _(size, smallest):
    return _tuned(size, smallest)


@order("hu-2021/thm9")
def _(K, epsilon, Delta_min, Delta_max, T):  # all gaps are equal: one bracket, which counts if its gap is above epsilon
    bracket = (1 + log(K - 1)) / epsilon if Delta_min > epsilon else 0.0
    brackets = log(Delta_max / max(Delta_min, epsilon, 1 / T))
    return log(K) / Delta_min + bracket, log(K) / Delta_min + log(K) * brackets / epsilon


@order("hu-2021/conclusion")
def _(K, epsilon, Delta_min, T):
    # the order that is said, and the first form: a bracket for each action whose gap is above epsilon
    gaps = [Delta_min * 2.0**j for j in range(int(K) - 1)]
    first = log(K) / Delta_min + sum(1 / epsilon for gap in gaps if gap > epsilon)
    return log(K) / Delta_min + log(K) * log(T) / epsilon, first


@truth("hu-2021/thm9-lambda", "<=")
def _(size):
    return 128 * log(size) + 256, 256 * (1 + log(size))


@truth("hu-2021/thm12-condition", ">=")
def _(Delta_min):
    return Delta_min, 0.25


@sides("hu-2021/packing")
def _(Delta):  # the set {(1, 0)} for the two actions that differ
    return (0.5 + Delta) * 0.5 - 0.5 * (0.5 - Delta), Delta


@truth("hu-2021/asz", ">=")
def _(M, growth):
    return 0.9 * M * (M - 1) / (M - 1 + growth), 0.45 * M * min(1.0, (M - 1) / growth)


@truth("hu-2021/eq56", ">=")
def _(K, exponent):
    return 0.45 * min(1.0, (K - 1) / exp(exponent)), 0.2


# --- Events of mechanisms


def lemma_2_of_an_event(event: dict[tuple[int, int], float], growth: float, p: float) -> tuple[float, float]:
    """M_P(E) and e^epsilon' M_Q(E) for two data: 0 with probability 1 - p under both, else 1 under P and 2 under Q."""
    P, Q = np.array([1 - p, p, 0.0]), np.array([1 - p, 0.0, p])
    table = np.array([[event[first, other] for other in range(3)] for first in range(3)])
    return float(P @ table @ P), exp(6 * log(growth) * 2 * p) * float(Q @ table @ Q)


EVENTS = {("azize-basu-2022/lem2-every", 0): lemma_2_of_an_event}
"""Statements about every mechanism: both sides for the event that was found."""
