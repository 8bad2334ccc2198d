"""Arrays of noise that is not read behave as numpy's arrays do: what is written into a slice is in the array."""

from __future__ import annotations

import numpy as np
import pytest

from privcheck import certify
from privcheck.certifying._primitives.drawn_noise import Noise
from privcheck.certifying._primitives.recorded_calls import CallTape
from privcheck.certifying._primitives.unread_noise import UnreadNoise
from privcheck.certifying._primitives.unread_noise import drawn as noise_of_law


def a_slice(z, data):
    z[:2] += 10.0
    return z


def a_name_of_a_slice(z, data):
    part = z[:2]
    part += data[:2]
    return z


def rows_of_a_matrix(z, data):
    table = z.reshape(2, 2)
    for row in table:
        row += data[:2]
    return z


def what_is_read_through_a_slice(z, data):
    part = z[:2]
    largest = part.max()
    z[0] = 4.0
    return part, z, largest


def what_is_read_before_a_slice_is_written(z, data):
    part = z[1:3]
    largest = z.max()
    part[0] = 4.0
    return part, z, largest


def a_reversed_view(z, data):
    back = z[::-1]
    z[0] = 5.0
    return back


def entries_of_a_transposed_matrix(z, data):
    table = z.reshape(2, 2)
    table.T[0, 1] = 3.0
    table.ravel()[0] = 2.0
    table.flatten()[1] = 1.0
    return z


def sorted_in_place(z, data):
    same = z
    same.sort()
    return z


def filled_in_place(z, data):
    z[1:3].fill(3.0)
    return z


def clipped_in_place(z, data):
    np.clip(z, -1.0, 1.0, out=z)
    return z


def copied_into(z, data):
    np.copyto(z[:2], data[:2])
    return z


def added_at_places(z, data):
    np.add.at(z, [0, 0, 1], 1.0)
    np.put(z, [3], 5.0)
    return z


def a_flat_iterator(z, data):
    z.reshape(2, 2).flat[0] = 3.0
    return z


def a_diagonal(z, data):
    np.fill_diagonal(z.reshape(2, 2), 0.0)
    return z


def negative_entries(z, data):
    z += data - 0.5
    z[z < 0.0] = 0.0
    return z


def shifted_into_itself(z, data):
    z[1:] += z[:-1]
    z[[0, 1]] = z[[1, 0]]
    return z


def copies(z, data):
    other, third = z.copy(), np.repeat(z, 2)
    other += 1.0
    third[0] = 1.0
    z[0] = 9.0
    return z, other, third


def sums(z, data):
    return z.sum(), np.cumsum(z), np.diff(z), z.mean(), np.average(z, weights=[1.0, 2.0, 3.0, 4.0]), np.tri(4) @ z


def sums_of_some(z, data):
    return z.sum(initial=2.0), np.sum(z, keepdims=True), np.mean(z, where=data > 0.3), np.dot(z, data), z @ z


def joined(z, data):
    return np.concatenate([z, data]), np.stack([data, z]), np.append(data, z).sum(), np.where(data > 0.3, z, 0.0)


PROGRAMS = [
    a_slice, a_name_of_a_slice, rows_of_a_matrix, what_is_read_through_a_slice, what_is_read_before_a_slice_is_written,
    a_reversed_view, entries_of_a_transposed_matrix, sorted_in_place, filled_in_place, clipped_in_place, copied_into,
    added_at_places, a_flat_iterator, a_diagonal, negative_entries, shifted_into_itself, copies, sums, sums_of_some,
    joined,
]  # fmt: skip

DATA = np.array([0.1, 0.9, 0.4, 0.7])


def numbers_of(found):
    parts = found if isinstance(found, tuple) else (found,)
    return [np.array(part, float).ravel().tolist() for part in parts]


@pytest.mark.parametrize("law", ["normal", "laplace"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_programs_do_the_same_with_noise_that_is_not_read(program, law):
    """The same program on the numbers that the draws become is the oracle. Before, 13 of the 20 lost a write."""
    noise = Noise(CallTape(np.random.default_rng(1)), np.random.default_rng(2))
    z = noise_of_law(noise, law, 0.0, 1.5, 4, "numpy.random.laplace", "here")
    same = z.copy()
    found = numbers_of(program(z, DATA))
    plain = np.array(same)
    assert found == [pytest.approx(part) for part in numbers_of(program(plain, DATA))]


@pytest.mark.parametrize("shuffle", [np.random.default_rng(3).shuffle, np.random.RandomState(3).shuffle])
def test_rows_with_noise_are_shuffled_as_a_whole(shuffle):
    noise = Noise(CallTape(np.random.default_rng(1)), np.random.default_rng(2))
    z = noise_of_law(noise, "normal", 0.0, 1.0, (5, 2), "numpy.random.normal", "here")
    before = z.copy()
    z.shuffle_by(shuffle)
    assert isinstance(z, UnreadNoise)
    assert sorted(np.array(z).tolist()) == sorted(np.array(before).tolist())


def shuffled_rows(data, rng):
    table = rng.laplace(0.0, 1.0, (2, 2)) + np.array([[0.0], [100.0]])
    rng.shuffle(table)
    return bool((table > 50.0).all(axis=1).sum() == 1)


def test_a_generator_shuffles_rows_with_noise():
    found = certify(lambda data, rng: 0.0 if shuffled_rows(data, rng) else data[0], epsilon=1.0, primitives=["numpy"])
    assert not found.has_findings
