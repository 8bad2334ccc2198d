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
from privcheck.files import write_together

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
