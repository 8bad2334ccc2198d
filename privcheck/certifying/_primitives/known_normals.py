"""What known normal draws say of others: projections on an orthonormal basis of those that share draws."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from privcheck.arrays import Array


class Projection(NamedTuple):
    """What known draws say of a sum of draws.

    Parameters
    ----------
    said : the value of its projection on the known ones.
    rest : the standard deviation of what is independent of them.
    is_coin : whether it depends on a known draw that is a coin.
    direction : the rest, in units of the standard deviations of the draws.
    """

    said: float
    rest: float
    is_coin: bool
    direction: Array


@dataclass
class KnownNormals:
    """The known normal draws of a run, and known sums of them.

    Draws that became known alone are kept by their values. The others are kept as orthonormal combinations of
    standardised draws, each with its value and whether it is a coin (modified Gram-Schmidt, done twice).
    """

    alone: dict[int, tuple[float, bool]] = field(default_factory=dict)
    _columns: dict[int, int] = field(default_factory=dict)
    _basis: Array = field(default_factory=lambda: np.zeros((0, 0)))
    _values: list[float] = field(default_factory=list)
    _coins: list[bool] = field(default_factory=list)

    def say_nothing_of(self, draws: Mapping[int, float]) -> bool:
        """Tell whether a sum of draws has none that a known one has."""
        return self.alone.keys().isdisjoint(draws) and self._columns.keys().isdisjoint(draws)

    def projection(self, draws: Mapping[int, float], scales: list[float]) -> Projection:
        """Return what is known of a sum of draws.

        Parameters
        ----------
        draws : their factors.
        scales : the standard deviation of each draw of the run, which are counted from 1.
        """
        known = {draw: self.alone[draw] for draw in draws if draw in self.alone}
        left = {draw: factor * scales[draw - 1] for draw, factor in draws.items() if draw not in known}
        for draw in left:
            self._columns.setdefault(draw, len(self._columns))
        grown = np.zeros((len(self._values), len(self._columns)))
        grown[:, : self._basis.shape[1]] = self._basis
        self._basis, direction = grown, np.zeros(len(self._columns))
        direction[[self._columns[draw] for draw in left]] = list(left.values())
        factors = np.zeros(len(grown))
        for _ in range(2):
            more = grown @ direction
            direction = direction - more @ grown
            factors += more
        said = float(factors @ np.array(self._values)) + sum(draws[draw] * value for draw, (value, _) in known.items())
        is_coin = any(is_one for _, is_one in known.values()) or bool((factors[self._coins] != 0.0).any())
        return Projection(said, float(np.linalg.norm(direction)), is_coin, direction)

    def learn(self, value: float, one: Projection, is_coin: bool) -> None:
        """Keep a sum of draws of which this was known, with its value."""
        self._basis = np.vstack([self._basis, one.direction / one.rest])
        self._values.append((value - one.said) / one.rest)
        self._coins.append(is_coin or one.is_coin)
