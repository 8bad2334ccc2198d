"""Chen et al. (ICML 2020): the noise of Algorithm 2 and of a tree, section 3.2."""

from __future__ import annotations

from privcheck.claims._claim import Order, Reading, at_least, at_most, equal, printed
from privcheck.claims._declared_claims import claim
from privcheck.claims._expression import Expression, expression, log, log2, maximum, minimum, sqrt, variable
from privcheck.claims._variables import Variable, integer, positive

BUDGET = positive("epsilon", (0.01, 10.0))


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
        "The variance of the noise in the sum of n rewards is 2 n/epsilon^2 in Algorithm 2, and up to 2 (log T)^3/"
        "epsilon^2 with a tree: much less if n is large, as the sentence means, and more for n below about 1,000."
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
