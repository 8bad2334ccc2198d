"""Engines on other laws than Bernoulli's: sums against single rewards, in law; what memory they take; what they refuse.

Every accepting test has a false-failure probability of 2e-6 for a seed chosen blindly (chi-square and, conservatively
for discrete regret, Kolmogorov and Smirnov, each below 1e-6); seeds are fixed.
"""

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from privcheck.bandits import ALGORITHMS
from privcheck.environments import (
    Bernoulli,
    Beta,
    Environment,
    FiniteSupport,
    Gaussian,
    RewardTable,
    TruncatedGaussian,
    TwoPoint,
)  # fmt: skip
from privcheck.errors import PrivcheckError
from privcheck.simulation import simulate
from privcheck.simulation._engine import chunk_runs, engine_of, play, play_steps

LEVEL = 1e-6
HORIZON, RUNS = 200, 3000
FINITE = FiniteSupport((0.0, 0.3, 1.0), ((0.1, 0.3, 0.6), (0.3, 0.4, 0.3), (0.6, 0.3, 0.1)))
SUMMED = [FINITE, TwoPoint((0.7, 0.5, 0.4), 0.2, 0.9)]
"""Laws of which the sum of an episode takes a few draws."""
PLACES = [
    *SUMMED, Beta((0.8, 0.5, 0.3), 1.5), TruncatedGaussian((0.9, 0.5, 0.2), 0.4),
    Gaussian((0.8, 0.5, 0.3), 0.5, outside="clip"),
]  # fmt: skip


def regrets(place, name="adap-ucb", epsilon=1.0):
    """Return the final regret of the algorithm's own engine on the laws, and step by step on tables."""
    spec = ALGORITHMS[name](arms=3, epsilon=epsilon)
    own = play(spec, place, checkpoints=np.array([HORIZON]), runs=RUNS, seed=1)
    steps = play_steps(spec, place, np.array([HORIZON]), RUNS, 2, ())
    return own[:, 0], steps[:, 0]


@pytest.mark.chance(2e-6, "a chi-square and a Kolmogorov-Smirnov test at 1e-6")
@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.id)
def test_own_engine_and_steps_agree_in_law(place, law_test):
    own, steps = regrets(place)
    assert law_test(own, steps) > LEVEL
    assert stats.ks_2samp(own, steps, method="asymp").pvalue > LEVEL


@pytest.mark.chance(2e-6, "a chi-square and a Kolmogorov-Smirnov test at 1e-6")
@pytest.mark.parametrize("name", ["lazy-dp-ts", "dp-kl-ucb"])
def test_other_algorithms_agree_too(name, law_test):
    own, steps = regrets(FINITE, name)
    assert law_test(own, steps) > LEVEL
    assert stats.ks_2samp(own, steps, method="asymp").pvalue > LEVEL


@pytest.mark.chance(1e-9, "a broken twin alone")
def test_the_law_matters_beyond_its_mean(law_test):
    """Without privacy noise to hide it, Bernoulli's spread is told apart from that of two close rewards."""
    close = TwoPoint((0.6, 0.5, 0.4), 0.39, 0.61)
    own, _ = regrets(close, epsilon=50.0)
    other, _ = regrets(Bernoulli(close.means), epsilon=50.0)
    assert law_test(own, other) < LEVEL
    assert stats.ks_2samp(own, other, method="asymp").pvalue < LEVEL


@pytest.mark.chance(1e-6, "one chi-square test")
def test_gaussian_arms_are_for_policies_without_a_range(law_test):
    place = Gaussian((1.4, 0.9, 0.7), 0.5)
    spec = ALGORITHMS["ucb"](arms=3)
    own = play(spec, place, checkpoints=np.array([HORIZON]), runs=RUNS, seed=1)[:, 0]
    steps = play_steps(spec, place, np.array([HORIZON]), RUNS, 2, ())[:, 0]
    assert law_test(own, steps) > LEVEL
    private = [
        name
        for name in ALGORITHMS
        if ALGORITHMS[name].budget_name() == "epsilon" and ALGORITHMS[name].feedback in ("bandit", "full")
    ]
    assert len(private) > 5
    for name in [*private, "kl-ucb", "thompson", "imed"]:
        with pytest.raises(PrivcheckError, match=r'environment: got .* on rewards outside \[0, 1\].*outside="clip"'):
            simulate(name, place, horizon=2000, runs=1, epsilon=1.0)


def test_engines_and_chunks_follow_the_law():
    event, step = ALGORITHMS["adap-ucb"](arms=3, epsilon=1.0), ALGORITHMS["ucb"](arms=3)
    assert {place.id for place in PLACES if engine_of(event, place) == "event"} == {place.id for place in SUMMED}
    assert {engine_of(step, place) for place in PLACES} == {"step"}
    assert chunk_runs(event, FINITE, 10**7) == 256
    beta = Beta((0.8, 0.5, 0.3), 1.5)
    assert chunk_runs(event, beta, 10**6) == 2
    assert simulate("adap-ucb", beta, horizon=100, runs=2, epsilon=1.0).results[0].engine == "step"


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.id)
def test_jobs_change_nothing(place):
    policies = ["adap-ucb", "ucb"]
    first = simulate(policies, place, horizon=100, runs=300, epsilon=1.0).to_arrays()["regret"]
    assert np.array_equal(
        first, simulate(policies, place, horizon=100, runs=300, epsilon=1.0, jobs=2).to_arrays()["regret"]
    )


def test_a_table_of_one_sure_winner():
    """Arm 1 always pays: after a fair share of forced pulls the leader follows it; every run sees the same rewards."""
    table = np.zeros((400, 2))
    table[:, 1] = 1.0
    result = simulate(["adap-ucb", "kl-ucb"], RewardTable(table), horizon=400, runs=20, epsilon=5.0)
    rows = {row["policy"]: row for row in result.summary()}
    assert rows["kl-ucb"]["q95"] == rows["kl-ucb"]["q05"] < 20, "no coins, one table: one regret"
    assert rows["adap-ucb"]["q95"] < 200
    with pytest.raises(PrivcheckError, match="horizon: got 401, expected at most the 400 rounds of the table"):
        simulate("ucb", RewardTable(table), horizon=401, runs=1)


@pytest.mark.chance(1e-6, "one chi-square test")
def test_an_environment_of_ones_own_needs_no_more_than_a_table(law_test):
    class Mine(Environment):
        means = (0.8, 0.5, 0.3)

        def table(self, rng, horizon):
            return (rng.random((horizon, 3)) < self.means).astype(float)

    spec, at = ALGORITHMS["adap-ucb"](arms=3, epsilon=1.0), np.array([HORIZON])
    mine = simulate(spec, Mine(), horizon=HORIZON, runs=RUNS, checkpoints=1)
    assert mine.results[0].engine == "step"
    shipped = play(spec, Bernoulli(Mine.means), checkpoints=at, runs=RUNS, seed=5)[:, 0]
    assert law_test(mine.results[0].regret[:, 0], shipped) > LEVEL


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (np.zeros((4, 2)), r"table: got shape \(4, 2\) from Mine, expected shape \(5, 2\)"),
        (np.zeros((5, 3)), r"table: got shape \(1, 3\) from Mine"),
        (np.full((5, 2), 1.5), r"table: got 1.5, expected rewards in \[0, 1\]"),
        (np.full((5, 2), math.nan), "table: got nan"),
        (None, r"environment: got Mine without either method, expected laws\(\) or table\(\)"),
    ],
)
def test_tables_of_ones_own_are_checked(table, message):
    class Mine(Environment):
        means = (0.8, 0.5)

    if table is not None:
        Mine.table = lambda self, rng, horizon: table[:horizon]
    with pytest.raises(PrivcheckError, match=message):
        simulate("ucb", Mine(), horizon=5, runs=1)


MEMORY = """
import numpy as np
from pathlib import Path
from privcheck.bandits import ALGORITHMS
from privcheck.environments import Bernoulli, Beta
from privcheck.simulation._engine import play_steps
from privcheck.simulation import simulate

def megabytes(name):
    return int(Path("/proc/self/status").read_text().partition(name + ":")[2].split()[0]) / 1024

def work(horizon):
    simulate(["ucb", "adap-ucb", "lazy-ucb"], Bernoulli((0.6, 0.5)), horizon=horizon, runs=1, epsilon=1.0)
    simulate(["ucb", "adap-ucb"], Beta((0.6, 0.5)), horizon=horizon, runs=1, epsilon=1.0)

def peak(task):
    Path("/proc/self/clear_refs").write_text("5")
    before = megabytes("VmRSS")
    task()
    return megabytes("VmHWM") - before

work(10_000)
print(peak(lambda: work(10_000_000)))
print(peak(lambda: play_steps(ALGORITHMS["ucb"](arms=2), Bernoulli((0.6, 0.5)), np.array([2_000_000]), 1, 0, ())))
"""


@pytest.mark.nightly
@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the peak of memory is read from Linux's /proc")
def test_memory_does_not_grow_with_the_horizon():
    """At T = 1e7 one action a round would be 10 MB; the step checker does keep a table, 32 MB at T = 2e6."""
    environment = os.environ | {"MALLOC_MMAP_THRESHOLD_": "65536"}
    done = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True, env=environment)
    kernels, tables = map(float, done.stdout.split())
    assert kernels < 1.5
    assert tables > 30


def test_checkpoints_do_not_change_the_runs():
    """Regret at T is the same whatever else is kept, and the curve of a run interpolates its plays."""
    few, many = (
        simulate("adap-ucb", FINITE, horizon=1000, runs=50, epsilon=1.0, checkpoints=count).results[0].regret
        for count in (1, 200)
    )
    assert np.array_equal(few[:, -1], many[:, -1])
    gaps = sorted(FINITE.gaps())
    steps = np.diff(many[:, :20], axis=1)
    assert all(min(abs(step - gap) for gap in gaps) < 1e-9 for step in steps[:, 0]), "one round, one gap"
    assert math.isclose(many[0, 0], FINITE.gaps()[0], abs_tol=1e-12)
