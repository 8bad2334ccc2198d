"""Chen et al. (ICML 2020): why printed forms fail."""

from __future__ import annotations

from privcheck.claims._causes import cause

CAUSES = (
    cause(
        "chen-2020/exponential-tails",
        "The width of the indices is that of a sub-Gaussian variable, and the noise has exponential tails: the best "
        "arm is lost with a probability that falls more slowly than any power of T.",
        "min{mean + 4 sqrt(2 ln T/(epsilon^2 T_{t-1,i})), 1}",
        statement="thm2 thm4",
        remains=(
            "Theorems 1 and 3, about privacy; and the orders of Theorems 2 and 4 for indices with a second width, of "
            "the order ln(T)/(epsilon n), for epsilon of order 1, and for Algorithm 1 with K^2 for K under the root. "
            "The loss cannot show below a horizon of about 10^14."
        ),
        rests=(
            "The upper bounds for B_inf-smooth rewards under local privacy in the abstract, Table 1 and section 5, and "
            "the optimality that is said of Algorithm 2."
        ),
    ),
    cause(
        "chen-2020/levels-of-a-tree",
        "A logarithm without a base and without rounding, for the number of levels: a tree over T = 2^j inputs has j + "
        "1 of them.",
        "Lap(|X|_1 log T/epsilon)",
        reading="lem1",
        remains="Lemma 1 with ceil(log2 T) + 1 for log T; Theorem 7, which has a factor 2 to spare.",
    ),
    cause("chen-2020/first-node", "The sum of one input is one node.", "ceil(log t) nodes", range="tree-nodes"),
    cause("chen-2020/sums-of-two", "With natural logarithms two horizons fail.", "2 K log T", reading="thm7-noise"),
    cause(
        "chen-2020/large-epsilon",
        "Without a range of epsilon the order falls below that without privacy.",
        "B_inf^2 ln T/",
        reading="abstract-ldp dp-upper",
    ),
    cause(
        "chen-2020/multiplicative-form",
        "The bounds are sums; as products, 'for simplicity', they hold for a fixed epsilon or gap.",
        "ln T/(epsilon Delta)",
        reading="dp-lower dp-smooth",
    ),
    cause("chen-2020/many-arms", "ln T in F_t for ln(m T) in the index.", "4 sqrt(ln T/T_{t-1,i})", range="lem2"),
    cause(
        "chen-2020/logarithms-near-zero",
        "A logarithm in an order stands for one plus it.",
        "ln(B_1 K ln T/(Delta_max epsilon))",
        reading="thm8 thm8-logarithm",
    ),
    cause("chen-2020/arms-of-the-best", "m for K.", "S* contains m base arms", misprint="thm9-arms"),
    cause("chen-2020/one-more-m", "A factor m too many.", "Omega(m K B_1 ln T/(epsilon Delta))", misprint="thm9-pulls"),
    cause("chen-2020/square-of-b", "B_1 for its square.", "Omega(B_1 m K ln T/Delta)", misprint="thm9-reduction"),
    cause(
        "chen-2020/few-super-arms",
        "For m = 2 K there is one suboptimal super arm, and not theta(m).",
        "there are theta(m) sub-optimal super arms",
        range="thm9-many",
    ),
    cause(
        "chen-2020/noise-of-few",
        "A tree injects less noise once there are many rewards, which is what matters for the order of the regret.",
        "injects much less noise",
        reading="tree-noise",
    ),
    cause("chen-2020/one-path", "For m = K there is nothing to choose.", "(m - K) K", reading="conclusion"),
    cause("chen-2020/radius", "The radius of a ball for its diameter.", "L1 ball with radius R", reading="laplace"),
)
