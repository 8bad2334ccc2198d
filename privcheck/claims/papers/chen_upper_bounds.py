"""Chen et al. (ICML 2020): the regret bounds of Algorithms 1 to 3, and what they are compared with."""

from __future__ import annotations

import math

from privcheck.claims._claim import Order, Reading, at_least, at_most, printed
from privcheck.claims._declared_claims import claim, repaired
from privcheck.claims._expression import Expression, expression, log, maximum, minimum, sqrt, total, variable
from privcheck.claims._variables import Variable, integer, positive
from privcheck.claims.papers.chen_lost_arm import LOST_ARM, lost_arm, steps

S, LOG_T = variable("s"), variable("log_T")
BUDGET, GAP = positive("epsilon", (0.01, 10.0)), positive("Delta", (0.01, 10.0))
SMOOTH, K = positive("B_1", (0.1, 10.0)), integer("K", 1, region=(1, 20))
"""B_1 of Assumption 2, and the largest size of a super arm."""
HORIZON = integer("T", 1, region=(1, 1000000))
LOG = log(HORIZON.symbol)
HALF = expression("1/2")


@claim(
    "chen-2020/thm2",
    "Theorem 2, (3)",
    kind="order",
    consequence=LOST_ARM,
    tested_on=(
        "K = B = 1, epsilon = 1, and two arms with the fixed rewards 1/2 + Delta and 1/2. The left side is a lower"
        " bound of the regret, up to constants; the right side is log_T, which stands for ln T."
    ),
    derivation=steps,
)
def theorem_2() -> Reading:
    """Under B_inf-bounded smoothness and monotonicity assumptions, the regret of Algorithm 1 is upper bounded by
    O(sum_{i: Delta_min^i > 0} K^2 B_inf^2 ln T/(epsilon^2 Delta_min^i)). [Its indices are min{mean + 4 sqrt(2 K ln
    T/(epsilon^2 T_{t-1,i})), 1}, the noise of each reward is Lap(K/epsilon).]
    """
    return lost_arm(BUDGET, GAP)


@claim(
    "chen-2020/thm4",
    "Theorem 4, (4)",
    kind="order",
    consequence=LOST_ARM,
    tested_on=(
        "B = 1, epsilon = 1, and two arms with the fixed rewards 1/2 + Delta and 1/2. The left side is a lower "
        "bound of the regret, up to constants; the right side is log_T, which stands for ln T."
    ),
    derivation=steps,
)
def theorem_4() -> Reading:
    """Under B_inf-bounded smoothness and monotonicity assumptions, the regret of Algorithm 2 is upper bounded by
    O(sum_{i: Delta_min^i > 0} B_inf^2 ln T/(epsilon^2 Delta_min^i)). [Its indices are min{mean + 4 sqrt(2 ln
    T/(epsilon^2 T_{t-1,i})), 1}, the noise of each reward is Lap(1/epsilon).]
    """
    return lost_arm(BUDGET, GAP)


def _against(name: str, left: Expression, right: Expression, path: dict[str, Expression]) -> Reading:
    return Reading(name, (integer("T", 1), BUDGET, GAP), Order(left, "O", right, (path,)))


ONE = expression(1)
M, EPS, DELTA, SIZE = variable("m"), variable("epsilon"), variable("Delta"), variable("K")
NOT_PRIVATE = M * LOG_T / DELTA
LATE = 4 * log(S)
"""ln T for T = s^4: no regret is limited by T Delta, and powers of ln T are small beside powers of s."""
ADDITIVE = M * SIZE * LOG_T**2 / DELTA + M * SIZE * LOG_T**3 * log(2 + SIZE * LOG_T / (DELTA * EPS)) / EPS
"""Theorem 8 with B_1 = 1."""


@claim(
    "chen-2020/abstract-ldp",
    "Abstract, and Table 1",
    kind="order",
    consequence=(
        "A matter of the range of epsilon, which the abstract leaves out: above 1 the regret is at least that without "
        "privacy, which does not fall with epsilon. Theorem 5 has (e^epsilon - 1)^2, and epsilon^2 for epsilon <= 1/2 "
        "only. Write 1 + 1/epsilon^2 for 1/epsilon^2 otherwise. The upper bound rests on Theorem 4 as well."
    ),
)
def abstract_local() -> tuple[Reading, ...]:
    """... for B_inf-bounded smooth CSB under either epsilon-LDP or epsilon-DP, we prove the optimal regret bound is
    Theta(m B_inf^2 ln T/(Delta epsilon^2)) ... [Table 1, without privacy: Theta(m B_inf^2 ln T/Delta).]
    """
    claimed = M * LOG_T / (DELTA * EPS**2)
    fixed = {"m": expression(2), "log_T": ONE, "Delta": HALF}
    return (
        _against("every epsilon > 0", NOT_PRIVATE, claimed, fixed | {"epsilon": S}),
        _against("epsilon <= 1", NOT_PRIVATE, claimed, fixed | {"epsilon": 1 / S}),
    )


@claim(
    "chen-2020/dp-upper",
    "End of section 3.2",
    kind="order",
    consequence="As for the abstract: state epsilon <= 1, or write 1 + 1/epsilon for 1/epsilon.",
)
def upper_bound_for_privacy() -> tuple[Reading, ...]:
    """... it is not hard to prove that this variant for DP can achieve regret bound O~(m B_inf^2 ln T/(epsilon Delta)).
    [Table 1, without privacy: Theta(m B_inf^2 ln T/Delta).]
    """
    claimed = M * LOG_T**6 / (DELTA * EPS)  # with five more logarithms for O~
    fixed = {"m": expression(2), "log_T": ONE, "Delta": HALF}
    return (
        _against("every epsilon > 0", NOT_PRIVATE, claimed, fixed | {"epsilon": S}),
        _against("epsilon <= 1", NOT_PRIVATE, claimed, fixed | {"epsilon": 1 / S}),
    )


@claim(
    "chen-2020/dp-lower",
    "End of section 3.3",
    kind="order",
    consequence=(
        "For one base arm a round (K = 1, where B_1 and B_inf are the same) Theorem 8 has a regret of the order "
        "m/Delta + m/epsilon up to logarithms, which is below m/(Delta epsilon) if both are small. The caption of "
        "Table 1 says that the lower bound is additive; quote it as Omega(m B^2 ln T/Delta + m B ln T/epsilon)."
    ),
)
def lower_bound_for_privacy() -> tuple[Reading, ...]:
    """For B_inf-bounded smooth CSB under DP setting, using nearly the same technique, it is not hard to prove that the
    corresponding lower bound is Omega(m B_inf^2 ln T/(epsilon Delta)). [Table 1: Here, we write it in a multiplicative
    form for simplicity, which is natural in common parameter regimes.]
    """
    lower = M * LOG_T / (EPS * DELTA)
    start = {"m": expression(2), "K": ONE, "log_T": S}
    both = {"m": expression(2), "K": ONE, "log_T": LATE, "epsilon": 1 / S, "Delta": 1 / S}
    return (
        _against("every epsilon and Delta, against Theorem 8 with K = 1", lower, ADDITIVE, both),
        _against("epsilon is fixed", lower, ADDITIVE, start | {"epsilon": ONE, "Delta": 1 / S}),
        _against("Delta is fixed", lower, ADDITIVE, start | {"epsilon": 1 / S, "Delta": HALF}),
    )


@claim(
    "chen-2020/dp-smooth",
    "Abstract, section 5 and Table 1",
    kind="order",
    consequence=(
        "The additive form of Theorems 8 and 9 is the one to use. The multiplicative one is smaller than the lower "
        "bound of Theorem 9 if Delta grows with K, and larger than the upper bound of Theorem 8 if epsilon and Delta "
        "are small."
    ),
)
def multiplicative_form() -> tuple[Reading, ...]:
    """For B_1-bounded smooth CSB under epsilon-DP, we also prove the optimal regret bound is Theta~(m K B_1^2 ln
    T/(Delta epsilon)). [Table 1: Our lower bound in DP setting is actually in an additive form, see Theorem 9.]
    """
    claimed, lower = M * SIZE * LOG_T / (DELTA * EPS), M * SIZE * LOG_T / DELTA + M * SIZE * LOG_T / EPS
    most, least = claimed * LOG_T**5, claimed / LOG_T**5  # five logarithms for the tilde
    large = {"m": 3 * S, "K": S, "log_T": LATE, "epsilon": ONE, "Delta": S / 4}
    small = {"m": expression(2), "K": ONE, "log_T": LATE, "epsilon": 1 / S, "Delta": 1 / S}
    common = {"m": 3 * S, "K": S, "log_T": S, "epsilon": ONE, "Delta": HALF}
    return (
        _against("Delta = B_1 K/4, against Theorem 9", lower, most, large),
        _against("epsilon = Delta, against Theorem 8", least, ADDITIVE, small),
        _against("epsilon and Delta are fixed, against Theorem 9", lower, claimed, common),
    )


@claim(
    "chen-2020/lem2",
    "Lemma 2",
    consequence=(
        "Twice the width sqrt(4 ln(m T)/n) of Algorithm 3 is 4 sqrt(ln(m T)/n): write ln(m T) for ln T in F_t. For m "
        "of the order of a power of T the orders do not change."
    ),
    tested_on=(
        "B_1 = K = 1, and each of m base arms is a super arm; one has the fixed reward 1 - Delta, all others 1, "
        "and epsilon is so large that the noise does not matter. The bad arm ties with all others for 4 ln(m "
        "T)/Delta^2 pulls, of which F_t covers 16 ln(T)/Delta^2 at most, and ties are broken in its favour. The "
        "left side is the regret that F_t does not cover, the right side 3 Delta."
    ),
)
def lemma_2() -> tuple[Reading, ...]:
    """Denote F_t = {Delta_{S_t} <= B_1 sum_{i in S_t} (4 sqrt(ln T/T_{t-1,i}) + 24 K ln^3 T/(T_{t-1,i} epsilon))}. Then
    the regret for Algorithm 3 is bounded by sum_t Delta_{S_t} 1{F_t} + 3 sum_i Delta_max^i. [Its indices are min{mean +
    sqrt(4 ln(m T)/T_{t-1,i}) + 12 K ln^3 T/(T_{t-1,i} epsilon), 1}.]
    """
    # each base arm is a super arm; one has the fixed reward 1 - Delta, all others 1; epsilon is so large that the noise
    # does not matter. The bad arm has index 1, as all others, for 4 ln(m T)/Delta^2 pulls, and F_t holds for 16
    # ln(T)/Delta^2 of them; all ties are broken in favour of the bad arm
    words = "m base arms, a bad one among them"
    horizon, arms = integer("T", 1, region=(1, 1000)), integer("m", 2, region=(2, 10**12), words=words)
    gap = Variable("Delta", 0, 1, low_open=True)
    log_t, square = log(horizon.symbol), gap.symbol**2
    pulls = minimum(horizon.symbol, 4 * (log(arms.symbol) + log_t) / square) - 1
    says = at_most(gap.symbol * (pulls - 16 * log_t / square - 1), 3 * gap.symbol)
    few = (at_most(arms.symbol, horizon.symbol**3),)
    return (
        Reading("any number of base arms", (horizon, arms, gap), says, provable=False),
        Reading("at most T^3 base arms", (horizon, arms, gap), says, few, provable=False),
    )


PULLS = integer("n", 1, region=(1, 100))
FIRST, SECOND = 256 * SMOOTH.symbol**2 * K.symbol**2 * LOG / GAP.symbol**2, 96 * SMOOTH.symbol * K.symbol**2
SECOND = SECOND * LOG**3 / (BUDGET.symbol * GAP.symbol)
ENOUGH = maximum(FIRST, SECOND)
"""n_max."""
INSTANCE = (K, SMOOTH, GAP, BUDGET, HORIZON)
INSIDE = 256 * K.symbol**2 * SMOOTH.symbol**2 * LOG**4 / (BUDGET.symbol * GAP.symbol**2)


@claim("chen-2020/thm8-pulls", "Proof of Theorem 8", role="step")
def enough_pulls() -> Reading:
    """Let n_max = max{256 B_1^2 K^2 ln T/Delta_min^2, 96 B_1 K^2 ln^3 T/(epsilon Delta_min)}. Denote Delta_i(n) = 4 B_1
    sqrt(ln T/n) + 24 B_1 K ln^3 T/(n epsilon) - Delta_min/(2 K). For base arm i, if n >= n_max, we have Delta_i(n) <=
    0.
    """
    pulls = positive("pulls", (0.1, 1000.0))
    left = 4 * SMOOTH.symbol * sqrt(LOG / pulls.symbol)
    left = left + 24 * SMOOTH.symbol * K.symbol * LOG**3 / (pulls.symbol * BUDGET.symbol)
    given = (at_least(pulls.symbol, ENOUGH),)
    says = at_most(left, GAP.symbol / (2 * K.symbol))
    return printed(*INSTANCE, pulls, says=says, assumes=given, provable=False)


@claim("chen-2020/thm8-root", "Proof of Theorem 8", role="step")
def sum_of_roots() -> Reading:
    """[First term:] sum_{n=1}^{n_max} 2 B_1 4 sqrt(ln T/n) <= int_0^{n_max} 8 B_1 sqrt(ln T/n) dn <= 16 B_1 sqrt(ln T
    n_max).
    """
    index = variable("i")
    left = total("i", 1, PULLS.symbol, 1 / sqrt(index))
    return printed(PULLS, says=at_most(left, 2 * sqrt(PULLS.symbol)), provable=False)


@claim("chen-2020/thm8-harmonic", "Proof of Theorem 8", role="step")
def harmonic_sum() -> Reading:
    """[Second term:] sum_{n=1}^{n_max} 48 B_1 K ln^3 T/(n epsilon) <= 48 B_1 K ln^3 T/epsilon + int_1^{n_max} 48 B_1 K
    ln^3 T/(n epsilon) dn.
    """
    index = variable("i")
    says = at_most(total("i", 1, PULLS.symbol, 1 / index), 1 + log(PULLS.symbol))
    return printed(PULLS, says=says, provable=False)


@claim(
    "chen-2020/thm8-logarithm",
    "Proof of Theorem 8, last line of the display",
    role="step",
    consequence=(
        "It needs epsilon <= ln^3 T and Delta_min <= (8/3) B_1 ln T, which hold for large T and a fixed epsilon. For "
        "small horizons or a large epsilon write ln(1 + n_max). The order of Theorem 8 in T stands."
    ),
    tested_on=("The left side is n_max, the right side the argument of the logarithm that replaces it."),
)
def logarithm_of_pulls() -> tuple[Reading, ...]:
    """... (48 B_1 K ln^3 T/epsilon + int_1^{n_max} 48 B_1 K ln^3 T/(n epsilon) dn) <= ... (48 B_1 K ln^3 T/epsilon) (1
    + ln(256 K^2 B_1^2 ln^4 T/(epsilon Delta_min^2))) [n_max is max{256 B_1^2 K^2 ln T/Delta_min^2, 96 B_1 K^2 ln^3
    T/(epsilon Delta_min)}].
    """
    says = at_most(ENOUGH, INSIDE)
    given = (
        at_most(BUDGET.symbol, LOG**3),
        at_most(3 * GAP.symbol, 8 * SMOOTH.symbol * LOG),
    )
    late = Variable("log_T", 1, math.inf, region=(1, 50), words="T >= e, as the reading says")
    at_late = at_most(maximum(1024 * late.symbol, 192 * late.symbol**3), 1024 * late.symbol**4)
    return (
        Reading("every T >= 2 and epsilon > 0", INSTANCE, says, provable=False),
        Reading("T >= e, K = B_1 = epsilon = 1 and Delta_min = 1/2", (late,), at_late, provable=False),
        repaired(
            "if epsilon <= ln^3 T and Delta_min <= (8/3) B_1 ln T",
            *INSTANCE, says=says, assumes=given, provable=False,
        ),
    )  # fmt: skip


X, Y = positive("a", (0.1, 10.0)), positive("b", (0.1, 10.0))


@claim("chen-2020/thm8-means", "Proof of Theorem 8", role="step")
def means() -> Reading:
    """... basic inequalities such as sqrt(a b) >= 2/(1/a + 1/b)."""
    return printed(X, Y, says=at_least(sqrt(X.symbol * Y.symbol), 2 / (1 / X.symbol + 1 / Y.symbol)), provable=False)


@claim("chen-2020/thm8-roots", "Proof of Theorem 8", role="step")
def roots() -> Reading:
    """... and sqrt(a + b) <= sqrt(a) + sqrt(b) (a, b >= 0)."""
    return printed(X, Y, says=at_most(sqrt(X.symbol + Y.symbol), sqrt(X.symbol) + sqrt(Y.symbol)))


@claim(
    "chen-2020/thm8",
    "Theorem 8, and the end of its proof",
    kind="order",
    role="step",
    consequence=(
        "The logarithm is 0 where B_1 K ln T = Delta_max epsilon, and negative beyond. Take 1 + ln(1 + ...) for it. "
        "For a fixed epsilon and large T nothing changes."
    ),
    tested_on=(
        "m = 1 base arm, B_1 = K = 1, Delta_min = Delta_max = 1/2. The left side is the last line of the display "
        "before, the right side the printed order, both in log_T, which stands for ln T."
    ),
)
def theorem_8() -> tuple[Reading, ...]:
    """After simplifying ... we can show that R_T <= O(B_1^2 K ln^2 T sum_i 1/Delta_min^i + m B_1 K ln^3 T ln(B_1 K ln
    T/(Delta_max epsilon))/epsilon).
    """

    # one base arm, B_1 = K = 1, Delta_min = Delta_max = 1/2; the last line of the display before
    def last_line(epsilon: Expression) -> tuple[Expression, Expression]:
        left = 16 * sqrt(LOG_T * (1024 * LOG_T + 192 * LOG_T**3 / epsilon))
        left = left + 48 * LOG_T**3 / epsilon * (1 + log(1024 * LOG_T**4 / epsilon))
        return left, 2 * LOG_T**2 + LOG_T**3 * log(2 * LOG_T / epsilon) / epsilon

    variables = (integer("T", 1), BUDGET)
    large, fixed = last_line(2 * LOG_T), last_line(ONE)
    return (
        Reading("every epsilon > 0", variables, Order(large[0], "O", large[1], ({"log_T": S},))),
        Reading("epsilon is fixed and T is large", variables, Order(fixed[0], "O", fixed[1], ({"log_T": S},))),
    )
