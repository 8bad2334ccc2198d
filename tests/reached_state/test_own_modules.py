"""Whose code loaded modules are, in processes that have loaded many."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

from privcheck.reached_state import is_own_file, own_modules

MANY = 5000


def test_the_files_of_many_modules_are_looked_up_once(monkeypatch):
    """With room for 4,096 files each was looked up again at every import of a target: half a second, many times."""
    for number in range(MANY):
        module = ModuleType(f"own_module_{number}")
        module.__file__ = f"/nowhere/own_module_{number}.py"
        monkeypatch.setitem(sys.modules, module.__name__, module)
    resolved, resolve = [], Path.resolve
    monkeypatch.setattr(Path, "resolve", lambda path, **options: resolved.append(path) or resolve(path, **options))
    first = own_modules()
    assert {f"own_module_{number}" for number in range(MANY)} <= first
    assert len(resolved) >= MANY
    del resolved[:]
    assert own_modules() == first
    assert len(resolved) < MANY / 100
    is_own_file.cache_clear()
