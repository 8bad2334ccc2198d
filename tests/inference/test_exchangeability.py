"""Exact p-values for independent runs, whatever their law, and power against every kind of dependence."""

import numpy as np
import pytest
from scipy.stats import binom

from privcheck.inference import (
    Departure,
    departures,
    exchangeability_p_value,
)
from privcheck.inference._exchangeability import STATISTICS

CHANCE = 1e-6
"""Probability with which a test of this file fails by chance, roughly; the seeds are fixed."""

INPUTS, CALLS, RUNS = 2, 20, 6
SHAPE = (INPUTS, CALLS, RUNS, 2)

LAWS = {
    "continuous": lambda rng: rng.laplace(size=SHAPE),
    "of another scale on each input": lambda rng: rng.laplace(size=SHAPE) * np.array([1.0, 50.0])[:, None, None, None],
    "heavy tails": lambda rng: rng.standard_cauchy(SHAPE),
    "coins": lambda rng: rng.integers(0, 2, SHAPE).astype(float),
    "rare": lambda rng: (rng.random(SHAPE) < 0.01).astype(float),
    "infinite": lambda rng: np.where(rng.random(SHAPE) < 0.2, -np.inf, rng.laplace(size=SHAPE)),
    "constant": lambda rng: np.full(SHAPE, 3.0),
}


@pytest.mark.chance(1.5e-7, "five counts of p-values, against binomial quantiles at 1e-6 / 35")
@pytest.mark.evidence
@pytest.mark.parametrize("law", LAWS)
def test_p_values_of_independent_runs(evidence, law):
    """At most the nominal share of p-values is below 0.05; a chi square law of rare columns would have far more."""
    repetitions = evidence(60, 1000)
    rng = np.random.default_rng(len(law))
    for kind in ("repeated", *STATISTICS):
        departure = Departure(kind, -1 if kind == "repeated" else 0, 9.0)
        small = sum(exchangeability_p_value(LAWS[law](rng), departure, rng, 39) <= 0.05 for _ in range(repetitions))
        assert small <= binom.isf(CHANCE / 35.0, repetitions, 0.05), kind


DEPENDENT = {
    "shared": lambda x, rng: x + rng.laplace(size=(INPUTS, CALLS, 1, 2)),
    "repeated": lambda x, rng: x[:, :, [0, 1, 2, 0, 4, 5]],
    "place": lambda x, rng: np.sort(x, axis=2),
    "balanced": lambda x, rng: np.concatenate([x[:, :, :3], -x[:, :, :3]], axis=2),
    "linked": lambda x, rng: np.concatenate([x[:, :, :1], x[:, :, 1:] + x[:, :, :-1]], axis=2),
}


@pytest.mark.chance(2e-6, "three of five p-values as small as they can be, 1.3e-6, and normal scores above 5 by chance")
@pytest.mark.parametrize("kind", DEPENDENT)
def test_dependent_runs_are_suspected_and_confirmed(kind):
    """The same data before the dependence is put in are not suspected, and do not confirm it thrice."""
    rng, confirmed = np.random.default_rng(5), 0
    for _ in range(5):
        independent = LAWS["continuous"](rng)
        assert departures(independent, 5.0) == []
        dependent = DEPENDENT[kind](independent, rng)
        found = {departure.kind: departure for departure in departures(dependent, 5.0)}
        assert kind in found
        assert (
            exchangeability_p_value(DEPENDENT[kind](LAWS["continuous"](rng), rng), found[kind], rng, 199) == 1.0 / 200.0
        )
        confirmed += exchangeability_p_value(LAWS["continuous"](rng), found[kind], rng, 199) <= 1.0 / 200.0
    assert confirmed < 3  # 10 (1 / 200)^3 = 1.3e-6


def test_what_changes_nothing_is_no_departure():
    """Inputs may differ from each other, and a constant column has no score."""
    rng = np.random.default_rng(0)
    shifted = LAWS["continuous"](rng) + np.array([0.0, 100.0])[:, None, None, None]
    assert departures(shifted, 5.0) == []
    assert departures(LAWS["constant"](rng), 0.1) == []


def test_one_run_in_a_call_shows_nothing():
    assert departures(np.random.default_rng(0).normal(size=(1, 30, 1, 2)), 5.0) == []
