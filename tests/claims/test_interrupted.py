"""A signal ends an examination of claims with what was found by then."""

import json

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
