"""Azize and Basu (NeurIPS 2022): why printed forms fail."""

from __future__ import annotations

from privcheck.claims._causes import cause

CAUSES = (
    cause(
        "azize-basu-2022/later-blocks",
        "Theorem 11 asks that the index be low after a block of 2^l rewards; after a longer block nothing is known of "
        "it, and one failure of optimism is enough for the arm to get one.",
        "when G_{a,l,T} happens, N'_a(T) <= 2^{l+1}",
        statement="thm11",
        step="thm11-good-event",
        remains=(
            "The theorem with the sum of P(G^c) over all blocks of 2^l rewards and more in place of the first of them; "
            "with it Theorem 7 (with the constant of eq33-minimum), Theorem 8 and Theorem 12. "
            "docs/evidence/repaired-proofs.md "
            "has the proof."
        ),
        rests="Theorems 7, 8 and 12 are derived from Theorem 11; none of them is refuted by this.",
    ),
    cause(
        "azize-basu-2022/factor-six",
        "True as printed for epsilon up to 2.918, the step before (12) up to 2.838; beyond, the factor 6 epsilon of "
        "Karwa and Vadhan is too small, and no range of epsilon is printed.",
        "epsilon' = 6 epsilon",
        range="lem2 lem2-every thm9 eq12 eq16 thm10-step shariff-sheffet-2018/claim14-coupling",
        remains=(
            "Lemma 2 and Theorem 9 for epsilon up to 2.9183, and for every epsilon with ln(1 + TV (e^epsilon - 1)) in "
            "place of 6 epsilon TV (docs/evidence/repaired-proofs.md). Theorem 10, about the divergence, holds for "
            "every "
            "epsilon with the factor 1 in place of 6. Claim 14 of Shariff and Sheffet has room up to epsilon = 4.79."
        ),
    ),
    cause(
        "azize-basu-2022/arms-not-orthogonal",
        "An order between two matrices bounds quadratic forms and not products of two different vectors: Fact 2 is "
        "derived for orthogonal arms.",
        "only the component of a - a* in the direction of a_j matters",
        statement="thm5-rho",
        step="thm5-bilinear",
        remains="Fact 2, and Theorem 5 with it, for pairwise orthogonal arms.",
        rests="The term of privacy of Theorem 5, and of Table 2, for arms that are not orthogonal, is without a proof.",
    ),
    cause(
        "azize-basu-2022/eq33-minimum",
        "1/(2 Delta) + 1/epsilon is up to twice 1/min{epsilon, 2 Delta}; (33) has them the other way round.",
        "2^l < 4 alpha log(T)/(Delta_a min{epsilon, 2 Delta_a})",
        step="eq33c thm7-choice",
        remains=(
            "Theorem 7 with 20.95 in place of 16, and as it is printed where epsilon/Delta is at most 1/2 or at least "
            "1.71; Theorem 12 as it is printed."
        ),
        rests="The constant 16 of Theorem 7, and Remark 3 about it.",
    ),
    cause(
        "azize-basu-2022/markov-half",
        "Markov's inequality at T/2 gives half of what is written.",
        "The last inequality is a direct application of Markov's inequality",
        step="thm4-markov",
        remains="Theorem 4 as it is printed: the divergence is at most 1 and not 6, which leaves more than a factor 2.",
        rests="The constant exp(-6)/4 of Theorem 4 and Table 2, by the printed proof.",
    ),
    cause(
        "azize-basu-2022/linear-exponential",
        "exp(x) - 1 <= x is used for positive x; the step fails for every epsilon as soon as 6 sum_i p_i < 1.",
        "(14) <= e^epsilon' 2 (sum_i p_i) delta + 2 (sum_i p_i) delta",
        step="eq15",
        remains="(16), for epsilon up to 2.8, directly from (13).",
        rests="delta' of Lemma 2, by the printed proof.",
    ),
    cause(
        "azize-basu-2022/smallest-gap",
        "The event is that of arm 1 and should be that of arm a: an arm that is not the best is played in half of the "
        "rounds, and it need not be arm a.",
        "(T/2) (M_{nu pi}(A) Delta_a",
        step="eq17",
        remains="(17) with the event of arm a, or with the smallest positive gap; its limit, Theorem 3, is the same.",
        rests="The display (17) only.",
    ),
    cause("azize-basu-2022/real-means", "No regret exceeds T if means are in [0, 1].", "T >= K - 1", reading="thm2"),
    cause(
        "azize-basu-2022/turned-over",
        "27/131 is printed as 131/27.",
        "epsilon < (131/27) sqrt((K - 1)/T)",
        misprint="thm2-regime",
    ),
    cause(
        "azize-basu-2022/means-at-the-edge",
        "The divergence is bounded from below where a bound from above is needed; for means near 0 or 1 there is none.",
        "d_inf >= 2 Delta_a^2",
        range="thm3-bernoulli",
    ),
    cause("azize-basu-2022/sign-of-10", "A plus sign for a minus sign.", "+ delta/(e^-epsilon - 1)", misprint="eq10"),
    cause("azize-basu-2022/mean-one", "An index in [0, 1] does not exceed the mean 1.", "q in [0, 1]", reading="lem4b"),
    cause(
        "azize-basu-2022/constants-of-theorem-8",
        "C_1 depends on the means, not on alpha alone.",
        "constants C_1(alpha), C_2 > 0",
        reading="thm8-constants",
    ),
    cause(
        "azize-basu-2022/lower-bounds-meet",
        "The two lower bounds are the same there; what can be attained is not, up to 6 times that budget and more.",
        "the regret achievable by bandits with global DP and without global DP are same",
        reading="thm3-low",
    ),
    cause(
        "azize-basu-2022/first-block",
        "The one pull of the initialisation is not half of one pull; the sentence speaks of episodes, and they begin "
        "after it.",
        "exactly half the number of times arm a was pulled since the beginning",
        reading="half-of-pulls",
    ),
    cause(
        "azize-basu-2022/last-product",
        "e^-epsilon for e^epsilon in the last product.",
        "(prod_i (1 - p_i + p_i e^-epsilon) - 1)/(e^epsilon - 1) delta",
        misprint="eq11",
    ),
)
