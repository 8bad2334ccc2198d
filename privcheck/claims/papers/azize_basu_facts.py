"""Azize and Basu (NeurIPS 2022): the existing results of appendix F."""

from __future__ import annotations

from privcheck.claims._claim import Reading, at_least, at_most, printed
from privcheck.claims._declared_claims import claim
from privcheck.claims._exact_laws import bernoulli_divergence, binomial_weight
from privcheck.claims._expression import exp, expression, total, variable, where_negative
from privcheck.claims._variables import Variable, integer, positive, probability
from privcheck.claims.papers.hu_facts import tail

K = variable("k")
N, MEAN = integer("n", 1, region=(1, 12)), probability("mu", open_ends=True)
SHIFT = Variable("beta", 0, 1)


@claim("azize-basu-2022/lem6", "Lemma 6", kind="law")
def lemma_6() -> Reading:
    """For any random variable X and any positive number, P(|X| >= number) <= E[|X|]/number."""
    level = positive("level", (0.1, 12.0))
    happens = total("k", 0, N.symbol, where_negative(K - level.symbol, 0, binomial_weight(N.symbol, MEAN.symbol, K)))
    return printed(N, MEAN, level, says=at_most(happens, N.symbol * MEAN.symbol / level.symbol), provable=False)


@claim("azize-basu-2022/lem8", "Lemma 8", kind="law")
def lemma_8() -> Reading:
    """Let P and Q be probability measures on the same measurable space, and let A be an arbitrary event. Then, P(A) +
    Q(A^c) >= exp(-D(P, Q))/2.
    """
    # by data processing the event's indicator is the worst case
    p, q = probability("p"), probability("q")
    right = exp(-bernoulli_divergence(p.symbol, q.symbol)) / 2
    return printed(p, q, says=at_least(p.symbol + 1 - q.symbol, right))


@claim("azize-basu-2022/lem9", "Lemma 9", kind="law")
def lemma_9() -> Reading:
    """For two probability measures on the same probability space, D_KL(P, Q) >= 2 TV(P, Q)^2."""
    p, step = probability("p"), probability("step")
    says = at_least(bernoulli_divergence(p.symbol, p.symbol + step.symbol), 2 * step.symbol**2)
    return printed(p, step, says=says, assumes=(at_most(p.symbol + step.symbol, 1),))


@claim("azize-basu-2022/lem11a", "Lemma 11", kind="law")
def lemma_11_above() -> Reading:
    """For any beta >= 0 we have P(hat mu_n >= mu + beta) <= exp(-2 n beta^2), for iid variables in [0, 1]."""
    level = MEAN.symbol + SHIFT.symbol
    says = at_most(tail(N.symbol, MEAN.symbol, K - N.symbol * level), exp(-2 * N.symbol * SHIFT.symbol**2))
    return printed(N, MEAN, SHIFT, says=says, provable=False)


@claim("azize-basu-2022/lem11b", "Lemma 11", kind="law")
def lemma_11_below() -> Reading:
    """For any beta >= 0 we have P(hat mu_n <= mu - beta) <= exp(-2 n beta^2), for iid variables in [0, 1]."""
    level = MEAN.symbol - SHIFT.symbol
    says = at_most(tail(N.symbol, MEAN.symbol, N.symbol * level - K), exp(-2 * N.symbol * SHIFT.symbol**2))
    return printed(N, MEAN, SHIFT, says=says, provable=False)


@claim("azize-basu-2022/lem12", "Lemma 12, 2.")
def lemma_12() -> Reading:
    """d(p, .) is increasing in the interval [p, 1]."""
    # its derivative by q = p + step
    p = Variable("p", 0, 1, low_open=True, high_open=True, region=(0.01, 0.99))
    step = Variable("step", 0, 1, region=(0, 0.98))
    q = p.symbol + step.symbol
    return printed(p, step, says=at_least(step.symbol / (q * (1 - q)), 0), assumes=(at_most(q, 0.99),))


@claim("azize-basu-2022/lem13a", "Lemma 13, (38)", kind="law")
def lemma_13_above() -> Reading:
    """For beta in [0, 1 - mu], P(hat mu_n >= mu + beta) <= exp(-n d(mu + beta, mu)), for Bernoulli variables."""
    level = MEAN.symbol + SHIFT.symbol
    right = exp(-N.symbol * bernoulli_divergence(level, MEAN.symbol))
    says = at_most(tail(N.symbol, MEAN.symbol, K - N.symbol * level), right)
    return printed(N, MEAN, SHIFT, says=says, assumes=(at_most(level, 1),), provable=False)


@claim("azize-basu-2022/lem13b", "Lemma 13, (39)", kind="law")
def lemma_13_below() -> Reading:
    """For beta in [0, mu], P(hat mu_n <= mu - beta) <= exp(-n d(mu - beta, mu)), for Bernoulli variables."""
    level = MEAN.symbol - SHIFT.symbol
    right = exp(-N.symbol * bernoulli_divergence(level, MEAN.symbol))
    says = at_most(tail(N.symbol, MEAN.symbol, N.symbol * level - K), right)
    return printed(N, MEAN, SHIFT, says=says, assumes=(at_most(expression(0), level),), provable=False)
