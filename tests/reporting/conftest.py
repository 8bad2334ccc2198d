"""Reports made by hand: every verdict, and the awkward ones."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from privcheck.auditing.report import AuditReport, Estimate, Resolution, Witness
from privcheck.reporting.examples import VIOLATION

HOSTILE = 'x<script>alert("1")</script> & [bold]y[/bold] $\\frac{$\n\x00\ud800--><b>'


def _long_streams(horizon: int, arms: int) -> tuple[np.ndarray, np.ndarray]:
    first = np.zeros((horizon, arms))
    second = first.copy()
    second[horizon - 3] = 0.5
    return first, second


def make_reports() -> dict[str, AuditReport]:
    violation = VIOLATION
    witness = violation.witness
    assert witness is not None
    consistent = replace(
        violation,
        target="adap-ucb(arms=2, epsilon=1, alpha=3.1)",
        verdict="consistent",
        epsilon_lower=0.9591,
        epsilon_lower_clopper_pearson=0.9374,
        epsilon_estimate=Estimate(0.9952, 0.9292, 1.0615),
        resolution=Resolution(9.76257, 1.9167e-4),
        runs=200_000,
    )
    certain = replace(
        witness,
        event="a < b",
        probability_first=Estimate(1.0, 0.99997, 1.0),
        probability_second=Estimate(0.0, 0.0, 3.07e-5),
    )
    unclaimed = replace(
        violation,
        target="ucb(arms=4)",
        verdict=None,
        epsilon_claimed=None,
        epsilon_lower=9.2117,
        epsilon_lower_clopper_pearson=9.0035,
        epsilon_estimate=Estimate(math.inf, 8.8313, math.inf),
        resolution=Resolution(8.3761, None),
        witness=replace(certain, more_likely="first"),
    )
    coarse = replace(
        violation,
        target="coarse",
        verdict="inconclusive",
        epsilon_claimed=8.0,
        delta=1e-5,
        epsilon_lower=0.0,
        epsilon_lower_clopper_pearson=0.0,
        epsilon_estimate=Estimate(-0.01, -0.4, 0.38),
        resolution=Resolution(4.2, math.inf),
        notes=["repeat with <more> runs"],
    )
    early = replace(
        violation,
        target=HOSTILE,
        verdict="inconclusive",
        epsilon_lower=None,
        epsilon_lower_clopper_pearson=None,
        epsilon_estimate=None,
        resolution=None,
        witness=None,
        notes=["the time budget ended"],
    )
    unbounded = replace(
        violation, target="unbounded", exact_loss=math.inf,
        epsilon_lower=math.inf, epsilon_lower_clopper_pearson=math.inf,
        epsilon_estimate=Estimate(math.inf, math.inf, math.inf), resolution=Resolution(math.inf, 1e-6),
        witness=replace(certain, more_likely="first", event="<img src=x>"),
    )  # fmt: skip
    first, second = _long_streams(500, 40)
    near = Estimate(0.2, 0.19, 0.21), Estimate(0.1, 0.09, 0.11)
    long = replace(
        consistent, target="long", horizon=500, arms=40, exact_loss=0.99,
        witness=Witness(first, second, (498,), "long streams", "one event", "first", *near),
    )  # fmt: skip
    return {
        "violation": violation, "consistent": consistent, "unclaimed": unclaimed, "coarse": coarse, "early": early,
        "unbounded": unbounded, "long": long,
    }  # fmt: skip


@pytest.fixture(scope="session")
def reports() -> dict[str, AuditReport]:
    return make_reports()
