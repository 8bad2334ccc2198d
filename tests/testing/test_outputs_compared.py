"""What follows a release is compared by what it is, whatever its type: nothing is called changed that is the same."""

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from privcheck.mechanisms import Laplace
from privcheck.testing import PrivacyFailure, assert_unchanged_by

SUMS = Laplace(sensitivity=8.0, epsilon=1.0)
FIELDS = [("sum", float), ("left", float)]


@dataclass
class Answer:
    """An output whose own comparison is that of arrays, which are neither equal nor different."""

    parts: object


class Plain:
    """An output that is equal to itself alone."""

    def __init__(self, part):
        self.part = part


KINDS = {
    "a number": lambda y, part: part,
    "a complex number": lambda y, part: complex(part, y),
    "an array": lambda y, part: np.array([y, part]),
    "fields": lambda y, part: np.array([(y, part)], FIELDS),
    "objects": lambda y, part: np.array([y, part, None], object),
    "a masked array": lambda y, part: np.ma.array([y, 0.0], mask=[False, part == 1.0]),
    "a dict": lambda y, part: {"sum": y, "parts": (part, [part])},
    "arrays in a dict": lambda y, part: {"parts": np.array([y, part])},
    "a dataclass": lambda y, part: Answer(np.array([y, part])),
    "an object": lambda y, part: Plain(part),
    "a namespace": lambda y, part: SimpleNamespace(parts=[part]),
    "a series": lambda y, part: pd.Series([y, part]),
    "a frame": lambda y, part: pd.DataFrame({"parts": [y, part]}),
    "a time": lambda y, part: np.array(["NaT", "NaT" if np.isnan(part) else int(part)], "M8[s]"),
    "an iterator": lambda y, part: iter([y, part]),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("part", [0.25, float("nan")])
def test_what_does_not_change_is_not_called_changed(kind, part):
    assert assert_unchanged_by(lambda data, rng: KINDS[kind](SUMS.release(data.sum(), rng), part), horizon=3) > 0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("other", [0.0, float("nan")])
def test_what_a_reward_changes_is_called_changed(kind, other):
    def peeks(data, rng):
        return KINDS[kind](SUMS.release(data.sum(), rng), 1.0 if data[0, 0] > 0.5 else other)

    with pytest.raises(PrivacyFailure, match="Outputs: "):
        assert_unchanged_by(peeks, horizon=3)


def test_what_is_released_while_an_output_is_read_counts():
    def one_by_one(data, rng):
        return (SUMS.release(reward, rng) for reward in data[:, 0])

    def and_again(data, rng):
        return (SUMS.release(reward, rng) + reward for reward in data[:, 0])

    assert assert_unchanged_by(one_by_one, horizon=3) > 0
    with pytest.raises(PrivacyFailure, match="Outputs: "):
        assert_unchanged_by(and_again, horizon=3)


def test_the_type_of_an_output_tells_too():
    def whole(data, rng):
        return SUMS.release(data.sum(), rng), 1 if data[0, 0] > 0.5 else 1.0

    with pytest.raises(PrivacyFailure, match="Outputs: "):
        assert_unchanged_by(whole, horizon=3)
