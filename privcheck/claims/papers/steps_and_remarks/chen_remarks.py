"""Chen et al. (ICML 2020): sentences between the results, and the first displays in the proof of Theorem 8."""

from __future__ import annotations

import math

from privcheck.claims._claim import Order, Reading, at_least, at_most, printed
from privcheck.claims._declared_claims import claim
from privcheck.claims._expression import Expression, absolute, exp, expression, log, maximum, sqrt, variable
from privcheck.claims._variables import Variable, integer, positive, probability

S, ONE = variable("s"), expression(1)
BUDGET, GAP = positive("epsilon", (0.01, 10.0)), positive("Delta", (0.01, 10.0))
SMOOTH, SIZE = positive("B_1", (0.1, 10.0)), integer("K", 1, region=(1, 20))


@claim(
    "chen-2020/linear-smooth",
    "Section 2.1",
    tested_on="A super arm of three base arms, whose reward is the sum of their means: B_1 = 1.",
)
def linear_rewards_are_smooth() -> Reading:
    """Obviously, Linear combinatorial semi-bandits is B_1-bounded smooth. [|r_mu(S) - r_mu'(S)| <= B_1 ||mu_S -
    mu'_S||_1.]
    """
    mu, other = ([probability(f"{name}_{i}") for i in (1, 2, 3)] for name in ("mu", "mu'"))
    changes = [x.symbol - y.symbol for x, y in zip(mu, other, strict=True)]
    left = absolute(changes[0] + changes[1] + changes[2])
    right = absolute(changes[0]) + absolute(changes[1]) + absolute(changes[2])
    return printed(*mu, *other, says=at_most(left, right), provable=False)


@claim(
    "chen-2020/coverage",
    "Section 2.1",
    tested_on=(
        "Coverage of one node by two edges that succeed independently: the reward is 1 - (1 - mu_1)(1 - mu_2), as in "
        "Chen et al. (2013), and B_inf is 2, the number of edges."
    ),
)
def coverage_is_smooth() -> Reading:
    """Important examples that satisfy B_inf-bounded smoothness include social influence maximization and Probabilistic
    maximum coverage bandit. [|r_mu(S) - r_mu'(S)| <= B_inf ||mu_S - mu'_S||_inf.]
    """
    mu, other = ([probability(f"{name}_{i}") for i in (1, 2)] for name in ("mu", "mu'"))

    def missed(means: list[Variable]) -> Expression:
        return (1 - means[0].symbol) * (1 - means[1].symbol)

    largest = maximum(absolute(mu[0].symbol - other[0].symbol), absolute(mu[1].symbol - other[1].symbol))
    return printed(*mu, *other, says=at_most(absolute(missed(mu) - missed(other)), 2 * largest), provable=False)


@claim(
    "chen-2020/ldp-stronger",
    "Section 2.2",
    kind="privacy",
    tested_on=(
        "Two users, each of whose bits is told by randomised response; `w_ij` is the probability of an output that "
        "depends on the two reports i and j. The left side is its probability if the first bit is 1, the right side "
        "e^epsilon times that if it is 0; the second bit is 1."
    ),
)
def local_privacy_is_stronger() -> Reading:
    """Compared with DP, Local Differential Privacy (LDP) is a stronger notion of privacy than DP, see Kasiviswanathan
    et al. (2011); Duchi et al. (2013).
    """
    weights = {(i, j): probability(f"w_{i}{j}") for i in (0, 1) for j in (0, 1)}
    true = exp(BUDGET.symbol) / (1 + exp(BUDGET.symbol))

    def output(first_is_one: Expression) -> Expression:
        one = first_is_one * (true * weights[1, 1].symbol + (1 - true) * weights[1, 0].symbol)
        return one + (1 - first_is_one) * (true * weights[0, 1].symbol + (1 - true) * weights[0, 0].symbol)

    says = at_most(output(true), exp(BUDGET.symbol) * output(1 - true))
    return printed(BUDGET, *weights.values(), says=says, provable=False)


@claim(
    "chen-2020/mab-smooth",
    "After Theorem 5",
    tested_on="A super arm of one base arm, whose reward is its mean: B_inf = 1.",
)
def single_arms_are_smooth() -> Reading:
    """Since any MAB instance is a special case of CSB with B_inf = 1, the regret lower bounds for stochastic CSB with
    B_inf = 1 follows directly by reduction.
    """
    mu, other = probability("mu"), probability("mu'")
    change = absolute(mu.symbol - other.symbol)
    return printed(mu, other, says=at_most(change, 1 * maximum(change, 0)), provable=False)


@claim(
    "chen-2020/laplace-width",
    "Section 4.2",
    kind="order",
    tested_on=(
        "The width of Algorithm 3 for the noise over 1/n as n = T_{t-1,i} grows, K, T and epsilon being fixed; the "
        "sentence leaves out logarithms of T, as its next line does by a tilde."
    ),
)
def width_for_the_noise() -> Reading:
    """The number of Laplace noises added (the number of nodes we access to) is only logarithmic. This means that the
    additional confidence bound due to Laplace noise is only Theta(1/T_{t-1,i}) for base arm i when it is pulled for
    T_{t-1,i} times. [Algorithm 3: 12 K ln^3 T/(T_{t-1,i} epsilon).]
    """
    size, log_t, count, budget = (variable(name) for name in ("K", "log_T", "n", "epsilon"))
    width = 12 * size * log_t**3 / (count * budget)
    path = {"K": ONE, "log_T": expression(10), "n": S, "epsilon": ONE}
    counted = integer("n", 1)
    return Reading("as the number of pulls grows", (SIZE, counted, BUDGET), Order(width, "O", 1 / count, (path,)))


@claim(
    "chen-2020/better-width",
    "Section 4.2",
    kind="order",
    tested_on="The two widths of Algorithm 3 as n = T_{t-1,i} grows, everything else being fixed.",
)
def better_dependence() -> Reading:
    """Compared with the original bound for the sub-Gaussian noise which is of order Theta~(sqrt(1/T_{t-1,i})), the
    additional bound for Laplace noise enjoys better dependence on T_{t-1,i}.
    """
    log_t, count = variable("log_T"), variable("n")
    noise, plain = 12 * log_t**3 / count, sqrt(4 * log_t / count)
    path = {"log_T": expression(10), "n": S}
    return printed(integer("n", 1), says=Order(noise, "O", plain, (path,)))


def _second_term(size: Expression, log_t: Expression, gap: Expression, budget: Expression) -> Expression:
    """Return the private term of Theorem 8 for B_1 = 1 and one base arm in place of m."""
    return size * log_t**3 * (1 + log(1 + size * log_t / (gap * budget))) / budget


@claim(
    "chen-2020/nearly-dominated",
    "After Theorem 8",
    kind="order",
    tested_on=(
        "B_1 = K = 1, and a gap that is fixed or falls: the left side is the second term of Theorem 8, the right side "
        "its first term times ln T (1 + ln ln T), for which 'nearly' stands here; without that factor the second term "
        "is the larger one for large T."
    ),
)
def nearly_dominated() -> Reading:
    """Note when privacy parameter epsilon is regarded as a constant which is common in real applications, the second
    term in the right hand side of above inequality is nearly dominated by the first term.
    """
    log_t, gap = variable("log_T"), variable("Delta")
    first = log_t**2 / gap
    right = first * log_t * (1 + log(1 + log_t))
    paths: tuple[dict[str, Expression], ...] = (
        {"log_T": S, "Delta": expression("1/4")},
        {"log_T": expression(10), "Delta": 1 / S},
    )
    says = Order(_second_term(ONE, log_t, gap, ONE), "O", right, paths)
    return Reading("up to logarithms of T", (GAP,), says)


@claim(
    "chen-2020/dimension",
    "After Theorem 8",
    kind="order",
    tested_on=(
        "m = 2 K, B_1 = 1, and everything else fixed as K grows: the left side is Theorem 8, the right side the bound "
        "without privacy times ln K, which the tilde hides."
    ),
)
def no_side_effect_on_the_dimension() -> Reading:
    """Thus by relaxing LDP to DP, we have shown that it is possible to eliminate the side-effect on dimension induced
    by privacy protection and nearly match corresponding non-private optimal bound O(sum K B_1^2 ln T/Delta_min^i).
    """
    size, late, gap = variable("K"), expression(10), expression("1/4")
    arms = 2 * size
    bound = arms * size * late**2 / gap + arms * _second_term(size, late, gap, ONE)
    right = arms * size * late / gap * log(1 + size)
    return Reading("up to logarithms", (SIZE,), Order(bound, "O", right, ({"K": S},)))


@claim(
    "chen-2020/min-gap",
    "Proof of Theorem 8",
    role="step",
    tested_on="Two bad super arms contain base arm i, S_t and another one, with the rewards r and r'; alpha = 1.",
)
def least_gap() -> Reading:
    """Since Delta_min^i <= Delta_{S_t} for all i in S_t, we have bar Delta_{S_t} <= Delta_{S_t}. [(1): Delta_min^i :=
    alpha opt_mu - max{r_mu(S): S in S_B, i in S}.]
    """
    best, first, second = (Variable(name, 0, math.inf, region=(0, 10)) for name in ("opt", "r", "r'"))
    left = best.symbol - maximum(first.symbol, second.symbol)
    return printed(best, first, second, says=at_most(left, best.symbol - first.symbol), provable=False)


def _two_arms() -> tuple[tuple[Variable, ...], Expression, Expression, tuple[Variable, Variable]]:
    """Return the variables, Delta_{S_t}, the sum of the widths and the two least gaps, if F_t holds for two arms."""
    first, second = positive("w_1", (0.1, 10.0)), positive("w_2", (0.1, 10.0))
    share, of_first, of_second = (Variable(name, 0, 1, low_open=True) for name in ("share", "share_1", "share_2"))
    widths = first.symbol + second.symbol
    gap = share.symbol * SMOOTH.symbol * widths
    return (first, second, share, SMOOTH, of_first, of_second), gap, widths, (of_first, of_second)


@claim(
    "chen-2020/thm8-first",
    "Proof of Theorem 8, first display",
    role="step",
    tested_on=(
        "Two base arms in S_t with the widths w_1 and w_2; Delta_{S_t} is a share of B_1 (w_1 + w_2), as F_t says, and "
        "the gaps Delta_min^i are shares of Delta_{S_t}."
    ),
)
def first_display() -> Reading:
    """Then we have Delta_{S_t} + bar Delta_{S_t} <= 2 Delta_{S_t} <= 2 B_1 sum_{i in S_t} (4 sqrt(ln T/T_{t-1,i}) + 24
    K ln^3 T/(T_{t-1,i} epsilon)).
    """
    variables, gap, widths, shares = _two_arms()
    least = maximum(shares[0].symbol, shares[1].symbol) * gap
    return printed(*variables, says=at_most(gap + least, 2 * SMOOTH.symbol * widths), provable=False)


@claim(
    "chen-2020/thm8-second",
    "Proof of Theorem 8, second display",
    role="step",
    tested_on="As thm8-first, with K >= 2: the left side is Delta_{S_t}, the right side the last line.",
)
def second_display() -> Reading:
    """That is, Delta_{S_t} <= 2 Delta_{S_t} - bar Delta_{S_t} <= ... <= 2 B_1 sum_{i in S_t} (4 sqrt(ln T/T_{t-1,i}) +
    24 K ln^3 T/(T_{t-1,i} epsilon) - Delta_min^i/(2 B_1 K)). [|S| <= K.]
    """
    variables, gap, widths, shares = _two_arms()
    size = integer("K", 2, region=(2, 20), words="|S| <= K for any S")
    gaps = (shares[0].symbol + shares[1].symbol) * gap
    right = 2 * SMOOTH.symbol * (widths - gaps / (2 * SMOOTH.symbol * size.symbol))
    return printed(*variables, size, says=at_least(right, gap), provable=False)
