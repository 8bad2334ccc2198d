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
}
"""For each paper, its numbered statements with ids, separated by spaces and with a remark after a semicolon, or a
sentence."""

NOT_COVERED = (
    "Chen et al. 2020, (Locally) Differentially Private Combinatorial Semi-Bandits",
    "Shariff & Sheffet 2018, Differentially Private Contextual Linear Bandits",
)
"""Papers that privcheck uses and of which no statement is declared yet."""
