"""Three streams for every key, all different, all reproducible."""

import math

import numpy as np
import pytest

from privcheck.errors import PrivcheckError
from privcheck.kernels import generators, spawned


def test_keys_and_streams_differ():
    keys = [(0,), (1,), (0, 0), (0, 1), (1, 0), (2**40,)]
    draws = [stream.integers(2**63) for seed in (0, 1) for key in keys for stream in generators(seed, *key)]
    assert len(set(draws)) == 2 * len(keys) * 3


def test_it_is_the_documented_seed_sequence():
    children = np.random.SeedSequence(7, spawn_key=(3, 4)).spawn(3)
    for stream, child in zip(generators(7, 3, 4), children, strict=True):
        assert stream.bit_generator.state == np.random.PCG64(child).state
    assert generators(7, 3).noise.random() == spawned(np.random.SeedSequence(7, spawn_key=(3,))).noise.random()


@pytest.mark.parametrize("bad", [-1, 0.5, math.nan, None, "0", True, [1]])
def test_bad_seeds_and_keys(bad):
    with pytest.raises(PrivcheckError, match="seed"):
        generators(bad)
    with pytest.raises(PrivcheckError, match="key"):
        generators(0, bad)
