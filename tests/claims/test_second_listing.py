"""A second, independent listing of what stands in the papers: each of its rows is a row of the listing.

It was made from the texts alone, by somebody who had not seen the registry. A file for each paper has its places and
first words, and where the listing has other words, the place of the row that it is, with the beginning of its words
where several rows have that place.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from privcheck.claims import listed_items

LISTING = listed_items()
FILES = Path(__file__).parent / "second_listing"
ROWS = {
    "azize-basu-2022": 297,
    "chen-2020": 140,
    "hu-2021": 253,
    "shariff-sheffet-2018": 193,
    "jourdan-azize-2025": 121,
}
"""How many rows the second listing has."""


def second_listing(paper):
    lines = (FILES / f"{paper}.tsv").read_text(encoding="utf-8").splitlines()[1:]
    return [tuple(line.split("\t")) for line in lines]


def accounts(item, rows):
    """Return the accounts of the rows that an item of the second listing is."""
    place, words, where = item
    if not where:
        return [row[3] for row in rows if row[:2] == (place, words)]
    whole = [row[3] for row in rows if row[0] == where]
    return whole or [row[3] for row in rows if where.startswith(row[0]) and f"{row[0]}: {row[1]}".startswith(where)]


@pytest.mark.parametrize("paper", ROWS)
def test_every_row_has_one_account(paper):
    items = second_listing(paper)
    assert len(items) == ROWS[paper]
    assert [item for item in items if len(accounts(item, LISTING[paper])) != 1] == []


@pytest.mark.parametrize("paper", ROWS)
def test_a_row_that_is_left_out_of_the_listing_is_noticed(paper):
    items, rows = second_listing(paper), LISTING[paper]
    noticed = 0
    for left_out in range(0, len(rows), 7):
        fewer = rows[:left_out] + rows[left_out + 1 :]
        wanted = sum(accounts(item, rows) == [rows[left_out][3]] for item in items)
        missing = sum(not accounts(item, fewer) for item in items)
        noticed += missing > 0
        assert missing <= wanted
    assert noticed > len(rows) / 7 / 3


def test_most_of_what_claims_something_is_entered():
    told = Counter(
        account.partition(":")[0]
        for paper in ROWS
        for item in second_listing(paper)
        for account in accounts(item, LISTING[paper])
    )
    assert sum(told.values()) == 1004
    assert told["entered"] > 3 * told["not yet entered"]
