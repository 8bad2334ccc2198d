"""`privcheck claims`: exit statuses, files, replay, bad input, a missing package."""

from __future__ import annotations

import json

import pytest

from privcheck import extras
from privcheck.claims import CLAIMS, chosen_claims
from privcheck.cli import run

FALSE, TRUE = "hu-2021/fact17b", "azize-basu-2022/thm2-constant"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "300")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    path = tmp_path_factory.mktemp("claims") / "a.json"
    run(["claims", FALSE, "--json", str(path)])
    return path.read_text()


def test_statuses_and_files(tmp_path, capsys):
    assert run(["claims", TRUE]) == 0
    assert "proven" in capsys.readouterr().out
    assert run(["claims", FALSE, TRUE, "--json", "a.json", "--html", "a.html"]) == 1
    out, err = capsys.readouterr()
    assert (FALSE in out, TRUE in out, err) == (True, True, "")
    rows = json.loads((tmp_path / "a.json").read_text())["claims"]
    assert [row["id"] for row in rows] == [FALSE, TRUE]
    assert rows[0]["readings"][0]["evidence"]["point"]
    assert FALSE in (tmp_path / "a.html").read_text()
    assert run(["claims", "--replay", "a.json"]) == 1
    assert FALSE in capsys.readouterr().out
    assert run(["claims", TRUE, "--json", "b.json"]) == 0
    assert run(["claims", "--replay", "b.json"]) == 0


def test_a_claim_that_was_entered_otherwise_is_checked_as_it_is_now(written, tmp_path, capsys):
    content = json.loads(written)
    (tmp_path / "a.json").write_text(written)
    assert run(["claims", "--replay", "a.json"]) == 1
    assert not capsys.readouterr().err
    content["claims"][0]["fingerprint"] = "0123456789ab"
    (tmp_path / "a.json").write_text(json.dumps(content))
    assert run(["claims", "--replay", "a.json"]) == 1
    assert capsys.readouterr().err.endswith(f"and checked as they are now: {FALSE}\n")


def test_claims_are_listed_by_their_kept_status(capsys):
    def listed(*options):
        assert run(["claims", "--list", *options, "--json", "-"]) == 0
        return {row["id"]: row["kept_status"] for row in json.loads(capsys.readouterr().out)["declared"]}

    assert listed("--status", "refuted", "--paper", "hu-2021") == {FALSE: "refuted", "hu-2021/thm8": "refuted"}
    failing, everything = listed("--fault", "all"), listed()
    assert set(failing.values()) == {"refuted", "order-refuted", "refuted-under-reading", "derivation-fails"}
    assert failing == {name: status for name, status in everything.items() if status in failing.values()}
    run(["claims", "--list", FALSE, TRUE])
    out = capsys.readouterr().out
    assert f"{FALSE}  Fact 17, (15), law: refuted (misprint)\n" in out
    assert "2 claims; statuses of the run kept in the package" in out
    assert run(["claims", "--paper", "hu-2021", "--status", "refuted"]) == 1
    assert "2 claims: 2 refuted" in capsys.readouterr().out


def test_statements_and_steps_are_shown_and_the_rest_on_request(capsys):
    def listed(*options):
        assert run(["claims", "--list", *options, "--json", "-"]) == 0
        return {row["id"]: row["fault"] for row in json.loads(capsys.readouterr().out)["declared"]}

    shown = listed("--status", "wrong")
    assert set(shown.values()) == {"statement", "step"}
    assert "hu-2021/thm8" in shown
    assert FALSE not in shown
    for fault in ("statement", "step", "range", "misprint", "reading"):
        assert set(listed("--fault", fault).values()) == {fault}
    every = listed("--fault", "all")
    run(["claims", "--list", "--status", "wrong"])
    milder = f". {len(every) - len(shown)} more fail in their range, as a misprint or in a reading: --fault all"
    assert milder in capsys.readouterr().out
    run(["claims", "--list", "--fault", "all"])
    assert " more fail" not in capsys.readouterr().out
    assert listed("--status", "wrong", "--fault", "misprint") == listed("--fault", "misprint")
    assert set(listed("--status", "refuted", "--fault", "misprint")) == {FALSE, "shariff-sheffet-2018/prop11"}
    assert shown == {name: fault for name, fault in listed("--fault", "all").items() if fault in ("statement", "step")}


def test_a_theorem_stands_for_its_claims_and_a_claim_for_its_full_id(capsys):
    def listed(*ids):
        assert run(["claims", *ids, "--list", "--json", "-"]) == 0
        return [row["id"] for row in json.loads(capsys.readouterr().out)["declared"]]

    assert listed("azize-basu-2022/lemma2") == ["azize-basu-2022/lem2"]
    assert listed("eq33c", "azize-basu-2022/eq33c") == ["azize-basu-2022/eq33c"]
    both = listed("hu-2021/thm9")  # a claim and a theorem, which rests on others
    assert both[0] == "hu-2021/thm9"
    assert {"hu-2021/thm8", "hu-2021/thm9-tuning"} < {*both}
    assert "azize-basu-2022/eq17" in listed("azize-basu-2022/thm3"), "as the footnote of `privcheck bounds` says"
    for unknown in ("azize-basu-2022/thm3-tight", "thm9"):  # rests on no claim; of two papers
        assert run(["claims", unknown]) == 2
        assert "or of a theorem that rests on claims" in capsys.readouterr().err


@pytest.mark.parametrize("columns", ["60", "80", "140"])
def test_ids_are_shown_whole_at_any_width(columns, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", columns)
    run(["claims", "azize-basu-2022/thm7-choice"])
    out = capsys.readouterr().out
    assert "azize-basu-2022/thm7-choice  derivation-fails\n" in out
    assert out.endswith("1 claim: 1 derivation-fails\n")
    assert max(map(len, out.splitlines())) <= int(columns)


def test_list(capsys):
    assert run(["claims", "--list", "--paper", "hu-2021", "--json", "-"]) == 0
    rows = json.loads(capsys.readouterr().out)["declared"]
    assert len(rows) > 20
    assert all(row["id"].startswith("hu-2021/") and row["quote"] and "status" not in row for row in rows)


def test_a_run_of_all_claims_has_the_order_of_the_papers():
    """The committed run is made by it; claims that are theorems, too, do not bring forward what they rest on."""
    assert [claim.id for claim in chosen_claims()] == list(CLAIMS)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["hu-2021/fact17"], ["id: got 'hu-2021/fact17'", "did you mean"]),
        (["--paper", "nobody-2020"], ["paper: got 'nobody-2020'", "hu-2021"]),
        (["--status", "false"], ["status: got 'false'", "'wrong', 'refuted'"]),
        (["--fault", "wrong"], ["fault: got 'wrong'", "'all', 'statement'"]),
        (["--fault", "step", "--replay", "a.json"], ["replay", "no --fault"]),
        (["--status", "refuted", "--markdown", "a.md"], ["markdown", "a run of all claims"]),
        (["--effort", "1 day"], ["effort: got '1 day'", "1m or 2h"]),
        (["--effort", "0m"], ["effort"]),
        (["--seed", "-1"], ["seed: got -1"]),
        (["--json", "a.txt"], ["json"]),
        (["--html", "a.txt"], ["html"]),
        (["--markdown", "a.html"], ["markdown"]),
        ([FALSE, "--markdown", "a.md"], ["markdown", "a run of all claims"]),
        (["--replay", "missing.json"], ["replay", "missing.json"]),
        ([FALSE, "--replay", "a.json"], ["replay", "no ids"]),
    ],
)
def test_bad_input_is_one_line(arguments, told, capsys):
    assert run(["claims", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert all(part in err for part in told), err


@pytest.mark.parametrize(
    "change",
    [
        lambda row: row["readings"][0]["evidence"]["point"].update(n="0"),
        lambda row: row["readings"][0]["evidence"].pop("point"),
        lambda row: row["readings"][0].update(status="not-refuted"),
        lambda row: row["readings"][0].update(name="another"),
        lambda row: row.update(id="hu-2021/nothing"),
        lambda row: row.update(readings="none"),
    ],
)
def test_a_file_that_was_changed_confirms_nothing(change, written, tmp_path, capsys):
    content = json.loads(written)
    change(content["claims"][0])
    (tmp_path / "a.json").write_text(json.dumps(content))
    capsys.readouterr()
    assert run(["claims", "--replay", "a.json"]) == 2
    assert capsys.readouterr().err.startswith("privcheck: replay: ")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"claims": 1}'])
def test_other_files_are_refused(text, tmp_path, capsys):
    (tmp_path / "a.json").write_text(text)
    assert run(["claims", "--replay", "a.json"]) == 2
    assert "replay" in capsys.readouterr().err


def test_without_the_extra_packages_the_command_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setattr(extras.importlib.util, "find_spec", lambda name: None)
    assert run(["claims", "--list"]) == 2
    assert "pip install 'privcheck[claims]'" in capsys.readouterr().err
