"""A process that is killed, at any write to the ledger or its head, leaves a ledger from which others go on."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import signal
import time
from collections import Counter

import numpy as np
import pytest

from privcheck.certifying import ledger_problems
from privcheck.scheduling import Database
from tests.modules import beside

policies, calls = beside(__file__, "ledger_policies"), beside(__file__, "kills_at_calls")
close, guard, rows = policies.close, policies.guard, policies.rows


@pytest.fixture(scope="module", autouse=True)
def warm(tmp_path_factory):
    """What is loaded at the first draw is loaded here, and not in every process anew."""
    folder = tmp_path_factory.mktemp("warm")
    play(folder, folder / "shown")


pytestmark = [pytest.mark.long, pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")]


def in_a_fork(function):
    """Run a function in a process of its own, which may be killed in it; return whether it was."""
    child = os.fork()
    if child == 0:
        try:
            function()
            os._exit(0)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


def killing(place, after):
    """Let the n-th statement to SQLite kill this process, before it or after it."""
    left, execute = [place], Database.execute

    def counted(self, *given):
        left[0] -= 1
        if left[0] == 0 and not after:
            os.kill(os.getpid(), signal.SIGKILL)
        found = execute(self, *given)
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return found

    Database.execute = counted


def play(folder, shown, events=3, policy=policies.Mechanisms, batch=False):
    """Play events under ids, and write down what was answered; those that were answered before are asked again."""
    guarded = guard(folder, policy, per_user=float(events))
    answers = []
    with shown.open("a") as file:
        for t in range(events):
            arm = guarded.select(request_id=f"e{t}")
            answers.append(arm)
            file.write(json.dumps([t, arm]) + "\n")
            file.flush()
            if not batch:
                guarded.update(arm, 1.0, request_id=f"e{t}", user=f"u{t % 2}")
        if batch:
            events = [
                {"action": arm, "reward": 1.0, "request_id": f"e{t}", "user": f"u{t % 2}"}
                for t, arm in enumerate(answers)
            ]
            guarded.update_many(events)
        file.write(json.dumps(["end", len(guarded.ledger.releases)]) + "\n")


def check(folder, shown, events=3):
    """Check I1 to I4: charges within the budgets, one answer for each id, what was shown is there, nothing is lost."""
    assert ledger_problems(folder / "budget.db", folder / "heads.db") == []  # I1
    said = [json.loads(line) for line in shown.read_text().splitlines()]
    answers = dict(rows(folder, "SELECT request, body FROM entry WHERE kind = 'select' AND request <> ''"))
    for request, arm in said:
        if request != "end":
            assert json.loads(answers[f"e{request}"])["answer"]["value"] == arm  # I2, I3
    assert said[-1][0] == "end"
    counts = (
        "SELECT kind, count(*), count(DISTINCT request) FROM entry WHERE kind IN ('select', 'update') GROUP BY kind"
    )
    assert rows(folder, counts) == [("select", events, events), ("update", events, events)]
    drawn = rows(folder, "SELECT event, count(*) FROM entry WHERE kind = 'draw' GROUP BY event")
    assert [count for _, count in drawn] == [
        1,
        *[2] * (events // 2),
    ]  # the start, and each second update: no draw twice


@pytest.mark.evidence
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize("after", [False, True])
def test_a_kill_at_every_statement(tmp_path, after, batch, evidence):
    """The first start, three updates with two releases, and the heads; then another process goes on."""
    points = 0
    for place in itertools.count(1, evidence(5, 1)):
        folder, shown = tmp_path / f"run{place}", tmp_path / f"shown{place}"
        folder.mkdir()

        def killed(folder=folder, shown=shown, place=place):
            killing(place, after)
            play(folder, shown, batch=batch)

        was_killed = in_a_fork(killed)
        points += was_killed
        assert not in_a_fork(lambda folder=folder, shown=shown: play(folder, shown, batch=batch))
        check(folder, shown)
        shutil.rmtree(folder)
        if not was_killed:
            break
    assert points >= evidence(8, 50)


@pytest.mark.evidence
@pytest.mark.timeout(7200)
def test_kills_at_random_moments(tmp_path, evidence):
    """A service whose workers are killed all the time: two processes, which begin anew until all is answered."""
    kills, events, rng = 0, evidence(12, 200), np.random.default_rng(8)
    wanted = evidence(6, 1000)
    for number in itertools.count():
        folder, shown = tmp_path / f"run{number}", tmp_path / f"shown{number}"
        folder.mkdir()
        while True:
            child = os.fork()
            if child == 0:
                try:
                    play(folder, shown, events, policies.Mechanisms)
                    os._exit(0)
                finally:
                    os._exit(1)
            if kills < wanted:
                time.sleep(float(rng.exponential(0.2)))
                os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            if not os.WIFSIGNALED(status):
                assert os.WEXITSTATUS(status) == 0
                break
            kills += 1
        check(folder, shown, events)
        if kills >= wanted:
            break


def check_shown(folder, shown):
    """Check, before anybody goes on, that what was shown is in the ledger, and that the head is as far."""
    copied = folder.with_name("copied")
    shutil.copytree(folder, copied)  # to read a database changes its files
    try:
        said = [json.loads(line) for line in shown.read_text().splitlines()] if shown.exists() else []
        if not said:
            return
        kept = rows(copied, "SELECT request, number, body FROM entry WHERE kind = 'select' AND request <> ''")
        found = {request: (number, body) for request, number, body in kept}
        ((head,),) = rows(copied, "SELECT number FROM head", "heads.db")
        for request, arm in said:
            if request != "end":
                number, body = found[f"e{request}"]
                assert json.loads(body)["answer"]["value"] == arm
                assert head >= number
    finally:
        shutil.rmtree(copied)


def start(folder, shown):
    """Make the folder of a run."""
    folder.mkdir()


@pytest.mark.nightly
@pytest.mark.timeout(7200)
@pytest.mark.skipif(not calls.can_trace(), reason="no strace")
@pytest.mark.parametrize("batch", [False, True])
def test_a_kill_at_every_system_call(tmp_path, batch, evidence):
    """Those that write, and those that lock and read as well, of a first start and three updates with two releases."""
    points = Counter()
    runs = calls.each_kill(tmp_path, start, lambda *given: play(*given, batch=batch), evidence(9, 1))
    for call, folder, shown in runs:
        check_shown(folder, shown)
        assert not in_a_fork(lambda folder=folder, shown=shown: play(folder, shown, batch=batch))
        check(folder, shown)
        points[call] += 1
    assert sum(points.values()) >= evidence(30, 400)


@pytest.mark.skipif(not calls.can_trace(), reason="no strace")
@pytest.mark.parametrize("twin", ["answer before the commit", "answer before the head"])
def test_a_kill_at_a_system_call_tells_of_an_early_answer(tmp_path, twin):
    from privcheck.certifying._recorded.event_engine import Engine
    from privcheck.journal import SqliteJournal

    def early(folder, shown):
        answer, show, selected = Engine._answer, SqliteJournal.show, []

        def tell():
            with shown.open("a") as file:
                file.writelines(json.dumps(said) + "\n" for said in selected)
            selected.clear()

        def answered(self, event):
            found = answer(self, event)
            if event.kind == "select":
                selected.append([int(event.request[1:]), found.value])
                if twin == "answer before the commit":
                    tell()
            return found

        def showing(self, *given):
            tell()
            return show(self, *given)

        Engine._answer, SqliteJournal.show = answered, showing
        play(folder, shown)

    missed = 0
    for _, folder, shown in calls.each_kill(tmp_path, start, early, 7):
        try:
            check_shown(folder, shown)
        except (AssertionError, KeyError):
            missed += 1
    assert missed > 0


def test_answering_before_the_commit_is_noticed(tmp_path):
    """The broken twin: what was shown is not in the ledger when the process is killed."""
    from privcheck.certifying._recorded.event_engine import Engine

    folder, shown, together = tmp_path / "run", tmp_path / "shown", Engine._together
    folder.mkdir()
    play(folder, shown, 2, policies.PlainBlocks)
    shown.write_text("")

    def early(self, events):
        with self.journal.transaction():
            self._catch_up()
            assert self._refused(events) is None
            found = [self._answer(event) for event in events]
            for event in events:
                with shown.open("a") as file:
                    file.write(json.dumps([event.request[1:], found[0].value]) + "\n")
            os.kill(os.getpid(), signal.SIGKILL)

    def killed():
        guarded = guard(folder, policies.PlainBlocks, per_user=2.0)
        Engine._together = early
        guarded.select(request_id="e9")

    assert in_a_fork(killed)
    assert Engine._together is together
    assert json.loads(shown.read_text())[0] == "9", "it was shown"
    assert rows(folder, "SELECT * FROM entry WHERE request = 'e9'") == [], "and it is not in the ledger"
    with pytest.raises(KeyError):
        check(folder, shown, 2)
