"""Features of the same numbers of a datum where norms, large constants, far ends and underflow are in the way."""

from __future__ import annotations

import math

import numpy as np
import pytest

from privcheck.private_values import REVEAL, PrivateSource, _computed_sensitivity, one_hot, selected, with_rounding
from privcheck.private_values._curves import largest_changes

NORMS = {
    "l1": lambda apart: np.abs(apart).sum(axis=-1).max(),
    "l2": lambda apart: np.linalg.norm(apart, axis=-1).max(),
    "range": lambda apart: np.ptp(apart, axis=-1).max(),
}


def bilinear(x, q, clipped):
    """A function of x and q that moves most between the ends of x, at different ends of q."""
    return 2.0 * clipped - (x * q - 5.6 / 1.1 * q)


def test_the_norm_of_a_vector_bounds_what_is_computed_from_its_entries():
    """At corners of the box, x is 16, and what is computed from it is cut off where x is 4: it is not affine there."""

    def released(each, q):
        source = PrivateSource()
        x = source.vector(np.full(16, each), -1.0, 1.0, data=0, l2_norm=1.0).sum()
        return bilinear(x, source.scalar(q, -1.0, 0.1, datum=0), np.clip(x, -3.8, 100.0))

    values = [released(each, q).reveal(REVEAL) for each in (-0.25, 0.0, 0.25) for q in (-1.0, 0.1)]
    assert np.ptp(values) == pytest.approx(24.8)
    assert released(0.0, 0.0).sensitivities("l1")[0] >= np.ptp(values)


def test_one_entry_is_cut_off_by_the_norm_of_its_vector():
    def released(entry, q):
        source = PrivateSource()
        vector = source.vector([entry, 0.0], -16.0, 16.0, data=0, l2_norm=4.0)
        x = vector[0] + 0.125
        return bilinear(x, source.scalar(q, -1.0, 0.1, datum=0), np.clip(x, -3.8, 100.0))

    values = [released(entry, q).reveal(REVEAL) for entry in (-4.0, 0.0, 4.0) for q in (-1.0, 0.1)]
    assert released(0.0, 0.0).sensitivities("l1")[0] >= np.ptp(values)


def test_a_sum_that_is_taken_for_a_number_has_the_ends_that_its_terms_have():
    """Widened by a share of its terms, it would have ends at which what is computed from it is cut off."""

    def released(each, q):
        source = PrivateSource()
        large = source.scalar(1e10 + each, 1e10 - 4.0, 1e10 + 4.0, datum=0)
        x = large + sum(source.scalar(0.0, 0.0, 1e-9, datum=0) for _ in range(20)) - 1e10
        return bilinear(x, source.scalar(q, -1.0, 0.1, datum=0), np.clip(x, -3.8, 100.0))

    values = [released(each, q).reveal(REVEAL) for each in (-4.0, 0.0, 4.0) for q in (-1.0, 0.1)]
    assert np.ptp(values) == pytest.approx(24.8, abs=1e-4)
    assert released(0.0, 0.0).sensitivities("l1")[0] >= np.ptp(values)


@pytest.mark.parametrize("ends", [(-1e9, 3e9), (-2e80, 5e80), (-1e300, 1.5e300), (-1e80, 1e-300), (-1e-3, 1e12)])
def test_a_threshold_is_found_between_floats_that_are_far_apart(ends):
    """Between a negative number and a positive one are more floats than a signed integer counts."""
    share = (ends[0] + ends[1]) / 3.0

    def released(value):
        reward = PrivateSource().scalar(value, *ends, datum=0)
        positive = 0.3 * reward >= 0.0
        return np.stack([abs(reward) / share, positive * 1.0 - (reward >= share), np.clip(reward, share, None) / share])

    near = [share, math.nextafter(share, -math.inf), 0.0, -5e-324, *ends]
    values = np.array([released(value).reveal(REVEAL) for value in near])
    for norm, largest in NORMS.items():
        assert released(0.0).sensitivities(norm)[0] >= largest(values[:, None] - values) * (1.0 - 2e-9)


def test_a_threshold_near_zero_is_found_in_a_large_interval():
    def released(value):
        reward = PrivateSource().scalar(value, -1e9 / 3.0, 2e9 / 7.0, datum=0)
        return (reward / 3.0 + 5e8 <= 5e8) * -1.0 - (np.minimum(reward, 1e8) == 0.0)

    assert [released(value).reveal(REVEAL) for value in (-1.0, 0.0, 1.0)] == [-1.0, -2.0, 0.0]
    assert released(0.0).sensitivities("l1")[0] >= 2.0


def test_the_underflow_of_a_number_that_is_halved_is_charged():
    def released(share):
        reward = PrivateSource().scalar(share * 2.0**-30, 0.0, 2.0**-30, datum=0)
        above = reward > 2.0**-31
        small, same = selected(above, 2.0**-1022 * reward, 0.0), selected(above, reward, 0.0)
        return 2.0**1000 * small - 2.0**-22 * same

    moved = np.ptp([released(share).reveal(REVEAL) for share in np.linspace(0.5, 1.0, 99)])
    assert 0.0 < moved <= with_rounding(released(0.0), released(0.0).sensitivities("l1"))[0]


def test_large_arrays_of_coefficients_are_not_remembered():
    """Each would take a megabyte, of thousands that are remembered."""
    source, before = PrivateSource(), largest_changes._largest_change.cache_info().currsize
    arm, reward = one_hot(source.action(3, 130, datum=0), 130), source.scalar(0.4, -1.0, 1.0, datum=0)
    assert 0.0 < (np.linspace(0.5, 1.0, 130) * arm * reward).sensitivities("l1")[0] < math.inf
    assert largest_changes._largest_change.cache_info().currsize == before


def test_entries_of_one_feature_each_take_no_singular_values(monkeypatch):
    """For hundreds of arms they took a third of a second for each datum of a release."""
    source = PrivateSource()
    arm, reward = one_hot(source.action(3, 20, datum=0), 20), source.scalar(0.4, -1.0, 1.0, datum=0)
    released = np.linspace(0.5, 1.0, 20) * arm * reward
    monkeypatch.setattr(np.linalg, "svd", None)
    monkeypatch.setattr(_computed_sensitivity, "_largest_singular_value", None)
    assert released.sensitivities("l1")[0] >= 1.97
