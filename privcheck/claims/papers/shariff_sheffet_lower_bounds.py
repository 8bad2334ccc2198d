"""Shariff and Sheffet (NeurIPS 2018): the lower bounds, section 5 and the end of appendix C."""

from __future__ import annotations

from privcheck.claims._claim import Order, Reading, at_least, at_most, equal, printed
from privcheck.claims._declared_claims import claim, repaired
from privcheck.claims._expression import Expression, absolute, exp, expression, log, maximum, variable
from privcheck.claims._variables import Variable, integer, positive, probability

LN_2 = 0.6931471805599453
"""ln 2, rounded down."""
BUDGET = Variable("epsilon", 0, LN_2, low_open=True, words="For any epsilon < ln(2)")
DELTA = Variable("delta", 0, 0.25, high_open=True, words="delta < 0.25")
P, Q = probability("p"), probability("q")
"""The probabilities of a_t = a^1 under c^1 and under c^2."""
GAP = Variable("Delta", 0, 1, low_open=True)
SMALL_GAP = Variable("Delta", 0, 0.1, low_open=True, words="as some small constants")
"""Claim 14 is about gaps that are fixed as some small constants."""
ANY_BUDGET = positive("epsilon", (0.01, 10.0))


@claim("shariff-sheffet-2018/claim13", "Claim 13, as proven")
def claim_13() -> Reading:
    """For any epsilon < ln(2) and delta < 0.25 ... [the pseudo-regret incurred on day t is] P[a_t = a^2|S] + P[a_t =
    a^1|S'] ... > 1/4.
    """
    # over all mechanisms: two numbers that differential privacy allows
    private = at_most(P.symbol, exp(BUDGET.symbol) * Q.symbol + DELTA.symbol)
    return printed(BUDGET, DELTA, P, Q, says=at_least(1 - P.symbol + Q.symbol, "1/4"), assumes=(private,))


@claim(
    "shariff-sheffet-2018/claim13-step",
    "Proof of Claim 13",
    kind="identity",
    role="step",
    consequence=(
        "Two misprints: a^1 for a^2, and e^{-epsilon} delta for delta. With them the display holds, and so does the "
        "claim; the proof gives 3/8 for 1/4."
    ),
    tested_on=("p is P[a_t = a^1|S]."),
)
def claim_13_display() -> tuple[Reading, ...]:
    """(1 - P[a_t = a^1|S]) + e^{-epsilon} (P[a_t = a^1|S] - delta) = 1 + (e^{-epsilon} - 1) P[a_t = a^2|S] - delta."""
    shrunk = exp(-BUDGET.symbol)
    left = 1 - P.symbol + shrunk * (P.symbol - DELTA.symbol)

    def right(chance: Expression, delta: Expression) -> Expression:
        return 1 + (shrunk - 1) * chance - delta

    variables = (BUDGET, DELTA, P)
    return (
        printed(*variables, says=equal(left, right(1 - P.symbol, DELTA.symbol)), provable=False),
        repaired(
            "1 + (e^{-epsilon} - 1) P[a_t = a^1|S] - e^{-epsilon} delta",
            *variables, says=equal(left, right(P.symbol, shrunk * DELTA.symbol)),
        ),
    )  # fmt: skip


@claim(
    "shariff-sheffet-2018/claim13-history",
    "Proof of Claim 13",
    kind="privacy",
    role="step",
    consequence=(
        "A history of probability h has P[A(S) in S] = h P[a_t = a^1|S], and dividing by h turns delta into delta/h. "
        "Take all histories together: for the marginal law of a_t the inequality holds, and with it the claim."
    ),
    tested_on=(
        "The history has probability h under both inputs, and all other histories are followed by a fixed action; "
        "p and q are the probabilities of a^1 after it. The conditions are (epsilon, delta)-differential privacy."
    ),
)
def claim_13_history() -> tuple[Reading, ...]:
    """Fix a day t and a history of previous inputs and arm pulls H_{t-1}. ... Denote S as the subset of action
    sequences that are fixed on the first t - 1 days according to H_{t-1}, have the t-th action be a^1 ... we get that
    P[a_t = a^1|S] = P[A(S) in S] <= e^epsilon P[a_t = a^1|S'] + delta.
    """
    # the history has probability h under both inputs; all other histories are followed by a fixed action
    h = Variable("h", 0, 1, low_open=True, region=(0.01, 1))
    ratio = Variable("e^epsilon", 1, 2, low_open=True, high_open=True, words="For any epsilon < ln(2)")
    growth = ratio.symbol

    def reading(name: str, chance: Expression, *more: Variable) -> Reading:
        outputs = [(P.symbol, Q.symbol), (1 - P.symbol, 1 - Q.symbol)]
        private = tuple(
            at_most(
                chance * sum((maximum(0, pair[way] - growth * pair[1 - way]) for pair in outputs), expression(0)),
                DELTA.symbol,
            )
            for way in (0, 1)
        )
        says = at_most(P.symbol, growth * Q.symbol + DELTA.symbol)
        return Reading(name, (*more, ratio, DELTA, P, Q), says, private, provable=False)

    return (
        reading("probabilities given the history", h.symbol, h),
        reading("the law of a_t, whatever the history", expression(1)),
    )


@claim("shariff-sheffet-2018/claim14-tv", "Before Claim 14", kind="identity")
def total_variation() -> Reading:
    """... for such distributions [over {-1, 1}], the total-variation distance between two distributions whose means are
    mu and mu - Delta is Delta/2.
    """
    words = "for such distributions [over {-1, 1}]"
    mean, gap = Variable("mu", -1, 1, words=words), Variable("Delta", 0, 2, words=words)
    first, second = (1 + mean.symbol) / 2, (1 + mean.symbol - gap.symbol) / 2
    says = equal((absolute(first - second) + absolute((1 - first) - (1 - second))) / 2, gap.symbol / 2)
    return printed(mean, gap, says=says, assumes=(at_most(gap.symbol - 1, mean.symbol),), provable=False)


@claim(
    "shariff-sheffet-2018/claim14-postulated",
    "Proof of Claim 14",
    role="step",
    consequence=(
        "On {-1, 1} such a distribution exists only if the best arm has a mean of at most 1 - Delta_a. For a best arm "
        "with mean 1 no arm can be better, and the argument says nothing. Claim 14 and Corollary 15 are about one "
        "instance, which the text leaves open, and the argument stands for those with the condition."
    ),
)
def postulated_distribution() -> tuple[Reading, ...]:
    """To that end, we postulate a different distribution for the rewards of arm a - a new distribution whose mean is
    greater by Delta_a than the mean reward of arm a^1. [Before Claim 14: Fix Delta_2, Delta_3, ..., Delta_k as some
    small constants.]
    """
    best, gap = Variable("mu", -1, 1, words="over {-1, 1}"), SMALL_GAP
    exists, given = at_most(best.symbol + gap.symbol, 1), (at_least(best.symbol - gap.symbol, -1),)
    room = (*given, at_most(gap.symbol, 1 - best.symbol))
    return (
        Reading("every instance over {-1, 1} with small gaps", (best, gap), exists, given),
        Reading(
            "an instance whose best arm has a mean of at most 1 - Delta_a", (best, gap), exists, room, provable=False
        ),
    )


@claim("shariff-sheffet-2018/claim14-markov", "Proof of Claim 14", role="step")
def markov() -> Reading:
    """P[E] (n - t_a) Delta_a >= (n Delta_a/2) P[E], for sufficiently large n [t_a = log(n)/(100 epsilon Delta_a)]."""
    s = variable("s")
    left = s / (100 * expression("1/10") * expression("1/10"))
    return printed(integer("n", 1), says=Order(left, "O", exp(s) / 2, ({"s": s},)))


@claim(
    "shariff-sheffet-2018/claim14-coupling",
    "Proof of Claim 14",
    kind="privacy",
    role="step",
    consequence=(
        "For one datum that is +1 for certain under one law and -1 with probability Delta under the other, the worst "
        "mechanism gives 1 + Delta (e^epsilon - 1): for every epsilon above e^{epsilon Delta}, and for epsilon >= "
        "2.92 and a small Delta above e^{6 epsilon Delta}. The factor without 6 belongs to an informal illustration. "
        "State the factor 6 for epsilon <= 1. That a bandit algorithm attains the worst case is not shown, and Claim "
        "14 has room: its exponent 0.06 becomes 1/4 only from epsilon = 4.79 on."
    ),
    tested_on=(
        "A datum is +1 for certain under one law and -1 with probability Delta under the other; E has a "
        "probability proportional to e^(epsilon (number of -1)). Both sides are over P_Q[E], to the power 1/t_a."
    ),
)
def coupling() -> tuple[Reading, ...]:
    """[A is any epsilon-differentially private algorithm.] ... happens with similar probability under P or under Q,
    different only up to a multiplicative factor of exp(epsilon Delta_a t_a). ... P_{P}[E] <= exp(6 epsilon Delta_a t_a)
    P_{Q}[E]. [Before Claim 14: Fix Delta_2, Delta_3, ..., Delta_k as some small constants.]
    """
    # an event of probability proportional to e^{epsilon (number of -1)}; both sides to the power 1/t_a, over P_Q[E]
    worst = 1 + GAP.symbol * (exp(ANY_BUDGET.symbol) - 1)

    def factor(name: str, constant: int) -> Reading:
        says = at_most(worst, exp(constant * ANY_BUDGET.symbol * GAP.symbol))
        return Reading(name, (ANY_BUDGET, SMALL_GAP), says, provable=False)

    small = Variable("epsilon", 0, 1, low_open=True, region=(0.001, 1))
    return (
        factor("the factor of the illustration, without 6", 1),
        factor("the factor of the conclusion, with 6", 6),
        repaired(
            "with the factor 6 for epsilon <= 1", small, GAP,
            says=at_most(1 + GAP.symbol * (exp(small.symbol) - 1), exp(6 * small.symbol * GAP.symbol)),
        ),
    )  # fmt: skip


@claim("shariff-sheffet-2018/claim14-exponent", "Proof of Claim 14, last display", kind="identity", role="step")
def exponent() -> Reading:
    """exp(6 epsilon Delta_a t_a) ... exp(0.06 log(n)) (2/Delta_a) n^{-1/4} = n^{-0.19} 2/Delta_a."""
    n = positive("n", (2.0, 100.0))
    start = log(n.symbol) / (100 * ANY_BUDGET.symbol * GAP.symbol)
    left = 6 * ANY_BUDGET.symbol * GAP.symbol * start - log(n.symbol) / 4
    return printed(n, ANY_BUDGET, GAP, says=equal(left, expression("-19/100") * log(n.symbol)))


@claim("shariff-sheffet-2018/cor15-sum", "Proof of Corollary 15", kind="identity", role="step")
def sum_of_corollary_15() -> Reading:
    """The expected pseudo-regret is at least sum_{a != a^1} Delta_a log(n)/(200 epsilon Delta_a) = (k - 1) log(n)/(200
    epsilon).
    """
    arms, log_n = integer("k", 1), positive("log_n", (0.1, 20.0))
    left = (arms.symbol - 1) * GAP.symbol * (log_n.symbol / (100 * ANY_BUDGET.symbol * GAP.symbol)) / 2
    right = (arms.symbol - 1) * log_n.symbol / (200 * ANY_BUDGET.symbol)
    return printed(arms, log_n, GAP, ANY_BUDGET, says=equal(left, right))


@claim(
    "shariff-sheffet-2018/cor15",
    "Corollary 15, and the abstract",
    kind="order",
    consequence=(
        "For a fixed epsilon and n -> infinity no failure was found. As a bound in n and epsilon together it needs k "
        "log(n)/epsilon = O(n): the regret never exceeds 2 n."
    ),
    tested_on=(
        "The left side is the printed order, the right side the largest regret of n rounds with rewards in [-1, 1]."
    ),
)
def corollary_15() -> tuple[Reading, ...]:
    """The expected pseudo-regret of any epsilon-differentially private algorithm for the MAB is Omega(k
    log(n)/epsilon).
    """
    s = variable("s")
    arms, rounds, budget = variable("k"), variable("n"), variable("epsilon")
    variables = (integer("k", 1), integer("n", 1), ANY_BUDGET)
    bound = arms * log(rounds) / budget

    def at_budget(epsilon: Expression) -> Order:
        return Order(bound, "O", 2 * rounds, ({"k": expression(2), "n": s, "epsilon": epsilon},))

    return (
        Reading("epsilon may fall with n; no regret exceeds 2 n", variables, at_budget(1 / s)),
        Reading("epsilon is fixed and n is large", variables, at_budget(expression("1/10"))),
    )


@claim("shariff-sheffet-2018/cor15-max", "Corollary 15")
def larger_and_sum() -> Reading:
    """... the private regret bound is the max of the two terms, i.e.: Omega(k log(n)/epsilon + sum log(n)/Delta_a)."""
    ratio = positive("ratio", (0.01, 100.0))  # of the first term to the second
    return printed(ratio, says=at_least(maximum(ratio.symbol, 1), (ratio.symbol + 1) / 2))
