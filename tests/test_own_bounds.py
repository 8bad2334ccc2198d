"""privcheck lives beside projects that have a `bounds` or an `audits` of their own, in both directions."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import privcheck

REPOSITORY = Path(__file__).parents[1]
HOME = str(Path(privcheck.__file__).parents[1])

BANDIT = """
from bounds import LOW

class Bandit:
    def __init__(self, rng, arms=2):
        self.rng, self.arms, self.low = rng, arms, LOW

    def select(self):
        return int(self.rng.integers(self.arms))

    def update(self, action, reward):
        assert reward >= self.low
"""

TEST = """
import bounds
import audits
import privcheck
from privcheck.bounds import kl_bernoulli

from bandit import Bandit


def test_both():
    assert bounds.LOW == 0.0 and audits.NAME == "ours"
    assert privcheck.bounds.kl_bernoulli is kl_bernoulli
    assert privcheck.audit(Bandit, epsilon=1.0, arms=2, horizon=3, runs=400, pairs=5).verdict
"""


@pytest.fixture(params=["module", "package"])
def project(request, tmp_path):
    if request.param == "module":
        (tmp_path / "bounds.py").write_text("LOW = 0.0\n")
    else:
        (tmp_path / "bounds").mkdir()
        (tmp_path / "bounds" / "__init__.py").write_text("LOW = 0.0\n")
    (tmp_path / "audits").mkdir()
    (tmp_path / "audits" / "__init__.py").write_text('NAME = "ours"\n')
    (tmp_path / "bandit.py").write_text(BANDIT)
    (tmp_path / "test_bandit.py").write_text(TEST)
    return tmp_path


def run(project: Path, *command: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(filter(None, [HOME, os.environ.get("PYTHONPATH", "")]))
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=project, capture_output=True, text=True, check=False, timeout=300,
        env=os.environ | {"PYTHONPATH": path},
    )  # fmt: skip


def test_pytest_runs_in_such_a_project(project):
    done = run(project, "pytest", "-q", "-p", "no:cacheprovider")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_command_line_runs_in_such_a_project(project):
    target = ["bandit.py:Bandit", "--epsilon", "1", "--arms", "2", "--horizon", "3", "--runs", "400", "--pairs", "5"]
    done = run(project, "privcheck", "audit", *target)
    assert done.returncode in (0, 3), done.stderr
    done = run(project, "privcheck", "bounds", "--means", "0.75,0.5", "--epsilon", "1", "--horizon", "1e4")
    assert done.returncode == 0, done.stderr


IMPORT = re.compile(r"^[\s\"]*(?:>>> |\.\.\. )?(?:import bounds\b|from bounds[ .])", re.MULTILINE)
"""In a checkout, where `bounds` is a link, this import would load a second copy of the package."""


def test_nothing_imports_the_link():
    folders = ("privcheck", "audits", "tests", "docs", "examples", "benchmarks", "notebooks")
    files = [file for folder in folders for file in (REPOSITORY / folder).rglob("*")]
    files = [file for file in [*files, *REPOSITORY.glob("*.md")] if file.suffix in (".py", ".md", ".ipynb")]
    assert len(files) > 500
    own = Path(__file__).resolve()
    offenders = [
        str(file) for file in files
        if file.resolve() != own and IMPORT.search(file.read_text(encoding="utf-8"))
    ]  # fmt: skip
    assert not [file for file in offenders if not file.endswith("test_house.py")]


@pytest.mark.parametrize(
    "line", ["import bounds", "from bounds import kl", '    "from bounds.errors import x\\n",', ">>> import bounds"]
)
def test_the_walk_notices_such_an_import(line):
    assert IMPORT.search(f"import math\n{line}\n")


@pytest.mark.parametrize(
    "line", ["from privcheck import bounds", "import bounds_of_ours", "from privcheck.bounds import kl"]
)
def test_the_walk_lets_others_pass(line):
    assert not IMPORT.search(f"import math\n{line}\n")


def test_the_top_level_name_is_a_link_to_the_package():
    link = REPOSITORY / "bounds"
    assert link.is_symlink()
    assert link.readlink() == Path("privcheck/bounds")
