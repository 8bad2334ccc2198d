"""What would break the guarantee of a watch, or end it in a traceback: nights, options and stores that are tampered
with."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import privcheck
from privcheck.auditing import NightlyAudit
from privcheck.auditing._nights import nightly_play
from privcheck.errors import PolicyError, PrivcheckError
from privcheck.watching import _kept_nights, read_watches, watch
from privcheck.watching._evidence_store import BEGUN, COUNTED, EvidenceStore
from tests.watching.policies import Blocks, Leaking
from tests.watching.test_watch import FEW, MANY, counts, end_at

SUMS = {"epsilon": 1.0, "runs": 40, "search": 600}


def noisy(data, rng):
    return float(np.sum(data)) + float(rng.laplace(0.0, 1.0))


def coin(data, rng):
    return int(rng.random() < 0.5)


class _StopError(Exception):
    pass


def begin(monkeypatch, target, **options):
    """Play a night that ends, as it were, after its runs were seen and before they are counted."""
    add = EvidenceStore.add

    def ended(self, kind, *args, **keywords):
        if kind == COUNTED:
            raise _StopError
        add(self, kind, *args, **keywords)

    with monkeypatch.context() as patch:
        patch.setattr(EvidenceStore, "add", ended)
        with pytest.raises(_StopError):
            watch(target, **options)


def lose(monkeypatch, store):
    """Play a night in which the target fails while its runs are counted."""

    def failing(*_):
        raise PolicyError("target", "an error", "none")

    with monkeypatch.context() as patch:
        real = NightlyAudit._sides
        patch.setattr(
            NightlyAudit, "_sides", lambda self, s, p, r, key: failing() if key == 3 else real(self, s, p, r, key)
        )
        with pytest.raises(PolicyError):
            watch(Leaking, store=store, **FEW)


@pytest.fixture
def store(tmp_path):
    return tmp_path / "watch.sqlite"


@pytest.mark.chance(1e-6, "no alarm within 10 nights of a loss of three times the claim")
def test_a_lost_night_does_not_blind_the_watch_to_the_same_code(store, monkeypatch):
    lose(monkeypatch, store)
    found = watch(Leaking, store=store, nights=10, **MANY)
    assert found.alarm is not None
    assert (found.alarm.since, len(found.versions)) == (2, 2)
    lose(monkeypatch, store)
    again = watch(Leaking, store=store, **MANY)
    assert again.versions[-1].number == 3
    assert again.alarms[: len(found.alarms)] == found.alarms
    assert again.alarm == again.alarms[-1]  # the last one, or one of this night, stands until other code is played


@pytest.mark.chance(0.0, "nothing in it is counted")
@pytest.mark.parametrize(
    ("target", "before", "after"),
    [
        (noisy, {}, {"encode": lambda y: int(y > 1.0)}),
        (noisy, {"encode": lambda y: int(y > 0.0)}, {"encode": lambda y: int(y > 1.0)}),
        (coin, {"streams": (["a", "b"], ["a", "c"])}, {"streams": (["a", "b"], ["a", "d"])}),
    ],
)
def test_a_night_that_was_begun_is_not_finished_in_another_setting(store, monkeypatch, target, before, after):
    """Its runs may have been seen, and the setting that accuses most be chosen by them."""
    begin(monkeypatch, target, store=store, version="one", **SUMS, **before)
    found = watch(target, store=store, version="one", **SUMS, **after)
    assert [night.lost is not None for night in found.nights] == [True, False]


@pytest.mark.chance(0.0, "nothing in it is counted")
def test_a_night_that_was_begun_is_not_finished_by_other_code_of_the_same_name(store, monkeypatch):
    begin(monkeypatch, Blocks, store=store, name="b", version="one", **FEW)
    monkeypatch.setattr(Blocks, "factor", 3.0)
    found = watch(Blocks, store=store, name="b", version="one", **FEW)
    assert [night.lost is not None for night in found.nights] == [True, False]


@pytest.mark.chance(0.0, "equal seeds")
def test_a_night_of_a_named_version_is_finished_by_its_own_code(store, monkeypatch):
    begin(monkeypatch, Blocks, store=store, version="one", **FEW)
    assert [night.lost for night in watch(Blocks, store=store, version="one", **FEW).nights] == [None]


@pytest.mark.chance(0.0, "equal seeds")
def test_a_night_that_fails_before_its_runs_are_counted_stays_begun(store, monkeypatch):
    """A time limit, say: nothing in it has an outcome."""
    end_at(monkeypatch, COUNTED, store)

    def failing(*_):
        raise PolicyError("target", "an error", "none")

    with monkeypatch.context() as patch:
        patch.setattr(NightlyAudit, "_chosen", failing)
        with pytest.raises(PolicyError):
            watch(Blocks, store=store, **FEW)
    assert [night.lost for night in watch(Blocks, store=store, **FEW).nights] == [None]


class Constant:
    """A contextual policy that plays one arm."""

    def __init__(self, rng, arms):
        self.arms = arms

    def select(self, context):
        return 0

    def update(self, context, action, reward):
        pass


@pytest.mark.chance(0.0, "it releases nothing")
def test_nights_with_other_contexts_are_of_another_claim(store):
    """Once a night with longer contexts than the claim is made for raised an alarm against code that keeps it."""
    asked = {"feedback": "contextual", "neighbours": "context-reward", "horizon": 3}
    near, far = (FEW | asked | {"contexts": privcheck.Contexts((2,), norm=norm)} for norm in (1.0, 9.0))
    watch(Constant, store=store, **near)
    assert len(watch(Constant, store=store, **near).nights) == 2, "the same contexts are the same claim"
    with pytest.raises(PrivcheckError, match=r"has contexts \{.*'norm': 1.0"):
        watch(Constant, store=store, **far)
    assert len(watch(Constant, store=store, name="far", **far).nights) == 1


@pytest.mark.chance(0.0, "nothing in it is counted")
@pytest.mark.parametrize("drawn", [False, True])
def test_streams_that_are_given_are_those_that_are_played(store, drawn):
    """Streams that a user has corrected must not be played on: they may not have been neighbours."""

    def pair(value):
        first = np.zeros((9, 2))
        second = first.copy()
        second[0] = value
        return (lambda _: (first, second)) if drawn else (first, second)

    for streams in (pair(1.0), pair(0.5), None):
        watch(Blocks, store=store, version="1", streams=streams, **FEW)
    kept = EvidenceStore(store, make=False)
    played = [entry.said["pair"]["second"][0] for entry in kept.entries if entry.kind == COUNTED]
    kept.close()
    assert played[:2] == [[1.0, 1.0], [0.5, 0.5]]
    if drawn:
        assert played[2] != [0.5, 0.5]


@pytest.mark.chance(0.0, "nothing in it is counted")
def test_independence_is_looked_at_in_each_version_also_without_a_search(store, monkeypatch):
    looked = []
    monkeypatch.setattr(nightly_play, "check_runs", lambda *args: looked.append(args))
    for version, expected in (("1", 1), ("1", 1), ("2", 2)):
        watch(Blocks, store=store, name="b", version=version, **FEW | {"search": 0})
        assert len(looked) == expected


@pytest.mark.chance(0.0, "nothing in it is counted")
def test_a_claim_that_another_process_has_made_meanwhile_is_kept(store, monkeypatch):
    held = EvidenceStore.held

    @contextmanager
    def late(self, wait=0.0):
        with monkeypatch.context() as patch:
            patch.setattr(EvidenceStore, "held", held)
            watch(Blocks, store=store, **FEW)
        with held(self, wait) as alone:
            yield alone

    EvidenceStore(store, make=True).close()
    monkeypatch.setattr(EvidenceStore, "held", late)
    with pytest.raises(PrivcheckError, match=r"epsilon 1\.0"):
        watch(Blocks, store=store, **FEW | {"epsilon": 2.0})
    assert len(read_watches(store)[0].nights) == 1


@pytest.mark.chance(0.0, "nothing in it is counted")
def test_a_first_night_beside_another_process_counts_nothing(store):
    holding = EvidenceStore(store, make=True)
    with holding.held():
        found = watch(Blocks, store=store, **FEW)
    holding.close()
    assert (found.counted, found.nights, found.alarm) == (0, (), None)
    assert "another process plays" in " ".join(found.notes)
    assert read_watches(store) == []


@pytest.mark.chance(0.0, "nothing in it is counted")
def test_a_process_that_comes_by_a_link_is_kept_out(store, tmp_path):
    """Without seeds it took the night that the other one was playing for lost, and all evidence with it."""
    linked = tmp_path / "linked" / "other.sqlite"
    linked.parent.mkdir()
    linked.symlink_to(store)
    holding = EvidenceStore(store, make=True)
    with holding.held():
        assert watch(Blocks, store=linked, **FEW).counted == 0
    holding.close()


@pytest.mark.chance(0.0, "nothing in it is random")
def test_a_lock_that_cannot_be_taken_is_no_other_process(tmp_path):
    folder = tmp_path / "blocked"  # a path with "locked" in it
    (folder / "watch.sqlite-lock").mkdir(parents=True)
    with pytest.raises(PrivcheckError, match="unable to open"):
        watch(Blocks, store=folder / "watch.sqlite", **FEW)


@pytest.mark.chance(0.0, "nothing in it is counted")
def test_evidence_that_begins_anew_is_said_to(store):
    store.touch()
    with pytest.raises(PrivcheckError, match="it is empty"):
        read_watches(store)
    assert "watch.sqlite is new" in " ".join(watch(Blocks, store=store, name="one", **FEW).notes)
    assert "the watch 'two' is new" in " ".join(watch(Blocks, store=store, name="two", **FEW).notes)
    assert watch(Blocks, store=store, name="two", **FEW).notes == ()


@pytest.mark.chance(0.0, "nothing in it is random")
@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE entry SET hash = 'text' WHERE number = 3", "entry 3"),
        ("UPDATE entry SET body = x'00' WHERE number = 3", "entry 3"),
        ("DELETE FROM entry WHERE number = 3", "entry 3"),
        ("DROP TABLE entry", "no such table"),
        ("UPDATE runs SET arrays = 'text'", "entry 4"),
        ("DELETE FROM runs", "entry 4"),
    ],
)
def test_a_store_that_was_damaged_is_refused(store, statement, said):
    watch(Blocks, store=store, **FEW)
    with sqlite3.connect(store) as database:
        database.execute(statement)
    with pytest.raises(PrivcheckError, match=said):
        watch(Blocks, store=store, **FEW)


@pytest.mark.chance(0.0, "nothing in it is counted")
def test_another_file_in_its_place_with_as_many_entries_is_not_written_to(store):
    one = EvidenceStore(store, make=True)
    with sqlite3.connect(store) as database:
        database.execute("UPDATE entry SET hash = zeroblob(32)")
    with pytest.raises(PrivcheckError, match="another process"):
        one.add("watch", "name", 0, {})
    one.close()


@pytest.mark.chance(0.0, "nothing in it is random")
def test_nights_are_bet_on_in_one_way_only(store, monkeypatch):
    """The evidence is computed anew: two ways of betting would be two chances of a false alarm."""
    watch(Blocks, store=store, **FEW)
    monkeypatch.setattr(_kept_nights, "bets", lambda: 0.0)
    with pytest.raises(PrivcheckError, match="bet on in another way"):
        read_watches(store)


@pytest.mark.chance(0.0, "nothing in it is counted")
def test_code_that_another_interpreter_plays_is_watched(store):
    target = privcheck.from_python(sys.executable, f"{Path(__file__).with_name('policies.py')}:Blocks")
    few = {**FEW, "runs": 20, "horizon": 6}
    del few["search"]
    streams = np.zeros((6, 2)), np.eye(6, 1) * np.ones((1, 2))
    found = watch(target, store=store, version="1", streams=streams, nights=2, **few)
    assert [night.runs for night in found.nights] == [20, 20]


@pytest.mark.chance(0.0, "no count is looked at")
def test_inputs_that_are_given_are_neighbours_on_the_users_word(store):
    """An alarm was raised on data that differ in three rows, and nothing said so."""
    options = {**SUMS, "search": 0, "store": store, "version": "1"}
    found = watch(noisy, streams=(np.zeros(3), np.ones(3)), **options)
    assert any("provided that data which differ in 3 rows" in note for note in found.notes)
    assert read_watches(store)[0].notes == found.notes[-1:]
    again = watch(noisy, nights=0, horizon=3, **SUMS, store=store, version="1")
    assert "provided that data which differ in 3 rows" in "".join(again.notes)


@pytest.mark.chance(1e-9, "an alarm on a true claim")
def test_inputs_that_were_given_are_not_played_when_they_are_not_given_any_more(store):
    """Code that kept the claim was accused by inputs of an earlier call, without a word about them."""
    options = {**SUMS, "error": 1e-9, "store": store, "runs": 400}
    first = watch(noisy, streams=(np.zeros(4), np.ones(4)), version="1", **options)
    assert first.alarm is not None
    found = watch(noisy, version="2", nights=2, **options)
    assert found.alarm is None
    assert [night.streams.startswith("inputs given") for night in found.nights] == [True, False, False]


@pytest.mark.chance(0.0, "no count is looked at")
def test_an_alarm_of_a_function_of_data_says_what_neighbours_are(store):
    """A claim about adding or removing a row is another one."""
    watch(noisy, store=store, **SUMS)
    (found,) = read_watches(store)
    assert found.notes == (
        "neighbours here are data of the same size that differ in one row (neighbours='row'); nothing is added or "
        "removed",
    )


@pytest.mark.chance(0.0, "no count is looked at")
def test_code_that_was_renamed_is_what_the_next_command_names(store):
    watch(Blocks, name="blocks", store=store, **FEW)
    assert watch(Leaking, name="blocks", store=store, **FEW).target == "Leaking"
    assert read_watches(store)[0].target == "Leaking"


KILLED = """
import os, signal, sys
from privcheck.watching import watch
from privcheck.watching._evidence_store import EvidenceStore
from tests.watching.policies import Blocks
from tests.watching.test_watch import FEW

add, kind, after = EvidenceStore.add, sys.argv[2], sys.argv[3] == "after"

def killed(self, wanted, *args, **keywords):
    if wanted == kind and not after:
        os.kill(os.getpid(), signal.SIGKILL)
    add(self, wanted, *args, **keywords)
    if wanted == kind:
        os.kill(os.getpid(), signal.SIGKILL)

if kind == "append":
    append = EvidenceStore._append
    def killed(self, wanted, *args, **keywords):
        append_ = append
        def last(self, inner, *a):
            found = append_(self, inner, *a)
            if inner == "counted":
                os.kill(os.getpid(), signal.SIGKILL)
            return found
        EvidenceStore._append = last
        add(self, wanted, *args, **keywords)
EvidenceStore.add = killed
watch(Blocks, store=sys.argv[1], **FEW)
"""


@pytest.mark.chance(0.0, "equal seeds")
@pytest.mark.skipif(os.name == "nt", reason="SIGKILL")
@pytest.mark.parametrize(
    ("kind", "when", "ended"),
    [(BEGUN, "after", 0), (COUNTED, "before", 0), (COUNTED, "after", 1), ("append", "inside", 0)],
)
def test_a_process_that_was_killed_has_counted_a_night_once_or_not_at_all(store, tmp_path, kind, when, ended):
    EvidenceStore(store, make=True).close()
    other = tmp_path / "other.sqlite"
    other.write_bytes(store.read_bytes())
    command = [sys.executable, "-P", "-c", KILLED, str(store), kind, when]
    folder = Path(__file__).parents[2]
    environment = os.environ | {"PYTHONPATH": str(folder)}
    assert subprocess.run(command, cwd=folder, env=environment, capture_output=True).returncode == -9
    assert len(read_watches(store)[0].nights) == ended
    found = watch(Blocks, store=store, nights=2 - ended, **FEW)
    undisturbed = watch(Blocks, store=other, nights=2, **FEW)
    assert counts(found) == counts(undisturbed)
    assert [night.lost for night in found.nights] == [None, None]
