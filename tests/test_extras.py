"""A plain installation: what each part of the package loads, and what is said when an extra is missing."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import privcheck
from privcheck import extras
from privcheck.cli import run

PROJECT = Path(__file__).parents[1] / "pyproject.toml"

LOADED = """
import sys
print(*sorted({name.partition(".")[0] for name in sys.modules} - set(sys.stdlib_module_names)))
"""

BLOCKS = """
class Blocks:
    def __init__(self, rng, arms=2):
        self.rng, self.arm, self.total, self.pulls = rng, 0, 0.0, 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.total, self.pulls = self.total + reward, self.pulls + 1
        if self.pulls == 10:
            self.arm = int(self.total + self.rng.laplace(0.0, 1.0) > 5.0)
            self.total, self.pulls = 0.0, 0
"""

SERVICE = """
import sys

sys.path.insert(0, "FOLDER")
import privcheck
from blocks import Blocks

policy = privcheck.guard(Blocks, epsilon=1.0, arms=2)
for _ in range(30):
    policy.update(policy.select(), 0.5)
assert policy.spent > 0
"""

THEORY = """
from privcheck import bounds

assert bounds.evaluate(bounds.Instance(family="bernoulli", means=(0.75, 0.5), epsilon=1.0, horizon=1e5))
"""


def loaded_by(code):
    """Return the packages outside the standard library that are loaded after some code, in a process of its own."""
    done = subprocess.run([sys.executable, "-P", "-c", code + LOADED], capture_output=True, text=True, check=True)
    return {name for name in done.stdout.split() if not name.startswith("_")} - {
        "lazy_loader"
    }  # 150 lines, nothing else


def test_a_guarded_service_loads_numpy_scipy_and_opendp_only(tmp_path):
    (tmp_path / "blocks.py").write_text(BLOCKS)
    needed = {"deprecated", "wrapt", "cython_runtime", "blocks"}  # by opendp and scipy, and the policy itself
    needed |= {"charset_normalizer"}  # by numpy, where it is installed
    assert loaded_by(SERVICE.replace("FOLDER", str(tmp_path))) - needed == {"privcheck", "numpy", "scipy", "opendp"}


def test_the_theory_loads_numpy_and_scipy_only():
    assert loaded_by(THEORY) <= {"privcheck", "numpy", "scipy"}


def test_every_extra_brings_the_packages_that_it_stands_for():
    declared = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    for extra, packages in extras.PACKAGES.items():
        assert set(packages) <= {line.partition(">")[0] for line in declared[extra]}, extra


def test_the_extra_for_notebooks_brings_what_the_notebooks_import():
    declared = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]["notebooks"]
    assert {"pandas", "nbclient", "ipykernel"} <= {line.partition(">")[0] for line in declared}


def without(monkeypatch, package):
    find = extras.importlib.util.find_spec
    monkeypatch.setattr(extras.importlib.util, "find_spec", lambda name: None if name == package else find(name))


@pytest.mark.parametrize(
    "command",
    [
        ["audit", "ucb", "--epsilon", "1", "--arms", "2", "--horizon", "4", "--html", "a.html"],
        ["audit", "ucb", "--epsilon", "1", "--arms", "2", "--horizon", "4", "--plot", "a.png"],
        ["simulate", "ucb", "--means", "0.6,0.4", "--horizon", "100", "--plot", "a.svg"],
        ["bounds", "--means", "0.6,0.4", "--curve", "epsilon", "--plot", "a.png"],
    ],
)
def test_a_picture_without_matplotlib_is_refused_before_any_work(command, monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    without(monkeypatch, "matplotlib")
    assert run(command) == 2
    said = capsys.readouterr()
    assert "pip install 'privcheck[plots]'" in said.err
    assert said.out == ""
    assert list(tmp_path.iterdir()) == []


def test_a_figure_without_matplotlib_is_refused(monkeypatch):
    simulation = privcheck.simulate("ucb", [0.6, 0.4], horizon=100, runs=5)
    without(monkeypatch, "matplotlib")
    with pytest.raises(privcheck.PrivcheckError, match=r"no package matplotlib.*privcheck\[plots\]"):
        simulation.plot()


def test_strategies_without_hypothesis_name_the_extra():
    """Assertions need neither hypothesis nor pytest, and are there."""
    code = "import sys; sys.modules['hypothesis'] = None; import importlib.util as u; find = u.find_spec\n"
    code += "u.find_spec = lambda name: None if name == 'hypothesis' else find(name)\n"
    code += "import privcheck.testing as t; t.assert_private\ntry: t.budgets\nexcept Exception as error: print(error)"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == (
        "privcheck.testing.budgets: got no package hypothesis, expected hypothesis and pytest to be installed; "
        "pip install 'privcheck[testing]'"
    )
