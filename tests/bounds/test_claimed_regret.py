"""Is a claimed regret possible? What proven bounds, rates, minimax and unproven bounds say of a claim."""

import json
import math

import pytest

from privcheck import PrivcheckError
from privcheck.bounds import THEOREMS, Instance, claimed_regret, evaluate, named_instance, theorem
from privcheck.cli import run

FOUND = evaluate(named_instance("c2", epsilon=0.5, horizon=10**6))
RATE = FOUND.of("azize-basu-2022/thm3-tight").constant
QUANTITY = THEOREMS["azize-basu-2022/thm3"].quantity


def verdicts(values, claimed):
    return {row["id"]: row["verdict"] for row in claimed_regret(values, claimed).comparisons}


@pytest.mark.parametrize("share", [0.3, 0.999])
def test_a_coefficient_below_a_rate_is_impossible_and_names_it(share):
    found = claimed_regret(FOUND, f"{share * RATE} ln T")
    assert found.verdict == "impossible"
    assert verdicts(FOUND, f"{share * RATE} ln T")["azize-basu-2022/thm3-tight"] == "impossible"
    assert found.comparisons[0]["verdict"] == "impossible"


@pytest.mark.parametrize("text", [f"{RATE!r} ln T", f"{2 * RATE} * log(T)", f"{2 * RATE} ln(T)"])
def test_a_coefficient_that_is_not_below_every_rate_is_not_refuted(text):
    assert claimed_regret(FOUND, text).verdict == "not refuted"


def test_a_rate_says_nothing_about_one_horizon():
    """Far below the line c ln T: the theorem is about the limit, and refutes no number at one horizon."""
    found = claimed_regret(FOUND, 0.1 * RATE * math.log(10**6))
    assert found.verdict == "not refuted"
    row = next(row for row in found.comparisons if row["id"] == "azize-basu-2022/thm3-tight")
    assert (row["verdict"], "above the claim" in row["why"]) == ("says nothing", True)


def test_a_minimax_bound_says_nothing_about_one_instance():
    assert FOUND.of("azize-basu-2022/thm2-bernoulli").value > 0.01
    assert verdicts(FOUND, 0.01)["azize-basu-2022/thm2-bernoulli"] == "says nothing"


def test_a_finite_time_lower_bound_refutes_a_regret_and_no_coefficient(monkeypatch):
    theorem("mine/low", kind="lower", quantity=QUANTITY, provenance="derived", source="here")(lambda instance: 100.0)
    monkeypatch.setitem(THEOREMS, "mine/low", THEOREMS.pop("mine/low"))
    values = evaluate(FOUND.instance)
    assert claimed_regret(values, 99.0).verdict == "impossible"
    assert claimed_regret(values, 100.0).verdict == "not refuted"
    assert verdicts(values, "50 ln T")["mine/low"] == "says nothing"


def test_an_unproven_bound_refutes_nothing(monkeypatch):
    shaky = theorem("mine/shaky", kind="lower", quantity=QUANTITY, provenance="unproven", source="here")
    shaky(lambda instance: 100.0)
    monkeypatch.setitem(THEOREMS, "mine/shaky", THEOREMS.pop("mine/shaky"))
    assert claimed_regret(evaluate(FOUND.instance), 99.0).verdict == "not refuted"


def test_a_number_as_text_is_a_regret():
    assert not claimed_regret(FOUND, "16").rate


@pytest.mark.parametrize("bad", ["foo", "", "ln T", "-3 ln T", -1.0, 0, float("nan"), None, [1]])
def test_what_is_no_claim_is_refused(bad):
    with pytest.raises(PrivcheckError, match="claimed: got"):
        claimed_regret(FOUND, bad)


@pytest.mark.parametrize("values", [None, [], "c2", FOUND.instance])
def test_what_are_no_bounds_are_refused(values):
    with pytest.raises(PrivcheckError, match="values: got an object of type"):
        claimed_regret(values, 5)


def test_what_is_left_out_is_asked_for():
    with pytest.raises(PrivcheckError, match=r"values: got an object .*claimed_regret\(evaluate\(instance\), 500\)"):
        claimed_regret(Instance("bernoulli", (0.75, 0.5), epsilon=1.0))
    with pytest.raises(PrivcheckError, match="claimed: got None, expected a regret at the horizon"):
        claimed_regret(FOUND)


def test_a_regret_needs_a_horizon():
    values = evaluate(Instance("bernoulli", (0.75, 0.5), epsilon=1.0))
    with pytest.raises(PrivcheckError, match="an instance with a horizon"):
        claimed_regret(values, 100)
    assert claimed_regret(values, "0.1 ln T").verdict == "impossible"


def test_the_command(capsys):
    where = ["bounds", "--instance", "c2", "--epsilon", "0.5", "--horizon", "1e6"]
    assert run([*where, "--claimed", "5 ln T"]) == 0
    assert "claimed regret of at most 5 ln T, for T to infinity: impossible" in capsys.readouterr().out
    assert run([*where, "--claimed", "300", "--json", "-"]) == 0
    told = json.loads(capsys.readouterr().out)["claimed_regret"]
    assert (told["claimed"], told["rate"], told["verdict"]) == (300.0, False, "not refuted")
    assert run([*where, "--claimed", "much"]) == 2
    assert "a coefficient of ln T" in capsys.readouterr().err
    assert run([*where, "--claimed", "3", "--curve", "epsilon", "--csv", "a.csv"]) == 2
    assert "claimed: got '3', expected no --curve" in capsys.readouterr().err


def test_a_rate_under_local_privacy_refutes_no_claim_of_a_private_policy():
    """A policy may be private without seeing reports only: the local rate is far above the private one."""
    rows = {row["id"]: row for row in claimed_regret(FOUND, f"{2 * RATE} ln T").comparisons}
    assert rows["local-privacy/rate"]["verdict"] == "says nothing"
    assert FOUND.of("local-privacy/rate").constant > 2 * RATE
