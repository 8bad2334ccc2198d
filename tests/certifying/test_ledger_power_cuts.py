"""After a power cut the ledger opens, and nothing that was shown is lost, drawn anew or spent twice."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from privcheck import BudgetExceededError, PrivcheckError
from privcheck.certifying import ledger_problems
from privcheck.certifying._recorded.values import noise_of_bytes
from privcheck.mechanisms import Laplace
from tests.modules import beside
from tests.unsynced import leave_unsynced

policies, power_cuts = beside(__file__, "ledger_policies"), beside(__file__, "power_cuts")
rows = policies.rows
ROUNDS = 14


def can_trace():
    """Return whether system calls can be recorded here: containers may forbid it."""
    found = shutil.which("strace")
    return found is not None and subprocess.run([found, "-o", os.devnull, sys.executable, "-c", ""]).returncode == 0


pytestmark = [pytest.mark.long, pytest.mark.skipif(not can_trace(), reason="no strace")]


class Telling(policies.Blocks):
    """Tells everybody each draw that it sees, which is more than a policy should do."""

    told = None

    def __init__(self, rng, arms=2, epsilon=0.5):
        super().__init__(rng, arms, epsilon)
        self.draws = 0
        self.tell(float(Laplace(sensitivity=1.0, epsilon=1.0).release(0.0, rng)))

    def tell(self, drawn):
        if self.told is not None:
            show(self.told, "draw", self.draws, drawn)
        self.draws += 1

    def update(self, action, reward):
        self.block += reward
        self.count += 1
        if self.count % 2 == 0:
            drawn = float(self.mechanism.release(self.block, self.rng))
            self.tell(drawn)
            self.best, self.block = int(drawn > 1.0), 0.0


def show(file, *said):
    """Write down what somebody has seen; where it is kept, no power is cut."""
    os.write(file, json.dumps(said).encode() + b"\n")


def opened(folder):
    return policies.guard(folder / "state", Telling, per_user=1.0, head=folder / "heads" / "heads.db")


def ask(guarded, rounds, told=None, many=False):
    """Ask for rounds under ids, four users by turns, each of whom may give two rewards; return what was answered."""
    found, events = {}, []
    for t in rounds:
        found["select", t] = arm = guarded.select(request_id=f"e{t}")
        if told is not None:
            show(told, "select", t, arm)
        event = {"action": arm, "reward": float(t % 3 > 0), "request_id": f"e{t}", "user": f"u{t % 4}"}
        events.append(event)
        if not many:
            found["update", t] = answered(guarded, event)
            if told is not None:
                show(told, "update", t, found["update", t])
    if many:
        refused = guarded.update_many(events)
        for t, error in zip(rounds, refused, strict=True):
            found["update", t] = error is None
            if told is not None:
                show(told, "update", t, found["update", t])
    return found


def answered(guarded, event):
    try:
        guarded.update(event["action"], event["reward"], request_id=event["request_id"], user=event["user"])
    except BudgetExceededError as error:
        return False if error.parameter == "user" else str(error)
    return True


def play(folder, shown, name):
    """Start three times: a few rounds; rounds told together, with a log that is written back often; a sudden end."""
    import privcheck.journal._databases as databases

    Telling.told = told = os.open(shown, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    if name in TWINS:
        TWINS[name](databases, told)
    guarded = opened(folder)
    ask(guarded, range(5), told)
    policies.close(guarded)
    databases.DURABLE = (*databases.DURABLE, "wal_autocheckpoint = 12")
    guarded = opened(folder)
    ask(guarded, range(4, 10), told, many=True)
    policies.close(guarded)
    guarded = opened(folder)
    ask(guarded, range(9, ROUNDS), told)
    os._exit(0)


def recorded(tmp_path, name, before):
    """Return what a run asked its system to write, which began with these files."""
    folder, shown = tmp_path / "played", tmp_path / "shown"
    restore(folder, before)
    shown.unlink(missing_ok=True)
    program = "import sys, pathlib; import test_ledger_power_cuts as cuts\n"
    program += "cuts.play(*map(pathlib.Path, sys.argv[1:3]), sys.argv[3])"
    places = policies.ROOT, Path(__file__).parent, Path(__file__).parents[2]  # privcheck, this module, what it imports
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, places))}
    found = power_cuts.recorded(
        folder, shown, tmp_path / "trace", program, folder, shown, name, environment=environment
    )
    shutil.rmtree(folder)
    return found


def restore(folder, files):
    """Write the files that are there after a cut."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for path, content in files.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(content)


def check(folder, shown):
    """Go on after a cut, and compare with what had been shown."""
    said = [json.loads(line) for line in shown.splitlines()]
    guarded = opened(folder)
    if said:
        ledger, heads = folder / "state" / "budget.db", folder / "heads" / "heads.db"
        assert ledger_problems(ledger, heads) == []
        bodies = rows(folder / "state", "SELECT body FROM entry WHERE kind = 'draw' ORDER BY number")
        drawn = [noise_of_bytes(json.loads(body)["output"]) for (body,) in bodies]
        for kind, number, value in said:
            if kind == "draw":
                assert drawn[number : number + 1] == [value], "a draw that the policy has seen is lost, or drawn anew"
                continue
            entry = rows(folder / "state", f"SELECT body FROM entry WHERE kind = '{kind}' AND request = 'e{number}'")
            assert len(entry) == 1, f"{kind} {number} was answered and is lost"
    answers = ask(guarded, range(ROUNDS))
    for kind, number, value in said:
        assert kind == "draw" or answers[kind, number] == value
    most = "SELECT max(n) FROM (SELECT count(*) n FROM entry WHERE person <> '' GROUP BY person)"
    assert rows(folder / "state", most) == [(2,)]
    assert rows(folder / "state", "SELECT count(*) FROM entry WHERE kind = 'draw'") == [(5,)], "the start, 8 rewards"
    assert guarded.spent == 0.5
    assert ledger_problems(folder / "state" / "budget.db", folder / "heads" / "heads.db") == []
    policies.close(guarded)


def failures(tmp_path, monkeypatch, name, cuts, seed, before=(), earlier=b""):
    """Return what went wrong after cuts, and the disk and what had been shown after the one in the middle."""
    folder, found = tmp_path / "played", []
    operations, rng = recorded(tmp_path, name, dict(before)), np.random.default_rng(seed)
    leave_unsynced(monkeypatch)
    for number, (files, shown) in enumerate(power_cuts.states(operations, cuts, folder, rng, before)):
        if number == cuts // 2:
            middle = files, earlier + shown
        restore(folder, files)
        try:
            check(folder, earlier + shown)
        except (AssertionError, PrivcheckError) as error:
            found.append(error)
    return found, *middle


@pytest.mark.evidence
@pytest.mark.timeout(7200)
def test_nothing_is_lost_in_a_power_cut(tmp_path, monkeypatch, evidence):
    """Nor in a second one, while a ledger is used that has had one."""
    cuts = evidence(16, 500)
    found, files, shown = failures(tmp_path, monkeypatch, "correct", cuts, 3)
    assert found == []
    assert shown
    found, _, again = failures(tmp_path, monkeypatch, "correct", cuts, 4, files, shown)
    assert found == []
    assert len(again) > len(shown)


def test_an_answer_waits_twice_for_the_disk_and_once_more_for_each_draw(tmp_path):
    """For its entry and for its head."""
    operations, waits, places, drawn = recorded(tmp_path, "correct", {}), 0, {}, {}
    for call, _, what in operations:
        waits += call == "sync"
        if call == "show":
            kind, number, _ = json.loads(what)
            if kind != "draw":
                places.setdefault((kind, number), waits)
            elif number:
                drawn[2 * number - 1] = 1
    for t in range(1, 5):  # before the files are closed for the first time
        assert places["select", t] - places["update", t - 1] == 2
        assert places["update", t] - places["select", t] == 2 + drawn.get(t, 0)
    assert drawn.keys() >= {1, 3}


def pragma(name):
    def change(databases, told):
        databases.DURABLE = ("journal_mode = WAL", f"synchronous = {name}", "secure_delete = ON")

    return change


def answer_early(databases, told):
    """Show an answer inside the transaction."""
    from privcheck.certifying._recorded.event_engine import Engine

    answer = Engine._answer

    def early(self, event):
        found = answer(self, event)
        if event.kind == "select":
            show(told, "select", int(event.request[1:]), found.value)
        return found

    Engine._answer = early


def draw_early(databases, told):
    """Let the policy see a draw before it is committed."""
    from privcheck.journal import SqliteJournal

    SqliteJournal.commit = lambda self: None


def head_early(databases, told):
    """Write the head before the ledger."""
    from privcheck.journal import SqliteJournal

    append = SqliteJournal.append

    def early(self, *given):
        added = append(self, *given)
        self.show(added.number, added.hash)
        return added

    SqliteJournal.append = early


def folder_not_synced(databases, told):
    """Make the files without waiting for the entries of their folders."""
    databases.os = type("Os", (), {**vars(os), "fsync": staticmethod(lambda _: None)})


TWINS = {
    "synchronous=OFF": pragma("OFF"),
    "synchronous=NORMAL": pragma("NORMAL"),
    "answer before commit": answer_early,
    "draw before commit": draw_early,
    "head before ledger": head_early,
    "folder not synced": folder_not_synced,
}


CUTS = {"draw before commit": 250}
"""For the twin that shows in one cut of sixteen; the others show in most of 24."""


@pytest.mark.chance(1e-6, "that 250 cuts of which each shows it in one of sixteen do not", fresh=True)
@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.nightly] * (n in CUTS)) for n in TWINS])
def test_a_guard_that_does_not_wait_for_the_disk_is_noticed(tmp_path, monkeypatch, name):
    found, _, _ = failures(tmp_path, monkeypatch, name, CUTS.get(name, 24), 4)
    assert found
