"""Targets that draw a seed from their Generator, and the noise from another one: the look says that it sees nothing."""

from __future__ import annotations

import numpy as np
import pytest

import privcheck


def seed_of(rng):
    return int(rng.integers(2**31))


def of_raw_bits(data, rng):
    return float(data.sum() + 0.1 * np.random.PCG64(seed_of(rng)).random_raw() / 2.0**64)


def of_random_state(data, rng):
    return float(data.sum() + np.random.RandomState(seed_of(rng)).laplace(0.0, 0.1))


def of_the_global_one(data, rng):
    np.random.seed(seed_of(rng))  # noqa: NPY002
    return float(data.sum() + np.random.laplace(0.0, 0.1))  # noqa: NPY002


def test_noise_that_is_not_seen_is_not_said_to_come_before_the_data():
    """The broken twin of objective perturbation: the data come in before the draw, which the look cannot see."""
    found = privcheck.steps(of_raw_bits, epsilon=1.0, pairs=2, runs=400)
    assert found.suspicion is None
    assert any("seed of another generator" in note for note in found.notes)
    assert not any("perturbed" in note for note in found.notes)


@pytest.mark.parametrize("target", [of_random_state, of_the_global_one])
def test_noise_of_an_old_generator_in_the_target_itself_is_seen(target):
    found = privcheck.steps(target, epsilon=1.0, pairs=2, runs=400)
    assert [step.function for step in found.steps] == ["seed_of", target.__name__]
    assert not any("seed of another generator" in note for note in found.notes)
    assert any("in the target itself" in note for note in found.notes)


def test_draws_of_noise_that_no_data_move_still_are_said_to_come_before_them():
    def objective(data, rng):
        return float(tilt(rng) + data.mean())

    found = privcheck.steps(objective, epsilon=1.0, pairs=2, runs=400)
    assert any("perturbed and then minimised" in note for note in found.notes)


def tilt(rng):
    return rng.laplace()
