"""Azize & Basu 2022: AdaP-KLUCB on an instance, Theorem 8."""

from __future__ import annotations

import math
from collections.abc import Callable

from privcheck.bounds._conditions import ALPHA, BERNOULLI, BETTER_ARM_EXISTS
from privcheck.bounds._divergences import linear_minus_log
from privcheck.bounds._instance import Instance
from privcheck.bounds._quantity import BANDIT_REGRET
from privcheck.bounds._theorem import HAS_HORIZON, theorem


@theorem(
    "azize-basu-2022/thm8",
    kind="upper",
    quantity=BANDIT_REGRET,
    provenance="order-only",
    source="Azize & Basu 2022, Theorem 8, Section 4; proof Appendix E.3",
    conditions=(HAS_HORIZON, BERNOULLI, ALPHA, BETTER_ARM_EXISTS),
    claims=("azize-basu-2022/thm8-sum", "azize-basu-2022/thm8-constants", "azize-basu-2022/thm11"),
)
def adap_klucb_order(instance: Instance) -> float:
    """AdaP-KLUCB: Reg(T) <= sum of C1 Delta_a ln T / min(kl(mu_a, mu*), C2 epsilon Delta_a) + 3 alpha/(alpha-3).

    Proof idea: As for thm7, with Chernoff's inequality in terms of kl. An arm is abandoned once its block is long
    enough for its clipped private mean, bonus for the noise included, to be told from mu* by kl at level alpha ln T:
    that takes of the order of ln T/min(kl(mu_a, mu*), epsilon Delta_a) rewards.

    In the proof C1 and C2 are constants of the instance (they grow without bound as mu* approaches 1), and no numbers
    are given for them: see thm8-explicit.

    >>> round(adap_klucb_order(Instance("bernoulli", (0.75, 0.5), epsilon=1.0, horizon=1e6)), 3)
    117.012
    """
    logarithm, best = math.log(instance.rounds), instance.best_mean
    return math.fsum(
        gap * logarithm / min(_kl(mean, best), instance.epsilon * gap) + 3 * instance.alpha / (instance.alpha - 3)
        for mean, gap in instance.suboptimal
    )


@theorem(
    "azize-basu-2022/thm8-explicit",
    kind="upper",
    quantity=BANDIT_REGRET,
    provenance="derived",
    source="Azize & Basu 2022, proof of Theorem 8, Appendix E.3, eqs. (35)-(36), evaluated; with our Theorem 11",
    conditions=(HAS_HORIZON, BERNOULLI, ALPHA, BETTER_ARM_EXISTS),
)
def adap_klucb_upper_bound(instance: Instance) -> float:
    """AdaP-KLUCB: Reg(T) <= sum of Delta_a min(T, 2^(l_a + 1) + 3/2 + alpha/(alpha-3)), where the proof abandons arm a
    after a block of 2^l_a rewards.

    Proof idea: As for thm8, in numbers. A block is long enough when the empirical mean that is exceeded with
    probability 1/T, plus the bonus and the noise, stays below the mean whose index is mu*. A block that is 2^i times as
    long fails with probability (3/2) T^(-2^i) at most: all later blocks together cost at most 3/2/(1 - 1/T) pulls, and
    failures of the best arm's index 3/(alpha - 3).

    For T >= 3 that is at most 3/2 + alpha/(alpha - 3). The paper's Theorem 11, which is false as it is printed, is not
    used: docs/evidence/repaired-proofs.md has the proof.

    `2^l = n` is the least power of two for which an x above mu_a and a y below mu* exist with `kl(x, mu_a) = ln T/n`,
    `kl(y, mu*) = alpha ln T/n` and `y - x >= (1 + alpha) ln T/(n epsilon)`: the largest beta in eq. (35) of the proof
    is the best, because c(beta) increases.

    >>> round(adap_klucb_upper_bound(Instance("bernoulli", (0.75, 0.25), epsilon=1.0, horizon=1e6)), 2)
    528.25
    """
    rest = 1.5 + instance.alpha / (instance.alpha - 3)
    return math.fsum(
        gap * min(instance.rounds, 2 * sufficient_block(mean, instance) + rest) for mean, gap in instance.suboptimal
    )


def sufficient_block(mean: float, instance: Instance) -> float:
    """Length 2^l of the block after which the proof of Theorem 8 abandons an arm of mean `mean`, or T.

    >>> sufficient_block(0.25, Instance("bernoulli", (0.75, 0.25), epsilon=1.0, horizon=1e6))
    512.0
    """
    best, alpha, logarithm = instance.best_mean, instance.alpha, math.log(instance.rounds)
    block = 1.0
    while block < instance.rounds:
        above, below = logarithm / block, alpha * logarithm / block
        if below < _kl(mean, best) and (mean == 0 or above <= -math.log(mean)):
            x = _divergent_above(mean, above)
            y = _divergent_below(mean, best, below)
            if y - x >= (1 + alpha) * below / (alpha * instance.epsilon):
                return block
        block *= 2
    return float(instance.rounds)


def _divergent_above(mean: float, level: float) -> float:
    """Solve `kl(x, mean) = level` for x above the mean, rounded up; with mean 0 all rewards are 0, and so is x."""
    return _last(lambda x: _kl(x, mean) <= level, mean, 1.0)[1] if mean > 0 else mean


def _divergent_below(low: float, best: float, level: float) -> float:
    """Solve `kl(y, best) = level` for y between `low` and `best`, rounded down."""
    return _last(lambda y: _kl(y, best) > level, low, best)[0]


def _kl(p: float, q: float) -> float:
    """Divergence of two Bernoulli laws, the second of which has a mean strictly between 0 and 1.

    This is `kl_bernoulli` for two numbers: the searches here take 26 times as long by way of arrays.
    """
    return _excess(p, q, q - p) + _excess(1 - p, 1 - q, p - q)


def _excess(p: float, q: float, difference: float) -> float:
    """Compute `q - p + p ln(p/q)`, which is not negative, without cancellation; `difference` is q - p."""
    if p == 0:
        return q
    x = difference / p
    return p * float(linear_minus_log(x)) if abs(x) <= 0.25 else difference + p * (math.log(p) - math.log(q))


def _last(holds: Callable[[float], bool], inside: float, outside: float) -> tuple[float, float]:
    """Return neighbouring floats around the point where `holds`, true at `inside`, becomes false."""
    while inside < (middle := inside + (outside - inside) / 2) < outside:
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
    return inside, outside
