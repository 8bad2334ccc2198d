"""What one step of a fit releases is combined with every row in the next: right fits pass, wrong ones are found."""

from __future__ import annotations

import numpy as np
import pytest

from privcheck import certify
from tests.modules import beside

iterative_fits = beside(__file__, "iterative_fits")


@pytest.fixture(autouse=True)
def few_replays(monkeypatch):
    """What differs here differs in nearly all replays."""
    monkeypatch.setattr("privcheck.certifying._primitives.compared_runs.MOST_REPLAYS", 60)


FITS = [pytest.param(fit, rounds, id=fit.__name__) for fit, rounds in iterative_fits.ROUNDS.items()]


def certified(fit, rounds, noise=1.0):
    """Return the certificate of a fit, with the budget that so many releases of this noise cost by their definition."""
    unit = {"epsilon": float(rounds)} if fit in iterative_fits.LAPLACE else {"rho": rounds / 2.0}
    return certify(lambda data, rng: fit(data, rng, noise), horizon=4, runs=6, primitives=["numpy"], **unit)


@pytest.mark.parametrize(("fit", "rounds"), FITS)
def test_a_right_fit_is_not_accused(fit, rounds):
    """Its releases cost at most what they are said to cost, and nothing else differs. Before, 13 of the 16 diverged."""
    found = certified(fit, rounds)
    assert found.replay.divergences == 0, found.replay.first_divergence
    assert [*found.refusals, *found.undeclared] == []
    assert found.is_inconclusive
    assert found.primitive_uses


@pytest.mark.parametrize(("fit", "rounds"), FITS)
def test_a_fit_with_a_hundredth_of_the_noise_is_refused(fit, rounds):
    found = certified(fit, rounds, noise=0.01)
    assert found.replay.divergences == 0
    if fit is iterative_fits.descent_from_a_random_start:  # other starts move the gradient as far as a row does
        assert found.undeclared
    else:
        assert found.refusals
        assert found.is_refused


def raw_residuals_beside_the_fit(data, rng):
    w = np.mean(data) + rng.normal(0.0, 1.0 / len(data))
    return w, np.mean(data - w)


def a_last_step_without_noise(data, rng):
    w = 0.5
    for _ in range(3):
        w -= 0.1 * (np.clip(w - data, -0.5, 0.5).mean() + rng.normal(0.0, 1.0 / len(data)))
    return w - 0.1 * np.clip(w - data, -0.5, 0.5).mean()


def one_draw_for_two_steps(data, rng):
    z = rng.normal(0.0, 1.0 / len(data))
    mean = np.mean(data) + z
    return mean, np.mean((data - mean) ** 2) + z


def one_draw_for_all_rows(data, rng):
    return data + rng.normal(0.0, 5.0)


def every_row_beside_a_noisy_mean(data, rng):
    mean = np.mean(data) + rng.normal(0.0, 1.0 / len(data))
    return [mean - row for row in data]


def one_draw_in_a_loop(data, rng):
    z = rng.laplace(0.0, 2.0)
    return [row + z for row in data]


def a_slope_times_every_row(data, rng):
    slope = np.mean(data) + rng.normal(0.0, 1.0 / len(data))
    return slope * data


def steps_by_a_raw_mean(data, rng):
    w = np.mean(data)
    for _ in range(3):
        w = w - 0.1 * (np.clip(w - data, -0.5, 0.5).mean() + rng.normal(0.0, 1.0 / len(data)) * 1e-7)
    return w


WRONG = [
    raw_residuals_beside_the_fit,
    a_last_step_without_noise,
    one_draw_for_two_steps,
    one_draw_for_all_rows,
    every_row_beside_a_noisy_mean,
    one_draw_in_a_loop,
    a_slope_times_every_row,
    steps_by_a_raw_mean,
]


@pytest.mark.parametrize("fit", WRONG, ids=lambda fit: fit.__name__)
def test_a_fit_that_lets_raw_rows_out_is_found(fit):
    found = certify(fit, rho=3.0, horizon=4, runs=6, primitives=["numpy"])
    assert found.is_refused
    assert found.replay.divergences or found.refusals
    if fit is not steps_by_a_raw_mean:
        assert found.replay.divergences
