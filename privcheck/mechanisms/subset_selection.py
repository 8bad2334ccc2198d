"""Subset selection: a local report of a category as a set of categories."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from random import SystemRandom
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from privcheck.accounting import NOTHING, Charge, FiniteLaws, independent
from privcheck.arrays import Array, Integers
from privcheck.declared import Integer, Real, check, parameter
from privcheck.enclosure import ROUNDING
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms.base import NOISE_SLACK, Mechanism, generator, holds_integers, inner_sum, same_shape
from privcheck.mechanisms.currency import answer_charge


@dataclass(frozen=True)
class SubsetSelection(Mechanism):
    r"""Answer with a set of w of the K categories, which holds the true one more often than any other.

    P(S | v) is proportional to exp(1 / b) if v is in S and to 1 otherwise, over all sets of w categories, with
    b = (1 + 4e-9) / epsilon: the true category is in S with probability p = w exp(1 / b) / (w exp(1 / b) + K - w), and
    the others of S are a uniform choice. With w = 1 this is randomised response. `SubsetSelection.best` takes the w
    next to K / (1 + exp(epsilon)) with which frequencies are estimated best.

    Parameters
    ----------
    categories : K >= 2; categories are the integers 0, ..., K - 1.
    epsilon : in (0, 20], the budget of one answer, charged exactly.
    size : w, from 1 to K / 2, the number of categories in an answer.

    Guarantee
    ---------
    Notion: pure differential privacy, epsilon, in the local model, because each datum has its own answer.
    Neighbours: any two categories of one datum (replace one).
    Released: the set, once; answering again costs epsilon again. In an array every entry is a datum of its own.
    What one datum can change: its own category, to any other; a sensitivity of 1 in the number of changed entries.
    Noise: a coin for the true category and a uniform choice of the others, fast floating-point draws; `secure=True`
    draws both with the system's randomness, exactly. The slack of 1 / b covers the rounding of p if epsilon is at least
    1e-6; below, the charge is larger by 2^-49.
    Ties: nothing is compared.
    Proof: the sum of the weights is the same for every v, so every ratio is exp(1 / b), 1 or exp(-1 / b); a set that
    holds v and not v' attains it. And 1 / b < epsilon.

    Raises
    ------
    PrivcheckError : a parameter outside its domain, a value that is not a category, an output that is no set of w
        categories, an `rng` that is not a Generator.

    Source: Ye and Barg (2018); Wang et al. (2016), Mutual information optimally local private discrete distribution
    estimation.

    Examples
    --------
    >>> import numpy as np
    >>> mechanism = SubsetSelection.best(categories=6, epsilon=1.0)
    >>> mechanism.size, round(mechanism.inclusion, 4), mechanism.loss(1)
    (2, 0.5761, 1.0)
    >>> mechanism.release(3, np.random.default_rng(0)).tolist()
    [0, 1, 1, 0, 0, 0]
    >>> truth = np.repeat([0, 1, 2], [60_000, 30_000, 10_000])
    >>> estimates = mechanism.frequencies(mechanism.release(truth, np.random.default_rng(0)))
    >>> bool(np.abs(estimates - [0.6, 0.3, 0.1, 0.0, 0.0, 0.0]).max() < 0.02)
    True

    """

    id: ClassVar[str] = "subset-selection"
    samples_exactly: ClassVar[bool] = True
    notion: ClassVar[str] = "pure"
    sensitivity_norm: ClassVar[str] = "number of changed entries"
    source: ClassVar[str] = "Ye and Barg (2018); Wang et al. (2016)"

    categories: int = parameter(
        Integer(2, 10**6), typical=(4, 20), doc="K: number of categories",
        hint="give the number of categories, at least 2",
    )  # fmt: skip
    epsilon: float = parameter(
        Real(0.0, 20.0, low_open=True), typical=(0.1, 10.0), doc="epsilon: privacy budget of one answer",
        hint="an epsilon above 20 protects next to nothing",
    )  # fmt: skip

    size: int = parameter(
        Integer(1), typical=(1, 2), doc="w: number of categories in an answer, at most K / 2",
        hint="`SubsetSelection.best` chooses it",
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.size > self.categories // 2:
            hint = "larger sets say less; `SubsetSelection.best` chooses the size"
            raise PrivcheckError("size", self.size, f"at most K / 2 = {self.categories / 2:g}", hint)

    @classmethod
    def best(cls, *, categories: int, epsilon: float) -> Self:
        """Return the mechanism with the size that has the smallest squared error of the frequencies.

        >>> [SubsetSelection.best(categories=categories, epsilon=1.0).size for categories in (2, 4, 10, 100)]
        [1, 1, 3, 27]
        """
        checked = cls(categories=categories, epsilon=epsilon, size=1)
        ideal = checked.categories / (1.0 + math.exp(checked.epsilon))
        sizes = {max(1, math.floor(ideal)), max(1, min(math.ceil(ideal), checked.categories // 2))}
        best = min(sorted(sizes), key=lambda size: replace(checked, size=size).squared_error)
        return replace(checked, size=best)

    @property
    def integers(self) -> tuple[int, int]:
        """The categories."""
        return 0, self.categories - 1

    @property
    def scale(self) -> float:
        """The scale b = (1 + 4e-9) / epsilon: 1 / b is the log-ratio of sets with and without the true category."""
        return (1.0 + NOISE_SLACK) / self.epsilon

    @property
    def inclusion(self) -> float:
        """The probability p that the answer holds the true category."""
        return self.size / (self.size + (self.categories - self.size) * math.exp(-1.0 / self.scale))

    @property
    def squared_error(self) -> float:
        """The sum of the squared errors of all `frequencies`, times the number of data, apart from sampling errors."""
        truth, other = self.inclusion, self._other
        errors = truth * (1.0 - truth) + (self.categories - 1) * other * (1.0 - other)
        return errors / (truth - other) ** 2

    @property
    def _other(self) -> float:
        return (self.size - self.inclusion) / (self.categories - 1)

    def charge(self, sensitivity: float = 1.0) -> Charge:
        """Return the charge of one datum: nothing if its category is unchanged (sensitivity 0), otherwise epsilon."""
        hint = "answer for one entry at a time: a datum that enters several is charged for each"
        changed = check("sensitivity", sensitivity, Real(0.0, 1.0), hint)
        return NOTHING if changed == 0.0 else answer_charge(self.epsilon)

    def draw(self, value: Any, rng: np.random.Generator | None, *, secure: bool = False) -> Any:
        """Return the set for a category as K zeros and ones, or for an array, shape (*shape of value, K)."""
        truth = self._categories("value", value)
        return self._draw_exactly(truth) if secure else self._answers(truth, 1, rng)[0]

    def release_batch(self, value: npt.ArrayLike, rng: np.random.Generator, runs: int) -> Integers:
        """Return `runs` independent answers, shape (runs, *shape of value, K)."""
        return self._answers(self._categories("value", value), check("runs", runs, Integer(1)), rng)

    def frequencies(self, answers: npt.ArrayLike) -> Array:
        """Return unbiased estimates of the frequencies of the K categories among the data that answered.

        `answers` has the shape (..., K). With the share s_j of the sets that hold j, the estimate is
        (s_j - q) / (p - q), where q = (w - p) / (K - 1) is the probability that a set holds one of the others.
        """
        shares = self._sets(answers).reshape(-1, self.categories).mean(axis=0)
        return np.asarray((shares - self._other) / (self.inclusion - self._other))

    def log_density(self, output: npt.ArrayLike, value: npt.ArrayLike) -> Any:
        """Return ln P(output | truth `value`), jointly over the entries of `value`.

        `output` has the shape (..., *shape of value, K), the result the shape (...); it is a float when that is empty.
        """
        truth, chance = self._categories("value", value), self.inclusion
        within = math.log(chance) - _log_binomial(self.categories - 1, self.size - 1)
        held = self._held(output, truth)
        return inner_sum(within - (1.0 - held) / self.scale, truth.ndim)

    def log_ratio(self, output: npt.ArrayLike, value: npt.ArrayLike, other: npt.ArrayLike) -> Any:
        """Return ln(P(output | truth `value`) / P(output | truth `other`)), with the shapes of `log_density`."""
        first, second = self._categories("value", value), self._categories("other", other)
        same_shape(first, second)
        return inner_sum((self._held(output, first) - self._held(output, second)) / self.scale, first.ndim)

    def law_of_pair(self, value: npt.ArrayLike, other: npt.ArrayLike) -> FiniteLaws | None:
        """Return the exact laws of the answers to the entries that change; None if these are too many to enumerate.

        A set holds one of the two categories, or the other, or it has the same probability under both.
        """
        first, second = self._categories("value", value), self._categories("other", other)
        same_shape(first, second)
        count, truth = self.categories, self.inclusion
        only = [truth * (count - self.size) / (count - 1), (1.0 - truth) * self.size / (count - 1)]
        same = [1.0 - sum(only)] if count > 2 else []
        one, two = np.log([*only, *same]), np.log([*only[::-1], *same])
        error = np.where(one == two, 0.0, 16.0 * ROUNDING * (1.0 + np.abs(one)))
        return independent([FiniteLaws(one, two, error)] * int(np.count_nonzero(first != second)))

    def _answers(self, truth: Integers, runs: int, rng: np.random.Generator | None) -> Integers:
        """Rank uniform numbers, of which that of the true category is moved to the front or the back by its coin."""
        coins = generator(rng).random((runs, *truth.shape, self.categories + 1))
        ranks, kept = coins[..., :-1], coins[..., -1] < self.inclusion
        np.put_along_axis(
            ranks, np.broadcast_to(truth, kept.shape)[..., None], np.where(kept, -1.0, 2.0)[..., None], -1
        )
        chosen = np.argpartition(ranks, self.size - 1, axis=-1)[..., : self.size]
        answers = np.zeros(ranks.shape, dtype=np.int64)
        np.put_along_axis(answers, chosen, 1, axis=-1)
        return answers

    def _draw_exactly(self, truth: Integers) -> Integers:
        system, (heads, tosses) = SystemRandom(), self.inclusion.as_integer_ratio()
        answers = np.zeros((truth.size, self.categories), dtype=np.int64)
        for row, entry in zip(answers, truth.ravel().tolist(), strict=True):
            kept = system.randrange(tosses) < heads
            others = [other for other in range(self.categories) if other != entry]
            row[system.sample(others, self.size - kept)] = 1
            row[entry] = kept
        return answers.reshape(*truth.shape, self.categories)

    def _held(self, output: npt.ArrayLike, truth: Integers) -> Array:
        """Return 1 where a set holds the true category and 0 elsewhere."""
        sets = self._sets(output)
        outer = sets.ndim - 1 - truth.ndim
        if outer < 0 or sets.shape[outer:-1] != truth.shape:
            expected = f"shape (..., *{(*truth.shape, self.categories)}) for the value"
            raise PrivcheckError("output", words(f"shape {sets.shape}"), expected)
        places = np.broadcast_to(truth, sets.shape[:-1])[..., None]
        held: Array = np.take_along_axis(sets, places, -1)[..., 0].astype(np.float64)
        return held

    def _sets(self, output: npt.ArrayLike) -> Integers:
        expected = f"{self.categories} zeros and ones, {self.size} of them ones, or an array of such rows"
        try:
            sets = np.asarray(output)
        except ValueError:
            raise PrivcheckError("output", words("a ragged sequence"), expected) from None
        fits = holds_integers(sets) and sets.ndim > 0 and sets.shape[-1] == self.categories
        if not fits or not np.isin(sets, (0, 1)).all() or (sets.sum(axis=-1) != self.size).any():
            raise PrivcheckError("output", output, expected, "give what `release` returned")
        return sets.astype(np.int64)

    def _categories(self, name: str, value: npt.ArrayLike) -> Integers:
        expected = f"a category in 0, ..., {self.categories - 1}, or a non-empty array of them"
        try:
            array = np.asarray(value)
        except ValueError:
            raise PrivcheckError(name, words("a ragged sequence"), expected, "give rows of equal length") from None
        if not holds_integers(array) or array.min() < 0 or array.max() >= self.categories:
            raise PrivcheckError(name, value, expected, "number the categories from 0")
        return array.astype(np.int64)


def _log_binomial(total: int, chosen: int) -> float:
    return math.lgamma(total + 1) - math.lgamma(chosen + 1) - math.lgamma(total - chosen + 1)
