"""Claims in mu, in rho and as a trade-off curve: refuted where they are wrong, and hardly ever where they are right."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize_scalar

import privcheck
from privcheck import PrivcheckError
from privcheck.accounting import (
    CurveProfile,
    corners_of,
)
from privcheck.accounting._claimed_profile import (
    ConcentratedProfile,
    GaussianProfile,
)
from privcheck.cli import run
from privcheck.reporting._text.audit_sentences import meaning, verdict_sentence
from privcheck.reporting._text.repeating import repeat_audit

PAIR = ([0.0], [1.0])


def gaussian(mu):
    return lambda data, rng, runs: mu * data[0] + rng.normal(size=runs)


def audited(target, **options):
    return privcheck.audit(target, **{"streams": PAIR, "runs": 20_000, "error": 1e-6} | options)


@pytest.mark.chance(1e-6, "a mean of bounds within 5.5 standard errors, and the largest within 5 of the truth")
def test_the_bar_on_a_gaussian_mechanism():
    """mu = .268 at 1e5 runs: bounds have a mean of .2514 and a deviation of .0084, measured on other seeds."""
    bounds = [audited(gaussian(0.268), runs=100_000, mu=0.25, seed=seed).claim_lower for seed in range(20)]
    assert abs(np.mean(bounds) - 0.2514) < 5.5 * 0.0084 * math.sqrt(1 / 20 + 1 / 40)
    assert max(bounds) < 0.268 + 5 * 0.0065
    assert audited(gaussian(0.268), runs=1_000_000, mu=0.9 * 0.268).verdict == "violation"


@pytest.mark.chance(1e-6, "one verdict on a true claim at this error")
@pytest.mark.parametrize(
    ("truth", "claim", "verdict"),
    [
        ({"mu": 1.0}, {"mu": 0.8}, "violation"),
        ({"mu": 1.0}, {"mu": 1.1}, "consistent"),
        ({"mu": 1.0}, {"rho": 0.2}, "violation"),
        ({"mu": 1.0}, {"rho": 0.5}, "consistent"),
        ({"mu": 1.0}, {"tradeoff": lambda a: stats.norm.cdf(stats.norm.isf(a) - 0.8)}, "violation"),
        ({"mu": 1.0}, {"tradeoff": lambda a: stats.norm.cdf(stats.norm.isf(a) - 1.1)}, "consistent"),
    ],
)
def test_verdicts(truth, claim, verdict):
    """The claims that are wrong have too small an amount by a fifth or more: at 20,000 runs ten standard errors."""
    report = audited(gaussian(truth["mu"]), **claim)
    assert report.verdict == verdict
    assert report.epsilon_claimed is None
    assert report.claim_epsilon is not None
    again = privcheck.AuditReport.from_json(report.to_json())
    assert again.to_json() == report.to_json()
    assert again.claimed == report.claimed


@pytest.mark.chance(1e-6, "one verdict on a true claim at this error")
def test_laplace_noise_keeps_its_curve_and_not_a_steeper_one():
    """Laplace noise with epsilon = 1 has a trade-off curve that lies above two lines through (0, 1), (1, 0)."""

    def laplace(data, rng, runs):
        return data[0] + rng.laplace(size=runs)

    pure = [(0.0, 1.0), (1.0 / (1.0 + math.e), 1.0 / (1.0 + math.e)), (1.0, 0.0)]
    assert audited(laplace, tradeoff=pure).verdict == "consistent"
    steeper = [(0.0, 1.0), (0.5 * math.exp(-0.5) + 0.05,) * 2, (1.0, 0.0)]
    assert audited(laplace, tradeoff=steeper).verdict == "violation"


@pytest.mark.chance(1e-8, "an event whose shares are more than 20 standard errors from what the claim allows")
@pytest.mark.parametrize(("runs", "seed"), [(5000, 2), (20_000, 1)])
def test_half_the_noise_is_refuted_at_a_small_error(runs, seed):
    """A tail of .05 % and 10 % promised a larger bound at 95 %, and did not refute four times the claim at 1e-6."""
    report = privcheck.audit(
        lambda data, rng: data.sum() + rng.normal(0.0, 0.5), rho=0.5, horizon=3, runs=runs, seed=seed, error=1e-6
    )
    assert report.verdict == "violation"
    assert report.claim_lower > 0.8


@pytest.mark.chance(2e-6, "two counts of wrong audits, against binomial quantiles")
@pytest.mark.evidence
def test_false_alarms_at_the_boundary(evidence):
    """Audits of a claim that holds with equality, at error .05."""
    repetitions = evidence(30, 500)
    most = int(stats.binom.isf(1e-6, repetitions, 0.05))
    options = {"mu": 0.5, "runs": 2000, "error": 0.05}
    reports = [audited(gaussian(0.5), seed=seed, **options) for seed in range(repetitions)]
    assert sum(report.verdict == "violation" for report in reports) <= most
    assert sum(report.claim_lower > 0.5 for report in reports) <= most
    assert np.median([report.claim_lower for report in reports]) > 0.35


@pytest.mark.chance(1e-6, "power: 20 audits with a truth far above what they can show, at most 1e-8 each")
@pytest.mark.parametrize("claim", [{"rho": 0.02}, {"mu": 0.05}])
def test_what_the_runs_could_not_have_shown_is_not_consistent(claim):
    """Truth: 2.7 times the rho that is claimed. At 6,000 runs most of such claims were called consistent."""
    rho = claim.get("rho", claim.get("mu", 0.0) ** 2 / 2.0)
    noisy = gaussian(math.sqrt(2.0 * 2.7 * rho))
    for seed in range(10):
        report = audited(noisy, runs=6000, seed=seed, error=1e-3, **claim)
        assert report.verdict in ("inconclusive", "violation")
    report = audited(gaussian(0.0), runs=6000, error=1e-6, **claim)
    assert report.verdict == "inconclusive"
    assert report.resolution.epsilon < next(iter(claim.values()))
    assert "for Gaussian noise of 2.2 times" in verdict_sentence(report)
    assert "2.2 times the claimed rho" in meaning(report)[0]


@pytest.mark.chance(1e-6, "three bounds of Gaussian noise, each 5 standard deviations above the claim")
@pytest.mark.parametrize("claim", [{"rho": 0.5}, {"rho": 0.1}, {"mu": 0.5}])
def test_what_could_have_been_shown_of_gaussian_noise_is_what_audits_show(claim):
    """With 40,000 runs the noise of 2.2 times the claim is refuted whenever the report of a true claim says so."""
    ((name, amount),) = claim.items()
    mu = math.sqrt(2.0 * 2.2 * amount) if name == "rho" else math.sqrt(2.2) * amount
    told = audited(gaussian(0.0), runs=40_000, error=1e-3, **claim)
    assert (told.verdict, told.resolution.epsilon > amount) == ("consistent", True)
    shown = [audited(gaussian(mu), runs=40_000, error=1e-3, confidence=0.999, seed=seed, **claim) for seed in range(3)]
    assert all(report.verdict == "violation" for report in shown)
    assert told.resolution.epsilon == pytest.approx(np.mean([report.claim_lower for report in shown]), rel=0.15)


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 3.0])
def test_the_profile_of_mu_is_that_of_two_normal_laws(epsilon):
    """By the definition: the largest P(S) - e^epsilon Q(S), over half-lines."""
    for mu in (0.1, 0.5, 2.0):

        def excess(t, mu=mu):
            return -(stats.norm.sf(t, mu) - math.exp(epsilon) * stats.norm.sf(t))

        best = -minimize_scalar(excess, bounds=(-8.0, 40.0), options={"xatol": 1e-10}).fun
        assert GaussianProfile(mu).delta_at(epsilon) == pytest.approx(max(best, 0.0), rel=1e-6, abs=1e-12)
        delta = GaussianProfile(mu).delta_at(epsilon)
        assert GaussianProfile(9.0).amount(epsilon, delta) == pytest.approx(mu, rel=1e-6) or delta < 1e-12


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0])
def test_no_mechanism_with_this_rho_exceeds_its_profile(epsilon):
    """Gaussian noise with rho = mu^2 / 2, and randomised response by its Renyi divergences."""
    for rho in (0.01, 0.1, 0.5):
        assert ConcentratedProfile(rho).delta_at(epsilon) >= GaussianProfile(math.sqrt(2.0 * rho)).delta_at(epsilon)
    for loss in (0.1, 0.5, 1.0):
        p = 1.0 / (1.0 + math.exp(-loss))
        orders = 1.0 + np.geomspace(1e-6, 1e3, 4000)
        with np.errstate(over="ignore"):
            logs = np.logaddexp(
                orders * math.log(p) + (1 - orders) * math.log1p(-p),
                orders * math.log1p(-p) + (1 - orders) * math.log(p),
            )
        rho = float((logs / (orders - 1.0) / orders).max())
        assert ConcentratedProfile(rho).delta_at(epsilon) >= max(0.0, p - math.exp(epsilon) * (1.0 - p)) - 1e-9


def test_the_polygon_of_a_function_is_nowhere_above_it():
    for curve in (lambda a: (1.0 - math.sqrt(a)) ** 2, lambda a: stats.norm.cdf(stats.norm.isf(a) - 1.5)):
        corners = np.array(corners_of(curve))
        grid = np.linspace(0.0, 1.0, 5001)
        inside = np.interp(grid, corners[:, 0], corners[:, 1])
        exact = np.array([curve(a) for a in grid])
        assert (inside <= exact + 1e-12).all()
        assert np.abs(inside - exact)[50:-50].max() < 5e-3
    twin = np.array([(a, (1.0 - math.sqrt(a)) ** 2) for a in np.linspace(0.0, 1.0, 9)])
    assert (np.interp(grid, *twin.T) > (1.0 - np.sqrt(grid)) ** 2 + 1e-3).any(), "points alone lie above the curve"
    chord = CurveProfile(tuple(map(tuple, twin.tolist()))).delta_at(0.0)
    assert CurveProfile(corners_of(lambda a: (1.0 - math.sqrt(a)) ** 2)).delta_at(0.0) >= 0.5 >= chord


def test_reports_say_what_was_claimed(tmp_path):
    report = audited(gaussian(1.0), mu=0.8)
    assert "mu = 0.8" in str(report)
    assert "mu >= 0." in str(report)
    report.save_html(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "mu = 0.8 is refuted" in page
    assert "mu is at least" in page
    calls = repeat_audit(report)
    assert "mu=0.8" in str(calls.python)
    assert "--mu 0.8" in str(calls.command)
    assert "epsilon" not in str(calls.python)


def test_an_audit_that_is_cut_short_has_no_verdict_on_mu():
    report = audited(gaussian(1.0), mu=0.1, stop_after=100)
    assert report.verdict == "inconclusive"
    assert audited(gaussian(1.0), mu=0.1, stop_after=0).verdict == "inconclusive"


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"mu": -1.0}, "mu: got -1"),
        ({"mu": 1.0, "rho": 1.0}, "mu and rho|rho and mu"),
        ({"mu": 1.0, "epsilon": 1.0}, "epsilon and mu"),
        ({"mu": 1.0, "delta": 0.1}, "only epsilon takes a delta"),
        ({"epsilon": 1.0, "tradeoff": [(0, 1), (1, 0)]}, "epsilon and tradeoff"),
        ({"mu": 1.0, "sequential": True}, "sequential audits"),
        ({"mu": 1.0, "guarded": True}, "guarded: got True for feedback 'mechanism'"),
        ({"tradeoff": [(0, 1), (0.5, 0.9), (1, 0)]}, "tradeoff: got a point below 0 or above"),
        ({"tradeoff": [(0, 1), (0.5, 0.1), (0.6, 0.3), (1, 0)]}, "rises, or is not convex"),
        ({"tradeoff": [(0.1, 0.5), (1, 0)]}, "type I errors from 0.1"),
        ({"tradeoff": 3}, "tradeoff"),
        ({"tradeoff": lambda a: 1 / 0}, "ZeroDivisionError"),
        ({"tradeoff": [(0, math.nan), (1, 0)]}, "NaN"),
    ],
)
def test_bad_claims_are_refused_in_one_line(options, named):
    with pytest.raises(PrivcheckError, match=named) as raised:
        audited(gaussian(1.0), **options)
    assert "\n" not in str(raised.value)


FILE = "def noisy(data, rng, runs):\n    return sum(data) + rng.normal(size=runs)\n"


def test_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(FILE)
    assert run(["audit", "mine.py:noisy", "--mu", "0.5", "--runs", "4000", "--pairs", "20"]) == 1
    assert "--mu 0.5" in " ".join(capsys.readouterr().out.split())
    assert run(["audit", "mine.py:noisy", "--rho", "0.6", "--runs", "4000"]) == 0
    corners = "0:1,0.45:0.45,1:0"
    assert run(["audit", "mine.py:noisy", "--tradeoff", corners, "--runs", "4000", "--pairs", "20"]) == 1
    assert run(["audit", "mine.py:noisy", "--tradeoff", "0:1,x", "--runs", "4000"]) == 2


@pytest.mark.parametrize("claim", [{"mu": 50.0}, {"rho": 50.0}, {"tradeoff": [(0, 0), (1, 0)]}])
def test_a_claim_that_rules_nothing_out_is_refused(claim):
    """It was refused in the middle of the audit, for a delta that nobody had given."""
    (name,) = claim
    with pytest.raises(PrivcheckError, match=f"{name}: got .* expected a claim that rules something out"):
        privcheck.audit(lambda data, rng: 0.0, streams=([0.0], [1.0]), runs=40, **claim)
