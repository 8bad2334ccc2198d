"""Claims: one client a cell, until it ends or does not renew its claim."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from privcheck.sweeps import _cell_store as cell_store
from privcheck.sweeps._cell_store import CellStore
from privcheck.sweeps._play_cell import Played
from privcheck.sweeps._sweep_file import read_cells

CELL = read_cells({"kind": "audit", "targets": ["ucb"]})[0]


@pytest.fixture
def stores():
    with CellStore("store") as first, CellStore("store") as second:
        yield first, second


def test_a_cell_is_claimed_once_and_finished_once(stores):
    first, second = stores
    assert first.claim("key") is True
    assert first.claim("key") is True
    assert second.claim("key") is False
    first.keep("key", CELL, Played(None, {}, "one", 0.1))
    second.keep("key", CELL, Played(None, {}, "two", 0.1))
    assert second.claim("key") is None
    assert first.finished() == {"key": "one"}


def test_a_client_that_leaves_gives_up_its_claims(stores):
    with CellStore("store") as third:
        assert third.claim("key") is True
        assert stores[0].claim("key") is False
    assert stores[0].claim("key") is True


def test_a_claim_expires_unless_it_is_renewed(stores, monkeypatch):
    first, second = stores
    now = time.time()
    monkeypatch.setattr(cell_store.time, "time", lambda: now)
    assert first.claim("key") is True
    now += cell_store.LIFETIME - 1
    assert second.claim("key") is False
    now += 2
    assert second.claim("key") is True
    assert first.claim("key") is False


def test_claims_are_renewed_while_a_cell_is_played(stores, monkeypatch):
    first, second = stores
    monkeypatch.setattr(cell_store, "LIFETIME", 0.4)
    assert first.claim("key") is True
    monkeypatch.setattr(cell_store, "LIFETIME", 3600.0 * 4 * 100)
    renewed = []
    monkeypatch.setattr(first._stop, "wait", lambda _: bool(renewed) or renewed.append(1))
    first._renew()
    time.sleep(0.5)
    assert second.claim("key") is False


def test_the_claim_of_a_process_that_ended_is_anybodys(stores):
    first, second = stores
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    machine, _, name = first.client.rsplit(":", 2)
    first.client = f"{machine}:{ended.pid}:{name}"
    assert first.claim("key") is True
    assert second.claim("key") is True
    first.client = f"elsewhere:{ended.pid}:{name}"
    assert first.claim("other") is True
    assert second.claim("other") is False, "nobody knows what runs on another machine"
