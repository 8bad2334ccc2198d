"""An audit that refutes a certificate's own bound, in its own notion and at the level of its verdict, withdraws it."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from privcheck import AuditReport, audit, certify
from privcheck.certifying import _noisy_replay, _session
from privcheck.certifying._charging import one_release
from privcheck.certifying._outside.contradictions import Contradictions
from privcheck.cli import run
from privcheck.errors import PrivcheckError
from privcheck.reporting._text.both_bounds import certified_text, contradiction, sandwich

FILE = Path(__file__).with_name("misled_guards.py")
SPEC = importlib.util.spec_from_file_location("misled_guards", FILE)
POLICIES = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(POLICIES)

PAIR = np.zeros((2, 2)), np.array([[1.0, 1.0], [0.0, 0.0]])
BUDGETS = {
    "epsilon": ({"epsilon": 1.0}, "WithLaplace", "EnoughLaplace"),
    "delta": ({"epsilon": 1.0, "delta": 1e-6}, "TooLittleForDelta", "EnoughForDelta"),
    "rho": ({"rho": 0.125}, "OneRelease", "EnoughNoise"),
    "mu": ({"mu": 0.5}, "OneRelease", "EnoughNoise"),
}
PLAYED = {"arms": 2, "streams": PAIR, "runs": 400, "guarded": True}


@pytest.fixture
def misled(monkeypatch):
    """A guard that is told a tenth of every sensitivity, wherever it asks."""
    whole, computed = _session.sensitivities_of, one_release.computed_sensitivities

    def a_tenth(mechanism, value):
        return {datum: s / 10.0 for datum, s in computed(mechanism, value).items()}

    monkeypatch.setattr(_session, "sensitivities_of", lambda *given: whole(*given).map(lambda s: s / 10.0))
    monkeypatch.setattr(_noisy_replay, "computed_sensitivities", a_tenth)


@pytest.fixture
def unmeasured(monkeypatch):
    """Replays that measure nothing, so that an audit is what is left."""
    monkeypatch.setattr(Contradictions, "compared", lambda *given: None)
    monkeypatch.setattr(Contradictions, "replayed", lambda *given: None)


@pytest.mark.parametrize("notion", BUDGETS)
def test_a_measured_sensitivity_above_the_computed_one_refutes_in_every_notion(misled, notion) -> None:
    budget, broken, _ = BUDGETS[notion]
    found = certify(getattr(POLICIES, broken), **budget, arms=2, horizon=2, runs=3)
    assert "moves by" in found.contradictions[0]
    assert (found.granted, found.upper) == (False, None)


@pytest.mark.parametrize("notion", BUDGETS)
def test_nothing_contradicts_the_correct_ones(notion) -> None:
    budget, _, correct = BUDGETS[notion]
    found = certify(getattr(POLICIES, correct), **budget, arms=2, horizon=2, runs=3)
    assert (found.contradictions, found.granted) == ((), True)


@pytest.mark.chance(1e-9, "the true loss is at least three times the claim: only its power is at stake")
@pytest.mark.parametrize("notion", BUDGETS)
def test_an_audit_of_the_guarded_policy_withdraws_the_bound_that_it_refutes(misled, unmeasured, notion) -> None:
    budget, broken, _ = BUDGETS[notion]
    report = audit(getattr(POLICIES, broken), **budget, **PLAYED)
    assert report.verdict == "violation"
    certificate = report.certificate
    claim = ", ".join(f"{name} = {amount:g}" for name, amount in budget.items())
    assert certificate.contradictions == (f"an audit of the policy under its guard refutes {claim} at level 0.001",)
    assert (certificate.granted, certificate.upper) == (False, None)
    assert claim in contradiction(report)
    assert certified_text(report) == f"none: {certificate.contradictions[0]}"
    assert sandwich(report) is None
    again = AuditReport.from_json(report.to_json())
    assert (again.certificate.contradictions, contradiction(again)) == (
        certificate.contradictions,
        contradiction(report),
    )


@pytest.mark.chance(2e-6, "a verdict on a true claim and a bound, 1e-6 each")
@pytest.mark.parametrize("notion", BUDGETS)
def test_an_audit_of_the_correct_one_leaves_its_certificate(notion) -> None:
    budget, _, correct = BUDGETS[notion]
    report = audit(getattr(POLICIES, correct), **budget, **PLAYED, error=1e-6, confidence=1.0 - 1e-6)
    assert report.verdict != "violation"
    assert report.certificate.granted
    assert contradiction(report) is None
    name = {"delta": "epsilon"}.get(notion, notion)
    assert f"The true {name}" in sandwich(report)
    assert "on every execution" in certified_text(report)


def test_a_lower_bound_at_95_percent_withdraws_nothing() -> None:
    """It is above the truth in up to 5 % of audits; one that is above the claim is told, and accuses nobody."""
    report = audit(POLICIES.EnoughLaplace, epsilon=1.0, arms=2, streams=PAIR, runs=200, guarded=True)
    above = replace(report, epsilon_lower=1.2, verdict="inconclusive")
    assert above.certificate.granted
    assert contradiction(above) is None
    assert "is above 1.000" in sandwich(above)
    assert "not refuted at level 0.001" in sandwich(above)


@pytest.mark.chance(1e-6, "one verdict on a true claim at this error")
@pytest.mark.parametrize("notion", ["rho", "mu"])
def test_the_guard_of_an_audit_takes_every_budget(notion) -> None:
    """Under a budget that its release does not fit, the policy is stopped: nothing is to be seen."""
    budget, broken, _ = BUDGETS[notion]
    report = audit(getattr(POLICIES, broken), **budget, **PLAYED | {"runs": 200, "error": 1e-6})
    assert report.verdict != "violation"
    assert report.certificate.refusals
    assert report.certificate.contradictions == ()


def test_a_guard_needs_a_budget() -> None:
    with pytest.raises(PrivcheckError, match="epsilon, rho or mu"):
        audit(POLICIES.OneRelease, tradeoff=lambda a: max(0.0, 1.0 - 2.0 * a), **PLAYED)


def test_without_its_guard_an_audit_withdraws_what_is_said_of_the_policy_itself(misled, unmeasured) -> None:
    """The bound under the guard stands: it was not audited."""
    report = audit(POLICIES.WithLaplace, epsilon=1.0, arms=2, streams=PAIR, runs=800)
    assert report.verdict == "violation"
    certificate = report.certificate
    assert "without its guard" in certificate.contradictions[0]
    assert (certificate.granted, certificate.upper.epsilon) == (False, 1.0)
    assert contradiction(report)


def test_the_command_line_ends_with_status_1_and_says_why(misled, unmeasured, tmp_path, capsys) -> None:
    np.save(tmp_path / "pair.npy", np.array(PAIR))
    arguments = ["--mu", "0.5", "--arms", "2", "--streams", str(tmp_path / "pair.npy"), "--runs", "400", "--guarded"]
    status = run(["audit", f"{FILE}:OneRelease", *arguments])
    assert status == 1
    shown = " ".join(capsys.readouterr().out.split())
    assert "CONTRADICTION: mu = 0.5 is refuted at level 0.001" in shown
