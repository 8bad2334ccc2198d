"""What commands write as JSON and `load` cannot read is said to be that, and stops no report."""

import json

import pytest

import privcheck
from privcheck.cli import main
from privcheck.errors import PrivcheckError
from privcheck.reporting import read_folder
from privcheck.results._example_results import VIOLATION
from privcheck.sweeps import Sweep

CELL = ["--means", "0.75,0.5", "--epsilon", "1", "--horizon", "1e4"]
PLAN = 'delta = 1e-6\n[[release]]\nmechanism = "laplace"\nscale = 10.0\nsensitivity = 1.0\ncount = 100\n'
COMMANDS = {
    "claimed": (["bounds", *CELL, "--claimed", "500"], "a claimed regret beside bounds"),
    "curve": (["bounds", *CELL, "--curve", "epsilon"], "a curve of bounds"),
    "account": (["account", "plan.toml"], "an account of a plan"),
    "delta": (["account", "plan.toml", "--epsilon", "2"], "an account of a plan"),
    "identification": (["simulate", "dp-exact-tt", *CELL, "--runs", "2"], "a best-arm identification"),
    "list": (["list"], "the list of what is shipped"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("others")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(found)
        (found / "plan.toml").write_text(PLAN, encoding="utf-8")
        for name, (command, _) in COMMANDS.items():
            with pytest.raises(SystemExit) as ended:
                main([*command, "--json", f"{name}.json"])
            assert ended.value.code == 0
    return found


@pytest.mark.parametrize("name", COMMANDS)
def test_load_says_what_a_file_of_a_command_is(folder, name):
    with pytest.raises(PrivcheckError) as refused:
        privcheck.load(folder / f"{name}.json")
    assert COMMANDS[name][1] in str(refused.value)
    assert "wrote" not in str(refused.value)  # it was written by a command with --json


def test_the_cells_of_a_sweep_are_said_to_be_that(tmp_path):
    file = tmp_path / "sweep.json"
    file.write_text(Sweep("folder", ({"status": "done"},)).to_json(), encoding="utf-8")
    with pytest.raises(PrivcheckError, match=r"cells of a sweep.*read_sweep reads its folder"):
        privcheck.load(file)
    assert len(read_folder(tmp_path).unread) == 1  # they hold verdicts, which no report passes over


def report(folder):
    with pytest.raises(SystemExit) as ended:
        main(["report", str(folder)])
    return ended.value.code


def test_a_report_lists_the_curve_and_passes_over_the_others(folder, capsys):
    assert report(folder) == 0
    said = capsys.readouterr()
    assert "privcheck: not read" not in said.err
    assert "files not read" not in said.out
    assert "curve.json" in said.out
    for name, (_, kind) in COMMANDS.items():
        told = [line for line in said.err.splitlines() if f"{name}.json" in line]
        assert len(told) == (name != "curve")
        assert all("not listed" in line and kind in line for line in told)
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert "Files without a verdict" in page
    assert "claimed.json" in page


def test_a_violation_beside_them_counts_and_foreign_files_are_bad_input(folder, tmp_path, capsys):
    for name in ("claimed", "account"):
        (tmp_path / f"{name}.json").write_bytes((folder / f"{name}.json").read_bytes())
    other = json.loads((folder / "claimed.json").read_text(encoding="utf-8"))
    del other["schema_version"]
    (tmp_path / "foreign.json").write_text(json.dumps(other), encoding="utf-8")
    assert report(tmp_path) == 2
    assert "privcheck: not read: " in capsys.readouterr().err
    (tmp_path / "audit.json").write_text(VIOLATION.to_json(), encoding="utf-8")
    assert report(tmp_path) == 1
