"""Many audits together: the p-values that reports hold, and the lines of `privcheck report`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import privcheck
from privcheck.cli import run
from privcheck.reporting._many_audits import AuditedClaim, p_value_of, together
from privcheck.reporting._result_files import read_result
from tests.example_results import CERTIFIED, VIOLATION

PAIR = ([0.0], [1.0])


def noisy(scale):
    def noisy_sum(data, rng, runs):
        return float(np.sum(data)) + rng.laplace(0, scale, runs)

    return noisy_sum


def report(scale, claim=1.0, **options):
    return privcheck.audit(noisy(scale), epsilon=claim, streams=PAIR, runs=4000, **options)


@pytest.mark.chance(1e-6, "a claim of twice the loss and thousands of runs")
@pytest.mark.parametrize("options", [{}, {"delta": 1e-3}, {"sequential": True}, {"stop_after": 500}])
def test_a_broken_claim_has_a_small_p_value_and_a_kept_one_a_large_one(options):
    """The claim of the second one is twice the truth."""
    broken, kept = report(0.25, **options), report(2.0, **options)
    assert broken.verdict == "violation"
    assert 0.0 < broken.p_value <= broken.error
    assert kept.p_value > 0.01
    for found in (broken, kept):
        assert type(found).from_json(found.to_json()).p_value == found.p_value
        if found.e_value is not None:
            assert found.p_value == pytest.approx(1.0 / found.e_value)


@pytest.mark.parametrize("scale", [0.4, 0.7, 0.8, 0.9])
@pytest.mark.parametrize("seed", range(2))
def test_the_p_value_and_the_verdict_are_one_test(scale, seed):
    """A claim is refuted at level `error` exactly when its p-value is at most `error`."""
    found = report(scale, seed=seed, error=0.01)
    assert (found.verdict == "violation") is (found.p_value <= 0.01)


def test_a_claim_in_mu_has_one_too():
    def gaussian(data, rng, runs):
        return float(np.sum(data)) + rng.normal(0, 0.5, runs)

    broken = privcheck.audit(gaussian, mu=0.5, streams=PAIR, runs=4000)
    assert broken.verdict == "violation"
    assert broken.p_value <= broken.error
    assert privcheck.audit(gaussian, mu=4.0, streams=PAIR, runs=4000).p_value > 0.01


def test_reports_without_one():
    """An earlier report is worth its verdict; without a claim there is nothing to test."""
    early = replace(VIOLATION, p_value=None)
    assert p_value_of(early) == early.error
    assert p_value_of(replace(early, verdict="inconclusive")) == 1.0
    assert p_value_of(report(1.0, None)) is None
    assert privcheck.audit(noisy(1.0), streams=PAIR, runs=1000).p_value is None


def test_equal_seeds_are_dependent():
    claims = [AuditedClaim("a", 0.01, 0), AuditedClaim("b", 0.02, 1)]
    assert together(claims).independent
    for seed in (0, None):
        assert not together([*claims, AuditedClaim("c", 0.5, seed)]).independent
    assert together(claims[:1]) is None


def test_the_command_counts_all_claims(tmp_path, capsys):
    """One of many audits is refuted at its own level and not together: the lines say so, and the status stays."""
    for i in range(60):
        of_one = replace(CERTIFIED, target=f"kept {i}", seed=i, p_value=0.5)
        if i == 0:
            of_one = replace(VIOLATION, target="broken", seed=i, p_value=1e-9)
        if i == 1:
            of_one = replace(VIOLATION, target="by chance", seed=i, p_value=9e-4)
        (tmp_path / f"{i}.json").write_text(of_one.to_json())
        (tmp_path / f"{i}.html").write_text("a page, so that none needs to be drawn")
    assert read_result(tmp_path / "1.json").p_value == 9e-4
    assert run(["report", str(tmp_path)]) == 1
    shown = " ".join(capsys.readouterr().out.split())
    assert "among 60 claims (Holm): 1 refuted: broken (p 6e-08)." in shown
    assert "(Benjamini-Hochberg: no two audits have the same seed): 2 refuted: broken (p 6e-08), by chance" in shown
    assert "All claims together" in (tmp_path / "index.html").read_text(encoding="utf-8")
    assert run(["report", str(tmp_path), "--level", "0"]) == 2
    assert "level: got 0" in capsys.readouterr().err
