"""The benchmark of generated programs: its exact losses against a search that runs the code, and its table, reduced."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog

from tests.benchmark_modules import loaded

pytestmark = pytest.mark.long

NEAR = 1e-9


loaded("written_tables")
programs = loaded("generated_programs")
losses = loaded("generated_losses")
benchmark = loaded("certified_programs")


def by_running(each, rewards):
    return np.array(benchmark.published(each.source, rewards, np.zeros(len(each.scales))))


def noise_of(each):
    """Return how each draw moves what the code publishes."""
    rewards, draws = np.full(each.horizon, 0.5), np.eye(len(each.scales))
    still = by_running(each, rewards)
    return np.array([benchmark.published(each.source, rewards, draw) - still for draw in draws]).T


def loss_of(each, noise, change):
    """Return the smallest cost of draws that make up for a change: a linear program, or least squares."""
    size = len(each.scales)
    if each.law == "laplace":
        found = linprog(
            np.tile(1 / each.scales, 2), A_eq=np.hstack([noise, -noise]), b_eq=change, bounds=[(0, None)] * (2 * size)
        )
        return found.fun if found.success else np.inf
    scaled = noise * each.scales
    draws, *_ = np.linalg.lstsq(scaled, change, rcond=1e-12)
    return float(np.linalg.norm(draws)) if np.allclose(scaled @ draws, change, atol=1e-9) else np.inf


def corners(each):
    """Return rewards next to which a piecewise linear program has its extremes."""
    breaks = {x for feature in each.features for x in feature.breaks}
    return np.array(sorted({0.0, 1.0} | {x + d for x in breaks for d in (-NEAR, NEAR)}))


@pytest.mark.parametrize("number", range(40))
def test_no_two_streams_lose_more_than_the_exact_loss(number):
    each = programs.program(1, number)
    exact, noise, rng = losses.exact_loss(each), noise_of(each), np.random.default_rng(number)
    for _ in range(20):
        first = rng.random(each.horizon)
        second = first.copy()
        rounds = rng.choice(each.horizon, each.visits, replace=False)
        first[rounds], second[rounds] = rng.choice(corners(each), each.visits), rng.choice(corners(each), each.visits)
        change = by_running(each, first) - by_running(each, second)
        assert loss_of(each, noise, change) <= exact + 1e-6


ATTAINED = [
    number
    for number in range(60)
    if (each := programs.program(2, number)).visits == 1 and all(f.kind != "square" for f in each.features)
]


@pytest.mark.parametrize("number", ATTAINED[:20])
def test_the_exact_loss_is_attained_at_corners(number):
    each = programs.program(2, number)
    noise, rewards, changes = noise_of(each), np.full(each.horizon, 0.5), []
    for t in range(each.horizon):
        shown = []
        for corner in corners(each):
            rewards[t] = corner
            shown.append(by_running(each, rewards))
        changes += [(a - b).round(12) for a, b in itertools.combinations(shown, 2)]
    largest = max(loss_of(each, noise, change) for change in np.unique(changes, axis=0))
    assert largest == pytest.approx(losses.exact_loss(each), abs=1e-6)


def test_some_shared_noise_has_no_finite_loss():
    exact = [losses.exact_loss(programs.program(0, number)) for number in range(100)]
    assert 0 < np.isinf(exact).sum() < 20
    assert np.isfinite(exact).sum() > 80


def test_a_square_has_its_extreme_inside():
    """r - r^2 moves by at most 1/4, at 1/2, which is no corner."""
    features = [programs.Feature("reward"), programs.Feature("square")]
    coefficients = np.array([[[1.0, -1.0]]])
    each = programs.Program("", features, "laplace", 1, 1, coefficients, np.ones((1, 1)), np.array([0.5]))
    assert losses.exact_loss(each) == pytest.approx(0.5, abs=1e-12)


def test_the_code_publishes_what_the_loss_is_computed_of():
    rng = np.random.default_rng(0)
    assert max(benchmark.differs_from_its_code(programs.program(0, number), rng) for number in range(60)) < 1e-9


def test_a_changed_coefficient_would_be_noticed():
    each = programs.program(0, 3)
    each.coefficients[each.coefficients != 0] *= 1.01
    assert benchmark.differs_from_its_code(each, np.random.default_rng(0)) > 1e-4


def test_no_program_is_undercharged(evidence, tmp_path):
    columns, examined = benchmark.compare(evidence(24, 60), 0, tmp_path)
    column = columns["privcheck"]
    assert column.undercharged == []
    assert len(column.ratios) >= 0.6 * examined
    assert np.mean(np.array(column.ratios) < 1.01) > 0.6
    assert "| privcheck | 0 |" in benchmark.page(columns, examined, 0)
    assert len((tmp_path / "losses.csv").read_text("utf-8").splitlines()) == examined + 1


def test_a_tool_that_charges_too_little_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(benchmark, "TOOLS", {"sloppy": lambda each, _: 0.99 * losses.exact_loss(each)})
    columns, _ = benchmark.compare(10, 3, tmp_path)
    assert columns["sloppy"].undercharged == [
        n for n in range(10) if 0 < losses.exact_loss(programs.program(3, n)) < np.inf
    ]
