"""What a target keeps is looked for in its own code and in the libraries that it uses, not in theirs."""

import importlib

import pytest

from privcheck.auditing._harness.kept_state import KeptState

INNER = "LOADED = []\n\ndef first_needed():\n    LOADED.append(1)\n    return len(LOADED)\n"
LIBRARY = "import kept_inner\n\nCALLS = []\n\ndef noisy():\n    CALLS.append(1)\n    return kept_inner.first_needed()\n"
TARGET = "import kept_library\n\ndef factory(arms, horizon, rng):\n    return kept_library.noisy()\n"


@pytest.fixture
def factory(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    for name, code in (("kept_inner", INNER), ("kept_library", LIBRARY), ("kept_target", TARGET)):
        (tmp_path / f"{name}.py").write_text(code)
    importlib.invalidate_caches()
    return importlib.import_module("kept_target").factory


def test_a_library_that_the_target_uses_is_named_and_a_library_of_this_one_is_not(factory):
    before = KeptState(factory)
    factory(2, 4, None)
    assert before.changed() == ["the module's variable CALLS"]


def test_a_library_is_looked_at_where_it_is_the_target_or_holds_its_base_class(factory):
    library = importlib.import_module("kept_library")
    inner = importlib.import_module("kept_inner")
    before = KeptState(library.noisy)
    library.noisy()
    assert before.changed() == ["the module's variable CALLS", "the module's variable LOADED"]
    before = KeptState(inner.first_needed)
    inner.first_needed()
    assert before.changed() == ["the module's variable LOADED"]
