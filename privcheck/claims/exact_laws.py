"""Distribution functions and divergences as expressions: exact sums, no approximations."""

from __future__ import annotations

from privcheck.claims.expression import (
    Expression,
    Number,
    choose,
    entropy_term,
    exp,
    expression,
    log,
    total,
    variable,
    where_negative,
)


def bernoulli_divergence(p: Expression | Number, q: Expression | Number) -> Expression:
    """Return d(p, q), the Kullback-Leibler divergence of two Bernoulli laws, with 0 log 0 = 0.

    >>> from privcheck.claims.arithmetic import FLOATS
    >>> from privcheck.claims.expression import evaluate
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
