"""A refused certificate is told wherever its audit is: in the next step, in the overview, in its picture, in print."""

from __future__ import annotations

import io
import shlex
from dataclasses import replace

import pytest
from rich.console import Console

from privcheck.reporting import bounds_figure, details
from privcheck.reporting import page as render_page
from privcheck.reporting._annotations.job_summary import result_summary
from privcheck.reporting._descriptions.next_steps import next_step
from privcheck.reporting._pages.page_index import read_folder, sign
from privcheck.reporting._text.audit_sentences import verdict_sentence
from privcheck.reporting._text.certificate_facts import rests_on

TOLD = "certificate refused"
SAID = "budget: got a release at b.py:9 that takes the reward of round {} to 2, expected at most epsilon = 1 per datum"


def shown(content, width=100):
    console = Console(width=width, file=io.StringIO(), record=True)
    console.print(content)
    return " ".join(console.export_text().split())


@pytest.fixture
def audits(reports, certificates):
    consistent = replace(reports["consistent"], target="mine.py:Mine", feedback="bandit", arms=2)
    return {
        "refused": replace(consistent, certificate=certificates["refused"]),
        "leaky": replace(consistent, certificate=certificates["leaky"]),
        "granted": replace(consistent, certificate=certificates["granted"]),
        "none": replace(consistent, certificate=None),
        "violation": replace(consistent, verdict="violation", certificate=certificates["refused"]),
    }


@pytest.mark.parametrize("name", ["refused", "leaky", "granted", "none", "violation"])
def test_a_refused_certificate_is_told_with_its_audit(name, audits):
    report, refused = audits[name], name in ("refused", "leaky")
    assert (TOLD in str(report)) is refused
    assert (TOLD in render_page([report])) is refused
    texts = [text.get_text() for text in bounds_figure([report]).axes[0].texts]
    assert any(text.endswith(f"; {TOLD}") for text in texts) is refused


@pytest.mark.parametrize(("name", "mark"), [("refused", "–"), ("leaky", "–"), ("granted", "✓"), ("none", "✓")])
def test_a_claim_beside_a_refused_certificate_has_no_tick(name, mark, audits):
    """Whoever reads one line reads the tick: the code is known to leak, although these runs did not show it."""
    report = audits[name]
    first = f"{mark} consistent: the claim epsilon = 1 is not refuted"
    told = shown(details(report), width=1000)
    assert first in told
    assert ("; but its certificate is refused" in told) is (mark == "–")
    assert f"{mark} consistent, " in " ".join(t.get_text() for t in bounds_figure([report]).axes[0].texts)
    assert result_summary(report).startswith("### ✅ " if mark == "✓" else "### ➖ ")


@pytest.mark.parametrize(("name", "mark"), [("refused", "–"), ("granted", "✓")])
def test_an_index_has_no_tick_there_either(name, mark, audits, tmp_path):
    (tmp_path / "audit.json").write_text(audits[name].to_json(), encoding="utf-8")
    (row,) = read_folder(tmp_path).results
    assert sign(row) == mark
    assert ("certificate refused: " in row.detail) is (name == "refused")


def test_what_was_observed_is_what_nearly_all_runs_share(audits):
    """Of runs that released nothing it was said that they put out the same."""
    alike = replace(audits["none"], verdict="inconclusive")
    assert "but nearly all runs put out the same, which" in verdict_sentence(alike)
    told = verdict_sentence(replace(alike, observe="releases"))
    assert "but nearly all runs released the same, or nothing, which" in told


def test_an_inconclusive_audit_has_no_tick_in_a_job_summary(audits):
    assert result_summary(replace(audits["none"], verdict="inconclusive")).startswith("### ➖ ")


def test_the_next_step_after_a_refused_certificate_is_the_line(audits):
    what, command = next_step(audits["refused"])
    assert what == "the certificate was refused, and names the line"
    words = shlex.split(command)
    assert words[:3] == ["privcheck", "certify", "mine.py:Mine"]
    assert words[-2:] == ["--horizon", str(audits["refused"].certificate.horizon)]
    assert "a certificate proves" not in shown(details(audits["refused"]))
    for name in ("granted", "none"):
        assert next_step(audits[name])[0] == "a certificate proves what an audit cannot"


def test_refusals_that_differ_in_the_round_alone_are_shown_as_one(certificates):
    refusals = [SAID.format(9), SAID.format(10), SAID.format(8), SAID.format(3).replace("to 2", "to 3")]
    told = shown(details(replace(certificates["refused"], refusals=refusals)), width=200)
    assert "the reward of rounds 8-10 to 2, expected" in told
    assert "the reward of round 3 to 3, expected" in told
    assert told.count("got a release at b.py:9") == 2


def test_what_a_bound_rests_on_ends_with_the_range_of_rewards(certificates):
    granted, refused = certificates["granted"], certificates["refused"]
    assert rests_on(granted) == "nothing, provided that rewards lie in [0, 1]"
    wide = replace(granted, rewards=(-1.0, 2.5), rests_on={"the globals that are read": ["TABLE"]})
    assert rests_on(wide) == ("the globals that are read: TABLE; provided that rewards lie in [-1, 2.5]")
    assert rests_on(refused) == "nothing"
