"""Draws of noise that private values hold until they are read: which are fresh, and what the others have become."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privcheck.arrays import Array, Integers
from privcheck.private_values._columns import ONE_AT_A_TIME
from privcheck.private_values._terms import Terms

if TYPE_CHECKING:
    from privcheck.private_values._private import Private

FIRST = -2
"""The number of the first draw. Draws have the numbers -2, -3, ... where features of data have 0, 1, ...; without -1 no
range of consecutive numbers can hold both.
"""

_CANCELLED = 2.0**-51
"""Share of its summands, for each of them, below which a coefficient has cancelled but for rounding: four units in the
last place.
"""


class Home(NamedTuple):
    """The entry in which a draw first met private data: its public part, the array's terms, the entry, the line."""

    const: float
    terms: Terms
    row: int
    location: str


class Known(NamedTuple):
    """What a draw has become: const + sum_k weights[k] * f[features[k]]."""

    const: float
    features: Integers
    weights: Array


class Scores(NamedTuple):
    """Scores whose noisy maximum was released: without noise, the Laplace draw and coefficient of each, the winner."""

    exact: Private
    noise: tuple[tuple[int, float], ...]
    scale: float
    winner: int


@dataclass(slots=True)
class Draw:
    """One draw of noise.

    Parameters
    ----------
    law : "laplace", "normal", "exponential", "gumbel", "geometric" or "uniform".
    scale : the scale, or the standard deviation; of a geometric draw, that of the discrete Laplace law of a difference.
    known : what it is since it was read; None before.
    spent : why it is not noise any more although it is not known; empty for a fresh draw.
    home : where it first met private data.
    scores : the noisy scores that it is in, if it is spent because their maximum was released, and they can be too.
    met : the file, line and function where it first met private data.
    """

    law: str
    scale: float
    known: Known | None = None
    spent: str = ""
    home: Home | None = None
    scores: Scores | None = None
    met: tuple[str, int, str] | None = None

    @property
    def fresh(self) -> bool:
        """Whether its law is still the one that it was drawn from, whatever has been released."""
        return self.known is None and not self.spent


class Draws:
    """The draws of one run, by number.

    Parameters
    ----------
    sample : draws a public coin from a law with a scale.

    Attributes
    ----------
    noisy : whether some draw was from a law of noise, or decided an answer that was released.

    Guarantee
    ---------
    Given everything that has been released, and all coins, the fresh draws are independent, each with its own law.

    Examples
    --------
    >>> draws = Draws(lambda law, scale: 0.25)
    >>> draws.add("laplace", [1.0, 1.0]), draws.add("normal", [2.0])
    (-3, -4)
    >>> draws.flip([-3])
    >>> draws[-3].known.const, draws[-3].fresh, draws[-2].fresh
    (0.25, False, True)
    """

    def __init__(self, sample: Callable[[str, float], float]) -> None:
        self.sample, self.epoch, self.next = sample, 0, FIRST
        self._settled = FIRST
        self.noisy = False
        self.loose: set[int] = set()
        self._draws: dict[int, Draw] = {}

    def __getitem__(self, number: int) -> Draw:
        return self._draws[number]

    def __len__(self) -> int:
        return len(self._draws)

    def __contains__(self, number: int) -> bool:
        return number in self._draws

    def add(self, law: str, scales: Iterable[float]) -> int:
        """Add independent draws and return the lowest of their consecutive numbers."""
        new = [Draw(law, scale) for scale in scales]
        with ONE_AT_A_TIME:
            self.noisy |= law != "uniform"
            self.next -= len(new)
            first = self.next + 1
            self._draws.update(zip(range(first, first + len(new)), new, strict=True))
            self.loose.update(range(first, first + len(new)))
            return first

    def know(self, number: int, known: Known) -> None:
        """Say what a draw has become."""
        with ONE_AT_A_TIME:
            draw = self._draws[number]
            draw.known, draw.spent, draw.scores = known, "", None
            self.loose.discard(number)
            self.epoch += 1

    def flip(self, numbers: Iterable[int]) -> None:
        """Turn fresh draws into public coins."""
        nothing = np.zeros(0, np.int64), np.zeros(0)
        for number in numbers:
            with ONE_AT_A_TIME:
                draw = self._draws[number]
                if draw.fresh:
                    self.know(number, Known(self.sample(draw.law, draw.scale), *nothing))

    def spend(self, numbers: Iterable[int], why: str) -> None:
        """Say that draws are not noise any more, although they are not known."""
        for number in numbers:
            self._draws[number].spent = why
            self.loose.discard(number)

    def keep_scores(self, scores: Scores) -> None:
        """Remember the scores whose noisy maximum was released."""
        for number, _ in scores.noise:
            self._draws[number].scores = scores

    def forget_scores(self) -> None:
        """Say that no scores can be released any more."""
        for draw in self._draws.values():
            draw.scores = None

    def answer(self, numbers: Iterable[int], why: str) -> None:
        """Say that draws have decided an answer that was released."""
        self.spend(numbers, why)
        self.noisy = True

    def spend_all(self, why: str) -> None:
        """Say that no draw so far is noise any more: what holds one of those that are not known cannot be read."""
        self.spend([number for number, draw in self._draws.items() if draw.fresh], why)

    def settle_home(self, const: Array, terms: Terms, call: Callable[[], tuple[str, int, str]]) -> None:
        """Remember where draws meet private data for the first time."""
        rows, firsts, _, _ = terms.ranges
        noisy = firsts < 0
        if not noisy.any() or noisy.all():
            return
        tidy = terms.tidy()
        rows, features = tidy.rows, tidy.features
        drawn = features < 0
        met = drawn & np.isin(rows, rows[~drawn])
        for number, row in zip(features[met].tolist(), rows[met].tolist(), strict=True):
            if number in self.loose:
                self.loose.discard(number)
                draw = self._draws[number]
                file, line, _ = draw.met = call()
                draw.home = Home(float(const.flat[row]), tidy, row, f"{Path(file).name}:{line}")

    def substituted(self, terms: Terms, size: int) -> tuple[Array | None, Terms, bool]:
        """Return terms in which known draws are replaced by what they have become.

        Returns
        -------
        added : what is added to each of the `size` public parts; None if nothing is replaced.
        terms : the terms.
        reused : whether a draw that was released before was replaced.
        """
        if not (terms.ranges[1] < 0).any():
            return None, terms, False
        tidy = terms.tidy()
        rows, features, weights = tidy.rows, tidy.features, tidy.weights
        replaced = np.array([j < 0 and self._draws[j].known is not None for j in features.tolist()], np.bool_)
        if not replaced.any():
            return None, tidy, False
        added, reused = np.zeros(size), False
        columns = [(rows[~replaced], features[~replaced], weights[~replaced])]
        for place in np.flatnonzero(replaced).tolist():
            known = self._draws[int(features[place])].known
            assert known is not None
            added[rows[place]] += weights[place] * known.const
            if known.features.size:
                reused = True
                with np.errstate(under="ignore"):
                    factors = weights[place] * known.weights
                columns.append((np.full(known.features.size, rows[place]), known.features, factors))
        parts = (np.concatenate(column) for column in zip(*columns, strict=True))
        return added, summed(*parts), reused

    def keep(self, ranges: Iterable[tuple[Integers, Integers]]) -> list[tuple[Integers, Integers]]:
        """Forget all draws but those in these ranges, what their homes hold, and what these have become.

        Returns
        -------
        The ranges of features of the homes, and of what draws have become.

        Draws without a home stay while something refers to them; those added since the last time stay too.
        """
        needed = {
            number
            for firsts, lengths in ranges
            for first, length in zip(firsts.tolist(), lengths.tolist(), strict=True)
            for number in range(first, first + length)
        }
        needed.update(range(self.next + 1, self._settled + 1))
        self._settled = self.next
        features: list[tuple[Integers, Integers]] = []
        homes = {id(draw.home.terms): draw.home.terms for j in needed if (draw := self._draws.get(j)) and draw.home}
        for terms in homes.values():
            _, firsts, lengths, _ = terms.ranges
            features.append((firsts[firsts >= 0], lengths[firsts >= 0]))
            needed.update(j for j in terms.features.tolist() if j < 0)
        for number in [*needed]:
            if (draw := self._draws.get(number)) and draw.known is not None:
                own = draw.known.features
                features.append((own[own >= 0], np.ones((own >= 0).sum(), np.int64)))
                needed.update(own[own < 0].tolist())  # of a difference: the other draw
        self._draws = {number: draw for number, draw in self._draws.items() if number in needed}
        self.loose &= self._draws.keys()
        return features


def without_draws(terms: Terms) -> Terms:
    """Return the part of terms that depends on data."""
    of_data = terms.features >= 0
    return Terms.of(terms.rows[of_data], terms.features[of_data], terms.weights[of_data])


def summed(rows: Integers, features: Integers, weights: Array) -> Terms:
    r"""Return the terms with these parallel columns, without the coefficients that cancel but for rounding.

    The guard computes a value from its final coefficients. A coefficient that is the sum of n numbers w_k, and smaller
    than 4 (n + 2) u sum |w_k| with u = 2^-53, is taken as 0, and the value that is computed then does not depend on it.
    """
    order = np.lexsort((features, rows))
    rows, features, weights = rows[order], features[order], weights[order]
    new = np.ones(weights.size, np.bool_)
    new[1:] = (rows[1:] != rows[:-1]) | (features[1:] != features[:-1])
    starts = np.flatnonzero(new)
    if not starts.size:
        return Terms.of([], [], [])
    counts = np.diff(starts, append=weights.size)
    with np.errstate(over="ignore", invalid="ignore"):
        sums, sizes = np.add.reduceat(weights, starts), np.add.reduceat(np.abs(weights), starts)
    tiny = np.abs(sums) <= _CANCELLED * (counts + 2) * sizes
    kept = (sums != 0.0) & ~(tiny & (counts > 1)) | ~np.isfinite(sums)
    return Terms.of(rows[starts][kept], features[starts][kept], sums[kept])
