"""Shariff and Sheffet (NeurIPS 2018): why printed forms fail."""

from __future__ import annotations

from privcheck.claims._causes import cause

CAUSES = (
    cause(
        "shariff-sheffet-2018/width-below-one",
        "The condition is printed in Lemma 21, for a constant of at least max{beta_1, ..., beta_n, 1}, and lost in "
        "Theorems 5 and 6.",
        "the pseudo-regret of Algorithm 1 is bounded by R_n <= B sqrt(8 n)",
        range="thm5 thm6",
        remains=(
            "Both theorems (the second with B = 1) if the bound of beta_n is at least 1, or with the larger of the two "
            "in its place. The regularisers of section 4 are large enough for it unless L~ is far below 1."
        ),
    ),
    cause(
        "shariff-sheffet-2018/gap-scales",
        "Scaling the rewards down by B divides the gap by B as well: the factor of (3) is B^2.",
        "scaled up by a factor of B",
        statement="thm6-rewards",
        step="thm6-scaling",
        remains=(
            "Theorem 6 for B = 1, and with B^2 for B otherwise, both if beta_n is at least 1; Theorem 5, which has no "
            "gap."
        ),
        rests="The bounds with a gap of Corollaries 10 and 12, for B > 1.",
    ),
    cause(
        "shariff-sheffet-2018/nodes-of-a-sum",
        "H_t has the law W_d(L~^2 I, m k) if its noise comes from m nodes. In the tree of appendix A.2 it comes from "
        "as many nodes as the round sums, at most m.",
        "H_t ~ W_d(L~^2 I, m k)",
        step="prop9",
        remains=(
            "Proposition 9 if the noise is padded to m nodes in every round, which the proof reads and which is "
            "private, and if sqrt(m k) > sqrt(d) + sqrt(2 ln(8 n/alpha)): its three bounds then hold at once except "
            "with probability 3 alpha/(4 n). The privacy of the tree stands, with or without that."
        ),
        rests=(
            "Corollary 10, and the shifted algorithm itself: with the noise of few nodes the shifted matrix is not "
            "positive definite."
        ),
    ),
    cause(
        "shariff-sheffet-2018/lost-logarithm",
        "The factor 4 ln(4/delta) is lost under the root; the correct form stands left of the <= sign.",
        "<= sqrt(m L~^2 (sqrt(d) + 2 ln(2 n/alpha))/(sqrt(2) epsilon))",
        misprint="prop11",
        remains="Proposition 11 with the first form of gamma; Corollary 12, which has a logarithm of delta.",
    ),
    cause(
        "shariff-sheffet-2018/powers-of-logarithms",
        "What Proposition 9 gives in Theorem 5 has more logarithms than the printed order.",
        "Plugging these into Theorems 5 and 6 gives us the following upper bounds",
        step="cor10",
        remains=(
            "Corollary 10 with log(n) for log(n)^(3/4), and ln(log(n)/delta)^(1/4) ln(1/delta)^(1/4) for "
            "log(1/delta)^(1/4)."
        ),
        rests="The powers of logarithms in Corollary 10; that the regret exceeds the printed order is not shown.",
    ),
    cause(
        "shariff-sheffet-2018/large-epsilon",
        "Noise that falls like 1/epsilon is too small for a large epsilon; the cited results are for epsilon below 1.",
        "Fix positive epsilon_0 and delta_0",
        range="thm8 a1-gaussian a2-tree gaussian-node gaussian-tree",
    ),
    cause(
        "shariff-sheffet-2018/large-best-mean", "No mean exceeds 1.", "greater by Delta_a", range="claim14-postulated"
    ),
    cause(
        "shariff-sheffet-2018/few-degrees",
        "c is negative if d is large beside m/epsilon.",
        "shifting it by -c I",
        range="shift",
    ),
    cause("shariff-sheffet-2018/small-parameter", "S for S + 1.", "S L~ log(n)", range="cor12"),
    cause("shariff-sheffet-2018/k-and-m", "m for k.", "with sqrt(m) >", misprint="claim19"),
    cause(
        "shariff-sheffet-2018/equality",
        "An equality for at most.",
        "= |z_t|_{(G_t + rho_min I)^{-1}}",
        misprint="prop4-equality",
    ),
    cause(
        "shariff-sheffet-2018/last-determinant",
        "U_n for U_1.",
        "2 log(det U_{n+1}/det U_n)",
        misprint="lem22-telescope",
    ),
    cause("shariff-sheffet-2018/mean-for-sum", "A factor n that is missing.", "<1_n, r/n>", misprint="lem21-product"),
    cause("shariff-sheffet-2018/scale-matrix", "A square that is missing.", "W_{d+1}(L~ I, k)", misprint="scale"),
    cause(
        "shariff-sheffet-2018/other-arm", "a^2 for a^1.", "(e^{-epsilon} - 1) P[a_t = a^2|S]", misprint="claim13-step"
    ),
    cause("shariff-sheffet-2018/root-of-four", "4 for its root.", "/(4 (m k)^{1/4})", misprint="prop9-gamma-step"),
    cause("shariff-sheffet-2018/constant-above-rho", "c < rho is meant.", "satisfying H - c I > 0", reading="claim20"),
    cause(
        "shariff-sheffet-2018/change-of-a-norm",
        "The change of the norm for the norm of the change.",
        "may alter the Frobenius norm",
        reading="frobenius",
    ),
    cause(
        "shariff-sheffet-2018/three-bounds",
        "Whether three bounds hold at once or each.",
        "w.p. >= 1 - alpha/2n",
        reading="prop9-union",
    ),
    cause(
        "shariff-sheffet-2018/given-the-history",
        "Probabilities of all histories or of one.",
        "Fix a day t and a history",
        reading="claim13-history",
    ),
    cause("shariff-sheffet-2018/large-n", "n large for a fixed epsilon.", "Omega(k log(n)/epsilon)", reading="cor15"),
    cause("shariff-sheffet-2018/broadly", "'Broadly speaking', a logarithm.", "Broadly speaking", reading="gap-order"),
    cause("shariff-sheffet-2018/main-term", "'The main term', for a fixed d.", "The main term", reading="main-term"),
    cause(
        "shariff-sheffet-2018/nodes-rounded",
        "A logarithm that is to be rounded up.",
        "at most log(n) noisy sums",
        reading="tree-sums",
    ),
)
