"""Statements can fail: a side that is moved by 2 % is seen by the search, or the claim is named here with the reason.

What is said about a constant in `test_measured_room.py` and `test_room_to_spare.py` takes the place of it there.
"""

from __future__ import annotations

import dataclasses
from fractions import Fraction

from privcheck.claims import CLAIMS, REFUTED, Relation, kept_findings
from privcheck.claims._search.hunt import hunt

SPARE = """
azize-basu-2022: thm7-round fact3 eq34 lem3a lem3b lem4b lem8 thm10 thm12 thm2-example thm2-low thm4
chen-2020: lem2 thm5 thm5-small thm6 thm7 thm8-root
hu-2021: epochs eq36-sum eq56-selector lem21-terms lem7-second thm12-majority eq29 eq52 eq56 fact15 lem20-e lem24 lem6
 lem7 thm9-sum thm9-tuning
jourdan-azize-2025: lem43 regime-numbers
shariff-sheffet-2018: claim13-days a1-gaussian a2-tree claim13 claim17-above claim17-below claim18 claim19 composition
 gaussian-node gaussian-tree lem22 lem22-fact norm prop11-gamma prop11-order prop4-round prop9-gamma prop9-gamma-shifted
 thm23 thm8
"""
"""The two sides keep a distance of more than 2 % where they are not 0."""
NOTHING_TO_MOVE = """
azize-basu-2022: eq33a fact2-orthogonal lem12 thm11-count
hu-2021: lem20-clip
shariff-sheffet-2018: gram-positive
"""
"""A side is 0, or both tend to 0 together; the middle of an identity is moved in `moved_constants.py`."""


def named(text):
    found = set()
    paper = ""
    for word in text.split():
        if word.endswith(":"):
            paper = word[:-1]
        else:
            found.add(f"{paper}/{word}")
    return found


UNSEEN = named(SPARE) | named(NOTHING_TO_MOVE)
HOLDING = [
    (found.id, number)
    for found in kept_findings()
    for number, reading in enumerate(found.readings)
    if isinstance(CLAIMS[found.id].readings[number].says, Relation) and reading.status != REFUTED
]


def seen(name, number):
    reading = CLAIMS[name].readings[number]
    says = reading.says
    return any(
        hunt(
            dataclasses.replace(reading, says=Relation(says.left, says.sense, factor * says.right), provable=False),
            1500,
            0,
        ).found
        for factor in (Fraction(49, 50), Fraction(51, 50))
    )


def test_what_is_moved_by_2_percent_is_seen(evidence):
    """A part of the claims in the day, all of them at night."""
    step = evidence(23, 1)
    checked = [entry for entry in HOLDING if entry[0] not in UNSEEN][::step]
    assert len(checked) >= 8
    assert [entry for entry in checked if not seen(*entry)] == []


def test_the_exceptions_are_claims_and_are_not_seen(evidence):
    assert {name for name, _ in HOLDING} >= UNSEEN
    step = evidence(23, 1)
    checked = [entry for entry in HOLDING if entry[0] in UNSEEN][::step]
    assert [name for name, number in checked if number == 0 and seen(name, number)] == []
