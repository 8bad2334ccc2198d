"""Results are delivered: outputs are tried before any work, the verdict comes first, then the files, whole or not."""

from __future__ import annotations

import io
import os
import resource
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import privcheck
from privcheck.cli import run
from privcheck.cli._delivery import show
from privcheck.errors import PrivcheckError
from privcheck.files import check_output, write_whole
from privcheck.reporting import details
from tests.example_results import GRANTED

AUDIT = ["audit", "rnm-ftnl-published", "--epsilon", "1", "--arms", "4", "--horizon", "4", "--runs", "2000"]
COMMANDS = {
    "audit": AUDIT,
    "certify": ["certify", "adap-ucb", "--epsilon", "1", "--arms", "2", "--horizon", "4", "--runs", "2"],
    "simulate": ["simulate", "ucb", "--means", "0.7,0.5", "--horizon", "20", "--runs", "3"],
    "bounds": ["bounds", "--means", "0.7,0.5", "--epsilon", "1", "--horizon", "1e4"],
    "list": ["list"],
}
WORK = (
    "privcheck.auditing._audit.audit",
    "privcheck.certifying._certify.certify",
    "privcheck.simulation._simulate.simulate",
    "privcheck.bounds.evaluate",
)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def no_work(monkeypatch):
    def refuse(*_, **__):
        pytest.fail("work was begun")

    for place in WORK:
        monkeypatch.setattr(place, refuse)


def unwritable():
    """Return paths that cannot be written, as root either, by what is wrong with them."""
    Path("file").write_text("")
    Path("folder.json").mkdir()
    Path("link").symlink_to("nowhere")
    return {
        "a folder": "folder.json",
        "below a file": "file/result.json",
        "below a link to nothing": "link/result.json",
        "in /proc": "/proc/new/result.json",
        "name too long": "a" * 300 + ".json",
        "name too long for its temporary file": "a" * 248 + ".json",
        "folder with a name too long": "b" * 300 + "/result.json",
        "null byte": "nu\0ll.json",
    }


@pytest.mark.parametrize("command", COMMANDS)
def test_an_unwritable_file_is_found_before_the_work(command, no_work, capsys, tmp_path):
    for what, path in unwritable().items():
        before = sorted(tmp_path.rglob("*"))
        assert run([*COMMANDS[command], "--json", path]) == 2, what
        out, err = capsys.readouterr()
        assert out == "", what
        assert err.startswith("privcheck: json: got "), what
        assert sorted(tmp_path.rglob("*")) == before, what


@pytest.mark.parametrize(
    ("command", "option", "path"),
    [
        ("audit", "--html", "/proc/new/page.html"),
        ("audit", "--plot", "/proc/new/picture.svg"),
        ("certify", "--html", "/proc/new/page.html"),
        ("certify", "--plot", "/proc/new/picture.svg"),
        ("simulate", "--csv", "/proc/new/table.csv"),
        ("simulate", "--npz", "/proc/new/all.npz"),
        ("simulate", "--plot", "/proc/new/picture.png"),
        ("bounds", "--csv", "/proc/new/table.csv"),
    ],
)
def test_every_kind_of_file_is_tried_before_the_work(command, option, path, no_work, capsys):
    assert run([*COMMANDS[command], option, path]) == 2
    assert capsys.readouterr().err.startswith(f"privcheck: {option[2:]}: got '{path}', expected a writable location")


def test_a_read_only_file_or_folder_is_refused(monkeypatch):
    Path("kept.json").write_text("old")
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write everywhere
    with pytest.raises(PrivcheckError, match="this file is read-only"):
        check_output("kept.json", "json", (".json",))


def test_a_full_disk_is_found_before_the_work(tmp_path):
    """A limit of nothing on the size of files makes every write fail, as a full disk does."""
    code = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)); from privcheck.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-B", "-c", code, *AUDIT[:-1], str(10**9), "--json", "new/result.json"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=os.environ | {"PYTHONPATH": str(Path(privcheck.__file__).parents[1])},
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "json: got 'new/result.json', expected a writable location; File too large" in done.stderr
    assert list(tmp_path.iterdir()) == []
    assert resource.RLIMIT_FSIZE


def test_trying_leaves_nothing_and_changes_nothing(tmp_path):
    Path("there").mkdir()
    Path("there/result.json").write_text("old")
    for path in ("there/result.json", "there/other.json", "new/deep/result.json"):
        check_output(path, "json", (".json",))
    assert [str(path.relative_to(tmp_path)) for path in sorted(tmp_path.rglob("*"))] == ["there", "there/result.json"]
    assert Path("there/result.json").read_text() == "old"


@pytest.mark.parametrize("command", COMMANDS)
def test_the_result_is_printed_before_files_are_written(command, monkeypatch, capsys):
    """A disk that fills up during the work loses the file, not the verdict."""

    def full(*_, **__):
        raise PrivcheckError("json", "result.json", "a writable location", "No space left on device")

    monkeypatch.setattr("privcheck.files.write_whole", full)
    assert run([*COMMANDS[command], "--json", "result.json"]) == 2
    out, err = capsys.readouterr()
    assert len(out) > 100
    assert err == ("privcheck: json: got 'result.json', expected a writable location; No space left on device\n")


class Closed(io.StringIO):
    def fileno(self):
        return os.open(os.devnull, os.O_WRONLY)

    def write(self, _):
        raise BrokenPipeError(32, "Broken pipe")


@pytest.mark.parametrize("command", COMMANDS)
def test_files_are_written_even_if_nobody_reads_the_text(command, monkeypatch):
    monkeypatch.setattr(sys, "stdout", Closed())
    monkeypatch.setattr("privcheck.cli._statuses._unread", lambda: 141)
    assert run([*COMMANDS[command], "--json", "result.json"]) == 141
    assert Path("result.json").read_text().startswith('{"schema_version"')


def test_text_that_utf8_does_not_have_is_written_with_question_marks():
    write_whole("name.html", "file \udcff")
    assert Path("name.html").read_text() == "file ?"


@pytest.mark.parametrize("command", COMMANDS)
def test_lines_of_piped_output_are_not_wrapped(command, capsys, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    run(COMMANDS[command])
    wide = capsys.readouterr().out
    monkeypatch.setenv("COLUMNS", "60")
    run(COMMANDS[command])
    narrow = capsys.readouterr().out
    assert narrow.count("\n") > wide.count("\n") or command == "simulate", "a table that is narrow anyway"
    assert not any(line.endswith(" ") for line in wide.splitlines())


@pytest.mark.parametrize("columns", ["0", "-1", "some"])
def test_no_columns_are_as_many_as_there_are(columns, capsys, monkeypatch):
    """Before, 0 columns made every answer empty, a violation as well."""
    monkeypatch.setenv("COLUMNS", columns)
    show("a text of several words")
    assert capsys.readouterr().out == "a text of several words\n"


def test_no_terminal_breaks_a_command_within_a_word(monkeypatch, capsys):
    """A line break within quotation marks would be part of the target."""
    target = "dp-exact-tt(arms=2, epsilon=1, delta=0.01, ratio=1.5, first=10, worth=4.5, rewards=plain)"
    monkeypatch.setenv("COLUMNS", "60")
    show(details(replace(GRANTED, target=target)))
    command = capsys.readouterr().out.partition("\nprivcheck certify ")[2].replace("\\\n", "")
    assert shlex.split(command)[:3] == [target, "--epsilon", "1.0"]
