"""An account of every numbered statement of the papers that are covered: the claims about it, or why there is none."""

from __future__ import annotations

from privcheck.claims.papers.jourdan_azize_quoted import QUOTED

DEFINITION = "a definition; nothing is claimed"
ALL_ALGORITHMS = "about every policy or mechanism; not a formula in finitely many numbers"
ORDER = "an order with an unspecified constant; its displayed steps are declared"

ACCOUNTS: dict[str, dict[str, str]] = {
    "hu-2021": {
        "Definition 1": DEFINITION,
        "Theorem 2": "hu-2021/eq21",
        "Theorem 3": "hu-2021/omega hu-2021/eq24 hu-2021/eq31",
        "Theorem 4": "the argument of Theorem 2: hu-2021/eq21 is declared there",
        "Theorem 5": ORDER + " under Lemmas 7, 20 and 21",
        "Lemma 6": "about every pair of laws; not declared yet",
        "Lemma 7": "hu-2021/lem7",
        "Theorem 8": "hu-2021/thm8",
        "Theorem 9": (
            "hu-2021/thm9 hu-2021/thm9-sum hu-2021/thm9-exp hu-2021/thm9-tuning hu-2021/thm9-lambda hu-2021/conclusion"
        ),
        "Corollary 10": "hu-2021/cor10b",
        "Corollary 11": "an order with an unspecified constant; not declared yet",
        "Theorem 12": "hu-2021/thm12-minimax hu-2021/thm12-condition hu-2021/packing hu-2021/asz hu-2021/eq56",
        "Fact 13": DEFINITION,
        "Fact 14": DEFINITION,
        "Fact 15": "hu-2021/fact15",
        "Fact 16": "hu-2021/fact16",
        "Fact 17": "hu-2021/fact17a hu-2021/fact17b",
        "Fact 18": "hu-2021/fact18",
        "Lemma 19": "hu-2021/eq29 hu-2021/eq30",
        "Lemma 20": "hu-2021/lem20-clip hu-2021/lem20-e hu-2021/lem20-g",
        "Lemma 21": "an order with an unspecified constant; rests on Lemma 7",
        "Lemma 22": "an order with an unspecified constant; rests on Fact 15",
        "Lemma 23": "an order with an unspecified constant; rests on Fact 16",
        "Lemma 24": "hu-2021/lem24 hu-2021/eq52 hu-2021/lem24-sum",
    },
    "azize-basu-2022": {
        "Definition 1": DEFINITION,
        "Definition 2": DEFINITION,
        "Definition 3": DEFINITION,
        "Definition 4": DEFINITION,
        "Definition 5": DEFINITION,
        "Theorem 1": "about every query; not declared yet",
        "Theorem 2": "azize-basu-2022/thm2 azize-basu-2022/thm2-constant azize-basu-2022/thm2-tv "
        "azize-basu-2022/thm2-regime "
        "azize-basu-2022/thm2-example",
        "Theorem 3": "azize-basu-2022/thm3-bernoulli",
        "Theorem 4": (
            "azize-basu-2022/thm4-regime azize-basu-2022/thm4-markov azize-basu-2022/eq18; the bound itself is about "
            "every policy and all parameters in R^d, where no number of rounds bounds the regret, and is not declared"
        ),
        "Theorem 5": "about every consistent policy; of its proof, Fact 2 is declared",
        "Theorem 6": ALL_ALGORITHMS,
        "Theorem 7": "azize-basu-2022/eq33a azize-basu-2022/eq33b azize-basu-2022/eq33c azize-basu-2022/thm7-choice "
        "azize-basu-2022/eq34",
        "Theorem 8": "azize-basu-2022/thm8-sum",
        "Theorem 9": "azize-basu-2022/thm9",
        "Theorem 10": "azize-basu-2022/thm10 azize-basu-2022/thm10-step",
        "Theorem 11": "azize-basu-2022/thm11-count azize-basu-2022/thm11-integral azize-basu-2022/thm11-last "
        "azize-basu-2022/thm11-sum",
        "Theorem 12": "azize-basu-2022/thm12-tuning azize-basu-2022/thm12-split",
        "Lemma 1": (
            "about every sequence of rewards; its definition of a mean from i to j divides by j - i, one less than the "
            "number of rewards, and asks for i < j: a convention, with which the privacy holds, and no claim"
        ),
        "Lemma 2": "azize-basu-2022/lem2 azize-basu-2022/lem2-every azize-basu-2022/eq10 azize-basu-2022/eq12 "
        "azize-basu-2022/eq14 "
        "azize-basu-2022/eq15 "
        "azize-basu-2022/eq16",
        "Lemma 3": "azize-basu-2022/lem3a azize-basu-2022/lem3b",
        "Lemma 4": "azize-basu-2022/lem4a azize-basu-2022/lem4b",
        "Lemma 5": ALL_ALGORITHMS,
        "Lemma 6": "azize-basu-2022/lem6",
        "Lemma 7": ALL_ALGORITHMS,
        "Lemma 8": "azize-basu-2022/lem8",
        "Lemma 9": "azize-basu-2022/lem9",
        "Lemma 10": "Fact 16 of the other paper, one side at a time",
        "Lemma 11": "azize-basu-2022/lem11a azize-basu-2022/lem11b",
        "Lemma 12": "azize-basu-2022/lem12",
        "Lemma 13": "azize-basu-2022/lem13a azize-basu-2022/lem13b",
        "Fact 1": "azize-basu-2022/fact1",
        "Fact 2": "azize-basu-2022/thm5-bilinear azize-basu-2022/thm5-rho",
        "Fact 3": "about a set of implicitly defined numbers; not declared yet",
        "Remark 1": "azize-basu-2022/remark1",
        "Remark 2": "an order that follows from Theorem 3 for Bernoulli rewards; not declared yet",
        "Remark 3": "the constant of Theorem 7; see azize-basu-2022/thm7-choice",
        "Remark 4": "up to unspecified constants; rests on azize-basu-2022/lem9",
        "Example 3": "azize-basu-2022/example3",
    },
    "jourdan-azize-2025": QUOTED,
    "chen-2020": {
        "Assumption 1": DEFINITION,
        "Assumption 2": DEFINITION,
        "Assumption 3": DEFINITION,
        "Definition 1": DEFINITION,
        "Definition 2": DEFINITION,
        "Definition 3": DEFINITION,
        "Definition 4": DEFINITION,
        "Definition 5": DEFINITION,
        "Fact 1": "chen-2020/fact1a chen-2020/fact1b",
        "Theorem 1": "chen-2020/thm1",
        "Theorem 2": "chen-2020/thm2",
        "Theorem 3": "chen-2020/thm3",
        "Theorem 4": "chen-2020/thm4",
        "Theorem 5": "chen-2020/thm5 chen-2020/thm5-small",
        "Theorem 6": "chen-2020/thm6 chen-2020/gap chen-2020/conclusion; its second bound is that of Theorem 5",
        "Theorem 7": "chen-2020/thm7 chen-2020/thm7-noise",
        "Theorem 8": "chen-2020/thm8 chen-2020/thm8-pulls chen-2020/thm8-root chen-2020/thm8-harmonic "
        "chen-2020/thm8-logarithm chen-2020/thm8-means chen-2020/thm8-roots",
        "Theorem 9": "chen-2020/thm9-arms chen-2020/thm9-many chen-2020/thm9-pulls chen-2020/thm9-reduction "
        "chen-2020/thm9-sum; the bound itself is an order for every consistent algorithm, proven in a supplement",
        "Lemma 1": "chen-2020/lem1 chen-2020/tree-nodes",
        "Lemma 2": "chen-2020/lem2; its proof is in a supplement that is not covered",
        "Section 2": "chen-2020/laplace",
        "Section 3": "chen-2020/dp-upper chen-2020/dp-lower",
        "Table 1": "chen-2020/abstract-ldp chen-2020/dp-smooth; the entry for B_1 under LDP is Theorem 4 with Fact 1",
    },
    "shariff-sheffet-2018": {
        "Definition 1": DEFINITION,
        "Definition 2": DEFINITION,
        "Definition 3": DEFINITION,
        "Proposition 4": "shariff-sheffet-2018/prop4-round shariff-sheffet-2018/prop4-det "
        "shariff-sheffet-2018/prop4-equality",
        "Theorem 5": "shariff-sheffet-2018/thm5 shariff-sheffet-2018/thm5-step",
        "Theorem 6": "shariff-sheffet-2018/thm6 shariff-sheffet-2018/thm6-scaling shariff-sheffet-2018/thm6-sum "
        "shariff-sheffet-2018/gap-order",
        "Claim 7": ALL_ALGORITHMS,
        "Theorem 8": "shariff-sheffet-2018/thm8 shariff-sheffet-2018/scale shariff-sheffet-2018/degrees",
        "Proposition 9": "shariff-sheffet-2018/prop9 shariff-sheffet-2018/prop9-gamma shariff-sheffet-2018/prop9-union "
        "shariff-sheffet-2018/prop9-rho-min shariff-sheffet-2018/prop9-rho-max shariff-sheffet-2018/shift "
        "shariff-sheffet-2018/prop9-gamma-step shariff-sheffet-2018/prop9-gamma-shifted",
        "Corollary 10": "shariff-sheffet-2018/cor10; the bound with a gap is the square of the same bracket",
        "Proposition 11": "shariff-sheffet-2018/prop11 shariff-sheffet-2018/prop11-gamma "
        "shariff-sheffet-2018/prop11-order shariff-sheffet-2018/norm shariff-sheffet-2018/upsilon",
        "Corollary 12": "shariff-sheffet-2018/cor12; the bound with a gap is the square of the same bracket",
        "Claim 13": "shariff-sheffet-2018/claim13 shariff-sheffet-2018/claim13-step "
        "shariff-sheffet-2018/claim13-history",
        "Claim 14": "shariff-sheffet-2018/claim14-tv shariff-sheffet-2018/claim14-postulated "
        "shariff-sheffet-2018/claim14-markov shariff-sheffet-2018/claim14-coupling "
        "shariff-sheffet-2018/claim14-exponent; the claim itself is about every algorithm and large n",
        "Corollary 15": "shariff-sheffet-2018/cor15 shariff-sheffet-2018/cor15-sum shariff-sheffet-2018/cor15-max",
        "Claim 16": "shariff-sheffet-2018/claim16-det shariff-sheffet-2018/claim16-inverse; 1., about ranks, is not a "
        "formula",
        "Claim 17": "shariff-sheffet-2018/claim17-above shariff-sheffet-2018/claim17-below",
        "Claim 18": "shariff-sheffet-2018/claim18",
        "Claim 19": "shariff-sheffet-2018/claim19",
        "Claim 20": "shariff-sheffet-2018/claim20",
        "Lemma 21": "shariff-sheffet-2018/lem21",
        "Lemma 22": "shariff-sheffet-2018/lem22 shariff-sheffet-2018/lem22-second shariff-sheffet-2018/lem22-fact "
        "shariff-sheffet-2018/lem22-telescope",
        "Theorem 23": "shariff-sheffet-2018/thm23",
        "Remark 1": "about what the algorithm uses; no formula",
        "Remark 2": "the scaling by B: see shariff-sheffet-2018/thm6-scaling",
        "Section 1": "shariff-sheffet-2018/composition shariff-sheffet-2018/tree-sums shariff-sheffet-2018/main-term; "
        "the other orders are those of the corollaries",
        "Section 4": "shariff-sheffet-2018/frobenius shariff-sheffet-2018/diagonal shariff-sheffet-2018/gaussian-node "
        "shariff-sheffet-2018/gaussian-tree shariff-sheffet-2018/a1-gaussian shariff-sheffet-2018/a2-tree; the last "
        "two are in appendix A",
        "Appendix 4": "shariff-sheffet-2018/subgaussian; what is measured is not a claim (appendix D)",
    },
}
"""For each paper, its numbered statements with ids, separated by spaces and with a remark after a semicolon, or a
sentence."""
