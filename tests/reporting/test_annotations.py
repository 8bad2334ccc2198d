"""Findings at lines of code: GitHub annotations, SARIF, and the command line that writes them."""

from __future__ import annotations

import difflib
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import privcheck
from privcheck.cli import run
from privcheck.private_values import KINDS
from privcheck.reporting import details
from privcheck.reporting import page as render_page
from privcheck.reporting._annotations.code_finding import RULES, Finding, findings
from privcheck.reporting._annotations.github import commands_of
from privcheck.reporting._annotations.sarif import replacements_of, sarif, save_sarif
from privcheck.reporting._text.failure_lines import faults_told
from privcheck.results import FAULT_KINDS, Fault
from tests.example_results import FIXED_BANDIT, GRANTED, VIOLATION

REPOSITORY = Path(__file__).parents[2]
EXAMPLE = "examples/running_mean_bandit.py"
FAULT = Fault(
    "raw-decision",
    "shop, 2/bandit.py",
    30,
    "done = done or reward > 0.9",
    "the reward of round 6 is read here",
    (6,),
    ("total += reward", "done = done or reward > 0.9", "if done < 1 & 2:"),
    29,
)
FAULTY = replace(VIOLATION, faults=[FAULT])


@pytest.fixture(autouse=True)
def in_the_repository(monkeypatch):
    monkeypatch.chdir(REPOSITORY)


def uncommanded(text):
    return text.replace("%3A", ":").replace("%2C", ",").replace("%0A", "\n").replace("%0D", "\r").replace("%25", "%")


def check_log(log):
    """Check what the SARIF 2.1.0 standard requires of the objects that are used here (sections 3.13 to 3.49)."""
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-schema-2.1.0.json")
    for one in log["runs"]:
        rules = one["tool"]["driver"]["rules"]
        assert one["tool"]["driver"]["name"] == "privcheck"
        ids = [rule["id"] for rule in rules]
        assert len(ids) == len(set(ids))
        for rule in rules:
            for text in ("shortDescription", "fullDescription", "help"):
                assert set(rule[text]) == {"text"}
                assert rule[text]["text"]
        for result in one["results"]:
            assert set(result) <= {"ruleId", "ruleIndex", "level", "message", "locations", "partialFingerprints"}
            assert result["level"] in ("none", "note", "warning", "error")
            assert result["message"]["text"]
            assert ids[result["ruleIndex"]] == result["ruleId"]
            assert all(isinstance(mark, str) for mark in result["partialFingerprints"].values())
            for location in result.get("locations", []):
                place = location["physicalLocation"]
                assert re.fullmatch(r"[A-Za-z0-9._~:/%-]+", place["artifactLocation"]["uri"])
                assert type(place["region"]["startLine"]) is int
                assert place["region"]["startLine"] >= 1


def test_every_kind_has_a_rule_with_sentences():
    assert set(FAULT_KINDS) | {f"leak-{kind}" for kind in KINDS} < set(RULES)
    for rule in RULES.values():
        assert rule.title[0].islower() or rule.title.startswith("one")
        assert rule.meaning.endswith(".")
        assert rule.fix.endswith(".")


def test_a_fault_is_a_finding_at_its_line():
    (finding,) = findings(FAULTY)
    assert (finding.rule, finding.file, finding.line) == ("raw-decision", "shop, 2/bandit.py", 30)
    assert finding.message.startswith("The reward of round 6 is read here. Usual fix: Decide")
    assert "the claim epsilon = 1 is refuted" in finding.message


def test_nothing_is_found_where_nothing_is_wrong():
    assert findings(GRANTED) == findings(replace(FAULTY, verdict="consistent")) == []
    check_log(sarif([]))
    assert sarif([])["runs"][0]["results"] == []


@pytest.mark.parametrize("text", ["100 %", "two\nlines", "a: b, c", "::error::x", "%0A\r"])
def test_annotations_are_one_command_each_whatever_the_text_is(text):
    (line,) = commands_of([Finding("raw-argmax", text, text, 3)])
    properties, message = re.fullmatch(r"::error (file=[^\n]*?)::([^\n\r]*)", line).groups()
    assert uncommanded(message) == text
    given = dict(part.split("=", 1) for part in properties.split(","))
    assert given["line"] == "3"
    assert not {":", "\n", "\r"} & set(given["file"])


def test_sarif_has_what_the_standard_requires(tmp_path):
    found = [*findings(FAULTY), *findings(VIOLATION), Finding("refused-release", "no", str(tmp_path / "a b.py"), 4)]
    save_sarif(found, tmp_path / "found.sarif")
    log = json.loads((tmp_path / "found.sarif").read_text("utf-8"))
    check_log(log)
    first, second, third = log["runs"][0]["results"]
    assert first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "shop%2C%202/bandit.py"
    assert "locations" not in second
    assert third["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].startswith("file:///")
    assert len({result["partialFingerprints"]["privcheck/v1"] for result in (first, second, third)}) == 3


def test_the_check_of_logs_can_fail():
    log = sarif(findings(FAULTY))
    log["runs"][0]["results"][0]["ruleIndex"] = 0
    check_log(log)
    log["runs"][0]["results"][0]["ruleId"] = "another"
    with pytest.raises(AssertionError):
        check_log(log)


def test_a_refused_certificate_is_found_at_its_release():
    certificate = privcheck.certify(f"{EXAMPLE}:RunningMeanBandit", epsilon=1.0, arms=2, horizon=4, runs=2)
    (finding,) = findings(certificate)
    assert (finding.rule, finding.file) == ("refused-release", EXAMPLE)
    line = (REPOSITORY / EXAMPLE).read_text("utf-8").splitlines()[finding.line - 1]
    assert line.strip() == "self.published[arm] = self.sums[arm] / n + noise"


def test_a_leak_is_found_at_its_line():
    place = "tests/certifying/zoo.py:BlocksByRewards"
    found = findings(privcheck.certify(place, epsilon=1.0, arms=2, horizon=8, runs=2))
    lines = Path("tests/certifying/zoo.py").read_text("utf-8").splitlines()
    line = next(n for n, text in enumerate(lines, 1) if "here: BlocksBy" in text)
    assert [(one.rule, one.file, one.line) for one in found] == [("leak-comparison", "tests/certifying/zoo.py", line)]


def test_a_violation_without_a_line_is_found_at_its_target():
    (finding,) = findings(replace(VIOLATION, target=f"{EXAMPLE}:RunningMeanBandit"))
    assert (finding.rule, finding.file) == ("violation", EXAMPLE)
    assert finding.code == "class RunningMeanBandit:"


def test_the_command_prints_annotations_and_writes_sarif(tmp_path, capsys):
    path = tmp_path / "made" / "found.sarif"
    arguments = ["certify", f"{EXAMPLE}:RunningMeanBandit", "--epsilon", "1", "--arms", "2", "--horizon", "4"]
    assert run([*arguments, "--runs", "2", "--annotate", "github", "--sarif", str(path)]) == 1
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith(f"::error file={EXAMPLE},line=")
    log = json.loads(path.read_text("utf-8"))
    check_log(log)
    assert len(log["runs"][0]["results"]) == 1


def test_an_audit_prints_annotations(tmp_path, capsys):
    streams = tmp_path / "pair.npy"
    np.save(streams, np.stack([np.zeros((8, 2)), np.concatenate([np.ones((1, 2)), np.zeros((7, 2))])]))
    arguments = ["audit", f"{EXAMPLE}:RunningMeanBandit", "--epsilon", "1", "--arms", "2", "--runs", "6000"]
    path = tmp_path / "found.sarif"
    assert run([*arguments, "--streams", str(streams), "--annotate", "github", "--sarif", str(path)]) == 1
    assert (
        f"::error file={EXAMPLE},line=43,title=privcheck%3A the same data are released again::"
        in capsys.readouterr().out
    )
    check_log(json.loads(path.read_text("utf-8")))


def test_an_audit_without_a_claim_warns_that_it_tested_nothing(monkeypatch, capsys):
    for report, warned in ((replace(VIOLATION, verdict=None, epsilon_claimed=None), True), (VIOLATION, False)):
        monkeypatch.setattr("privcheck.auditing.audit", lambda *given, report=report, **options: report)
        run(["audit", "adap-ucb", "--runs", "20", "--annotate", "github"])
        told = capsys.readouterr().out
        assert ("::warning title=privcheck::no claim was tested" in told) is warned
        assert ("::error" in told) is not warned


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--annotate", "gitlab"], "annotate: got 'gitlab', expected github"),
        (["--annotate", "github", "--json", "-"], "annotate: got 'github', expected standard output"),
        (["--sarif", "found.txt"], "sarif: got 'found.txt', expected a file that ends in .sarif or .json"),
    ],
)
@pytest.mark.parametrize("command", ["audit", "certify"])
def test_bad_options_are_refused_before_any_work(command, given, told, capsys):
    assert run([command, "no/such/file.py:Name", "--epsilon", "1", *given]) == 2
    assert told in capsys.readouterr().err


# What people read


def test_the_terminal_the_page_a_notebook_and_a_test_show_the_line():
    from rich.console import Console

    console = Console(width=200, file=io.StringIO())
    console.print(details(FAULTY))
    shown = [console.file.getvalue(), render_page([FAULTY]), FAULTY._repr_html_(), "\n".join(faults_told(FAULTY))]
    for text in shown:
        plain = text.replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&")
        assert "bandit.py:30" in plain
        assert "a decision on raw data" in plain
        assert "> 30  done = done or reward > 0.9" in plain
        assert "  31  if done < 1 & 2:" in plain
        assert FAULT.about.fix.split(",")[0] in plain
    assert "<mark>&gt; 30  done" in shown[1]


def test_an_unknown_kind_of_a_later_version_is_shown_by_its_id():
    later = replace(FAULTY, faults=[replace(FAULT, kind="later-kind", excerpt=())])
    assert "later-kind" in render_page([later])
    assert commands_of(findings(later))[0].endswith("(95 %25 confidence).)")


def test_a_fix_changes_the_file_of_the_target_wherever_the_fault_is():
    finding = replace(FIXED_BANDIT.finding, file="helper.py", line=4)
    (result,) = sarif(findings(replace(FIXED_BANDIT, finding=finding)))["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "helper.py"}
    assert result["fixes"][0]["artifactChanges"][0]["artifactLocation"] == {"uri": "bandit.py"}


def unified(before, after):
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    found = difflib.unified_diff(old, new, "a/x.py", "b/x.py")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in found)


@pytest.mark.parametrize(
    ("before", "after"),
    [("a\nb", "a\nc\nd"), ("a\nb", "a\nb\nc\n"), ("a\nb\n", "a\nc"), ("b", ""), ("a\nb\n", "0\na\nc\n")],
)
def test_regions_of_a_fix_lie_in_the_file(before, after):
    lines = before.split("\n")
    text = before
    for each in reversed(replacements_of(unified(before, after))):
        region = each.region
        assert region["endLine"] <= len(lines)
        start, end = (
            sum(len(line) + 1 for line in lines[: line - 1]) + column - 1
            for line, column in ((region["startLine"], 1), (region["endLine"], region["endColumn"]))
        )
        assert end <= len(before)
        text = text[:start] + each.text + text[end:]
    assert text == after
