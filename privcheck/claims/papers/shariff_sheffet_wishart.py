"""Shariff and Sheffet (NeurIPS 2018): privacy by Wishart noise, section 4.1 and the proof of Proposition 9.

The smallest eigenvalue in one direction v of a Wishart matrix with k degrees of freedom in p dimensions, 1/(v' W^{-1}
v) with |v| = 1, is a chi-square variable with k - p + 1 degrees of freedom (Bartlett). Adding v v' adds 1 to it.
"""

from __future__ import annotations

from privcheck.claims._claim import Order, Reading, at_least, at_most, below, equal, printed
from privcheck.claims._declared_claims import claim, repaired
from privcheck.claims._exact_laws import chi_square_above
from privcheck.claims._expression import Expression, ceiling, exp, expression, log, sqrt, variable
from privcheck.claims._variables import Variable, integer, positive, probability
from privcheck.claims.papers.shariff_sheffet_facts import ALPHA, HALF, SMALL_DELTA, outside, tail

BUDGET, SMALL = (
    positive("epsilon", (0.01, 100.0), 30.0, 100.0),
    Variable("epsilon", 0, 1, low_open=True, high_open=True),
)
DELTA = probability("delta", open_ends=True)
D, N, M = integer("d", 1, region=(1, 2000)), integer("n", 1, region=(1, 2000)), integer("m", 1, region=(1, 30))
ROOT = positive("root", (1.0, 100.0))
"""sqrt(m k)."""
HEIGHT = integer("i", 0, region=(0, 20))
"""The number of rounds is n = 2^i, so that m = i + 1."""
LEVELS, ROUNDS = HEIGHT.symbol + 1, expression(2) ** HEIGHT.symbol


def degrees(d: Expression, m: Expression, epsilon: Expression, delta: Expression) -> Expression:
    """Return k of section 4.1."""
    return d + 1 + ceiling(224 * m / epsilon**2 * log(8 * m / delta) * log(2 / delta))


def width(d: Expression, factor: int, n: Expression, alpha: Expression) -> Expression:
    """Return sqrt(d) + sqrt(2 ln(factor n/alpha))."""
    return sqrt(d) + sqrt(2 * log(factor * n / alpha))


FIXED = 120
"""Degrees of freedom k - p + 1 at which Theorem 23 is examined."""


def _exact_loss(name: str) -> Reading:
    """Return the exact loss of a row of length L against 0; its two laws are chi-square laws, 1 apart."""
    enough = at_most(28 * log(4 / SMALL_DELTA.symbol) / SMALL.symbol**2, FIXED - 1)
    growth = exp((SMALL.symbol + "1/2") / (FIXED // 2 - 1))
    end = growth / (growth - 1)
    below_end, below_shifted = (1 - chi_square_above(FIXED, x) for x in (end, end - 1))
    says = at_most(below_end - exp(SMALL.symbol) * below_shifted, SMALL_DELTA.symbol)
    return Reading(name, (SMALL, SMALL_DELTA), says, (enough,), provable=False)


@claim(
    "shariff-sheffet-2018/thm8",
    "Theorem 8",
    kind="privacy",
    consequence=(
        "Theorem 23 states the same result of the same source for epsilon in (0, 1) and delta in (0, 1/e), and there "
        "no failure was found. Section 4 applies it within them if epsilon <= 1. For large epsilon_0 the Wishart law "
        "has few degrees of freedom, and without the row its smallest value in the direction of the row is too often "
        "below what it is with the row for certain. Add the conditions of Theorem 23."
    ),
    tested_on=(
        "A row of length L~ against 0, in its direction: with the row the chi-square variable is at least 1 for "
        "certain, without it below 1 with the probability on the left. The right side is delta."
    ),
)
def theorem_8() -> tuple[Reading, ...]:
    """Fix positive epsilon_0 and delta_0. If the L2-norm of each row in the input is bounded by L~ then releasing the
    input's Gram matrix with added noise sampled from W_{d+1}(L~^2 I, k_0) is (epsilon_0, delta_0)-differentially
    private, provided k_0 >= d + 1 + 28 epsilon_0^{-2} ln(4/delta_0).
    """
    # a row of length L~ against 0: an event of probability 0 with the row
    half = integer("(k_0 - d)/2", 1, region=(1, 6))
    enough = at_most(28 * log(4 / DELTA.symbol) / BUDGET.symbol**2, 2 * half.symbol - 1)
    says = at_most(1 - tail(half.symbol, expression(1)), DELTA.symbol)
    return (
        Reading("every positive epsilon_0 and delta_0", (half, BUDGET, DELTA), says, (enough,), provable=False),
        _exact_loss("under the conditions of Theorem 23, which restates it"),
    )


@claim("shariff-sheffet-2018/thm23", "Theorem 23", kind="privacy")
def theorem_23() -> Reading:
    """Fix epsilon in (0, 1) and delta in (0, 1/e). Let A be a matrix whose rows have l2-norm bounded by L~. Let W be a
    matrix sampled from the d-dimensional Wishart distribution with k degrees of freedom using the scale matrix L~^2 I_p
    for k >= p + floor((14/epsilon^2) 2 log(4/delta)). Then outputting A' A + N is (epsilon, delta)-differentially
    private with respect to changing a single row of A.
    """
    return _exact_loss("as printed")


@claim(
    "shariff-sheffet-2018/scale",
    "Section 4.1, after Theorem 8",
    kind="privacy",
    consequence="A misprint: the scale matrix is L~^2 I, as in Theorem 8 and in the next sentence.",
    tested_on=(
        "A row of length L~ = L against 0; by Markov's inequality the chi-square variable with k - d degrees of "
        "freedom is below L with at least the probability on the left, and with the row never."
    ),
)
def scale_matrix() -> tuple[Reading, ...]:
    """Applying this guarantee to our setting ... it suffices to sample a matrix from W_{d+1}(L~ I, k) with k := d + 1 +
    ceil(224 m epsilon^{-2} ln(8 m/delta) ln(2/delta)).
    """
    # by Markov's inequality the chi-square variable is below L with probability 1 - (k - d)/L at least
    bound, free = positive("L", (0.1, 100000.0)), degrees(expression(0), M.symbol, SMALL.symbol, SMALL_DELTA.symbol)
    says = at_most(1 - free / bound.symbol, SMALL_DELTA.symbol / (2 * M.symbol))
    variables = (M, SMALL, SMALL_DELTA, bound)
    return (
        Reading("the scale matrix L~ I, as printed here", variables, says, provable=False),
        Reading("the scale matrix L~^2 I: Theorem 8 applies as it stands", variables, None),
    )


@claim("shariff-sheffet-2018/degrees", "Section 4.1, after Theorem 8", kind="identity")
def number_of_degrees() -> Reading:
    """[Theorem 8 with epsilon_0 = epsilon/sqrt(8 m ln(2/delta)) and delta_0 = delta/(2 m):] ... k := d + 1 + ceil(224 m
    epsilon^{-2} ln(8 m/delta) ln(2/delta)).
    """
    each = SMALL.symbol / sqrt(8 * M.symbol * log(2 / SMALL_DELTA.symbol))
    left = 28 / each**2 * log(4 / (SMALL_DELTA.symbol / (2 * M.symbol)))
    right = 224 * M.symbol / SMALL.symbol**2 * log(8 * M.symbol / SMALL_DELTA.symbol) * log(2 / SMALL_DELTA.symbol)
    return printed(M, SMALL, SMALL_DELTA, says=equal(left, right))


@claim(
    "shariff-sheffet-2018/prop9",
    "Proof of Proposition 9, law of H_t",
    kind="law",
    role="step",
    consequence=(
        "In the tree of appendix A.2 a round adds the noise of as many nodes as it sums, at most m; after one, two or "
        "four rounds that is one node, whose Wishart law has k degrees of freedom and not m k. Either add fresh noise "
        "up to m nodes in all rounds, as the proof reads, or take the eigenvalue bounds with k for rho_min and m k for "
        "rho_max. The second reading shows no more than a missing condition, that of Claim 19, without which rho_min "
        "is the square of a negative number. For d = 1 and epsilon < 1 the k of section 4.1 meets it unless alpha/n "
        "is below e^-500; for n = 1 and a large d it does not."
    ),
    tested_on=(
        "d = 1 and L~ = 1. By Markov's inequality H_t >= rho_min has at most the probability on the right, which "
        "is E H_t/rho_min; the left side is what is claimed, 1 - alpha/(2 n)."
    ),
)
def proposition_9() -> tuple[Reading, ...]:
    """Fix any alpha > 0. If for each t the H_t and h_t are generated by the tree-based algorithm with Wishart noise
    W_{d+1}(L~^2 I, k), then the following are (alpha/2n)-accurate bounds: rho_min = L~^2 (sqrt(m k) - sqrt(d) - sqrt(2
    ln(8 n/alpha)))^2, rho_max = L~^2 (sqrt(m k) + sqrt(d) + sqrt(2 ln(8 n/alpha)))^2 ... [Section 4: the noise N_t that
    we add to M_t comes from the sum of at most m such counters.] Proof. Seeing as H_t ~ W_d(L~^2 I, m k), ... w.p. >= 1
    - alpha/2n all of the eigenvalues of H_t lie in the interval ...
    """
    # d = 1 and L = 1; by Markov's inequality H_t >= rho_min with probability E H_t/rho_min at most
    one, sure = expression(1), 1 - ALPHA.symbol / (2 * ROUNDS)
    off = width(one, 8, ROUNDS, ALPHA.symbol)
    k = degrees(one, LEVELS, SMALL.symbol, SMALL_DELTA.symbol)
    root, free = sqrt(LEVELS * k), integer("k", 1, region=(1, 200))
    after_one = Reading(
        "the noise of the nodes that are summed, after the first of n = 2^i > 1 rounds",
        (integer("i", 1, region=(1, 20)), SMALL, SMALL_DELTA, ALPHA),
        at_most(sure, k / (root - off) ** 2),
        (below(off, root),),
        provable=False,
    )
    always = Reading(
        "the noise of m nodes in all of n = 2^i rounds, with any number k, as for large epsilon",
        (HEIGHT, free, ALPHA),
        at_most(sure, LEVELS * free.symbol / (sqrt(LEVELS * free.symbol) - off) ** 2),
        provable=False,
    )
    as_set = Reading(
        "the noise of m nodes in all of n = 2^i rounds, with k of section 4.1 for d = 1 and epsilon < 1",
        (HEIGHT, SMALL, SMALL_DELTA, ALPHA),
        at_most(sure, LEVELS * k / (root - off) ** 2),
        (at_least(ALPHA.symbol / ROUNDS, exp(expression(-500))),),
        provable=False,
    )
    half = integer("half", 1, region=(1, 12))  # half of m k
    off = width(one, 8, N.symbol, ALPHA.symbol)
    exact = at_most(outside(half.symbol, sqrt(2 * half.symbol), off, 12), ALPHA.symbol / (2 * N.symbol))
    return (
        after_one,
        always,
        as_set,
        repaired(
            "with the noise of m nodes in all rounds, if sqrt(m k) > sqrt(d) + sqrt(2 ln(8 n/alpha))",
            half, N, ALPHA, says=exact, assumes=(below(off, sqrt(2 * half.symbol)),), provable=False,
        ),
    )  # fmt: skip


@claim("shariff-sheffet-2018/prop9-gamma", "Proposition 9, gamma", kind="law")
def gamma() -> Reading:
    """... gamma = L~ (sqrt(d) + sqrt(2 ln(2 n/alpha))) [w.p. >= 1 - alpha/2n it holds that |h_t|_{H_t^{-1}} <=
    gamma].
    """
    # the norm is L times the root of a chi-square variable with d = 2 half degrees of freedom
    level = width(2 * HALF.symbol, 2, N.symbol, ALPHA.symbol) ** 2
    says = at_most(tail(HALF.symbol, level), ALPHA.symbol / (2 * N.symbol))
    return printed(HALF, N, ALPHA, says=says, provable=False)


@claim(
    "shariff-sheffet-2018/prop9-union",
    "Proof of Proposition 9",
    role="step",
    consequence=(
        "The proof gives two events that fail with probability alpha/(2 n) each, and Definition 3 asks for both at "
        "once. The bound with 8 n in fact fails with alpha/(4 n) at most; with 4 n for 2 n in gamma the sum is right."
    ),
    tested_on=("The left side adds up the probabilities with which the two events of the proof fail."),
)
def two_events() -> tuple[Reading, ...]:
    """... w.p. >= 1 - alpha/2n all of the eigenvalues of H_t lie in the interval ... w.p. >= 1 - alpha/2n it holds that
    |h_t|_{H_t^{-1}} <= gamma. [Definition 3: rho_min, rho_max and gamma are (alpha/2n)-accurate if the three bounds
    hold with probability at least 1 - alpha/2n.]
    """
    share = ALPHA.symbol / (2 * N.symbol)
    return (
        Reading("the three bounds at once", (N, ALPHA), at_most(share + share, share)),
        Reading("each bound by itself", (N, ALPHA), at_most(share, share)),
    )


OFF = positive("off", (0.1, 10.0))
"""sqrt(d) + sqrt(2 ln(8 n/alpha))."""
SHIFT = (ROOT.symbol - OFF.symbol) ** 2 - 4 * ROOT.symbol * OFF.symbol
"""c of (4), over L^2."""


@claim("shariff-sheffet-2018/prop9-rho-min", "Proposition 9, rho_min'", kind="identity")
def shifted_smallest() -> Reading:
    """rho_min' = rho_min - c = rho_max - rho_min = 4 L~^2 sqrt(m k) (sqrt(d) + sqrt(2 ln(8 n/alpha)))."""
    left = (ROOT.symbol - OFF.symbol) ** 2 - SHIFT
    return printed(ROOT, OFF, says=equal(left, (ROOT.symbol + OFF.symbol) ** 2 - (ROOT.symbol - OFF.symbol) ** 2))


@claim("shariff-sheffet-2018/prop9-rho-max", "Proposition 9, rho_max'", kind="identity")
def shifted_largest() -> Reading:
    """rho_max' = rho_max - c = ... = 2 rho_min' = 8 L~^2 sqrt(m k) (sqrt(d) + sqrt(2 ln(8 n/alpha)))."""
    return printed(ROOT, OFF, says=equal((ROOT.symbol + OFF.symbol) ** 2 - SHIFT, 8 * ROOT.symbol * OFF.symbol))


@claim(
    "shariff-sheffet-2018/shift",
    "Section 4.1, (4)",
    consequence=(
        "If m < 34 and d is large beside (m/epsilon)^2 and the logarithms, the degrees of freedom come from d, c is "
        "negative, and the shift makes the eigenvalues larger; at d = n = 2^20 as well. The sentence presumes that the "
        "eigenvalues are fairly large. Shift only if c > 0, that is, if sqrt(m k) > 5.83 (sqrt(d) + sqrt(2 ln(8 "
        "n/alpha))). Proposition 9 is not affected."
    ),
    tested_on=(
        "alpha = 1/20, n = 2^i, m = i + 1, and k of section 4.1. The inequality says that c is not negative: "
        "(sqrt(m k) + a)^2 - 8 sqrt(m k) a is the shift over L~^2 with a = sqrt(d) + sqrt(2 ln(8 n/alpha))."
    ),
)
def smaller_bounds() -> tuple[Reading, ...]:
    """... since the Wishart noise has eigenvalues that are fairly large, we consider a post-processing of the noise
    matrix - shifting it by -c I with c := L~^2 (sqrt(m k) - sqrt(d) - sqrt(2 ln(8 n/alpha)))^2 - 4 L~^2 sqrt(m k)
    (sqrt(d) + sqrt(2 ln(8 n/alpha))), making the bounds we require smaller than without the shift.
    """
    # with alpha 1/20
    off = width(D.symbol, 8, ROUNDS, expression("1/20"))
    budget, height = Variable("epsilon", 0, 1, low_open=True), integer("i", 1, region=(1, 20))
    root = sqrt(LEVELS * degrees(D.symbol, LEVELS, budget.symbol, SMALL_DELTA.symbol))
    says = at_most(8 * root * off, (root + off) ** 2)
    large = at_least(root, (3 + sqrt(8)) * off)
    variables = (D, height, budget, SMALL_DELTA)
    return (
        Reading("every d and n", variables, says, provable=False),
        Reading("where the eigenvalues are so large that c >= 0", variables, says, (large,), provable=False),
    )


@claim(
    "shariff-sheffet-2018/prop9-gamma-step",
    "Proof of Proposition 9, last display but one",
    role="step",
    consequence="The root of 4 is 2: with 2 for 4 in the denominator the step holds, and the last line follows.",
    tested_on=("L~ = 1; root is sqrt(m k), and rho_min, rho_min' are those of Proposition 9."),
)
def shifted_gamma_step() -> tuple[Reading, ...]:
    """L~ (sqrt(d) + sqrt(2 ln(2 n/alpha))) sqrt(rho_min/rho_min') <= L~ (sqrt(m k) - sqrt(d) - sqrt(2 ln(8 n/alpha)))
    sqrt(sqrt(d) + sqrt(2 ln(2 n/alpha)))/(4 (m k)^{1/4}).
    """
    eight, two = (width(D.symbol, factor, N.symbol, ALPHA.symbol) for factor in (8, 2))
    left = two * sqrt((ROOT.symbol - eight) ** 2 / (4 * ROOT.symbol * eight))
    right = (ROOT.symbol - eight) * sqrt(two) / sqrt(ROOT.symbol)
    given = (below(eight, ROOT.symbol),)
    variables = (D, N, ALPHA, ROOT)
    return (
        printed(*variables, says=at_most(left, right / 4), assumes=given, provable=False),
        repaired("with 2 for 4", *variables, says=at_most(left, right / 2), assumes=given, provable=False),
    )


@claim("shariff-sheffet-2018/prop9-gamma-shifted", "Proposition 9, gamma'")
def shifted_gamma() -> Reading:
    """|h_t|_{H_t'^{-1}} <= gamma sqrt(rho_min/rho_min') ... <= L~ sqrt(sqrt(m k) (sqrt(d) + sqrt(2 ln(2 n/alpha)))) =:
    gamma'.
    """
    eight, two = (width(D.symbol, factor, N.symbol, ALPHA.symbol) for factor in (8, 2))
    left = two * sqrt((ROOT.symbol - eight) ** 2 / (4 * ROOT.symbol * eight))
    says = at_most(left, sqrt(ROOT.symbol * two))
    return printed(D, N, ALPHA, ROOT, says=says, assumes=(below(eight, ROOT.symbol),), provable=False)


@claim(
    "shariff-sheffet-2018/cor10",
    "Corollary 10",
    kind="order",
    role="step",
    consequence=(
        "Plugging Proposition 9 into Theorem 5 gives log(n)^{3/4} (d^{1/4} + ...) with the term of privacy m^{1/2} "
        "epsilon^{-1/2} (ln(8 m/delta) ln(2/delta))^{1/4} for (log n)^{1/4} epsilon^{-1/2} log(1/delta)^{1/4}. The "
        "printed bound lacks log(n)^{1/4}, and log(1/delta)^{1/4} if delta falls with n. A larger bound stands, and "
        "the smaller one is not refuted by this."
    ),
    tested_on=(
        "B = S = L~ = sigma = d = epsilon = 1, alpha = 1/2, both sides over sqrt(n); log_n and log_1_over_delta "
        "stand for log(n) and log(1/delta). The left side is below what Proposition 9 in Theorem 5 gives."
    ),
)
def corollary_10() -> Reading:
    """Plugging these into Theorems 5 and 6 gives us the following upper bounds on pseudo-regret. ... O(B sqrt(n) [sigma
    (log(1/alpha) + d log(n)) + S L~ sqrt(d) log(n)^{3/4} (d^{1/4} + epsilon^{-1/2} log(1/delta)^{1/4})
    (d^{1/4} + log(n/alpha)^{1/4})]).
    """
    # B = S = L = sigma = d = epsilon = 1, alpha = 1/2, n a power of 2 and log(n) >= 100, 1 <= log(1/delta) <= log(n):
    # m k >= 224 m^2 log(1/delta)^2, log(1 + n L^2/(d rho_min')) >= log(n)/4; both sides over sqrt(n)
    s, log_n, lost = variable("s"), variable("log_n"), variable("log_1_over_delta")
    left = log_n ** expression("5/4") * sqrt(lost)
    right = (
        log(2)
        + log_n
        + log_n ** expression("3/4") * (1 + lost ** expression("1/4")) * (1 + (log_n + log(2)) ** expression("1/4"))
    )
    paths = ({"log_n": s, "log_1_over_delta": expression(1)}, {"log_n": s, "log_1_over_delta": s})
    return printed(N, SMALL_DELTA, says=Order(left, "O", right, paths))
