"""`privcheck fix`: exit statuses, files, one line for bad input, and nothing half-written when it is interrupted."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import privcheck
from privcheck.cli import run
from privcheck.fixing import _fix
from privcheck.results import Fix, FixEdit, FixPatch
from tests.announcements import without_announcements

pytestmark = pytest.mark.long

_spec = importlib.util.spec_from_file_location("twins_of_patches", Path(__file__).with_name("twins.py"))
twins = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(twins)

ASKED = ["fix", "bandit.py:Bandit", "--epsilon", "1", "--arms", "2"]
QUICK = ["--rounds", "300", "--time-budget", "2"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("bandit.py").write_text(twins.UCB)
    return tmp_path


BEGUN = "privcheck: fixing bandit.py:Bandit, which may take minutes\n"
"""What is said at once where no terminal shows a bar."""


def test_a_whole_session(folder, capsys):
    files = ["--diff", "fix.patch", "--html", "fix.html", "--sarif", "fix.sarif", "--json", "fix.json", "--write"]
    assert run([*ASKED, *QUICK, *files]) == 0
    told = capsys.readouterr()
    found = privcheck.load("fix.json")
    assert told.out.startswith("✓ fixed: patch 1 (")
    assert "provided that:" in told.out
    assert told.err == f"{BEGUN}privcheck: wrote bandit.py; bandit.py.orig keeps the file as it was\n"
    assert Path("bandit.py").read_text() == found.recommended.text
    assert Path("bandit.py.orig").read_text() == twins.UCB
    assert Path("fix.patch").read_text() == found.recommended.diff
    subprocess.run(["git", "apply", "--check", "-R", "fix.patch"], check=True)
    page = Path("fix.html").read_text("utf-8")
    assert "What was found" in page
    assert "<ins>+" in page
    assert "What it costs in regret" in page
    (result,) = json.loads(Path("fix.sarif").read_text())["runs"][0]["results"]
    assert result["ruleId"] == "leak-function"
    written = ["bandit.py", "bandit.py.orig", "fix.html", "fix.json", "fix.patch", "fix.sarif"]
    assert sorted(each.name for each in folder.iterdir() if each.name != "__pycache__") == written
    assert run([*ASKED, *QUICK, "--diff", "again.patch"]) == 0
    told = capsys.readouterr()
    assert told.out.startswith("✓ nothing to fix: the code is certified as it is")
    assert told.err == BEGUN
    assert not Path("again.patch").exists()


@pytest.mark.parametrize("asked", ["2", "laplace"])
def test_another_patch_is_taken_by_its_number_or_its_edits(asked, monkeypatch, capsys):
    """Which patch is recommended depends on what is measured within a time limit."""
    edits = [FixEdit(name, "universal", "noise is added", 1) for name in ("noisy-rewards", "laplace")]
    diffs = [f"--- a/bandit.py\n+++ b/bandit.py\n@@ -1 +1 @@\n-x\n+{name}\n" for name in ("first", "second")]
    patches = tuple(
        FixPatch(number, standing, "", (edit,), diff, "")
        for number, standing, edit, diff in zip((1, 2), ("recommended", "certified"), edits, diffs, strict=True)
    )
    found = Fix("bandit.py:Bandit", 1.0, 2, 40, (0.0, 1.0), 0, "fixed", None, patches)
    monkeypatch.setattr("privcheck.fixing.fix", lambda *given, **options: found)
    assert run([*ASKED, "--patch", asked, "--diff", "fix.patch"]) == 0
    told = capsys.readouterr().out
    assert "patch 2, certified" in told
    assert "+second" in told
    assert Path("fix.patch").read_text() == diffs[1]
    assert run([*ASKED, "--diff", "fix.patch"]) == 0
    assert Path("fix.patch").read_text() == diffs[0]


@pytest.mark.parametrize(
    ("standing", "status", "written"),
    [("withdrawn", 1, False), ("not certified", 3, True), ("not recommended", 3, True)],
)
def test_a_patch_that_is_not_known_to_be_good_does_not_end_as_one_that_is(
    standing, status, written, monkeypatch, capsys
):
    """`privcheck fix --patch 2 --diff FILE && git apply FILE` does not apply it."""
    edits = [FixEdit(name, "universal", "noise is added", 1) for name in ("noisy-rewards", "laplace")]
    patches = tuple(
        FixPatch(number, stands, "it is refuted", (edit,), "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n", "")
        for number, stands, edit in zip((1, 2), ("recommended", standing), edits, strict=True)
    )
    found = Fix("bandit.py:Bandit", 1.0, 2, 40, (0.0, 1.0), 0, "fixed", None, patches)
    monkeypatch.setattr("privcheck.fixing.fix", lambda *given, **options: found)
    assert run([*ASKED, "--patch", "2", "--diff", "fix.patch"]) == status
    told = capsys.readouterr()
    assert Path("fix.patch").exists() == written
    assert f"patch 2, {standing}" in told.out
    assert ("so --diff wrote nothing" in told.err) == (not written)


@pytest.mark.parametrize(("asked", "said"), [("9", "expected one of 1"), ("noisy-reward", "noisy-rewards")])
def test_a_patch_that_is_not_there_is_one_line(asked, said, monkeypatch, capsys):
    edit = FixEdit("noisy-rewards", "universal", "each reward has noise", 1)
    patches = (FixPatch(1, "recommended", "", (edit,), "", ""),)
    found = Fix("bandit.py:Bandit", 1.0, 2, 40, (0.0, 1.0), 0, "fixed", None, patches)
    monkeypatch.setattr("privcheck.fixing.fix", lambda *given, **options: found)
    assert run([*ASKED, "--patch", asked, "--diff", "fix.patch"]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1
    assert not Path("fix.patch").exists()
    assert run([*ASKED, "--patch", "1", "--write"]) == 2
    assert "got --write beside --patch 1" in capsys.readouterr().err


def test_where_nothing_certifies_it_says_what_was_tried(monkeypatch, capsys):
    search = _fix.search
    monkeypatch.setattr(_fix, "search", lambda *given, **options: search(*given, looks=2)._replace(patches=()))
    assert run([*ASKED, "--diff", "fix.patch", "--write"]) == 1
    told = capsys.readouterr()
    assert told.out.startswith("✗ nothing certifies: ")
    assert "tried noisy-rewards" in told.out
    assert "there is no recommended patch, so --diff and --write wrote nothing" in told.err
    assert not Path("fix.patch").exists()
    assert Path("bandit.py").read_text() == twins.UCB


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["fix", "adap-ucb", "--epsilon", "1", "--arms", "2"], "expected path/to/file.py:Class"),
        (["fix", "bandit.py:Nobody", "--epsilon", "1", "--arms", "2"], "the file has Bandit"),
        ([*ASKED, "--diff", "fix.txt"], "diff: got 'fix.txt'"),
        ([*ASKED, "--html", "fix.txt"], "html: got 'fix.txt'"),
        ([*ASKED, "--sarif", "fix.txt"], "sarif: got 'fix.txt'"),
        ([*ASKED[:4], "--arms", "1"], "arms: got 1"),
        (ASKED[:4], "arms: got None"),
        ([*ASKED, "--horizon", "5"], "horizon: got 5"),
    ],
)
def test_bad_input_is_told_in_one_line(arguments, said, capsys):
    assert run(arguments) == 2
    told = capsys.readouterr()
    assert said in told.err
    assert told.err.count("\n") == 1
    assert told.out == ""


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_file_is_refused_before_any_work(capsys):
    Path("bandit.py").chmod(0o444)
    assert run([*ASKED, "--write"]) == 2
    assert "which is read-only" in capsys.readouterr().err


def test_a_read_only_file_is_refused_whoever_runs_it(monkeypatch, capsys):
    from privcheck.fixing import _write

    monkeypatch.setattr(_write.os, "access", lambda path, mode: False)
    assert run([*ASKED, "--write"]) == 2
    assert "which is read-only, expected a file that can be written" in capsys.readouterr().err


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_leaves_nothing_half_written(number, folder, tmp_path_factory):
    """It ends in search, judgement or pricing: the file is as it was, and no folder with patches is left."""
    temporary = tmp_path_factory.mktemp("temporary")
    environment = os.environ | {"TMPDIR": str(temporary)}
    command = [sys.executable, "-P", "-m", "privcheck", *ASKED, "--write", "--diff", "fix.patch"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True
    )
    until = time.monotonic() + 60.0
    while not list(temporary.glob("privcheck-fix-*")) and time.monotonic() < until:
        time.sleep(0.02)
    time.sleep(0.5)
    os.killpg(process.pid, number)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 128 + number, err
    assert without_announcements(err) == ["privcheck: interrupted"]
    assert out == ""
    assert Path("bandit.py").read_text() == twins.UCB
    assert [each.name for each in folder.iterdir() if each.name != "__pycache__"] == ["bandit.py"]
    assert list(temporary.glob("privcheck-fix-*")) == []
