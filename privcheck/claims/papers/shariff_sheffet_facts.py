"""Shariff and Sheffet (NeurIPS 2018): existing results that it states, in section 1.3 and appendix A."""

from __future__ import annotations

import math

from privcheck.claims._claim import Reading, Relation, at_least, at_most, below, printed
from privcheck.claims._declared_claims import claim
from privcheck.claims._exact_laws import chi_square_above, chosen, composed_delta, gaussian_delta
from privcheck.claims._expression import Expression, ceiling, exp, expression, log, log2, maximum, minimum, sqrt
from privcheck.claims._variables import Variable, integer, positive, probability

BUDGET, SMALL_BUDGET = (
    positive("epsilon", (0.01, 200.0), 10.0, 50.0, 100.0, 300.0),
    Variable("epsilon", 0, 1, low_open=True),
)
DELTA = probability("delta", open_ends=True)
SMALL_DELTA = Variable("delta", 0, 0.3678794, low_open=True, words="delta in (0, 1/e), in Theorem 23")
"""Below 1/e, as in Theorem 23."""
ALPHA = probability("alpha", open_ends=True)
HALVES = 6
HALF = integer("half", 1, region=(1, HALVES))
"""Half the degrees of freedom of a chi-square law; its tail has a closed form for even ones."""


def tail(half: Expression, x: Expression, most: int = HALVES) -> Expression:
    """Return the probability that a chi-square variable with 2 half <= 2 most degrees of freedom is at least x."""
    return chosen(half, [chi_square_above(2 * number, x) for number in range(1, most + 1)])


@claim("shariff-sheffet-2018/composition", "Section 1.3")
def composition() -> Reading:
    """The combination of k (epsilon, delta)-differentially private algorithms is (O(k epsilon^2 + 2 sqrt(k
    log(1/delta'))), k delta + delta')-differentially private for any delta' > 0 [14].
    """
    # the smaller of basic and advanced composition, with the constant 2 for O
    k, slack = integer("k", 1, region=(1, 1000)), Variable("slack", 0, 1, low_open=True)  # the root needs delta' <= 1
    budget = positive("epsilon", (0.01, 10.0))
    advanced = budget.symbol * sqrt(2 * k.symbol * log(1 / slack.symbol))
    advanced = advanced + k.symbol * budget.symbol * (exp(budget.symbol) - 1)
    right = 2 * (k.symbol * budget.symbol**2 + 2 * sqrt(k.symbol * log(1 / slack.symbol)))
    says = at_most(minimum(k.symbol * budget.symbol, advanced), right)
    return printed(k, budget, slack, says=says, provable=False)


@claim(
    "shariff-sheffet-2018/tree-sums",
    "Section 1.3",
    consequence=(
        "The sum of the first three of three inputs takes two noisy sums, and log2(3) is 1.58. Round the logarithm up, "
        "for n >= 2; appendix A.2 has ceil(log(n) + 1), which is always enough, and the algorithm uses that."
    ),
)
def tree_sums() -> tuple[Reading, ...]:
    """... the cumulative sums of the inputs can thus be obtained by combining at most log(n) noisy sums."""
    # the sum of the first 2^j - 1 inputs takes j of them, and the sum of all n = 2^i is the root
    j, n = integer("j", 1, region=(1, 12)), integer("n", 1, region=(1, 5000))
    fits = at_most(expression(2) ** j.symbol - 1, n.symbol)

    def reading(name: str, most: Expression, *given: Relation) -> Reading:
        return Reading(name, (j, n), at_most(j.symbol, most), (fits, *given), provable=False)

    return (
        reading("log(n) as it stands, to base 2", log2(n.symbol)),
        reading("log(n) to base 2, rounded up, for n >= 2", ceiling(log2(n.symbol)), at_least(n.symbol, 2)),
    )


@claim(
    "shariff-sheffet-2018/a1-gaussian",
    "Appendix A.1",
    kind="privacy",
    consequence=(
        "The variance is enough for epsilon <= 1, which is the range of the cited result. For large epsilon a standard "
        "deviation that falls like 1/epsilon is too small: the loss has mean mu^2/2, mu being the sensitivity in "
        "standard deviations. Use the exact condition of Balle and Wang (2018)."
    ),
    tested_on=(
        "The left side is the exact delta at epsilon of the Gaussian mechanism with the printed variance (Balle "
        "and Wang 2018, Theorem 8), the right side the claimed one."
    ),
)
def gaussian_mechanism() -> tuple[Reading, ...]:
    """A common technique [16] for approximating the value of a query f on dataset D is to first find its
    L2-sensitivity GS_2, and then add Gaussian noise of 0-mean and variance 2 GS_2^2 ln(2/delta)/epsilon^2.
    """

    def enough(budget: Variable) -> Reading:
        mu = budget.symbol / sqrt(2 * log(2 / DELTA.symbol))
        says = at_most(gaussian_delta(budget.symbol, mu), DELTA.symbol)
        return Reading("", (budget, DELTA), says, provable=False)

    wide, narrow = enough(BUDGET), enough(SMALL_BUDGET)
    return (
        Reading(
            "(epsilon, delta)-differential privacy for every epsilon > 0", wide.variables, wide.says, provable=False
        ),
        Reading("epsilon <= 1, as in the cited result", narrow.variables, narrow.says, provable=False),
    )


@claim(
    "shariff-sheffet-2018/a2-tree",
    "Appendix A.2",
    kind="privacy",
    consequence=(
        "For epsilon <= 1 no failure was found. The linear term m epsilon_0 (e^{epsilon_0} - 1) of advanced "
        "composition is below epsilon/2 only if epsilon is at most about 4 ln(2/delta); for m > 8 ln(2/delta) and a "
        "large epsilon, m randomised responses with the printed budgets exceed delta. State the range of epsilon, or "
        "compose exactly."
    ),
    tested_on=(
        "Each of the m nodes releases randomised response with epsilon_0, and fails with probability delta_0. The "
        "left side is the exact delta at epsilon of all together, the right side the claimed one."
    ),
)
def tree_budgets() -> tuple[Reading, ...]:
    """Alternatively, to make sure the entire tree is (epsilon, delta)-differentially private, it suffices to set
    epsilon_0 = epsilon/sqrt(8 m ln(2/delta)) and delta_0 = delta/(2 m) (with delta' = delta/2).
    """
    m = integer("m", 1, region=(1, 24))

    def suffices(name: str, budget: Variable, delta: Variable) -> Reading:
        each = budget.symbol / sqrt(8 * m.symbol * log(2 / delta.symbol))
        left = composed_delta(m.symbol, each, delta.symbol / (2 * m.symbol), budget.symbol)
        return Reading(name, (m, budget, delta), at_most(left, delta.symbol), provable=False)

    return (
        suffices("every epsilon > 0 and delta < 1", BUDGET, DELTA),
        suffices("epsilon <= 1 and delta < 1/e, as in Theorem 23", SMALL_BUDGET, SMALL_DELTA),
    )


@claim("shariff-sheffet-2018/a2-nodes", "Appendix A.2")
def nodes_of_a_partial_sum() -> Reading:
    """First notice that one can compute any partial sum using at most m := ceil(log(n) + 1) nodes of T."""
    # the sum of the first 2^j - 1 inputs takes j of them
    j, n = integer("j", 1, region=(1, 12)), integer("n", 1, region=(1, 5000))
    fits = at_most(expression(2) ** j.symbol - 1, n.symbol)
    return printed(j, n, says=at_most(j.symbol, ceiling(log2(n.symbol) + 1)), assumes=(fits,), provable=False)


def _two_by_two() -> tuple[tuple[Variable, ...], tuple[Expression, ...]]:
    """Return the entries of diag(b, c) and of a matrix [[p, r], [r, q]] that is positive semi-definite."""
    b, c = positive("b", (0.1, 10.0)), positive("c", (0.1, 10.0))
    p, q = Variable("p", 0, math.inf, region=(0, 10)), Variable("q", 0, math.inf, region=(0, 10))
    r = Variable("r", -math.inf, math.inf, region=(-10, 10))
    return (b, c, p, q, r), tuple(of.symbol for of in (b, c, p, q, r))


@claim("shariff-sheffet-2018/claim16-det", "Claim 16, 2.")
def claim_16_determinant() -> Reading:
    """If A >= B >= 0 [positive semi-definite], then ... det A >= det B."""
    variables, (b, c, p, q, r) = _two_by_two()
    says = at_least((b + p) * (c + q) - r**2, b * c)
    return printed(*variables, says=says, assumes=(at_most(r**2, p * q),), provable=False)


@claim("shariff-sheffet-2018/claim16-inverse", "Claim 16, 3.")
def claim_16_inverse() -> Reading:
    """If A >= B >= 0, then ... B^{-1} >= A^{-1} if A and B are nonsingular."""
    # an entry on the diagonal
    variables, (b, c, p, q, r) = _two_by_two()
    says = at_most((c + q) / ((b + p) * (c + q) - r**2), 1 / b)
    return printed(*variables, says=says, assumes=(at_most(r**2, p * q),), provable=False)


@claim(
    "shariff-sheffet-2018/claim17-above",
    "Claim 17",
    kind="law",
    tested_on="An even number of degrees of freedom, 2 half, for which the law has a closed form.",
)
def claim_17_above() -> Reading:
    """If U ~ chi^2(d) and alpha in (0, 1), P(U >= d + 2 sqrt(d ln(1/alpha)) + 2 ln(1/alpha)) <= alpha."""
    d, confidence = 2 * HALF.symbol, log(1 / ALPHA.symbol)
    level = d + 2 * sqrt(d * confidence) + 2 * confidence
    return printed(HALF, ALPHA, says=at_most(tail(HALF.symbol, level), ALPHA.symbol), provable=False)


@claim(
    "shariff-sheffet-2018/claim17-below",
    "Claim 17",
    kind="law",
    tested_on="An even number of degrees of freedom, 2 half, for which the law has a closed form.",
)
def claim_17_below() -> Reading:
    """If U ~ chi^2(d) and alpha in (0, 1), P(U <= d - 2 sqrt(d ln(1/alpha))) <= alpha."""
    d = 2 * HALF.symbol
    level = maximum(0, d - 2 * sqrt(d * log(1 / ALPHA.symbol)))
    return printed(HALF, ALPHA, says=at_most(1 - tail(HALF.symbol, level), ALPHA.symbol), provable=False)


def outside(half: Expression, root: Expression, width: Expression, most: int = HALVES) -> Expression:
    """Return the probability that the root of a chi-square variable is further than `width` from `root`."""
    low = maximum(0, root - width)
    return tail(half, (root + width) ** 2, most) + 1 - tail(half, low**2, most)


@claim(
    "shariff-sheffet-2018/claim18",
    "Claim 18",
    kind="law",
    tested_on="d = 1 and n = 2 half, for which the law of both singular values has a closed form.",
)
def claim_18() -> Reading:
    """Let A be an n x d matrix whose entries are independent standard normal variables. Then for every alpha in (0, 1),
    with probability at least 1 - alpha it holds that sigma_min(A), sigma_max(A) are in sqrt(n) +- (sqrt(d) + sqrt(2
    ln(2/alpha))).
    """
    # d = 1: both are the root of a chi-square variable with n = 2 half degrees of freedom
    width = 1 + sqrt(2 * log(2 / ALPHA.symbol))
    says = at_most(outside(HALF.symbol, sqrt(2 * HALF.symbol), width), ALPHA.symbol)
    return printed(HALF, ALPHA, says=says, provable=False)


@claim(
    "shariff-sheffet-2018/claim19",
    "Claim 19",
    kind="law",
    consequence="A misprint: the number of degrees of freedom is k in the law and m in the bound. Read k for m.",
    tested_on=(
        "d = 1 and V = 1: W is a chi-square variable with k degrees of freedom. The left side is the probability "
        "that it is outside of the interval, the right side alpha."
    ),
)
def claim_19() -> tuple[Reading, ...]:
    """Fix alpha in (0, 1/e) and let W ~ W_d(V, k) with sqrt(m) > sqrt(d) + sqrt(2 ln(2/alpha)). Then ... with
    probability at least 1 - alpha it holds that for every j, sigma_j(W) is in (sqrt(m) +- (sqrt(d) + sqrt(2
    ln(2/alpha))))^2 sigma_j(V).
    """
    # d = 1 and V = 1: W is a chi-square variable with k degrees of freedom
    half, m = integer("k/2", 1, region=(1, 12)), integer("m", 1, region=(1, 1000))
    alpha = Variable("alpha", 0, 0.3678794, low_open=True, words="Fix alpha in (0, 1/e)")
    width = 1 + sqrt(2 * log(2 / alpha.symbol))

    def inside(name: str, number: Expression, *variables: Variable) -> Reading:
        says = at_most(outside(half.symbol, sqrt(number), width, 12), alpha.symbol)
        return Reading(name, variables, says, (below(width, sqrt(number)),), provable=False)

    return (
        inside("m and k are two numbers, as printed", m.symbol, half, alpha, m),
        inside("m is k", 2 * half.symbol, half, alpha),
    )


@claim(
    "shariff-sheffet-2018/claim20",
    "Claim 20",
    consequence=(
        "H - c I > 0 allows constants c above rho, up to the smallest eigenvalue of H, for which rho/(rho - c) is "
        "negative and the printed root is not defined; c < rho is meant. Proposition 9 uses the claim with c < rho_min "
        "only, so that nothing else is affected."
    ),
    tested_on=("One dimension with v = 1; both sides are squared."),
)
def claim_20() -> tuple[Reading, ...]:
    """For any matrix H >= rho I > 0, vector v, and constant c >= 0 satisfying H - c I > 0, |v|_{(H - c I)^{-1}} <=
    |v|_{H^{-1}} sqrt(rho/(rho - c)). [Both sides squared.]
    """
    # one dimension, v = 1
    h, rho = positive("H", (0.1, 10.0)), positive("rho", (0.1, 10.0))
    c = Variable("c", 0, math.inf, region=(0, 10))
    says = at_most(1 / (h.symbol - c.symbol), rho.symbol / (h.symbol * (rho.symbol - c.symbol)))
    given = (at_most(rho.symbol, h.symbol), below(c.symbol, h.symbol))
    defined = below(c.symbol, rho.symbol)
    return (
        Reading("every c with H - c I > 0", (h, rho, c), says, given),
        Reading("every such c for which the root is defined", (h, rho, c), says, (*given, defined), provable=False),
    )
