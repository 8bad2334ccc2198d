"""Reports and certificates for the examples in docstrings, with the numbers of real ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from privcheck.accounting import Charge, Ledger, mu_of_pure, rho_of_pure
from privcheck.inference import TradeoffRegion
from privcheck.results._audit_report import AuditReport, Estimate, Resolution, Witness
from privcheck.results._certificate import Certificate
from privcheck.results._replay_result import ReplayResult
from privcheck.results._watch_report import WatchAlarm, WatchedNight, WatchedVersion, WatchReport

_FIRST = np.tile([1.0, 0.0, 0.0, 0.0], (8, 1))
_SECOND = _FIRST.copy()
_FIRST[2], _SECOND[2] = [1.0, 1.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]

VIOLATION = AuditReport(
    target="rnm-ftnl-published(arms=4, epsilon=1)",
    verdict="violation",
    epsilon_claimed=1.0,
    delta=0.0,
    epsilon_lower=1.7643969,
    epsilon_lower_clopper_pearson=1.7517829,
    epsilon_estimate=Estimate(1.7990393, 1.7464246, 1.8520487),
    resolution=Resolution(8.9737695, 4.1667e-4),
    exact_loss=None,
    witness=Witness(
        _FIRST,
        _SECOND,
        (3,),
        "round 3: (1, 1, 1, 0) vs (0, 0, 0, 1); the other 7 rounds: (1, 0, 0, 0) in both",
        "the actions begin 0 x 3, 3 (3.1 % vs 19 %); or the actions begin 0, 3 x 3 (1.1 % vs 6.3 %); "
        "or one of 4 rarer beginnings",
        "second",
        Estimate(0.06235, 0.0601561, 0.0645979),
        Estimate(0.3768333, 0.3723984, 0.3812834),
    ),
    certificate=None,
    runs=100_000,
    screened_pairs=350,
    screening_runs=399_348,
    seconds=1.27,
    engine="kernel",
    neighbours="row",
    rewards=(0.0, 1.0),
    observe="actions",
    feedback="full",
    horizon=8,
    arms=4,
    seed=0,
    confidence=0.95,
    error=1e-3,
    tradeoff=TradeoffRegion(
        np.array([-2.1379, -2.005, -0.0263, 0.2268, 0.2884, 0.4246]),
        np.array([74_946, 74_697, 72_253, 49_666, 17_411, 366]),
        np.array([74_622, 72_934, 55_961, 38_505, 13_567, 272]),
        (75_000, 75_000),
        0.05,
    ),
)
"""Report Noisy Max follow-the-noisy-leader with the noise scale as published."""


def _ledger() -> Ledger:
    ledger = Ledger()
    for start, stop in ((1, 1), (2, 2), (3, 4), (5, 8)):
        data = range(start, stop + 1)
        width = 1.0 / len(data)
        charge = Charge(1.0)
        ledger.record(stop, "laplace", width, dict.fromkeys(data, width), dict.fromkeys(data, charge), "bandit.py:7")
    return ledger


GRANTED = Certificate(
    target="adap-ucb(arms=2, epsilon=1, alpha=3.1)",
    coverage="all-executions-under-guard",
    epsilon_claimed=1.0,
    delta=0.0,
    epsilon_upper=1.0,
    ledger_epsilon=1.0,
    replay=ReplayResult(32, 0, 1.0, None),
    ledger=_ledger(),
    leaks=[],
    refusals=[],
    executions=20,
    neighbours="row",
    rewards=(0.0, 1.0),
    observe="actions",
    feedback="bandit",
    horizon=8,
    arms=2,
    seed=0,
    rho_upper=rho_of_pure(1.0),
    mu_upper=mu_of_pure(1.0),
    accountant="pure",
    ledger_rho=rho_of_pure(1.0),
    ledger_mu=mu_of_pure(1.0),
    complete=True,
)
"""Blocks of doubling length, each released once."""


def _gaussian_ledger() -> Ledger:
    ledger = Ledger()
    for start, stop in ((1, 1), (2, 2), (3, 4), (5, 8)):
        data = range(start, stop + 1)
        charge = Charge(rho=0.22**2 / 2.0, mu=0.22)
        ledger.record(stop, "gaussian", 1 / 0.22, dict.fromkeys(data, 1.0), dict.fromkeys(data, charge), "bandit.py:9")
    return ledger


GAUSSIAN = replace(
    GRANTED,
    target="bandit.py:Batches",
    delta=1e-6,
    rho_upper=None,
    mu_upper=None,
    ledger=_gaussian_ledger(),
    ledger_epsilon=0.924,
    ledger_rho=0.0242,
    ledger_mu=0.22,
    accountant="gdp",
    shares={"gdp": 1.0},
    replay=ReplayResult(32, 0, 1.7, None),
)
"""The same blocks, released with Gaussian noise under an (epsilon, delta) budget."""

CERTIFIED = replace(
    VIOLATION,
    target="adap-ucb(arms=2, epsilon=1, alpha=3.1)",
    verdict="consistent",
    epsilon_lower=0.9591,
    epsilon_lower_clopper_pearson=0.9374,
    epsilon_estimate=Estimate(0.9952, 0.9292, 1.0615),
    resolution=Resolution(9.76257, 1.9167e-4),
    certificate=GRANTED,
    runs=200_000,
    feedback="bandit",
)
"""An audit from below and a certificate from above."""

WATCHED = WatchReport(
    name="bandit.py:Bandit",
    target="bandit.py:Bandit(arms=2)",
    epsilon=1.0,
    delta=0.0,
    error=1e-3,
    neighbours="row",
    observe="actions",
    feedback="bandit",
    arms=2,
    horizon=16,
    seeded=True,
    counted=1,
    nights=(
        WatchedNight(1, "2026-03-01T03:17:00Z", 1, 100, "round 1: (0, 0) vs (1, 1)", "arm 1 in round 2", 30, 20, 1.1),
        WatchedNight(2, "2026-03-02T03:17:00Z", 2, 100, "round 1: (0, 0) vs (1, 1)", "arm 1 in round 2", 90, 10, 2e3),
    ),
    versions=(WatchedVersion(1, "a1b2c3d4e5f6", 1, 1, 8.1), WatchedVersion(2, "0f1e2d3c4b5a", 2, 1, 7.2)),
    alarms=(WatchAlarm(2, 1, 2, 2e3),),
)
"""Two nights, of which the second raises an alarm."""
