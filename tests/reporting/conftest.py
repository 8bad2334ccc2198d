"""Reports made by hand: every verdict, and the awkward ones."""

from __future__ import annotations

import math
import os
from dataclasses import replace

import numpy as np
import pytest

from privcheck.accounting import Charge, Ledger
from privcheck.bounds import evaluate, named_instance
from privcheck.private_values import Leak
from privcheck.reporting import page as render_certificate
from privcheck.reporting import page as render_page
from privcheck.reporting import read_folder, render_bounds, save_index
from privcheck.reporting._pages.page_simulation import render_simulation
from privcheck.results import AuditReport, Certificate, Divergence, Estimate, ReplayResult, Resolution, Witness
from privcheck.simulation import simulate
from tests.example_results import GRANTED, VIOLATION

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


def make_ledger(rounds: int, losses: float, by_arm: bool = False) -> Ledger:
    """Return a ledger with a node of a binary tree per release: overlapping blocks, two mechanisms, many totals."""
    ledger = Ledger()
    for stop in range(1, rounds + 1):
        length = stop & -stop
        data = [(t, t % 3) if by_arm else t for t in range(stop - length + 1, stop + 1)]
        name = "laplace" if length < 4 else "noisy-max"
        charge = Charge(losses * (1.0 if length < 4 else 0.5))
        ledger.record(stop, name, 4.0 / length, dict.fromkeys(data, 1.0), dict.fromkeys(data, charge), HOSTILE + ":3")
    return ledger


def make_certificates() -> dict[str, Certificate]:
    first, second = np.zeros((16, 2)), np.zeros((16, 2))
    second[4] = 1.0
    divergence = Divergence(7, first, second, (0, 1, 0, 1, 0, 1, 0), (0, 1, 0, 1, 0, 1, 1), "the actions differ")
    unreleased = {"complete": False, "coverage": "explored", "epsilon_upper": None, "ledger_epsilon": 0.0}
    code, hint = "if reward > 0 and a < b:", "release it through a mechanism first"
    leaky = replace(
        GRANTED, **unreleased, target=HOSTILE, ledger=Ledger(), horizon=16, notes=["<nothing> was released"],
        replay=ReplayResult(64, 58, 0.25, divergence),
        leaks=[
            Leak("comparison", "/home/a b/<my> bandit.py", 12, "update", code, (1, 2, 7), hint, ">"),
            Leak("index", "/home/other.py", 40, "select", "x" * 120 + "[bold]", ((1, 0), (2, 1)), hint, "index"),
        ],
    )  # fmt: skip
    refusal = "budget: got a release at rnm.py:123 that takes the reward of round 1 to 2, expected at most epsilon = 1"
    return {
        "granted": GRANTED,
        "leaky": leaky,
        "refused": replace(GRANTED, **unreleased, ledger=Ledger(), refusals=[refusal, "two", "three", "four", "five"]),
        "free": replace(
            GRANTED, **unreleased | {"ledger_epsilon": 3.5}, epsilon_claimed=None, ledger=make_ledger(24, 1.0, True),
            neighbours="reward", horizon=30,
        ),
        "long": replace(
            GRANTED, epsilon_claimed=2.0, epsilon_upper=2.0, ledger_epsilon=1.375, ledger=make_ledger(500, 0.25),
            horizon=500, feedback="full", rewards=(-1.0, 1.0),
        ),
    }  # fmt: skip


@pytest.fixture(scope="session")
def certificates() -> dict[str, Certificate]:
    return make_certificates()


def make_pages(folder) -> dict[str, str]:
    """Return a page of every kind by name; the index is about JSON files in the folder."""
    reports, certificates = make_reports(), make_certificates()
    instance = named_instance("c2", epsilon=1.0, horizon=1e6)
    bounds = render_bounds(instance, evaluate(instance))
    policies = ["adap-ucb", "ucb", "kl-ucb"]
    simulation = simulate(policies, "c2", horizon=300, runs=20, epsilon=1.0)
    results = {
        "a": reports["violation"].to_json(), "b": certificates["leaky"].to_json(), "c": reports["early"].to_json(),
        "d": reports["consistent"].to_json(), "e": certificates["granted"].to_json(), "f": simulation.to_json(),
        "g": '{"schema_version": 1, "a": "<b>"}',
    }  # fmt: skip
    for age, (name, text) in enumerate(results.items()):
        (folder / f"{name}.json").write_text(text)
        os.utime(folder / f"{name}.json", (1e9 - 1e5 * age, 1e9 - 1e5 * age))
        (folder / f"{name}.html").touch()
    save_index(read_folder(folder), folder / "index.html")
    brief = [replace(reports[name], tradeoff=None) for name in ("unbounded", "early", "coarse")]
    return {
        "audits": render_page([reports["violation"], *brief]),
        "long": render_page([reports["long"]]),
        "certificate": render_certificate(certificates["long"]),
        "leaks": render_certificate(certificates["leaky"]),
        "bounds": bounds,
        "simulation": render_simulation(simulation),
        "index": (folder / "index.html").read_text(encoding="utf-8"),
    }


@pytest.fixture(scope="session")
def pages(tmp_path_factory) -> dict[str, str]:
    return make_pages(tmp_path_factory.mktemp("results"))
