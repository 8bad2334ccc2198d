"""Azize and Basu (NeurIPS 2022): statements that were entered by steps of their proofs only, on instances."""

from __future__ import annotations

import math

from privcheck.claims._claim import Order, Reading, at_least, at_most, equal, printed
from privcheck.claims._declared_claims import claim, repaired
from privcheck.claims._exact_laws import bernoulli_divergence, laplace_below
from privcheck.claims._expression import absolute, exp, expression, log, minimum, sqrt, variable
from privcheck.claims._variables import Variable, integer, positive, probability

BUDGET = positive("epsilon", (0.01, 10.0))
GAP = Variable("Delta", 0, 1, low_open=True, region=(0.01, 1))
ARMS = integer("K", 2, words="For any K > 1")


@claim(
    "azize-basu-2022/thm1",
    "Theorem 1",
    kind="privacy",
    tested_on="d = 2. Both sides are logarithms of the density of the output at y, without the common factor.",
)
def theorem_1() -> Reading:
    """If d noise samples are generated independently from Lap(s(f)/epsilon), the output injected with the noise, i.e.
    f(D) + [N_1, ..., N_d] satisfies epsilon-DP. [s(f) is the largest L1 norm of f(D) - f(D').]
    """
    y_1, y_2 = (Variable(name, -math.inf, math.inf, region=(-10, 10)) for name in ("y_1", "y_2"))
    c_1, c_2 = (Variable(name, -math.inf, math.inf, region=(-5, 5)) for name in ("c_1", "c_2"))
    size = positive("s", (0.1, 10.0))

    def exponent(shift_1: object, shift_2: object) -> object:
        moved = absolute(y_1.symbol - shift_1) + absolute(y_2.symbol - shift_2)  # type: ignore[operator]
        return -1 * BUDGET.symbol * moved / size.symbol

    says = at_most(exponent(0, 0), BUDGET.symbol + exponent(c_1.symbol, c_2.symbol))  # type: ignore[operator,arg-type]
    given = (at_most(absolute(c_1.symbol) + absolute(c_2.symbol), size.symbol),)
    return printed(y_1, y_2, c_1, c_2, size, BUDGET, says=says, assumes=given, provable=False)


@claim(
    "azize-basu-2022/lem1",
    "Lemma 1",
    kind="privacy",
    tested_on=(
        "One reward of a block from i to j changes. The left side is the largest privacy loss of the printed "
        "statistic, the change of the sum over j - i, times (j - i) epsilon."
    ),
)
def lemma_1() -> Reading:
    """Let us define the private empirical mean of the rewards between steps i and j (i < j) as (1/(j - i)) sum_{t=i}^j
    r_t + Lap(1/((j - i) epsilon)). If 1 < t_1 < ... < t_l < T and r_t in [0, 1], the mechanism mapping the sequence of
    rewards to (l + 1)-private empirical means satisfies epsilon-DP.
    """
    first, second, length = probability("r"), probability("r'"), integer("j-i", 1)
    loss = absolute(first.symbol - second.symbol) / length.symbol * (length.symbol * BUDGET.symbol)
    return printed(first, second, length, BUDGET, says=at_most(loss, BUDGET.symbol), provable=False)


@claim(
    "azize-basu-2022/thm3",
    "Theorem 3",
    tested_on=(
        "Bernoulli rewards with means p < q. The left side is d_epsilon(p, q), which bounds E N_a/log T from below in "
        "its place (docs/evidence/derivations.md); where it is at most the printed minimum, the printed bound "
        "follows. The "
        "condition says that epsilon is so small that privacy matters; for a larger one d_epsilon is the divergence."
    ),
)
def theorem_3() -> Reading:
    """... for all nu, it holds that liminf Reg_T(pi^epsilon, nu)/log(T) >= sum_{a: Delta_a > 0} Delta_a/min(d_inf(P_a,
    mu*, M_a), 6 epsilon t_inf(P_a, mu*, M_a)).
    """
    p, q = (probability(name, open_ends=True, region=(0.02, 0.98)) for name in ("p", "q"))
    trade_off = -1 * log(1 - q.symbol * (1 - exp(-1 * BUDGET.symbol))) - BUDGET.symbol * p.symbol
    right = minimum(bernoulli_divergence(p.symbol, q.symbol), 6 * BUDGET.symbol * (q.symbol - p.symbol))
    matters = at_most(BUDGET.symbol, log(q.symbol * (1 - p.symbol) / (p.symbol * (1 - q.symbol))))
    ordered = at_most(p.symbol, q.symbol)
    return printed(p, q, BUDGET, says=at_most(trade_off, right), assumes=(ordered, matters), provable=False)


@claim(
    "azize-basu-2022/thm4",
    "Theorem 4, the term of privacy",
    tested_on=(
        "Over d/epsilon. The right side is what the printed proof gives with the divergence bounded by epsilon E sum "
        "TV, without the factor 6 (docs/evidence/repaired-proofs.md), and with Markov's inequality as it is: a "
        "factor e^5/2 = "
        "74 to spare, and a smaller error in the printed constant is not seen."
    ),
)
def theorem_4() -> Reading:
    """Let A = [-1, 1]^d and Theta = R^d. Then, for any epsilon-global DP policy, Reg^minimax_T(A, Theta) >= max{exp(-2)
    d sqrt(T)/8, exp(-6) d/(4 epsilon)}.
    """
    return printed(says=at_most(exp(-6) / 4, exp(-1) / 8))


@claim(
    "azize-basu-2022/eq17",
    "Proof of Theorem 3, (17)",
    role="step",
    consequence=(
        "The event is that of arm 1 and should be that of arm a: on the event that arm 1 is played in at most half of "
        "the rounds, the other rounds may all be those of an arm with a small gap. Write the event that arm a is "
        "played in more than half of the rounds, or the smallest positive gap for Delta_a; the limit, and Theorem 3, "
        "are the same."
    ),
    tested_on=(
        "A policy that has played a third arm in all T rounds, whose gap is Delta_2. Then M(A) = 1 and M'(A^c) = 0. "
        "The left side is Reg_T + Reg'_T, where `more` is mu'_a - mu*."
    ),
)
def equation_17() -> tuple[Reading, ...]:
    """Then, by regret decomposition and Markov Inequality 6, we obtain Reg_T + Reg'_T >= (T/2) (M_{nu pi}(A) Delta_a +
    M_{nu' pi}(A^c) (mu'_a - mu*)) [A = {(a_1, ..., a_T): card({j: a_j = 1}) <= T/2}].
    """
    rounds, more = integer("T", 1), positive("more", (0.001, 1.0))
    small = Variable("Delta_2", 0, 1, low_open=True, region=(0.001, 1))
    left = rounds.symbol * (2 * small.symbol + more.symbol)
    least = minimum(GAP.symbol, small.symbol)
    return (
        printed(rounds, GAP, small, more, says=at_least(left, rounds.symbol / 2 * GAP.symbol), provable=False),
        repaired(
            "with the smallest positive gap for Delta_a",
            rounds, GAP, small, more, says=at_least(left, rounds.symbol / 2 * least), provable=False,
        ),
    )  # fmt: skip


@claim(
    "azize-basu-2022/thm8-constants",
    "Theorem 8, and the choice of l in its proof",
    kind="order",
    role="step",
    consequence=(
        "gamma_{l,T} exists only if 2^l >= log(T)/log(1/mu_a). If privacy does not matter, 2^l is at most twice "
        "(C_1/4) log(T)/d(mu_a, mu_1); so the proof needs C_1/4 >= d(mu_a, mu_1)/(2 log(1/mu_a)), which grows without "
        "bound as mu_1 tends to 1. Read C_1 and C_2 as constants of the instance, or use the explicit bound of "
        "privcheck.bounds. That the theorem fails with constants of alpha alone is not shown."
    ),
    tested_on=(
        "mu_a = 1/2, mu_1 = 1 - one_minus_best, and privacy does not matter. The left side is what C_1/4 has to exceed."
    ),
)
def constants_of_theorem_8() -> tuple[Reading, ...]:
    """... for alpha > 3 and constants C_1(alpha), C_2 > 0, it yields a regret ... [Proof:] we choose l to be the
    smallest integer such that 2^l >= inf_{beta in B} max{(1 + beta) alpha/d(mu_a, mu_1), (1 + alpha)/((c(beta) -
    gamma_{l,T}) epsilon Delta_a)} log(T) =: (C_1(alpha)/4)/min{d(mu_a, mu_1), C_2 epsilon Delta_a} log(T).
    """
    s, above = variable("s"), variable("one_minus_best")
    needed = (-1 * log(above) / 2 - log(1 - above) / 2 - log(2)) / (2 * log(2))  # d(1/2, mu_1) over 2 log(2)
    variables = (Variable("one_minus_best", 0, 1, low_open=True, high_open=True),)
    return (
        Reading(
            "C_1 depends on alpha only", variables, Order(needed, "O", expression(1), ({"one_minus_best": 1 / s},))
        ),
        Reading("C_1 and C_2 may depend on the means", variables, None),
    )


@claim(
    "azize-basu-2022/thm12",
    "Theorem 12",
    tested_on=(
        "For one arm, over alpha log(T). The left side is what the repaired proof of Theorem 7 gives, the right side "
        "the sum from which the printed proof goes on: a factor 1.5 to spare, at epsilon = Delta/2."
    ),
)
def theorem_12() -> Reading:
    """For rewards in [0, 1], AdaP-UCB yields a regret Reg_T <= (3 alpha/(alpha - 3)) sum_a Delta_a + 8 sqrt(alpha K T
    log(T)) + 16 alpha K log(T)/epsilon.
    """
    left = 2 / GAP.symbol * (1 + sqrt(1 + 4 * GAP.symbol / BUDGET.symbol)) ** 2
    return printed(GAP, BUDGET, says=at_most(left, 16 * (1 / GAP.symbol + 1 / BUDGET.symbol)))


@claim("azize-basu-2022/lem10", "Lemma 10", kind="law")
def lemma_10() -> Reading:
    """For any a, b > 0, we have P(Lap(b) > a) = exp(-a/b)/2 and P(Lap(b) < -a) = exp(-a/b)/2."""
    level, scale = positive("a", (0.1, 10.0)), positive("b", (0.1, 10.0))
    beyond = 1 - laplace_below(level.symbol / scale.symbol)
    says = equal(beyond, exp(-1 * level.symbol / scale.symbol) / 2)
    return printed(level, scale, says=says, provable=False)


@claim("azize-basu-2022/remark2", "Remark 2", kind="identity")
def remark_2() -> Reading:
    """For Bernoulli distributions, t_a is equal to Delta_a, so the private lower bound simplifies to: O(sum_{a:
    Delta_a > 0} Delta_a (1/(epsilon Delta_a)) log(T)) = O(K log(T)/epsilon).
    """
    # K - 1 suboptimal arms with equal gaps, over log(T); the O stands for Omega, of a lower bound
    left = (ARMS.symbol - 1) * GAP.symbol / (BUDGET.symbol * GAP.symbol)
    return printed(ARMS, GAP, BUDGET, says=equal(left, (ARMS.symbol - 1) / BUDGET.symbol))
