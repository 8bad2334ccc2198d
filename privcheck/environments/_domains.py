"""The domains of the parameters of environments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from privcheck.declared import UNIT_INTERVAL, Real


def check_list(value: Any) -> Any:
    """Return a sequence of numbers as it is; raise TypeError for text, sets and single numbers."""
    if isinstance(value, str | bytes) or not isinstance(value, Sequence | np.ndarray):
        raise TypeError
    return value


@dataclass(frozen=True)
class PerArm:
    """One real number for each of 2 to 127 arms.

    >>> PerArm(Real(0.0, 1.0, low_open=True, high_open=True)).text
    'a list of 2 to 127 numbers in (0, 1)'
    """

    inner: Real = UNIT_INTERVAL

    @property
    def text(self) -> str:
        """What the domain contains, in words."""
        words = self.inner.text.removeprefix("a ")
        return f"a list of 2 to 127 {words.replace('number', 'numbers')}"

    def normalise(self, value: Any) -> tuple[float, ...]:
        """Return a tuple of floats."""
        if not 2 <= len(check_list(value)) <= 127:
            raise ValueError
        return tuple(self.inner.normalise(number) for number in value)


@dataclass(frozen=True)
class Points:
    """Different points of [0, 1], in the order given."""

    text: str = "a list of different numbers in [0, 1]"

    def normalise(self, value: Any) -> tuple[float, ...]:
        """Return a tuple of floats."""
        points = tuple(UNIT_INTERVAL.normalise(point) for point in check_list(value))
        if not points or len(set(points)) < len(points):
            raise ValueError
        return points


@dataclass(frozen=True)
class Probabilities:
    """One list of probabilities for each of 2 to 127 arms; each adds up to 1 within 1e-9 and is rescaled to 1."""

    text: str = "2 to 127 lists of probabilities, each of which adds up to 1"

    def normalise(self, value: Any) -> tuple[tuple[float, ...], ...]:
        """Return a tuple of tuples of floats."""
        if not 2 <= len(check_list(value)) <= 127:
            raise ValueError
        rows = [[UNIT_INTERVAL.normalise(weight) for weight in check_list(row)] for row in value]
        if any(abs(sum(row) - 1.0) > 1e-9 or len(row) != len(rows[0]) for row in rows):
            raise ValueError
        return tuple(tuple(weight / sum(row) for weight in row) for row in rows)
