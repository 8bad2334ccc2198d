"""Shariff and Sheffet (NeurIPS 2018): sentences between the results, and in the proof of Claim 13."""

from __future__ import annotations

import math

from privcheck.claims._claim import Reading, at_least, equal, printed
from privcheck.claims._declared_claims import claim, repaired
from privcheck.claims._expression import sqrt, total
from privcheck.claims._variables import Variable, integer, positive, probability


def _any(name: str) -> Variable:
    return Variable(name, -math.inf, math.inf, region=(-5, 5))


@claim(
    "shariff-sheffet-2018/lower-volumes",
    "Before Lemma 22",
    tested_on=(
        "d = 2, U_1 = rho_min I and V_t = H_t + sum x x', as in the proof of Theorem 5, so that V_t - U_t is H_t - "
        "rho_min I. The condition is |H_t^{-1}| <= 1/rho_min of Definition 3 for H = [[h_11, h_12], [h_12, h_22]]."
    ),
)
def lower_volumes() -> Reading:
    """We will see shortly that the U_t are all lower bounds on the V_t."""
    first, second, off = positive("h_11", (0.1, 10.0)), positive("h_22", (0.1, 10.0)), _any("h_12")
    rho, x, y = positive("rho_min", (0.1, 10.0)), _any("x_1"), _any("x_2")
    half = (first.symbol - second.symbol) / 2
    smallest = (first.symbol + second.symbol) / 2 - sqrt(half**2 + off.symbol**2)
    quadratic = first.symbol * x.symbol**2 + 2 * off.symbol * x.symbol * y.symbol + second.symbol * y.symbol**2
    says = at_least(quadratic, rho.symbol * (x.symbol**2 + y.symbol**2))
    given = (at_least(smallest, rho.symbol),)
    return printed(first, second, off, rho, x, y, says=says, assumes=given, provable=False)


@claim(
    "shariff-sheffet-2018/claim13-two",
    "Proof of Claim 13",
    kind="identity",
    role="step",
    tested_on="d = 2, theta* = ((1 - u^2)/(1 + u^2), 2 u/(1 + u^2)), which is every unit vector but one.",
)
def wrong_arm() -> Reading:
    """Assuming |theta*| = 1 it is evident we incur a pseudo-regret of 2 when pulling arm a^1 is under context c^2 or
    pulling arm a^2 under c^1. [Contexts map the arms to theta* and -theta*.]
    """
    u = _any("u")
    first, second = (1 - u.symbol**2) / (1 + u.symbol**2), 2 * u.symbol / (1 + u.symbol**2)
    right = first**2 + second**2
    return printed(u, says=equal(right - (-1 * right), 2))


@claim(
    "shariff-sheffet-2018/claim13-days",
    "Proof of Claim 13, last sentence",
    role="step",
    tested_on=(
        "An algorithm that takes the wrong arm for each context with the least probability that privacy allows, (1 - "
        "delta)/(1 + e^epsilon): the left side is its exact pseudo-regret. At the end of both ranges it is n/2: no "
        "algorithm has less, and a constant up to 1/2 in place of 1/4 would be true."
    ),
)
def every_day() -> Reading:
    """As the above applies to any day t, the algorithm's pseudo-regret is >= n/4 against such random adversary. [For
    any epsilon < ln(2) and delta < 0.25.]
    """
    days = integer("n", 1)
    growth = Variable("e^epsilon", 1, 2, low_open=True, high_open=True, words="For any epsilon < ln(2)")
    lost = Variable("delta", 0, 0.25, high_open=True, words="delta < 0.25")
    regret = 2 * days.symbol * (1 - lost.symbol) / (1 + growth.symbol)
    return printed(days, growth, lost, says=at_least(regret, days.symbol / 4))


@claim(
    "shariff-sheffet-2018/variance",
    "Section D.1",
    tested_on="A reward in {-1, 1} with expectation 2 p - 1.",
)
def variance_of_a_reward() -> Reading:
    """In the latter case [rewards are -1 or +1], the actual variance in the reward depends on its expectation, and is
    somewhat lower than 1.
    """
    up = probability("p")
    mean = 2 * up.symbol - 1
    variance = up.symbol * (1 - mean) ** 2 + (1 - up.symbol) * (-1 - mean) ** 2
    return printed(up, says=at_least(1, variance))


@claim(
    "shariff-sheffet-2018/lem21-product",
    "Proof of Lemma 21, before the last display",
    kind="identity",
    role="step",
    consequence="A factor n: the regret is n <1_n, r/n>, and its square in the next display is right.",
    tested_on="n rounds with the same regret r.",
)
def regret_as_a_product() -> tuple[Reading, ...]:
    """Now we apply the Cauchy-Schwarz inequality, since R_n = <1_n, r/n>, where 1_n is the all-ones vector and r is the
    vector of per-round regrets: R_n^2 = n^2 (sum r_t/n)^2 ...
    """
    rounds, each = integer("n", 1, region=(1, 50)), positive("r", (0.1, 2.0))
    regret, product = rounds.symbol * each.symbol, total("t", 1, rounds.symbol, each.symbol / rounds.symbol)
    return (
        printed(rounds, each, says=equal(regret, product), provable=False),
        repaired("n <1_n, r/n>", rounds, each, says=equal(regret, rounds.symbol * product), provable=False),
    )
