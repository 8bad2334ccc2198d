"""HHMH Algorithm 4: epochs of 1, 2, 4, ... rounds, one noisy maximum at the end of each."""

import numpy as np
import pytest

from privcheck.bandits import ALGORITHMS

NAMES = ["rnm-ftnl", "rnm-ftnl-published"]


@pytest.mark.parametrize("name", NAMES)
def test_the_leader_of_an_epoch_is_played_in_the_next(name, play):
    """With a huge budget the noise is gone: the next action is the argmax of the last epoch's sums alone."""
    table = np.random.default_rng(0).random((127, 4))
    expected, start, length = [0], 0, 1
    while len(expected) < 127:
        leader = int(np.argmax(table[start : start + length].sum(axis=0)))
        start, length = start + length, 2 * length
        expected += [leader] * length
    spec = ALGORITHMS[name](arms=4, epsilon=1e9)
    assert play.reference(spec, table, np.random.default_rng(1)) == expected
    assert play.kernel(spec, table, np.random.default_rng(1))[0].tolist() == expected
    assert len(set(expected)) > 1


def test_the_corrected_noise_has_twice_the_published_scale():
    corrected = ALGORITHMS["rnm-ftnl"](arms=3, epsilon=0.5).kernel_parameters()[0]
    published = ALGORITHMS["rnm-ftnl-published"](arms=3, epsilon=0.5).kernel_parameters()[0]
    assert published == 2.0
    assert corrected == pytest.approx(4.0, rel=1e-8)
    assert corrected >= 4.0


def test_neither_loses_more_than_it_declares():
    assert ALGORITHMS["rnm-ftnl"](arms=3, epsilon=0.5).mechanism().loss(2.0) == 0.5
    assert ALGORITHMS["rnm-ftnl-published"](arms=3, epsilon=0.5).mechanism().loss(2.0) == 1.0


@pytest.mark.parametrize("name", NAMES)
def test_unplayed_arms_count(name, play):
    """Full information: the rewards of arms that were not played decide as well."""
    spec, table = ALGORITHMS[name](arms=2, epsilon=1e9), np.zeros((3, 2))
    table[0, 1] = 1.0
    assert play.reference(spec, table, np.random.default_rng(0)) == [0, 1, 1]
