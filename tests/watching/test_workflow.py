"""The nightly workflow that `privcheck init` writes, its steps run in a shell against a repository on this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import privcheck
from privcheck.cli import run
from privcheck.watching import read_watches

pytestmark = pytest.mark.skipif(
    shutil.which("git") is None or shutil.which("bash") is None, reason="needs git and bash"
)
PLACES = str(Path(privcheck.__file__).parents[1])


@pytest.fixture
def steps(tmp_path, capsys):
    yaml = pytest.importorskip("yaml")
    assert run(["init", str(tmp_path / "news")]) == 0
    capsys.readouterr()
    read = yaml.safe_load((tmp_path / "news/.github/workflows/watch.yml").read_text())
    assert read["concurrency"] == {"group": "watch", "cancel-in-progress": False}
    found = {step.get("name", "").partition(" #")[0]: step for step in read["jobs"]["watch"]["steps"]}
    return {name: step["run"] for name, step in found.items() if name}


class Host:
    """A remote repository, and a fresh machine for each night."""

    def __init__(self, folder: Path, steps: dict[str, str]) -> None:
        self.folder, self.steps, self.nights = folder, steps, 0
        self.git("init", "--quiet", "--bare", "remote.git", cwd=folder)
        project = folder / "news"
        for line in (
            "init --quiet -b main",
            "add .",
            "commit --quiet -m first",
            f"remote add origin {folder}/remote.git",
        ):
            self.git(*line.split(), cwd=project)
        self.git("push", "--quiet", "origin", "main", cwd=project)
        tool = folder / "bin" / "privcheck"
        tool.parent.mkdir()
        tool.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m privcheck "$@" --runs 40 --search 400\n')
        tool.chmod(0o755)

    def git(self, *arguments: str, cwd: Path) -> None:
        who = ["-c", "user.name=t", "-c", "user.email=t@localhost"]
        subprocess.run(["git", *who, *arguments], cwd=cwd, check=True, capture_output=True)

    def night(self) -> tuple[str, Path]:
        """Return what the job's status was, and the folder with the store."""
        self.nights += 1
        place = self.folder / f"machine{self.nights}"
        self.git("clone", "--quiet", "-b", "main", "remote.git", str(place), cwd=self.folder)
        output = place / "output.txt"
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        environment = os.environ | {"PATH": path, "PYTHONPATH": f"{place}:{PLACES}", "GITHUB_OUTPUT": str(output)}
        for name in ("fetch the store", "play a night", "keep the store"):
            done = subprocess.run(
                ["bash", "-e", "-c", self.steps[name]],
                cwd=place,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, (name, done.stdout, done.stderr)
        return output.read_text().strip(), place / "watch"


@pytest.mark.chance(0.0, "whether there is an alarm is not looked at")
def test_nights_on_new_machines_go_on_from_the_branch(tmp_path, steps):
    host = Host(tmp_path, steps)
    for number in (1, 2):
        status, folder = host.night()
        assert status in ("status=0", "status=1")  # an alarm is rare, and stops nothing
        (found,) = read_watches(folder / "watch.sqlite")
        assert [night.number for night in found.nights] == [*range(1, number + 1)]
        assert len(found.versions) == 1
        assert "privcheck: " in (folder / "badge.svg").read_text()


@pytest.mark.chance(0.0, "nothing is counted")
def test_a_remote_that_cannot_be_reached_begins_no_new_store(tmp_path, steps):
    host = Host(tmp_path, steps)
    shutil.move(tmp_path / "remote.git", tmp_path / "away.git")
    done = subprocess.run(
        ["bash", "-e", "-c", host.steps["fetch the store"]], cwd=tmp_path / "news", capture_output=True, check=False
    )
    assert done.returncode == 1
    assert not (tmp_path / "news" / "watch").exists()
