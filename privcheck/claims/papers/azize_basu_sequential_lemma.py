"""Azize and Basu (NeurIPS 2022): Theorem 9, Lemma 2 and Theorem 10, appendix B."""

from __future__ import annotations

from privcheck.claims._claim import Reading, at_least, at_most, printed
from privcheck.claims._declared_claims import claim, repaired
from privcheck.claims._exact_laws import bernoulli_divergence
from privcheck.claims._expression import Expression, exp, log
from privcheck.claims._variables import Variable, integer, positive, probability

P = probability("p")
BUDGET = positive("epsilon", (0.001, 2.8))
SMALL = Variable("epsilon", 0, 2.8, low_open=True)
EPSILON = BUDGET.symbol
UP, DOWN = 1 - P.symbol + P.symbol * exp(EPSILON), 1 - P.symbol + P.symbol * exp(-EPSILON)
RESPONSE = 1 / (1 + exp(EPSILON))
"""Probability with which randomised response sends 0 to 1; it sends 1 to 1 with e^epsilon times that."""
MIXED = RESPONSE * UP
"""Probability that the response is 1, if the datum is 1 with probability p."""

STANDS = (
    "Definition 1 allows any epsilon >= 0, and no smaller range is printed here. Use the bound for epsilon up to 2.8, "
    "where the inequality before (12), on which the printed proof rests, holds; it fails for small p_i from "
    "2.839 on, as sinh(x) > 3 x there. Another proof (docs/evidence/repaired-proofs.md) gives the bounds up to "
    "2.9183, the root "
    "of e^x - 1 = 6 x; beyond that they fail."
)
RESPONDED = (
    " The counterexample is randomised response with epsilon to one datum, which is 1 with probability p under P and "
    "never under Q: the ratio is 1 - p + p e^epsilon."
)
CITED = (
    " Theorem 9 is quoted from Lemma 6.1 of Karwa and Vadhan (2017), whose text was not examined; it may state a range "
    "of epsilon."
)


def _repaired_factor() -> Reading:
    says = at_most(log(UP / DOWN), 6 * EPSILON * P.symbol)
    return repaired("for epsilon up to 2.8, by the inequality before (12)", P, SMALL, says=says)


@claim("azize-basu-2022/eq12", "Proof of Lemma 2, before (12)", role="step", consequence=STANDS)
def inequality_before_12() -> tuple[Reading, ...]:
    """log((1 - p_i + p_i e^epsilon)/(1 - p_i + p_i e^-epsilon)) <= 6 epsilon p_i."""
    return printed(P, BUDGET, says=at_most(log(UP / DOWN), 6 * EPSILON * P.symbol)), _repaired_factor()


@claim(
    "azize-basu-2022/thm9",
    "Theorem 9",
    kind="privacy",
    consequence=STANDS + RESPONDED + CITED,
    tested_on=(
        "T = 1, delta = 0, and M is randomised response, which is 1 with probability 1/(1 + e^epsilon) on the "
        "datum 0 and e^epsilon/(1 + e^epsilon) on 1. The datum is 1 with probability p under P and never under Q; "
        "E is the response 1. The left side is M_P(E), the right side e^epsilon' M_Q(E)."
    ),
)
def theorem_9() -> tuple[Reading, ...]:
    """If a mechanism M satisfies (epsilon, delta)-DP, then for every event E ..., the marginal distributions induced by
    distributions P and Q satisfy M_P(E) <= e^epsilon' M_Q(E) + delta', where epsilon' = 6 epsilon T TV(P, Q) and
    delta' = 4 e^epsilon' T delta TV(P, Q).
    """
    # T = 1, delta = 0, randomised response; the datum is 1 with probability p under P, and 0 under Q
    says = at_most(MIXED, exp(6 * EPSILON * P.symbol) * RESPONSE)
    return printed(P, BUDGET, says=says), _repaired_factor()


@claim(
    "azize-basu-2022/lem2",
    "Lemma 2",
    kind="privacy",
    consequence=STANDS + RESPONDED,
    tested_on=(
        "Two data with P_2 = Q_2, delta = 0, and M is randomised response to the first, which is 1 with "
        "probability 1/(1 + e^epsilon) on 0 and e^epsilon/(1 + e^epsilon) on 1. The first datum is 1 with "
        "probability p under P_1 and never under Q_1; E is the response 1. The left side is M_P(E), the right side"
        " e^epsilon' M_Q(E)."
    ),
)
def lemma_2() -> tuple[Reading, ...]:
    """If M is a mechanism satisfying (epsilon, delta)-DP, then for every event E, M_{P_1..P_T}(E) <= e^epsilon'
    M_{Q_1..Q_T}(E) + delta', where epsilon' = 6 epsilon sum_i TV(P_i, Q_i) and delta' = 4 e^epsilon' delta sum_i
    TV(P_i, Q_i).
    """
    # two data; randomised response to the first one, which is 1 with probability p under P_1; P_2 = Q_2
    says = at_most(MIXED, exp(6 * EPSILON * P.symbol) * RESPONSE)
    return printed(P, BUDGET, says=says), _repaired_factor()


@claim(
    "azize-basu-2022/thm10-step",
    "Proof of Theorem 10",
    kind="privacy",
    role="step",
    consequence=(
        "The bound for every action sequence fails for large epsilon. Theorem 10 bounds the mean of this logarithm; it "
        "is not refuted."
    ),
    tested_on=(
        "Two rounds: arm 1, whose reward is 1 with probability p in nu and never in nu'; then arm 2, which is the "
        "same in both, if the randomised response to that reward is 1."
    ),
)
def pointwise_ratio() -> tuple[Reading, ...]:
    """Since pi is epsilon-global DP, using Lemma 2, log(m_{nu pi}(a_1, ..., a_T)/m_{nu' pi}(a_1, ..., a_T)) <= 6
    epsilon sum_t TV(P_{a_t}, P'_{a_t}) for every action sequence.
    """
    # two rounds: arm 1, whose reward is 1 with probability p in nu and never in nu'; then arm 2 if the randomised
    # response to that reward is 1; arm 2 is the same in both
    return printed(P, BUDGET, says=at_most(log(MIXED / RESPONSE), 6 * EPSILON * P.symbol)), _repaired_factor()


@claim(
    "azize-basu-2022/thm10",
    "Theorem 10",
    kind="privacy",
    tested_on=(
        "The policy and the arms of thm10-step. The printed 6 has a factor 6 to spare, as Theorem 10 holds with 1, and "
        "the left side comes near epsilon for p = 1 and a large epsilon."
    ),
)
def theorem_10() -> Reading:
    """When an epsilon-global DP policy interacts with two bandit instances, D_KL(M_{nu pi}, M_{nu' pi}) <= 6 epsilon
    E_{nu pi}[sum_t TV(P_{a_t}, P'_{a_t})].
    """
    # the policy and the arms of the pointwise bound: only the first round counts if arm 2 is the same in both
    divergence = bernoulli_divergence(MIXED, RESPONSE)
    return printed(P, BUDGET, says=at_most(divergence, 6 * EPSILON * P.symbol), provable=False)


@claim(
    "azize-basu-2022/eq10",
    "Proof of Lemma 2, (10)",
    role="step",
    consequence="A misprint of a sign: the last term is subtracted, which is how (11) uses it.",
    tested_on=(
        "The empty event, for which M_j(E) and m_j(0) are 0; one datum, so that the product is 1 - p + p e^-epsilon."
    ),
)
def equation_10() -> tuple[Reading, ...]:
    """M_j(E) >= m_j(0) prod_i (1 - p_i + p_i e^-epsilon) + delta/(e^-epsilon - 1) (prod_i (1 - p_i + p_i e^-epsilon) -
    1).
    """
    delta = probability("delta")
    # the empty event: both M_j(E) and m_j(0) are 0; one datum
    term = delta.symbol / (exp(-EPSILON) - 1) * (P.symbol * (exp(-EPSILON) - 1))
    return (
        printed(P, BUDGET, delta, says=at_least(0, term)),
        repaired("the last term with a minus sign", P, BUDGET, delta, says=at_least(0, -term), provable=False),
    )


T = integer("T", 1, region=(1, 12))
SUM = T.symbol * P.symbol
FACTOR = exp(6 * EPSILON * SUM)
FALL, RISE = 1 - exp(-EPSILON), exp(EPSILON) - 1


def _of_products() -> Expression:
    """Return (13) over delta, with T equal p_i."""
    return FACTOR * (1 - DOWN**T.symbol) / FALL + (UP**T.symbol - 1) / RISE


def _of_exponentials() -> Expression:
    """Return (14) over delta."""
    return FACTOR * (1 - exp(-2 * SUM * FALL)) / FALL + (exp(2 * SUM * RISE) - 1) / RISE


@claim("azize-basu-2022/eq14", "Proof of Lemma 2, (13) to (14)", role="step")
def from_13_to_14() -> Reading:
    """e^epsilon' (1 - prod_i (1 - p_i + p_i e^-epsilon))/(1 - e^-epsilon) delta + (prod_i (1 - p_i + p_i e^epsilon) -
    1)/(e^epsilon - 1) delta <= e^epsilon' (1 - exp(2 sum_i p_i (e^-epsilon - 1)))/(1 - e^-epsilon) delta + (exp(2 sum_i
    p_i (e^epsilon - 1)) - 1)/(e^epsilon - 1) delta.
    """
    return printed(P, T, BUDGET, says=at_most(_of_products(), _of_exponentials()), provable=False)


@claim(
    "azize-basu-2022/eq15",
    "Proof of Lemma 2, (14) to (15)",
    role="step",
    consequence=(
        "The bound of the second term would need exp(x) - 1 <= x, which holds for no x > 0; the step fails for every "
        "epsilon as soon as 6 sum_i p_i < 1: the first term leaves less than e^epsilon' 2 (1 - e^-epsilon) (sum_i "
        "p_i)^2, and the second exceeds its bound by more than 2 (e^epsilon - 1) (sum_i p_i)^2. For epsilon up to 2.8 "
        "the result (16) follows from (13) without this step."
    ),
    tested_on=("Both sides over delta, for T data with equal p_i = p."),
)
def from_14_to_15() -> tuple[Reading, ...]:
    """(14) <= e^epsilon' 2 (sum_i p_i) delta + 2 (sum_i p_i) delta."""
    last = 4 * FACTOR * SUM
    return (
        printed(P, T, BUDGET, says=at_most(_of_exponentials(), FACTOR * 2 * SUM + 2 * SUM), provable=False),
        repaired(
            "(13) <= e^epsilon' 4 (sum_i p_i) delta, for epsilon up to 2.8",
            P, T, SMALL, says=at_most(_of_products(), last), provable=False,
        ),
    )  # fmt: skip


@claim(
    "azize-basu-2022/eq16",
    "Proof of Lemma 2, (13) to (16)",
    role="step",
    consequence=(
        "The bound by delta' needs a limit on epsilon, as that by epsilon' does. For epsilon up to 2.8 even half of it "
        "holds."
    ),
    tested_on=("Both sides over delta, for T data with equal p_i = p."),
)
def from_13_to_16() -> tuple[Reading, ...]:
    """(13) <= ... <= e^epsilon' 4 (sum_i p_i) delta."""
    says = at_most(_of_products(), 4 * FACTOR * SUM)
    return (
        printed(P, T, BUDGET, says=says, provable=False),
        repaired("for epsilon up to 2.8", P, T, SMALL, says=says, provable=False),
    )
