"""Settings of arithmetic, of which each thread has its own: a policy finds what it has set itself."""

from __future__ import annotations

import contextvars
import decimal
import os
import random
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from privcheck import PrivcheckError
from privcheck.certifying._recorded import snapshots
from privcheck.certifying._recorded.policy_builder import PolicyBuilder
from tests.modules import beside

policies = beside(__file__, "ledger_policies")
close, guard, rows = policies.close, policies.guard, policies.rows


@pytest.fixture(autouse=True)
def quick(monkeypatch, unsynced_ledgers):
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


HERE = Path(__file__).parent
SETS = {
    "warnings.filters": (lambda: warnings.simplefilter("error", FutureWarning), filters_are_set),
    "os.environ": (lambda: os.environ.update(DEPTH="3"), lambda: os.environ.get("DEPTH") == "3"),
    "recursion limit": (lambda: sys.setrecursionlimit(2345), lambda: sys.getrecursionlimit() == 2345),
    "os.chdir": (lambda: os.chdir(HERE), lambda: Path.cwd() == HERE),
    "sys.path": (lambda: sys.path.insert(0, "somewhere"), lambda: sys.path[0] == "somewhere"),
    "pandas": (set_options, options_are_set),
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
    folder = Path.cwd()

    def begin():
        os.environ.pop("DEPTH", None)
        sys.path[:] = [each for each in sys.path if each != "somewhere"]
        os.chdir(folder)
        sys.setrecursionlimit(limit)
        warnings.resetwarnings()
        warnings.simplefilter("ignore")
        if "pandas" in sys.modules:
            sys.modules["pandas"].reset_option("display.max_rows")

    with warnings.catch_warnings():
        begin()
        yield begin
        begin()
    random.setstate(states[0])
    np.random.set_state(states[1])  # noqa: NPY002


@pytest.mark.parametrize("what", [name for name in SETS if "random" not in name])
def test_what_a_constructor_sets_for_the_whole_process_is_there_after_it_has_forgotten(
    tmp_path, monkeypatch, anew, what
):
    """A policy from a snapshot is not constructed; the second one goes on from a snapshot of the first."""
    monkeypatch.setattr(Sets, "what", what)
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


def test_a_snapshot_without_what_was_set_for_the_process_is_noticed(tmp_path, monkeypatch, anew):
    monkeypatch.setattr(PolicyBuilder, "_construct_aside", lambda self, coins: None)
    with pytest.raises(AssertionError):
        test_what_a_constructor_sets_for_the_whole_process_is_there_after_it_has_forgotten(
            tmp_path, monkeypatch, anew, "os.environ"
        )


class Deployed(policies.Blocks):
    """Sets what this deployment gives it, and draws and releases in its constructor."""

    def __init__(self, rng, arms=2, epsilon=0.5):
        super().__init__(rng, arms, epsilon)
        os.environ["DEPTH"] = os.environ["PASSWORD"]
        self.first = float(rng.random()) + float(self.mechanism.release(0.0, rng))

    def select(self):
        return int(os.environ["DEPTH"] == "new")


def test_a_constructor_sets_what_the_new_deployment_gives_it(tmp_path, monkeypatch, anew):
    """A rotated password, say; what the constructor draws for it is shown to nobody, and charged to nobody."""
    monkeypatch.setenv("PASSWORD", "old")
    guarded = guard(tmp_path, Deployed)
    for _ in range(4):
        guarded.update(guarded.select(), 1.0)
    spent, first = guarded.spent, guarded._engine.played.policy.first
    guarded.forget()
    close(guarded)
    monkeypatch.setenv("PASSWORD", "new")
    again = guard(tmp_path, Deployed)
    assert (again.spent, again._engine.played.policy.first, again.select()) == (spent, first, 1)
    close(again)
    monkeypatch.delenv("PASSWORD")
    with pytest.raises(KeyError, match="PASSWORD"):
        guard(tmp_path, Deployed)


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
