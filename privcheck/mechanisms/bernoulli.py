"""One answer, 0 or 1, whose chance is a private number: what a uniform draw compared with that number releases."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from random import SystemRandom
from typing import Any, ClassVar

import numpy as np

from privcheck.accounting import Charge
from privcheck.arrays import Integers
from privcheck.declared import Integer, Real, check, parameter
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms.base import Mechanism, finite_array, generator

STEP = 2.0**-53
"""The grid of numpy's uniform draws: P(U < q) lies in [q, q + STEP)."""


@dataclass(frozen=True)
class Bernoulli(Mechanism):
    r"""Answer 1 with probability q and 0 otherwise, where q is a private number in [low, high].

    Randomised response is an example: q = p x + (1 - p) (1 - x) keeps the bit x with probability p.

    Parameters
    ----------
    low, high : 0 < low <= high < 1. A number beyond them is moved to the nearer end.

    Guarantee
    ---------
    Notion: pure differential privacy. A datum that can move q by at most s is charged
    max(ln((min(low + s, high) + u) / low), ln((1 - max(high - s, low)) / (1 - high - u))), u = 2^-53.
    Neighbours: those for which s was computed.
    Released: the answer, once; answering again costs as much again. Arrays are refused: a datum that moves several q by
    s together can cost more than one that moves a single q by s.
    What one datum can change: q, by at most s.
    Noise: one uniform draw, whose grid u is in the charge; `secure=True` draws from the system's randomness, exactly.
    Ties: a draw equal to q answers 0.
    Proof: let |q - q'| <= s within [low, high]. P(1) is between q and q + u, and (q + s + u) / q falls in q, so its
    ratio is at most that at q = low. P(0) is between 1 - q - u and 1 - q, and (1 - q + s) / (1 - q - u) grows in q, so
    its ratio is at most that at q = high.

    Raises
    ------
    PrivcheckError : ends outside (0, 1) or not in order, a value that is not one finite number.

    Source: Warner (1965); the proof above.

    Examples
    --------
    >>> import numpy as np
    >>> mechanism = Bernoulli(low=0.25, high=0.75)
    >>> round(mechanism.charge(0.5).epsilon, 9), round(mechanism.charge(0.1).epsilon, 6)
    (1.098612289, 0.336472)
    >>> mechanism.release(0.25, np.random.default_rng(0))
    0

    """

    notion: ClassVar[str] = "pure"
    sensitivity_norm: ClassVar[str] = "L1"
    samples_exactly: ClassVar[bool] = True
    source: ClassVar[str] = "Warner (1965)"

    low: float = parameter(
        Real(4.0 * STEP, 1.0, high_open=True), typical=(0.1, 0.4), doc="the smallest chance of 1", hint="keep above 0"
    )
    high: float = parameter(Real(0.0, 1.0 - 4.0 * STEP), typical=(0.6, 0.9), doc="the largest chance", hint="below 1")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.low <= self.high:
            raise PrivcheckError("low, high", (self.low, self.high), "low <= high")

    @property
    def scale(self) -> float:
        """A scale b such that data of sensitivity s cost at most about s / b."""
        return min(self.low, 1.0 - self.high)

    def charge(self, sensitivity: float) -> Charge:
        """Return the charge of data that can move q by this much."""
        moved: float = check("sensitivity", sensitivity, Real(0.0))
        if moved == 0.0:
            return Charge(0.0)
        one = math.log((min(self.low + moved, self.high) + STEP) / self.low)
        zero = math.log((1.0 - max(self.high - moved, self.low)) / (1.0 - self.high - STEP))
        return Charge(max(one, zero, 0.0))

    def draw(self, value: Any, rng: np.random.Generator | None, *, secure: bool = False) -> int:
        """Return an answer for one number."""
        chance = self._chance(value)
        return _exactly(chance) if secure else int(generator(rng).random() < chance)

    def release_batch(self, value: Any, rng: np.random.Generator, runs: int) -> Integers:
        """Return `runs` independent answers for one number, shape (runs,)."""
        draws = generator(rng).random(check("runs", runs, Integer(1)))
        answers: Integers = (draws < self._chance(value)).astype(np.int64)
        return answers

    def log_density(self, output: Any, value: Any) -> Any:
        """Return ln P(output | value) for outputs of any shape and one number."""
        chance = self._chance(value)
        found = np.where(np.asarray(output) == 1, math.log(chance), math.log1p(-chance))
        return float(found) if found.ndim == 0 else found

    def log_ratio(self, output: Any, value: Any, other: Any) -> Any:
        """Return ln(P(output | `value`) / P(output | `other`))."""
        return self.log_density(output, value) - self.log_density(output, other)

    def _chance(self, value: Any) -> float:
        exact = finite_array("value", value)
        if exact.ndim:
            got, hint = words(f"shape {exact.shape}"), "answer for one entry at a time: each answer is charged"
            raise PrivcheckError("value", got, "one number", hint)
        return min(max(float(exact), self.low), self.high)


def _exactly(chance: float) -> int:
    """Return 1 with exactly this probability."""
    exact = Fraction(chance)
    return int(SystemRandom().randrange(exact.denominator) < exact.numerator)
