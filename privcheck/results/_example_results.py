"""Reports and certificates for the examples in docstrings, with the numbers of real ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from privcheck.accounting import Charge, Ledger, mu_of_pure, rho_of_pure
from privcheck.inference import TradeoffRegion
from privcheck.results._audit_report import AuditReport, Estimate, Resolution, Witness
from privcheck.results._certificate import Certificate
from privcheck.results._fix_result import Fix, FixEdit, FixFinding, FixPatch, PlaceRegret, PolicyRegret
from privcheck.results._replay_result import ReplayResult
from privcheck.results._steps_report import NoisyStep, StepBound, StepsReport
from privcheck.results._suspicion import Suspicion
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
    versions=(WatchedVersion(1, "a1b2c3d4e5f60718", 1, 1, 8.1), WatchedVersion(2, "0f1e2d3c4b5a6978", 2, 1, 7.2)),
    alarms=(WatchAlarm(2, 1, 2, 2e3),),
)
"""Two nights, of which the second raises an alarm."""

_PLACES = "rewards 0 or 1 with means 0.75, 0.25", "rewards 0 or 1 with means 0.45, 0.1"

FIXED_BANDIT = Fix(
    target="bandit.py:Bandit",
    epsilon=1.0,
    arms=2,
    horizon=40,
    rewards=(0.0, 1.0),
    seed=0,
    outcome="fixed",
    finding=FixFinding(
        "conversion",
        "bandit.py",
        9,
        "self.sums[action] += reward",
        "bandit.py:9 in update: float() on a private value of round 1 (self.sums[action] += reward)",
    ),
    patches=(
        FixPatch(
            number=1,
            standing="recommended",
            why="",
            edits=(FixEdit("noisy-rewards", "universal", "each reward is released once, with Laplace noise", 8),),
            diff="""diff --git a/bandit.py b/bandit.py
--- a/bandit.py
+++ b/bandit.py
@@ -8,2 +8,3 @@
     def update(self, action, reward):
+        reward = float(reward + self.rng.laplace(0.0, 1.0 / self.epsilon))
         self.sums[action] += reward
""",
            text="class Bandit: ...\n",
            certificate=replace(GRANTED, target="bandit.py:Bandit"),
            settings=("epsilon = 0.3, 4 arms, 160 rounds", "epsilon = 3, 2 arms, 91 rounds"),
            epsilon_lower=0.318,
            audit_runs=2000,
            audit_rounds=32,
            regret=PolicyRegret(
                "patch 1",
                32,
                (PlaceRegret(_PLACES[0], 34.0, 6.8, 0.068, 0.02), PlaceRegret(_PLACES[1], 41.8, 6.8, 0.119, 0.04)),
            ),
            regret_ratio=1.56,
        ),
    ),
    original=PolicyRegret(
        "original",
        32,
        (PlaceRegret(_PLACES[0], 21.8, 0.4, 0.044, 0.01), PlaceRegret(_PLACES[1], 26.8, 0.3, 0.077, 0.03)),
    ),
    others=(
        PolicyRegret(
            "uniform", 0, (PlaceRegret(_PLACES[0], 500.0, 0.0, 1.0, 1.0), PlaceRegret(_PLACES[1], 350.0, 0.0, 1.0, 1.0))
        ),
        PolicyRegret(
            "adap-ucb",
            32,
            (PlaceRegret(_PLACES[0], 120.0, 3.8, 0.24, 0.0), PlaceRegret(_PLACES[1], 92.4, 2.8, 0.264, 0.02)),
        ),
    ),
    rounds=2000,
    tried=(("noisy-rewards",),),
    looks=2,
    seconds=(6.1, 12.0),
    sha256="0" * 64,
)
"""A leak, and a patch that releases every reward with noise."""

STEPS = StepsReport(
    target="fit.py:fit",
    epsilon_claimed=1.0,
    delta=0.0,
    confidence=0.95,
    error=1e-3,
    neighbours="row",
    rewards=(0.0, 1.0),
    feedback="mechanism",
    arms=0,
    horizon=4,
    seed=0,
    steps=(NoisyStep("add_noise", "fit.py:9", "isolated", ("value",), 40),),
    best=StepBound(
        "add_noise",
        "fit.py:9",
        "round 4: 0 vs 1; the other 3 rounds: 1 in both",
        "value = 3.0",
        "value = 4.0",
        "output is at least 4.10334",
        "second",
        Estimate(0.0061, 0.0046, 0.0079),
        Estimate(0.331, 0.321, 0.341),
        3.8201,
        20_000,
    ),
    suspicion=Suspicion(
        "step",
        3.8201,
        "add_noise at fit.py:9",
        "the call of add_noise at fit.py:9 alone has a loss of at least 3.820, at 95% confidence, between the inputs "
        "that it was given on round 4: 0 vs 1; the other 3 rounds: 1 in both, which differ in value; that is no bound "
        "for the target, whose output may hide the call",
    ),
    pairs=40,
    runs=126,
    provided=("the call has what it needs in its arguments",),
    seconds=4.2,
)
"""A step that a quarter of the noise makes."""
