"""The papers that results cite, as BibTeX entries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from privcheck.errors import PrivcheckError

NEURIPS = "Advances in Neural Information Processing Systems"
COLT = "Conference on Learning Theory"
ICML = "International Conference on Machine Learning"


@dataclass(frozen=True)
class Paper:
    """A paper.

    Parameters
    ----------
    cited_as : how sources name it in words.
    authors, title, year : as in BibTeX.
    venue : the journal or the proceedings.
    kind : of the entry: "inproceedings", "article" or "misc".
    """

    cited_as: str
    authors: str
    title: str
    venue: str
    year: int
    kind: str = "inproceedings"

    def bibtex(self, key: str) -> str:
        """Return the entry."""
        where = {"inproceedings": "booktitle", "article": "journal", "misc": "howpublished"}[self.kind]
        fields = {"author": self.authors, "title": f"{{{self.title}}}", where: self.venue, "year": str(self.year)}
        return _entry(self.kind, key, fields)


PAPERS = {
    "azize-basu-2022": Paper(
        "Azize and Basu 2022",
        "Azize, Achraf and Basu, Debabrota",
        "When Privacy Meets Partial Information: A Refined Analysis of Differentially Private Bandits",
        NEURIPS,
        2022,
    ),
    "chen-2020": Paper(
        "Chen et al. 2020",
        "Chen, Xiaoyu and Zheng, Kai and Zhou, Zixin and Yang, Yunchang and Chen, Wei and Wang, Liwei",
        "(Locally) Differentially Private Combinatorial Semi-Bandits",
        ICML,
        2020,
    ),
    "hu-2021": Paper(
        "Hu, Huang, Mehta and Hegde",
        "Hu, Bingshan and Huang, Zhiming and Mehta, Nishant A. and Hegde, Nidhi",
        "Near-Optimal Algorithms for Differentially Private Online Learning in a Stochastic Environment",
        "arXiv:2102.07929",
        2021,
        "misc",
    ),
    "jourdan-azize-2025": Paper(
        "Jourdan and Azize 2025",
        "Jourdan, Marc and Azize, Achraf",
        "Optimal Best Arm Identification under Differential Privacy",
        NEURIPS,
        2025,
    ),
    "shariff-sheffet-2018": Paper(
        "Shariff and Sheffet 2018",
        "Shariff, Roshan and Sheffet, Or",
        "Differentially Private Contextual Linear Bandits",
        NEURIPS,
        2018,
    ),
    "abbasi-yadkori-2011": Paper(
        "Abbasi-Yadkori, Pal and Szepesvari 2011",
        r"Abbasi-Yadkori, Yasin and P{\'a}l, D{\'a}vid and Szepesv{\'a}ri, Csaba",
        "Improved Algorithms for Linear Stochastic Bandits",
        NEURIPS,
        2011,
    ),
    "agrawal-goyal-2012": Paper(
        "Agrawal and Goyal 2012",
        "Agrawal, Shipra and Goyal, Navin",
        "Analysis of Thompson Sampling for the Multi-armed Bandit Problem",
        COLT,
        2012,
    ),
    "auer-2002": Paper(
        "Auer, Cesa-Bianchi and Fischer 2002",
        r"Auer, Peter and Cesa-Bianchi, Nicol{\`o} and Fischer, Paul",
        "Finite-time Analysis of the Multiarmed Bandit Problem",
        "Machine Learning",
        2002,
        "article",
    ),
    "azize-2023": Paper(
        "Azize, Jourdan, Al Marjani and Basu 2023",
        "Azize, Achraf and Jourdan, Marc and Al Marjani, Aymen and Basu, Debabrota",
        "On the Complexity of Differentially Private Best-Arm Identification with Fixed Confidence",
        NEURIPS,
        2023,
    ),
    "azize-basu-2023": Paper(
        "Azize and Basu 2023",
        "Azize, Achraf and Basu, Debabrota",
        "Concentrated Differential Privacy for Bandits",
        "arXiv:2309.00557",
        2023,
        "misc",
    ),
    "azize-2024": Paper(
        "Azize, Jourdan, Al Marjani and Basu 2024",
        "Azize, Achraf and Jourdan, Marc and Al Marjani, Aymen and Basu, Debabrota",
        "Differentially Private Best-Arm Identification",
        "arXiv:2406.06408",
        2024,
        "misc",
    ),
    "azize-2025": Paper(
        "Azize et al. 2025",
        "Azize, Achraf and Wu, Yulian and Honda, Junya and Orabona, Francesco and Ito, Shinji and Basu, Debabrota",
        "Optimal Regret of Bernoulli Bandits under Global Differential Privacy",
        NEURIPS,
        2025,
    ),
    "bretagnolle-huber-1979": Paper(
        "Bretagnolle-Huber",
        "Bretagnolle, Jean and Huber, Catherine",
        r"Estimation des densit{\'e}s : risque minimax",
        r"Zeitschrift f{\"u}r Wahrscheinlichkeitstheorie und Verwandte Gebiete",
        1979,
        "article",
    ),
    "chan-2011": Paper(
        "Chan, Shi and Song 2011",
        "Chan, T.-H. Hubert and Shi, Elaine and Song, Dawn",
        "Private and Continual Release of Statistics",
        "ACM Transactions on Information and System Security",
        2011,
        "article",
    ),
    "chen-2013": Paper(
        "Chen, Wang and Yuan 2013",
        "Chen, Wei and Wang, Yajun and Yuan, Yang",
        "Combinatorial Multi-Armed Bandit: General Framework and Applications",
        ICML,
        2013,
    ),
    "garivier-cappe-2011": Paper(
        "Garivier and Cappe 2011",
        r"Garivier, Aur{\'e}lien and Capp{\'e}, Olivier",
        "The KL-UCB Algorithm for Bounded Stochastic Bandits and Beyond",
        COLT,
        2011,
    ),
    "honda-takemura-2015": Paper(
        "Honda and Takemura 2015",
        "Honda, Junya and Takemura, Akimichi",
        "Non-Asymptotic Analysis of a New Bandit Algorithm for Semi-Bounded Rewards",
        "Journal of Machine Learning Research",
        2015,
        "article",
    ),
    "kairouz-2015": Paper(
        "Kairouz, Oh and Viswanath 2015",
        "Kairouz, Peter and Oh, Sewoong and Viswanath, Pramod",
        "The Composition Theorem for Differential Privacy",
        ICML,
        2015,
    ),
    "lai-robbins-1985": Paper(
        "Lai and Robbins",
        "Lai, Tze Leung and Robbins, Herbert",
        "Asymptotically Efficient Adaptive Allocation Rules",
        "Advances in Applied Mathematics",
        1985,
        "article",
    ),
    "mishra-thakurta-2015": Paper(
        "Mishra and Thakurta 2015",
        "Mishra, Nikita and Thakurta, Abhradeep",
        "(Nearly) Optimal Differentially Private Stochastic Multi-Arm Bandits",
        "Conference on Uncertainty in Artificial Intelligence",
        2015,
    ),
    "ren-2020": Paper(
        "Ren, Zhou, Liu and Shroff 2020",
        "Ren, Wenbo and Zhou, Xingyu and Liu, Jia and Shroff, Ness B.",
        "Multi-Armed Bandits with Local Differential Privacy",
        "arXiv:2007.03121",
        2020,
        "misc",
    ),
    "russo-2016": Paper(
        "Russo 2016",
        "Russo, Daniel",
        "Simple Bayesian Algorithms for Best Arm Identification",
        COLT,
        2016,
    ),
    "sajed-sheffet-2019": Paper(
        "Sajed and Sheffet 2019",
        "Sajed, Touqir and Sheffet, Or",
        "An Optimal Private Stochastic-MAB Algorithm Based on Optimal Private Stopping Rule",
        ICML,
        2019,
    ),
    "tossou-dimitrakakis-2016": Paper(
        "Tossou and Dimitrakakis 2016",
        "Tossou, Aristide C. Y. and Dimitrakakis, Christos",
        "Algorithms for Differentially Private Multi-Armed Bandits",
        "AAAI Conference on Artificial Intelligence",
        2016,
    ),
}
"""By BibTeX key. Those of the five papers are also the first parts of the ids of their theorems."""

OWN = "privcheck"
"""The key of this package."""


def cited_in(text: str) -> tuple[str, ...]:
    """Return the keys of the papers that a text names, in the order of `PAPERS`.

    >>> cited_in("Sajed and Sheffet 2019, Algorithm 2; beta = 1/T of Azize and Basu 2022, Section 6")
    ('azize-basu-2022', 'sajed-sheffet-2019')
    """
    said = text.replace("&", "and")
    return tuple(key for key, paper in PAPERS.items() if paper.cited_as in said)


def cited(identifier: str) -> str:
    """Return the key of the paper that the id of a theorem or claim starts with; empty for ids of your own.

    >>> cited("hu-2021/thm8"), cited("mine/thm1")
    ('hu-2021', '')
    """
    key = identifier.partition("/")[0]
    return key if key in PAPERS else ""


def bibtex(keys: Iterable[str]) -> str:
    """Return the BibTeX entries of some papers, each once, and that of privcheck.

    Parameters
    ----------
    keys : keys of `PAPERS`.

    Raises
    ------
    PrivcheckError : an unknown key.

    Examples
    --------
    >>> print(bibtex(["hu-2021"]).splitlines()[0])
    @misc{hu-2021,
    """
    wanted = dict.fromkeys(keys)
    unknown = [key for key in wanted if key not in PAPERS]
    if unknown:
        raise PrivcheckError("keys", unknown[0], f"keys among {', '.join(PAPERS)}")
    return "\n".join([*(PAPERS[key].bibtex(key) for key in wanted), _own_entry()])


def _own_entry() -> str:
    from privcheck import __version__

    title = "{privcheck: Privacy accounting and verification for differentially private bandits}"
    fields = {"author": "{The privcheck developers}", "title": title, "note": f"Version {__version__}"}
    return _entry("misc", OWN, fields)


def _entry(kind: str, key: str, fields: dict[str, str]) -> str:
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
    return "\n".join([f"@{kind}{{{key},", *lines, "}", ""])
