"""The draws that an array of private values holds: which of them are its noise, and where they met data first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privcheck.arrays import Array, Integers
from privcheck.private_values._noise.draws import Draws, Home, summed
from privcheck.private_values._terms import Terms

if TYPE_CHECKING:
    from privcheck.private_values._private import Private

SHARED = (
    "each entry that is read needs a draw of its own, which is in no other entry: draw the noise of an array with "
    "size=, once for each entry"
)
NO_LAW = {
    "uniform": "uniform noise shows where a value is: add rng.laplace(0, scale), compare it with a private chance, or "
    "use np.where(rng.random(n) < p, x, 1 - x) for bits x",
    "exponential": "exponential noise loses without bound when it is read as a number: use rng.laplace(0, scale), or "
    "read only the argmax",
    "gumbel": "Gumbel noise loses without bound when it is read as a number: read only the argmax of scores with it",
    "geometric": "one geometric draw loses without bound: add the difference of two, or use "
    "privcheck.mechanisms.DiscreteLaplace",
}
COIN = (
    "the draw in it was read before, or beside other draws that were taken for the noise, so it is a public number: "
    "read a noised value before you read its noise"
)

FAR = 2.0**20  # scales of noise: the slack of the noise does not cover the rounding of larger public numbers


@dataclass(frozen=True)
class Noise:
    """The noise of one entry: a draw with its coefficient, and the law of their product."""

    row: int
    draw: int
    weight: float
    law: str
    scale: float
    partner: int = 0

    def is_far(self, value: Private) -> bool:
        """Tell whether the entry's public part is so large that its rounding would be charged."""
        return bool(abs(value._const.flat[self.row]) > FAR * self.scale)


@dataclass(frozen=True)
class Held:
    """What an array of private values consists of: its terms, and which of its entries hold what.

    Parameters
    ----------
    rows, features, weights : the terms, sorted by entry.
    data : the entries that depend on data.
    of_row : the draws of each entry that holds some, with their coefficients.
    rows_of : the entries of each draw.
    """

    rows: Integers
    features: Integers
    weights: Array
    data: set[int]
    of_row: dict[int, dict[int, float]]
    rows_of: dict[int, list[int]]

    @classmethod
    def of(cls, terms: Terms) -> Held:
        tidy = terms.tidy()
        rows, features, weights = tidy.rows, tidy.features, tidy.weights
        drawn = features < 0
        of_row: dict[int, dict[int, float]] = {}
        rows_of: dict[int, list[int]] = {}
        columns = (column[drawn].tolist() for column in (rows, features, weights))
        for row, number, weight in zip(*columns, strict=True):
            of_row.setdefault(row, {})[number] = weight
            rows_of.setdefault(number, []).append(row)
        return cls(rows, features, weights, set(np.unique(rows[~drawn]).tolist()), of_row, rows_of)

    @property
    def is_simple(self) -> bool:
        """Whether each entry holds at most one draw, and each draw is in one entry."""
        return all(len(found) == 1 for found in (*self.of_row.values(), *self.rows_of.values()))

    def noise(self, draws: Draws) -> list[Noise] | str:
        """Return the noise of every entry that depends on data, or why there is none."""
        if spent := [draws[number].spent or COIN for number in self.rows_of if not draws[number].fresh]:
            return spent[0]
        found = []
        for row in sorted(self.data):
            own = self.of_row.get(row)
            if own is None:
                return SHARED if self.of_row else ""
            alone = {number: weight for number, weight in own.items() if len(self.rows_of[number]) == 1}
            if not alone:
                return SHARED
            noise = noise_of(row, alone, draws)
            if noise is None:
                return NO_LAW[draws[min(alone)].law]
            found.append(noise)
        return found


def noise_of(row: int, alone: dict[int, float], draws: Draws) -> Noise | None:
    """Return the noise of an entry: the Laplace draw or difference of the largest scale, or a normal draw."""
    found = [
        Noise(row, number, weight, draws[number].law, abs(weight) * draws[number].scale)
        for number, weight in sorted(alone.items(), reverse=True)
        if draws[number].law in ("laplace", "normal")
    ]
    laplace = [noise for noise in found if noise.law == "laplace"] + _differences(row, alone, draws)
    whole = [noise for noise in laplace if noise.law == "geometric"]
    for candidates in ([noise for noise in laplace if noise.law == "laplace"], whole, found):
        if candidates:
            return max(candidates, key=lambda noise: noise.scale)
    return None


def _differences(row: int, alone: dict[int, float], draws: Draws) -> list[Noise]:
    """Return the pairs of an entry whose difference has a Laplace law: exponential, or geometric with weights 1, -1."""
    found = []
    waiting: dict[tuple[str, float, float], int] = {}
    for number, weight in sorted(alone.items(), reverse=True):
        draw = draws[number]
        if draw.law not in ("exponential", "geometric") or (draw.law == "geometric" and abs(weight) != 1.0):
            continue
        partner = waiting.pop((draw.law, draw.scale, -weight), None)
        if partner is None:
            waiting[draw.law, draw.scale, weight] = number
            continue
        law = "laplace" if draw.law == "exponential" else "geometric"
        found.append(Noise(row, partner, -weight, law, abs(weight) * draw.scale, number))
    return found


def joined(value: Private, homes: list[Home]) -> Private:
    """Return the entries of homes as one array."""
    columns: list[tuple[Integers, Integers, Array]] = []
    for row, home in enumerate(homes):
        one = home.terms.row(home.row)
        columns.append((np.full(one.count, row), one.features, one.weights))
    rows, features, weights = (np.concatenate(column) for column in zip(*columns, strict=True))
    const = np.array([home.const for home in homes])
    return value.make(value.source, const, Terms.of(rows, features, weights))


def cancels(held: Held, homes: Held, noise: list[Noise]) -> bool:
    """Return whether a value depends on no data once its draws stand for the released homes minus their data."""
    of_data = held.features >= 0
    columns = [(held.rows[of_data], held.features[of_data], held.weights[of_data])]
    for one in noise:
        own = (homes.rows == one.row) & (homes.features >= 0)
        for row in held.rows_of.get(one.draw, ()):
            factor = held.of_row[row][one.draw] / one.weight
            columns.append((np.full(own.sum(), row), homes.features[own], -factor * homes.weights[own]))
    rows, features, weights = (np.concatenate(column) for column in zip(*columns, strict=True))
    return summed(rows, features, weights).count == 0


def released_in_turn(held: Held, homes: Held, draws: Draws) -> list[int]:
    """Return the homes that are to be released one after the other, so that a value then depends on no data.

    In a = r + z and b = 0.6 a + 0.8 w the draw z is in both entries. But once a is released, b is public but for w.

    Parameters
    ----------
    held : the value.
    homes : the entries in which its draws met data first.
    draws : of the run.

    Returns
    -------
    Rows of the homes; empty if the value would still depend on data.
    """
    if len(homes.of_row) > MOST_HOMES or not all(draws[number].fresh for number in (*homes.rows_of, *held.rows_of)):
        return []
    meant, coins, order = dict[int, tuple[Integers, Array]](), set[int](), list[int]()
    for row in sorted(homes.of_row, key=lambda row: (len(homes.of_row[row]), row)):
        left = _data_of(homes, row, meant)
        if not left.count:
            continue
        own = {number: k for number, k in homes.of_row[row].items() if number not in coins and number not in meant}
        noise = noise_of(row, own, draws)
        if noise is None or noise.partner:
            return []
        coins.update(own.keys() - {noise.draw})
        meant[noise.draw] = left.features, -left.weights / noise.weight
        order.append(row)
    return [] if any(_data_of(held, row, meant).count for row in held.data) else order


def _data_of(held: Held, row: int, meant: dict[int, tuple[Integers, Array]]) -> Terms:
    """Return what an entry depends on, once draws stand for what they are without released and public numbers."""
    own = (held.rows == row) & (held.features >= 0)
    columns = [(held.features[own], held.weights[own])]
    columns += [(meant[j][0], k * meant[j][1]) for j, k in held.of_row.get(row, {}).items() if j in meant]
    features, weights = (np.concatenate(column) for column in zip(*columns, strict=True))
    return summed(np.zeros(features.size, np.int64), features, weights)


MOST_HOMES = 256
"""Entries that are released one after the other, to bound the time."""
