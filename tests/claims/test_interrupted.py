"""A signal ends an examination of claims with what was found by then."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import privcheck
from privcheck.claims import _examine, examine, findings_from_json
from privcheck.cli import run

IDS = ["hu-2021/fact17b", "azize-basu-2022/thm2-constant", "azize-basu-2022/lem12"]


def interrupted_after(count, monkeypatch):
    left, plain = [count], _examine._examine_one

    def one(claim, effort):
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        return plain(claim, effort)

    monkeypatch.setattr(_examine, "_examine_one", one)


def test_what_was_found_is_returned(monkeypatch):
    interrupted_after(2, monkeypatch)
    found = examine(IDS)
    assert [finding.id for finding in found] == IDS[:2]
    assert found.unexamined == 1


def test_what_was_found_is_printed_and_written(monkeypatch, tmp_path, capsys):
    interrupted_after(1, monkeypatch)
    file, page = tmp_path / "claims.json", tmp_path / "claims.html"
    assert run(["claims", *IDS, "--json", str(file), "--html", str(page)]) == 130
    printed = capsys.readouterr()
    assert printed.out.startswith("hu-2021/fact17b  refuted")
    assert printed.err == "privcheck: interrupted; 2 more claims were not examined\n"
    assert json.loads(file.read_text())["run"]["unexamined"] == 2
    assert [finding.status for finding in findings_from_json(str(file))] == ["refuted"]
    assert page.exists()


def test_before_the_first_claim_nothing_is_printed(monkeypatch, capsys):
    interrupted_after(0, monkeypatch)
    assert run(["claims", *IDS]) == 130
    assert capsys.readouterr() == ("", "privcheck: interrupted\n")


def test_each_finding_is_printed_as_soon_as_it_is_known(monkeypatch, capsys):
    plain, printed = _examine._examine_one, []

    def one(claim, effort):
        printed.append(capsys.readouterr().out)
        return plain(claim, effort)

    monkeypatch.setattr(_examine, "_examine_one", one)
    assert run(["claims", *IDS]) == 1
    last = capsys.readouterr().out
    assert printed[0] == ""
    assert printed[1].startswith(f"{IDS[0]}  refuted\n")
    assert printed[2].startswith(f"{IDS[1]}  proven\n")
    assert last.startswith(f"{IDS[2]}  ")
    assert last.splitlines()[-1].startswith("3 claims: ")
    assert sum(text.count(IDS[0]) for text in (*printed, last)) == 1


def test_json_on_standard_output_stays_json(capsys):
    assert run(["claims", *IDS, "--json", "-"]) == 1
    assert len(json.loads(capsys.readouterr().out)["claims"]) == 3


@pytest.mark.parametrize(("options", "examined"), [([], 1), (["--json", "claims.json"], 3)])
def test_where_nobody_reads_only_files_are_worth_more_work(options, examined, monkeypatch, tmp_path):
    plain, seen = _examine._examine_one, []

    def one(claim, effort):
        seen.append(claim.id)
        return plain(claim, effort)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_examine, "_examine_one", one)
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as nobody:
        monkeypatch.setattr("sys.stdout", nobody)
        run(["claims", *IDS, *options])
    assert len(seen) == examined
    assert Path("claims.json").exists() == bool(options)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_run_of_all_claims_with_what_was_found(number, tmp_path):
    places = os.environ | {"PYTHONPATH": str(Path(privcheck.__file__).parents[1])}
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "privcheck", "claims", "--json", "claims.json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path, env=places,
    )  # fmt: skip
    try:
        first = process.stdout.readline()
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 128 + number
    found = findings_from_json(tmp_path / "claims.json")
    assert first.startswith(f"{found[0].id}  {found[0].status}")
    assert err == f"privcheck: interrupted; {found.run['unexamined']} more claims were not examined\n"
    assert out.splitlines()[-1].startswith(f"{len(found)} claim")
