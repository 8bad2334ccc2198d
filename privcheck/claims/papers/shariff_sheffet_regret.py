"""Shariff and Sheffet (NeurIPS 2018): the regret of linear UCB with changing regularisers, section 3 and appendix B.

The regret bounds are put to the test on one environment, in which the first action is known in advance: d = 1, the
decision set is {-1, 1} in all rounds, theta* = S, the regulariser is a constant rho, and the perturbation of the first
round has the size gamma that is allowed, in the direction of -1. Then the first estimate is negative, -1 has the
larger upper confidence bound, and the regret is 2 S. All assumptions hold with certainty.
"""

from __future__ import annotations

import math

from privcheck.claims._claim import Order, Reading, Relation, at_least, at_most, equal, printed
from privcheck.claims._declared_claims import claim, repaired
from privcheck.claims._expression import (
    Expression,
    exp,
    expression,
    log,
    maximum,
    minimum,
    normal_below,
    sqrt,
    substitute,
    total,
    variable,
)
from privcheck.claims._variables import Variable, integer, positive, probability

ALPHA = probability("alpha", open_ends=True, region=(0.01, 0.99))
N, T = integer("n", 1, region=(1, 30)), variable("t")
S, L, RHO = positive("S", (0.01, 10.0)), positive("L", (0.01, 10.0)), positive("rho", (0.01, 10.0), 0.01)
GAMMA, SIGMA = positive("gamma", (0.01, 10.0), 0.001, 0.01), positive("sigma", (0.01, 10.0), 0.001, 0.01)
INSTANCE = (N, S, RHO, GAMMA, SIGMA, ALPHA)
SEEN = 1 / RHO.symbol
"""The squared norm of an action under the inverse of the regulariser."""
LARGEST_REWARD = maximum(1, S.symbol)
FIRST = 2 * S.symbol
"""The regret of the first round, which is also the gap between the two actions."""
CONFIDENCE = 2 * log(2 / ALPHA.symbol)
WIDTH = S.symbol * sqrt(RHO.symbol) + GAMMA.symbol
BRACKET = SIGMA.symbol * (CONFIDENCE + log(1 + N.symbol * SEEN)) + WIDTH * sqrt(log(1 + N.symbol * SEEN))
BETA = SIGMA.symbol * sqrt(CONFIDENCE + log(1 + N.symbol * SEEN)) + WIDTH
WIDE_ENOUGH = at_least(BETA, 1)
ENVIRONMENT = (
    "d = 1, the actions +1 and -1 in all rounds, theta* = S, {}, the regulariser rho in all rounds, and in the first "
    "round a perturbation of the allowed size gamma towards -1, which is then played. The left side is the regret of "
    "that round, 2 S, which is also the gap; the right side is the printed bound."
)


@claim("shariff-sheffet-2018/prop4-round", "Proposition 4, second round", kind="law")
def proposition_4() -> Reading:
    """... |theta* - theta~_t|_{V_t} <= beta_t ... where beta_t := sigma sqrt(2 log(2/alpha) + log(det V_t) - d
    log(rho_min)) + S sqrt(rho_max) + gamma.
    """
    # d = 1, one reward with normal noise seen; the noise alone may fail with probability alpha/2
    seen = positive("seen", (0.01, 100.0))  # x^2/rho
    deviations = sqrt((1 + 1 / seen.symbol) * (CONFIDENCE + log(1 + seen.symbol)))
    says = at_most(2 * normal_below(-deviations), ALPHA.symbol / 2)
    return printed(seen, ALPHA, says=says, provable=False)


@claim("shariff-sheffet-2018/prop4-det", "Proposition 4, second form of beta_t")
def determinant() -> Reading:
    """... log det V_t <= log det(G_t + rho_max I) <= d log(rho_max + t L^2/d)."""
    # d = 2; the eigenvalues of G_t add up to at most (t - 1) L^2
    first, second = (Variable(name, 0, math.inf, region=(0, 10)) for name in ("g_1", "g_2"))
    rounds = integer("t", 1, region=(1, 30))
    left = (first.symbol + RHO.symbol) * (second.symbol + RHO.symbol)
    most = at_most(first.symbol + second.symbol, (rounds.symbol - 1) * L.symbol**2)
    says = at_most(left, (RHO.symbol + rounds.symbol * L.symbol**2 / 2) ** 2)
    return printed(first, second, rounds, L, RHO, says=says, assumes=(most,), provable=False)


@claim(
    "shariff-sheffet-2018/prop4-equality",
    "Proof of Proposition 4",
    role="step",
    consequence="A misprint: the sign is <=, as the reason beside it says. Nothing else depends on it.",
    tested_on=("One dimension with z_t = 1; both sides are squared. H is the regulariser."),
)
def equality_in_proposition_4() -> tuple[Reading, ...]:
    """|z_t|_{V_t^{-1}} + ... = |z_t|_{(G_t + rho_min I)^{-1}} + ..., since V_t >= G_t + rho_min I."""
    # one dimension, z_t = 1
    gram, h = Variable("G", 0, math.inf, region=(0, 10)), positive("H", (0.1, 10.0))
    smallest = positive("rho_min", (0.1, 10.0))
    given = (at_most(smallest.symbol, h.symbol),)
    left, right = 1 / (gram.symbol + h.symbol), 1 / (gram.symbol + smallest.symbol)
    variables = (gram, h, smallest)
    return (
        Reading("an equality, as printed", variables, equal(left, right), given),
        Reading("at most, as the reason says", variables, at_most(left, right), given),
    )


@claim(
    "shariff-sheffet-2018/thm5",
    "Theorem 5, (2)",
    consequence=(
        "Lemma 21 asks for a constant of at least max{beta_1, ..., beta_n, 1}; in Theorem 5 the 1 is lost. Add the "
        "condition that the bound of beta_n is at least 1, or replace it with the larger of the two. A horizon of one "
        "round is the simplest case, not the only one: for every n a regulariser that is small enough does it. The "
        "regularisers of section 4 are large enough for it unless L~ is far below 1."
    ),
    tested_on=(
        "d = 1, the actions +1 and -1 in all rounds, theta* = S, L = 1, B = max{1, S}, the regulariser rho in all "
        "rounds, and in the first round a perturbation of the allowed size gamma towards -1, which is then played. "
        "The left side is the regret of that round, 2 S, which is also the gap; the right side is the printed bound."
    ),
)
def theorem_5() -> tuple[Reading, ...]:
    """... with probability at least 1 - alpha the pseudo-regret of Algorithm 1 is bounded by R_n <= B sqrt(8 n) [sigma
    (2 log(2/alpha) + d log(rho_max/rho_min + n L^2/(d rho_min))) + (S sqrt(rho_max) + gamma) sqrt(d log(1 + n L^2/(d
    rho_min)))].
    """
    says = at_most(FIRST, LARGEST_REWARD * sqrt(8 * N.symbol) * BRACKET)
    return (
        printed(*INSTANCE, says=says, provable=False),
        repaired(
            "if beta_n, in the second form of Proposition 4, is at least 1; examined on the same environment",
            *INSTANCE, says=says, assumes=(WIDE_ENOUGH,), provable=False,
        ),
    )  # fmt: skip


def _with_gap(factor: Expression) -> Relation:
    return at_most(FIRST, 8 * factor / FIRST * BRACKET**2)


TEN_ROUNDS = {"n": "10", "rho": "1/10000", "gamma": "1/1000000", "sigma": "1/100", "alpha": "1/10"}
LARGE = positive("S", (1.0, 1000.0))
LARGE_ENOUGH = at_least(LARGE.symbol / 100, 1)
LARGE_REWARDS = " n = 10, rho = 1/10^4, sigma = 1/100, alpha = 1/10 and gamma = 1/10^6, which only breaks a tie."


def _ten_rounds(factor: Expression) -> Relation:
    says = _with_gap(factor)
    known = {name: expression(number) for name, number in TEN_ROUNDS.items()}
    return at_most(says.left, substitute(says.right, known))


@claim(
    "shariff-sheffet-2018/thm6",
    "Theorem 6, (3)",
    consequence=(
        "As in Theorem 5, add that the bound of beta_n is at least 1; with B = 1 (3) then stands. For B > 1 see "
        "shariff-sheffet-2018/thm6-rewards, which is about the factor B."
    ),
    tested_on=(ENVIRONMENT.format("L = 1 and B = 1, that is, S <= 1")),
)
def theorem_6() -> tuple[Reading, ...]:
    """If the optimal actions in every decision set are separated from the sub-optimal actions by a reward gap of at
    least Delta, then with probability at least 1 - alpha the pseudo-regret of Algorithm 1 satisfies R_n <= (8 B/Delta)
    [sigma (2 log(2/alpha) + d log(rho_max/rho_min + n L^2/(d rho_min))) + (S sqrt(rho_max) + gamma) sqrt(d log(1 + n
    L^2/(d rho_min)))]^2.
    """
    says, unit = _with_gap(expression(1)), at_most(S.symbol, 1)
    return (
        printed(*INSTANCE, says=says, assumes=(unit,), provable=False),
        repaired(
            "for B = 1, if beta_n, in the second form of Proposition 4, is at least 1; examined on this environment",
            *INSTANCE, says=says, assumes=(unit, WIDE_ENOUGH), provable=False,
        ),
    )  # fmt: skip


@claim(
    "shariff-sheffet-2018/thm6-rewards",
    "Theorem 6, (3), for mean rewards above 1",
    consequence=(
        "The factor has to be B^2, which needs beta_n >= 1 as well: scaling the rewards by B scales the gap too. The "
        "counterexample has beta_n = 1.04, so that it is not that of shariff-sheffet-2018/thm6. The bound with a gap "
        "in Corollaries 10 and 12 has the same factor. For B = 1, as in the paper's experiments, nothing changes."
    ),
    tested_on=(ENVIRONMENT.format("L = 1 and B = max{1, S}") + LARGE_REWARDS),
)
def theorem_6_for_large_rewards() -> tuple[Reading, ...]:
    """If the optimal actions in every decision set are separated from the sub-optimal actions by a reward gap of at
    least Delta, then with probability at least 1 - alpha the pseudo-regret of Algorithm 1 satisfies R_n <= (8 B/Delta)
    [...]^2. [Assumption 2: |<theta*, x>| <= B with B >= 1.]
    """
    return (
        Reading(
            "where the bound of beta_n is at least 1, as Lemma 21 asks, since S sqrt(rho) is",
            (LARGE,), _ten_rounds(LARGEST_REWARD), (LARGE_ENOUGH,), provable=False,
        ),
        repaired(
            "with B^2 for B; examined on the same environment",
            *INSTANCE, says=_with_gap(LARGEST_REWARD**2), assumes=(WIDE_ENOUGH,), provable=False,
        ),
    )  # fmt: skip


@claim(
    "shariff-sheffet-2018/thm6-scaling",
    "Proof of Theorem 6, and Remark 2",
    role="step",
    consequence=(
        "Scaling the rewards down by B divides the gap by B too, so that the bound of the scaled problem is 8 B/Delta "
        "[...]^2, and that of the original one 8 B^2/Delta [...]^2, if beta_n is at least 1. Theorem 5 has no gap, and "
        "its factor B is right."
    ),
    tested_on=("The environment of the claim about Theorem 6 for mean rewards above 1." + LARGE_REWARDS),
)
def scaling_of_theorem_6() -> tuple[Reading, ...]:
    """As before, see Remark 2 preceding the proof of Lemma 21 to introduce the missing B factor. [Remark 2: ... the
    regret bound for B = 1 applies. However, this bounds the regret in the scaled problem: in the original problem the
    rewards and hence regret must be scaled up by a factor of B.]
    """
    given = (LARGE_ENOUGH,)
    return (
        printed(LARGE, says=_ten_rounds(LARGEST_REWARD), assumes=given, provable=False),
        repaired(
            "with the factor B^2; examined on the same environment",
            LARGE, says=_ten_rounds(LARGEST_REWARD**2), assumes=given, provable=False,
        ),
    )  # fmt: skip


@claim("shariff-sheffet-2018/thm5-step", "Proof of Theorem 5, last display", role="step")
def last_step_of_theorem_5() -> Reading:
    """beta_n sqrt(8 d n log(1 + n L^2/(d rho_min))) <= sqrt(8 n) [sigma (2 log(2/alpha) + d log(rho_max/rho_min + n
    L^2/(d rho_min))) + (S sqrt(rho_max) + gamma) sqrt(d log(1 + n L^2/(d rho_min)))].
    """
    d, seen, width = integer("d", 1, region=(1, 10)), positive("seen", (0.1, 100.0)), positive("width", (0.1, 10.0))
    words = "0 < rho_min <= rho_max, in Definition 3"
    quotient = Variable("quotient", 1, math.inf, region=(1, 10), words=words)
    sure = CONFIDENCE + d.symbol * log(quotient.symbol + seen.symbol)
    volume = d.symbol * log(1 + seen.symbol)
    left = (SIGMA.symbol * sqrt(sure) + width.symbol) * sqrt(volume)
    says = at_most(left, SIGMA.symbol * sure + width.symbol * sqrt(volume))
    return printed(d, seen, quotient, width, SIGMA, ALPHA, says=says, provable=False)


@claim("shariff-sheffet-2018/lem21", "Lemma 21")
def lemma_21() -> Reading:
    """Suppose ... beta_n >= max{beta_1, ..., beta_n, 1}; also assume that B = 1. ... then the pseudo-regret of
    Algorithm 1 is bounded by R_n <= beta_n sqrt(4 n sum_{t=1}^n min{1, |x_t|^2_{V_t^{-1}}}).
    """
    norms = total("t", 1, N.symbol, minimum(1, SEEN / (1 + (T - 1) * SEEN)))
    says = at_most(FIRST, maximum(WIDTH, 1) * sqrt(4 * N.symbol * norms))
    variables = (N, S, RHO, GAMMA)
    return printed(*variables, says=says, assumes=(at_most(S.symbol, 1),), provable=False)


U = positive("U", (0.1, 10.0))


def _potential(term: Expression) -> Expression:
    """Return the sum of a term over rounds; d = 1, and each action has the length L."""
    return total("t", 1, N.symbol, term)


NORM = L.symbol**2 / (U.symbol + (T - 1) * L.symbol**2)


@claim("shariff-sheffet-2018/lem22", "Lemma 22, first inequality")
def lemma_22() -> Reading:
    """sum_{t=1}^n min{1, |x_t|^2_{U_t^{-1}}} <= 2 log(det U_{n+1}/det U_1)."""
    says = at_most(_potential(minimum(1, NORM)), 2 * log(1 + N.symbol * L.symbol**2 / U.symbol))
    return printed(N, L, U, says=says, provable=False)


@claim("shariff-sheffet-2018/lem22-second", "Lemma 22, second inequality")
def lemma_22_second() -> Reading:
    """2 log(det U_{n+1}/det U_1) <= 2 d log((tr U_1 + n L^2)/(d det^{1/d} U_1))."""
    # d = 2, U_1 diagonal, all actions along the first axis
    first, second = positive("u_1", (0.1, 10.0)), positive("u_2", (0.1, 10.0))
    grown = N.symbol * L.symbol**2
    left = (first.symbol + grown) * second.symbol
    return printed(
        N, L, first, second, says=at_most(left, ((first.symbol + second.symbol + grown) / 2) ** 2), provable=False
    )


@claim("shariff-sheffet-2018/lem22-fact", "Proof of Lemma 22", role="step")
def logarithm() -> Reading:
    """We use the fact that min{1, u} <= 2 log(1 + u) for any u >= 0."""
    u = Variable("u", 0, math.inf, region=(0, 10))
    return printed(u, says=at_most(minimum(1, u.symbol), 2 * log(1 + u.symbol)))


@claim(
    "shariff-sheffet-2018/lem22-telescope",
    "Proof of Lemma 22",
    kind="identity",
    role="step",
    consequence="A misprint: the display that ends the paragraph has det U_1, and the lemma stands.",
    tested_on=("d = 1 and all actions have length 1, so that U_t = U + t - 1."),
)
def telescope() -> tuple[Reading, ...]:
    """We will show that this last summation [2 sum_{t=1}^n log(1 + |x_t|^2_{U_t^{-1}})] is 2 log(det U_{n+1}/det
    U_n).
    """
    # d = 1, and all actions have length 1
    left = _potential(2 * log(1 + 1 / (U.symbol + T - 1)))
    last, first = (2 * log((U.symbol + N.symbol) / start) for start in (U.symbol + N.symbol - 1, U.symbol))
    return (
        Reading("det U_n, as printed", (N, U), equal(left, last), provable=False),
        Reading("det U_1, as at the end", (N, U), equal(left, first), provable=False),
    )


@claim("shariff-sheffet-2018/thm6-sum", "Proof of Theorem 6", role="step")
def regrets_and_squares() -> Reading:
    """... if the per-round pseudo-regret r_t != 0 then r_t >= Delta. ... sum r_t <= sum r_t^2/Delta."""
    regret, gap = positive("r", (0.1, 2.0)), positive("Delta", (0.1, 2.0))
    says = at_most(regret.symbol, regret.symbol**2 / gap.symbol)
    return printed(regret, gap, says=says, assumes=(at_least(regret.symbol, gap.symbol),), provable=False)


@claim(
    "shariff-sheffet-2018/gap-order",
    "Appendix B.1",
    kind="order",
    consequence=(
        '(3) is of the order log(n)^2/Delta and (2) of the order sqrt(n) log(n). The sentence begins with "Broadly '
        'speaking": read it up to logarithms, or quote (2) and (3).'
    ),
    tested_on=("B = d = sigma = 1; both sides over 8/Delta, the left one from below. log_n stands for log(n)."),
)
def order_with_gap() -> tuple[Reading, ...]:
    """Broadly speaking, these bounds for contextual linear bandits match those for standard MAB algorithms in terms
    of their dependence on n and Delta - just like with UCB, for example, the minimax bound is O(sqrt(n)) and the
    gap-dependent bound is O(log(n)/Delta).
    """
    # (3) with B = d = sigma = 1, over 8/Delta, from below
    s, log_n = variable("s"), variable("log_n")

    def bounded(name: str, right: Expression) -> Reading:
        return Reading(name, (N, ALPHA), Order(log_n**2, "O", right, ({"log_n": s},)))

    return bounded("in n to the letter", log_n), bounded("up to a factor log(n)", log_n**2)


@claim("shariff-sheffet-2018/subgaussian", "Appendix D, setting", kind="law")
def subgaussian() -> Reading:
    """The rewards are either -1 or +1 ... and, being bounded in the [-1, 1] interval, the reward distribution is
    subgaussian with sigma^2 = 1.
    """
    p, slope = probability("p"), Variable("lambda", -math.inf, math.inf, region=(-3, 3))
    mean = 2 * p.symbol - 1
    left = p.symbol * exp(slope.symbol * (1 - mean))
    left = left + (1 - p.symbol) * exp(expression(-1) * slope.symbol * (1 + mean))
    return printed(p, slope, says=at_most(left, exp(slope.symbol**2 / 2)), provable=False)
