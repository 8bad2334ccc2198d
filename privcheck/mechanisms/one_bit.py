"""The one-bit mechanism of Duchi, Jordan and Wainwright: an unbiased local report of a bounded number."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from random import SystemRandom
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from privcheck.accounting import NOTHING, Charge, FiniteLaws, independent
from privcheck.arrays import Array, Integers
from privcheck.declared import POSITIVE, Integer, Real, check, parameter
from privcheck.enclosure import ROUNDING
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms.base import (
    NOISE_SLACK,
    Mechanism,
    finite_array,
    generator,
    holds_integers,
    inner_sum,
    same_shape,
)
from privcheck.mechanisms.currency import answer_charge
from privcheck.mechanisms.opendp_parts import opendp_parts


@dataclass(frozen=True)
class OneBit(Mechanism):
    r"""Report a number x in [-h, h] as 1 or -1.

    P(1 | x) = 1 / 2 + C x / (2 h), C = tanh(1 / (2 b)), b = (1 + 4e-9) / epsilon. A report times h / C estimates x
    without bias, with variance (h / C)^2 - x^2. It is the binary randomised response to x rounded to h or -h at random.

    Parameters
    ----------
    epsilon : in (0, 20], the budget of one report, charged exactly.
    radius : h > 0, in the unit of x. Numbers beyond are moved to the nearer of h and -h: an error would reveal them.

    Guarantee
    ---------
    Notion: pure differential privacy, epsilon, in the local model, because each datum has its own report.
    Neighbours: any two values of one datum (replace one).
    Released: the report, once; reporting again costs epsilon again. In an array every entry is a datum of its own.
    What one datum can change: its own value, to any other; a sensitivity of 1 in the number of changed entries.
    Noise: a coin whose probability depends on x, fast floating-point draws; `secure=True` rounds x with the system's
    randomness, exactly, and takes the randomised response from OpenDP's exact sampler; the slack of 1 / b covers the
    rounding of its parameter if epsilon is at least 1e-6; below, the charge is larger by 2^-49.
    Ties: nothing is compared.
    Proof: each report has a probability in [(1 - C) / 2, (1 + C) / 2], and (1 + C) / (1 - C) = exp(1 / b), which -h and
    h attain. And 1 / b < epsilon.

    Raises
    ------
    PrivcheckError : a parameter outside its domain, a value that is not finite, an output that is no report, an `rng`
        that is not a Generator.

    Source: Duchi, Jordan and Wainwright (2018), Minimax optimal procedures for locally private estimation, in one
    dimension.

    Examples
    --------
    >>> import numpy as np
    >>> mechanism = OneBit(epsilon=1.0, radius=1.0)
    >>> mechanism.release(0.3, np.random.default_rng(0)), mechanism.loss(1)
    (-1, 1.0)
    >>> reports = mechanism.release(np.full(100_000, 0.3), np.random.default_rng(0))
    >>> estimates = mechanism.estimates(reports)
    >>> np.unique(estimates).round(4).tolist(), round(float(estimates.mean()), 2)
    ([-2.164, 2.164], 0.3)

    """

    id: ClassVar[str] = "one-bit"
    samples_exactly: ClassVar[bool] = True
    notion: ClassVar[str] = "pure"
    sensitivity_norm: ClassVar[str] = "number of changed entries"
    source: ClassVar[str] = "Duchi, Jordan and Wainwright (2018), in one dimension"

    epsilon: float = parameter(
        Real(0.0, 20.0, low_open=True), typical=(0.1, 10.0), doc="epsilon: privacy budget of one report",
        hint="an epsilon above 20 protects next to nothing",
    )  # fmt: skip
    radius: float = parameter(
        POSITIVE, typical=(0.1, 10.0), doc="h, unit of the values: they lie in [-h, h]",
        hint="subtract the middle of the range first, and give half its length",
    )  # fmt: skip

    @property
    def scale(self) -> float:
        """The scale b = (1 + 4e-9) / epsilon: 1 / b is the log-odds of the two reports of h."""
        return (1.0 + NOISE_SLACK) / self.epsilon

    def charge(self, sensitivity: float = 1.0) -> Charge:
        """Return the charge of one datum: nothing if its value is unchanged (sensitivity 0), otherwise epsilon."""
        hint = "report one entry at a time: a datum that enters several is charged for each"
        changed = check("sensitivity", sensitivity, Real(0.0, 1.0), hint)
        return NOTHING if changed == 0.0 else answer_charge(self.epsilon)

    def draw(self, value: Any, rng: np.random.Generator | None, *, secure: bool = False) -> Any:
        """Return the report of one number (an int), or of every entry of an array, in its shape."""
        exact = finite_array("value", value)
        reports = self._reports_exactly(exact) if secure else self._reports(exact, (), generator(rng))
        return int(reports) if exact.ndim == 0 else reports

    def release_batch(self, value: npt.ArrayLike, rng: np.random.Generator, runs: int) -> Integers:
        """Return the reports of `runs` independent runs, shape (runs, *shape of value)."""
        return self._reports(finite_array("value", value), (check("runs", runs, Integer(1)),), generator(rng))

    def estimates(self, reports: npt.ArrayLike) -> Array:
        """Return the unbiased estimate h / C or -h / C of each reported value."""
        return np.asarray(self._checked(reports) * (self.radius / self._contrast))

    def log_density(self, output: npt.ArrayLike, value: npt.ArrayLike) -> Any:
        """Return ln P(output | value), jointly over the entries of `value`.

        `output` has the shape (..., *shape of value), the result the shape (...); it is a float when that is empty.
        """
        exact = finite_array("value", value)
        return inner_sum(self._logs(output, exact), exact.ndim)

    def log_ratio(self, output: npt.ArrayLike, value: npt.ArrayLike, other: npt.ArrayLike) -> Any:
        """Return ln(P(output | `value`) / P(output | `other`)), with the shapes of `log_density`."""
        first, second = finite_array("value", value), finite_array("other", other)
        same_shape(first, second)
        return inner_sum(self._logs(output, first) - self._logs(output, second), first.ndim)

    def law_of_pair(self, value: npt.ArrayLike, other: npt.ArrayLike) -> FiniteLaws | None:
        """Return the exact laws of the reports of the entries that change; None if these are too many to enumerate."""
        first, second = finite_array("value", value), finite_array("other", other)
        same_shape(first, second)
        moved = [(a, b) for a, b in zip(first.ravel().tolist(), second.ravel().tolist(), strict=True) if a != b]
        logs = [[np.array([self.log_density(report, side) for report in (1, -1)]) for side in pair] for pair in moved]
        return independent([FiniteLaws(one, two, np.full(2, 8.0 * ROUNDING)) for one, two in logs])

    def _share(self, exact: Array) -> Array:
        """Return the probability with which a value is rounded to h."""
        share: Array = (np.clip(exact / self.radius, -1.0, 1.0) + 1.0) / 2.0
        return share

    @property
    def _contrast(self) -> float:
        return math.tanh(0.5 / self.scale)

    def _chance(self, exact: Array) -> Array:
        """Return P(1 | exact); where it is smallest its relative error is too."""
        return 1.0 / (1.0 + math.exp(1.0 / self.scale)) + self._share(exact) * self._contrast

    def _checked(self, output: npt.ArrayLike) -> Integers:
        try:
            reports = np.asarray(output)
        except ValueError:
            raise PrivcheckError("output", words("a ragged sequence"), "reports 1 or -1") from None
        if not holds_integers(reports) or (np.abs(reports) != 1).any():
            raise PrivcheckError("output", output, "1 or -1, or an array of them", "give what `release` returned")
        return reports.astype(np.int64)

    def _logs(self, output: npt.ArrayLike, exact: Array) -> Array:
        reports = self._checked(output)
        if reports.ndim < exact.ndim or reports.shape[reports.ndim - exact.ndim :] != exact.shape:
            raise PrivcheckError("output", words(f"shape {reports.shape}"), f"shape (..., *{exact.shape}) as the value")
        logs: Array = np.log(self._chance(reports * exact))
        return logs

    def _reports(self, exact: Array, runs: tuple[int, ...], rng: np.random.Generator) -> Integers:
        return np.where(rng.random((*runs, *exact.shape)) < self._chance(exact), 1, -1)

    def _reports_exactly(self, exact: Array) -> Integers:
        dp = opendp_parts()
        answer = dp.m.make_randomized_response_bool(prob=1.0 / (1.0 + math.exp(-1.0 / self.scale)))
        reports = [1 if answer(_rounded_up(entry, self.radius)) else -1 for entry in exact.ravel().tolist()]
        return np.array(reports, dtype=np.int64).reshape(exact.shape)


def _rounded_up(value: float, radius: float) -> bool:
    """Return True with the exact probability (value + radius) / (2 radius), or the nearer of 0 and 1."""
    share = (Fraction(value) / Fraction(radius) + 1) / 2
    return SystemRandom().randrange(share.denominator) < share.numerator
