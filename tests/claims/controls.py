"""True statements with sharp constants: never refuted as they are, and refuted with the constant moved by 2 %."""

from __future__ import annotations

from privcheck.claims.claim import Reading, at_least, at_most, below, printed
from privcheck.claims.exact_laws import bernoulli_divergence, laplace_difference_above
from privcheck.claims.expression import Expression, absolute, exp, expression, log, sqrt
from privcheck.claims.papers.hu_facts import K, tail
from privcheck.claims.variables import Variable, integer, positive, probability

X, P = probability("x"), probability("p")
N, MEAN = integer("n", 1, region=(1, 8)), probability("mu", open_ends=True)
EPSILON = positive("epsilon")


def _pinsker(c: Expression) -> Reading:
    step = probability("step")
    says = at_least(bernoulli_divergence(P.symbol, P.symbol + step.symbol), 2 * c * step.symbol**2)
    return printed(P, step, says=says, assumes=(below(P.symbol + step.symbol, 1),))


def _chernoff(c: Expression) -> Reading:
    shift = probability("beta")
    level = MEAN.symbol + shift.symbol
    right = exp(-c * N.symbol * bernoulli_divergence(level, MEAN.symbol))
    says = at_most(tail(N.symbol, MEAN.symbol, K - N.symbol * level), right)
    return printed(N, MEAN, shift, says=says, assumes=(at_most(level, 1),), provable=False)


def _markov(c: Expression) -> Reading:
    says = at_most(tail(N.symbol, MEAN.symbol, K - N.symbol), MEAN.symbol / c)
    return printed(N, MEAN, says=says, provable=False)


def _randomised_response(c: Expression) -> Reading:
    truth = 1 / (1 + exp(-EPSILON.symbol))
    return printed(EPSILON, says=at_most(truth, exp(EPSILON.symbol / c) * (1 - truth)), provable=False)


def _laplace_sum(c: Expression) -> Reading:
    lead = integer("lead", 0, region=(0, 30))
    tails = [laplace_difference_above(EPSILON.symbol * (lead.symbol + more)) for more in (0, 2)]
    return printed(lead, EPSILON, says=at_most(tails[0], exp(2 * EPSILON.symbol / c) * tails[1]), provable=False)


def _laplace_ratio(c: Expression) -> Reading:
    y = Variable("y", -20, 20)
    densities = [exp(-EPSILON.symbol * absolute(y.symbol - shift)) for shift in (expression(0), expression(1))]
    return printed(y, EPSILON, says=at_most(densities[0], exp(EPSILON.symbol / c) * densities[1]), provable=False)


SHARP = {
    "exponential": lambda c: printed(X, says=at_most(exp(-X.symbol), 1 - c * (1 - exp(-1)) * X.symbol)),
    "logarithm": lambda c: printed(X, says=at_most(c * log(1 + X.symbol), X.symbol)),
    "parabola": lambda c: printed(X, says=at_most(c * X.symbol * (1 - X.symbol), "1/4")),
    "square root": lambda c: printed(X, says=at_most(c * (sqrt(1 + X.symbol) - 1), X.symbol / 2)),
    "means": lambda c: printed(X, P, says=at_most(2 * c * sqrt(X.symbol * P.symbol), X.symbol + P.symbol)),
    "squares": lambda c: printed(X, P, says=at_most(c * (X.symbol + P.symbol) ** 2, 2 * (X.symbol**2 + P.symbol**2))),
    "power": lambda c: printed(X, N, says=at_least((1 - X.symbol) ** N.symbol, 1 - N.symbol * X.symbol / c)),
    "pinsker": _pinsker,
    "chernoff": _chernoff,
    "markov": _markov,
    "randomised response": _randomised_response,
    "two Laplace variables": _laplace_sum,
    "Laplace ratio": _laplace_ratio,
    "constant": lambda c: printed(says=at_least(exp(-1), c * "0.36787944117")),
    "gap": lambda c: printed(X, EPSILON, says=at_most(X.symbol / (X.symbol + EPSILON.symbol), 1 / c)),
}
"""Name of each, and the reading with its sharp constant times c."""
EXACT, MOVED = expression(1), expression("51/50")
