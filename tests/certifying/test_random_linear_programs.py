"""Random linear programs of data and normal noise: the covariance of their outputs is the oracle of what they cost."""

from __future__ import annotations

import math

import numpy as np
import pytest

from privcheck import certify

ROWS = 4


def _written(x, k, row):
    x[k] += row
    return x


def _through_a_slice(x, k, row):
    part = x[: max(1, k)]
    part += 1.0
    return x[::-1]


STEPS = [
    _written,
    _through_a_slice,
    lambda x, k, row: 2.0 * x,
    lambda x, k, row: np.cumsum(x),
    lambda x, k, row: np.diff(x) if len(x) > 2 else x,
    lambda x, k, row: np.concatenate([x, 0.5 * x[:1]])[:6],
    lambda x, k, row: np.where(np.arange(len(x)) % 2 == 0, x, 0.5 * x),
    lambda x, k, row: x - 0.5 * np.mean(x),
    lambda x, k, row: x + np.arange(len(x)) * row,
    lambda x, k, row: np.append(x[:3], x.sum()),
    lambda x, k, row: np.stack([x, 0.5 * x]).sum(axis=0),
    lambda x, k, row: np.cos(np.outer(np.arange(len(x)), np.arange(len(x)) + k)) @ x,
    lambda x, k, row: np.roll(x, 1),
    lambda x, k, row: np.repeat(x[:2], 2),
]


def program(seed):
    """Return a function of data and noise, and of how many draws; some numbers are read before others are made."""
    rng = np.random.default_rng(seed)
    draws = int(rng.integers(2, 7))
    plan = [
        (STEPS[rng.integers(len(STEPS))], *(int(n) for n in rng.integers(0, 100, 4)), rng.random() < 0.3)
        for _ in range(rng.integers(2, 8))
    ]

    def linear(data, z):
        held, out = [z + np.resize(data, draws), z.copy()], []
        for step, one, two, k, row, is_read in plan:
            x = step(held[one % len(held)], k % 2, data[row % ROWS])
            y = held[two % len(held)]
            size = min(len(x), len(y))
            held.append(x[:size] + y[:size] if k % 4 == 0 else x)
            if is_read:
                out.append(float(held[-1][0]))
        return [*out, *(float(number) for number in held[-1])]

    return linear, draws


def cost(linear, draws):
    """Return the rho of a program: 0.5 a' C^-1 a for a row that moves the outputs, of covariance C, by a."""
    zero = np.array(linear(np.zeros(ROWS), np.zeros(draws)))
    moved = [np.array(linear(row, np.zeros(draws))) - zero for row in np.eye(ROWS)]
    noise = np.array([np.array(linear(np.zeros(ROWS), draw)) - zero for draw in np.eye(draws)]).T
    covariance = noise @ noise.T
    inverse = np.linalg.pinv(covariance, rcond=1e-10)
    hidden = all(np.allclose(a, covariance @ (inverse @ a), atol=1e-7) for a in moved)
    return max(float(0.5 * a @ inverse @ a) for a in moved) if hidden else math.inf


@pytest.mark.parametrize("seed", range(14))
def test_a_random_program_costs_what_the_law_of_its_outputs_loses(seed, monkeypatch):
    monkeypatch.setattr("privcheck.certifying._primitives.compared_runs.MOST_REPLAYS", 24)
    monkeypatch.setattr("privcheck.certifying._primitives.repeated_differences.TIMES", 40)
    linear, draws = program(seed)
    rho = cost(linear, draws)

    def explored(budget):
        def target(data, rng):
            return linear(data, rng.normal(0.0, 1.0, draws))

        return certify(target, rho=budget, horizon=ROWS, runs=4, primitives=["numpy"])

    if math.isfinite(rho):
        found = explored(rho * (1.0 + 1e-6) + 1e-9)
        assert not found.has_findings, found
        assert found.undeclared == []
        assert found.ledger_rho == pytest.approx(rho, rel=1e-6, abs=1e-9)
    if rho > 1e-9:
        found = explored(0.9 * rho if math.isfinite(rho) else 1e6)
        assert found.has_findings or found.undeclared
