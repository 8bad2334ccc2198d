"""What counts as a release is chosen so that the least is found: right code passes at its exact cost."""

from __future__ import annotations

import numpy as np
import pytest

from privcheck import certify


@pytest.fixture(autouse=True)
def few_replays(monkeypatch):
    """What differs here differs in nearly all replays."""
    monkeypatch.setattr("privcheck.certifying._primitives.compared_runs.MOST_REPLAYS", 60)


def mean_of_rows_with_one_draw(data, rng, noise):
    return np.mean(data + rng.laplace(0.0, noise / len(data)))


def sum_of_rows_with_one_draw(data, rng, noise):
    return (data + rng.laplace(0.0, noise / len(data))).sum()


def noise_that_rows_are_added_to(data, rng, noise):
    found = rng.laplace(0.0, noise, len(data))
    for place, row in enumerate(data):
        found[place] += row
    return found


def noise_in_a_view(data, rng, noise):
    found = rng.laplace(0.0, noise, (2, 2))
    for row, two in zip(found, data.reshape(2, 2), strict=True):
        row += two
    return found


def a_list_of_noise(data, rng, noise):
    return data + np.array([rng.laplace(0.0, noise) for _ in data])


def shares_in_a_list(data, rng, noise):
    return np.mean([[x + rng.normal(0.0, noise / np.sqrt(len(data)))] for x in data], axis=0)


def noise_of_the_shape_of_noise(data, rng, noise):
    first = rng.laplace(0.0, noise, np.size(data))
    return np.zeros_like(first) + data + first


def noise_beside_data(data, rng, noise):
    return np.append(data, rng.laplace(0.0, noise)).sum()


def where_it_is_large(data, rng, noise):
    noisy = data.sum() + rng.laplace(0.0, noise)
    return np.where(noisy > 2.0, noisy, 0.0)


def shares_of_the_noise(data, rng, noise):
    """Each of n parties adds an n-th of the variance, and the sum alone is seen."""
    return np.mean(data + rng.normal(0.0, noise / np.sqrt(len(data)), len(data)))


def sum_of_noise(data, rng, noise):
    return data.sum() + rng.normal(0.0, noise / 2.0, 4).sum()


def prefix_sums(data, rng, noise):
    return np.cumsum(data) + np.cumsum(rng.normal(0.0, noise, len(data)))


def correlated_noise(data, rng, noise):
    """The factorisation of the prefix sums into equal factors: a row moves C data by the norm of a column of C."""
    size = len(data)
    root = np.array([1.0, 0.5, 0.375, 0.3125])
    c = np.array([[root[i - j] if i >= j else 0.0 for j in range(size)] for i in range(size)])
    z = rng.normal(0.0, noise * np.linalg.norm(c, axis=0).max(), size)
    return np.tri(size) @ data + (np.tri(size) @ np.linalg.inv(c)) @ z


def objective_with_noise(data, rng, noise):
    slope, w = rng.normal(0.0, noise), 0.0
    for _ in range(4):
        w = w - 0.1 * ((w - data).sum() + slope)
    return w


def some_rows_beside_a_noisy_mean(data, rng, noise):
    """Where no row is above 1/2, the mean is never used."""
    mean = data.mean() + rng.normal(0.0, noise / len(data))
    return sum(min(1.0, abs(x - mean)) for x in data if x > 0.5) + rng.normal(0.0, noise)


def the_largest_beside_a_noisy_mean(data, rng, noise):
    mean = data.mean() + rng.normal(0.0, noise / len(data))
    return min(1.0, abs(data.max() - mean)) + rng.normal(0.0, noise)


class Tree:
    """The binary mechanism: two levels hold each of the rows that are seen."""

    def __init__(self, rng, noise):
        self.rng, self.noise, self.t, self.sums, self.noisy = rng, noise, 0, [0.0] * 3, [0.0] * 3

    def add(self, x):
        self.t += 1
        level = (self.t & -self.t).bit_length() - 1
        self.sums[level] = sum(self.sums[:level]) + x
        for lower in range(level):
            self.sums[lower] = self.noisy[lower] = 0.0
        self.noisy[level] = self.sums[level] + self.rng.laplace(0.0, 2.0 * self.noise)
        return sum(self.noisy[j] for j in range(3) if self.t >> j & 1)


def binary_mechanism(data, rng, noise):
    tree = Tree(rng, noise)
    return [tree.add(x) for x in data[:3]]


PURE = {"epsilon": 1.0}
COSTS = {
    mean_of_rows_with_one_draw: PURE,
    sum_of_rows_with_one_draw: PURE,
    noise_that_rows_are_added_to: PURE,
    noise_in_a_view: PURE,
    noise_beside_data: PURE,
    a_list_of_noise: PURE,
    noise_of_the_shape_of_noise: PURE,
    where_it_is_large: PURE,
    binary_mechanism: PURE,
    shares_of_the_noise: {"rho": 0.5},
    sum_of_noise: {"rho": 0.5},
    shares_in_a_list: {"rho": 0.5},
    prefix_sums: {"rho": 0.5},
    correlated_noise: {"rho": 0.5},
    objective_with_noise: {"rho": 0.5},
    some_rows_beside_a_noisy_mean: {"rho": 1.0},
    the_largest_beside_a_noisy_mean: {"rho": 1.0},
}
"""What each program costs by its definition where noise is 1."""

PROGRAMS = [pytest.param(program, cost, id=program.__name__) for program, cost in COSTS.items()]


def certified(program, cost, noise):
    budget = {unit: amount * (1.0 + 1e-9) for unit, amount in cost.items()}
    return certify(lambda data, rng: program(data, rng, noise), horizon=4, runs=6, primitives=["numpy"], **budget)


@pytest.mark.parametrize(("program", "cost"), PROGRAMS)
def test_a_right_program_passes_at_what_it_costs(program, cost):
    found = certified(program, cost, 1.0)
    assert not found.has_findings, found
    assert found.undeclared == []
    assert found.primitive_uses


@pytest.mark.parametrize(("program", "cost"), PROGRAMS)
def test_half_of_its_noise_is_refused(program, cost):
    found = certified(program, cost, 0.5)
    assert found.refusals
    assert found.replay.divergences == 0


def noise_that_cancels(data, rng):
    return np.diff(data + rng.normal())


def noise_without_its_mean(data, rng):
    z = rng.normal(size=4)
    return np.sum(data + (z - np.mean(z)))


def fewer_draws_than_numbers(data, rng):
    return data[:2] + np.ones((2, 2)) @ rng.normal(size=2)


def a_row_written_into_noise(data, rng):
    z = rng.normal(size=4) + data
    np.copyto(z[:1], data[:1])
    return z


def rows_joined_to_noise(data, rng):
    return np.concatenate([data[:2] + rng.normal(size=2), data[2:]])


def rows_where_no_noise_is(data, rng):
    return np.where([True, False, True, True], data + rng.normal(size=4), data)


def one_draw_for_all_rows(data, rng):
    return data + rng.laplace()


def the_step_with_the_least_raw_loss(data, rng):
    w, best, least = 0.5, 0.5, np.inf
    for _ in range(3):
        w = w - 0.3 * (np.clip(w - data, -0.5, 0.5).sum() + rng.normal())
        if (loss := ((w - data) ** 2).mean()) < least:
            best, least = w, loss
    return best


WRONG = [
    noise_that_cancels,
    noise_without_its_mean,
    fewer_draws_than_numbers,
    a_row_written_into_noise,
    rows_joined_to_noise,
    rows_where_no_noise_is,
    one_draw_for_all_rows,
    the_step_with_the_least_raw_loss,
]


@pytest.mark.parametrize("program", WRONG, ids=lambda program: program.__name__)
def test_no_way_to_release_hides_raw_rows(program):
    found = certify(program, rho=50.0, horizon=4, runs=6, primitives=["numpy"])
    assert found.replay.divergences, found
