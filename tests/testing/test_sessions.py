"""Sessions of pytest in processes of their own: what the plugin imports, and the frames of a failed machine."""

import os
import re
import subprocess
import sys
from pathlib import Path

import privcheck

PLACES = str(Path(privcheck.__file__).parents[1])
LIGHT = {
    "privcheck",
    "privcheck.errors",
    "privcheck.in_notebooks",
    "privcheck.presenting",
    "privcheck.testing",
    "privcheck.testing._running",
    "privcheck.testing.plugin",
}
PRINTS = """
import sys
def test_it():
    pass
def pytest_sessionfinish():
    found = sorted(name for name in sys.modules if name.split(".")[0] in ("privcheck", "numpy", "numba", "scipy"))
    open("imported", "w").write(" ".join(found))
"""
MACHINES = """
from hypothesis import Phase, settings

from privcheck.testing import BanditMachine

class Leaky:
    def __init__(self, rng):
        self.last = 0
    def select(self):
        return self.last
    def update(self, action, reward):
        self.last = int(reward > 0.5)

class Raises(Leaky):
    def update(self, action, reward):
        raise ValueError("of the user")

class OfLeaks(BanditMachine):
    factory = Leaky
class OfErrors(BanditMachine):
    factory = Raises

TestLeaks, TestErrors = OfLeaks.TestCase, OfErrors.TestCase
TestErrors.settings = settings(phases=[Phase.generate, Phase.shrink])  # explanations, which are slow: one is enough
"""


def session(folder, *arguments):
    command = [sys.executable, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "COV"))}
    environment |= {"PYTHONPATH": PLACES, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(
        [*command, "-p", "privcheck.testing.plugin"],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_a_session_without_privacy_tests_imports_nothing_of_weight(tmp_path):
    (tmp_path / "test_it.py").write_text(PRINTS.partition("def pytest")[0])
    (tmp_path / "conftest.py").write_text(PRINTS)
    assert session(tmp_path).returncode == 0
    assert set((tmp_path / "imported").read_text().split()) == LIGHT


def test_a_failed_machine_shows_no_frames_of_ours(tmp_path):
    (tmp_path / "test_it.py").write_text(MACHINES)
    result = session(tmp_path)
    assert result.returncode == 1
    assert "2 failed" in result.stdout
    assert "got a private value of round 1 at " in result.stdout
    assert "state.play(" in result.stdout
    assert '>       raise ValueError("of the user")' in result.stdout
    lines = [line for line in result.stdout.splitlines() if not line.startswith("        /")]  # Hypothesis explains
    assert not [line for line in lines if "privcheck/" in line and ".py:" in line]
    assert "hypothesis/" not in result.stdout
    assert "unittest/" not in result.stdout


SILENT = """
from hypothesis import Phase, settings

from privcheck.mechanisms import Laplace
from privcheck.testing import BanditMachine

class Silent:
    def __init__(self, rng):
        self.rng, self.rounds, self.noise = rng, 0, Laplace(sensitivity=1.0, epsilon=1.0)
    def select(self):
        return 0
    def update(self, action, reward):
        self.rounds += 1
        if self.rounds == 4:
            self.noise.release(reward, self.rng)

class Short(BanditMachine):
    factory, horizon = Silent, 3
class Long(BanditMachine):
    factory, horizon = Silent, 5

TestShort, TestLong = Short.TestCase, Long.TestCase
TestShort.settings = TestLong.settings = settings(
    max_examples=10, derandomize=True, database=None, deadline=None, phases=[Phase.generate]
)
"""


def test_a_machine_says_whether_anything_was_released(tmp_path):
    (tmp_path / "test_it.py").write_text(SILENT)
    result = session(tmp_path)
    assert result.returncode == 0
    assert re.search(
        r"Short: nothing was released in \d+ runs of up to 3 rounds, so no ledger was tested", result.stdout
    )
    assert re.search(r"Long: \d+ of \d+ runs of up to 5 rounds released something, within budget", result.stdout)
