"""Randomised response over K categories."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from privcheck.accounting import NOTHING, Charge, LatticeShifts, ResponsePair
from privcheck.arrays import Array, Integers
from privcheck.declared import Integer, Real, check, parameter
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms.base import NOISE_SLACK, Mechanism, Pairs, generator, holds_integers, inner_sum, same_shape
from privcheck.mechanisms.currency import answer_charge
from privcheck.mechanisms.opendp_parts import opendp_parts


@dataclass(frozen=True)
class RandomisedResponse(Mechanism):
    r"""Answer with the true category, or sometimes with one of the K - 1 others.

    P(answer = o | truth v) = p if o = v, otherwise q = (1 - p) / (K - 1), with p / q = exp(1 / b) and
    b = (1 + 4e-9) / epsilon: p = 1 / (1 + (K - 1) exp(-1 / b)).

    Parameters
    ----------
    categories : K >= 2; categories are the integers 0, ..., K - 1.
    epsilon : in (0, 20], the budget of one answer, charged exactly. Above 20, all but one answer in 5e8 would give the
        true category, a probability that the fast draws do not resolve finely enough.

    Guarantee
    ---------
    Notion: pure differential privacy, epsilon, in the local model, because each datum has its own answer.
    Neighbours: any two categories of one datum (replace one).
    Released: the answer, once; answering again costs epsilon again. In an array every entry is a datum of its own.
    What one datum can change: its own category, to any other; a sensitivity of 1 in the number of changed entries.
    Noise: a coin that keeps the truth with probability p and a uniform choice among the others, fast floating-point
    draws; `secure=True` uses OpenDP's exact sampler. The slack of 1 / b covers the rounding of p if epsilon is at least
    1e-6; below, the charge is larger by 2^-49.
    Ties: nothing is compared.
    Proof: an answer has probability p or q, so every ratio is exp(1 / b), 1 or exp(-1 / b); answers v and v' attain it
    for any two categories v and v'. And 1 / b < epsilon.

    Raises
    ------
    PrivcheckError : a parameter outside its domain, a value that is not a category, an `rng` that is not a Generator.

    Source: Warner (1965) for K = 2; Kairouz, Oh and Viswanath (2016) for any K.

    Examples
    --------
    >>> import numpy as np
    >>> mechanism = RandomisedResponse(categories=3, epsilon=1.0)
    >>> mechanism.probabilities(1).round(4).tolist()
    [0.2119, 0.5761, 0.2119]
    >>> mechanism.release(1, np.random.default_rng(0)), mechanism.release([0, 1, 2], np.random.default_rng(1)).tolist()
    (1, [0, 2, 0])
    >>> mechanism.loss(1), round(mechanism.pair_loss(0, 2), 6), mechanism.pair_loss(2, 2)
    (1.0, 1.0, 0.0)

    """

    id: ClassVar[str] = "randomised-response"
    samples_exactly: ClassVar[bool] = True
    notion: ClassVar[str] = "pure"
    sensitivity_norm: ClassVar[str] = "number of changed entries"
    source: ClassVar[str] = "Warner (1965); Kairouz, Oh and Viswanath (2016)"

    categories: int = parameter(
        Integer(2), typical=(2, 20), doc="K: number of categories", hint="give the number of categories, at least 2"
    )
    epsilon: float = parameter(
        Real(0.0, 20.0, low_open=True), typical=(0.1, 10.0), doc="epsilon: privacy budget of one answer",
        hint="an epsilon above 20 protects next to nothing",
    )  # fmt: skip

    @property
    def integers(self) -> tuple[int, int]:
        """The categories."""
        return 0, self.categories - 1

    @property
    def scale(self) -> float:
        """The scale b = (1 + 4e-9) / epsilon: 1 / b is the log-odds ln(p / q) of the truth against another category."""
        return (1.0 + NOISE_SLACK) / self.epsilon

    def charge(self, sensitivity: float = 1.0) -> Charge:
        """Return the charge of one datum: nothing if its category is unchanged (sensitivity 0), otherwise epsilon."""
        hint = "answer for one entry at a time: a datum that enters several is charged for each"
        changed = check("sensitivity", sensitivity, Real(0.0, 1.0), hint)
        return NOTHING if changed == 0.0 else answer_charge(self.epsilon)

    def pair_loss(self, value: int, other: int) -> float:
        """Return the exact loss between two categories: the largest log-ratio over the answers."""
        return max(abs(float(self.log_ratio(answer, value, other))) for answer in (value, other))

    def draw(self, value: Any, rng: np.random.Generator | None, *, secure: bool = False) -> Any:
        """Return an answer for one category (an int), or for every entry of an array (an int64 array)."""
        truth = self._categories("value", value)
        answers = self._draw_exactly(truth) if secure else self._answers(truth, 1, rng)[0]
        return int(answers) if truth.ndim == 0 else answers

    def release_batch(self, value: npt.ArrayLike, rng: np.random.Generator, runs: int) -> Integers:
        """Return `runs` independent answers, shape (runs, *shape of value)."""
        return self._answers(self._categories("value", value), check("runs", runs, Integer(1)), rng)

    def probabilities(self, value: int) -> Array:
        """Return the probability of every answer, shape (K,), when the truth is `value`."""
        return np.exp([self.log_density(answer, value) for answer in range(self.categories)])

    def log_density(self, output: npt.ArrayLike, value: npt.ArrayLike) -> Any:
        """Return ln P(output | truth `value`), jointly over the entries of `value`.

        `output` has the shape (..., *shape of value), the result the shape (...); it is a float when that is empty.
        """
        truth = self._categories("value", value)
        kept = -math.log1p((self.categories - 1) * math.exp(-1.0 / self.scale))
        return inner_sum(kept - self._flipped(output, truth) / self.scale, truth.ndim)

    def log_ratio(self, output: npt.ArrayLike, value: npt.ArrayLike, other: npt.ArrayLike) -> Any:
        """Return ln(P(output | truth `value`) / P(output | truth `other`)), with the shapes of `log_density`."""
        first, second = self._categories("value", value), self._categories("other", other)
        same_shape(first, second)
        return inner_sum((self._flipped(output, second) - self._flipped(output, first)) / self.scale, first.ndim)

    def law_of_pair(self, value: npt.ArrayLike, other: npt.ArrayLike) -> LatticeShifts:
        """Return the exact law of the loss: only the number of changed entries matters."""
        first, second = self._categories("value", value), self._categories("other", other)
        same_shape(first, second)
        return LatticeShifts(self.scale, np.ones(np.count_nonzero(first != second), np.int64), self.categories)

    def dominating_pairs(self, charge: Charge, sensitivity: float) -> Pairs:  # noqa: ARG002
        """Return the answers to two truths."""
        return ((ResponsePair(charge.epsilon, self.categories), 1),)

    def _answers(self, truth: Integers, runs: int, rng: np.random.Generator | None) -> Integers:
        coins = generator(rng).random((runs, *truth.shape, 2))
        odds = (self.categories - 1) * math.exp(-1.0 / self.scale)
        others = (coins[..., 1] * (self.categories - 1)).astype(np.int64)
        others += others >= truth
        answers: Integers = np.where(coins[..., 0] < odds / (1.0 + odds), others, truth)
        return answers

    def _draw_exactly(self, truth: Integers) -> Integers:
        dp = opendp_parts()
        keep = 1.0 / (1.0 + (self.categories - 1) * math.exp(-1.0 / self.scale))
        answer = dp.m.make_randomized_response(list(range(self.categories)), keep)
        return np.array([answer(int(entry)) for entry in truth.ravel()], dtype=np.int64).reshape(truth.shape)

    def _flipped(self, output: npt.ArrayLike, truth: Integers) -> Array:
        answers = self._categories("output", output)
        if answers.ndim < truth.ndim or answers.shape[answers.ndim - truth.ndim :] != truth.shape:
            raise PrivcheckError("output", words(f"shape {answers.shape}"), f"shape (..., *{truth.shape}) as the value")
        flipped: Array = (answers != truth).astype(np.float64)
        return flipped

    def _categories(self, name: str, value: npt.ArrayLike) -> Integers:
        expected = f"a category in 0, ..., {self.categories - 1}, or a non-empty array of them"
        try:
            array = np.asarray(value)
        except ValueError:
            raise PrivcheckError(name, words("a ragged sequence"), expected, "give rows of equal length") from None
        if not holds_integers(array) or array.min() < 0 or array.max() >= self.categories:
            raise PrivcheckError(name, value, expected, "number the categories from 0")
        return array.astype(np.int64)
