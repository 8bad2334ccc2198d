"""Bets on coins by what came later: outputs that follow earlier inputs are noticed, drifts are not."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.signal import lfilter
from scipy.stats import binom

from privcheck.inference import _carry_over as carry_over
from privcheck.inference import log_capital

REFUSED = math.log(1e6)


def course(runs, seed, *, last=0.0, mean=0.0, rate=0.1, drift=None):
    """Outputs that are an input, noise, and what is left of the inputs before."""
    rng = np.random.default_rng(seed)
    second = rng.random(runs) < 0.5
    before = np.concatenate([[0.0], second[:-1]])
    outputs = second + last * before + mean * lfilter([rate], [1.0, rate - 1.0], before) + rng.laplace(size=runs)
    if drift is not None:
        outputs = outputs + drift(np.arange(runs) / runs, rng)
    return second, outputs[:, None]


DRIFTS = {
    "none": lambda time, rng: 0.0 * time,
    "waves": lambda time, rng: 3.0 * np.sin(20.0 * time),
    "a line": lambda time, rng: 8.0 * time,
    "a jump": lambda time, rng: 4.0 * (time > 0.5),
    "a walk": lambda time, rng: 0.05 * np.cumsum(rng.normal(size=len(time))),
    "noise shared by a hundred runs": lambda time, rng: np.repeat(rng.normal(size=-(-len(time) // 100)), 100)[
        : len(time)
    ],
}


@pytest.mark.chance(1e-6, "counts of e-values of at least 20, each with probability .05, against a binomial quantile")
@pytest.mark.parametrize("drift", DRIFTS)
def test_independent_and_drifting_outputs_win_no_bets(drift):
    won = [log_capital(*course(1500, seed, drift=DRIFTS[drift])) for seed in range(40)]
    assert sum(each >= math.log(20.0) for each in won) <= binom.isf(1e-6 / len(DRIFTS), 40, 0.05)


@pytest.mark.parametrize(
    "kept",
    [{"last": 0.9}, {"last": 0.5}, {"mean": 1.0, "rate": 0.3}, {"mean": 2.0, "rate": 0.1}, {"mean": 4.0, "rate": 0.03}],
)
def test_what_is_left_of_earlier_inputs_wins(kept):
    for seed in range(3):
        assert log_capital(*course(6000, seed, **kept)) > REFUSED
        assert log_capital(*course(6000, seed, **kept, drift=lambda time, rng: 3.0 * np.sin(3.0 * time))) > REFUSED


def test_an_input_that_balances_the_one_before_wins_by_itself(monkeypatch):
    """Twin: coins that are no coins. In turns of two, an output tells its own input, which tells the last one."""
    rng = np.random.default_rng(0)
    first = rng.random(2000) < 0.5
    second = np.stack([first, ~first], axis=1).ravel()
    outputs = 4.0 * second + rng.laplace(size=len(second))
    monkeypatch.setattr(carry_over, "_ranks", lambda column, *_: np.argsort(np.argsort(column)) / len(column) - 0.5)
    assert log_capital(second, outputs[:, None]) > REFUSED
    coins = rng.random(4000) < 0.5
    assert log_capital(coins, (4.0 * coins + rng.laplace(size=4000))[:, None]) < REFUSED


def test_little_shows_nothing():
    assert log_capital(np.zeros(50, bool), np.zeros((50, 1))) == 0.0
    assert log_capital(np.arange(400) % 2 == 0, np.zeros((400, 0))) == 0.0
    assert abs(log_capital(np.arange(400) % 2 == 0, np.zeros((400, 2)))) < 1e-9
