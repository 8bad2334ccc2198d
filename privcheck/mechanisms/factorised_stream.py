"""The square-root factorisation: all prefix sums of a stream from noisy linear combinations of its items."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from privcheck.accounting import Charge, GaussianPair, GaussianShifts
from privcheck.arrays import Array
from privcheck.declared import POSITIVE, Integer, check, parameter
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms.base import Pairs, finite_array, generator, inner_sum, same_shape
from privcheck.mechanisms.currency import MU, Currency
from privcheck.mechanisms.gaussian import Gaussian
from privcheck.mechanisms.prefix_stream import SUMMED, checked_item, refused
from privcheck.mechanisms.scaled import ScaledMechanism

LONGER = "declare a longer horizon before the first item"


@dataclass(frozen=True, kw_only=True)
class FactorisedStream(ScaledMechanism):
    r"""Release every prefix sum of a stream of at most T numbers or vectors, by the square-root factorisation.

    Step t releases y_t = c_0 x_t + c_1 x_(t-1) + ... + c_(w-1) x_(t-w+1) + normal noise of standard deviation sigma,
    where 1, 1/2, 3/8, ... are the coefficients c_j = c_(j-1) (2 j - 1) / (2 j) of (1 - z)^(-1/2), of which the first w
    are used. The items are estimated by x'_t = y_t - c_1 x'_(t-1) - ... - c_(w-1) x'_(t-w+1), because c_0 = 1, and the
    prefix sum by the sum of the estimates. In matrices, with A the lower triangle of ones and C that of the c_(t-s), it
    is A C^-1 (C x + noise) = A x + A C^-1 noise; for w = T both factors are the square root of A.
    sigma = |c| s (1 + 4e-9) / mu, where |c| is the L2 norm of the coefficients, the largest norm of a column of C.

    Parameters
    ----------
    sensitivity : s > 0, in the unit of the items: how far one item can move in L2.
    mu : > 0, the budget of all prefix sums together in Gaussian differential privacy, charged exactly.
    given_scale : sigma > 0, the standard deviation of the noise of a row, instead of these two;
        `FactorisedStream.with_scale(sigma, horizon=T)` sets it.
    horizon : T >= 1, at most 2^20: the largest number of items.
    bandwidth : w, the number of coefficients; 0, or any number above T, uses all T. A step takes time and memory for w
        items, and small w increase the error of long streams.

    Guarantee
    ---------
    Notion: Gaussian differential privacy, mu (|c| s / sigma if a scale was given) for all T prefix sums together.
    Neighbours: streams of equal length that differ in one item, replaced by one at L2 distance at most s.
    Released: the rows y_1, ..., y_T; prefix sums are computed from them.
    What one datum can change: w rows at most, the row j steps after it by c_j s, so all rows together by |c| s in L2.
    If a datum moves several items, the L2 norms of their changes add up to s: in one row they may point the same way.
    Noise: normal, independent for each row and entry, fast floating-point draws; `secure=True` uses OpenDP's exact
    sampler.
    Ties: nothing is compared.
    Proof: the coefficients are fixed before the first item. Given the rows before it, row t is a Gaussian mechanism in
    which the item of step t - j costs c_j s / sigma; the squares add up to (|c| s / sigma)^2. The next item may depend
    on earlier releases: C is lower triangular, so a row only uses items that are there, and adaptively chosen Gaussian
    mechanisms compose. (Encoders that are not lower triangular would need Theorem 2.1 of Denisov et al., which is for
    Gaussian noise. With Laplace noise losses add up to the L1 norm of a column, which is about 2 sqrt(T / pi): trees
    have smaller errors.)

    Raises
    ------
    PrivcheckError : a parameter outside its domain, more items than the horizon, an item that is not finite or has
        a shape other than that of the items before it, an `rng` that is not a Generator.

    Source: Fichtenberger, Henzinger and Upadhyay (2023) for the factorisation; Kalinin and Lampert (2024) for bands;
    Denisov, McMahan, Rush, Smith and Thakurta (2022), Theorem 2.1, for adaptively chosen streams.

    Examples
    --------
    >>> import numpy as np
    >>> mechanism = FactorisedStream(horizon=64, sensitivity=1.0, mu=1.0)
    >>> mechanism.coefficients[:4].tolist(), round(mechanism.scale, 6), mechanism.charge(1.0).mu
    ([1.0, 0.5, 0.375, 0.3125], 1.54559, 1.0)
    >>> round(float(np.sqrt(mechanism.variances(64).mean())), 3)  # 4.594 for the binary Gaussian tree
    2.23
    >>> stream = mechanism.start(np.random.default_rng(0))
    >>> [round(stream.add(x), 2) for x in (1.0, 0.0, 1.0)]
    [1.19, 0.89, 2.96]
    >>> mechanism.release([1.0, 0.0, 1.0], np.random.default_rng(0)).round(2).tolist()
    [1.19, 0.89, 2.96]

    """

    id: ClassVar[str] = "factorised-stream"
    samples_exactly: ClassVar[bool] = True
    notion: ClassVar[str] = "gaussian"
    currency: ClassVar[Currency] = MU
    sensitivity_norm: ClassVar[str] = SUMMED
    source: ClassVar[str] = "Fichtenberger, Henzinger and Upadhyay (2023); Denisov et al. (2022), Theorem 2.1"

    sensitivity: float | None = parameter(
        POSITIVE, default=None, typical=(0.01, 10.0), doc="s, unit of the items: L2 sensitivity of one item",
        hint="give the L2 sensitivity of one item with mu, or a scale with FactorisedStream.with_scale",
    )  # fmt: skip
    mu: float | None = parameter(
        POSITIVE, default=None, typical=(0.1, 10.0), doc="mu: Gaussian-DP budget of all prefix sums together",
        hint="give mu with the sensitivity, or a scale with FactorisedStream.with_scale",
    )  # fmt: skip
    given_scale: float | None = parameter(
        POSITIVE, default=None, typical=(0.1, 100.0), doc="sigma, unit of the items: standard deviation of a row",
        hint="give either sensitivity and mu, or a scale",
    )  # fmt: skip
    horizon: int = parameter(
        Integer(1, 2**20), typical=(1, 1000), doc="T: largest number of items", hint="use gaussian-tree for more items"
    )
    bandwidth: int = parameter(
        Integer(0, 2**20), default=0, typical=(1, 100), doc="w: number of coefficients; 0 uses all",
        hint="0 uses all coefficients",
    )  # fmt: skip

    @property
    def coefficients(self) -> Array:
        """The coefficients c_0, ..., c_(w-1) of a row, shape (w,)."""
        return _coefficients(min(self.bandwidth or self.horizon, self.horizon))

    @property
    def decoder(self) -> Array:
        """The first column of A C^-1, shape (T,): prefix sum t has the noise of row t - j, times its entry j."""
        return _decoder(self.horizon, len(self.coefficients))

    @property
    def statistics_per_datum(self) -> int:
        """The largest number of rows that one item enters."""
        return len(self.coefficients)

    @property
    def column_norm(self) -> float:
        """The L2 norm of the coefficients, rounded up."""
        return _norm(len(self.coefficients))

    @property
    def _together(self) -> float:
        return self.column_norm

    def variances(self, length: int) -> Array:
        """Return the noise variance of the prefix sums at steps 1, ..., length (per entry of a vector)."""
        decoder = self.decoder[: self.check_length(length)]
        return np.asarray(np.cumsum(decoder**2) * self.scale**2)

    def check_length(self, length: int) -> int:
        """Return the length of a stream if it is within the horizon."""
        return int(check("length of the stream", length, Integer(1, self.horizon), "declare a longer horizon"))

    def start(self, rng: np.random.Generator | None = None, *, secure: bool = False) -> RowStream:
        """Return a new stream, whose `add(x)` takes the next item and returns the private prefix sum."""
        return RowStream(self, rng if secure else generator(rng), secure)

    def rows(self, value: npt.ArrayLike) -> Array:
        """Return C x for a stream of shape (t,) or (t, d), in that shape."""
        return self._rows(self._items("value", value), 0)

    def rounding(self, sizes: Array) -> float:
        """Return what rounding of the rows can add to the sensitivity: a unit per addition, on both sides."""
        total = float(self.coefficients.sum()) * float(sizes.sum())
        return 2.0 * (min(len(sizes), len(self.coefficients)) + 2) * sys.float_info.epsilon * total

    def draw(self, value: Any, rng: np.random.Generator | None, *, secure: bool = False) -> Any:
        """Return the private prefix sums of a whole stream of shape (t,) or (t, d), in that shape."""
        rows = self.rows(value)
        return self._prefixes(_gaussian(self.scale).draw(rows, rng, secure=secure)[None])[0]

    def release_batch(self, value: npt.ArrayLike, rng: np.random.Generator, runs: int) -> Array:
        """Return the private prefix sums of `runs` independent runs on one stream, shape (runs, t) or (runs, t, d)."""
        return self._prefixes(_gaussian(self.scale).release_batch(self.rows(value), rng, runs))

    def log_density(self, output: npt.ArrayLike, value: npt.ArrayLike) -> Any:
        """Return the logarithm of the joint density of released prefix sums given the stream `value`.

        `output` has the shape (..., *shape of value), the result the shape (...); it is a float when that is empty. The
        rows have the same density, because A C^-1 has the determinant 1.
        """
        items = self._items("value", value)
        squares = np.square(self._noise(output, items) / self.scale)
        return inner_sum(-squares / 2.0 - math.log(self.scale) - math.log(2.0 * math.pi) / 2.0, items.ndim)

    def log_ratio(self, output: npt.ArrayLike, value: npt.ArrayLike, other: npt.ArrayLike) -> Any:
        """Return ln(density given stream `value` / density given stream `other`), with the shapes of `log_density`."""
        first, second = self._items("value", value), self._items("other", other)
        same_shape(first, second)
        noise, other_noise = self._noise(output, first), self._noise(output, second)
        middle = (noise + other_noise) / self.scale / 2.0
        return inner_sum((other_noise - noise) / self.scale * middle, first.ndim)

    def law_of_pair(self, value: npt.ArrayLike, other: npt.ArrayLike) -> GaussianShifts:
        """Return the exact law of the loss: that of the rows, whose noises are independent."""
        first, second = self._items("value", value), self._items("other", other)
        same_shape(first, second)
        return GaussianShifts((np.abs(self._rows(first, 0) - self._rows(second, 0)) / self.scale).ravel())

    def dominating_pairs(self, charge: Charge, sensitivity: float) -> Pairs:  # noqa: ARG002
        """Return normal noise on two numbers at the charged distance: the rows together are one normal vector."""
        return ((GaussianPair(charge.mu), 1),)

    def _noise(self, output: npt.ArrayLike, items: Array) -> Array:
        """Return the noise of the rows behind released prefix sums."""
        outputs = finite_array("output", output)
        axis = outputs.ndim - items.ndim
        if axis < 0 or outputs.shape[axis:] != items.shape:
            expected = f"shape (..., *{items.shape}) as the stream"
            raise PrivcheckError("output", words(f"shape {outputs.shape}"), expected)
        return self._rows(np.diff(outputs, axis=axis, prepend=0.0) - items, axis)

    def _rows(self, items: Array, axis: int) -> Array:
        def row(column: Array) -> Array:
            return np.convolve(column, self.coefficients[: len(column)])[: len(column)]

        return np.apply_along_axis(row, axis, items)

    def _prefixes(self, rows: Array) -> Array:
        """Return the prefix sums made of noisy rows, shape (runs, t) or (runs, t, d)."""
        from scipy.fft import irfft, next_fast_len, rfft

        steps = rows.shape[1]
        length = next_fast_len(2 * steps - 1, real=True)
        decoder = rfft(self.decoder[:steps], length).reshape(-1, *[1] * (rows.ndim - 2))
        return np.asarray(irfft(rfft(rows, length, axis=1) * decoder, length, axis=1)[:, :steps])

    def _items(self, name: str, value: npt.ArrayLike) -> Array:
        items = finite_array(name, value)
        if items.ndim == 0:
            raise PrivcheckError(name, value, "a stream of shape (t,) or (t, d)", "give one entry or row per item")
        self.check_length(len(items))
        return items


class RowStream:
    """One stream under a factorisation; make it with `mechanism.start(rng)`.

    Guarantee
    ---------
    Each step releases one row, once; an item that is refused changes nothing. While a recorder is active
    (`privcheck.mechanisms.base.recording`), it sees each row as one release of a Gaussian mechanism with a given scale,
    which charges the item of j steps ago c_j times its sensitivity over the scale. Items may then be anything that can
    be multiplied by numbers and added, such as private values under a guard.

    Examples
    --------
    >>> import numpy as np
    >>> stream = FactorisedStream(horizon=4, sensitivity=1.0, mu=1e9).start(np.random.default_rng(0))
    >>> [round(stream.add(x)) for x in (1.0, 0.0, 5.0, 1.0)], stream.step
    ([1, 1, 6, 7], 4)

    """

    def __init__(self, mechanism: FactorisedStream, rng: np.random.Generator | None, secure: bool) -> None:
        self.mechanism = mechanism
        self.step = 0
        self.noisy: Any = None
        self._rng, self._secure = rng, secure
        self._shape: tuple[int, ...] | None = None
        self._items: list[Any] = []
        self._estimates: list[Any] = []
        self._prefix: Any = 0.0

    def add(self, item: Any) -> Any:
        """Take the next item, a number or a vector, and return the private sum of all items so far."""
        value, shape = checked_item(item, self._shape)
        if self.step >= self.mechanism.horizon:
            expected = f"at most the horizon {self.mechanism.horizon}"
            raise refused(PrivcheckError("step", self.step + 1, expected, LONGER))
        coefficients = self.mechanism.coefficients
        exact = value
        for weight, earlier in zip(coefficients[1:].tolist(), reversed(self._items), strict=False):
            exact = exact + weight * earlier
        noisy = _gaussian(self.mechanism.scale).release(exact, self._rng, secure=self._secure)
        estimate = noisy
        if self._estimates:
            latest = np.array(self._estimates[::-1])
            estimate = noisy - np.tensordot(coefficients[1 : len(latest) + 1], latest, 1)
        kept = len(coefficients) - 1
        self._items = [*self._items, value][-kept:] if kept else []
        self._estimates = [*self._estimates, estimate][-kept:] if kept else []
        self._prefix = self._prefix + estimate
        self.step, self.noisy, self._shape = self.step + 1, noisy, shape
        return self._prefix.copy() if isinstance(self._prefix, np.ndarray) else float(self._prefix)


@lru_cache(maxsize=64)
def _coefficients(count: int) -> Array:
    """Return the first coefficients of (1 - z)^(-1/2); the array cannot be changed, nor made changeable."""
    ratios, odd = np.ones(count), 2.0 * np.arange(1, count) - 1.0
    ratios[1:] = odd / (odd + 1.0)
    return np.frombuffer(np.cumprod(ratios).astype(np.float64).tobytes())


@lru_cache(maxsize=64)
def _norm(count: int) -> float:
    return math.nextafter(math.sqrt(math.fsum((_coefficients(count) ** 2).tolist())), math.inf)


@lru_cache(maxsize=64)
def _decoder(horizon: int, count: int) -> Array:
    if count == horizon:
        return _coefficients(horizon)
    from scipy.signal import lfilter

    inverse = lfilter([1.0], _coefficients(count), np.eye(1, horizon)[0])
    decoder: Array = np.cumsum(inverse)
    decoder.flags.writeable = False
    return decoder


@lru_cache(maxsize=1024)
def _gaussian(scale: float) -> Gaussian:
    return Gaussian.with_scale(scale)
