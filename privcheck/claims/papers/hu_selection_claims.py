"""Hu, Huang, Mehta and Hegde (arXiv 2102.07929): Theorem 12 and its proof on instances with an exact law."""

from __future__ import annotations

from privcheck.claims._claim import Order, Reading, at_least, equal, printed
from privcheck.claims._declared_claims import claim
from privcheck.claims._exact_laws import binomial_mean
from privcheck.claims._expression import Expression, exp, expression, maximum, minimum, variable
from privcheck.claims._variables import Variable, integer, positive

S, HALF = variable("s"), expression("1/2")
GAP = Variable("Delta_min", 0, 0.25, low_open=True, high_open=True, words="Let Delta_min in (0, 1/4)")
BUDGET = positive("epsilon", (0.01, 10.0))
ARMS = integer("K", 4, region=(4, 60), words="K >= 4")


@claim(
    "hu-2021/thm12-horizon",
    "Theorem 12, and the beginning of its proof",
    kind="order",
    tested_on=(
        "All gaps are Delta_min and T is the smallest that is allowed. The right side is T Delta_min, which no regret "
        "exceeds; the left side is the printed bound. Powers are tested; of the constant, which is not printed, the "
        "proof gives 0.0098 for the term with epsilon, and for K = 8 it can be chosen between 0.086 and 0.0875, as the "
        "tests of this package show: the proof is a factor 8.8 below what is possible, and no smaller factor of error "
        "in it could be seen."
    ),
)
def theorem_12() -> Reading:
    """Let Delta_min in (0, 1/4), K >= 4, and T >= max{ln(K)/(16 Delta_min^2), ln(K)/(10 epsilon Delta_min)}. Then, for
    any epsilon-differentially private online learning algorithm ... the regret is lower bounded as
    Omega(max{log(K)/Delta_min, log(K)/epsilon}). [Proof:] recall that the lower bound Omega(log K/Delta) comes from
    Proposition 4 of Mourtada and Gaiffas (2019).
    """
    log_arms, gap, budget = variable("lnK"), variable("Delta_min"), variable("epsilon")
    bound = maximum(log_arms / gap, log_arms / budget)
    horizon = maximum(log_arms / (16 * gap**2), log_arms / (10 * budget * gap))
    paths = (
        {"lnK": S, "Delta_min": expression("1/5"), "epsilon": expression(1)},
        {"lnK": S, "Delta_min": 1 / S, "epsilon": expression(1)},
        {"lnK": S, "Delta_min": expression("1/5"), "epsilon": 1 / S},
        {"lnK": S, "Delta_min": 1 / S, "epsilon": 1 / S**2},
        {"lnK": expression(2), "Delta_min": 1 / S, "epsilon": expression(1)},
        {"lnK": expression(2), "Delta_min": expression("1/5"), "epsilon": 1 / S},
    )
    return printed(ARMS, GAP, BUDGET, says=Order(bound, "O", horizon * gap, paths))


@claim(
    "hu-2021/eq56-selector",
    "Section D.3, (56), and step 2 of the proof sketch of Theorem 12",
    tested_on=(
        "One sample, n = 1, and the selector that takes hypothesis i with a probability proportional to exp(epsilon "
        "x_i/2), which is private. The left side is its exact probability of error: at least 1.64 times the right "
        "side, so that 0.45 could be 0.73 here; a smaller change of it is not seen."
    ),
)
def error_of_a_selector() -> Reading:
    """Inf max P{P^(X_{1:n}) != P_j} >= 0.45 min{1, (K - 1)/e^{10 epsilon n Delta}}, where the infimum is over all
    epsilon-differentially private selectors P^. [P_j: the mean of all but the j-th component is 1/2, of the j-th 1/2 +
    Delta.]
    """
    one, others, ones = exp(BUDGET.symbol / 2), ARMS.symbol - 1, variable("k")

    def right(weight: Expression) -> Expression:
        return binomial_mean(others, HALF, weight / (weight + ones * one + others - ones))

    success = (HALF + GAP.symbol) * right(one) + (HALF - GAP.symbol) * right(expression(1))
    bound = 0.45 * minimum(1, others / exp(10 * BUDGET.symbol * GAP.symbol))
    return printed(ARMS, GAP, BUDGET, says=at_least(1 - success, bound), provable=False)


@claim("hu-2021/thm12-regret", "Section D.3, step 3", kind="identity", role="step", tested_on="K is e^lnK.")
def regret_of_the_first_rounds() -> Reading:
    """In the first m* := log K/(10 epsilon Delta) rounds, the online learning algorithm picks up regret of at least 0.2
    0.49 m* Delta = Omega(log K/epsilon).
    """
    log_arms = positive("lnK", (1.4, 10.0))
    rounds = log_arms.symbol / (10 * BUDGET.symbol * GAP.symbol)
    left = 0.2 * expression(0.49) * rounds * GAP.symbol
    return printed(log_arms, BUDGET, GAP, says=equal(left, 0.0098 * log_arms.symbol / BUDGET.symbol))


@claim(
    "hu-2021/asz-published",
    "Section D.3, step 2",
    kind="identity",
    tested_on="M = 2 and epsilon = 0: the difference of the two sides, which is 1.6 - 0.9.",
)
def error_of_another_paper() -> Reading:
    """Specifically, their inequality 0.9 M (M - 1)/(M - 1 + e^{10 epsilon D}) >= 0.8 M min{1, M/e^{10 epsilon D}} is
    not always true; indeed, taking M = 2 and epsilon = 0 gives 0.9 >= 1.6.
    """
    growth = expression(1)  # epsilon = 0
    left = 0.9 * expression(2) / (1 + growth)
    return printed(says=equal(0.8 * expression(2) * minimum(1, 2 / growth) - left, 0.7))
