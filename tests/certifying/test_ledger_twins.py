"""Guards that lack one thing, each of which a test notices; others stand in the file of their test."""

from __future__ import annotations

import json
import math
from contextlib import nullcontext
from fractions import Fraction

import pytest

from privcheck.accounting import BudgetExceededError, BudgetFilter, Charge, in_units
from privcheck.certifying import Session
from privcheck.certifying._recorded.events import Answer
from privcheck.certifying._recorded.values import decoded_charges
from privcheck.journal import SqliteJournal
from privcheck.mechanisms import Laplace
from privcheck.scheduling import Database
from tests.modules import beside

policies, bad_input = beside(__file__, "ledger_policies"), beside(__file__, "test_ledger_bad_input")
processes, recovery = beside(__file__, "test_ledger_processes"), beside(__file__, "test_ledger_recovery")
NOTICED = AssertionError, pytest.fail.Exception


class Tenths(policies.Blocks):
    """Releases the sum of all rewards with a tenth of epsilon, each time."""

    def update(self, action, reward):
        self.count += 1
        self.block += reward
        self.best = int(Laplace(sensitivity=1.0, epsilon=0.1).release(self.block, self.rng) > 1.0)


def check_totals(folder):
    """The total of a datum is the sum of what was charged to it, exactly."""
    guarded = policies.guard(folder, Tenths, epsilon=1.0)
    for _ in range(6):
        guarded.update(guarded.select(), 1.0)
    exact = dict.fromkeys(range(1, 7), Fraction(0))
    for (body,) in policies.rows(folder, "SELECT body FROM entry WHERE kind = 'draw'"):
        for datum, charge in decoded_charges(json.loads(body)["charges"]).items():
            exact[datum] += Fraction(charge.epsilon)
            assert charge.epsilon >= 0.1
    assert {datum: Fraction(total) for datum, total in guarded.ledger.totals.items()} == exact
    assert Fraction(guarded.spent) == exact[1]


def test_totals_are_exact(tmp_path):
    check_totals(tmp_path)


def test_totals_of_floats_are_noticed(tmp_path, monkeypatch):
    """Each sum of floats is rounded, so that the total depends on the order in which it was added up."""
    monkeypatch.setattr("privcheck.certifying._session.in_units", lambda charge: charge)
    with pytest.raises(AssertionError):
        check_totals(tmp_path)


def billionths(charge):
    """Return an epsilon in units of 1e-12, rounded up."""
    return Charge(math.ceil(charge.epsilon * 1e12) / 1e12)


@pytest.mark.parametrize(("units", "fits"), [(in_units, True), (billionths, False)])
def test_equal_shares_of_a_budget_fit(units, fits):
    """In units of 1e-12 the last of 3,000 shares does not."""
    budget, charge = BudgetFilter(1.0), units(Charge(1.0 / 3_000))
    ledger, refused = budget.new_ledger(), 0
    for number in range(3_000):
        try:
            budget.check(ledger, {1: charge}, "bandit.py:7")
        except BudgetExceededError:
            refused += 1
        else:
            ledger.record(number, "laplace", 1.0, {1: 1.0}, {1: charge}, "bandit.py:7")
    assert (refused == 0) is fits


@processes.needs_fork
def test_workers_without_a_lock_are_noticed(tmp_path, monkeypatch):
    """They add entries of one number; `UNIQUE` keeps the second of them out, and its worker ends."""
    policies.guard(tmp_path, per_user=1.0)
    monkeypatch.setattr(Database, "transaction", lambda self: nullcontext())
    monkeypatch.setattr(SqliteJournal, "commit", lambda self: None)
    with pytest.raises(NOTICED):
        processes.test_processes_share_one_order(tmp_path, lambda reduced, _: reduced)


CLOSED = (
    recovery.test_a_closed_guard_stays_closed_after_a_restart,
    recovery.test_a_refused_release_closes_update_for_good,
)


@pytest.mark.parametrize("check", CLOSED)
def test_a_closed_state_that_is_not_recorded_is_noticed(tmp_path, monkeypatch, check):
    """The twin opens again after a restart, in the middle of an update."""
    said = Answer.said.fget
    forgetful = property(lambda self: {**said(self), "closes": []} if self.error is not None else said(self))
    monkeypatch.setattr(Answer, "said", forgetful)
    with pytest.raises((*NOTICED, BudgetExceededError)):
        check(tmp_path)


def test_a_public_draw_that_is_not_recorded_is_noticed(tmp_path, monkeypatch):
    """The twin draws again after a restart, and what the policy did before does not follow from its new draw."""
    drawn = Session.drawn

    def forgetful(self, mechanism, shape, charges, location, draw):
        return drawn(self, mechanism, shape, charges, location, draw) if charges else draw()

    monkeypatch.setattr(Session, "drawn", forgetful)
    with pytest.raises(NOTICED):
        recovery.test_a_public_draw_is_recorded_without_a_charge(tmp_path)
    guarded = policies.guard(tmp_path, policies.Mechanisms, scope="again")
    first = guarded._policy.first
    policies.close(guarded)
    assert policies.guard(tmp_path, policies.Mechanisms, scope="again")._policy.first != first


def test_a_head_that_is_ignored_is_noticed(tmp_path, monkeypatch):
    monkeypatch.setattr("privcheck.journal._ledger_file.head_problem", lambda *_: None)
    with pytest.raises(NOTICED):
        bad_input.test_a_backup_that_is_restored_is_refused_by_its_head(tmp_path)
