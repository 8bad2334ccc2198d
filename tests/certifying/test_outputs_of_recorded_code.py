"""Whatever a recorded function returns is read as an audit reads it: raw data in it are found, and noise is charged."""

from __future__ import annotations

import collections
import decimal
import fractions
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from privcheck import certify
from privcheck.errors import PrivcheckError


@dataclass
class Result:
    total: float


class Fitted:
    def __init__(self, total):
        self.total = total


def certified(target):
    return certify(target, epsilon=1.0 + 1e-9, horizon=3, runs=3, primitives=["numpy"])


WAYS = {
    "a set": lambda numbers: {float(one) for one in numbers},
    "a frozen set": lambda numbers: frozenset(map(float, numbers)),
    "a series": lambda numbers: pd.Series(list(numbers)),
    "a frame": lambda numbers: pd.DataFrame({"rows": list(numbers)}),
    "labels of a frame": lambda numbers: pd.DataFrame({"rows": 0}, index=[float(one) for one in numbers]),
    "a dataclass": lambda numbers: Result(numbers.sum()),
    "dataclasses in a list": lambda numbers: [Result(one) for one in numbers],
    "a complex number": lambda numbers: complex(numbers.sum()),
    "a decimal": lambda numbers: decimal.Decimal(float(numbers.sum())),
    "a fraction": lambda numbers: fractions.Fraction(float(numbers.sum())),
    "a named tuple": lambda numbers: collections.namedtuple("Total", "total")(numbers.sum()),
    "records": lambda numbers: np.array([(float(one), 1) for one in numbers], dtype=[("x", float), ("n", int)]),
}
UNREAD = {
    "an object": lambda numbers: Fitted(numbers.sum()),
    "a generator": lambda numbers: (one for one in numbers),
    "a queue": lambda numbers: collections.deque(numbers),
    "a function": lambda numbers: lambda: numbers,
}


@pytest.mark.chance(1e-9, "the outputs differ in all runs, so that Fisher's test of 200 beside 200 finds them always")
@pytest.mark.parametrize("way", WAYS)
def test_raw_data_are_found_in_every_output(way):
    found = certified(lambda data, rng: WAYS[way](data))
    assert found.replay.divergences, found


@pytest.mark.parametrize("way", WAYS)
def test_noise_in_every_output_is_charged(way):
    found = certified(lambda data, rng: WAYS[way](data + rng.laplace(0.0, 1.0, 3)))
    assert not found.has_findings, found
    assert found.ledger_epsilon == pytest.approx(1.0)
    assert certified(lambda data, rng: WAYS[way](data + rng.laplace(0.0, 0.1, 3))).refusals


@pytest.mark.parametrize("way", UNREAD)
def test_an_output_that_cannot_be_read_is_refused(way):
    with pytest.raises(PrivcheckError, match="certify a function that returns all that is published of it"):
        certified(lambda data, rng: UNREAD[way](data + rng.laplace(0.0, 1.0, 3)))


def test_no_number_and_an_empty_list_are_two_outputs():
    found = certified(lambda data, rng: [] if data[0] > 0.5 else 0)
    assert found.replay.divergences
