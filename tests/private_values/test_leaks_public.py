"""Where no datum is involved nothing leaks: public values, public parts of arrays, and what is left of x - x."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

from privcheck.private_values import Leak, LeakError, Private, PrivateSource, zeros


def start():
    leaks: list[Leak] = []
    source = PrivateSource(on_leak=leaks.append)
    scalar = source.scalar(0.7, low=0.0, high=1.0, datum=3) + source.scalar(0.1, low=0.0, high=1.0, datum=5)
    return leaks, {"scalar": scalar, "array": source.vector([0.25, 0.75], 0.0, 1.0, data=[3, 5])}


def test_a_public_part_next_to_a_private_one():
    leaks, values = start()
    sums = zeros(3)
    sums[1] = values["scalar"]
    assert float(sums[0]) == 0.0
    assert not sums[2] > 0.5
    with pytest.raises(LeakError):
        float(sums[1])
    sums[1] = 0.0
    assert (sums == 0.0).all()
    assert len(leaks) == 1


@pytest.mark.parametrize("read", [
    float, int, bool, hash, abs, round, math.exp, np.exp, np.asarray, lambda x: x < 1.0, lambda x: x == 2.5,
    lambda x: x**2, lambda x: f"{x:.3f}", lambda x: 1.0 / x, lambda x: x // 1, lambda x: divmod(x, 2),
    lambda x: np.maximum(x, 3.0),
    lambda x: x.item(), lambda x: x.max(), lambda x: np.where([True, False], x, 0.0).tolist(), lambda x: [x].index(2.5),
    lambda x: np.max(x), lambda x: 2.0**x, lambda x: 7.0 % x, lambda x: max(x, 3.0) == 3.0,
])  # fmt: skip
def test_public_values_never_leak(read):
    leaks, values = start()
    public = zeros(2)[0] + 2.5 + (values["scalar"] - values["scalar"])
    assert public.is_public
    assert np.all(np.asarray(read(public)) == np.asarray(read(np.float64(2.5))))
    assert leaks == []


def test_public_arrays_behave_like_numpys():
    public = zeros(3) + np.array([1.0, 3.0, 2.0])
    assert np.argmax(public) == public.argmax() == 1
    assert np.exp(public).tolist() == np.exp([1.0, 3.0, 2.0]).tolist()
    assert (public > 1.5).tolist() == [False, True, True]
    assert np.linalg.norm(public) == np.linalg.norm([1.0, 3.0, 2.0])
    array = np.zeros(3)
    array += public
    array[0] = public[1]
    assert array.tolist() == [3.0, 3.0, 2.0]
    assert isinstance(pickle.loads(pickle.dumps(public)), Private)


def test_public_means_computed_without_data():
    """3 (x / 3) - x has no coefficient, but the float that is left over could tell values of x apart."""
    source = PrivateSource()
    found = set()
    for x in np.random.default_rng(0).random(200):
        private = source.scalar(x, 0.0, 1.0, datum=0)
        rest = (private / 10.0) * 10.0 + private * 1e16 - private * 1e16 - private
        found.add(float(rest) if rest.is_public else 0.0)
    assert found == {0.0}
