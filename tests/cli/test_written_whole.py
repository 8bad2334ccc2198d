"""What commands write is whole or not there: projects and pictures on a full disk, and after a signal."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import privcheck
from privcheck.cli import run
from privcheck.errors import PrivcheckError
from privcheck.files import write_together, write_whole

resource = pytest.importorskip("resource")

SIMULATE = ["simulate", "ucb", "--means", "0.75,0.5", "--horizon", "50", "--runs", "3"]


def files_below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def with_little_space(least, *words):
    """Run a command that may write no file of more bytes than these, as on a disk that is nearly full."""
    code = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({least}, {least}))\n"
    code += "from privcheck.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-B", "-c", code, *words], capture_output=True, text=True, timeout=120, check=False,
        env=os.environ | {"PYTHONPATH": str(Path(privcheck.__file__).parents[1]), "MPLCONFIGDIR": "/nowhere"},
    )  # fmt: skip


def test_a_project_is_written_whole_or_not_at_all(tmp_path):
    """The first file fits, a later one does not: what is left is no project that the same command refuses."""
    assert run(["init", "whole/private-news"]) == 0
    sizes = [path.stat().st_size for path in Path("whole").rglob("*") if path.is_file()]
    first = Path("whole/private-news/pyproject.toml").stat().st_size
    assert first < max(sizes)
    done = with_little_space(max(sizes) - 1, "init", "news/private-news")
    assert (done.returncode, done.stdout) == (2, "")
    assert "folder: got " in done.stderr
    assert "expected a writable location; File too large" in done.stderr
    assert not Path("news").exists()
    assert with_little_space(max(sizes), "init", "news/private-news").returncode == 0
    assert files_below(tmp_path / "news/private-news") == files_below(tmp_path / "whole/private-news")


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("number", range(3))
def test_all_is_as_before_if_a_file_cannot_be_written(error, number, tmp_path, monkeypatch):
    Path("there").mkdir()
    Path("there/kept.yml").write_text("old")
    texts = {Path("there/kept.yml"): "new", Path("new/deep/one.txt"): "1", Path("two.txt"): "2"}
    replace, calls = Path.replace, []

    def fails(self, target):
        calls.append(target)
        if len(calls) == number + 1:
            raise error
        return replace(self, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", fails)
        with pytest.raises((PrivcheckError, KeyboardInterrupt)):
            write_together(texts)
    assert files_below(tmp_path) == ["there", "there/kept.yml"]
    assert Path("there/kept.yml").read_text() == "old"
    write_together(texts)
    assert Path("there/kept.yml").read_text() == "new"
    assert files_below(tmp_path) == ["new", "new/deep", "new/deep/one.txt", "there", "there/kept.yml", "two.txt"]


def test_a_picture_of_a_simulation_is_written_whole_or_not_at_all(tmp_path):
    """A file as large as the one that is tried beforehand fits, and the picture does not."""
    pytest.importorskip("matplotlib")
    plot = "regret.png"
    done = with_little_space(5000, *SIMULATE, "--plot", plot)
    assert done.returncode == 2
    assert f"plot: got {plot}: File too large, expected a file that can be written" in done.stderr
    assert files_below(tmp_path) == []
    Path(plot).write_text("the old picture")
    assert with_little_space(5000, *SIMULATE, "--plot", plot).returncode == 2
    assert Path(plot).read_text() == "the old picture"
    assert with_little_space(10**7, *SIMULATE, "--plot", plot).returncode == 0
    assert Path(plot).stat().st_size > 5000


def mode_of(file):
    return file.stat().st_mode & 0o777


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o755])
@pytest.mark.parametrize("write", [write_whole, lambda path, text: write_together({path: text})])
def test_a_file_that_is_replaced_keeps_its_permissions(mode, write, tmp_path):
    file = tmp_path / "kept.yml"
    file.write_text("old")
    file.chmod(mode)
    write(file, "new")
    assert (file.read_text(), mode_of(file)) == ("new", mode)


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600)])
@pytest.mark.parametrize("write", [write_whole, lambda path, text: write_together({path: text})])
def test_a_new_file_has_those_of_the_process(mask, mode, write, tmp_path):
    before = os.umask(mask)
    try:
        write(tmp_path / "new.yml", "new")
        assert os.umask(mask) == mask
    finally:
        os.umask(before)
    assert mode_of(tmp_path / "new.yml") == mode


def test_what_is_put_back_has_its_permissions_again(tmp_path, monkeypatch):
    one, two = tmp_path / "one.yml", tmp_path / "two.yml"
    one.write_text("old")
    one.chmod(0o600)
    replace = Path.replace

    def failing(self, target):
        if Path(target) == two:
            raise OSError(28, "No space left on device")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", failing)
    with pytest.raises(PrivcheckError, match="No space left"):
        write_together({one: "new", two: "new"})
    assert (one.read_text(), mode_of(one), two.exists()) == ("old", 0o600, False)


BANDIT = """
class {name}:
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.arms = arms

    def select(self):
        return 0

    def update(self, action, reward):
        pass
"""


def test_init_keeps_the_permissions_of_a_workflow_to_which_it_adds(tmp_path):
    for name in ("One", "Other"):
        Path(f"{name.lower()}.py").write_text(BANDIT.format(name=name))
    assert run(["init", "--from", "one.py:One", "--watch"]) == 0
    (workflow,) = tmp_path.rglob("*.yml")
    before = workflow.read_text()
    workflow.chmod(0o600)
    assert run(["init", "--from", "other.py:Other", "--watch"]) == 0
    assert (len(workflow.read_text()) > len(before), mode_of(workflow)) == (True, 0o600)
