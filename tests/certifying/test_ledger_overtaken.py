"""A worker that takes a snapshot while another one forgets: what is forgotten does not come back with it."""

from __future__ import annotations

import struct
import sys
import zlib

import pytest

from privcheck.certifying import ledger_problems
from privcheck.certifying._recorded.snapshots import Snapshots
from tests.modules import beside

policies = beside(__file__, "ledger_policies")
guard, rows = policies.guard, policies.rows

FIRST = 0.62109375


@pytest.fixture(autouse=True)
def quick(monkeypatch, unsynced_ledgers):
    monkeypatch.setattr("privcheck.certifying._recorded.snapshots.EVERY", 5)
    monkeypatch.setitem(sys.modules, policies.__name__, policies)


def meanwhile(monkeypatch, act):
    """Let something happen after a worker has written down what it holds, and before this is in the ledger."""
    kept = Snapshots._kept

    def slowly(self, *given, **options):
        found = kept(self, *given, **options)
        monkeypatch.setattr(Snapshots, "_kept", kept)
        act()
        return found

    monkeypatch.setattr(Snapshots, "_kept", slowly)


def forgets(folder, other):
    """Release the first reward together with another one, and forget both."""
    other.update(other.select(), 0.5)
    assert other.forget() > 0


def continues(folder, other):
    del other
    new = guard(folder, scope="newer", continues="news")
    assert new.forget() > 0


@pytest.mark.parametrize("act", [forgets, continues])
def test_what_another_worker_forgets_does_not_come_back(tmp_path, monkeypatch, act):
    one, other = guard(tmp_path), guard(tmp_path)
    for _ in range(2):
        one.select()
    one.update(one.select(), FIRST)
    meanwhile(monkeypatch, lambda: act(tmp_path, other))
    one.select()  # after which it takes a snapshot
    kept = b"".join(zlib.decompress(state) for (state,) in rows(tmp_path, "SELECT state FROM snapshot"))
    assert kept
    assert struct.pack(">d", FIRST) not in kept
    assert struct.pack("<d", FIRST) not in kept
    assert ledger_problems(tmp_path / "budget.db", tmp_path / "heads.db") == []
    scope = {"scope": "newer"} if act is continues else {}
    assert guard(tmp_path, **scope).select() in (0, 1)


def test_an_older_snapshot_does_not_take_the_place_of_a_newer_one(tmp_path, monkeypatch):
    one, other = guard(tmp_path), guard(tmp_path)
    for _ in range(4):
        one.select()
    meanwhile(monkeypatch, lambda: [other.select() for _ in range(6)])
    one.select()
    ((fifth,),) = rows(tmp_path, "SELECT number FROM entry WHERE event = 5")
    ((number,),) = rows(tmp_path, "SELECT number FROM snapshot")
    assert number > fifth
