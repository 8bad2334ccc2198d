"""A guard that goes on from a snapshot goes on as an undisturbed one does; one that does not fit is ignored."""

from __future__ import annotations

import sys
import threading

import numpy as np
import pytest

from privcheck import BudgetExceededError
from privcheck.certifying import ledger_problems, read_ledger
from privcheck.certifying._recorded import snapshots
from privcheck.certifying._recorded.draw_log import DrawLog
from privcheck.certifying._recorded.event_engine import Engine
from privcheck.certifying._recorded.frozen_state import Thawed
from privcheck.mechanisms import Laplace
from privcheck.private_values import PrivateSource, taken_apart
from privcheck.private_values._leaks import Made
from tests.modules import beside

recovery = beside(__file__, "test_ledger_recovery")
policies = recovery.policies
close, guard, rows = policies.close, policies.guard, policies.rows


@pytest.fixture(autouse=True)
def quick(monkeypatch, unsynced_ledgers):
    """A snapshot every third event, and pickle finds the classes of the policies."""
    monkeypatch.setattr(snapshots, "EVERY", 3)
    monkeypatch.setattr(snapshots, "BYTES", 10**6)
    for module in (policies, recovery):
        monkeypatch.setitem(sys.modules, module.__name__, module)


@pytest.fixture
def played(monkeypatch):
    """The numbers of the events that are played again."""
    found, again = [], Engine._again

    def counted(self, event, draws, ended):
        found.append(event.number)
        again(self, event, draws, ended)

    monkeypatch.setattr(Engine, "_again", counted)
    return found


def taken(folder):
    return rows(folder, "SELECT number, length(state), problem FROM snapshot")


class Spawns(policies.Blocks):
    """Plays by coins of Generators that it spawns, and keeps a view, a list twice, and an unread coin."""

    def __init__(self, rng, arms=2, epsilon=0.5):
        super().__init__(rng, arms, epsilon)
        (self.child,) = rng.spawn(1)
        self.sums = np.zeros(4)
        self.half, self.again = self.sums[::2], [self.sums]

    def select(self):
        if self.count % 4 == 1:
            (self.child,) = self.rng.spawn(1)
        self.half += 1.0
        return int(self.child.integers(self.arms)) if self.sums.sum() % 3 else int(self.again[0].sum() % 2)


CASES = {**recovery.CASES, "spawning": (Spawns, {})}


@pytest.fixture
def cases(monkeypatch):
    monkeypatch.setattr(recovery, "CASES", CASES)


def both(tmp_path, monkeypatch, name):
    """Return what an undisturbed run gives, and one with a restart from a snapshot before every call."""
    with monkeypatch.context() as patch:
        patch.setattr(snapshots, "EVERY", 10**9)
        plain = recovery.run(tmp_path / "plain", name, patch, "")
    assert taken(tmp_path / "plain") == []
    with monkeypatch.context() as patch:
        return plain, recovery.run(tmp_path / "again", name, patch, "before calls")


@pytest.mark.parametrize("name", CASES)
def test_a_run_from_snapshots_is_the_undisturbed_one(tmp_path, monkeypatch, cases, played, name):
    plain, again = both(tmp_path, monkeypatch, name)
    assert plain == again
    ((number, size, problem),) = taken(tmp_path / "again")
    assert (number > 3, size > 500, problem) == (True, True, "")
    last = rows(tmp_path / "again", "SELECT max(event) FROM entry")[0][0]
    assert len(played) < 6 * last, "it was played from its beginning"


def test_a_snapshot_without_the_spawn_counter_is_noticed(tmp_path, monkeypatch, cases):
    """The twin would spawn the same children again."""
    from privcheck.certifying._recorded.opening import Kept

    coins = Kept.coins
    monkeypatch.setattr(Kept, "coins", lambda self, spawned=0: coins(self))
    plain, again = both(tmp_path, monkeypatch, "spawning")
    assert plain != again


def test_a_snapshot_between_a_draw_and_its_answer_is_noticed(tmp_path, monkeypatch, cases):
    """The twin has seen the reward, and then plays the event again: the reward counts twice."""
    keep = DrawLog._keep

    def early(self, by, output):
        keep(self, by, output)
        (engine,) = [engine for engine in ENGINES if engine.log is self]
        played, bits, facts, _ = engine._state()
        with_event = {**facts, "events": self.event.number - 1}
        kept = engine._snapshots._kept(played, bits, with_event, (self.event.entry.number - 1, before(engine)))
        engine.journal.keep(kept)
        engine.journal.commit()

    def before(engine):
        return next(iter(engine.journal.after(engine.log.event.entry.number - 2))).hash

    from privcheck.certifying._recorded.forked import KNOWN as ENGINES

    with monkeypatch.context() as patch:
        patch.setattr(snapshots, "EVERY", 10**9)
        plain = recovery.run(tmp_path / "plain", "overspending", patch, "")
        patch.setattr(DrawLog, "_keep", early)
        patch.setattr(Engine, "_rehearse", lambda self: None)
        twin = recovery.run(tmp_path / "twin", "overspending", patch, "before calls")
    assert plain != twin


def play(folder, rounds, policy=policies.Blocks, start=0, **options):
    guarded = guard(folder, policy, **options)
    for t in range(start, rounds):
        guarded.update(guarded.select(request_id=f"e{t}"), 1.0, request_id=f"e{t}")
    return guarded


def test_a_guard_opens_from_the_newest_snapshot(tmp_path, played):
    close(play(tmp_path, 10))
    assert ledger_problems(tmp_path / "budget.db", tmp_path / "heads.db") == []
    del played[:]
    guarded = guard(tmp_path)
    assert len(played) <= 4
    assert guarded.spent == 0.5
    assert guarded._engine._events == 20


def changed(folder, statement):
    connection = policies.sqlite3.connect(folder / "budget.db")
    assert connection.execute(statement).rowcount == 1
    connection.commit()
    connection.close()


SPOILED = {
    "a byte": "UPDATE snapshot SET state = state || x'00'",
    "the code": "UPDATE snapshot SET code = code || ' '",
    "the hash": "UPDATE snapshot SET hash = zeroblob(32)",
    "the entry": "UPDATE snapshot SET number = number - 1",
    "nothing is left": "UPDATE snapshot SET state = x''",
}


@pytest.mark.parametrize("what", SPOILED)
def test_a_snapshot_that_does_not_fit_is_ignored(tmp_path, played, what):
    close(play(tmp_path, 10))
    changed(tmp_path, SPOILED[what])
    del played[:]
    assert guard(tmp_path)._engine._events == 20
    assert played == list(range(21)), "it is played from its beginning"


def test_a_snapshot_of_another_scope_or_ledger_is_ignored(tmp_path, played):
    """All numbers agree; it is sealed with the secret of its scope."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        close(play(tmp_path / name, 10))
    connection = policies.sqlite3.connect(tmp_path / "two" / "budget.db")
    connection.execute("ATTACH ? AS one", (str(tmp_path / "one" / "budget.db"),))
    connection.execute(
        "UPDATE snapshot SET seal = (SELECT seal FROM one.snapshot), state = (SELECT state FROM one.snapshot)"
    )
    connection.commit()
    connection.close()
    del played[:]
    assert guard(tmp_path / "two")._engine._events == 20
    assert played == list(range(21))


def test_other_code_or_versions_do_not_read_a_snapshot(tmp_path, played, monkeypatch):
    from privcheck.scheduling import fingerprint

    close(play(tmp_path, 10))
    monkeypatch.setattr(Thawed, "played", lambda *_: pytest.fail("it was read"))
    with monkeypatch.context() as patch:
        patch.setattr("privcheck.certifying._recorded.opening.fingerprint", lambda: fingerprint() | {"numpy": "9.9"})
        with pytest.warns(RuntimeWarning, match="another numpy"):
            close(guard(tmp_path))
    monkeypatch.setattr(policies.Blocks, "arms_of_another_version", 3, raising=False)
    del played[:]
    assert guard(tmp_path)._engine._events == 20
    assert played == list(range(21))


class Counts(policies.Blocks):
    """Keeps what it has seen in its class, where no snapshot sees it."""

    seen = 0

    def select(self):
        Counts.seen += 1
        return Counts.seen // 2 % 2


def test_what_a_policy_keeps_in_its_class_is_played_again(tmp_path, played):
    """In a new process the class is as it was written, and a snapshot would not have what was kept in it."""
    close(play(tmp_path, 10, Counts))
    ((number, _, problem),) = taken(tmp_path)
    assert (number, problem) == (0, snapshots.OUTSIDE)
    Counts.seen = 0
    del played[:]
    assert guard(tmp_path, Counts)._engine._events == 20
    assert played == list(range(21))
    assert Counts.seen == 10


class Locked(policies.Blocks):
    """Holds what cannot be written."""

    def __init__(self, rng, arms=2, epsilon=0.5):
        super().__init__(rng, arms, epsilon)
        self.lock = threading.Lock()


HELD = []


class Elsewhere(policies.Blocks):
    """Keeps a private value in a global list."""

    def update(self, action, reward):
        HELD.append(reward)
        super().update(action, reward)


@pytest.mark.parametrize(
    ("policy", "why"), [(Locked, "cannot pickle '_thread.lock'"), (Elsewhere, "held outside of it")]
)
def test_a_policy_that_cannot_be_written_has_no_snapshot(tmp_path, policy, why):
    from privcheck.reporting import ledger_json, ledger_text

    guarded = play(tmp_path, 10, policy)
    ((number, size, problem),) = taken(tmp_path)
    assert (number, size) == (0, 0)
    assert why in problem
    found = read_ledger(tmp_path / "budget.db")
    assert why in ledger_text(found, "budget.db")
    assert why in ledger_json(found)
    close(guarded)
    assert guard(tmp_path, policy).spent == 0.5


class Loses(policies.Blocks):
    """Says how it is written, and counts wrong then."""

    def __getstate__(self):
        return vars(self) | {"count": self.count + 1}


def test_a_policy_that_does_not_go_on_from_its_snapshot_is_found_out(tmp_path, monkeypatch):
    """It is played from its beginning, and the snapshot is used no more."""
    monkeypatch.setattr(snapshots, "EVERY", 8)
    monkeypatch.setattr(snapshots, "REHEARSED", 5)
    guarded = play(tmp_path, 10, Loses)
    ((number, _, problem),) = taken(tmp_path)
    assert number == 0
    assert "does not go on as it did" in problem
    assert (guarded._policy.count, guarded.spent) == (10, 0.5)


class Drops(policies.PlainBlocks):
    """Releases its first reward, drops it later, and then releases more than its budget."""

    def update(self, action, reward):
        self.count += 1
        if self.count == 1:
            self.block = self.block + reward
            Laplace.with_scale(1.0 / 0.3).release(self.block, self.rng)
        if self.count == 5:
            self.block = 0.0
        if self.count == 6:
            Laplace.with_scale(1.0 / 0.6).release(reward, self.rng)


@pytest.mark.parametrize("forgets", [False, True])
def test_a_refused_release_closes_after_a_snapshot_what_it_closes_without(tmp_path, monkeypatch, forgets):
    """Whether a copy is made to go on with depends on what was looked at before, too."""
    monkeypatch.setattr(snapshots, "EVERY", 1000)
    guarded = guard(tmp_path, Drops)
    for _ in range(5):
        guarded.update(guarded.select(), 1.0)
    if forgets:
        guarded.forget()
    with pytest.raises(BudgetExceededError):
        guarded.update(guarded.select(), 1.0)
    assert guarded.select() == 0


class Assigns(policies.PlainBlocks):
    """Writes noised rewards into an array of numpy, which reads them at once."""

    def __init__(self, rng, arms=2, epsilon=0.5):
        super().__init__(rng, arms, epsilon)
        self.last = np.zeros(2)

    def select(self):
        return int(self.last[0] > 0.5) if self.count % 3 == 2 else 0

    def update(self, action, reward):
        self.count += 1
        self.last[action] = reward + self.rng.laplace(0.0, 8.0)


@pytest.mark.parametrize("forgets", [False, True])
def test_noise_is_read_after_a_snapshot_where_it_was_read_before(tmp_path, forgets):
    """Before, an array of numpy did not read any more what was written into it."""
    guarded = guard(tmp_path, Assigns)
    for number in range(6):
        if forgets and number == 2:
            guarded.forget()
        guarded.update(guarded.select(), 1.0)
    kinds = [kind for (kind,) in rows(tmp_path, "SELECT kind FROM entry WHERE event > 0 ORDER BY id")]
    assert kinds == ["select", "update", "draw", "answer"] * 6


def test_a_snapshot_has_all_that_the_entries_of_an_array_are_known_by():
    """A later version that gives a cell another attribute has to write it, too."""
    source = PrivateSource()
    value = source.vector([0.5, 0.25], 0.0, 1.0, data=1)
    told = {
        "epoch": 3,
        "reused": True,
        "compared": "x > 0",
        "kind": "n",
        "made": Made("f", 1, "g"),
        "reads_noise": True,
        "lent": "f:1",
    }
    for name, given in told.items():
        setattr(value._cell, name, given)
    make, arguments = taken_apart(value._cell)
    again = make(*arguments)
    assert {name: getattr(again, name) for name in told} == told
    assert {*type(value._cell).__slots__} == {*told, "__weakref__", "const", "size", "source", "terms"}


def test_no_command_reads_a_snapshot(tmp_path, monkeypatch):
    close(play(tmp_path, 10))
    for name in ("load", "loads", "Unpickler"):
        monkeypatch.setattr(f"pickle.{name}", lambda *_: pytest.fail("it was read"))
    changed(tmp_path, "UPDATE snapshot SET state = x'80049520'")
    assert ledger_problems(tmp_path / "budget.db", tmp_path / "heads.db") == []
    (scope,) = read_ledger(tmp_path / "budget.db")
    assert scope.snapshot.number > 0


def test_a_full_disk_takes_no_answer_away(tmp_path, monkeypatch):
    from privcheck.errors import PrivcheckError
    from privcheck.journal import SqliteJournal

    def full(*_):
        raise PrivcheckError("ledger", 1, "room on the disk")

    monkeypatch.setattr(SqliteJournal, "keep", full)
    guarded = play(tmp_path, 10)
    assert guarded.select(request_id="e3") in (0, 1)
    assert taken(tmp_path) == []
