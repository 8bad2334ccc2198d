"""Settings of arithmetic, of which each thread has its own: a policy finds what it has set itself."""

from __future__ import annotations

import contextvars
import decimal
import logging
import os
import random
import signal
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from privcheck import PrivcheckError
from privcheck.certifying._recorded import process_settings, snapshots
from privcheck.certifying._recorded.process_settings import ProcessSettings
from tests.modules import beside

policies = beside(__file__, "ledger_policies")
close, guard, rows = policies.close, policies.guard, policies.rows


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr("privcheck.journal._databases.DURABLE", ("journal_mode = WAL", "synchronous = OFF"))
    monkeypatch.setitem(sys.modules, policies.__name__, policies)


@pytest.fixture(autouse=True)
def settings():
    """Give the settings of this thread back."""
    with decimal.localcontext(), np.errstate():
        yield


class Precise(policies.Blocks):
    """Sets how many digits and which errors there are."""

    def __init__(self, rng, arms=2, epsilon=0.5):
        super().__init__(rng, arms, epsilon)
        decimal.getcontext().prec = 50
        np.seterr(divide="raise")

    def select(self):
        try:
            np.float64(1.0) / np.float64(0.0)
        except FloatingPointError:
            return int(len(str(decimal.Decimal(1) / 3)) > 40)
        return 0


class Plain(policies.Blocks):
    """Loses a number that is too small."""

    def select(self):
        return int(np.float64(1e-300) * np.float64(1e-300) == len(str(decimal.Decimal(1) / 3)) - 30)


@pytest.mark.parametrize(("events", "forgets"), [(4, False), (20, False), (4, True)])
def test_a_policy_finds_its_own_settings_in_every_thread(tmp_path, monkeypatch, events, forgets):
    monkeypatch.setattr(snapshots, "EVERY", 10)
    guarded = guard(tmp_path, Precise)
    with ThreadPoolExecutor(1) as thread:
        found = [thread.submit(guarded.select).result() for _ in range(events)]
        if forgets:
            guarded.forget()
        again = guard(tmp_path, Precise)
        assert [*found, guarded.select(), again.select(), thread.submit(again.select).result()] == [1] * (events + 3)
    assert (decimal.getcontext().prec, np.geterr()["divide"]) == (28, "warn")
    for each in (guarded, again):
        close(each)


def test_the_settings_of_a_service_are_not_those_of_its_policy(tmp_path):
    """They hold in the thread that starts, which plays the policy again, and not in those that serve."""
    decimal.getcontext().prec = 5
    np.seterr(all="raise")
    guarded = guard(tmp_path, Plain)
    with ThreadPoolExecutor(1) as thread:
        assert [thread.submit(guarded.select).result() for _ in range(3)] == [1] * 3
    close(guarded)
    again = guard(tmp_path, Plain)
    assert again.select() == 1
    assert decimal.getcontext().prec == 5
    close(again)


class Printed(policies.PlainBlocks):
    """Sets how numpy prints, calculates and warns."""

    def __init__(self, rng, arms=2, epsilon=0.5):
        super().__init__(rng, arms, epsilon)
        np.set_printoptions(precision=3)
        np.setbufsize(256)
        np.seterrcall(print)

    def select(self):
        return int((str(np.ones(1) / 3), np.getbufsize(), np.geterrcall()) == ("[0.333]", 256, print))


def test_a_snapshot_has_the_other_settings_of_numpy_too(tmp_path):
    """Those of printing are the context's since numpy 2.2, and the process's before."""
    with np.printoptions():
        guarded = guard(tmp_path, Printed)
        assert guarded.select() == 1
        guarded.forget()
        close(guarded)
        again = guard(tmp_path, Printed)
        assert again.select() == 1
        close(again)


COUNT = contextvars.ContextVar("count", default=0)


class Counts(policies.PlainBlocks):
    """Counts in a context variable, which its own context has from call to call."""

    def select(self):
        COUNT.set(COUNT.get() + 1)
        return COUNT.get() % 2


def test_a_policy_that_keeps_something_in_a_context_variable_has_no_snapshot(tmp_path, monkeypatch):
    monkeypatch.setattr(snapshots, "EVERY", 3)
    guarded = guard(tmp_path, Counts)
    answers = [guarded.select() for _ in range(5)]
    with pytest.raises(PrivcheckError, match="sets the context variable 'count'"):
        guarded.forget()
    close(guarded)
    again = guard(tmp_path, Counts)
    assert [*answers, again.select()] == [1, 0] * 3
    ((problem,),) = rows(tmp_path, "SELECT problem FROM snapshot")
    assert "count" in problem


def set_options():
    pytest.importorskip("pandas").set_option("display.max_rows", 7)


def options_are_set():
    return pytest.importorskip("pandas").get_option("display.max_rows") == 7


def filters_are_set():
    try:
        warnings.warn("", FutureWarning, stacklevel=2)
    except FutureWarning:
        return True
    return False


def level_of(name):
    return logging.getLogger(name).level


HERE = Path(__file__).parent
SETS = {
    "warnings.filters": (lambda: warnings.simplefilter("error", FutureWarning), filters_are_set),
    "os.environ": (lambda: os.environ.update(DEPTH="3"), lambda: os.environ.get("DEPTH") == "3"),
    "recursion limit": (lambda: sys.setrecursionlimit(2345), lambda: sys.getrecursionlimit() == 2345),
    "os.chdir": (lambda: os.chdir(HERE), lambda: Path.cwd() == HERE),
    "sys.path": (lambda: sys.path.insert(0, "somewhere"), lambda: sys.path[0] == "somewhere"),
    "pandas": (set_options, options_are_set),
    "logging": (lambda: logging.getLogger("tests.some").setLevel(7), lambda: level_of("tests.some") == 7),
    "logging of all": (lambda: logging.getLogger().setLevel(7), lambda: level_of(None) == 7),
    "logging.disable": (lambda: logging.disable(7), lambda: logging.root.manager.disable == 7),
    "random": (lambda: random.seed(3), lambda: False),
    "numpy.random": (lambda: np.random.seed(3), lambda: False),  # noqa: NPY002
}  # fmt: skip


class Sets(policies.Blocks):
    """Sets something for the whole process, and answers whether it is set."""

    what, late = "", False

    def __init__(self, rng, arms=2, epsilon=0.5):
        super().__init__(rng, arms, epsilon)
        if self.what and not self.late:
            SETS[self.what][0]()

    def select(self):
        return int(SETS[self.what][1]())

    def update(self, action, reward):
        super().update(action, reward)
        if self.late and self.count == 2:
            SETS[self.what][0]()


@pytest.fixture
def anew(monkeypatch):
    """Return what makes the settings of the process those of a new one."""
    monkeypatch.setitem(sys.modules, __name__, sys.modules[__name__])
    monkeypatch.delenv("DEPTH", raising=False)
    states, limit = (random.getstate(), np.random.get_state()), sys.getrecursionlimit()  # noqa: NPY002
    folder, level = Path.cwd(), level_of(None)

    def begin():
        os.environ.pop("DEPTH", None)
        sys.path[:] = [each for each in sys.path if each != "somewhere"]
        os.chdir(folder)
        sys.setrecursionlimit(limit)
        warnings.resetwarnings()
        warnings.simplefilter("ignore")
        if "pandas" in sys.modules:
            sys.modules["pandas"].reset_option("display.max_rows")
        logging.disable(logging.NOTSET)
        logging.getLogger().setLevel(level)
        logging.getLogger("tests.some").setLevel(logging.NOTSET)
        monkeypatch.setattr(process_settings, "_OF", {})

    with warnings.catch_warnings():
        begin()
        yield begin
        begin()
    random.setstate(states[0])
    np.random.set_state(states[1])  # noqa: NPY002


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("what", [name for name in SETS if "random" not in name])
def test_what_a_policy_sets_for_the_whole_process_is_there_after_it_has_forgotten(
    tmp_path, monkeypatch, anew, what, late
):
    """A start from a snapshot does not call the constructor; the second one goes on from a snapshot of the first."""
    monkeypatch.setattr(Sets, "what", what)
    monkeypatch.setattr(Sets, "late", late)
    guarded = guard(tmp_path, Sets)
    for _ in range(4):
        guarded.update(guarded.select(), 1.0)
    for _ in range(2):
        assert (guarded.select(), guarded.forget() > 0) == (1, True)
        close(guarded)
        anew()
        assert not SETS[what][1]()
        guarded = guard(tmp_path, Sets)
    assert guarded.select() == 1
    close(guarded)


class Moves(policies.Blocks):
    """Goes to a folder, where the path of its ledger is another one, and sets something else there."""

    def __init__(self, rng, arms=2, epsilon=0.5):
        super().__init__(rng, arms, epsilon)
        os.chdir(HERE)
        sys.setrecursionlimit(2345)

    def select(self):
        return int(sys.getrecursionlimit() == 2345)


def test_what_a_policy_sets_is_kept_where_it_goes_to_another_folder(tmp_path, monkeypatch, anew):
    """The second time that it is built, all of it is set already."""
    monkeypatch.chdir(tmp_path)
    guarded = guard(tmp_path, Moves, ledger="budget.db")
    with monkeypatch.context() as patch:
        patch.setattr(Moves, "select", lambda self: signal.raise_signal(signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):
            guarded.select()
    assert (guarded.select(), guarded.forget() > 0) == (1, True)
    close(guarded)
    anew()
    monkeypatch.chdir(tmp_path)
    again = guard(tmp_path, Moves, ledger="budget.db")
    assert (again.select(), Path.cwd()) == (1, HERE)
    close(again)


def test_a_snapshot_without_what_was_set_for_the_process_is_noticed(tmp_path, monkeypatch, anew):
    monkeypatch.setattr(ProcessSettings, "set_again", lambda self, said: None)
    with pytest.raises(AssertionError):
        test_what_a_policy_sets_for_the_whole_process_is_there_after_it_has_forgotten(
            tmp_path, monkeypatch, anew, "os.environ", late=False
        )


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("what", ["random", "numpy.random"])
def test_a_policy_that_seeds_a_generator_of_the_process_has_no_snapshot(tmp_path, monkeypatch, anew, what, late):
    """Its state is that of everybody, and the policy would go on in another way."""
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    monkeypatch.setattr(Sets, "what", what)
    monkeypatch.setattr(Sets, "late", late)
    guarded = guard(tmp_path, Sets)
    for _ in range(2):
        guarded.update(guarded.select(), 1.0)
    with pytest.raises(PrivcheckError, match=f"without a snapshot: it seeds {what}, or draws from it"):
        guarded.forget()
    close(guarded)
    monkeypatch.setattr(threading, "active_count", lambda: 2)
    guarded = guard(tmp_path, Sets)
    assert guarded.forget() > 0, "another thread may have drawn"
    close(guarded)


def test_filters_of_warnings_are_set_again_in_their_order():
    settings, other = ProcessSettings(), ProcessSettings()
    with warnings.catch_warnings():
        before = [*warnings.filters]
        with settings.watched():
            warnings.filterwarnings("error", "some.*", FutureWarning, "other")
            warnings.simplefilter("ignore", ResourceWarning)
        after = [*warnings.filters]
        warnings.filters[:] = before
        other.set_again(settings.said())
        assert warnings.filters == after
        with settings.watched():
            warnings.resetwarnings()
            warnings.simplefilter("once")
        after = [*warnings.filters]
        warnings.filters[:] = before
        ProcessSettings().set_again(settings.said())
        assert warnings.filters == after


def test_what_others_set_is_in_no_snapshot(tmp_path, monkeypatch, anew):
    """Another thread of the service while the policy is called, and the policy of another scope of the process."""

    class OfAnother(Sets):
        def select(self):
            other = threading.Thread(target=lambda: os.environ.update(SECRET="of the service"))
            other.start()
            other.join()
            return super().select()

    monkeypatch.setenv("SECRET", "before")
    monkeypatch.setattr(Sets, "what", "os.environ")
    setting = guard(tmp_path / "one", Sets)
    quiet = guard(tmp_path / "other", policies.Blocks)
    watched = guard(tmp_path / "third", OfAnother)
    for each in (setting, quiet, watched):
        each.update(each.select(), 1.0)
    assert os.environ["SECRET"] == "of the service"
    os.environ["DEPTH"] = "of the service"
    said = [each._engine.played.settings.said()["environ"] for each in (setting, quiet, watched)]
    assert said == [{"DEPTH": "3"}, {}, {"DEPTH": "3"}]
    for each in (setting, quiet, watched):
        close(each)


def test_a_folder_that_is_there_no_more_is_named(tmp_path, monkeypatch):
    """What went before is forgotten then, and nothing else says why the scope does not open."""
    monkeypatch.chdir(tmp_path)
    gone = tmp_path / "gone"
    said = ProcessSettings().said()
    with pytest.raises(PrivcheckError, match=r"a snapshot after os.chdir\('.*gone'\), which fails now: .*No such file"):
        ProcessSettings().set_again({**said, "values": {"os.chdir": str(gone)}})


def test_ctrl_c_where_a_call_begins_to_be_watched_stays_what_it_is(monkeypatch):
    def rings():
        raise KeyboardInterrupt

    monkeypatch.setattr(process_settings, "_own_changes", lambda *_: rings())
    with pytest.raises(KeyboardInterrupt), ProcessSettings().watched():
        pass
