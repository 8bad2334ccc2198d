"""What kind of fault it is, and for which reason: every failure has one, and no reason speaks of what does not fail."""

from __future__ import annotations

import dataclasses
import json

import pytest

from privcheck.claims import (
    CLAIMS,
    FAULTS,
    Claim,
    Effort,
    at_least,
    at_most,
    causes,
    examine,
    findings_from_json,
    kept_findings,
    printed,
    probability,
)
from privcheck.claims._causes import GRAVE
from privcheck.claims._finding import KEPT, version_of_claim
from privcheck.claims._registry_of_causes import fault_and_cause

FOUND = {finding.id: finding for finding in kept_findings()}
FAILING = {name for name, finding in FOUND.items() if finding.wrong}
X = probability("x")

UNFAIR = {
    "shariff-sheffet-2018/cor15", "chen-2020/abstract-ldp", "chen-2020/dp-upper", "shariff-sheffet-2018/gap-order",
    "hu-2021/conclusion", "chen-2020/thm9-reduction", "chen-2020/thm8-logarithm", "hu-2021/thm9-tuning",
    "shariff-sheffet-2018/claim20",
}  # fmt: skip
ONE_CHARACTER = {
    "hu-2021/thm12-condition", "chen-2020/thm9-arms", "azize-basu-2022/eq10", "shariff-sheffet-2018/prop4-equality",
    "shariff-sheffet-2018/lem22-telescope", "hu-2021/fact17b", "shariff-sheffet-2018/claim19",
    "shariff-sheffet-2018/scale",
}  # fmt: skip
"""What a referee who read the list found unfair, and misprints of one character."""


def test_a_reason_is_given_for_everything_that_fails_and_for_nothing_else():
    assert {claim for of in causes().values() for claim in of.faults} == FAILING
    for name in FAILING:
        found = FOUND[name]
        assert found.fault in FAULTS
        assert causes()[found.cause].faults[name] == found.fault
    assert not [name for name, found in FOUND.items() if not found.wrong and (found.fault or found.cause)]


@pytest.mark.parametrize("name", causes())
def test_the_words_on_which_a_reason_rests_are_quoted(name):
    told = causes()[name]
    assert any(told.words in CLAIMS[claim].quote for claim in told.faults), told.words
    grave = any(fault in GRAVE for fault in told.faults.values())
    assert bool(told.remains and told.rests) == grave


def test_readings_and_misprints_are_no_accusation():
    assert not [name for name in UNFAIR if FOUND[name].grave]
    assert {FOUND[name].fault for name in ONE_CHARACTER} == {"misprint"}
    assert FOUND["hu-2021/thm8"].grave


def test_what_is_true_in_the_usual_range_or_meant_is_not_called_a_false_statement():
    ranges = {"lem2", "lem2-every", "thm9", "eq12", "eq16", "thm10-step"}
    assert {FOUND[f"azize-basu-2022/{name}"].fault for name in ranges} == {"range"}
    shariff = {"claim14-coupling": "range", "thm5": "range", "thm6": "range", "prop11": "misprint", "prop9": "step"}
    assert {name: FOUND[f"shariff-sheffet-2018/{name}"].fault for name in shariff} == shariff
    assert FOUND["chen-2020/lem1"].fault == FOUND["shariff-sheffet-2018/tree-sums"].fault == "reading"


def test_a_step_of_lemma_2_fails_for_every_epsilon_if_the_variations_are_small():
    """(14) exceeds (15) wherever 6 sum p_i <= 1; the two sides from their power series, without cancellation."""
    from math import exp, expm1

    for epsilon in (0.01, 0.5, 1.0, 3.0, 5.0):
        for total in (1e-3, 1e-2, 0.1, 1 / 6):
            fall, rise, factor = -expm1(-epsilon), expm1(epsilon), exp(6 * epsilon * total)
            left_open = factor * (2 * total + expm1(-2 * total * fall) / fall)
            beyond = expm1(2 * total * rise) / rise - 2 * total
            assert left_open < 2 * factor * fall * total**2 < 2 * rise * total**2 * (1 + 1e-12)
            assert beyond > 2 * rise * total**2


def test_one_reason_is_one_entry():
    six = {"azize-basu-2022/lem2", "azize-basu-2022/lem2-every", "azize-basu-2022/thm9", "azize-basu-2022/eq12"}
    assert len({FOUND[name].cause for name in six}) == 1


def test_a_statement_is_shown_only_if_every_reading_fails():
    statements = {name for name in FAILING if FOUND[name].fault == "statement"}
    assert not [name for name in statements if FOUND[name].status == "refuted-under-reading"]


def test_a_claim_of_a_user_has_the_fault_of_its_status():
    false = Claim("mine/a", "here", "x >= 1", "inequality", (printed(X, says=at_least(X.symbol, 1)),))
    assert (examine(false).fault, examine(false).cause) == ("statement", "")
    assert examine(dataclasses.replace(false, role="step")).fault == "step"
    true = dataclasses.replace(false, readings=(printed(X, says=at_most(X.symbol, 1)),))
    assert (examine(true).fault, examine(true).wrong) == ("", False)
    assert fault_and_cause("mine/a", "refuted-under-reading") == ("reading", "")


# Derivations by hand


def test_a_refutation_by_hand_counts_only_with_a_derivation_that_holds():
    effort = Effort(300, 300)
    name = "chen-2020/thm2"
    whole = CLAIMS[name]
    assert len(whole.derivation) >= 8
    assert examine(whole, effort).status == "order-refuted"
    assert all(step.status in ("proven", "verified-on-region", "not-refuted") for step in FOUND[name].derivation)
    broken = (*whole.derivation, printed(X, says=at_most(X.symbol, "99/100")))
    assert examine(dataclasses.replace(whole, derivation=broken), effort).status == "suspicious"


@pytest.mark.parametrize("number", range(8))
def test_each_step_of_the_derivation_can_fail(number):
    """The broken twins: the side that is said to be larger is moved beyond what the step allows."""
    step = CLAIMS["chen-2020/thm2"].derivation[number]
    says = step.says
    factor = "1/1000" if says.sense == "<=" else "1000"
    right = {1: says.right - 1, 3: says.right * 3, 4: says.right * 3}.get(number, says.right * factor)
    twin = dataclasses.replace(step, says=dataclasses.replace(says, right=right))
    claim = dataclasses.replace(CLAIMS["chen-2020/thm2"], derivation=(twin,))
    assert examine(claim, Effort(1000, 200)).status == "suspicious"


def test_the_lost_arm_against_its_exact_law():
    """Steps 1 and 2 from the distribution function of Laplace noise; step 5 against the law of a sum of two."""
    from math import exp, log, sqrt

    for gap, width in ((0.1, 5.0), (0.5, 12.0)):
        window = (exp(-width - 0.25 - gap) - exp(-width - 0.5 - gap)) / 2
        assert window >= (1 - exp(-0.25)) / 2 * exp(-0.75) * exp(-width)
    for horizon in (1e3, 1e9):
        x = 2 / 4 + 4 * sqrt(2 * log(horizon) * 2)
        assert (2 + x) * exp(-x) / 4 <= exp(-1.42 * sqrt(2 * 2 * log(horizon)))


# Versions and older files


def test_a_version_grows_when_what_is_said_changes():
    name = "hu-2021/thm8"
    claim, kept = CLAIMS[name], FOUND[name]
    assert version_of_claim(name, claim.fingerprint) == kept.version
    changed = dataclasses.replace(claim, quote=claim.quote + " [...]")
    assert changed.fingerprint != claim.fingerprint
    assert version_of_claim(name, changed.fingerprint) == kept.version + 1
    assert dataclasses.replace(claim, consequence="another").fingerprint == claim.fingerprint


def test_files_of_earlier_versions_open(tmp_path):
    content = json.loads(KEPT.read_text(encoding="utf-8"))
    content["schema_version"] = 2
    content["claims"] = content["claims"][:3]
    for row in content["claims"]:
        for later in ("fault", "cause", "derivation", "version", "fingerprint"):
            del row[later]
    (tmp_path / "old.json").write_text(json.dumps(content))
    found = findings_from_json(tmp_path / "old.json")
    assert [(of.fault, of.cause, of.derivation, of.version) for of in found] == [("", "", (), 1)] * 3
