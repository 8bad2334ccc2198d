"""A patch is written over the file that was read, and over nothing else; what was there is kept."""

from __future__ import annotations

import os
import subprocess
from types import SimpleNamespace

import pytest

import privcheck
from privcheck import files
from privcheck.fixing import _write, check_fixable
from privcheck.fixing._source_text import SourceText
from privcheck.fixing._write import write_patch

BODY = "    def select(self):\n        return 0\n\n    def update(self, action, reward):\n        pass\n"
OLD, WORK, NEW = (f"class A:\n    x = {x}\n\n{BODY}" for x in ("1", "'not committed'", "2"))


@pytest.fixture
def repository(tmp_path):
    git(tmp_path, "init", "-q")
    (tmp_path / "bandit.py").write_text(OLD)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "one")
    return tmp_path


def git(folder, *arguments):
    own = ["git", "-c", "user.email=a@example.org", "-c", "user.name=a", "-c", "core.autocrlf=false"]
    subprocess.run([*own, *arguments], cwd=folder, check=True, capture_output=True)


def kept(folder, text):
    """Write a patch over a file with this text, and return what stands in the copy; None if there is none."""
    (folder / "bandit.py").write_text(text)
    copy = write_patch(SourceText.read(folder / "bandit.py"), NEW)
    assert (folder / "bandit.py").read_text() == NEW
    return None if copy is None else copy.read_text()


def test_what_is_committed_needs_no_copy(repository):
    assert kept(repository, OLD) is None
    assert not (repository / "bandit.py.orig").exists()


@pytest.mark.parametrize("flag", ["skip-worktree", "assume-unchanged"])
def test_a_file_that_git_does_not_look_at_is_kept(flag, repository):
    git(repository, "update-index", f"--{flag}", "bandit.py")
    assert kept(repository, WORK) == WORK


def test_what_a_filter_leaves_out_is_kept(repository):
    git(repository, "config", "filter.strip.clean", "sed s/TOKEN=.*/TOKEN=/")
    (repository / ".gitattributes").write_text("*.py filter=strip\n")
    text = f"TOKEN=1234\n{OLD}"
    (repository / "bandit.py").write_text(text)
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "two")
    assert kept(repository, text) == text


def test_what_an_editor_saves_meanwhile_is_not_lost(tmp_path, monkeypatch):
    """It is saved while the new file is being written to the disk."""
    file = tmp_path / "bandit.py"
    file.write_text(OLD)
    source, synced = SourceText.read(file), []

    def fsync(handle):
        synced.append(handle)
        file.write_text(WORK)

    monkeypatch.setattr(files, "os", SimpleNamespace(**vars(os) | {"fsync": fsync}))
    with pytest.raises(privcheck.PrivcheckError, match="which has changed since it was read"):
        write_patch(source, NEW)
    assert synced
    assert file.read_text() == WORK
    assert (tmp_path / "bandit.py.orig").read_text() == OLD
    assert sorted(each.name for each in tmp_path.iterdir()) == ["bandit.py", "bandit.py.orig"]


def test_a_copy_that_would_replace_another_file_is_refused_before_any_work(tmp_path):
    (tmp_path / "bandit.py").write_text(OLD)
    (tmp_path / "bandit.py.orig").write_text(WORK)
    with pytest.raises(privcheck.PrivcheckError, match="which is there already"):
        check_fixable(f"{tmp_path / 'bandit.py'}:A", to_write=True)
    (tmp_path / "bandit.py.orig").write_text(OLD)
    check_fixable(f"{tmp_path / 'bandit.py'}:A", to_write=True)


@pytest.mark.skipif(os.name != "posix", reason="links need rights elsewhere")
def test_a_link_into_a_read_only_folder_is_refused_before_any_work(tmp_path, monkeypatch):
    folder = tmp_path / "read_only"
    folder.mkdir()
    (folder / "bandit.py").write_text(OLD)
    link = tmp_path / "bandit.py"
    link.symlink_to(folder / "bandit.py")
    check_fixable(f"{link}:A", to_write=True)
    access = os.access
    monkeypatch.setattr(
        _write, "os", SimpleNamespace(W_OK=os.W_OK, access=lambda path, mode: path != folder and access(path, mode))
    )
    with pytest.raises(privcheck.PrivcheckError, match="which is read-only"):
        check_fixable(f"{link}:A", to_write=True)
