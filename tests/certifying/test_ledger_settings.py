"""Settings of arithmetic, of which each thread has its own: a policy finds what it has set itself."""

from __future__ import annotations

import contextvars
import decimal
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from privcheck import PrivcheckError
from privcheck.certifying._recorded import snapshots
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
