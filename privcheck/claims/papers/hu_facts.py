"""Hu, Huang, Mehta and Hegde (arXiv 2102.07929): the facts of appendix A."""

from __future__ import annotations

from privcheck.claims._claim import Reading, at_most, below, equal, printed
from privcheck.claims._declared_claims import claim, repaired
from privcheck.claims._exact_laws import bernoulli_divergence, binomial_weight
from privcheck.claims._expression import (
    Expression,
    absolute,
    choose,
    exp,
    expression,
    log,
    total,
    variable,
    where_negative,
)
from privcheck.claims._variables import Variable, integer, positive, probability

K = variable("k")


def tail(n: Expression, mean: Expression, inside: Expression) -> Expression:
    """Return the probability of the counts k of n Bernoulli trials for which an expression in k is not negative."""
    return total("k", 0, n, where_negative(inside, 0, binomial_weight(n, mean, K)))


@claim("hu-2021/fact15", "Fact 15, (12)", kind="law")
def fact_15() -> Reading:
    """Let X_1, ..., X_n be n independent random variables with common range [0, 1]. Let X = sum_j X_j. Then, for any
    a > 0, we have P{|X - E[X]| >= a} <= 2 exp(-2 a^2/n).
    """
    n, mean, a = integer("n", 1, region=(1, 12)), probability("mean"), positive("a")
    deviation = absolute(K - n.symbol * mean.symbol) - a.symbol
    says = at_most(tail(n.symbol, mean.symbol, deviation), 2 * exp(-2 * a.symbol**2 / n.symbol))
    return printed(n, mean, a, says=says, provable=False)


@claim("hu-2021/fact16", "Fact 16, (13)", kind="law")
def fact_16() -> Reading:
    """If Y ~ Lap(b), for any 0 < delta < 1, we have P{|Y| > ln(1/delta) b} = delta."""
    delta, b = probability("delta", open_ends=True), positive("b")
    tail_of_laplace = exp(-(log(1 / delta.symbol) * b.symbol) / b.symbol)
    return printed(delta, b, says=equal(tail_of_laplace, delta.symbol))


@claim("hu-2021/fact17a", "Fact 17, (14)", kind="law")
def fact_17a() -> Reading:
    """For any 0 < lambda < 1 - mu, we have P{X >= mu + lambda} <= exp(-n d_KL(mu + lambda, mu)), X being the mean of n
    independent variables in {0, 1} and mu = E[X].
    """
    n, mean = integer("n", 1, region=(1, 12)), probability("mu", open_ends=True)
    shift = Variable("lambda", 0, 1, low_open=True)
    level = mean.symbol + shift.symbol
    says = at_most(
        tail(n.symbol, mean.symbol, K - n.symbol * level),
        exp(-n.symbol * bernoulli_divergence(level, mean.symbol)),
    )
    return printed(n, mean, shift, says=says, assumes=(below(level, 1),), provable=False)


@claim(
    "hu-2021/fact17b",
    "Fact 17, (15)",
    kind="law",
    consequence=(
        "A misprint: for the event X <= mu - lambda, the lower tail that goes with (14), the bound holds. The claim "
        "rests on one sign of a converted text: look at the published page before citing it."
    ),
    tested_on=(
        "X is the mean of n independent rewards with mean mu: the left side is its exact probability, the right "
        "side the printed bound."
    ),
)
def fact_17b() -> tuple[Reading, ...]:
    """For any 0 < lambda < mu, we have P{X >= mu - lambda} <= exp(-n d_KL(mu - lambda, mu)) [X is the mean of n
    independent variables in {0, 1}, and mu = E[X]].
    """
    n, mean = integer("n", 1, region=(1, 12)), probability("mu", open_ends=True)
    shift = Variable("lambda", 0, 1, low_open=True)
    level = mean.symbol - shift.symbol
    bound = exp(-n.symbol * bernoulli_divergence(level, mean.symbol))
    assumes = (below(shift.symbol, mean.symbol),)
    over, under = (tail(n.symbol, mean.symbol, sign * (K - n.symbol * level)) for sign in (1, -1))
    return (
        printed(n, mean, shift, says=at_most(over, bound), assumes=assumes, provable=False),
        repaired(
            "P{X <= mu - lambda} <= exp(-n d_KL(mu - lambda, mu))",
            n, mean, shift, says=at_most(under, bound), assumes=assumes, provable=False,
        ),
    )  # fmt: skip


@claim("hu-2021/fact18", "Fact 18, (16)", kind="law")
def fact_18() -> Reading:
    """For all positive integers alpha, beta, we have F^Beta_{alpha,beta}(y) = 1 - F^B_{alpha+beta-1,y}(alpha - 1)."""
    a, b, y = integer("alpha", 1, region=(1, 6)), integer("beta", 1, region=(1, 6)), probability("y")
    i, n = variable("i"), a.symbol + b.symbol - 1
    # the integral of t^(alpha-1) (1-t)^(beta-1), term by term
    power_series = choose(b.symbol - 1, i) * expression(-1) ** i * y.symbol ** (a.symbol + i) / (a.symbol + i)
    beta_law = n * choose(n - 1, a.symbol - 1) * total("i", 0, b.symbol - 1, power_series)
    binomial_law = total("i", 0, a.symbol - 1, binomial_weight(n, y.symbol, i))
    return printed(a, b, y, says=equal(beta_law, 1 - binomial_law), provable=False)
