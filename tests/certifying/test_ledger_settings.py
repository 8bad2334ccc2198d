"""Settings of arithmetic, of which each thread has its own: a policy finds what it has set itself."""

from __future__ import annotations

import decimal
import importlib.util
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from privcheck.certifying._recorded import snapshots

_spec = importlib.util.spec_from_file_location("ledger_policies", Path(__file__).with_name("ledger_policies.py"))
policies = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(policies)
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
