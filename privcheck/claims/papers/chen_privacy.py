"""Chen et al. (ICML 2020): smoothness, the Laplace mechanism and the trees, sections 2, 3.1, 3.2 and 4.2."""

from __future__ import annotations

import math

from privcheck.claims._claim import Order, Reading, Relation, at_least, at_most, equal, printed
from privcheck.claims._declared_claims import claim, repaired
from privcheck.claims._expression import (
    Expression,
    absolute,
    ceiling,
    expression,
    log,
    log2,
    maximum,
    minimum,
    sqrt,
    variable,
)
from privcheck.claims._variables import Variable, integer, positive, probability

BUDGET = positive("epsilon", (0.01, 10.0))
LARGER, SHARE = Variable("larger", 0, math.inf, region=(0, 10)), probability("share")
"""Of two base arms' differences of the means, the larger one, and the smaller one as a share of it."""


@claim(
    "chen-2020/least-pulled",
    "Section 3.2",
    kind="identity",
    tested_on="Two base arms that are observed n_1 and n_2 times; the errors are the confidence widths of Algorithm 2.",
)
def least_pulled() -> Reading:
    """We only use the observation of least pulled base arm in S_t to update its empirical mean and keep others
    unchanged, as it is the weakest one in S_t and causes largest estimation error. [Widths: 4 sqrt(2 ln T/(epsilon^2
    T_{t-1,i})).]
    """
    first, second, horizon = (integer(name, 1, region=(1, 50)) for name in ("n_1", "n_2", "T"))

    def width(count: Expression) -> Expression:
        return 4 * sqrt(2 * log(horizon.symbol) / (BUDGET.symbol**2 * count))

    largest = maximum(width(first.symbol), width(second.symbol))
    says = equal(largest, width(minimum(first.symbol, second.symbol)))
    return printed(first, second, horizon, BUDGET, says=says, provable=False)


@claim(
    "chen-2020/tree-noise",
    "Section 3.2, before the last display",
    consequence=(
        "The variance of the noise in the sum of n rewards is 2 n/epsilon^2 in Algorithm 2, and about 2 (log T)^3/"
        "epsilon^2 at most with a tree: much less if n is large, as the sentence means, and more for many n below "
        "1,000, such as n = T = 3, 7, ..., 511."
    ),
    tested_on=(
        "n = 2^j - 1 rewards of one base arm, whose sum takes j nodes, each with noise Lap(log2(T)/epsilon). The left "
        "side is the variance of their noise, the right side that of n variables Lap(1/epsilon); both over 2/epsilon^2."
    ),
)
def noise_of_a_tree() -> tuple[Reading, ...]:
    """Since the tree-based aggregation technique injects much less noise compared with Algorithm 2 designed for LDP, it
    is not hard to prove that this variant for DP can achieve regret bound O~(m B_inf^2 ln T/(epsilon Delta)).
    """
    nodes, horizon = integer("j", 1, region=(1, 20)), integer("T", 1)
    count = expression(2) ** nodes.symbol - 1
    long_enough = (at_least(horizon.symbol, count),)
    says = at_most(nodes.symbol * log2(horizon.symbol) ** 2, count)
    s, n = variable("s"), variable("n")
    return (
        Reading("for every number of rewards", (nodes, horizon), says, long_enough, provable=False),
        Reading("as the number of rewards grows", (nodes, horizon), Order(log(n) ** 3, "O", n, ({"n": s},))),
    )


@claim(
    "chen-2020/extra-factor",
    "After Theorem 2, and section 3.2",
    kind="identity",
    tested_on="One term of the sum in (3), and of the one in (4) and without privacy.",
)
def extra_factor() -> tuple[Reading, ...]:
    """Compared with corresponding non-private CUCB that achieves O(sum B_inf^2 ln T/Delta_min^i) regret ..., one can
    see the regret bound of Algorithm 1 has an extra multiplicative factor K^2/epsilon^2. ... [Noise in O(1/epsilon)
    order] gets rids of the annoying additional K^2 factor in the regret guarantee.
    """
    size, smooth, gap, log_t = integer("K", 1, region=(1, 20)), positive("B_inf"), positive("Delta"), positive("ln T")
    plain = smooth.symbol**2 * log_t.symbol / gap.symbol
    third = size.symbol**2 * smooth.symbol**2 * log_t.symbol / (BUDGET.symbol**2 * gap.symbol)
    says = equal(third / plain, size.symbol**2 / BUDGET.symbol**2)
    fourth = smooth.symbol**2 * log_t.symbol / (BUDGET.symbol**2 * gap.symbol)
    variables: tuple[Variable, ...] = (size, smooth, gap, log_t, BUDGET)
    return (
        Reading("(3) over the bound without privacy", variables, says),
        Reading("(3) over (4)", variables, equal(third / fourth, size.symbol**2)),
    )


@claim("chen-2020/fact1a", "Fact 1")
def fact_1_first() -> Reading:
    """Suppose a reward function is B_inf-bounded smooth, then it is also B_1-bounded smooth with B_1 = B_inf."""
    both = LARGER.symbol * (1 + SHARE.symbol)
    return printed(LARGER, SHARE, says=at_most(LARGER.symbol, both))


@claim("chen-2020/fact1b", "Fact 1")
def fact_1_second() -> Reading:
    """On the contrary, suppose a reward function is B_1-bounded smooth, then it is B_inf-bounded smooth with B_inf = K
    B_1.
    """
    both = LARGER.symbol * (1 + SHARE.symbol)
    return printed(LARGER, SHARE, says=at_most(both, 2 * LARGER.symbol))


@claim(
    "chen-2020/laplace",
    "Section 2.2",
    kind="privacy",
    consequence=(
        "Two points of an L1 ball of radius R are up to 2 R apart, and the loss is up to 2 epsilon. Read R as the "
        "diameter, as the paper itself uses it, or draw the noise from Lap(2 R/epsilon). Theorems 1 and 3 are not "
        "affected: the outcomes are in [0, 1]^K or [0, 1], whose L1 diameters are the printed K and 1."
    ),
    tested_on=(
        "d = 1, with outputs a and b in units of R. The left side is the largest loss, their distance over the scale."
    ),
)
def laplace_mechanism() -> tuple[Reading, ...]:
    """Suppose the output domain Y of an algorithm A is bounded by a d-dimensional L1 ball with radius R, Laplacian
    mechanism just injects a d-dimensional random noise to the true output A(x), and each entry of noise is sampled from
    Lap(R/epsilon) independently. It is easy to prove the Laplacian mechanism guarantees epsilon-LDP.
    """
    # d = 1, outputs in units of R: the largest loss is their distance over the scale
    first, second = (Variable(name, -1, 1, words="bounded by a d-dimensional L1 ball with radius R") for name in "ab")
    loss = absolute(first.symbol - second.symbol) * BUDGET.symbol
    variables = (first, second, BUDGET)
    return (
        Reading("R is the radius, as printed", variables, at_most(loss, BUDGET.symbol), provable=False),
        Reading(
            "R is the largest distance of two outputs, as in Theorems 1 and 3", variables,
            at_most(loss, BUDGET.symbol), (at_most(absolute(first.symbol - second.symbol), 1),), provable=False,
        ),
        repaired(
            "with noise from Lap(2 R/epsilon)",
            *variables, says=at_most(loss / 2, BUDGET.symbol), provable=False,
        ),
    )  # fmt: skip


OUTCOMES = tuple(probability(name) for name in ("x_1", "x_2", "y_1", "y_2"))


@claim("chen-2020/thm1", "Theorem 1", kind="privacy")
def theorem_1() -> Reading:
    """Algorithm 1 guarantees epsilon-LDP. [A user sends X_{t,i} + z_{t,i} for i in S_t, z_{t,i} ~ Lap(K/epsilon).]"""
    # K = 2: the loss over epsilon
    first, second, third, fourth = (of.symbol for of in OUTCOMES)
    says = at_most((absolute(first - third) + absolute(second - fourth)) / 2, 1)
    return printed(*OUTCOMES, says=says)


@claim("chen-2020/thm3", "Theorem 3", kind="privacy")
def theorem_3() -> Reading:
    """Algorithm 2 guarantees epsilon-LDP. [A user sends X_{t,I_t} + z_{t,I_t}, z_{t,I_t} ~ Lap(1/epsilon).]"""
    x, y = OUTCOMES[:2]
    return printed(x, y, says=at_most(absolute(x.symbol - y.symbol), 1))


@claim(
    "chen-2020/tree-nodes",
    "Section 4.2",
    consequence=(
        "For t = 1 the printed number is 0, and the sum is a node. From t = 2 on it holds, with logarithms to base 2; "
        "ceil(log2(t + 1)) nodes are always enough."
    ),
    tested_on="t = 2^j - 1, for which j nodes are needed, the most of all t up to it.",
)
def nodes_of_a_sum() -> tuple[Reading, ...]:
    """Notice that one only needs access to ceil(log t) nodes and sums up the values on them in order to calculate
    X_t.
    """
    j = integer("j", 1, region=(1, 40))
    last = expression(2) ** j.symbol - 1
    return (
        printed(j, says=at_most(j.symbol, ceiling(log2(last))), provable=False),
        repaired("ceil(log2(t + 1)) nodes", j, says=at_most(j.symbol, ceiling(log2(last + 1))), provable=False),
    )


J = integer("j", 1, region=(1, 40))


@claim(
    "chen-2020/lem1",
    "Lemma 1",
    kind="privacy",
    consequence=(
        "A tree over T = 2^j inputs has j + 1 levels, counting the leaves and the root, and the sums after 1, 2, 4, "
        "..., T inputs show the noisy nodes of all levels above the first input: the loss is (1 + 1/log2(T)) "
        "epsilon, 5 % too much at T = 2^20 with logarithms to base 2. Take the number of levels, "
        "ceil(log2(T)) + 1, for log(T). Theorem 7 has a factor 2 to spare."
    ),
    tested_on=(
        "T = 2^j, the first input is 0 or 1, and the sums after 1, 2, 4, ..., T inputs are single noisy nodes, j +"
        " 1 of them. The left side is their loss together."
    ),
)
def lemma_1() -> tuple[Reading, ...]:
    """Tree-based aggregation scheme with i.i.d. Lap(|X|_1 log T/epsilon) noise added to each node is
    epsilon-differentially private. [A stream with X_i in [0, 1]; in each step t it needs to output the sum of X_1, ...,
    X_t.]
    """
    # T = 2^j, the first input is 0 or 1, and the sums after 1, 2, 4, ..., T inputs are single nodes
    levels = J.symbol + 1

    def based(name: str, logarithm: Expression) -> Reading:
        return Reading(name, (J, BUDGET), at_most(levels * BUDGET.symbol / logarithm, BUDGET.symbol), provable=False)

    return (
        based("logarithms to base 2", J.symbol),
        based("natural logarithms", J.symbol * log(2)),
        repaired(
            "with the number of levels, ceil(log2 T) + 1, for log T",
            J, BUDGET, says=at_most(levels * BUDGET.symbol / (J.symbol + 1), BUDGET.symbol), provable=False,
        ),
    )  # fmt: skip


def _levels(j: Variable, logarithm: Expression) -> Relation:
    """The first datum is in j + 1 noisy nodes, and changes each by up to K in the L1 norm."""
    return at_most((j.symbol + 1) / (2 * logarithm), 1)


@claim(
    "chen-2020/thm7-noise",
    "Section 4.2, before Theorem 7",
    kind="privacy",
    role="step",
    consequence=(
        "With natural logarithms the noisy sums together exceed epsilon at T = 2 and T = 4. Write log2 if they are "
        "released. Algorithm 3 releases the actions only: Theorem 7 stands."
    ),
    tested_on=(
        "All noisy sums are released at the horizon T = 2^j, and the first vector is replaced. The left side is "
        "the loss over epsilon."
    ),
)
def noise_of_a_node() -> tuple[Reading, ...]:
    """For each node, we add i.i.d. Lap(2 K log T/epsilon) noise to each dimension of the vector stored on the node to
    guarantee epsilon-DP (See Algorithm 3). [Each vector has support at most K.]
    """
    # all noisy sums are released; the worst horizon is T = 2^j
    return (
        Reading("natural logarithms", (J,), _levels(J, log(expression(2) ** J.symbol)), provable=False),
        Reading("logarithms to base 2", (J,), _levels(J, J.symbol), provable=False),
    )


@claim("chen-2020/thm7", "Theorem 7", kind="privacy")
def theorem_7() -> tuple[Reading, ...]:
    """Algorithm 3 guarantees epsilon-DP. [For each node, we add i.i.d. Lap(2 K log T/epsilon) noise to each dimension
    of the vector stored on the node; each vector has support at most K.]
    """
    # the actions are released, which know T - 1 vectors; the worst horizon is T = 2^j + 1
    first = integer("j", 0, region=(0, 40))
    power = expression(2) ** first.symbol
    return (
        Reading("natural logarithms", (first,), _levels(first, log(power + 1)), provable=False),
        Reading("logarithms to base 2", (first,), _levels(first, log2(power + 1)), provable=False),
    )
