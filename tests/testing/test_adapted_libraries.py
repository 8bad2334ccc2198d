"""The files in docs/third-party-code.md run: under pytest, and on the command line."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "third-party-code.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"```python\n# (\w+)\.py\n(.*?)```", TEXT, re.DOTALL))


@pytest.fixture(scope="module")
def libraries():
    """Import them before pytester starts, which forgets later imports."""
    pytest.importorskip("mabwiser.mab", reason="needs MABWiser, which privcheck[adapters] installs")
    pytest.importorskip("coba", reason="needs coba, which privcheck[adapters] installs")


@pytest.mark.nightly
def test_the_private_one_passes_both_marks_and_the_others_fail(libraries, imported, plugin, pytester):
    broken = FILES["test_bandits"].replace(
        "def test_private", '@pytest.mark.parametrize("name", ["greedy", "ucb"])\ndef test'
    )
    broken = broken.replace("()", "(name)").replace("bandits.private", "getattr(bandits, name)")
    pytester.makepyfile(**FILES, test_broken=broken)
    pytester.syspathinsert()
    result = pytester.runpytest_inprocess(*plugin, "-p", "no:cacheprovider", "--privcheck-budget=600")
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["*not certified: a leak at *", "*MAB(EpsilonGreedy): certified: *"])


@pytest.mark.nightly
def test_the_command_line_needs_no_number_of_arms(libraries, tmp_path):
    (tmp_path / "bandits.py").write_text(FILES["bandits"], encoding="utf-8")
    command = next(line.strip() for line in TEXT.splitlines() if line.startswith("    privcheck audit "))
    arguments = [*command.split()[1:], "--runs", "300"]
    done = subprocess.run(
        [sys.executable, "-c", "import sys; from privcheck.cli import main; sys.exit(main())", *arguments],
        cwd=tmp_path, env={"PYTHONPATH": ":".join(sys.path)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (1, "")
    assert "violation" in done.stdout
