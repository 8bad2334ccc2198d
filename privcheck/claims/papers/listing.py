"""What stands in the papers: every display, statement, remark, caption, table and comparison, and its account.

The list of each paper is a file of tab-separated lines beside this one: place, first words, what it is, account. The
account is "entered: " with the second halves of the ids of claims, separated by spaces, and a remark after a semicolon;
or "definition", "not a claim" or "not yet entered", each with a reason after a colon.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

LISTED_PAPERS = ("azize-basu-2022", "chen-2020", "hu-2021", "shariff-sheffet-2018", "jourdan-azize-2025")


@lru_cache(maxsize=1)
def listed_items() -> dict[str, list[tuple[str, str, str, str]]]:
    """Return the items of each paper, in the order of its text.

    >>> listed_items()["hu-2021"][0][0]
    'Abstract'
    """
    return {paper: [_item(line) for line in _lines(paper)] for paper in LISTED_PAPERS}


def _lines(paper: str) -> list[str]:
    file = Path(__file__).parent / f"{paper.replace('-', '_')}_listing.tsv"
    return file.read_text(encoding="utf-8").splitlines()[1:]


def _item(line: str) -> tuple[str, str, str, str]:
    place, words, kind, account = line.split("\t")
    return place, words, kind, account
