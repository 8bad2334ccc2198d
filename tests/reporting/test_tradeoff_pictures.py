"""The curve of the claim in the picture of the two errors, in every currency, against laws that keep the claim."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from privcheck.reporting._pictures.tradeoff_picture import claimed_curve, tradeoff_figure
from privcheck.results._example_results import VIOLATION

GRID = np.linspace(0.0, 1.0, 101)
UNCLAIMED = replace(VIOLATION, epsilon_claimed=None, verdict=None)


def of_gaussians(mu: float):
    """The type II error of the best test of two Gaussian laws whose means are mu apart: Dong, Roth and Su 2022, (6)."""
    return norm.cdf(norm.ppf(1.0 - GRID) - mu)


@pytest.mark.parametrize("mu", [0.05, 0.5, 1.0, 2.5])
def test_the_curve_of_a_claim_in_mu_is_that_of_gaussian_laws(mu):
    assert claimed_curve(replace(UNCLAIMED, mu=mu), GRID) == pytest.approx(of_gaussians(mu), abs=1e-3)


@pytest.mark.parametrize("rho", [0.01, 0.2, 1.0, 3.0])
def test_gaussian_noise_of_a_rho_lies_on_or_above_the_curve_of_its_claim(rho):
    curve = claimed_curve(replace(UNCLAIMED, rho=rho), GRID)
    assert (curve <= of_gaussians(math.sqrt(2.0 * rho)) + 1e-12).all()
    assert (curve < of_gaussians(math.sqrt(0.1 * rho)) - 1e-3).any()
    louder = of_gaussians(math.sqrt(2.0 * 5.0 * rho))  # five times the claim: somewhere below its curve
    assert (louder < curve - 1e-3).any()


def test_the_curve_of_a_claimed_curve_goes_through_its_corners():
    corners = ((0.0, 0.9), (0.25, 0.25), (1.0, 0.0))
    curve = claimed_curve(replace(UNCLAIMED, tradeoff_claimed=corners, claim_epsilon=0.5), GRID)
    assert curve[[0, 25, 100]].tolist() == [0.9, 0.25, 0.0]


@pytest.mark.parametrize(
    "claim", [{"rho": 0.2}, {"mu": 0.5}, {"tradeoff_claimed": ((0.0, 1.0), (0.2, 0.4), (1.0, 0.0))}]
)
def test_the_picture_draws_every_claim_and_names_it(claim):
    report = replace(UNCLAIMED, verdict="consistent", **claim)
    named = [text.get_text() for text in tradeoff_figure(report).legends[0].get_texts()]
    assert f"the claim {report.claim_words} allows nothing below" in named


def test_without_a_claim_no_curve_is_drawn():
    assert claimed_curve(UNCLAIMED, GRID) is None
    named = [text.get_text() for text in tradeoff_figure(UNCLAIMED).legends[0].get_texts()]
    assert not any("claim" in text for text in named)
