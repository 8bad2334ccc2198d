"""Products and clips within one datum, and their refusal across data."""

from __future__ import annotations

import numpy as np
import pytest

from privcheck.errors import PrivcheckError
from privcheck.private_values import REVEAL, LeakError, PrivateSource, clip, zeros


@pytest.fixture
def source():
    return PrivateSource()


def l1(value):
    return value.sensitivities("l1")


def test_products_within_one_datum(source):
    context = source.vector([0.5, -0.5], -1.0, 1.0, data=4)
    reward = source.scalar(0.5, 0.0, 2.0, datum=4)
    assert (context * reward).sensitivities("l1") == {4: 8.0}
    assert (context[0] * context[0]).sensitivities("l1") == {4: 1.0}
    assert (context[0] * context[1]).sensitivities("l1") == {4: 2.0}
    gram = np.outer(context, context)
    assert gram.sensitivities("frobenius") == {4: pytest.approx(np.sqrt(1 + 1 + 4 + 4))}
    assert (gram - gram.T).is_public
    assert (context @ context).sensitivities("l1") == {4: 2.0}
    assert (context * zeros(2)).is_public
    assert np.array_equal(gram.reveal(REVEAL), [[0.25, -0.25], [-0.25, 0.25]])
    moved = (reward - 1.0) * (2.0 * reward - 2.0)
    assert l1(moved) == {4: pytest.approx(2.0)}
    matrix = np.stack([context, context])
    assert np.array_equal((matrix @ matrix.T).reveal(REVEAL), np.full((2, 2), 0.5))


@pytest.mark.parametrize("multiply", [lambda a, b: a * b, np.multiply, np.dot, np.outer, lambda a, b: a @ b])
def test_products_across_data_are_refused(multiply, source):
    one, two = (source.vector([0.5, 0.5], 0.0, 1.0, data=t) for t in (1, 2))
    with pytest.raises(LeakError, match="a product of two data") as caught:
        multiply(one, two)
    assert "rounds 1-2" in str(caught.value)
    assert "release one of them through a mechanism first" in str(caught.value)


def test_products_of_mixed_entries(source):
    one, two = (source.scalar(0.5, 0.0, 1.0, datum=t) for t in (1, 2))
    left, right = zeros(3), zeros(3)
    left[0], left[1], left[2] = one, 2.0, one
    right[0], right[1], right[2] = one, two, 3.0
    assert l1(left * right) == {1: 4.0, 2: 2.0}
    assert (left * right).reveal(REVEAL).tolist() == [0.25, 1.0, 1.5]


def test_clip(source):
    reward = source.scalar(3.0, -10.0, 10.0, datum=1)
    assert l1(clip(2.0 * reward, 0.0, 1.0)) == {1: 1.0}
    assert clip(reward, 0.0, 1.0).reveal(REVEAL) == 1.0
    assert l1(clip(reward, -20.0, 20.0) - reward) == {}
    assert l1(clip(reward, 5.0, None)) == {1: 5.0}
    assert clip(reward, 10.0, 12.0).is_public
    assert float(clip(reward, 10.0, 12.0)) == 10.0
    entries = source.vector([0.2, 7.0], 0.0, 10.0, data=[2, 3])
    assert l1(np.clip(entries, 0.0, [0.5, 2.0])) == {2: 0.5, 3: 2.0}
    assert l1(clip(reward, 0.0, 1.0) - clip(reward, 0.0, 1.0)) == {}
    assert clip(np.array([3.0, -1.0]), 0.0, 1.0).tolist() == [1.0, 0.0]
    assert clip(zeros(2) + 3.0, 0.0, 1.0).reveal(REVEAL).tolist() == [1.0, 1.0]
    for low, high in ((reward, 1.0), (2.0, 1.0), ("a", 1.0), (np.nan, 1.0)):
        with pytest.raises(PrivcheckError, match="low, high"):
            clip(reward, low, high)
