"""No false accusation, and none missed: sharp controls, replay, readings, steps, edges of domains."""

from __future__ import annotations

import dataclasses
import re
from fractions import Fraction

import pytest

from privcheck import PrivcheckError
from privcheck.claims import (
    CLAIMS,
    Claim,
    Effort,
    Order,
    Reading,
    Variable,
    at_least,
    at_most,
    below,
    counterexample,
    equal,
    examine,
    exp,
    expression,
    integer,
    log,
    maximum,
    positive,
    printed,
    probability,
    replay,
    sqrt,
    variable,
)
from privcheck.claims._confirmation import refuted_at
from privcheck.claims._examine import examine_reading
from privcheck.claims._orders import divergence
from privcheck.reporting import evidence_sentences
from tests.modules import beside

controls = beside(__file__, "controls")

LITTLE = Effort(points=400, boxes=60)
X = probability("x")


@pytest.mark.parametrize("name", controls.SHARP)
def test_a_sharp_statement_is_not_refuted(name, evidence):
    found = examine_reading(controls.SHARP[name](controls.EXACT), Effort(evidence(400, 30_000), evidence(30, 3000)))
    assert found.status in ("proven", "verified-on-region", "not-refuted"), found


@pytest.mark.parametrize("name", controls.SHARP)
def test_its_constant_moved_by_two_per_cent_is_refuted(name):
    found = examine_reading(controls.SHARP[name](controls.MOVED), Effort(points=3000, boxes=0))
    assert found.status == "refuted", found


@pytest.mark.parametrize("name", controls.TRUE)
def test_a_true_statement_is_not_refuted(name, evidence):
    found = examine_reading(controls.TRUE[name](), Effort(evidence(600, 30_000), 0))
    assert found.status in ("proven", "verified-on-region", "not-refuted"), found


def test_there_are_enough_controls():
    assert len(controls.SHARP) >= 15
    assert len(controls.SHARP) + len(controls.TRUE) >= 30


def claimed(*readings: Reading, role: str = "statement") -> Claim:
    return Claim("paper/one", "Lemma 1", "x <= x^2", "inequality", readings, role)


FALSE = printed(X, says=at_most(X.symbol, X.symbol**2))
TRUE = Reading("another", (X,), at_most(X.symbol**2, X.symbol))


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        (claimed(FALSE), "refuted"),
        (claimed(FALSE, TRUE), "refuted-under-reading"),
        (claimed(FALSE, Reading("a third", (X,), None)), "refuted-under-reading"),
        (claimed(TRUE), "proven"),
        (claimed(FALSE, role="step"), "derivation-fails"),
        (claimed(Reading("none", (X,), None)), "not-checkable"),
    ],
)
def test_readings_and_roles_decide_the_status(claim, status):
    assert examine(claim, LITTLE).status == status


def test_equal_runs_give_equal_findings():
    first, second = (examine(CLAIMS["hu-2021/fact17b"], Effort(300, 10, 7)) for _ in range(2))
    assert dataclasses.replace(first, seconds=0.0) == dataclasses.replace(second, seconds=0.0)


def test_a_point_outside_of_the_domain_refutes_nothing():
    """A strict end, a strict condition, and an integer: at each of these the statement is false but not claimed.

    Whoever asks about such a point is told why, and the search goes on.
    """
    half = {"x": Fraction(1, 2)}
    assert counterexample(FALSE, half) is not None
    for of, point in (
        (X, {"x": Fraction(-1)}),
        (Variable("x", 0.5, 1, low_open=True), half),
        (Variable("x", 0, 1, integer=True), half),
    ):
        assert refuted_at(printed(of, says=FALSE.says), point) is None
        with pytest.raises(
            PrivcheckError, match=rf"point: got x = .*, which is outside of the domain: {re.escape(str(of))}"
        ):
            counterexample(printed(of, says=FALSE.says), point)
    for condition in (below(X.symbol, "1/2"), below(exp(X.symbol), exp("1/2")), at_least(X.symbol, "2/3")):
        reading = printed(X, says=FALSE.says, assumes=(condition,))
        assert refuted_at(reading, half) is None
        with pytest.raises(PrivcheckError, match=f"condition {re.escape(str(condition))} is not known to hold there"):
            counterexample(reading, half)
    assert counterexample(printed(X, says=FALSE.says, assumes=(at_most(X.symbol, "1/2"),)), half) is not None


@pytest.mark.parametrize("says", [at_most(log(X.symbol - 2), -5), at_most(0, 1 / (X.symbol - 1))])
def test_a_point_without_a_value_is_told_apart_from_one_at_which_the_statement_holds(says):
    with pytest.raises(PrivcheckError, match=r"point: got x = 1, at which .* is not defined"):
        counterexample(printed(X, says=says), {"x": 1})


def test_a_statement_without_two_sides_has_no_counterexample_to_look_for():
    for says in (None, CLAIMS["hu-2021/thm9"].readings[0].says):
        reading = Reading("in words", CLAIMS["hu-2021/thm9"].readings[0].variables if says else (X,), says)
        with pytest.raises(PrivcheckError, match="reading: got the reading 'in words', which compares no two sides"):
            counterexample(reading, {"x": 1})


WIDE = Variable("x", -1, 1)


def test_points_without_a_value_count_apart_from_those_that_were_tried():
    """sqrt(x) has no value on half of the range, and the condition leaves out a part of the other half."""
    found = examine(claimed(printed(WIDE, says=at_most(sqrt(WIDE.symbol), 2))), Effort(3000, 0))
    told = found.readings[0].evidence
    assert found.status == "not-refuted"
    assert told["tried"] + told["undefined"] <= 3000
    assert min(told["tried"], told["undefined"]) > 300
    assert f"{told['tried']} points, and {told['undefined']} more without a value" in evidence_sentences(found)[0]
    fewer = printed(WIDE, says=at_most(sqrt(WIDE.symbol), 2), assumes=(below("1/2", WIDE.symbol),))
    inside = examine(claimed(fewer), Effort(3000, 0)).readings[0].evidence
    assert "undefined" not in inside
    assert inside["tried"] < told["tried"]
    everywhere = examine(claimed(printed(X, says=at_most(X.symbol, 2))), Effort(3000, 0)).readings[0].evidence
    assert "undefined" not in everywhere


def test_a_statement_that_nowhere_has_a_value_was_not_tried():
    found = examine(claimed(printed(X, says=at_most(log(X.symbol - 2), 0))), LITTLE)
    assert found.status == "not-checkable"
    assert evidence_sentences(found)[0].startswith("no point was tried: ")


def test_a_condition_without_a_value_makes_nothing_suspicious():
    reading = printed(WIDE, says=at_least(WIDE.symbol, 0), assumes=(at_least(sqrt(WIDE.symbol), 0),))
    assert examine_reading(reading, LITTLE).status in ("not-refuted", "verified-on-region", "proven")


def test_equality_never_refutes_an_inequality():
    for says in (
        at_most(X.symbol, X.symbol),
        at_most(exp(X.symbol), exp(X.symbol)),
        equal(log(exp(X.symbol)), X.symbol),
    ):
        assert counterexample(printed(X, says=says), {"x": Fraction(1, 2)}) is None


def test_what_floats_get_wrong_is_neither_refuted_nor_suspicious():
    """In floats 1 + x - 1 loses most digits of a small x; the statement is true with equality."""
    tiny = Variable("x", 0, 1e-12, low_open=True, specials=(1e-16, 1e-15))
    cancelling = printed(tiny, says=at_least((1 + tiny.symbol) - 1, tiny.symbol), provable=False)
    assert examine_reading(cancelling, LITTLE).status == "not-refuted"


@pytest.mark.parametrize("name", ["hu-2021/thm8", "azize-basu-2022/thm9", "azize-basu-2022/thm5-rho", "hu-2021/thm9"])
def test_a_refutation_replays_and_a_forged_one_does_not(name):
    found = examine(CLAIMS[name], Effort(1500, 0))
    assert found.wrong
    assert replay(found, CLAIMS[name]) == [True]
    forged = []
    for reading in found.readings:
        told = dict(reading.evidence)
        if "point" in told:
            told["point"] = {of: "1/1000000" if "N_" not in of else "1" for of in told["point"]} | {"x": "0"}
        if "passed" in told:
            told["passed"] = {"10": "2^2", "100": "2^2", "1000": "2^2"}
        forged.append(dataclasses.replace(reading, evidence=told))
    assert replay(dataclasses.replace(found, readings=tuple(forged)), CLAIMS[name]) == [False]


def test_an_order_is_refuted_by_a_limit_and_never_by_a_table():
    n, s = variable("n"), variable("s")
    million = expression(10**6)
    assert divergence(Order(million * n, "O", n, ({"n": s},))) is None, "a large constant is no divergence"
    assert divergence(Order(n * log(n), "O", n, ({"n": s},))) is not None
    assert divergence(Order(n, "Omega", n * log(n), ({"n": s},))) is not None
    assert divergence(Order(n * log(log(n + 3)), "O", n, ({"n": s},))) is None, (
        "the limit is infinite, but not confirmed"
    )
    assert divergence(Order(maximum(n, 1 / n), "O", n, ({"n": s},))) is None


def test_enumeration_proves_identities_of_integers():
    n = integer("n", 0, 10, region=(0, 10))
    holds = printed(n, says=equal((n.symbol + 1) ** 2, n.symbol**2 + maximum(2 * n.symbol + 1, 1)))
    assert examine_reading(holds, LITTLE).status == "proven"
    fails = printed(n, says=equal((n.symbol + 1) ** 2, n.symbol**2 + maximum(2 * n.symbol, 1)))
    assert examine_reading(fails, LITTLE).status == "refuted"


def test_an_unbounded_domain_is_verified_on_a_region_only():
    x = positive("x", (0.5, 2.0))
    found = examine_reading(printed(x, says=at_most(0, x.symbol)), LITTLE)
    assert (found.status, found.evidence["region"]) == ("verified-on-region", {"x": [0.5, 2.0]})
