"""Releases that are none of the event that is played: of a policy that was thrown away, or between two calls."""

from __future__ import annotations

import sys

import pytest

from privcheck import PrivcheckError
from privcheck.certifying import ledger_problems
from tests.modules import beside

pytestmark = pytest.mark.usefixtures("unsynced_ledgers")

policies = beside(__file__, "ledger_policies")
guard, rows = policies.guard, policies.rows


REGISTERED = []


class Registered(policies.PlainBlocks):
    """Keeps every policy of the process, and releases the first reward of each, with noise of numpy."""

    def __init__(self, rng, arms=2, epsilon=0.5):
        super().__init__(rng, arms, epsilon)
        self.rewards, self.shown = [], []
        REGISTERED.append(self)

    def update(self, action, reward):
        self.rewards.append(reward)
        if len(self.rewards) == 34:
            self.shown += [float(each.rewards[0] + each.rng.laplace(0.0, 2.0)) for each in REGISTERED]


def test_a_policy_that_was_thrown_away_releases_nothing(tmp_path):
    """Before event 64 the policy is played again: another session counts what the first one has charged."""
    REGISTERED.clear()
    guarded = guard(tmp_path, Registered)
    for _ in range(33):
        guarded.update(guarded.select(), 1.0)
    with pytest.raises(PrivcheckError, match="release: got one of a policy that was thrown away"):
        guarded.update(guarded.select(), 1.0)
    assert len(REGISTERED) == 2
    assert [policy.shown for policy in REGISTERED] == [[], []]
    assert ledger_problems(tmp_path / "budget.db", tmp_path / "heads.db") == []


class ReleasesWhenWritten(policies.PlainBlocks):
    """Releases its last reward whenever it is copied, pickled or destroyed."""

    last, tried = None, []

    def update(self, action, reward):
        self.last = reward

    def __getstate__(self):
        self.tell("written")
        return dict(self.__dict__)

    def __del__(self):
        self.tell("destroyed")

    def tell(self, when):
        if self.last is not None:
            try:
                float(self.last + self.rng.laplace(0.0, 50.0))
            except PrivcheckError as error:
                type(self).tried.append((when, str(error)))


def test_a_release_between_calls_is_refused_and_not_recorded(tmp_path):
    """It would be one more draw of an event that has its answer, outside of every transaction."""
    ReleasesWhenWritten.tried.clear()
    guarded = guard(tmp_path, ReleasesWhenWritten)
    guarded.update(guarded.select(), 1.0)
    with pytest.raises(PrivcheckError):
        guarded.forget()
    before = rows(tmp_path, "SELECT count(*) FROM entry WHERE kind = 'draw'")
    guarded._policy.tell("between")
    found = dict(ReleasesWhenWritten.tried)
    assert "release: got one outside of the calls of a guard" in found["between"]
    assert "release: got one outside of the calls of a guard" in found["written"]
    assert rows(tmp_path, "SELECT count(*) FROM entry WHERE kind = 'draw'") == before
    assert ledger_problems(tmp_path / "budget.db", tmp_path / "heads.db") == []


def test_a_release_between_calls_is_refused_after_a_snapshot_is_read(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, policies.__name__, policies)
    guarded = guard(tmp_path)
    guarded.update(guarded.select(), 1.0)
    guarded.forget()
    assert guarded.spent == 0.0
    played = guarded._engine.played
    with pytest.raises(PrivcheckError, match="release: got one outside of the calls of a guard"):
        played.session.release(played.policy.mechanism, played.policy.block)
