"""An audit of slow code looks for its noisy step: a suspicion, never a violation, within a share of the time."""

from __future__ import annotations

import importlib.util
import time
from pathlib import Path

import numpy as np
import pytest

import privcheck
from privcheck.auditing import _audit
from privcheck.auditing._plan import make_plan
from privcheck.auditing._steps import beside_audits, played_alone
from privcheck.auditing._steps.beside_audits import SHARE, suspected_step, with_step
from privcheck.auditing._steps.reported_steps import PROVIDED
from privcheck.reporting._text import audit_sentences
from privcheck.results import Outcome, Suspicion
from privcheck.targets import Settings, load
from privcheck.testing import PrivacyFailure, assert_private

FILE = Path(__file__).parent / "slow_targets.py"
_spec = importlib.util.spec_from_file_location("slow_targets", FILE)
targets = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(targets)

STEP = Suspicion("step", 3.0, "add_noise at fit.py:9", "the call of add_noise alone has a loss of at least 3")


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Let targets compute for no time, and count all code as slow."""
    monkeypatch.setattr(targets, "waste", lambda _: None)
    monkeypatch.setattr(beside_audits, "SLOW", 0.0)


def plan_of(target, **options):
    return make_plan(load(target), Settings.of(**{"epsilon": 1.0, "time_budget": 20.0} | options))


def looked(target, started=None, **options):
    began = time.monotonic() if started is None else started
    return suspected_step(plan_of(target, **options), Outcome("consistent", 2, 100, counted_runs=100), began)


def hidden(data, rng):
    """A loss of 4 of the step, of which one coin in a hundred shows a bit."""
    bit = targets.noisy(4.0 * float(np.max(data)), rng) > 2.0
    return int(bit) if rng.random() < 0.01 else 0


def test_a_step_that_the_output_hides_is_found(monkeypatch):
    """The time is more than a busy machine takes: whole runs are not played here."""
    monkeypatch.setattr(played_alone, "MOST_RUNS", 1500)
    monkeypatch.setattr(beside_audits, "MOST_PAIRS", 10)
    found = looked(hidden, time_budget=1000.0)
    assert found.kind == "step"
    assert found.place.startswith("noisy at slow_targets.py")
    assert found.epsilon > 2.0


def test_an_audit_says_what_a_step_shows(monkeypatch):
    monkeypatch.setattr(_audit, "suspected_step", lambda *_: STEP)
    found = privcheck.audit(hidden, epsilon=1.0, runs=400, pairs=2)
    assert (found.verdict, found.suspicion) == ("inconclusive", STEP)
    assert any("provided that" in note and PROVIDED[0] in note for note in found.notes)
    assert f"the loss of {STEP.place} by itself is 3.000 or more" in audit_sentences.verdict_sentence(found)
    assert "the target may hide what its step tells" in " ".join(audit_sentences.meaning(found))


def test_an_assertion_names_the_step(monkeypatch):
    monkeypatch.setattr(_audit, "suspected_step", lambda *_: STEP)
    with pytest.raises(PrivacyFailure, match="a step of the target speaks against it: the call of add_noise"):
        assert_private(hidden, 1.0, runs=400)


@pytest.mark.chance(1e-6, "the level of the suspicion")
@pytest.mark.parametrize("name", ["mended_output", "mended_largest", "hidden_by_release"])
def test_correct_steps_are_not_suspected(name, monkeypatch):
    monkeypatch.setattr(played_alone, "MOST_RUNS", 1500)
    monkeypatch.setattr(beside_audits, "MOST_PAIRS", 10)
    assert looked(getattr(targets, name), time_budget=1000.0, error=1e-6) is None


def test_a_step_makes_no_violation_and_hides_none():
    """Every verdict of whole runs but a violation becomes inconclusive, and a violation stays as it is."""
    for verdict in ("consistent", "inconclusive"):
        said = with_step(Outcome(verdict, 2, 100), STEP)
        assert (said.verdict, said.suspicion) == ("inconclusive", STEP)
        assert with_step(Outcome(verdict, 2, 100), None) == Outcome(verdict, 2, 100)
    assert with_step(Outcome("violation", 2, 100), STEP) == Outcome("violation", 2, 100)


@pytest.mark.parametrize(
    "outcome",
    [
        Outcome("violation", 2, 100, counted_runs=100),
        Outcome("inconclusive", 2, 100, counted_runs=50, stop_after=50),
        Outcome(None, 2, 100),
    ],
    ids=["violation", "cut short", "nothing counted"],
)
def test_nothing_is_looked_for_after_a_violation_or_an_interrupt(outcome, monkeypatch):
    monkeypatch.setattr(beside_audits, "_suspected", lambda *_: pytest.fail("looked for"))
    assert suspected_step(plan_of(targets.output), outcome, time.monotonic()) is None


def test_whole_runs_come_first(monkeypatch):
    """The look cannot take time, coins or pairs from the runs that decide: they have been counted when it begins."""
    counted = []
    monkeypatch.setattr(_audit, "suspected_step", lambda _, outcome, __: counted.append(outcome.counted_runs))
    privcheck.audit(hidden, epsilon=1.0, runs=400, pairs=2)
    assert counted[0] > 0


@pytest.mark.parametrize("left", [1.0, 0.1])
def test_the_look_ends_with_its_share_of_the_time(left, monkeypatch):
    """A run of 5 ms and a budget of 6 s: the look ends at its share, or with the budget, but for what is going on."""
    monkeypatch.setattr(targets, "waste", lambda _: time.sleep(0.005))
    began = time.monotonic()
    looked(targets.gradient, began - 6.0 * (1.0 - left), time_budget=6.0)
    assert time.monotonic() - began < min(SHARE, left) * 6.0 + 1.0


def test_no_time_left_looks_for_nothing(monkeypatch):
    monkeypatch.setattr(beside_audits, "seconds_per_run", lambda *_: pytest.fail("played"))
    assert looked(targets.gradient, time.monotonic() - 21.0) is None


def test_an_interrupt_of_the_look_keeps_what_whole_runs_have_shown(monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(beside_audits, "search_steps", interrupt)
    assert looked(targets.output) is None


@pytest.mark.parametrize(
    "options", [{"runs": 100}, {"pairs": 3}, {"stop_after": 0}, {"rho": 0.5, "epsilon": None}], ids=str
)
def test_nothing_is_looked_for_where_there_is_no_time_or_no_claim_for_it(options, monkeypatch):
    monkeypatch.setattr(beside_audits, "_suspected", None)  # a call would raise, and be taken for nothing
    assert not beside_audits._is_open(plan_of(targets.output, **options))
    assert beside_audits._is_open(plan_of(targets.output))


def test_a_fast_target_is_not_looked_into(monkeypatch):
    monkeypatch.setattr(beside_audits, "SLOW", 1e-3)
    monkeypatch.setattr(beside_audits, "search_steps", lambda *_: pytest.fail("it is fast"))
    assert looked(targets.output) is None


def test_an_error_of_the_look_ends_the_look_alone(monkeypatch):
    monkeypatch.setattr(beside_audits, "search_steps", lambda *_: 1 / 0)
    assert looked(targets.output) is None
