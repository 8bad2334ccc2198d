"""Every mechanism: programmes against closed forms, sharp bounds moved by 2 %, exact replay, forged events."""

from __future__ import annotations

import dataclasses
import json
from fractions import Fraction

import pytest

from privcheck.claims import CLAIMS, Effort, examine, findings_from_json, replay
from privcheck.claims._mechanisms import Case, EveryMechanism, above_power, exceeds_again, worst_event
from privcheck.serialise import to_json
from tests.modules import beside

second = beside(__file__, "second_entries")

LEMMA = "azize-basu-2022/lem2-every"


def sharp(growth, p, factor):
    """M_P(E) <= factor M_Q(E) for two data, P and Q as in the claim; true from (1 + p (growth - 1))^2 on."""

    def chance(x, other):
        shares = [1 - p if value == 0 else p if value == other else Fraction(0) for value in x]
        return shares[0] * shares[1]

    weight = lambda x: chance(x, 1) - factor * chance(x, 2)  # noqa: E731
    return Case("sharp", growth, Fraction(0), 2, 3, weight, Fraction(0))


@pytest.mark.parametrize("growth", [Fraction(2), Fraction(5), Fraction(20)])
@pytest.mark.parametrize("p", [Fraction(1, 20), Fraction(1, 3)])
def test_the_sharp_lemma_holds_for_the_worst_mechanism_and_not_with_two_per_cent_less(growth, p):
    factor = (1 + p * (growth - 1)) ** 2
    assert not worst_event(sharp(growth, p, factor)).exceeds
    assert worst_event(sharp(growth, p, factor * Fraction(49, 50))).exceeds


@pytest.mark.parametrize("growth", [Fraction(2), Fraction(20)])
@pytest.mark.parametrize("p", [Fraction(1, 20), Fraction(1, 3)])
def test_what_delta_adds_to_the_sharp_lemma_is_p_delta(growth, p):
    """M_P(E) <= (1 + p (growth - 1)) M_Q(E) + p delta for one datum, and not with two per cent less."""
    delta = Fraction(1, 100)
    law = [{0: 1 - p, 1: p, 2: Fraction(0)}, {0: 1 - p, 1: Fraction(0), 2: p}]
    factor = 1 + p * (growth - 1)
    for bound, exceeds in ((p * delta, False), (p * delta * Fraction(49, 50), True)):
        case = Case("one datum", growth, delta, 1, 3, lambda x: law[0][x[0]] - factor * law[1][x[0]], bound)
        assert worst_event(case).exceeds is exceeds


@pytest.mark.parametrize("p", [Fraction(1), Fraction(1, 10)])
def test_equation_11_fails_as_printed_and_holds_with_the_other_sign(p):
    """The worst mechanism for one datum, by a linear programme, against the right side of (11) over M_1(E)."""
    growth, delta = Fraction(21, 20), Fraction(1, 100)
    up, down = 1 - p + p * growth, 1 - p + p / growth
    law = [{0: 1 - p, 1: p, 2: Fraction(0)}, {0: 1 - p, 1: Fraction(0), 2: p}]
    for last, exceeds in (((down - 1) / (growth - 1), True), ((up - 1) / (growth - 1), False)):
        added = up / down * (1 - down) / (1 - 1 / growth) * delta + last * delta
        case = Case("(11)", growth, delta, 1, 3, lambda x: law[0][x[0]] - up / down * law[1][x[0]], added)
        assert worst_event(case).exceeds is exceeds


@pytest.mark.parametrize("growth", [Fraction(3, 2), Fraction(18)])
def test_a_quarter_of_the_printed_addition_is_enough_for_two_data(growth):
    """With A = (1 + p (growth - 1))^2 what is added is at most A delta 2 p; e^epsilon' is at least A up to 2.918."""
    delta, p = Fraction(1, 100), Fraction(1, 10)
    factor = (1 + p * (growth - 1)) ** 2
    weight = sharp(growth, p, factor).weight
    assert not worst_event(Case("two data", growth, delta, 2, 3, weight, factor * delta * 2 * p)).exceeds
    assert factor <= above_power(growth, 12 * p)


@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1, 10)])
def test_the_largest_change_of_one_bit(delta):
    """P(E | 1) - P(E | 0) is at most (e^epsilon - 1 + 2 delta)/(e^epsilon + 1)."""
    growth = Fraction(3)
    limit = (growth - 1 + 2 * delta) / (growth + 1)
    for bound, exceeds in ((limit, False), (limit * Fraction(49, 50), True)):
        case = Case("a bit", growth, delta, 1, 2, lambda x: Fraction(2 * x[0] - 1), bound)
        assert worst_event(case).exceeds is exceeds


def test_fact_1_is_sharp():
    (reading,) = CLAIMS["azize-basu-2022/fact1"].readings
    assert isinstance(reading.says, EveryMechanism)
    for case in reading.says.cases:
        assert not worst_event(case).exceeds
        if case.delta:
            moved = dataclasses.replace(case, bound=case.bound * Fraction(49, 50))
            assert worst_event(moved).exceeds


def test_lemma_2_holds_in_the_cases_of_its_repaired_range():
    (reading,) = CLAIMS[LEMMA].readings
    small = [case for case in reading.says.cases if case.growth <= 8]
    assert len(small) == 18
    assert not any(worst_event(case).exceeds for case in small)


@pytest.fixture(scope="module")
def found():
    return examine(CLAIMS[LEMMA], Effort(10, 0))


def test_the_witness_is_exact_and_a_second_program_agrees(found):
    told = found.readings[0].evidence
    assert (found.status, told["arithmetic"]) == ("refuted", "exact rationals")
    assert "e^epsilon = 40, delta = 0, TV(P_i, Q_i) = 1/100" in told["case"]
    event = {tuple(map(int, data.split(","))): float(Fraction(value)) for data, value in told["event"].items()}
    left, right = second.EVENTS[LEMMA, 0](event, 40.0, 0.01)
    assert left > 1.02 * right
    for x in event:
        for y in event:
            if sum(a != b for a, b in zip(x, y, strict=True)) == 1:
                assert event[x] <= 40 * event[y] * (1 + 1e-12)
                assert 1 - event[x] <= 40 * (1 - event[y]) * (1 + 1e-12)


def test_it_replays_from_its_file_and_forged_events_do_not(found, tmp_path):
    path = tmp_path / "a.json"
    path.write_text(to_json({"claims": [found]}))
    (again,) = findings_from_json(path)
    assert replay(again, CLAIMS[LEMMA]) == [True]
    told = again.readings[0].evidence
    forgeries = [
        told | {"event": told["event"] | {"0,1": "1"}},  # no longer private
        told | {"event": dict.fromkeys(told["event"], "1/2")},  # private, and does not exceed
        told | {"event": {"0,0": "1/2"}},
        told | {"event": told["event"] | {"0,0": "one"}},
        told | {"case": "another"},
        told | {"event": None},
    ]
    for evidence in forgeries:
        reading = dataclasses.replace(again.readings[0], evidence=json.loads(json.dumps(evidence)))
        assert replay(dataclasses.replace(again, readings=(reading,)), CLAIMS[LEMMA]) == [False]


def test_privacy_is_checked_both_ways():
    case = Case("a bit", Fraction(2), Fraction(0), 1, 2, lambda x: Fraction(x[0]), Fraction(0))
    assert case.private({(0,): Fraction(1, 3), (1,): Fraction(2, 3)})
    assert not case.private({(0,): Fraction(1, 3), (1,): Fraction(3, 4)})
    assert not case.private({(0,): Fraction(3, 5), (1,): Fraction(1)}), "the complement"
    assert not exceeds_again(EveryMechanism("", (case,)), "a bit", {"0": "0", "1": "2"})


def test_a_rational_above_a_power():
    root = above_power(Fraction(2), Fraction(1, 2))
    assert 2 < root**2 < 2 + Fraction(1, 10**25)
