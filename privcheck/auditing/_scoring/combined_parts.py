"""Scores of what several parts of an output say together: products and quotients of two, and parities of up to four."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from privcheck.arrays import Array, Symbols
from privcheck.auditing._scoring.repeated_values import RepeatedValues

MOST_MULTIPLIED = 64
"""Parts of which all products of two are compared: 2,016 of them."""

MOST_DIVIDED = 16
"""Parts of which all quotients are compared: each costs as much as a part, while products cost a matrix product."""

MOST_COMPARED = 4000
"""Training runs per stream on which combinations are compared: of 2,016 that tell nothing, the best is 3.9 standard
errors from 0.
"""

CLIPPED = 8.0
"""Interquartile ranges from the median up to which parts are multiplied, so that heavy tails do not decide."""

MOST_BITS = 12
"""Parts of which parities are compared."""

MOST_IN_PARITY = 4
"""Parts of a parity, at most: 781 subsets of two to four of twelve."""


class TwoParts:
    """The product or the quotient of the two parts that tell most together, as `RepeatedValues`.

    Noise that two parts share hides each, and their product shows it: the sign of one noise is that of the other. A
    noisy sum beside its ratio to a count has the count as its quotient. Parts are multiplied after their medians are
    subtracted and divided as they are; the distance of the means of a product, and of the cosine and the sine of the
    angle of a quotient, in standard errors, decides which is taken.

    Parameters
    ----------
    first, second : parts of the training runs on each stream, shape (n, E), E > 1.
    names : those of the parts.

    Examples
    --------
    >>> noise = np.random.default_rng(0).normal(size=(2, 500, 3))
    >>> noise[0, :, 2] = noise[0, :, 0]
    >>> score = TwoParts(*noise, ["a", "b", "c"])
    >>> score.described
    'a divided by c'
    """

    def __init__(self, first: Array, second: Array, names: Sequence[str]) -> None:
        few = [np.asarray(side[:MOST_COMPARED, :MOST_MULTIPLIED], np.float64) for side in (first, second)]
        both = np.concatenate(few)
        finite = np.where(np.isfinite(both), both, np.nan)
        width = finite.shape[1]
        self.centre, spread = np.zeros(width), np.ones(width)
        if (seen := ~np.isnan(finite).all(axis=0)).any():
            low, self.centre[seen], high = np.nanquantile(finite[:, seen], (0.25, 0.5, 0.75), axis=0)
            spread[seen] = high - low
        self.spread = np.where(spread > 0.0, spread, 1.0)
        multiplied = _products(*(self._scaled(side) for side in few))
        divided = _quotients(*(np.nan_to_num(side[:, :MOST_DIVIDED], posinf=0.0, neginf=0.0) for side in few))
        self.is_quotient = bool(divided.max() > multiplied.max())
        strength = divided if self.is_quotient else multiplied
        self.parts = divmod(int(np.argmax(strength)), strength.shape[1])
        one, two = (names[part] for part in self.parts)
        self.described = f"{one} divided by {two}" if self.is_quotient else f"the product of {one} and {two}"
        self.values = RepeatedValues(self._read(first), self._read(second))

    def _scaled(self, values: Array) -> Array:
        with np.errstate(invalid="ignore", over="ignore"):
            scaled = (values[:, : len(self.centre)] - self.centre) / self.spread
        return np.clip(np.nan_to_num(scaled, posinf=CLIPPED, neginf=-CLIPPED), -CLIPPED, CLIPPED)

    def _read(self, values: Array) -> Array:
        one, two = self.parts
        with np.errstate(all="ignore"):
            if self.is_quotient:
                return np.asarray(values[:, one] / values[:, two], np.float64)
            centred = (values[:, list(self.parts)] - self.centre[list(self.parts)]) / self.spread[list(self.parts)]
            return np.asarray(centred[:, 0] * centred[:, 1], np.float64)

    def __call__(self, values: Array) -> Array:
        """Return the log-odds of the product or the quotient in each run, shape (n,)."""
        return self.values(self._read(values))


def _products(first: Array, second: Array) -> Array:
    """Return how far apart the means of all products of two different parts are, in standard errors, shape (E, E)."""
    means, variances = [], []
    for side in (first, second):
        mean, square = side.T @ side / len(side), np.square(side)
        means.append(mean)
        variances.append((square.T @ square / len(side) - np.square(mean)) / len(side))
    return np.triu(_errors(means[0] - means[1], variances[0] + variances[1]), 1)


def _quotients(first: Array, second: Array) -> Array:
    """Return the same for the angles of all quotients of two different parts, shape (E, E)."""
    width = first.shape[1]
    one, two = np.triu_indices(width, 1)
    angles = []
    for side in (first, second):
        x, y = side[:, one], side[:, two]
        with np.errstate(all="ignore"):
            size = np.square(x) + np.square(y)
            angles.append(np.nan_to_num(np.stack([(np.square(x) - np.square(y)) / size, 2.0 * x * y / size])))
    gap = angles[0].mean(axis=1) - angles[1].mean(axis=1)
    variance = sum(angle.var(axis=1) / angle.shape[1] for angle in angles)
    found = np.zeros((width, width))
    found[one, two] = _errors(gap, np.asarray(variance)).max(axis=0, initial=0.0)
    return found


def _errors(gap: Array, variance: Array) -> Array:
    return np.abs(gap) / np.sqrt(np.maximum(variance, 1e-12))


class Parity:
    """1 or -1 by whether an even number of some parts is odd: of the up to four that tell most.

    Parameters
    ----------
    first, second : symbols of the training runs on each stream, shape (n, D).
    names : those of the columns.

    Examples
    --------
    >>> bits = np.random.default_rng(0).integers(2, size=(2, 500, 6))
    >>> bits[0, :, 5] = bits[0, :, 1] ^ bits[0, :, 3]
    >>> score = Parity(*bits, "abcdef")
    >>> score.described, np.unique(score(bits[0])).tolist()
    ('the parity of b, d and f', [1.0])
    """

    def __init__(self, first: Symbols, second: Symbols, names: Sequence[str]) -> None:
        few = [side[:MOST_COMPARED] & 1 for side in (first, second)]
        odd = np.concatenate(few).mean(axis=0)
        columns = np.flatnonzero((odd > 0.0) & (odd < 1.0))[:MOST_BITS].tolist()
        one, two = (1 - 2 * side.astype(np.int8) for side in few)
        self.columns, best, self.sign = list[int](), 0.0, 1.0
        for size in range(2, MOST_IN_PARITY + 1):
            subsets = list(itertools.combinations(columns, size))
            if not subsets:
                break
            means = [np.prod(side[:, subsets], axis=2, dtype=np.int8).mean(axis=0) for side in (one, two)]
            gap = means[0] - means[1]
            place = int(np.argmax(np.abs(gap)))
            if abs(gap[place]) > best:
                self.columns, best, self.sign = list(subsets[place]), float(abs(gap[place])), float(np.sign(gap[place]))
        shown = [names[column] for column in self.columns]
        self.described = f"the parity of {', '.join(shown[:-1])} and {shown[-1]}" if shown else "no parity"

    def __call__(self, symbols: Symbols) -> Array:
        """Return the parity in each run with the sign that makes 1 evidence for the first stream, shape (n,)."""
        odd = (symbols[:, self.columns] & 1).sum(axis=1) & 1
        return np.asarray(self.sign * (1.0 - 2.0 * odd))
