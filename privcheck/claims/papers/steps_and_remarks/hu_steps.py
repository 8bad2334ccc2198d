"""Hu, Huang, Mehta and Hegde (arXiv 2102.07929): steps of the proofs of Theorems 3, 5, 9 and 12."""

from __future__ import annotations

import math

from privcheck.claims._claim import Reading, at_least, at_most, below, equal, printed
from privcheck.claims._declared_claims import claim
from privcheck.claims._exact_laws import binomial_weight, laplace_below
from privcheck.claims._expression import (
    Expression,
    ceiling,
    exp,
    expression,
    log2,
    minimum,
    total,
    variable,
    where_negative,
)
from privcheck.claims._variables import Variable, integer, positive, probability

BUDGET, GAP = positive("epsilon", (0.01, 10.0)), Variable("Delta", 0, 1, low_open=True, region=(0.01, 1))
TWO = expression(2)


def _any(name: str) -> Variable:
    return Variable(name, -math.inf, math.inf, region=(-5, 5))


@claim(
    "hu-2021/same-noise",
    "Section 4.1, Anytime-Lazy-UCB vs AdaP-UCB, (b)",
    kind="law",
    tested_on="The probability that the private mean of n rewards with the sum S is at most x, in both ways.",
)
def same_noise() -> Reading:
    """Another difference is Anytime-Lazy-UCB injects a Lap(1/epsilon) noise to the aggregated reward, whereas AdaP-UCB
    injects a noise to the empirical mean. However, essentially, they are the same.
    """
    n, x = integer("n", 1, region=(1, 50)), _any("x")
    rewards = Variable("S", 0, math.inf, region=(0, 50))
    in_the_sum = laplace_below(BUDGET.symbol * (n.symbol * x.symbol - rewards.symbol))
    in_the_mean = laplace_below((x.symbol - rewards.symbol / n.symbol) / (1 / (n.symbol * BUDGET.symbol)))
    return printed(n, x, rewards, BUDGET, says=equal(in_the_sum, in_the_mean), provable=False)


@claim(
    "hu-2021/epochs",
    "Proof sketch of Theorem 3",
    tested_on=(
        "The epochs 0, ..., r have 2^{r+1} - 1 pulls, which are at most T; logarithms are to base 2 in this proof. "
        "It is at most log(T + 1) - 1, so that there is nearly 1 to spare."
    ),
)
def number_of_epochs() -> Reading:
    """Note that the value of r_j(T) can be at most log(T) based on doubling-trick."""
    r, rounds = integer("r", 0, region=(0, 12)), integer("T", 1, region=(1, 5000))
    given = (at_most(TWO ** (r.symbol + 1) - 1, rounds.symbol),)
    return printed(r, rounds, says=at_most(r.symbol, log2(rounds.symbol)), assumes=given, provable=False)


def _event(name: str) -> Variable:
    return Variable(name, 0, 1, integer=True, region=(0, 1), words="1{...}")


@claim(
    "hu-2021/eq8",
    "Proof sketch of Theorem 5, (8), and (32)",
    role="step",
    tested_on="One round: each letter is 1 if its event happens, E being {theta_j(t) <= y_j}.",
)
def decomposition() -> Reading:
    """E[n_j(T)] = sum_t E[1{J_t = j}] + 1 <= sum_t P{J_t = j, C_j(t-1), G_j(t-1), not E_j(t)} + sum_t P{J_t = j,
    E_j(t), G_1(t-1)} + sum_t P{not C_j(t-1)} + P{not G_j(t-1)} + P{not G_1(t-1)} + 1.
    """
    played, close, noise, low, first = (_event(name) for name in ("J", "C", "G", "E", "G_1"))
    j, c, g, e, g1 = (of.symbol for of in (played, close, noise, low, first))
    right = j * c * g * (1 - e) + j * e * g1 + (1 - c) + (1 - g) + (1 - g1)
    return printed(played, close, noise, low, first, says=at_most(j, right))


NEEDED = positive("x", (0.01, 1000.0))
"""What the number of pulls is compared with; log is to base 2."""


@claim(
    "hu-2021/rounding",
    "Proof of Lemma 19",
    role="step",
    tested_on="x is 24 ln(T)/(Delta_j min{Delta_j, epsilon}), and d_j = ceil(log x).",
)
def rounded_up() -> Reading:
    """Then, we have 24 ln(T)/(Delta_j min(Delta_j, epsilon)) <= 2^{d_j} <= 2 24 ln(T)/(Delta_j min(Delta_j,
    epsilon)).
    """
    return printed(NEEDED, says=at_most(TWO ** ceiling(log2(NEEDED.symbol)), 2 * NEEDED.symbol), provable=False)


@claim(
    "hu-2021/rounding-below",
    "Proof of Lemma 19, and of Lemma 21 after (39)",
    role="step",
    tested_on="x is 24 ln(T)/(Delta_j min{Delta_j, epsilon}), or 8/(mu_1 - y_j).",
)
def not_rounded_down() -> Reading:
    """24 ln(T)/(Delta_j min(Delta_j, epsilon)) <= 2^{d_j}. ... [Lemma 21:] When r >= ceil(d_1), we have 2^r >= 2^{d_1}
    >= 8/(mu_1 - y_j).
    """
    return printed(NEEDED, says=at_least(TWO ** ceiling(log2(NEEDED.symbol)), NEEDED.symbol), provable=False)


@claim(
    "hu-2021/eq26",
    "Proof of Lemma 19, (26)",
    role="step",
    tested_on="Two rounds: a and b are the probabilities that only the first or only the second event happens, c both.",
)
def union_bound() -> Reading:
    """P{there is t in {omega_j^(s-1) + 1, ..., T}: J_t = j, r_j(t-1) = s - 1} omega_j^(s+1) <= sum_t P{mu bar_j(t) >=
    mu bar_1(t), r_j(t-1) = s - 1} omega_j^(s+1).
    """
    a, b, c = (probability(name) for name in "abc")
    whole = (at_most(a.symbol + b.symbol + c.symbol, 1),)
    says = at_most(a.symbol + b.symbol + c.symbol, (a.symbol + c.symbol) + (b.symbol + c.symbol))
    return printed(a, b, c, says=says, assumes=whole)


@claim(
    "hu-2021/eq27",
    "Proof of Lemma 19, (27)",
    role="step",
    tested_on=(
        "mu_1 = mu_j + Delta_j, and none of the three events happens: the private mean of arm j is mu_j + w - less, "
        "that of "
        "arm 1 is mu_1 - v + more, and w is a share of Delta_j/2. The sides are the indices of arms j and 1."
    ),
)
def one_of_three() -> Reading:
    """If psi is true, then at least one of the following is true: mu~_j >= mu_j + sqrt(ln(t^3)/2^{s-1}) + ln(t^3)/
    (epsilon 2^{s-1}); mu~_1 <= mu_1 - sqrt(ln(t^3)/2^tau) - ln(t^3)/(epsilon 2^tau); Delta_j/2 < sqrt(ln(t^3)/2^{s-1})
    + ln(t^3)/(epsilon 2^{s-1}).
    """
    mean, share, v = probability("mu_j"), probability("share"), positive("v", (0.01, 5.0))
    less, more = (Variable(name, 0, math.inf, region=(0, 5)) for name in ("less", "more"))
    w = share.symbol * GAP.symbol / 2
    x, z = mean.symbol + w - less.symbol, mean.symbol + GAP.symbol - v.symbol + more.symbol
    return printed(mean, GAP, share, v, less, more, says=at_most(x + w, z + v.symbol), provable=False)


COUNT, Y = integer("n", 1, region=(1, 8)), probability("y", open_ends=True)


def _above(successes: Expression) -> Expression:
    """P{theta > y} for theta ~ Beta(successes + 1, n - successes + 1): at most that many of n + 1 uniform are below."""
    return total("k", 0, successes, binomial_weight(COUNT.symbol + 1, Y.symbol, variable("k")))


@claim(
    "hu-2021/beta-dominance",
    "(36), (a) and (b), and after (38)",
    kind="law",
    tested_on=(
        "Whole numbers alpha and alpha', by Fact 18: the probabilities of exceeding y. Other parameters are compared "
        "in the tests of this package."
    ),
)
def stochastic_dominance() -> Reading:
    """For any fixed n >= 1, Beta(alpha + 1, n - alpha + 1) first-order stochastic dominates Beta(alpha' + 1, n - alpha'
    + 1) when n >= alpha >= alpha' >= 0.
    """
    alpha, lower = integer("alpha", 0, region=(0, 8)), integer("alpha'", 0, region=(0, 8))
    given = at_most(alpha.symbol, COUNT.symbol), at_most(lower.symbol, alpha.symbol)
    says = at_least(_above(alpha.symbol), _above(lower.symbol))
    return printed(COUNT, alpha, lower, Y, says=says, assumes=given, provable=False)


@claim(
    "hu-2021/beta-inside",
    "Proof of Lemma 6, last sentence",
    kind="law",
    role="step",
    tested_on=(
        "Whole numbers: the left side is P{theta_1 > y}, the right side its part with no success, which is not 0."
    ),
)
def inside() -> Reading:
    """Note that for any y_j in (0, 1), we have P{theta_1(t) > y_j | F_{t-1} = F_{t-1}} in (0, 1)."""
    alpha = integer("alpha", 0, region=(0, 8))
    given = (at_most(alpha.symbol, COUNT.symbol),)
    says = at_least(_above(alpha.symbol), (1 - Y.symbol) ** (COUNT.symbol + 1))
    return printed(COUNT, alpha, Y, says=says, assumes=given, provable=False)


@claim(
    "hu-2021/eq36-sum",
    "Proof of Lemma 20, after (36)",
    role="step",
    tested_on=(
        "Each of the at most log(T) epochs adds eta <= 1/T. The sum is at most log(3)/3 = 0.53, so that the 1 that is "
        "added has a factor 1.89 to spare."
    ),
)
def sum_over_epochs() -> Reading:
    """By plugging in the upper bound of gamma into (35), we have eta <= 1/T, which implies omega_1 <= O(ln(T)/(Delta_j
    min{epsilon, Delta_j})) + 1.
    """
    rounds = integer("T", 1, region=(1, 2000))
    return printed(rounds, says=at_most(log2(rounds.symbol) / rounds.symbol, 1), provable=False)


DIFFERENCE = probability("x", open_ends=True, region=(0.01, 0.99))
"""mu_1 - y_j."""


@claim(
    "hu-2021/lem21-first-sum",
    "Section 4.2, after Lemma 7, and (41)",
    role="step",
    tested_on="x = mu_1 - y_j and d = floor(d_1): the left side is the first sum; 96 is what its O(1/x^2) comes to.",
)
def first_sum() -> Reading:
    """Let d_1 := log(8/(mu_1 - y_j)). Then, omega_2 <= sum_{r=0}^{floor(d_1)} E[...] 2^{r+1} + ..., which can be upper
    bounded by O(1/Delta_j^2) ... [(41):] sum_{r=0}^{floor(d_1)} 2^{r+1} 3/(mu_1 - y_j) <= O(1/(mu_1 - y_j)^2).
    """
    last = integer("d", 0, region=(0, 12))
    given = (at_most(TWO**last.symbol, 8 / DIFFERENCE.symbol),)
    left = total("r", 0, last.symbol, TWO ** (variable("r") + 1)) * 3 / DIFFERENCE.symbol
    return printed(last, DIFFERENCE, says=at_most(left, 96 / DIFFERENCE.symbol**2), assumes=given, provable=False)


def _second_case(count: Expression, x: Expression) -> Expression:
    decay = exp(-2 * count * x**2) / ((count + 1) * x**2)
    return exp(-count * x**2 / 2) + decay + 1 / (exp(count * x**2 / 4) - 1)


@claim(
    "hu-2021/lem21-terms",
    "Section 4.2, after Lemma 7, and (41)",
    role="step",
    tested_on=(
        "x = mu_1 - y_j, and one term of the second sum for n = 2^r, with 1 for the constant of Theta: log(T) of them "
        "make O(log(T)/x^2). 12 bounds the sum of the largest values 1.48, 2 and 8 of the three parts."
    ),
)
def terms_of_the_second_sum() -> Reading:
    """sum_{r=ceil(d_1)}^{log(T)} 2^{r+1} Theta(e^{-0.5 (mu_1 - y_j)^2 2^r} + e^{-2 (mu_1 - y_j)^2 2^r}/((2^r + 1) (mu_1
    - y_j)^2) + 1/(e^{0.25 (mu_1 - y_j)^2 2^r} - 1)) <= ... <= O(log(T)/(mu_1 - y_j)^2).
    """
    count = positive("n", (1.0, 10000.0))
    left = 2 * count.symbol * _second_case(count.symbol, DIFFERENCE.symbol)
    return printed(count, DIFFERENCE, says=at_most(left, 12 / DIFFERENCE.symbol**2), provable=False)


@claim(
    "hu-2021/lem7-second",
    "Lemma 7, second case",
    kind="law",
    tested_on=(
        "With 1 for the constant of Theta. The largest ratio of the two sides that was found, in the tests of this "
        "package, is 0.054: the statement has a factor 18 to spare with that constant."
    ),
)
def lemma_7_second() -> Reading:
    """Let theta_{1,s} ~ Beta(hat mu_{1,s} s + 1, (1 - hat mu_{1,s}) s + 1). We have E[P{theta_{1,s} <=
    y_j | F}/P{theta_{1,s} > y_j | F}] <= Theta(e^{-0.5 s (mu_1 - y_j)^2} + e^{-2 s (mu_1 - y_j)^2}/((s + 1) (mu_1 -
    y_j)^2) + 1/(e^{0.25 s (mu_1 - y_j)^2} - 1)) for s >= 8/(mu_1 - y_j).
    """
    mean = probability("mu", open_ends=True)
    successes = variable("i")
    ratio = 1 / _above(successes) - 1
    count = integer("n", 1, region=(8, 12))
    left = total("i", 0, count.symbol, binomial_weight(count.symbol, mean.symbol, successes) * ratio)
    difference = mean.symbol - Y.symbol
    given = below(0, difference), at_least(count.symbol * difference, 8)
    says = at_most(left, _second_case(count.symbol, difference))
    return printed(count, mean, Y, says=says, assumes=given, provable=False)


@claim(
    "hu-2021/eq52-split",
    "Proof of Lemma 24, (52)",
    role="step",
    tested_on="Neither event on the right happens: the sums and the noise are 2^r Delta_j/2, less something.",
)
def split_of_the_noise() -> Reading:
    """P{G~_j - G~_1 + 2^r Delta_j >= 2^r Delta_j} <= P{G_j - G_1 + 2^r Delta_j >= 2^r Delta_j/2} + P{xi >= 2^r
    Delta_j/2}. [G~_j - G~_1 = G_j - G_1 + xi.]
    """
    less, lower = (Variable(name, 0, math.inf, region=(0, 10)) for name in ("less", "lower"))
    length = positive("2^r Delta_j", (0.01, 10.0))
    sums, noise = length.symbol / 2 - less.symbol, length.symbol / 2 - lower.symbol
    return printed(less, lower, length, says=at_most(sums + noise, length.symbol))


@claim("hu-2021/small-gaps", "Proof of Theorem 9", role="step", tested_on="All T rounds with one such action.")
def small_gaps() -> Reading:
    """All plays of actions j for which Delta_j <= 1/T can collectively contribute at most 1 to the regret."""
    rounds, share = integer("T", 1, region=(1, 100)), probability("share")
    return printed(rounds, share, says=at_most(rounds.symbol * (share.symbol / rounds.symbol), 1), provable=False)


@claim(
    "hu-2021/thm9-bracket",
    "Section D.2, after (53)",
    role="step",
    tested_on="Two actions of a bracket, whose gaps are shares of 2^l Delta_min, and one epoch.",
)
def gaps_of_a_bracket() -> Reading:
    """lambda_(l) = sum_r 2^r sum_{j in J_l} P{J_tau(r) = j} Delta_j <= 2^l Delta_min sum_r 2^r P{J_tau(r) in J_l}."""
    p, q, first, second = (probability(name) for name in ("p_1", "p_2", "share_1", "share_2"))
    top = positive("2^l Delta_min", (0.01, 2.0))
    left = p.symbol * first.symbol * top.symbol + q.symbol * second.symbol * top.symbol
    whole = (at_most(p.symbol + q.symbol, 1),)
    says = at_most(left, top.symbol * (p.symbol + q.symbol))
    return printed(p, q, first, second, top, says=says, assumes=whole, provable=False)


@claim("hu-2021/eq55", "Section D.2, (55)", role="step", tested_on="One bracket, over 256 (1 + ln|J_l|).")
def split_of_the_minimum() -> Reading:
    """sum_l 256 (1 + ln|J_l|)/min{Delta_(l), epsilon} <= sum_l 256 (1 + ln|J_l|)/Delta_(l) + sum_{l: Delta_(l) >
    epsilon} 256 (1 + ln|J_l|)/epsilon.
    """
    gap = positive("Delta_(l)", (0.01, 2.0))
    private = where_negative(BUDGET.symbol - gap.symbol, 1 / BUDGET.symbol, 0)
    says = at_most(1 / minimum(gap.symbol, BUDGET.symbol), 1 / gap.symbol + private)
    return printed(gap, BUDGET, says=says, provable=False)


WEIGHT = probability("share")


@claim(
    "hu-2021/thm12-weights",
    "Section D.3, step 3, and step 3 of the proof sketch of Theorem 12",
    role="step",
    tested_on="The weights over m: `share` is that of the optimal action, at most 0.51, and the others have the rest.",
)
def rest_of_the_weight() -> Reading:
    """In the first m* rounds the online learning algorithm must have given less than 0.51 m* cumulative weight to the
    optimal action. Therefore, with the same probability, in the first m* rounds it must have given cumulative weight at
    least 0.49 m* to suboptimal actions.
    """
    given = (at_most(WEIGHT.symbol, 0.51),)
    return printed(WEIGHT, says=at_least(1 - WEIGHT.symbol, 0.49), assumes=given)


@claim(
    "hu-2021/thm12-majority",
    "Section D.3, step 3",
    role="step",
    tested_on=(
        "The weights over m of a hypothesis with at least 0.51 and of another one; more than 1/2 would be enough, so "
        "that 0.51 has 2 % to spare."
    ),
)
def majority() -> Reading:
    """Clearly, if any hypothesis has cumulative weight in S of at least 0.51 m, then this hypothesis will be
    selected.
    """
    other = probability("other")
    given = at_least(WEIGHT.symbol, 0.51), at_most(WEIGHT.symbol + other.symbol, 1)
    return printed(WEIGHT, other, says=at_most(other.symbol, WEIGHT.symbol), assumes=given)
