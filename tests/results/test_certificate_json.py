"""Certificates read back from JSON are what was written, and strange text is refused."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

import privcheck
from privcheck import AuditReport, Certificate
from privcheck.accounting import Charge, Ledger
from privcheck.errors import PrivcheckError
from privcheck.privacy import Contexts
from privcheck.results import UnreachedLine
from privcheck.results._example_results import CERTIFIED, GRANTED


class PlaysTheLastReward:
    """Leaks: a reward is an index."""

    def __init__(self, rng):
        self.last = 0.0

    def select(self):
        return int(self.last)

    def update(self, action, reward):
        self.last = reward


@pytest.fixture(scope="module")
def made():
    contexts = Contexts((2, 3), norm=1.0)
    return {
        "granted": privcheck.certify("adap-ucb", epsilon=1.0, arms=2, horizon=12, runs=4),
        "leaky": privcheck.certify(PlaysTheLastReward, epsilon=1.0, arms=2, horizon=6, runs=4),
        "by arm": privcheck.certify("adap-ucb", epsilon=1.0, arms=3, horizon=12, runs=4, neighbours="reward"),
        "contextual": replace(GRANTED, contexts=contexts, feedback="contextual"),
    }


@pytest.mark.parametrize("name", ["granted", "leaky", "by arm", "contextual"])
def test_certificates_come_back(made, name):
    one = made[name]
    other = Certificate.from_json(one.to_json())
    assert other.to_json() == one.to_json()
    assert str(other) == str(one)
    assert (other.ledger.epsilon, other.ledger.worst_datum) == (one.ledger.epsilon, one.ledger.worst_datum)
    assert other.ledger == one.ledger
    assert (other.leaks, other.contexts, other.rewards) == (one.leaks, one.contexts, one.rewards)
    if one.replay.first_divergence is not None:
        assert np.array_equal(other.replay.first_divergence.first, one.replay.first_divergence.first)


def test_the_cases_are_different_ones(made):
    assert made["granted"].granted
    assert made["leaky"].leaks
    assert made["leaky"].replay.first_divergence is not None
    assert any(isinstance(datum, tuple) for datum in made["by arm"].ledger.totals)


def older(text, version):
    """Return what a version wrote: without `complete`, and the first one with another word for the coverage."""
    text = text.replace('"schema_version": 3', f'"schema_version": {version}')
    text = text.replace(', "complete": true', "").replace(', "complete": false', "")
    return text.replace('"all-executions-under-guard"', '"all-executions"') if version == 1 else text


@pytest.mark.parametrize("version", [1, 2])
def test_files_of_earlier_versions_are_read(version):
    unseen = replace(GRANTED, complete=False, unreached=[UnreachedLine("bandit.py", 7, "return x > 0.5")])
    for now, read in ((GRANTED, Certificate), (unseen, Certificate), (CERTIFIED, AuditReport)):
        text = now.to_json()
        assert older(text, version) != text
        assert read.from_json(older(text, version)).to_json() == text


def test_what_is_granted_follows_from_coverage_and_completeness():
    assert (GRANTED.granted, GRANTED.complete) == (True, True)
    assert not replace(GRANTED, complete=False).granted
    assert not replace(GRANTED, coverage="explored").granted


@pytest.mark.parametrize(
    ("name", "value"), [("granted", False), ("complete", False), ("coverage", "explored"), ("unreached", [{}])]
)
def test_a_file_that_contradicts_itself_is_refused(name, value):
    content = json.loads(GRANTED.to_json()) | {name: value}
    if name == "unreached":
        content[name] = [{"file": "bandit.py", "line": 7, "text": "return x > 0.5"}]
    with pytest.raises(PrivcheckError):
        Certificate.from_json(json.dumps(content))


def test_fields_that_a_later_privcheck_adds_are_left_out():
    content = json.loads(GRANTED.to_json())
    content["added"] = content["replay"]["added"] = content["ledger"]["releases"][0]["added"] = 1
    assert Certificate.from_json(json.dumps(content)).to_json() == GRANTED.to_json()
    with pytest.raises(PrivcheckError, match="unknown or missing fields: added"):
        Certificate.from_json(json.dumps(content | {"schema_version": 2}))


def test_charges_are_numbers_in_json():
    """What the files of version 1 have always looked like."""
    content = json.loads(GRANTED.to_json())["ledger"]
    assert list(content) == ["group_size", "what", "releases", "totals"]
    assert content["totals"] == {str(t): 1.0 for t in range(1, 9)}
    assert content["releases"][2] == {
        "number": 2, "round": 4, "mechanism": "laplace", "scale": 0.5, "sensitivities": {"3": 0.5, "4": 0.5},
        "losses": {"3": 1.0, "4": 1.0}, "location": "bandit.py:7",
    }  # fmt: skip


def test_a_total_that_has_overflowed_comes_back():
    ledger = Ledger()
    for number in (1, 2):
        ledger.record(number, "laplace", 1.0, {1: 1.0}, {1: Charge(1e308)}, "bandit.py:7")
    one = replace(GRANTED, ledger=ledger)
    assert json.loads(one.to_json())["ledger"]["totals"] == {"1": "inf"}
    back = Certificate.from_json(one.to_json())
    assert (back.ledger.releases, back.ledger.totals) == (ledger.releases, ledger.totals)
    assert back.to_json() == one.to_json()


def test_charges_in_other_currencies_come_back():
    """Epsilons stay a list of numbers; what they do not imply stands beside them, and only then."""
    ledger = Ledger()
    charges = {1: Charge(rho=0.125, mu=0.5), 2: Charge(0.5), (3, 0): Charge(0.5, delta=1e-6)}
    for number in (1, 2):
        ledger.record(number, "gaussian", 1.0, dict.fromkeys(charges, 1.0), charges, "bandit.py:7")
    one = replace(GRANTED, ledger=ledger)
    written = json.loads(one.to_json())["ledger"]
    assert written["releases"][0]["losses"] == {"1": "inf", "2": 0.5, "(3, 0)": 0.5}
    assert written["releases"][0]["other_losses"] == {"1": {"rho": 0.125, "mu": 0.5}, "(3, 0)": {"delta": 1e-6}}
    assert written["other_totals"]["1"]["rho"] == 0.25
    assert Certificate.from_json(one.to_json()).ledger == ledger
    assert "other" not in json.dumps(json.loads(GRANTED.to_json())["ledger"])


@pytest.mark.parametrize(
    "others", [{"4": {"mu": 0.5}}, {"1": {"sigma": 0.5}}, {"1": {"mu": -0.5}}, {"1": 0.5}, {"1": {"mu": "nan"}}, [0.5]]
)
def test_other_losses_that_fit_no_release_are_refused(others):
    content = json.loads(GRANTED.to_json())
    content["ledger"]["releases"][0]["other_losses"] = others
    with pytest.raises(PrivcheckError, match=r"what Certificate\.to_json wrote"):
        Certificate.from_json(json.dumps(content))


def test_an_audit_comes_back_with_its_certificate():
    other = AuditReport.from_json(CERTIFIED.to_json())
    assert other.to_json() == CERTIFIED.to_json()
    assert other.certificate.ledger == GRANTED.ledger


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.pop("ledger"),
        lambda content: content.update(more=1, schema_version=2),
        lambda content: content.update(schema_version=4),
        lambda content: content.update(ledger=7),
        lambda content: content["ledger"].update(totals=1),
        lambda content: content["ledger"].update(totals={"round one": 1.0}),
        lambda content: content["ledger"].update(totals={"1": "much"}),
        lambda content: content["ledger"].update(totals={"1": {"epsilon": 1.0}}),
        lambda content: content["ledger"].update(totals={"1": math.nan}),
        lambda content: content["ledger"]["releases"][0].update(losses={"1": -1.0}),
        lambda content: content["ledger"]["releases"][0].pop("losses"),
        lambda content: content["replay"].pop("replays"),
        lambda content: content.update(leaks=[{"kind": "index"}]),
        lambda content: content.update(contexts={"shape": [2, 3, 4], "low": -1.0, "high": 1.0, "norm": None}),
        lambda content: content.update(rewards=None),
    ],
)
def test_strange_fields_are_refused(change):
    content = json.loads(GRANTED.to_json())
    Certificate.from_json(json.dumps(content))
    change(content)
    with pytest.raises(PrivcheckError):
        Certificate.from_json(json.dumps(content))


@pytest.mark.parametrize("text", ["", "[]", "null", "{", '{"schema_version": 1}', None])
def test_strange_text_is_refused(text):
    with pytest.raises(PrivcheckError, match=r"expected what Certificate\.to_json wrote"):
        Certificate.from_json(text)
