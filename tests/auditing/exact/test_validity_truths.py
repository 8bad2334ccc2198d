"""The audits of `benchmarks/validity.py`: its targets lose exactly what they claim, and it notices others."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.stats import norm

from tests.benchmark_modules import loaded

loaded("written_tables")
validity = loaded("validity")

RUNS = 200_000


@pytest.mark.chance(1e-8, "six frequencies, six standard errors from their probabilities")
@pytest.mark.parametrize("name", ["one bit", "one of eight answers"])
def test_answers_have_the_probabilities_of_their_claim(name):
    """The exact loss is the logarithm of e: the true answer is e times as probable as it is on the other input."""
    kind, rng = validity.KINDS[name], np.random.default_rng(3)
    first, second = (np.bincount(np.asarray(kind.target(data, rng, RUNS), int), minlength=8) for data in kind.pair)
    answers = 2 if name == "one bit" else 8
    true = math.e / (math.e + answers - 1.0)
    error = 6.0 * math.sqrt(0.25 / RUNS)
    assert first[0] / RUNS == pytest.approx(true, abs=error)
    assert second[answers - 1] / RUNS == pytest.approx(true, abs=error)
    assert first[answers - 1] / RUNS == pytest.approx(true / math.e, abs=error)


def test_delta_of_gaussian_noise_is_that_of_an_integral():
    sigma = validity.SIGMA
    excess = lambda x: max(0.0, norm.pdf(x, 1.0, sigma) - math.e * norm.pdf(x, 0.0, sigma))  # noqa: E731
    assert pytest.approx(quad(excess, -15.0, 15.0, points=[0.5 + sigma**2])[0], abs=1e-9) == validity.GAUSSIAN_DELTA


def test_rho_of_randomised_response_is_the_largest_divergence_over_its_order():
    """Bun and Steinke 2016 have the closed form for the order 1: epsilon tanh(epsilon / 2)."""
    p = validity.TRUTH

    def over_order(a):
        return -math.log(p**a * (1 - p) ** (1 - a) + (1 - p) ** a * p ** (1 - a)) / (a * (a - 1.0))

    found = minimize_scalar(over_order, bounds=(1.0 + 1e-5, 50.0), method="bounded", options={"xatol": 1e-9})
    assert pytest.approx(-found.fun, rel=1e-4) == validity.RHO
    assert pytest.approx(math.tanh(0.5), rel=1e-4) == validity.RHO


@pytest.mark.chance(1e-7, "five verdicts on a loss of 2, each missed with probability below 1e-8")
def test_a_target_that_breaks_its_claim_is_counted(monkeypatch):
    """And one that keeps it is not: at this error a violation has probability 1e-9."""
    kept = validity.counted("one bit", 1e-9, range(5), search=False)
    assert (kept[0], kept[1], kept[4]) == (5, 0, 5)
    monkeypatch.setattr(validity, "TRUTH", math.exp(2.0) / (1.0 + math.exp(2.0)))
    assert validity.counted("one bit", 1e-9, range(5), search=False)[:3] == [5, 5, 5]


def test_a_table_adds_up_its_rows():
    rows = validity.table({"a": [100, 5, 4, 3, 90], "b": [100, 6, 5, 4, 80]}, 0.05).splitlines()
    assert rows[4] == "| all | 200 | 11 | 9 | 7 | 170 |"
    assert "more than 21 of 200 would be with probability 0.001 at most" in rows[-1]
