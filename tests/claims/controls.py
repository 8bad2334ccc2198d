"""True statements: never refuted; those with a sharp constant are refuted with the constant moved by 2 %."""

from __future__ import annotations

from privcheck.claims import (
    Expression,
    Reading,
    Relation,
    Variable,
    absolute,
    at_least,
    at_most,
    below,
    exp,
    expression,
    integer,
    log,
    maximum,
    minimum,
    positive,
    printed,
    probability,
    sqrt,
    total,
    variable,
)
from privcheck.claims._exact_laws import bernoulli_divergence, laplace_difference_above
from privcheck.claims.papers.hu_facts import K, tail

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


def _at_most(
    *variables: Variable, left: Expression | str, right: Expression, assumes: tuple[Relation, ...] = ()
) -> Reading:
    return printed(*variables, says=at_most(expression(left), right), assumes=assumes, provable=False)


def _bonferroni() -> Reading:
    """1 - n p <= (1 - p)^n <= 1 - n p + n (n - 1) p^2/2, the second part."""
    n, p = N.symbol, P.symbol
    return _at_most(P, N, left=(1 - p) ** n, right=1 - n * p + n * (n - 1) * p**2 / 2)


def _hoeffding_lemma() -> Reading:
    """E exp(s (X - mu)) <= exp(s^2/8) for a Bernoulli variable."""
    s = Variable("s", -20, 20)
    mean = (1 - P.symbol) * exp(-s.symbol * P.symbol) + P.symbol * exp(s.symbol * (1 - P.symbol))
    return _at_most(P, s, left=mean, right=exp(s.symbol**2 / 8))


def _lower_tail() -> Reading:
    """P(X <= mu - beta) <= exp(-2 n beta^2)."""
    shift = probability("beta")
    below_level = N.symbol * (MEAN.symbol - shift.symbol) - K
    return _at_most(
        N, MEAN, shift, left=tail(N.symbol, MEAN.symbol, below_level), right=exp(-2 * N.symbol * shift.symbol**2)
    )


def _joint_convexity() -> Reading:
    """The divergence at the mean of two pairs is at most the mean of the divergences."""
    p, q, r, s = (probability(name, open_ends=True) for name in ("p", "q", "r", "s"))
    middle = bernoulli_divergence((p.symbol + r.symbol) / 2, (q.symbol + s.symbol) / 2)
    ends = bernoulli_divergence(p.symbol, q.symbol) + bernoulli_divergence(r.symbol, s.symbol)
    return _at_most(p, q, r, s, left=middle, right=ends / 2)


def _chi_square() -> Reading:
    """kl(p, q) <= (p - q)^2/(q (1 - q))."""
    q = probability("q", open_ends=True)
    gap = P.symbol - q.symbol
    return _at_most(P, q, left=bernoulli_divergence(P.symbol, q.symbol), right=gap**2 / (q.symbol * (1 - q.symbol)))


def _reported_maximum_of_one_count() -> Reading:
    """The report of two noisy counts, of which one moves by 1, is private."""
    lead = Variable("lead", -50, 50, integer=True)
    tails = [laplace_difference_above(EPSILON.symbol * (lead.symbol + more)) for more in (0, 1)]
    return _at_most(lead, EPSILON, left=tails[0], right=exp(EPSILON.symbol) * tails[1])


def _response_divergence() -> Reading:
    """The divergence of randomised response is epsilon tanh(epsilon/2), at most epsilon^2/2."""
    growth = exp(EPSILON.symbol)
    return _at_most(EPSILON, left=EPSILON.symbol * (growth - 1) / (growth + 1), right=EPSILON.symbol**2 / 2)


def _two_responses() -> Reading:
    """Two randomised responses: the larger loss has probability at most that of basic composition."""
    truth = 1 / (1 + exp(-EPSILON.symbol))
    return _at_most(EPSILON, left=truth**2, right=exp(2 * EPSILON.symbol) * (1 - truth) ** 2)


def _amplification() -> Reading:
    """A datum that takes part with probability p costs log(1 + p (e^epsilon - 1)), at most epsilon."""
    return _at_most(P, EPSILON, left=log(1 + P.symbol * (exp(EPSILON.symbol) - 1)), right=EPSILON.symbol)


def _huber() -> Reading:
    """The Huber function is at most half the square."""
    x, b = Variable("x", -100, 100), positive("b")
    inner = minimum(absolute(x.symbol), b.symbol)
    return _at_most(x, b, left=inner * (absolute(x.symbol) - inner / 2), right=x.symbol**2 / 2)


def _harmonic() -> Reading:
    """The sum of 1/k up to n is at most 1 + log n."""
    n = integer("n", 1, region=(1, 60))
    return _at_most(n, left=total("k", 1, n.symbol, 1 / variable("k")), right=1 + log(n.symbol))


def _two_binomials() -> Reading:
    """P(Bin(n, p) >= 1) is at most P(Bin(n + 1, p) >= 1)."""
    return _at_most(N, P, left=1 - (1 - P.symbol) ** N.symbol, right=1 - (1 - P.symbol) ** (N.symbol + 1))


def _triangle() -> Reading:
    """Total variation of two Bernoulli laws by way of a third."""
    q, r = probability("q"), probability("r")
    steps = absolute(P.symbol - r.symbol) + absolute(r.symbol - q.symbol)
    return _at_most(P, q, r, left=absolute(P.symbol - q.symbol), right=steps)


def _power_mean() -> Reading:
    """((a^2 + b^2)/2)^(1/2) is at most the larger."""
    a, b = positive("a"), positive("b")
    return _at_most(a, b, left=sqrt((a.symbol**2 + b.symbol**2) / 2), right=maximum(a.symbol, b.symbol))


def _private_mean() -> Reading:
    """d_epsilon(p, q) is at most epsilon times the total variation, for p below q."""
    q = probability("q", open_ends=True)
    found = -log(1 - q.symbol * (1 - exp(-EPSILON.symbol))) - EPSILON.symbol * P.symbol
    return _at_most(
        P,
        q,
        EPSILON,
        left=found,
        right=EPSILON.symbol * (q.symbol - P.symbol),
        assumes=(at_most(P.symbol, q.symbol),),
    )


TRUE = {
    "second Bonferroni inequality": _bonferroni,
    "Hoeffding's lemma": _hoeffding_lemma,
    "Hoeffding, lower tail": _lower_tail,
    "joint convexity": _joint_convexity,
    "chi-square": _chi_square,
    "reported maximum of one count": _reported_maximum_of_one_count,
    "divergence of randomised response": _response_divergence,
    "two randomised responses": _two_responses,
    "amplification by sampling": _amplification,
    "Huber function": _huber,
    "harmonic sum": _harmonic,
    "more trials": _two_binomials,
    "triangle inequality": _triangle,
    "power mean": _power_mean,
    "private divergence": _private_mean,
}
"""True statements without a constant to move: equality at edges, cancelling terms, corners, sums."""
