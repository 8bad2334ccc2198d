"""A target in a file of a package, as in the src layout: it imports its neighbours relatively, or by the package."""

import importlib
import sys

import pytest

import privcheck
from privcheck.targets import Location

BANDIT = """
{imported}

class Bandit:
    def __init__(self, rng, arms=2):
        self.rng, self.sums = rng, [0.0] * arms

    def select(self):
        return self.sums.index(max(self.sums))

    def update(self, action, reward):
        self.sums[action] += noised(reward, self.rng)
"""
NOISE = "def noised(value, rng):\n    return value + rng.laplace(0.0, {scale})\n"


@pytest.fixture
def package(tmp_path):
    """Return a function that writes a file of a package, beside which noise is drawn, and returns its path."""
    before = set(sys.modules)

    def write(imported, name="wrapped_noise", folder="src", inits=True, scale=1.0):
        inner = tmp_path / folder / name / "bandits"
        inner.mkdir(parents=True, exist_ok=True)
        for each in (inner, inner.parent) if inits else ():
            (each / "__init__.py").write_text("")
        for each in (inner, inner.parent):
            (each / "noise.py").write_text(NOISE.format(scale=scale))
        (inner / "bandit.py").write_text(BANDIT.format(imported=imported))
        return inner / "bandit.py"

    yield write
    for each in set(sys.modules) - before:
        if each.partition(".")[0].startswith(("wrapped_noise", "bandits")):
            del sys.modules[each]


def bound(file):
    return privcheck.certify(f"{file}:Bandit", epsilon=1.0, arms=2, horizon=4, runs=1)


@pytest.mark.parametrize(
    ("imported", "inits"),
    [("from .noise import noised", True), ("from .noise import noised", False), ("from ..noise import noised", True),
     ("from ..noise import noised", False), ("from wrapped_noise.noise import noised", True),
     ("from noise import noised", True)],
)  # fmt: skip
def test_what_it_imports_is_found_and_followed(package, imported, inits):
    path = list(sys.path)
    assert bound(package(imported, inits=inits)).granted
    assert sys.path == path


def test_neighbours_are_imported_as_they_are_now(package):
    assert bound(package("from .noise import noised")).granted
    assert bound(package("from .noise import noised", scale=0.25)).refusals
    assert bound(package("from .noise import noised")).granted


def test_two_copies_of_a_package_each_have_their_own_neighbours(package):
    leaky = package("from .noise import noised", scale=0.25)
    right = package("from .noise import noised", folder="copy")
    for _ in range(2):
        assert bound(leaky).refusals
        assert bound(right).granted


def test_a_copy_that_the_user_has_imported_is_not_taken_for_it(package, monkeypatch):
    package("from .noise import noised")
    monkeypatch.syspath_prepend(package("").parents[2])
    importlib.import_module("wrapped_noise")
    with pytest.raises(privcheck.PrivcheckError, match="one copy of a package") as refused:
        bound(package("from .noise import noised", folder="copy"))
    assert "wrapped_noise, which was imported from " in str(refused.value)


def test_a_file_that_does_not_import_leaves_nothing_behind(package):
    file = package("from .nowhere import noised")
    before, path = set(sys.modules), list(sys.path)
    with pytest.raises(privcheck.PrivcheckError, match=r"No module named 'wrapped_noise.bandits.nowhere'"):
        Location(str(file), "Bandit").load()
    assert sys.path == path
    assert not [name for name in set(sys.modules) - before if "privcheck_target" in name]
