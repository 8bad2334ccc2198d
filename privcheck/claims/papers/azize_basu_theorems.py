"""Azize and Basu (NeurIPS 2022): Theorems 5, 6 and 7 themselves on instances, and sentences around Theorems 2 and 3."""

from __future__ import annotations

import math

from privcheck.claims._claim import Reading, at_least, at_most, equal, printed
from privcheck.claims._declared_claims import claim
from privcheck.claims._exact_laws import laplace_difference_above
from privcheck.claims._expression import Expression, exp, log, maximum, minimum, normal_below, sqrt
from privcheck.claims._variables import Variable, integer, positive, probability

BUDGET = positive("epsilon", (0.01, 10.0))
ALPHA = Variable("alpha", 3, math.inf, low_open=True, region=(3.1, 10), words="for alpha > 3")


@claim(
    "azize-basu-2022/thm5-orthonormal",
    "Theorem 5, for orthonormal arms",
    tested_on=(
        "Unit vectors that are orthogonal to each other: then rho_a(A) = 2 (Example 3), and the smallest alpha(a) is "
        "1/min{Delta^2/2, 6 epsilon Delta}. The left side bounds log(T)/E N_a from above for every consistent private "
        "policy: the divergence of N(0, 1) and N(Delta, 1), and epsilon times their total variation, without the "
        "factor 6 (docs/evidence/repaired-proofs.md). Where it is at most the right side, the printed bound "
        "follows. The first "
        "terms of the minima are equal; the second ones, with privacy, have a factor 6 sqrt(2 pi) = 15.04 to spare, "
        "and a smaller error in 3 epsilon rho_a(A) Delta_a would not be seen."
    ),
)
def theorem_5() -> Reading:
    """Let A be a finite set spanning R^d and theta in R^d be such that there is a unique optimal action. Then, any
    consistent and epsilon-global DP bandit algorithm satisfies liminf Reg_T(A, theta)/log(T) >= c_epsilon(A,
    theta), where ... c_epsilon(A, theta) := inf sum_a alpha(a) Delta_a, such that ||a||^2_{H_alpha^{-1}} <= min{0.5
    Delta_a^2, 3 epsilon rho_a(A) Delta_a} for all a in A with Delta_a > 0.
    """
    gap = positive("Delta", (0.01, 10.0))
    variation = 2 * normal_below(gap.symbol / 2) - 1
    left = minimum(gap.symbol**2 / 2, BUDGET.symbol * variation)
    right = minimum(gap.symbol**2 / 2, 3 * BUDGET.symbol * 2 * gap.symbol)
    return printed(gap, BUDGET, says=at_most(left, right), provable=False)


@claim(
    "azize-basu-2022/thm6-round",
    "Theorem 6, and what is said of it at the end of appendix C",
    kind="privacy",
    tested_on=(
        "Two arms that pay r and s in rounds 1 and 2. Each index is a private mean plus a number that does not depend "
        "on rewards; `ahead` is the difference of these numbers, and covers every such index. Both sides are the exact "
        "probability that arm 1 is played in round 3; r' is the neighbour's first reward."
    ),
)
def theorem_6() -> Reading:
    """If I_a^epsilon is computed using only the private empirical mean of the rewards collected in the last active
    episode of arm a, Algorithm 1 satisfies epsilon-global DP. ... Theorem 6 holds for any index-based bandit algorithm
    that uses only private empirical means of rewards (Equation (22)) of the last active episode to compute the indices.
    """
    first, changed, other = probability("r"), probability("r'"), probability("s")
    ahead = Variable("ahead", -math.inf, math.inf, region=(-10, 10))

    def played(reward: Variable) -> Expression:
        return laplace_difference_above(BUDGET.symbol * (other.symbol - reward.symbol - ahead.symbol))

    says = at_most(played(first), exp(BUDGET.symbol) * played(changed))
    return printed(first, changed, other, ahead, BUDGET, says=says, provable=False)


@claim(
    "azize-basu-2022/thm7-round",
    "Theorem 7",
    tested_on=(
        "T = 3 and two arms that pay 1/2 + Delta/2 and 1/2 - Delta/2 for certain. In round 3 both arms have one reward "
        "and the same widths, so that the left side is the exact regret, one pull of arm 2 and the probability of a "
        "second one; the bound is more than 60 times as large. In the tests of this package longer horizons are "
        "simulated: for epsilon = Delta = 0.4 and T = 10^7 arm 2 has 2,048 pulls in nearly all runs, and 5.81 in "
        "place of 16 would be enough. As T grows, no such instance needs more than 8, as an arm is played until its "
        "width is below the gap, where the proof asks for twice the width. What is missing is a proof with the "
        "smaller constant."
    ),
)
def theorem_7() -> Reading:
    """For rewards in [0, 1], AdaP-UCB satisfies epsilon-global DP, and for alpha > 3, it yields a regret Reg_T <=
    sum_{a: Delta_a > 0} (16 alpha log(T)/min{Delta_a, epsilon} + 3 alpha/(alpha - 3)).
    """
    gap = Variable("Delta", 0, 1, low_open=True, region=(0.01, 1))
    left = gap.symbol * (1 + laplace_difference_above(BUDGET.symbol * gap.symbol))
    right = 16 * ALPHA.symbol * log(3) / minimum(gap.symbol, BUDGET.symbol) + 3 * ALPHA.symbol / (ALPHA.symbol - 3)
    return printed(gap, ALPHA, BUDGET, says=at_most(left, right), provable=False)


@claim(
    "azize-basu-2022/thm2-nothing-lost",
    "Consequences of Theorem 2",
    tested_on=(
        "The example before it, T = 10^6, K = 100 and epsilon >= 0.05: the left side is the printed bound with "
        "privacy, whose second term is the smaller one by a factor of at least 24, see thm2-regime."
    ),
)
def nothing_lost() -> tuple[Reading, ...]:
    """This shows that for stochastic bandits, we can deploy very low privacy budgets (epsilon) without losing anything
    in performance.
    """  # noqa: D404
    budget = Variable("epsilon", 0.05, math.inf, region=(0.05, 100), words="any privacy budget epsilon >= 0.05")
    bound = sqrt(99 * 10**6) / 27
    with_privacy = maximum(bound, 99 / (131 * budget.symbol))
    return (
        Reading("in the lower bound, of which the paragraph speaks", (budget,), at_most(with_privacy, bound)),
        Reading("in what an algorithm attains, of which a lower bound says nothing", (budget,), None),
    )


@claim(
    "azize-basu-2022/thm3-consistency",
    "Proof of Theorem 3, end of step 4",
    role="step",
    tested_on=(
        "The limit superior, as what it means: for every margin above p there is a round, the one with log(C_p) = "
        "margin log(T), from which on the ratio is within the margin. `log_C` is log(C_p), and `log_T` is log(T)."
    ),
)
def consistency() -> Reading:
    """Consistency ... says that for any p > 0, there exists a constant C_p such that for sufficiently large T, Reg_T +
    Reg'_T <= C_p T^p. This property implies that limsup log(Reg_T + Reg'_T)/log(T) <= limsup (p log(T) +
    log(C_p))/log(T) = p.
    """
    power, margin = positive("p", (0.01, 2.0)), positive("margin", (0.01, 2.0))
    late, constant = positive("log_T", (0.1, 50.0)), Variable("log_C", -math.inf, math.inf, region=(-20, 20))
    ratio = (power.symbol * late.symbol + constant.symbol) / late.symbol
    given = (at_least(margin.symbol * late.symbol, constant.symbol),)
    return printed(power, margin, late, constant, says=at_most(ratio, power.symbol + margin.symbol), assumes=given)


@claim(
    "azize-basu-2022/thm2-pulls",
    "Proof of Theorem 2, step 1",
    role="step",
    tested_on="Three arms, T = N_1 + N_2 + N_3, and arm i is the one of arms 2 and 3 that is pulled less.",
)
def fewest_pulls() -> Reading:
    """Since T = E[N_1(T)] + sum_{a > 1} E[N_a(T)] >= (K - 1) E[N_i(T)], we observe that E[N_i(T)] <= T/(K - 1)."""
    rounds, second, third = integer("T", 1, region=(1, 50)), positive("N_2", (0.1, 50.0)), positive("N_3", (0.1, 50.0))
    given = (at_most(second.symbol + third.symbol, rounds.symbol),)
    says = at_most(minimum(second.symbol, third.symbol), rounds.symbol / 2)
    return printed(rounds, second, third, says=says, assumes=given)


@claim(
    "azize-basu-2022/lem2-moments",
    "Proof of Lemma 2, after (9)",
    kind="identity",
    role="step",
    tested_on="T = 2: the left side is the sum over the four outcomes of (H_1, H_2).",
)
def moments_of_a_sum() -> Reading:
    """The last equality holds due to that fact that for any t > 0, E[e^{t H}] = prod (1 - p_i + p_i e^t) [H is a sum of
    independent Bernoulli(p_i)].
    """
    first, second, t = probability("p_1"), probability("p_2"), positive("t", (0.01, 5.0))
    p, q, growth = first.symbol, second.symbol, exp(t.symbol)
    left = (1 - p) * (1 - q) + (p * (1 - q) + (1 - p) * q) * growth + p * q * exp(2 * t.symbol)
    return printed(first, second, t, says=equal(left, (1 - p + p * growth) * (1 - q + q * growth)))
