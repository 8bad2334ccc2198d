"""Time is turned into pairs and runs before anything else, and then plays no part but that of a cap."""

from __future__ import annotations

import importlib
import json
import math
import re
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import privcheck
from privcheck.auditing import _costs as costs
from privcheck.auditing import _extent as extent
from privcheck.auditing._costs import Costs
from privcheck.auditing._plan import make_plan
from privcheck.auditing._search.equal_coins import COUPLED, NEW_KEPT, SHORT
from privcheck.auditing._time_needed import ENOUGH_RUNS, rounded
from privcheck.targets import PolicyRunner, Sampler, Settings, StreamPair, load
from privcheck.targets import _sampling as sampling

USUAL = {declared.name: declared.default for declared in Settings.options()}
OPTIONS = {"epsilon": 1.0, "arms": 2, "horizon": 4}


def costing(monkeypatch, *values):
    monkeypatch.setattr(costs, "measured_costs", lambda *_: Costs(*values))


def stop_the_clock(monkeypatch):
    """Make the plan in no time."""
    now = time.monotonic()
    for module in (extent, importlib.import_module("privcheck.auditing._audit")):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now))


@pytest.mark.parametrize("seconds", [0.5, 3.0, 60.0])
@pytest.mark.parametrize("known", [Costs(1e-4), Costs(1e-5, 1e-5, 1e-3), Costs(1e-3, 0.0, 0.01)])
@pytest.mark.parametrize("pairs", [1, 6, 120])
def test_runs_fill_the_time(seconds, known, pairs):
    def course(runs):
        return costs.course_seconds([runs], pairs, known, 1, "python")

    runs = costs.runs_within(seconds, course)
    assert runs == 20 or (course(runs) <= seconds * (1 + 1e-9) and course(1.12 * runs + 1) > seconds)
    assert runs < 100 or re.fullmatch(r"\d\d0*", str(runs))


def test_more_workers_do_more():
    one, two = (costs.course_seconds([1000], 20, Costs(1e-3), jobs, "python") for jobs in (1, 2))
    assert two == pytest.approx(one / 1.8)
    assert costs.course_seconds([1000], 20, Costs(0.0, 1e-3), 2, "python") == pytest.approx(one / 1.8), "and read more"
    assert costs.course_seconds([100, 900], 20, Costs(1e-3), 1, "python") > one, "every stage has a search"


@pytest.mark.parametrize("sequential", [False, True])
def test_the_runs_that_are_made_take_the_planned_time(policies, monkeypatch, requested, sequential):
    """At a millisecond a run, as the pilot says: those of the search and of the confirmation, counted."""
    costing(monkeypatch, 1e-3)
    stop_the_clock(monkeypatch)
    report = privcheck.audit(policies.FastResponse, **OPTIONS, time_budget=12.0, sequential=sequential)
    assert report.verdict == "inconclusive", "fewer than nine in ten of the pairs fit into the time"
    taken = sum(request.runs for request in requested) * 1e-3
    assert 0.75 < taken / (costs.PLANNED_SHARE * 12.0) <= 1.0 + 1e-9
    assert (report.time_budget, report.stop_after) == (12.0, None)


def test_without_a_budget_a_python_target_has_the_usual_one(policies, monkeypatch):
    costing(monkeypatch, 1e-3)
    stop_the_clock(monkeypatch)
    monkeypatch.setattr(extent, "DEFAULT_TIME_BUDGET", 6.0)
    usual = privcheck.audit(policies.FastResponse, **OPTIONS)
    asked = privcheck.audit(policies.FastResponse, **OPTIONS, time_budget=6.0)
    assert (usual.runs, usual.pairs) == (asked.runs, asked.pairs)
    assert usual.time_budget is None


def test_the_clock_has_no_part_in_a_planned_audit(policies, monkeypatch):
    """However slow the machine becomes after the pilot, up to the cap, the report is the same."""
    costing(monkeypatch, 1e-3)
    stop_the_clock(monkeypatch)
    reports = []
    for late, cap in ((0.0, 1e6), (1.0, 1e6), (1.0, 3.0)):  # by so many seconds after every chunk
        ticks = iter(np.arange(10**6) * late)
        monkeypatch.setattr(sampling, "time", SimpleNamespace(monotonic=lambda t=ticks: time.monotonic() + next(t)))
        monkeypatch.setattr(costs, "WALL_CAP", cap)
        reports.append(privcheck.audit(policies.FastResponse, **OPTIONS, time_budget=2.0))
    quick, slow, slowest = (json.loads(report.to_json()) | {"seconds": 0.0} for report in reports)
    assert quick == slow
    assert (quick["pairs"], quick["runs"]) == (slowest["pairs"], slowest["runs"])
    assert slowest["stop_after"] is not None


@pytest.mark.parametrize(
    ("given", "multiple"),
    [({"time_budget": 10.0}, 3.0), ({"time_budget": 10.0, "runs": 500}, 1.0), ({"runs": 9}, None)],
)
def test_the_cap_is_three_times_the_budget_unless_runs_are_given(monkeypatch, given, multiple):
    costing(monkeypatch, 1e-3)
    runner = SimpleNamespace(engine="python", reproducible=True)
    policy = SimpleNamespace(runner=runner, feedback="bandit", arms=2, mechanism=None)
    effort = SimpleNamespace(**{"runs": None, "pairs": None, "time_budget": None} | given, sequential=False, seed=0)
    monkeypatch.setattr(extent, "views_of", lambda _: None)
    found = extent.make_extent(effort, 1, policy, [StreamPair(np.zeros((2, 2)), np.ones((2, 2)), "")], 100.0)
    assert found.deadline == (math.inf if multiple is None else 100.0 + 10.0 * multiple)


def test_a_short_time_looks_at_some_of_the_pairs(policies, monkeypatch):
    """A run is said to take 10 ms; 20 s are then enough to look at some of the pairs, and the report says so."""
    costing(monkeypatch, 0.01)
    report = privcheck.audit(policies.LeakyResponse, epsilon=2.0, arms=2, horizon=16, time_budget=20.0)
    assert report.epsilon_lower is not None
    (note,) = [note for note in report.notes if "candidate pairs" in note]
    few, every = map(int, re.findall(r"\d+", note)[:2])
    assert 2 <= few == report.pairs < every
    assert few <= report.screened_pairs < every


@pytest.mark.parametrize("asked", [1, 7, 10**6])
def test_as_many_pairs_are_screened_as_were_asked_for(policies, requested, asked):
    report = privcheck.audit(policies.FastResponse, **OPTIONS, runs=200, pairs=asked)
    first_round = {request.key[2] for request in requested if request.key[:2] == (1, 0)}
    looked_at = {request.key[2] for request in requested if request.key[:2] == (1, COUPLED)}
    few, many = (0, 7) if asked <= 7 else (report.pairs, report.pairs + 24)  # variants on a decision boundary join
    assert few <= len(looked_at) <= many
    assert len(first_round) <= {1: 0, 7: 7}.get(asked, SHORT + NEW_KEPT), "a single pair needs no search"
    assert report.pairs == asked or 7 < report.pairs < asked


# The pilot


class Timed:
    """A runner whose runs are said to take some time: by work, or by waiting."""

    chunk_runs, reproducible = 64, True

    def __init__(self, seconds, waits):
        self.seconds, self.waits, self.seen = seconds, waits, []

    def play(self, table, runs, seed, other=None):
        self.seen.append(seed.spawn_key)
        if self.waits:
            time.sleep(self.seconds * runs)
        else:
            until = time.process_time() + self.seconds * runs
            while time.process_time() < until:
                pass


PAIR = [StreamPair(np.zeros((2, 2)), np.ones((2, 2)), "")]


@pytest.mark.parametrize("waits", [False, True])
def test_the_pilot_measures_work_by_the_processor_and_waiting_by_the_clock(waits):
    """A run of a millisecond: the processor's time does not depend on other programs, and sleep may be longer."""
    runner = Timed(1e-3, waits)
    measured = costs.seconds_per_run(runner, PAIR, 0, 0.1)
    assert 0.9e-3 < measured < (0.1 if waits else 2e-3)
    assert len(set(runner.seen)) == len(runner.seen) > 2
    assert all(key[0] == 0 for key in runner.seen), "keys of screening begin with 1, of confirming with 2"


def test_a_busy_machine_does_not_shrink_the_search(monkeypatch):
    """Other programs take nine tenths of the wall time, and the process never gives the processor up by itself."""
    started = time.perf_counter()
    monkeypatch.setattr(costs, "_pauses", lambda: 5)
    monkeypatch.setattr(costs.time, "perf_counter", lambda: 10.0 * (time.monotonic() - started))
    assert costs.seconds_per_run(Timed(1e-3, waits=False), PAIR, 0, 1.0) < 2e-3
    monkeypatch.setattr(costs, "_pauses", lambda: None)
    assert costs.seconds_per_run(Timed(1e-3, waits=False), PAIR, 0, 1.0) > 5e-3, "a system that does not tell"


def test_the_pilot_also_measures_how_long_outputs_are_read(policies):
    runner = PolicyRunner(policies.FastResponse, {"arms": 2, "epsilon": 1.0, "delta": 0.0, "horizon": 4}, "bandit")
    pairs = [StreamPair(np.zeros((4, 2)), np.eye(4, 2), "")]
    views = extent.views_of(SimpleNamespace(mechanism=None, feedback="bandit", arms=2))
    found = costs.measured_costs(runner, pairs, views, 0, 5.0)
    assert 1e-8 < found.run < 1e-2
    assert 0.0 <= found.read < 1e-3
    assert 1e-4 < found.pair < 1.0


# Without a bound


def nothing_but_the_settings(report, verdict):
    assert report.verdict == verdict
    assert report.epsilon_lower is report.epsilon_lower_clopper_pearson is report.epsilon_estimate is None
    assert report.resolution is report.witness is None
    assert report.counted_runs == report.stop_after == 0
    assert json.loads(report.to_json())["epsilon_lower"] is None
    (note,) = report.notes
    assert note.startswith("cut short before any run was counted, so there is no lower bound")


@pytest.mark.parametrize("epsilon", [1.0, None])
def test_when_time_ends_first_there_is_no_bound(policies, epsilon):
    """A million runs in a hundredth of a second: the audit ends after its first chunk and claims nothing."""
    options = OPTIONS | {"epsilon": epsilon}
    report = privcheck.audit(policies.FastResponse, **options, runs=10**6, time_budget=0.01)
    nothing_but_the_settings(report, "inconclusive" if epsilon else None)
    assert report.seconds < 20.0


@pytest.mark.parametrize("calls", [0, 1])
def test_an_interruption_is_no_result(policies, monkeypatch, calls):
    """Interrupted while screening, or later while confirming."""
    play, seen = Sampler.play, []

    def interrupted(self, requests, advance):
        seen.append(requests)
        if len(seen) > calls:
            raise KeyboardInterrupt
        return play(self, requests, advance)

    monkeypatch.setattr(Sampler, "play", interrupted)
    nothing_but_the_settings(privcheck.audit(policies.FastResponse, **OPTIONS, runs=500), "inconclusive")


class Slow:
    """A tenth of a second a run: the checks alone need some hundred runs."""

    def __init__(self, rng):
        self.rng = rng
        time.sleep(0.1)

    def select(self):
        return int(self.rng.random() < 0.5)

    def update(self, action, reward):
        pass


def test_a_slow_target_ends_within_the_cap_of_its_budget():
    """The pilot and the checks count: without the deadline they take 12 and 17 seconds."""
    report = privcheck.audit(Slow, **OPTIONS, time_budget=0.5)
    assert (report.verdict, report.stop_after, report.epsilon_lower) == ("inconclusive", 0, None)
    (note,) = report.notes
    least, whole = (float(found.replace(",", "")) for found in re.findall(r"(?:about|of) ([\d,]+) s", note))
    assert "no run was counted, so there is no lower bound: a run takes 0.1" in note
    assert 20.0 < least < 200.0, "192 runs of the check, 40 counted ones and those of the search"
    assert whole > 1000.0, "467 pairs, each 80 times at least"
    assert report.seconds < 2.0, "what does not fit into the budget is not begun"


def test_an_audit_that_the_clock_ends_names_no_time_that_was_not_enough(monkeypatch):
    """A pilot of fast runs, and slow ones after it, as on a machine whose processor others take."""
    monkeypatch.setattr(costs, "measured_costs", lambda *_: Costs(1e-5))
    report = privcheck.audit(Slow, **OPTIONS, time_budget=0.7)
    (note,) = report.notes
    assert (report.counted_runs, report.epsilon_lower) == (0, None)
    assert "the audit ended at 3 times its time budget by the clock" in note
    assert "runs of 1e-05 s" in note
    assert not re.search(r"smallest audit|needs a time budget", note)
    assert float(re.search(r"more than ([\d,]+) s", note)[1].replace(",", "")) >= 0.7


def test_the_time_that_is_named_is_enough(policies, monkeypatch):
    """At 5 ms a run: with the time budget of the note all pairs are screened, and with less they are not."""
    costing(monkeypatch, 5e-3)
    stop_the_clock(monkeypatch)

    def extent_of(budget):
        plan = make_plan(load(policies.FastResponse), Settings.of(**USUAL | OPTIONS | {"time_budget": budget}))
        return extent.make_extent(plan.settings.effort, 1, plan.policy, plan.candidates, time.monotonic())

    short = extent_of(20.0)
    assert len(short.pairs) < short.candidates
    enough, less = (extent_of(share * rounded(short.needed.whole)) for share in (1.0, 0.9))
    assert len(enough.pairs) == enough.candidates
    assert enough.runs >= ENOUGH_RUNS
    assert len(less.pairs) < less.candidates


def test_more_pairs_than_there_is_time_for_are_said_so(policies, monkeypatch):
    """A search among all pairs takes the whole budget: the note names one that leaves time for runs."""
    costing(monkeypatch, 5e-3)
    stop_the_clock(monkeypatch)
    options = OPTIONS | {"pairs": 400}
    nothing = privcheck.audit(policies.FastResponse, **options, time_budget=60.0)
    (note,) = nothing.notes
    assert nothing.counted_runs == 0
    least = float(re.search(r"smallest audit takes about ([\d,]+) s", note)[1].replace(",", ""))
    report = privcheck.audit(policies.FastResponse, **options, time_budget=1.1 * least)
    assert report.runs == costs.FEWEST_RUNS
    (note,) = [note for note in report.notes if "leaves time for the fewest runs only" in note]
    budget = float(re.search(r"budget of ([\d,]+) s", note)[1].replace(",", ""))
    assert privcheck.audit(policies.FastResponse, **options, time_budget=budget).runs > 1000


def test_runs_are_planned_again_by_the_time_that_they_took_in_the_check(monkeypatch):
    """A pilot during which the machine is ten times as slow does not make the audit ten times as small."""
    measured = costs.measured_costs
    monkeypatch.setattr(costs, "measured_costs", lambda *given: Costs(10.0 * measured(*given).run))
    program = str(Path(__file__).parents[1] / "services" / "program.py")
    target = privcheck.from_command([sys.executable, program, "private"])
    again = privcheck.audit(target, **OPTIONS, time_budget=4.0, pairs=1)
    monkeypatch.setattr(importlib.import_module("privcheck.auditing._play"), "fitted_again", lambda extent, *_: extent)
    assert again.runs > 2 * privcheck.audit(target, **OPTIONS, time_budget=4.0, pairs=1).runs
