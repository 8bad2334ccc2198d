"""Azize and Basu (NeurIPS 2022): the upper bounds and their proofs, section 4 and appendices D and E."""

from __future__ import annotations

import math

from privcheck.claims._claim import Reading, at_least, at_most, below, equal, printed
from privcheck.claims._declared_claims import claim, repaired
from privcheck.claims._exact_laws import bernoulli_divergence, binomial_mean, laplace_below
from privcheck.claims._expression import (
    Expression,
    ceiling,
    exp,
    expression,
    log,
    log2,
    minimum,
    sqrt,
    total,
    variable,
)
from privcheck.claims._variables import Variable, integer, positive, probability

GAP = Variable("Delta", 0, 1, low_open=True, region=(0.01, 1))
BUDGET = positive("epsilon", (0.01, 10.0))
ALPHA = Variable("alpha", 3, math.inf, low_open=True, region=(3.1, 10), words="for any alpha > 3")
SCALE = positive("c", (2.1, 50.0))
"""alpha log(T)."""
N, MEAN = integer("n", 1, region=(1, 8)), probability("mu", open_ends=True)
DELTA = Variable("delta", 0, 1, low_open=True)
COUNT = variable("k")


def _deviation(sign: int) -> Expression:
    """Return the probability that the noisy mean is off by both widths, to one side."""
    confidence = log(1 / DELTA.symbol)
    width = N.symbol * sqrt(confidence / (2 * N.symbol))
    count = sign * (COUNT - N.symbol * MEAN.symbol)
    exceeded = BUDGET.symbol * (width - count) + confidence  # by the noise of the sum, times epsilon
    return binomial_mean(N.symbol, MEAN.symbol, laplace_below(-exceeded))


@claim("azize-basu-2022/lem3a", "Lemma 3, (23)", kind="law")
def lemma_3_above() -> Reading:
    """P(hat mu_n + Lap(1/(n epsilon)) - log(1/delta)/(n epsilon) - sqrt(log(1/delta)/(2 n)) >= mu) <= 3 delta/2."""
    return printed(N, MEAN, BUDGET, DELTA, says=at_most(_deviation(1), 1.5 * DELTA.symbol), provable=False)


@claim("azize-basu-2022/lem3b", "Lemma 3, (24)", kind="law")
def lemma_3_below() -> Reading:
    """P(hat mu_n + Lap(1/(n epsilon)) + log(1/delta)/(n epsilon) + sqrt(log(1/delta)/(2 n)) <= mu) <= 3 delta/2."""
    return printed(N, MEAN, BUDGET, DELTA, says=at_most(_deviation(-1), 1.5 * DELTA.symbol), provable=False)


@claim("azize-basu-2022/remark1", "Remark 1", kind="law")
def remark_1() -> Reading:
    """... alpha dictates that the real mean is smaller than the optimistic index with high probability, i.e. with
    probability 1 - 1/t^alpha at step t.
    """
    return printed(N, MEAN, BUDGET, DELTA, says=at_most(_deviation(-1), DELTA.symbol), provable=False)


def _clipped_below(shift: Expression, delta: Expression) -> Expression:
    """Return the probability that the clipped noisy mean is at most mu - shift, which is at least 0."""
    level = N.symbol * (MEAN.symbol - shift) - COUNT
    return binomial_mean(N.symbol, MEAN.symbol, laplace_below(BUDGET.symbol * level - log(1 / delta)))


@claim("azize-basu-2022/lem4a", "Lemma 4, claim 1, (26)", kind="law")
def lemma_4_first() -> Reading:
    """For any delta > 0 and alpha in [0, mu], P(mu >= breve mu_n(delta) + alpha) <= exp(-n d(mu - alpha, mu)) +
    delta/2.
    """
    delta, shift = positive("delta"), probability("alpha")
    level = MEAN.symbol - shift.symbol
    right = exp(-N.symbol * bernoulli_divergence(level, MEAN.symbol)) + delta.symbol / 2
    says = at_most(_clipped_below(shift.symbol, delta.symbol), right)
    return printed(N, MEAN, BUDGET, delta, shift, says=says, assumes=(at_least(level, 0),), provable=False)


@claim(
    "azize-basu-2022/lem4b",
    "Lemma 4, claim 2, (28)",
    kind="law",
    consequence=(
        "A case at the edge: the index of an arm that always pays 1 cannot exceed its mean. Exclude mu = 1, or bound "
        "P(mu > U_n(delta))."
    ),
    tested_on=(
        "With mu = 1 the event mu >= U_n is certain, because U_n is at most 1: the left side is 1. For mu below 1 "
        "the left side is computed for delta = exp(-n d(mu - shift, mu)), at which U_n <= mu means a noisy mean of"
        " at most mu - shift."
    ),
)
def lemma_4_second() -> tuple[Reading, ...]:
    """Let X_1, X_2, ..., X_n be a sequence of independent random variables sampled from a Bernoulli distribution with
    mean mu ... we define U_n(delta) := max{q in [0, 1]: d(breve
    mu_n(delta), q) <= log(1/delta)/n}. Then P(mu >= U_n(delta)) <= 3 delta/2.
    """
    shift = Variable("shift", 0, 1, low_open=True)
    level = MEAN.symbol - shift.symbol
    confidence = exp(-N.symbol * bernoulli_divergence(level, MEAN.symbol))  # this is delta
    inner = at_most(_clipped_below(shift.symbol, confidence), 1.5 * confidence)
    surely = at_most(1, 1.5 * DELTA.symbol)  # mu = 1 >= U_n(delta), because U_n(delta) is in [0, 1]
    return (
        Reading("mu in (0, 1)", (N, MEAN, BUDGET, shift), inner, (below(0, level),), provable=False),
        Reading("mu = 1 is allowed", (DELTA,), surely),
    )


@claim("azize-basu-2022/thm11-count", "Proof of Theorem 11, step 3", role="step")
def union_over_starts() -> Reading:
    """(3/2) sum_{t=K+1}^T sum_{phi=t/2}^t 1/phi^(alpha-1) <= (3/2) sum_{t=K+1}^T 2^(alpha-2)/t^(alpha-2) (because
    phi >= t/2).
    """
    t = integer("t", 3, region=(3, 60), words="sum_{t=K+1}^T, for K >= 2")
    phi = variable("phi")
    left = total("phi", ceiling(t.symbol / 2), t.symbol, phi ** (1 - ALPHA.symbol))
    return printed(t, ALPHA, says=at_most(left, (t.symbol / 2) ** (2 - ALPHA.symbol)), provable=False)


@claim("azize-basu-2022/thm11-integral", "Proof of Theorem 11, step 3", kind="identity", role="step")
def integral() -> Reading:
    """(3/2) 2^(alpha-2)/((alpha - 3) K^(alpha-3)) = (3/2) (2/(alpha - 3)) (2/K)^(alpha-3)."""
    arms = integer("K", 2, words="for alpha > 3 and K >= 2")
    less = ALPHA.symbol - 3
    left = expression(2) ** (ALPHA.symbol - 2) / (less * arms.symbol**less)
    return printed(ALPHA, arms, says=equal(left, 2 / less * (2 / arms.symbol) ** less))


@claim("azize-basu-2022/thm11-last", "Proof of Theorem 11, step 3", role="step")
def last_of_step_3() -> Reading:
    """(3/2) (2/(alpha - 3)) (2/K)^(alpha-3) <= 3/(alpha - 3) for alpha > 3 and K >= 2."""
    arms = Variable("K", 2, math.inf, region=(2, 100), words="for alpha > 3 and K >= 2")
    less = ALPHA.symbol - 3
    return printed(ALPHA, arms, says=at_most(3 / less * (2 / arms.symbol) ** less, 3 / less))


@claim("azize-basu-2022/thm11-sum", "Proof of Theorem 11, step 4", kind="identity", role="step")
def step_4() -> Reading:
    """1 + 2^(l+1) + P(G^c) T + 3/(alpha - 3) = 2^(l+1) + P(G^c) T + alpha/(alpha - 3)."""
    return printed(ALPHA, says=equal(1 + 3 / (ALPHA.symbol - 3), ALPHA.symbol / (ALPHA.symbol - 3)))


def _slack(samples: Expression, scale: Expression) -> Expression:
    """Return gamma for a number 2^l of samples, and alpha log(T)."""
    return GAP.symbol - 2 * sqrt(scale / (2 * samples)) - 2 * scale / (BUDGET.symbol * samples)


@claim("azize-basu-2022/eq33a", "Proof of Theorem 7, before (33)", kind="identity", role="step")
def root() -> Reading:
    """... gamma < 0 => sqrt(2^l) < sqrt(alpha log(T)/(2 Delta_a^2)) (1 + sqrt(1 + 4 Delta_a/epsilon))."""
    root_of_gamma = sqrt(SCALE.symbol / 2) / GAP.symbol * (1 + sqrt(1 + 4 * GAP.symbol / BUDGET.symbol))
    scaled = (
        GAP.symbol * root_of_gamma**2 - 2 * sqrt(SCALE.symbol / 2) * root_of_gamma - 2 * SCALE.symbol / BUDGET.symbol
    )
    return printed(GAP, BUDGET, SCALE, says=equal(scaled, 0))


@claim("azize-basu-2022/eq33b", "Proof of Theorem 7, before (33)", role="step")
def square() -> Reading:
    """... => 2^l < (alpha log(T)/(2 Delta_a^2)) (4 + 8 Delta_a/epsilon)."""
    ratio = Variable("ratio", 0, math.inf, region=(0, 100))  # 4 Delta_a/epsilon
    return printed(ratio, says=at_most((1 + sqrt(1 + ratio.symbol)) ** 2, 4 + 2 * ratio.symbol))


@claim(
    "azize-basu-2022/eq33c",
    "Proof of Theorem 7, (33)",
    role="step",
    consequence=(
        "A missing factor: 1/(2 Delta_a) + 1/epsilon is at most twice the larger term, and this is attained at epsilon "
        "= 2 Delta_a. With 8 in place of 4 the step holds. See the choice of l."
    ),
    tested_on=(
        "The left side is the largest 2^l that the condition allows, over alpha log(T), the right side the bound of it."
    ),
)
def equation_33() -> tuple[Reading, ...]:
    """2^l < (alpha log(T)/(2 Delta_a^2)) (4 + 8 Delta_a/epsilon) => 2^l < 4 alpha log(T)/(Delta_a min{epsilon, 2
    Delta_a}).
    """
    left = (4 + 8 * GAP.symbol / BUDGET.symbol) / (2 * GAP.symbol**2)
    right = 4 / (GAP.symbol * minimum(BUDGET.symbol, 2 * GAP.symbol))
    return (
        printed(GAP, BUDGET, says=at_most(left, right)),
        repaired("with 8 in place of 4", GAP, BUDGET, says=at_most(left, 2 * right)),
    )


@claim(
    "azize-basu-2022/thm7-choice",
    "Proof of Theorem 7, choice of l",
    role="step",
    consequence=(
        "The proof needs 2^l >= alpha log(T) (1 + sqrt(1 + 4 Delta/epsilon))^2/(2 Delta^2). With it the proof gives "
        "Theorem 7 with 2 (1 + sqrt 5)^2 < 20.95 in place of 16; less is enough if epsilon is not Delta. The order "
        "stands, and Theorem 7 itself is not refuted."
    ),
    tested_on=("The left side is gamma of (33) at the chosen l, the right side 0."),
)
def choice_of_l() -> tuple[Reading, ...]:
    """By choosing l = ceil(log(4 alpha log(T)/(Delta_a min{epsilon, 2 Delta_a}))/log(2)) we ensure gamma > 0."""
    words = "log(4 alpha log(T)/...) is defined for T >= 2 only"
    rounds = Variable("T", 2, math.inf, integer=True, region=(2, 10**6), specials=(10**4, 10**6), words=words)
    scale = ALPHA.symbol * log(rounds.symbol)
    printed_size = 4 * scale / (GAP.symbol * minimum(BUDGET.symbol, 2 * GAP.symbol))
    needed = scale * (1 + sqrt(1 + 4 * GAP.symbol / BUDGET.symbol)) ** 2 / (2 * GAP.symbol**2)
    # Theorem 11, which the proof applies, asks for 2^l < T
    chosen, larger = (expression(2) ** ceiling(log2(size)) for size in (printed_size, needed))
    return (
        printed(
            GAP, BUDGET, ALPHA, rounds,
            says=at_least(_slack(chosen, scale), 0), assumes=(below(chosen, rounds.symbol),), provable=False,
        ),
        repaired(
            "2^l at least alpha log(T) (1 + sqrt(1 + 4 Delta/epsilon))^2/(2 Delta^2)",
            GAP, BUDGET, ALPHA, rounds, says=at_least(_slack(larger, scale), 0), provable=False,
        ),
    )  # fmt: skip


@claim("azize-basu-2022/eq34", "Proof of Theorem 7, (34)", role="step")
def equation_34() -> Reading:
    """alpha/(alpha - 3) + 2^(l+1) + T 3/(2 T^alpha) <= 16 alpha log(T)/(Delta_a min{epsilon, 2 Delta_a}) + 3
    alpha/(alpha - 3).
    """
    horizon = Variable("T", 1, math.inf, region=(1, 1000), words="T in N, the number of steps")
    left = 1.5 * horizon.symbol ** (1 - ALPHA.symbol)
    return printed(ALPHA, horizon, says=at_most(left, 2 * ALPHA.symbol / (ALPHA.symbol - 3)))


@claim("azize-basu-2022/thm8-sum", "Proof of Theorem 8, step 2", kind="identity", role="step")
def probability_of_the_bad_event() -> Reading:
    """exp(-2^l d(mu_a + gamma_{l,T} Delta_a, mu_a)) + 1/(2 T) = 3/(2 T), where d(mu_a + gamma_{l,T} Delta_a, mu_a) =
    log(T)/2^l.
    """
    horizon, samples = integer("T", 1), positive("samples")
    left = exp(-samples.symbol * (log(horizon.symbol) / samples.symbol)) + 1 / (2 * horizon.symbol)
    return printed(horizon, samples, says=equal(left, 3 / (2 * horizon.symbol)))


@claim("azize-basu-2022/thm12-tuning", "Proof of Theorem 12, last step", kind="identity", role="step")
def tuned_gap() -> Reading:
    """T Delta + 16 alpha K log(T)/Delta <= 8 sqrt(alpha K T log(T)), by taking Delta = 4 sqrt(alpha K log(T)/T)."""
    arms, horizon = integer("K", 1), integer("T", 1)
    product = SCALE.symbol * arms.symbol
    gap = 4 * sqrt(product / horizon.symbol)
    return printed(
        SCALE, arms, horizon,
        says=equal(horizon.symbol * gap + 16 * product / gap, 8 * sqrt(product * horizon.symbol)),
    )  # fmt: skip


@claim("azize-basu-2022/thm12-split", "Proof of Theorem 12", role="step")
def split_of_the_minimum() -> Reading:
    """16 alpha log(T)/(Delta_a min{epsilon, Delta_a}) <= 16 alpha log(T)/Delta_a (1/Delta_a + 1/epsilon)."""
    gap, budget = Variable("Delta", 0, 1, low_open=True, region=(0.1, 1)), positive("epsilon", (0.1, 10.0))
    left = 1 / minimum(budget.symbol, gap.symbol)
    return printed(gap, budget, says=at_most(left, 1 / gap.symbol + 1 / budget.symbol))
