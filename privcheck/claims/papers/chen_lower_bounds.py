"""Chen et al. (ICML 2020): the lower bounds, sections 3.3, 4.1 and 4.3."""

from __future__ import annotations

from privcheck.claims._claim import Order, Reading, at_least, at_most, equal, printed
from privcheck.claims._declared_claims import claim
from privcheck.claims._exact_laws import bernoulli_divergence
from privcheck.claims._expression import Expression, exp, expression, maximum, variable
from privcheck.claims._variables import Variable, integer, positive
from privcheck.claims.papers.chen_upper_bounds import ADDITIVE, LATE

BUDGET = positive("epsilon", (0.01, 10.0))
SHIFT = Variable(
    "shift",
    0,
    0.35,
    low_open=True,
    high_open=True,
    region=(0.01, 0.35),
    words="any Delta satisfying 0 < Delta/B_inf < 0.35",
)
"""Delta/B_inf, or Delta/(B_1 K)."""
S, ONE, HALF = variable("s"), expression(1), expression("1/2")


@claim(
    "chen-2020/thm5",
    "Theorem 5",
    tested_on=(
        "Over Delta/B_inf^2: the left side is the divergence under randomised response on the instance of the proof, "
        "whose rate kl-UCB attains. It is below the right side by a factor of at least 128: where the bound is larger "
        "by less than that, nothing that is attained contradicts it."
    ),
)
def theorem_5() -> Reading:
    """For any m and K, and any Delta satisfying 0 < Delta/B_inf < 0.35, the regret of any consistent epsilon-locally
    private algorithm ... liminf Reg(T)/log T >= B_inf^2 (m - 1)/(64 (e^epsilon - 1)^2 Delta).
    """
    # no larger than what randomised response followed by kl-UCB attains, (m - 1) Delta/kl, on the instance of the proof
    kept = (exp(BUDGET.symbol) - 1) / (exp(BUDGET.symbol) + 1)
    divergence = bernoulli_divergence(HALF - kept * SHIFT.symbol, HALF)
    says = at_most(divergence, 64 * (exp(BUDGET.symbol) - 1) ** 2 * SHIFT.symbol**2)
    return printed(BUDGET, SHIFT, says=says, provable=False)


@claim("chen-2020/thm5-small", "Theorem 5, second bound")
def theorem_5_small() -> Reading:
    """Specifically, for 0 < epsilon <= 1/2, the regret is at least liminf Reg(T)/log T >= B_inf^2 (m - 1)/(128
    epsilon^2 Delta).
    """
    budget = Variable("epsilon", 0, 0.5, low_open=True, words="for 0 < epsilon <= 1/2")
    return printed(budget, says=at_most(64 * (exp(budget.symbol) - 1) ** 2, 128 * budget.symbol**2))


@claim(
    "chen-2020/thm6",
    "Theorem 6",
    tested_on=(
        "The left side is the printed bound, the right side what randomised response and kl-UCB on the equal paths "
        "attain: at least 128 times as much, as for thm5."
    ),
)
def theorem_6() -> Reading:
    """For any m and K such that m/K is an integer, and any Delta satisfying 0 < Delta/(B_1 K) < 0.35, the regret of any
    consistent epsilon-locally private algorithm ... liminf Reg(T)/log T >= B_1^2 (m - K) K/(64 (e^epsilon - 1)^2
    Delta).
    """
    # the K rewards of a path are equal: m/K arms, (m/K - 1) Delta/kl
    paths, size, smooth = (
        integer("paths", 1, region=(1, 20)),
        integer("K", 1, region=(1, 20)),
        positive("B_1", (0.1, 10.0)),
    )
    kept = (exp(BUDGET.symbol) - 1) / (exp(BUDGET.symbol) + 1)
    gap = SHIFT.symbol * smooth.symbol * size.symbol
    divergence = bernoulli_divergence(HALF - kept * SHIFT.symbol, HALF)
    left = smooth.symbol**2 * (paths.symbol * size.symbol - size.symbol) * size.symbol
    left = left / (64 * (exp(BUDGET.symbol) - 1) ** 2 * gap)
    says = at_most(left, (paths.symbol - 1) * gap / divergence)
    return printed(paths, size, smooth, BUDGET, SHIFT, says=says, provable=False)


@claim("chen-2020/gap", "Sections 4.1 and 4.3, hard instances", kind="identity")
def gap_of_the_instance() -> Reading:
    """w(i) = 0.5 for i in S*, 0.5 - Delta/(B_1 K) otherwise. ... The reward of pulling a super arm S is B_1 times the
    sum of weights of all base arms i in S. As a result, the sub-optimality gap of each sub-optimal super arm is Delta.
    """
    size, smooth, gap = integer("K", 1, region=(1, 20)), positive("B_1", (0.1, 10.0)), positive("Delta", (0.1, 10.0))
    low = HALF - gap.symbol / (smooth.symbol * size.symbol)
    left = smooth.symbol * size.symbol * HALF - smooth.symbol * size.symbol * low
    return printed(size, smooth, gap, says=equal(left, gap.symbol))


SIZE, ARMS = integer("K", 1, region=(1, 20)), integer("m", 2, region=(2, 60), words="m >= 2 K")
TWICE = at_least(ARMS.symbol, 2 * SIZE.symbol)


@claim(
    "chen-2020/thm9-arms",
    "Proof sketch of Theorem 9",
    kind="identity",
    role="step",
    consequence="A misprint: S* contains K base arms, one super arm.",
)
def number_of_arms() -> tuple[Reading, ...]:
    """Suppose there are m base arms ... These m base arms are divided into three sets ... S* contains m base arms,
    which build up the optimal super arm set. S~ contains K - 1 "public" base arms ... S- contains m - 2 K + 1 base
    arms.
    """
    others = (SIZE.symbol - 1) + (ARMS.symbol - 2 * SIZE.symbol + 1)

    def with_best(name: str, best: Expression) -> Reading:
        return Reading(name, (SIZE, ARMS), equal(best + others, ARMS.symbol), (TWICE,))

    return with_best("m base arms in S*, as printed", ARMS.symbol), with_best("K base arms in S*", SIZE.symbol)


@claim(
    "chen-2020/thm9-many",
    "Proof sketch of Theorem 9",
    kind="order",
    role="step",
    consequence=(
        "For m = 2 K there is one sub-optimal super arm, and the sketch gives no factor m. With m >= 3 K it does. "
        "Whether Theorem 9 holds as it is printed, for m >= 2 K, is left open by this."
    ),
)
def number_of_super_arms() -> Reading:
    """[For any m and K such that m >= 2 K ...] Totally we have m - 2 K + 1 sub-optimal super arms ... Since there are
    theta(m) sub-optimal super arms ...
    """
    m, size = variable("m"), variable("K")
    says = Order(m, "O", m - 2 * size + 1, ({"m": 2 * S, "K": S},))
    return printed(SIZE, ARMS, says=says, assumes=(TWICE,))


@claim(
    "chen-2020/thm9-pulls",
    "Proof sketch of Theorem 9",
    kind="order",
    role="step",
    consequence=(
        "A misprint: the conclusion drawn from it, Omega(B_1 m K ln T/epsilon) over Theta(m) super arms, has E(N_S) "
        "of the order K B_1 ln T/(epsilon Delta), without m."
    ),
)
def number_of_pulls() -> tuple[Reading, ...]:
    """... we can prove that E(N_S) is at least Omega(m K B_1 ln T/(epsilon Delta)) for any sub-optimal super arm S with
    high probability. Since there are theta(m) sub-optimal super arm, we can reach the conclusion that the regret lower
    bound for private CSB is Omega(B_1 m K ln T/epsilon).
    """
    # the regret of all sub-optimal super arms against the upper bound of Theorem 8
    m, size, log_t, epsilon = (variable(name) for name in ("m", "K", "log_T", "epsilon"))
    path = {"m": S, "K": ONE, "log_T": LATE, "epsilon": ONE, "Delta": HALF / 2}

    def summed(name: str, each: Expression) -> Reading:
        return Reading(name, (SIZE, ARMS), Order(m * each, "O", ADDITIVE, (path,)))  # each is E(N_S) Delta

    return (
        summed("with the factor m, as printed", m * size * log_t / epsilon),
        summed("without the factor m", size * log_t / epsilon),
    )


@claim(
    "chen-2020/thm9-reduction",
    "Proof sketch of Theorem 9",
    kind="order",
    role="step",
    consequence=(
        "A misprint: B_1^2 for B_1, as in the sentence before and in the theorem. Section 2.1 regards B_1 as a "
        "constant; then nothing changes."
    ),
)
def reduction() -> tuple[Reading, ...]:
    """... the regret lower bound for non-private CSB with B_1-bounded smoothness is Omega(B_1^2 m K ln T/Delta). Since
    private CSB is strictly harder than non-private CSB (by reduction), the regret lower bound for private CSB is
    Omega(B_1 m K ln T/Delta).
    """
    smooth = variable("B_1")
    variables = (positive("B_1"), positive("Delta"))

    def lower(name: str, power: int, at: Expression) -> Reading:
        # over m K ln T/Delta
        return Reading(name, variables, Order(smooth**power, "O", smooth**2, ({"B_1": at},)))

    return (
        lower("B_1, as printed, may be small", 1, 1 / S),
        lower("B_1, as printed, is a constant, as section 2.1 has it", 1, HALF),
        lower("B_1^2", 2, 1 / S),
    )


@claim("chen-2020/thm9-sum", "Proof sketch of Theorem 9")
def larger_and_sum() -> Reading:
    """Omega(max{B_1^2 m K ln T/Delta, B_1 m K ln T/epsilon}) = Omega(B_1^2 m K ln T/Delta + B_1 m K ln T/epsilon)."""
    ratio = positive("ratio", (0.01, 100.0))  # of the first term to the second
    return printed(ratio, says=at_least(maximum(ratio.symbol, 1), (ratio.symbol + 1) / 2))


@claim(
    "chen-2020/conclusion",
    "Section 4.1, after the hard instance, and section 5",
    kind="order",
    consequence=(
        "For m = K there is one super arm and no regret, and Theorem 6 has the factor m - K. Ask for m >= 2 K, for "
        "which m - K is m/2 at least."
    ),
)
def lower_bound_in_words() -> tuple[Reading, ...]:
    """Though we can only prove a lower bound of Omega(m K B_1^2 ln T/(epsilon^2 Delta)) ... [Theorem 6: for any m and K
    such that m/K is an integer, B_1^2 (m - K) K/(128 epsilon^2 Delta).]
    """
    m, size = variable("m"), variable("K")

    def along(name: str, arms: Expression) -> Reading:
        # over K B_1^2/(epsilon^2 Delta); one is added to m - K so that it is not 0
        return Reading(name, (SIZE, ARMS), Order(m, "O", m - size + 1, ({"m": arms, "K": S},)))

    return along("m = K, as Theorem 6 allows", S), along("m >= 2 K", 2 * S)


@claim(
    "chen-2020/thm9-above",
    "Theorem 9",
    kind="order",
    tested_on=(
        "B_1 = 1. The right side is the upper bound of Theorem 8, which no lower bound exceeds. A larger power of m, "
        "K, 1/epsilon or 1/Delta would be seen. Of ln T it is not: Theorem 8 has a factor ln T more in its first term "
        "and ln^2 T ln ln T in its second one; thm9-one-arm has the power of ln T for K = 1."
    ),
)
def theorem_9() -> Reading:
    """For any m and K such that m >= 2 K, and any Delta satisfying 0 < Delta/(B_1 K) < 0.35, the regret for any
    consistent CSB algorithm guaranteeing epsilon-DP is at least Omega(B_1^2 m K ln T/Delta + B_1 m K ln T/epsilon).
    """
    m, size, log_t, epsilon, gap = (variable(name) for name in ("m", "K", "log_T", "epsilon", "Delta"))
    lower = m * size * log_t / gap + m * size * log_t / epsilon
    fixed = {"m": expression(4), "K": ONE, "log_T": LATE, "epsilon": ONE, "Delta": HALF / 2}
    moved: tuple[dict[str, Expression], ...] = (
        {},
        {"m": S},
        {"m": 2 * S, "K": S},
        {"epsilon": 1 / S},
        {"Delta": 1 / S},
        {"log_T": S},
    )
    return printed(
        SIZE, ARMS, says=Order(lower, "O", ADDITIVE, tuple(fixed | path for path in moved)), assumes=(TWICE,)
    )


@claim(
    "chen-2020/thm9-one-arm",
    "Theorem 9, and section 1",
    kind="order",
    tested_on=(
        "K = B_1 = 1 and epsilon and Delta of at most 1: the left side is Theorem 9, the right side the bound that is "
        "quoted for bandits, which such an algorithm attains."
    ),
)
def theorem_9_for_bandits() -> Reading:
    """Sajed & Sheffet (2019) proposed a complex algorithm ... to achieve the optimal O(m ln T/(epsilon Delta)) regret
    bound ... and it matches both the non-private lower bound and the differentially private lower bound in common
    parameter regimes. [Theorem 9: Omega(B_1^2 m K ln T/Delta + B_1 m K ln T/epsilon).]
    """
    m, log_t, epsilon, gap = (variable(name) for name in ("m", "log_T", "epsilon", "Delta"))
    lower = m * log_t / gap + m * log_t / epsilon
    fixed = {"m": expression(4), "log_T": LATE, "epsilon": ONE, "Delta": HALF / 2}
    moved: tuple[dict[str, Expression], ...] = ({"m": S}, {"log_T": S}, {"epsilon": 1 / S}, {"Delta": 1 / S})
    says = Order(lower, "O", m * log_t / (epsilon * gap), tuple(fixed | path for path in moved))
    return printed(ARMS, says=says)
