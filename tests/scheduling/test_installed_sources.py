"""Keys of chunks of a policy in an installed package: any module of that package that it imports counts."""

from __future__ import annotations

import importlib
import sys

from privcheck.scheduling import _parts_of_code as parts_of_code
from privcheck.scheduling import digest
from privcheck.scheduling._own_sources import own_sources

POLICY = """from installed_policy import noise


class Policy:
    def __init__(self, rng):
        self.scale = noise.SCALE
"""


def test_a_helper_of_an_installed_package_changes_the_key(tmp_path, monkeypatch) -> None:
    package = tmp_path / "site-packages" / "installed_policy"
    package.mkdir(parents=True)
    texts = {"__init__.py": "", "noise.py": "SCALE = 1.0\n", "policy.py": POLICY}
    for name, text in texts.items():
        (package / name).write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(package.parent))
    importlib.invalidate_caches()
    try:
        policy = importlib.import_module("installed_policy.policy").Policy
        before, again = digest(policy), digest(policy)
        (package / "noise.py").write_text("SCALE = 20.0\n", encoding="utf-8")
        assert before == again != digest(policy)
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == "installed_policy"]:
            del sys.modules[name]


def test_other_installed_packages_stand_for_their_modules() -> None:
    """Of numpy, which a policy of the user's names, no files are read."""
    assert own_sources([test_other_installed_packages_stand_for_their_modules]).keys() <= {__name__}


HELD = """from installed_tables.parts import table


class Table:
    def __init__(self, scale):
        self.scale = scale


def total(values):
    return sum(values)
"""
OWN = """import functools

import installed_tables


def released(data, rng, held=None, of=installed_tables.total):
    return held.scale * of(data)


def plotted():
    import installed_tables.parts.table


def made(held):
    return lambda data, rng: held.scale


class Factory:
    def __init__(self, held):
        self.held = held

    def __call__(self, rng):
        return self.held


def targets(scale):
    held = installed_tables.Table(scale)
    partials = functools.partial(released, held=held), functools.partial(released, held)
    return released, *partials, made(held), Factory(held)
"""


def test_a_key_reads_and_imports_nothing_of_packages_of_which_a_target_holds_an_object(tmp_path, monkeypatch) -> None:
    """All that pandas imports was read for a partial with a DataFrame: that took minutes, and imported matplotlib."""
    package = tmp_path / "site-packages" / "installed_tables"
    (package / "parts").mkdir(parents=True)
    (package / "__init__.py").write_text(HELD.partition("\n")[2], encoding="utf-8")
    (package / "more.py").write_text(HELD, encoding="utf-8")
    (package / "parts" / "__init__.py").write_text("raise ValueError('imported')", encoding="utf-8")
    (package / "parts" / "table.py").write_text("", encoding="utf-8")
    (tmp_path / "holding.py").write_text(OWN, encoding="utf-8")
    monkeypatch.syspath_prepend(str(package.parent))
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    try:
        module = importlib.import_module("holding")
        read: list[set[str]] = []
        monkeypatch.setattr(parts_of_code, "own_sources", lambda of: read.append(set(own_sources(of))) or {})
        one, again, other = ([digest((("factory", each),)) for each in module.targets(scale)] for scale in (1, 1, 2))
        assert one == again
        assert one[0] == other[0]
        assert all(a != b for a, b in zip(one[1:], other[1:], strict=True))
        assert set().union(*read) == {"holding"}
        assert "installed_tables.parts" not in sys.modules
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] in ("installed_tables", "holding")]:
            del sys.modules[name]
