"""Who receives the reward is decided by binding, not by names: a raw branch that never ran is never granted."""

from __future__ import annotations

import sys

import pytest

from privcheck import certify
from tests.modules import beside

spellings = beside(__file__, "spellings")

RAW, RELEASED = "int((X) > 0.5)", "int(noisy(X) > 0.5)"


def certificate(name, folder, monkeypatch, *, late, raw):
    for file, content in spellings.text(name, late=late, raw=raw).items():
        (folder / file).write_text(content, encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "helpers", raising=False)
    return certify(f"{folder / 'policy.py'}:Policy", epsilon=1.0, arms=2, horizon=8, runs=2)


def test_there_are_enough():
    assert len(spellings.PROGRAMS) >= 50


@pytest.mark.parametrize("name", spellings.PROGRAMS)
def test_a_raw_branch_that_never_ran_is_not_granted(name, tmp_path, monkeypatch):
    found = certificate(name, tmp_path, monkeypatch, late=40, raw=RAW)
    assert not found.granted
    assert found.leaks == []
    assert any("> 0.5" in line.text for line in found.unreached)


@pytest.mark.parametrize("name", spellings.PROGRAMS)
def test_the_same_branch_is_a_leak_when_it_runs(name, tmp_path, monkeypatch):
    found = certificate(name, tmp_path, monkeypatch, late=2, raw=RAW)
    assert found.leaks
    assert not found.granted


@pytest.mark.parametrize("name", spellings.PROGRAMS)
def test_a_twin_that_releases_is_granted(name, tmp_path, monkeypatch):
    found = certificate(name, tmp_path, monkeypatch, late=2, raw=RELEASED)
    assert (found.unreached, found.notes, found.leaks, found.refusals) == ([], [], [], [])
    assert found.granted
