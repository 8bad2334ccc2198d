"""Shariff and Sheffet (NeurIPS 2018): privacy by Gaussian noise, section 4.2, and the orders of the introduction."""

from __future__ import annotations

import math

from privcheck.claims._claim import Order, Reading, at_most, equal, printed
from privcheck.claims._declared_claims import claim, repaired
from privcheck.claims._exact_laws import gaussian_delta
from privcheck.claims._expression import Expression, expression, log, normal_below, sqrt, variable
from privcheck.claims._variables import Variable, integer, positive, probability
from privcheck.claims.papers.shariff_sheffet_facts import ALPHA, BUDGET, DELTA, SMALL_BUDGET

M, D, N = integer("m", 1, region=(1, 30)), integer("d", 1, region=(1, 100)), integer("n", 1, region=(1, 1000))
L = positive("L", (0.1, 10.0))
LOST = log(4 / DELTA.symbol)
SPREAD = 4 * sqrt(M.symbol) * L.symbol**2 * LOST / BUDGET.symbol
"""sigma_noise."""
SURE = log(2 * N.symbol / ALPHA.symbol)
UPSILON = SPREAD * sqrt(2 * M.symbol) * (4 * sqrt(D.symbol) + 2 * SURE)
ROOTS = sqrt(D.symbol) + sqrt(2 * SURE)
EVERY, USUAL = "every epsilon > 0", "epsilon <= 1"


@claim(
    "shariff-sheffet-2018/frobenius",
    "Section 4.2",
    consequence=(
        "Taken literally, as the change of the norm, the sentence holds. What the noise has to cover is the norm of "
        "the change: if a datum is replaced, as the definition of neighbours has it, two orthogonal vectors change "
        "M_t by sqrt(2) L~^2. The privacy stands: after the symmetrisation the noise of the diagonal has twice the "
        "variance, and each other entry counts once, so that the distance of the two laws is the Frobenius norm over "
        "sqrt(2) sigma_noise."
    ),
    tested_on=(
        "In units of L~. The datum u is replaced by v at an angle with the given cosine: |v v' - u u'|^2 = |v|^4 +"
        " |u|^4 - 2 <u, v>^2. g_1 and g_2 are the diagonal of the Gram matrix of the other data, share their "
        "correlation."
    ),
)
def frobenius() -> tuple[Reading, ...]:
    """Recall that each datum has a bounded L2-norm of L~, hence a change to a single datum may alter the Frobenius norm
    of M_t by L~^2.
    """
    # in units of L: |v v' - u u'|^2 = |v|^4 + |u|^4 - 2 <u, v>^2
    first, second, cosine = probability("u"), probability("v"), Variable("cosine", -1, 1, words="a cosine")
    product = first.symbol * second.symbol * cosine.symbol
    replaced = at_most(first.symbol**4 + second.symbol**4 - 2 * product**2, 1)
    # two dimensions; the other data have the Gram matrix with the diagonal (g_1, g_2), u is along the first axis
    diagonal = tuple(Variable(name, 0, math.inf, region=(0, 10)) for name in ("g_1", "g_2"))
    share = Variable("share", -1, 1, words="a correlation")
    g_1, g_2 = (of.symbol for of in diagonal)
    beside = share.symbol * sqrt(g_1 * g_2)
    along, across = second.symbol * cosine.symbol, second.symbol * sqrt(1 - cosine.symbol**2)
    before = sqrt((g_1 + first.symbol**2) ** 2 + 2 * beside**2 + g_2**2)
    after = sqrt((g_1 + along**2) ** 2 + 2 * (beside + along * across) ** 2 + (g_2 + across**2) ** 2)
    literal = (first, second, cosine, *diagonal, share)
    return (
        Reading("the norm of the change, a datum is replaced", (first, second, cosine), replaced, provable=False),
        Reading("the norm of the change, a datum is added or removed", (first,), at_most(first.symbol**4, 1)),
        Reading("the change of the norm, a datum is replaced", literal, at_most(before, after + 1), provable=False),
    )


@claim("shariff-sheffet-2018/diagonal", "Section 4.2, footnote 4", kind="identity")
def diagonal() -> Reading:
    """[Z = (Z' + Z'^T)/sqrt(2)] increases the variance along the diagonal entries beyond the noise magnitude required
    to preserve privacy, but only by a constant factor of 2.
    """
    sigma = positive("sigma", (0.1, 10.0))
    return printed(sigma, says=equal((2 / sqrt(2)) ** 2 * sigma.symbol**2, 2 * sigma.symbol**2))


def _private(name: str, budget: Variable, mu: Expression, epsilon: Expression, delta: Expression) -> Reading:
    return Reading(name, (M, budget, DELTA), at_most(gaussian_delta(epsilon, mu), delta), provable=False)


@claim(
    "shariff-sheffet-2018/gaussian-node",
    "Section 4.2",
    kind="privacy",
    consequence=(
        "For epsilon <= 1 no failure was found. For large epsilon the standard deviation, which falls like 1/epsilon,"
        " is too small. State the range, or calibrate the noise exactly (Balle and Wang 2018)."
    ),
    tested_on=(
        "The left side is the exact delta of one node, a Gaussian mechanism with the sensitivity L~^2, at the "
        "budget of the node; the right side is delta/2."
    ),
)
def gaussian_node() -> tuple[Reading, ...]:
    """It follows that in order to make sure each node in the tree-based algorithm preserves (epsilon/sqrt(8 m
    ln(2/delta)), delta/2)-differential privacy, the variance in each coordinate must be sigma_noise^2 = 16 m L~^4
    ln(4/delta)^2/epsilon^2.
    """

    def node(name: str, budget: Variable) -> Reading:
        mu = budget.symbol / (4 * sqrt(M.symbol) * LOST)
        return _private(name, budget, mu, budget.symbol / sqrt(8 * M.symbol * log(2 / DELTA.symbol)), DELTA.symbol / 2)

    return node(EVERY, BUDGET), node(USUAL, SMALL_BUDGET)


@claim(
    "shariff-sheffet-2018/gaussian-tree",
    "Section 4, and section 4.2 with footnote 5",
    kind="privacy",
    consequence=(
        "For epsilon <= 1 no failure was found. The m releases together are one Gaussian mechanism with mu = "
        "epsilon/(4 ln(4/delta)), whose mean loss mu^2/2 exceeds epsilon from epsilon = 32 ln(4/delta)^2 on."
    ),
    tested_on=(
        "The left side is the exact delta at epsilon of all m releases, which are one Gaussian mechanism; the "
        "right side is delta."
    ),
)
def gaussian_tree() -> tuple[Reading, ...]:
    """In order for the entire tree-based algorithm to be (epsilon, delta)-differentially private, we add noise to each
    node in the tree ... sigma_noise^2 = 16 m L~^4 ln(4/delta)^2/epsilon^2.
    """
    return tuple(
        _private(name, budget, budget.symbol / (4 * LOST), budget.symbol, DELTA.symbol)
        for name, budget in ((EVERY, BUDGET), (USUAL, SMALL_BUDGET))
    )


@claim("shariff-sheffet-2018/norm", "Section 4.2", kind="law")
def norm() -> Reading:
    """The top-left (d x d)-submatrix of N_t has operator norm of at most Upsilon [with probability at least 1 -
    alpha/2n].
    """
    # d = 1: a normal variable with variance 2 m sigma_noise^2
    left = 2 * normal_below(-(4 + 2 * SURE))
    return printed(N, ALPHA, says=at_most(left, ALPHA.symbol / (2 * N.symbol)), provable=False)


@claim("shariff-sheffet-2018/upsilon", "Section 4.2", kind="identity")
def upsilon() -> Reading:
    """Upsilon := sigma_noise sqrt(2 m) (4 sqrt(d) + 2 ln(2 n/alpha)) = sqrt(32) m L~^2 ln(4/delta) (4 sqrt(d) + 2 ln(2
    n/alpha))/epsilon.
    """
    right = sqrt(32) * M.symbol * L.symbol**2 * LOST * (4 * sqrt(D.symbol) + 2 * SURE) / BUDGET.symbol
    return printed(M, D, N, L, BUDGET, DELTA, ALPHA, says=equal(UPSILON, right), provable=False)


@claim(
    "shariff-sheffet-2018/prop11",
    "Proposition 11, gamma",
    consequence=(
        "The factor 4 ln(4/delta) is lost under the root. The first form of gamma, sigma_noise sqrt(m/Upsilon) "
        "(sqrt(d) + sqrt(2 ln(2 n/alpha))), stands, and Corollary 12 has a logarithm of delta."
    ),
    tested_on=(
        "L is L~; both sides are squared, and sigma_noise^2 = 16 m L~^4 ln(4/delta)^2/epsilon^2, Upsilon = "
        "sigma_noise sqrt(2 m) (4 sqrt(d) + 2 ln(2 n/alpha))."
    ),
)
def proposition_11() -> tuple[Reading, ...]:
    """... gamma = sigma_noise sqrt(m/Upsilon) (sqrt(d) + sqrt(2 ln(2 n/alpha))) <= sqrt(m L~^2 (sqrt(d) + 2 ln(2
    n/alpha))/(sqrt(2) epsilon)).
    """
    variables = (M, D, N, L, BUDGET, DELTA, ALPHA)
    left = SPREAD**2 * M.symbol / UPSILON * ROOTS**2  # both sides squared
    right = M.symbol * L.symbol**2 * (sqrt(D.symbol) + 2 * SURE) / (sqrt(2) * BUDGET.symbol)
    return (
        printed(*variables, says=at_most(left, right), provable=False),
        repaired(
            "with the factor 4 ln(4/delta) under the root",
            *variables, says=at_most(left, 4 * LOST * right), provable=False,
        ),
    )  # fmt: skip


@claim("shariff-sheffet-2018/prop11-gamma", "Proposition 11, gamma", kind="law")
def gamma() -> Reading:
    """... gamma = sigma_noise sqrt(m/Upsilon) (sqrt(d) + sqrt(2 ln(2 n/alpha))) [is (alpha/2n)-accurate together with
    rho_min = Upsilon and rho_max = 3 Upsilon].
    """
    # d = 1: both normal variables at once
    left = 2 * normal_below(-(4 + 2 * SURE)) + 2 * normal_below(-(1 + sqrt(2 * SURE)))
    return printed(N, ALPHA, says=at_most(left, ALPHA.symbol / (2 * N.symbol)), provable=False)


@claim("shariff-sheffet-2018/prop11-order", "After Proposition 11")
def order_of_gamma() -> Reading:
    """Note how this choice of shift indeed makes both rho_max and gamma^2 roughly on the order of O(Upsilon)."""
    sure = Variable("sure", 0.69, math.inf, region=(0.69, 50), words="ln(2 n/alpha), where n >= 1 and alpha < 1")
    root = Variable("root", 1, math.inf, region=(1, 50), words="sqrt(d), where d >= 1")
    left = (root.symbol + sqrt(2 * sure.symbol)) ** 2  # gamma^2 <= Upsilon, over sigma_noise sqrt(m)
    return printed(root, sure, says=at_most(left, 2 * (4 * root.symbol + 2 * sure.symbol) ** 2))


S_PATH, LOG_N = variable("s"), variable("log_n")


@claim(
    "shariff-sheffet-2018/cor12",
    "Corollary 12",
    kind="order",
    role="step",
    consequence=(
        "gamma is not multiplied by S, the bound of |theta*|: for small S, Theorem 5 with the numbers of Proposition "
        "11 gives more than the printed order. For S >= 1 it gives the printed one; write S + 1 for S otherwise. "
        "That the regret itself exceeds the printed order is not shown. The same remark holds for Corollary 10."
    ),
    tested_on=(
        "B = L~ = sigma = d = 1, alpha = 1/2, delta = 1/e, over sqrt(n); log_n stands for log(n). The left side is"
        " below what Proposition 11 in Theorem 5 gives, the right side is the printed order."
    ),
)
def corollary_12() -> tuple[Reading, ...]:
    """... we get a regret bound of O(B sqrt(n) (sigma (d log(n) + log(1/alpha)) + S L~ log(n) sqrt(d (sqrt(d) +
    ln(n/alpha)) ln(1/delta)/epsilon))).
    """
    # B = L = sigma = d = 1, alpha = 1/2, delta = 1/e; what is plugged into Theorem 5, over sqrt(n)
    size, epsilon = variable("S"), variable("epsilon")
    right = LOG_N + log(2) + size * LOG_N * sqrt((1 + LOG_N + log(2)) / epsilon)
    # gamma^2 >= log(n)/epsilon, and log(1 + n L^2/(d rho_min)) >= log(n)/4 on the path for large n
    least = sqrt(LOG_N / epsilon) * sqrt(LOG_N) / 2
    # sqrt(3 Upsilon) and gamma are at most 20 (1 + log(n))/sqrt(epsilon)
    most = 20 * (size + 1) * (1 + LOG_N) / sqrt(epsilon) * sqrt(2 * LOG_N)

    def along(name: str, left: Expression, path: dict[str, Expression]) -> Reading:
        return Reading(name, (N, positive("S"), BUDGET), Order(left, "O", right, (path,)))

    return (
        along("every S > 0", least, {"log_n": S_PATH, "S": 1 / S_PATH**2, "epsilon": 1 / S_PATH**2}),
        along("S >= 1", most, {"log_n": S_PATH, "S": expression(1), "epsilon": expression(1)}),
    )


@claim(
    "shariff-sheffet-2018/main-term",
    "Section 1.2",
    kind="order",
    consequence=(
        "For Wishart noise this needs epsilon at most of the order 1/sqrt(d): its law has at least d + 2 degrees of "
        "freedom whatever epsilon is, and Corollary 10 then gives d sqrt(n). For Gaussian noise it holds."
    ),
    tested_on=(
        "The left side is the term of Corollary 10 that depends on privacy, without logarithms and over sqrt(n)."
    ),
)
def main_term() -> tuple[Reading, ...]:
    """The main term in the two regret bounds obtained by both algorithms is O~(sqrt(n) d^{3/4}/sqrt(epsilon)) (the
    bound itself depends on numerous parameters ...).
    """
    # the term of Corollary 10 that depends on privacy, without logarithms
    d, epsilon = variable("d"), variable("epsilon")
    quarter = d ** expression("1/4")
    left = sqrt(d) * (quarter + 1 / sqrt(epsilon)) * (quarter + 1)
    right = d ** expression("3/4") / sqrt(epsilon)

    def along(name: str, path: dict[str, Expression]) -> Reading:
        return Reading(name, (D, BUDGET), Order(left, "O", right, (path,)))

    return (
        along("d grows and epsilon is fixed", {"d": S_PATH, "epsilon": expression(1)}),
        along("epsilon falls and d is fixed", {"d": expression(1), "epsilon": 1 / S_PATH}),
        along("epsilon is 1/sqrt(d)", {"d": S_PATH, "epsilon": 1 / sqrt(S_PATH)}),
    )
