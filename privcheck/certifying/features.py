"""The features of one run: every number that a datum contributes, with the interval in which it may lie."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable

from privcheck.errors import PrivcheckError, words

Key = tuple[object, ...]


class FeatureTable:
    """Features in the order of their arrival; only their ranges are kept here, never their values.

    Each feature belongs to one datum and lies in [low, high] whatever the data. The features of one datum move
    independently of one another, within their intervals: where they do not (a clip, a product), that is an upper bound.

    Parameters
    ----------
    diameters : L2 diameters of groups of features, by group.

    Examples
    --------
    >>> table = FeatureTable()
    >>> table.add(3, 0.0, 1.0), table.add((4, 0), -1.0, 1.0)
    (0, 1)
    >>> table.low, table.high, [table.data[owner] for owner in table.owner]
    ([0.0, -1.0], [1.0, 1.0], [3, (4, 0)])

    """

    def __init__(self) -> None:
        self.low: list[float] = []
        self.high: list[float] = []
        self.owner: list[int] = []
        self.group: list[int] = []
        self.data: list[Hashable] = []
        self.diameters: list[float] = []
        self._numbers: dict[Hashable, int] = {}
        self._derived: dict[Key, int] = {}

    def add(self, datum: Hashable, low: float, high: float, group: int = -1) -> int:
        """Add a feature of a datum and return its number; `group` names the vector with an L2 diameter, if any."""
        if not (math.isfinite(low) and math.isfinite(high)):
            hint = "bring values and coefficients to ordinary magnitudes"
            raise PrivcheckError("interval of a private value", words("infinite ends"), "a finite interval", hint)
        number = self._numbers.setdefault(datum, len(self.data))
        if number == len(self.data):
            self.data.append(datum)
        self.low.append(low)
        self.high.append(high)
        self.owner.append(number)
        self.group.append(group)
        return len(self.low) - 1

    def add_group(self, diameter: float) -> int:
        """Declare the L2 diameter of a vector and return its group."""
        self.diameters.append(diameter)
        return len(self.diameters) - 1

    def derived(self, key: Key, owner: int, interval: Callable[[], tuple[float, float]]) -> int:
        """Return the feature that is computed from others of one datum, the same for the same `key`."""
        if key not in self._derived:
            self._derived[key] = self.add(self.data[owner], *interval())
        return self._derived[key]
