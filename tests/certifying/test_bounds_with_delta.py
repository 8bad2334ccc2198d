"""Both bounds of an audit at (epsilon, delta): the audited lower one and the certified upper one, at one delta."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from privcheck import AuditReport, audit
from privcheck.cli import run
from privcheck.reporting import bounds_figure
from privcheck.reporting import page as render_page
from privcheck.reporting._text.both_bounds import (
    certified_text,
    contradiction,
    of_one_object,
    sandwich,
    upper_bound,
)
from privcheck.reporting._text.repeating import repeat_audit
from tests.example_results import CERTIFIED, GAUSSIAN

TREE = f"{Path(__file__).parents[2] / 'examples' / 'gaussian_tree_bandit.py'}:GaussianTreeBandit"
POLICIES = f"{Path(__file__).with_name('gaussian_policies.py')}:"
DELTA = 1e-6
PAIR = np.zeros((4, 2)), np.array([[1.0, 1.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
BOTH = replace(CERTIFIED, delta=DELTA, certificate=GAUSSIAN, epsilon_lower=0.25)


@pytest.mark.chance(2e-6, "a verdict and a bound at 1e-6")
def test_the_whole_sandwich_of_a_gaussian_tree_bandit():
    """Verdict and lower bound each have the level 1e-6."""
    levels = {"error": 1e-6, "confidence": 1.0 - 1e-6}
    report = audit(TREE, epsilon=1.0, delta=DELTA, arms=2, streams=PAIR, runs=300, **levels)
    certificate = report.certificate
    assert certificate.granted
    assert (certificate.delta, certificate.accountant, certificate.epsilon_upper) == (DELTA, "gdp", 1.0)
    assert of_one_object(report)
    assert report.verdict != "violation"
    assert report.epsilon_lower <= upper_bound(report) == 1.0
    assert "The true epsilon at delta = 1e-06 lies between" in sandwich(report)
    assert "≤ 1 at delta = 1e-06" in certified_text(report)
    again = AuditReport.from_json(report.to_json())
    assert (again.to_json(), sandwich(again)) == (report.to_json(), sandwich(report))


@pytest.mark.chance(1e-6, "one bound at this level")
@pytest.mark.parametrize("guarded", [False, True])
def test_too_little_noise_is_refused_and_refuted(guarded):
    """The broken twin: no certificate, and a violation; under its guard it releases nothing, and nothing is found.

    A true claim would be called violated with probability 1e-3 at most, a lower bound above 0 has probability 0.05;
    the seed is fixed.
    """
    streams = np.zeros((6, 2)), np.vstack([np.ones((1, 2)), np.zeros((5, 2))])
    report = audit(
        f"{POLICIES}TooLittleNoise", epsilon=1.0, delta=DELTA, arms=2, streams=streams, guarded=guarded,
        runs=40 if guarded else 600, observe="actions" if guarded else "releases",
    )  # fmt: skip
    assert not report.certificate.granted
    assert "a release was refused" in certified_text(report)
    assert sandwich(report) is None
    assert (report.verdict == "violation") == (not guarded)
    assert (report.epsilon_lower > 1.0) == (not guarded)


def test_a_gaussian_policy_with_a_pure_claim():
    """Its certificate is refused, the audit goes on."""
    report = audit(f"{POLICIES}Batches", epsilon=1.0, arms=2, streams=PAIR, runs=60)
    assert "without a bound on epsilon" in report.certificate.refusals[0]
    assert (upper_bound(report), sandwich(report)) == (None, None)
    assert report.epsilon_lower is not None


def test_a_guarded_gaussian_policy_is_audited():
    report = audit(f"{POLICIES}Batches", epsilon=1.0, delta=DELTA, arms=2, streams=PAIR, runs=60, guarded=True)
    assert (report.certificate.granted, report.verdict) != (True, "violation")
    assert upper_bound(report) == 1.0


def test_both_bounds_are_at_one_delta():
    """A certificate at a larger delta says nothing at the audit's; one at a smaller delta is converted."""
    assert sandwich(BOTH) == (
        "The true epsilon at delta = 1e-06 lies between 0.250 (95 % confidence) and 1.000 (certified, under the guard, "
        "provided that rewards lie in [0, 1])."
    )
    smaller = replace(BOTH, delta=1e-7)
    assert (upper_bound(smaller), of_one_object(smaller), sandwich(smaller)) == (None, False, None)
    larger = replace(BOTH, delta=0.01)
    assert of_one_object(larger)
    assert 0.9 < upper_bound(larger) < 1.0
    pure = replace(BOTH, delta=0.0)
    assert (
        upper_bound(pure),
        of_one_object(pure),
        contradiction(replace(pure, epsilon_lower=3.0, verdict="violation")),
    ) == (
        None,
        False,
        None,
    )


def test_a_contradiction_at_one_delta():
    wrong = replace(BOTH, epsilon_lower=1.5, verdict="violation")
    assert "epsilon = 1, delta = 1e-06 is refuted" in contradiction(wrong)
    assert contradiction(replace(wrong, delta=1e-7)) is None


def test_pages_and_pictures_have_both_bounds():
    page = render_page([BOTH])
    assert "epsilon at delta = 1e-06 lies between 0.250" in page
    axes = bounds_figure([BOTH]).axes[0]
    assert "✓ consistent, 0.250 ≤ epsilon ≤ 1.000" in [text.get_text() for text in axes.texts]
    apart = bounds_figure([replace(BOTH, delta=1e-7)]).axes[0]
    assert "✓ consistent, epsilon ≥ 0.250" in [text.get_text() for text in apart.texts]


def test_accountants_of_an_audit_are_repeated(tmp_path):
    shares = {"gdp": 0.75, "zcdp": 0.25}
    report = audit(
        f"{POLICIES}Windows", epsilon=2.0, delta=DELTA, arms=2, horizon=6, runs=100, pairs=2, accountants=shares
    )
    assert report.accountants == report.certificate.shares == shares
    assert "accountants={'gdp': 0.75, 'zcdp': 0.25}" in str(repeat_audit(report).python)
    assert "--accountants gdp=0.75,zcdp=0.25" in str(repeat_audit(report).command)
    file = tmp_path / "audit.json"
    options = ["--epsilon", "2", "--delta", "1e-6", "--arms", "2", "--horizon", "6", "--runs", "100", "--pairs", "2"]
    options += ["--accountants", "gdp=0.75,zcdp=0.25", "--json", str(file)]
    run(["audit", f"{POLICIES}Windows", *options])
    written, expected = json.loads(file.read_text()), json.loads(report.to_json())
    assert {**written, "seconds": 0} == {**expected, "seconds": 0}
