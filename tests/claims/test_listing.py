"""The listing: every claim has a place in it, every account says something, numbered statements are complete."""

from __future__ import annotations

import re

import pytest

from privcheck.claims import CLAIMS, listed_items

LISTING = listed_items()
KNOWN = ("entered", "definition", "not a claim", "not yet entered")
NUMBERED = {
    "azize-basu-2022": {"Theorem": 12, "Lemma": 13, "Remark": 4, "Definition": 5, "Fact": 3},
    "chen-2020": {"Theorem": 9, "Lemma": 2, "Definition": 5, "Assumption": 3, "Fact": 1},
    "hu-2021": {},
    "shariff-sheffet-2018": {"Remark": 2},
}
SHARED = {"hu-2021": 24, "shariff-sheffet-2018": 23}
"""The last number where statements of all kinds share one numbering."""
EQUATIONS = {"azize-basu-2022": 39, "chen-2020": 5, "hu-2021": 56, "shariff-sheffet-2018": 6}


def absent(paper, rows):
    """Return what is numbered in a paper and has no place in rows."""
    places = "\n".join(place for place, *_ in rows)
    found = [
        f"{kind} {n}"
        for kind, last in NUMBERED[paper].items()
        for n in range(1, last + 1)
        if not re.search(rf"^{kind} {n}\b", places, re.MULTILINE)
    ]
    kinds = "Theorem|Lemma|Fact|Definition|Corollary|Claim|Proposition"
    found += [str(n) for n in range(1, SHARED.get(paper, 0) + 1) if not re.search(rf"^({kinds}) {n}\b", places, re.M)]
    return found + [f"({n})" for n in range(1, EQUATIONS[paper] + 1) if f"({n})" not in places]


@pytest.mark.parametrize("paper", NUMBERED)
def test_everything_that_is_numbered_is_listed(paper):
    assert absent(paper, LISTING[paper]) == []


def test_a_statement_that_is_left_out_is_noticed():
    rows = [row for row in LISTING["hu-2021"] if not row[0].startswith("Theorem 8")]
    assert absent("hu-2021", rows) == ["8"]
    assert "(24)" in absent("hu-2021", [row for row in LISTING["hu-2021"] if row[0] != "(24)"])


def test_every_claim_is_listed_and_every_account_says_why():
    named = set()
    for paper, rows in LISTING.items():
        for place, words, kind, account in rows:
            said, _, reason = account.partition(": ")
            assert said in KNOWN, (paper, place)
            assert all((place, words, kind, reason)), (paper, place)
            if said == "entered":
                names = reason.partition("; ")[0].split()
                named |= {name if "/" in name else f"{paper}/{name}" for name in names}
    assert named == set(CLAIMS)


def test_the_listing_is_large_and_most_of_it_is_accounted_for():
    accounts = [account.partition(":")[0] for rows in LISTING.values() for *_, account in rows]
    assert len(accounts) > 600
    assert accounts.count("not yet entered") < 0.2 * len(accounts)
