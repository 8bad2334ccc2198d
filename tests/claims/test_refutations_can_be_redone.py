"""The text of a refutation has all that a reader needs to redo it: the sides, the case, and what a proof left open."""

from __future__ import annotations

import re
from fractions import Fraction
from math import expm1, prod, sinh
from pathlib import Path

import pytest
from scipy.optimize import brentq

from privcheck.claims import CLAIMS, kept_findings
from privcheck.claims._prove.bisection import described_rest, prove
from privcheck.reporting import evidence_sentences
from privcheck.reporting._text.claim_sentences import (
    LONGEST_FORMULA,
    side_sentences,
)

FOUND = {found.id: found for found in kept_findings()}
WRONG = [found for found in FOUND.values() if found.wrong]
PAGE = (Path(__file__).parents[2] / "docs" / "evidence" / "claims.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("found", WRONG, ids=lambda found: found.id)
def test_every_refutation_names_its_sides(found):
    said = " ".join(side_sentences(found))
    refuted = [reading for reading in found.readings if reading.status in ("refuted", "order-refuted")]
    assert refuted
    for reading in refuted:
        if "event" in reading.evidence:
            assert "left side is" in found.tested_on
        else:
            assert reading.says in said or (len(reading.says) > LONGEST_FORMULA and found.tested_on)
    assert found.kind == "inequality" or found.tested_on or found.id in SPEAKING


SPEAKING = {
    "chen-2020/abstract-ldp", "chen-2020/dp-upper", "chen-2020/dp-lower", "chen-2020/dp-smooth", "chen-2020/thm9-arms",
    "chen-2020/thm9-many", "chen-2020/thm9-pulls", "chen-2020/thm9-reduction", "chen-2020/conclusion",
    "hu-2021/conclusion",
}  # fmt: skip
"""Orders and counts whose two sides are those of the quote."""


def test_lemma_2_is_refuted_again_from_its_text_alone():
    """The laws, the event and the factor are read from the sentences; nothing is taken from the code of the claim."""
    said = " ".join(
        [*evidence_sentences(FOUND["azize-basu-2022/lem2-every"]), *side_sentences(FOUND["azize-basu-2022/lem2-every"])]
    )
    assert "else 1 under P_i and 2 under Q_i" in said
    assert "M_P(E) - e^epsilon' M_Q(E)" in said
    growth = Fraction(re.search(r"e\^epsilon = (\d+)", said)[1])
    share = Fraction(re.search(r"TV\(P_i, Q_i\) = (\d+/\d+)", said)[1])
    event = {(int(x), int(y)): Fraction(value) for value, x, y in re.findall(r"(\d+/\d+) for (\d),(\d)", said)}
    assert len(event) == 9
    neighbours = [(a, b) for a in event for b in event if sum(x != y for x, y in zip(a, b, strict=True)) == 1]
    assert all(of(a) <= growth * of(b) for of in (event.get, lambda x: 1 - event[x]) for a, b in neighbours)

    def mean(other: int) -> Fraction:
        return sum(
            value * prod(1 - share if x == 0 else share if x == other else 0 for x in data)
            for data, value in event.items()
        )

    left = mean(1) - Fraction(float(growth) ** (12 * float(share))) * mean(2)
    assert float(left) == pytest.approx(float(re.search(r"left ([\d.]+), right 0", said)[1]), rel=1e-9)
    assert left > 0


def test_the_page_begins_with_a_list_of_what_fails():
    start = PAGE[PAGE.index("## Which statements and proofs fail") : PAGE.index("## Ranges, misprints and readings")]
    rest = PAGE[PAGE.index("## Ranges, misprints and readings") :]
    assert {found.id for found in WRONG if f"[{found.id}](" in start} == {found.id for found in WRONG if found.grave}
    assert {found.id for found in WRONG if f"[{found.id}](" in rest} == {found.id for found in WRONG if not found.grave}


def test_what_a_proof_leaves_open_is_named():
    said = " ".join(evidence_sentences(FOUND["azize-basu-2022/lem8"]))
    assert "proven by intervals on 98.5 % of p in [0, 1]; q in [0, 1]" in said
    assert "left open is a part of: p in [0.99" in said


@pytest.mark.parametrize("name", ["azize-basu-2022/lem8", "hu-2021/eq29"])
def test_all_that_is_left_open_is_in_the_boxes_that_are_named(name):
    (reading,) = CLAIMS[name].readings
    whole = {of.name: of.proved for of in reading.variables}
    proof = prove(reading, 400)
    boxes = described_rest(proof.left_open, whole)
    assert proof.left_open
    for part in proof.left_open:
        assert any(
            all(box[of][0] <= float(low) and float(high) <= box[of][1] for of, (low, high) in part.items())
            for box in boxes
        )
    volume = sum(prod(high - low for low, high in box.values()) for box in boxes)
    assert volume < 0.9 * prod(float(high - low) for low, high in whole.values()), "the boxes say where it is"


def test_a_share_close_to_all_is_not_called_all():
    assert not [found.id for found in FOUND.values() if "100.0 %" in " ".join(evidence_sentences(found))]


def test_both_thresholds_of_lemma_2_are_named():
    """sinh(x) = 3 x and e^x - 1 = 6 x, solved here."""
    said = FOUND["azize-basu-2022/lem2"].consequence
    assert 2.838 < brentq(lambda x: sinh(x) - 3 * x, 1, 5) < 2.839
    assert round(brentq(lambda x: expm1(x) - 6 * x, 1, 5), 4) == 2.9183
    assert "2.839" in said
    assert "2.9183" in said
