"""zeros, clip, one_hot and rounded refuse what they cannot work with, as numpy's errors would not say."""

from __future__ import annotations

import math

import numpy as np
import pytest

from privcheck import PrivcheckError, clip, one_hot, rounded, zeros
from privcheck.private_values import PrivateSource

ODD = [
    None, True, "1", "", "\x1b[31m", math.nan, math.inf, -1, 0.5, 1e308, 10**400, 10**18, 2**63, [], {}, (),
    [math.nan, 1], ["a"], np.array([]), np.array([[0.5]]), np.float32(0.5), np.int8(3), np.bool_(True), 1j, object(),
    [[1], [1, 2]], np.array([1, 2], dtype=object), np.datetime64("2020"), range(3), {1, 2}, float, (10**9,) * 3,
    [1] * 99,
]  # fmt: skip
SOURCE = PrivateSource()
REWARD, ACTION = SOURCE.scalar(0.5, low=0.0, high=1.0, datum=1), SOURCE.action(1, arms=3, datum=7)

CALLS = {
    "zeros": zeros,
    "rounded": rounded,
    "one_hot: action": lambda odd: one_hot(odd, 3),
    "one_hot: arms": lambda odd: one_hot(1, odd),
    "one_hot of a private action: arms": lambda odd: one_hot(ACTION, odd),
    "clip: value": lambda odd: clip(odd, 0.0, 1.0),
    "clip: low": lambda odd: clip(0.5, odd, 1.0),
    "clip: high": lambda odd: clip(0.5, 0.0, odd),
    "clip of integers: low": lambda odd: clip(np.arange(3), odd, 1.0),
    "clip of a reward: low": lambda odd: clip(REWARD, odd, 1.0),
    "clip of a reward: high": lambda odd: clip(REWARD, 0.0, odd),
    "clip of zeros: low": lambda odd: clip(zeros(3), odd, 1.0),
    "clip to zeros": lambda odd: clip(odd, zeros(3), 1.0),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_odd_arguments_are_refused_or_work(call):
    refused = []
    for odd in [*ODD, REWARD, ACTION, [REWARD, REWARD]]:
        try:
            call(odd)
        except PrivcheckError as error:
            refused.append(str(error))
    assert len(refused) > len(ODD) / 3
    assert all(map(str.isprintable, refused))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: zeros(-1),
            "shape: got -1, expected a length or a tuple of lengths, of an array that fits",
        ),
        (lambda: clip("a", 0, 1), "value: got 'a', expected a real number or an array of them"),
        (lambda: clip(0.5, 1.0, 0.0), "low, high: got a low above its high, or NaN, expected low <= high"),
        (lambda: clip(zeros(3), [0.0, 0.0], 1.0), "value, low, high: got shapes (3,), (2,) and (), expected shapes"),
        (lambda: one_hot(1, 10**18), "arms: got 1000000000000000000, expected a length"),
        (lambda: rounded(1e19), "value: got 1e+19, expected numbers between -2^62 and 2^62"),
    ],
)
def test_the_refusal_names_the_argument(call, message):
    with pytest.raises(PrivcheckError) as refused:
        call()
    assert str(refused.value).startswith(message)


def test_what_numpy_does_with_good_arguments_stays():
    assert clip(np.array([1, 5]), 2, 3).dtype == np.int64
    assert clip([0.2, 3], None, 1.0).tolist() == [0.2, 1.0]
    assert clip(7, None, None) == 7
    assert np.array_equal(clip([-math.inf, math.nan], 0, 1), [0.0, math.nan], equal_nan=True)
    assert clip(np.uint8(7), -1, 3) == 3
    assert one_hot(np.int64(2), 100_000).sum() == 1.0
    assert zeros([2, 3]).shape == zeros((2, np.int8(3))).shape == (2, 3)
    assert rounded([2.5, -(2.0**61)]).tolist() == [3, -(2**61)]
