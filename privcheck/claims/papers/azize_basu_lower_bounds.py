"""Azize and Basu (NeurIPS 2022): the lower bounds, section 3 and appendix C."""

from __future__ import annotations

import math

from privcheck.claims._claim import Order, Reading, at_least, at_most, below, equal, printed
from privcheck.claims._declared_claims import claim, repaired
from privcheck.claims._expression import (
    absolute,
    exp,
    expression,
    log,
    maximum,
    minimum,
    sqrt,
    variable,
    where_negative,
)
from privcheck.claims._variables import Variable, integer, positive

K, T, BUDGET = integer("K", 2, words="For any K > 1"), integer("T", 1), positive("epsilon")
OTHERS = K.symbol - 1
PRIVATE = OTHERS / (131 * BUDGET.symbol)
NOT_PRIVATE = sqrt(T.symbol * OTHERS) / 27
ENOUGH_ROUNDS = at_least(T.symbol, OTHERS)


@claim(
    "azize-basu-2022/thm2",
    "Theorem 2, (3)",
    consequence=(
        "The statement names no family of environments. The proof takes Gaussian rewards with any real means, and for "
        "them it holds. Theorem 12 compares a bound for rewards in [0, 1] with it. For means in [0, 1] add the "
        "condition T >= (K - 1)/(3 epsilon), under which the means of the hard instances, 0, Delta and 2 Delta with "
        "Delta = (K - 1)/(6 epsilon T), are in [0, 1]."
    ),
    tested_on=("The left side is the printed lower bound, the right side the horizon, which no regret exceeds."),
)
def theorem_2() -> tuple[Reading, ...]:
    """For any K > 1 and T >= K - 1, and epsilon > 0, the minimax regret of stochastic bandits with epsilon-global DP
    satisfies Reg >= max{sqrt(T (K - 1))/27, (K - 1)/(131 epsilon)}.
    """
    says = at_most(maximum(NOT_PRIVATE, PRIVATE), T.symbol)
    long_enough = at_least(T.symbol, OTHERS / (3 * BUDGET.symbol))
    return (
        Reading(
            "means in [0, 1], as in Theorem 12, so that no regret exceeds T",
            (K, T, BUDGET), says, (ENOUGH_ROUNDS,), provable=False,
        ),
        Reading("the means are any real numbers, as in the proof", (K, T, BUDGET), None, (ENOUGH_ROUNDS,)),
        repaired(
            "for T >= (K - 1)/(3 epsilon) as well: the bound does not exceed T",
            K, T, BUDGET, says=says, assumes=(ENOUGH_ROUNDS, long_enough), provable=False,
        ),
    )  # fmt: skip


@claim("azize-basu-2022/thm2-constant", "Proof of Theorem 2, last line", role="step")
def constant_131() -> Reading:
    """We conclude the proof by lower bounding exp(-1) with 48/131."""
    return printed(says=at_least(exp(-1), "48/131"))


@claim("azize-basu-2022/thm2-tv", "Proof of Theorem 2, step 3", kind="identity", role="step")
def total_variation() -> Reading:
    """TV(p_i, p'_i) <= sqrt(D_KL(N(0, 1), N(2 Delta, 1))/2) = Delta."""
    gap = positive("Delta")
    return printed(gap, says=equal(sqrt((2 * gap.symbol) ** 2 / 2 / 2), gap.symbol))


@claim(
    "azize-basu-2022/thm2-regime",
    "Consequences of Theorem 2",
    consequence=(
        "A fraction that is turned over: the two terms of (3) are equal at epsilon = (27/131) sqrt((K - 1)/T). Between "
        "this budget and the printed one the term without privacy is the larger one, by a factor of at most 23.5; up "
        "to constants the sentence stands."
    ),
)
def regime_of_theorem_2() -> tuple[Reading, ...]:
    """In the high-privacy regime, specifically for epsilon < (131/27) sqrt((K - 1)/T), the hardness depends only on the
    number of the arms K and the privacy budget epsilon and is higher than the lower bound for bandits without privacy.
    """
    says = at_least(PRIVATE, NOT_PRIVATE)

    def high_privacy(factor: str) -> tuple[Reading, ...]:
        limit = expression(factor) * sqrt(OTHERS / T.symbol)
        return (Reading("", (K, T, BUDGET), says, (ENOUGH_ROUNDS, below(BUDGET.symbol, limit)), provable=False),)

    (wide,), (narrow,) = high_privacy("131/27"), high_privacy("27/131")
    s = variable("s")
    at_limit = {"K": expression(2), "T": s, "epsilon": expression("131/27") / sqrt(s)}
    up_to_constants = Order(NOT_PRIVATE, "O", PRIVATE, (at_limit,))
    return (
        Reading("the terms of (3) with their constants", (K, T, BUDGET), says, wide.assumes, provable=False),
        Reading("up to constants", (K, T, BUDGET), up_to_constants, wide.assumes),
        repaired(
            "for epsilon < (27/131) sqrt((K - 1)/T)",
            K, T, BUDGET, says=says, assumes=narrow.assumes, provable=False,
        ),
    )  # fmt: skip


@claim("azize-basu-2022/thm2-low", "Consequences of Theorem 2")
def low_privacy_of_theorem_2() -> Reading:
    """In the low-privacy regime, i.e. for epsilon >= (131/27) sqrt((K - 1)/T), the lower bound coincides with that of
    the bandits without privacy.
    """
    given = (ENOUGH_ROUNDS, at_least(BUDGET.symbol, expression("131/27") * sqrt(OTHERS / T.symbol)))
    return printed(K, T, BUDGET, says=at_most(PRIVATE, NOT_PRIVATE), assumes=given, provable=False)


@claim("azize-basu-2022/thm2-example", "Consequences of Theorem 2")
def example_of_theorem_2() -> Reading:
    """If T = 10^6 and K = 100, the bandits with and without global DP are equivalently hard for any privacy budget
    epsilon >= 0.05.
    """
    budget = Variable("epsilon", 0.05, math.inf, region=(0.05, 100), words="any privacy budget epsilon >= 0.05")
    return printed(budget, says=at_least(sqrt(99 * 10**6) / 27, 99 / (131 * budget.symbol)))


@claim(
    "azize-basu-2022/thm3-bernoulli",
    "Consequences of Theorem 3, 2.",
    kind="order",
    consequence=(
        "d_inf >= 2 Delta^2 bounds the sum of Theorem 3 from above. A bound from below needs an upper bound of d_inf, "
        "such as means in a closed part of (0, 1), or a constant of Omega that depends on the instance."
    ),
    tested_on=(
        "One sub-optimal arm, with mean mu_a; the best arm has the mean 1 - one_minus_best. The left side is its "
        "term of Theorem 3 without log T, the right side the printed order without it."
    ),
)
def bernoulli_rewards() -> tuple[Reading, ...]:
    """For Bernoulli distributions of reward: ... t_inf = Delta_a ... d_inf >= 2 Delta_a^2. Thus, our problem-dependent
    lower bound reduces to Omega(sum_{a != a*} log T/min{Delta_a, epsilon}).
    """
    low, above, budget = variable("mu_a"), variable("one_minus_best"), variable("epsilon")
    gap = 1 - above - low
    divergence = low * log(low / (1 - above)) + (1 - low) * log((1 - low) / above)
    bound = gap / minimum(divergence, 6 * budget * gap)
    s = variable("s")
    quarter = expression("1/4")
    edge = {"mu_a": quarter, "one_minus_best": 1 / s, "epsilon": s}
    inside = {"mu_a": quarter, "one_minus_best": quarter, "epsilon": s}
    variables = (
        Variable("mu_a", 0, 1, low_open=True, high_open=True),
        Variable("one_minus_best", 0, 1, low_open=True, high_open=True),
        positive("epsilon"),
    )
    right = 1 / minimum(gap, budget)
    return (
        Reading("one constant for any means in (0, 1)", variables, Order(bound, "Omega", right, (edge,))),
        Reading("means that stay away from 0 and 1", variables, Order(bound, "Omega", right, (inside,))),
    )


@claim("azize-basu-2022/thm4-regime", "Remarks after Theorem 5", kind="identity")
def regime_of_theorem_4() -> Reading:
    """High- and low-privacy regimes for epsilon < 2 exp(-4)/sqrt(T) and epsilon >= 2 exp(-4)/sqrt(T)."""
    at_limit = exp(-6) / (4 * (2 * exp(-4) / sqrt(T.symbol)))
    return printed(T, says=equal(at_limit, exp(-2) * sqrt(T.symbol) / 8))


@claim(
    "azize-basu-2022/thm4-markov",
    "Proof of Theorem 4, step 1",
    role="step",
    consequence=(
        "Markov's inequality gives 1/(2 epsilon), as P(X >= T/2) <= E[X]/(T/2). What the proof then shows is exp(-6) "
        "d/(8 epsilon), half of the second term of (5). Theorem 4 is not refuted. The counterexample is one coordinate "
        "whose sign is wrong in a fixed number of the T rounds."
    ),
    tested_on=("One coordinate whose sign is wrong in `wrong` of the T rounds, for certain."),
)
def markov_step() -> tuple[Reading, ...]:
    """(1/(epsilon T)) sum_i E[sum_t 1{sign(A_ti) != sign(theta_i)}] >= (1/epsilon) sum_i M(sum_t 1{...} >= T/2).
    The last inequality is a direct application of Markov's inequality.
    """
    horizon, wrong = integer("T", 1, region=(1, 20)), integer("wrong", 0, region=(0, 20))
    # one coordinate, whose sign is wrong in a fixed number of rounds
    happens = where_negative(wrong.symbol - horizon.symbol / 2, 0, 1)
    left = wrong.symbol / (BUDGET.symbol * horizon.symbol)
    assumes = (at_most(wrong.symbol, horizon.symbol),)
    half = at_least(left, happens / (2 * BUDGET.symbol))
    return (
        printed(horizon, wrong, BUDGET, says=at_least(left, happens / BUDGET.symbol), assumes=assumes, provable=False),
        repaired("with 1/(2 epsilon)", horizon, wrong, BUDGET, says=half, assumes=assumes, provable=False),
    )


@claim("azize-basu-2022/eq18", "Proof of Theorem 4, (18)", kind="identity", role="step")
def equation_18() -> Reading:
    """6 epsilon E[sum_t sqrt(<A_t, theta - theta'>^2/4)] = 3 epsilon E[sum_t |<A_t, theta - theta'>|]."""
    product = Variable("product", -math.inf, math.inf, region=(-100, 100))
    left = 6 * BUDGET.symbol * sqrt(product.symbol**2 / 4)
    return printed(BUDGET, product, says=equal(left, 3 * BUDGET.symbol * absolute(product.symbol)))


X, Y = Variable("x", -math.inf, math.inf, region=(-2, 2)), positive("y", (0.1, 2.0))
FIRST, SECOND = positive("N_1"), positive("N_2")
DETERMINANT = FIRST.symbol * SECOND.symbol * Y.symbol**2
# G = N_1 a_1 a_1' + N_2 a_2 a_2' with a_1 = (1, 0) = a* and a_2 = (x, y) = a; G^{-1} (a_2 - a_1) has the first entry
FIRST_ENTRY = (SECOND.symbol * Y.symbol**2 * (X.symbol - 1) - SECOND.symbol * X.symbol * Y.symbol**2) / DETERMINANT


@claim(
    "azize-basu-2022/thm5-bilinear",
    "Proof of Fact 2, for Theorem 5",
    role="step",
    consequence=(
        "The component orthogonal to a_j can matter if the arms are not orthogonal: an order between matrices bounds "
        "quadratic forms, and not products of two vectors. The counterexample has the arms (1, 0), the optimal one, "
        "and (x, y), with j = 1."
    ),
    tested_on=("The arms (1, 0), the optimal one, and a = (x, y), pulled N_1 and N_2 times; j = 1."),
)
def bilinear_step() -> tuple[Reading, ...]:
    """... only the component of a - a* in the direction of a_j matters in the dot product a_j' G_T^{-1} (a - a*). Thus,
    |a_j' G_T^{-1} (a - a*)| <= ... = |alpha_j|/E(N_j(T)), where alpha_j = a_j' (a - a*)/||a_j||^2.
    """
    says = at_most(absolute(FIRST_ENTRY), absolute(X.symbol - 1) / FIRST.symbol)
    orthogonal = (Y, FIRST, SECOND)
    zero = Variable("x", 0, 0)
    return (
        printed(X, Y, FIRST, SECOND, says=says, provable=False),
        repaired("for orthogonal arms", zero, *orthogonal, says=says, provable=False),
    )


@claim(
    "azize-basu-2022/thm5-rho",
    "Fact 2, for Theorem 5",
    role="step",
    consequence=(
        "The constant rho_a(A) is derived for orthogonal arms. For the two arms (1, 0), the optimal one, and (1, 1) it "
        "is 1/2, and the limit inferior is 1. Theorem 5 is not refuted."
    ),
    tested_on=(
        "The arms (1, 0), the optimal one, and a = (x, y). The left side is the limit inferior, the right side "
        "rho_a(A)."
    ),
)
def structural_constant() -> tuple[Reading, ...]:
    """If H is a cluster point of the sequence (G_T^{-1}/||G_T^{-1}||)_{T in S} ..., then the following inequality holds
    true: liminf rho_T(H) <= rho_a(A), where rho_a(A) := sum_{j: ||a_j|| != 0} |a_j' (a - a*)|/||a_j||^2.
    """
    # Under a consistent policy N_2/N_1 tends to 0, and H has the entries 0, 0, 0, 1 times a factor that cancels. Then
    # ||a - a*||^2 is 1/N_1 + 1/N_2 for G^{-1} and y^2 for H, the sum over the arms is N_2 y^2, and rho_T(H) tends to 1.
    square = X.symbol**2 + Y.symbol**2
    right = absolute(X.symbol - 1) + absolute(square - X.symbol) / square
    zero = Variable("x", 0, 0)
    return (
        printed(X, Y, says=at_most(1, right), provable=False),
        repaired("for orthogonal arms", zero, Y, says=at_most(1, right), provable=False),
    )


@claim("azize-basu-2022/example3", "Example 3", kind="identity")
def orthogonal_basis() -> Reading:
    """If the action space is the orthogonal basis, then rho_a(A) = 2."""
    # arms a and a* are unit vectors, and all other arms are orthogonal to a - a*
    return printed(says=equal(absolute(expression(1)) / 1 + absolute(expression(-1)) / 1, 2))
