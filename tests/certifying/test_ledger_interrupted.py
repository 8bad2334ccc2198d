"""Calls that a signal ends: a time limit of the service, Ctrl-C at any place, another worker that holds the file."""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

import privcheck
from privcheck.certifying import _execution, _session, ledger_problems
from privcheck.certifying._recorded import frozen_state, snapshots
from privcheck.errors import GuardClosedError
from privcheck.journal import SqliteJournal
from privcheck.scheduling import Database, Refusal
from tests.modules import beside

policies = beside(__file__, "ledger_policies", registered=True)
close, guard, rows = policies.close, policies.guard, policies.rows

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    """Let snapshots find the policies by name: other files load that module, too."""
    monkeypatch.setitem(sys.modules, policies.__name__, policies)


class TooSlowError(Exception):
    """What a time limit of a service raises, as those of task queues do."""


class Alarms:
    """Raises an error from the handler of a signal, as a time limit does.

    Parameters
    ----------
    error : its class.
    """

    def __init__(self, error):
        self.error, self.before = error, signal.getsignal(signal.SIGUSR1)

    def __enter__(self):
        signal.signal(signal.SIGUSR1, self.ring)
        return self

    def __exit__(self, *_):
        signal.signal(signal.SIGUSR1, self.before)

    def ring(self, *_):
        """Handle the signal."""
        raise self.error("the request took too long")


class Slow(policies.Blocks):
    """Is interrupted in the middle of a call, where `when` says."""

    when = ""

    def select(self):
        self.stop("select")
        return super().select()

    def update(self, action, reward):
        super().update(action, reward)
        self.stop("update")

    def stop(self, where):
        """Be interrupted here."""
        if where == os.environ.get("INTERRUPTED"):
            signal.raise_signal(signal.SIGUSR1)


class Wraps(Slow):
    """Raises another error in place of any that it meets."""

    def stop(self, where):
        try:
            super().stop(where)
        except Exception as error:
            raise RuntimeError("the policy failed") from error


@pytest.mark.parametrize("policy", [Slow, Wraps])
@pytest.mark.parametrize("where", ["select", "update"])
def test_a_time_limit_in_a_call_is_no_answer(tmp_path, monkeypatch, where, policy):
    """It is no error of the policy, which would close the guard, and which no restart would find again."""
    guarded = guard(tmp_path, policy)
    guarded.update(guarded.select(), 1.0)
    monkeypatch.setenv("INTERRUPTED", where)
    with Alarms(TooSlowError), pytest.raises((TooSlowError, RuntimeError)):
        guarded.update(guarded.select(request_id="e2"), 1.0, request_id="e2")
    monkeypatch.delenv("INTERRUPTED")
    arm = guarded.select(request_id="e2")
    guarded.update(arm, 1.0, request_id="e2")
    assert rows(tmp_path, "SELECT count(*) FROM entry WHERE kind = 'draw'") == [(1,)]
    close(guarded)
    again = guard(tmp_path, policy)
    assert (again.select(request_id="e2"), again._policy.count) == (arm, 2)


class Deep(policies.Blocks):
    """Calls itself, a hundred times."""

    def select(self):
        return self.after(100)

    def after(self, calls):
        """Return an arm after so many calls."""
        return self.after(calls - 1) if calls else super().select()


def test_a_stack_that_is_deep_where_the_guard_is_called_is_no_error_of_the_policy(tmp_path):
    """A restart, or another worker, calls it from somewhere else."""
    guarded = guard(tmp_path, Deep)
    arms = [guarded.select()]

    failed = []

    def from_below():
        """Ask at each depth, from the deepest up, until there is room for the policy."""
        try:
            return from_below()
        except RecursionError as error:
            failed.append(error)
            return guarded.select(request_id="e1")

    arms.append(from_below())
    assert len(failed) > 100
    close(guarded)
    assert guard(tmp_path, Deep).select(request_id="e1") == arms[1]


def test_an_error_of_the_policy_is_an_answer_beside_a_handler(tmp_path):
    """The same error without a signal closes the guard, as any other of the policy's."""
    with Alarms(ValueError):
        guarded = guard(tmp_path, policies.Fails)
        guarded.update(guarded.select(), 1.0)
        guarded.update(guarded.select(), 1.0)
        with pytest.raises(ValueError, match="no such arm"):
            guarded.update(guarded.select(), 1.0)
        with pytest.raises(GuardClosedError):
            guarded.select()


def test_an_error_of_the_policy_is_an_answer_where_a_time_limit_is_handled(tmp_path):
    """The service calls the guard after a time limit: that one led to the call, and not to the error."""
    guarded = guard(tmp_path, policies.Fails)
    with Alarms(TooSlowError):
        for _ in range(2):
            guarded.update(guarded.select(), 1.0)
        try:
            signal.raise_signal(signal.SIGUSR1)
        except TooSlowError:
            with pytest.raises(ValueError, match="no such arm"):
                guarded.update(guarded.select(), 1.0)
        with pytest.raises(GuardClosedError):
            guarded.select()


def test_a_time_limit_in_a_draw_is_no_failure_of_the_mechanism(tmp_path, monkeypatch):
    """A failure is recorded as the output, for ever; the draw that was interrupted is made when it is asked again."""
    guarded, hidden = guard(tmp_path), _session._hidden
    guarded.update(guarded.select(), 1.0)
    arm = guarded.select()

    def interrupted(*given):
        signal.raise_signal(signal.SIGUSR1)
        return hidden(*given)

    with Alarms(TooSlowError), pytest.MonkeyPatch.context() as patch:
        patch.setattr(_session, "_hidden", interrupted)
        with pytest.raises(TooSlowError):
            guarded.update(arm, 1.0, request_id="e2")
    guarded.update(arm, 1.0, request_id="e2")
    assert rows(tmp_path, "SELECT count(*) FROM entry WHERE kind = 'draw'") == [(1,)]
    assert guarded.spent == 0.5


@pytest.mark.parametrize("error", [TimeoutError, TooSlowError, KeyboardInterrupt])
def test_a_time_limit_while_another_worker_holds_the_file_leaves_no_transaction_open(tmp_path, error):
    """The signal is handled where SQLite has just got the lock; the error may be one of the system's, by its class."""
    guarded = guard(tmp_path)
    other = sqlite3.connect(Path(tmp_path, "budget.db"), isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGUSR1)).start()
    threading.Timer(0.3, other.execute, ("ROLLBACK",)).start()
    with Alarms(error), pytest.raises(BaseException):  # noqa: B017 - which of them is another matter
        guarded.select(request_id="e1")
    other.execute("BEGIN IMMEDIATE")  # nobody holds it
    other.execute("ROLLBACK")
    other.close()
    assert guarded.select(request_id="e1") in (0, 1)


def test_a_fork_after_a_change_of_folder_finds_the_files(tmp_path, monkeypatch):
    """A service that becomes a daemon goes to another folder, and its workers have connections of their own."""
    monkeypatch.chdir(tmp_path)
    guarded = guard("")
    arm = guarded.select(request_id="e1")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    child = os.fork()
    if not child:
        failed = 1
        try:
            failed = int(guarded.select(request_id="e1") != arm)
        finally:
            os._exit(failed)
    assert (os.waitpid(child, 0)[1], list(elsewhere.iterdir())) == (0, [])


def test_a_fork_waits_until_no_thread_is_in_sqlite(tmp_path, monkeypatch):
    """SQLite has locks of the process: in a child nobody would give them back, and it would wait for ever."""
    guarded, show, shown = guard(tmp_path), SqliteJournal.show, []
    entered = threading.Event()

    def slowly(self, *given):
        entered.set()
        time.sleep(0.2)
        shown.append(show(self, *given))

    monkeypatch.setattr(SqliteJournal, "show", slowly)
    thread = threading.Thread(target=guarded.select)
    thread.start()
    entered.wait()
    child = os.fork()
    if not child:
        os._exit(int(not shown))
    thread.join()
    assert os.waitpid(child, 0)[1] == 0


def test_a_database_is_found_from_another_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refusal = Refusal(Path(), "store", "a folder that can be written", "")
    database = Database(Path("seen.sqlite"), refusal, ["CREATE TABLE seen (round INTEGER)"])
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    other = database.another()
    assert other.rows("SELECT count(*) FROM seen") == [(0,)]
    other.close()
    database.close()


def test_a_ledger_is_a_file_whatever_its_name_says_to_sqlite(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    guarded = guard(tmp_path, ledger=":memory:")
    arm = guarded.select(request_id="e1")
    close(guarded)
    assert guard(tmp_path, ledger=":memory:").select(request_id="e1") == arm


class ByContext(policies.Blocks):
    """Chooses by a context."""

    def select(self, context):
        return int(context[0] > 0.5)

    def update(self, context, action, reward):
        self.count += 1


def test_a_time_limit_in_a_contextual_select_is_no_answer(tmp_path, monkeypatch):
    """Its error reaches the caller as text alone, as all errors there do."""
    contexts = privcheck.Contexts(shape=(1,))
    options = {"feedback": "contextual", "contexts": contexts, "neighbours": "context-reward"}
    guarded = guard(tmp_path, ByContext, **options)
    with Alarms(TooSlowError), monkeypatch.context() as patch:
        patch.setattr(_execution, "select_apart", lambda *_: signal.raise_signal(signal.SIGUSR1))
        with pytest.raises(InterruptedError, match="a signal ended select"):
            guarded.select([1.0], request_id="e1")
    assert guarded.select([1.0], request_id="e1") == 1
    guarded.update([1.0], 1, 1.0, request_id="e1")
    close(guarded)
    assert guard(tmp_path, ByContext, **options).select([1.0], request_id="e1") == 1


def test_ctrl_c_in_a_contextual_select_is_no_answer(tmp_path, monkeypatch):
    """A `KeyboardInterrupt` that the policy raises is one: see `test_contextual_persons.py`."""
    options = {"feedback": "contextual", "contexts": privcheck.Contexts(shape=(1,)), "neighbours": "context-reward"}
    guarded = guard(tmp_path, ByContext, **options)
    with monkeypatch.context() as patch:
        patch.setattr(_execution, "select_apart", lambda *_: signal.raise_signal(signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):
            guarded.select([1.0], request_id="e1")
    assert guarded.select([1.0], request_id="e1") == 1


class Interrupted(ByContext):
    """Is interrupted by Ctrl-C where no statement raises anything: in a loop, or in a function in C."""

    kind = ""

    def select(self, context):
        while self.kind == "in a loop":
            pass
        if self.kind == "in C":
            time.sleep(20.0)
        return super().select(context)


@pytest.mark.filterwarnings("ignore:.*time.sleep")
@pytest.mark.parametrize("kind", ["in C", "in a loop"])
def test_ctrl_c_is_no_answer_wherever_a_contextual_select_is(tmp_path, monkeypatch, kind):
    options = {"feedback": "contextual", "contexts": privcheck.Contexts(shape=(1,)), "neighbours": "context-reward"}
    guarded = guard(tmp_path, Interrupted, **options)
    monkeypatch.setattr(Interrupted, "kind", kind)
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        guarded.select([1.0], request_id="e1")
    monkeypatch.undo()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert rows(tmp_path, "SELECT 1 FROM entry WHERE kind = 'select'") == []
    assert guarded.select([1.0], request_id="e1") == 1


class Rings:
    """Lets a signal arrive where functions of a module begin, and before each instruction of theirs, one at a time.

    Parameters
    ----------
    number : of the moment, from 0.
    file : the name of its file.
    instructions : whether moments within functions count.
    """

    def __init__(self, number, file, *, instructions):
        self.left, self.file, self.instructions = number, file, instructions

    def enters(self, frame, event, arg):
        if Path(frame.f_code.co_filename).name != self.file:
            return None
        frame.f_trace_opcodes = self.instructions
        return self.goes_on(frame, event, arg)

    def goes_on(self, frame, event, arg):
        del frame, arg
        if event in ("call", "opcode"):
            self.left -= 1
            if self.left == -1:
                signal.raise_signal(signal.SIGUSR1)
        return self.goes_on


def rung(number, call, file, *, instructions=False):
    """Call with a signal at a moment, and return whether there was such a moment."""
    before, rings = sys.gettrace(), Rings(number, file, instructions=instructions)
    with Alarms(TooSlowError), suppress(TooSlowError):
        sys.settrace(rings.enters)
        try:
            call()
        finally:
            sys.settrace(before)
    return rings.left < 0


def test_a_time_limit_where_a_call_begins_or_ends_keeps_nobody_out(tmp_path, unsynced_ledgers):
    guarded, found, number = guard(tmp_path), [], 0

    def select():
        found.append(guarded.select(request_id=f"e{number}"))

    while rung(number, select, "_calls.py", instructions=True):
        before, other = len(found), threading.Thread(target=select, daemon=True)
        other.start()
        other.join(20.0)
        assert len(found) == before + 1, f"moment {number}"
        number += 1
    assert number > 8


def test_a_time_limit_where_a_transaction_ends_leaves_none_open(tmp_path, unsynced_ledgers):
    guarded, number, moments = guard(tmp_path), 0, []
    other = sqlite3.connect(tmp_path / "budget.db", timeout=0.0, isolation_level=None)

    def select():
        return guarded.select(request_id=f"e{number}")

    while rung(number, select, "_sqlite_files.py"):
        other.execute("BEGIN IMMEDIATE")  # nobody holds it
        other.execute("ROLLBACK")
        moments.append(select())
        number += 1
    assert number > 20
    other.close()
    assert ledger_problems(tmp_path / "budget.db", tmp_path / "heads.db") == []


@pytest.mark.parametrize("where", ["digest", "frozen", "Thawed"])
def test_a_time_limit_where_a_snapshot_is_made_or_read_is_no_property_of_the_policy(tmp_path, monkeypatch, where):
    """Its code was then one that cannot be compared, and a scope that had forgotten did not open."""

    def tells(guarded):
        guarded.update(guarded.select(), 1.0)
        return guarded.forget()

    def rings(*_, **__):
        signal.raise_signal(signal.SIGUSR1)

    guarded = guard(tmp_path)
    assert tells(guarded) > 0
    close(guarded)
    with Alarms(TooSlowError), monkeypatch.context() as patch:
        guarded = guard(tmp_path) if where == "frozen" else None
        patch.setattr(snapshots, where, rings)
        with pytest.raises(TooSlowError):
            tells(guarded or guard(tmp_path))
    guarded = guarded or guard(tmp_path)
    assert tells(guarded) > 0
    close(guarded)


class RingsItself(policies.Blocks):
    """Has the handler among its methods, which are translated while it is guarded, but not where they are hashed."""

    def update(self, action, reward):
        super().update(action, self.ring() if reward is None else reward)

    def ring(self, *_):
        """Handle the signal."""
        if abs(self.block) < 0.0:
            return self.block
        raise TooSlowError("the request took too long")


def test_a_handler_that_is_translated_is_known_where_it_is_not(tmp_path, monkeypatch):
    guarded = guard(tmp_path, RingsItself)
    before = signal.signal(signal.SIGUSR1, guarded._policy.ring)
    try:
        with monkeypatch.context() as patch:
            patch.setattr(snapshots, "digest", lambda policy: signal.raise_signal(signal.SIGUSR1))
            with pytest.raises(TooSlowError):
                guarded.forget()
    finally:
        signal.signal(signal.SIGUSR1, before)
    close(guarded)


def test_a_time_limit_where_the_cause_is_written_is_no_property_of_it():
    class Cause(Exception):
        def __reduce__(self):
            signal.raise_signal(signal.SIGUSR1)
            return super().__reduce__()

    with Alarms(TooSlowError), pytest.raises(TooSlowError):
        frozen_state._readable(Cause())
