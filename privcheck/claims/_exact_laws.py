"""Distribution functions and divergences as expressions: exact sums, no approximations."""

from __future__ import annotations

from privcheck.claims._expression import (
    Expression,
    Number,
    choose,
    entropy_term,
    exp,
    expression,
    log,
    maximum,
    normal_below,
    total,
    variable,
    where_negative,
)


def bernoulli_divergence(p: Expression | Number, q: Expression | Number) -> Expression:
    """Return d(p, q), the Kullback-Leibler divergence of two Bernoulli laws, with 0 log 0 = 0.

    >>> from privcheck.claims._arithmetic import FLOATS
    >>> from privcheck.claims._expression import evaluate
    >>> round(evaluate(bernoulli_divergence(0.1, 0.8), FLOATS, {}), 6)
    1.145726
    """
    p, q = expression(p), expression(q)
    return entropy_term(p) + entropy_term(1 - p) - p * log(q) - (1 - p) * log(1 - q)


def binomial_weight(n: Expression, p: Expression, k: Expression) -> Expression:
    """Return the probability of k successes in n trials."""
    return choose(n, k) * p**k * (1 - p) ** (n - k)


def laplace_below(x: Expression) -> Expression:
    """Return the probability that a standard Laplace variable is at most x."""
    return where_negative(x, exp(x) / 2, 1 - exp(-x) / 2)


def laplace_difference_above(x: Expression) -> Expression:
    """Return the probability that the difference of two standard Laplace variables is at least x.

    Its density is (1 + |x|) exp(-|x|)/4, so that the tail at x >= 0 is (2 + x) exp(-x)/4.
    """
    return where_negative(x, 1 - (2 - x) * exp(x) / 4, (2 + x) * exp(-x) / 4)


def binomial_mean(n: Expression, p: Expression, value: Expression, index: str = "k") -> Expression:
    """Return the expectation of `value`, an expression in the index, over a binomial count."""
    return total(index, 0, n, binomial_weight(n, p, variable(index)) * value)


def chi_square_above(degrees: int, x: Expression) -> Expression:
    """Return the probability that a chi-square variable is at least x >= 0; the degrees of freedom are even.

    It is the probability that a Poisson variable with mean x/2 is below degrees/2.

    >>> from privcheck.claims._arithmetic import FLOATS
    >>> from privcheck.claims._expression import evaluate
    >>> round(evaluate(chi_square_above(4, expression(3)), FLOATS, {}), 6)
    0.557825
    """
    series = expression(1)
    for j in range(degrees // 2 - 1, 0, -1):
        series = 1 + x / 2 / j * series
    return exp(-x / 2) * series


def chosen(index: Expression, options: list[Expression]) -> Expression:
    """Return the option with the number `index`, counted from 1; there is no value at a larger number."""
    found = log(expression(-1))
    for number in range(len(options), 0, -1):
        found = where_negative(index - number - "1/2", options[number - 1], found)
    return found


def gaussian_delta(epsilon: Expression, mu: Expression) -> Expression:
    """Return the smallest delta of two normal laws of variance 1 whose means differ by mu (Balle and Wang 2018).

    >>> from privcheck.claims._arithmetic import FLOATS
    >>> from privcheck.claims._expression import evaluate
    >>> round(evaluate(gaussian_delta(expression(1), expression(1)), FLOATS, {}), 6)
    0.126937
    """
    return normal_below(mu / 2 - epsilon / mu) - exp(epsilon) * normal_below(-mu / 2 - epsilon / mu)


def composed_delta(count: Expression, epsilon_0: Expression, delta_0: Expression, epsilon: Expression) -> Expression:
    """Return the smallest delta of `count` mechanisms, the worst ones that are (epsilon_0, delta_0)-DP.

    By Kairouz, Oh and Viswanath (2015) each is randomised response with budget epsilon_0, which with probability
    delta_0 tells the truth and says so.
    """
    truth, lie = 1 / (1 + exp(-epsilon_0)), 1 / (1 + exp(epsilon_0))
    k = variable("k")
    first, second = (
        choose(count, k) * right**k * wrong ** (count - k) for right, wrong in ((truth, lie), (lie, truth))
    )
    told_apart = total("k", 0, count, maximum(0, first - exp(epsilon) * second))
    return 1 - (1 - delta_0) ** count * (1 - told_apart)
