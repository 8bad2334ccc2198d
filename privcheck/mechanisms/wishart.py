"""The Wishart mechanism: a Gram matrix plus a Wishart matrix, which is positive definite."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from privcheck.accounting import NOTHING, NOTHING_CHANGES, Charge, LossLaw
from privcheck.arrays import Array
from privcheck.declared import POSITIVE, Integer, Real, check, parameter
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms.base import Mechanism, finite_array, generator, same_shape
from privcheck.mechanisms.wishart_law import ShiftedChiSquare, delta_of, epsilon_of, mu_of

SLACK = 1e-8
"""Relative surplus of a computed sensitivity, for the rounding of released sums."""


MOST = 10**15
"""The largest number of degrees of freedom."""

WIDTH = Integer(1, 1000)
"""Numbers of rows and columns."""


_MOST_FREEDOM = 2e8
"""The most degrees of freedom of the exact loss: with more, the spacing of floats moves a probability by more than its
rounding.
"""


@dataclass(frozen=True, kw_only=True)
class Wishart(Mechanism):
    r"""Add a Wishart matrix to a Gram matrix, a sum of outer products v v' of rows v of p numbers.

    M(G) = G + W, W Wishart with k degrees of freedom and scale matrix s I: the sum of k outer products of independent
    N(0, s I) vectors.

    Parameters
    ----------
    dimension : p >= 1, the number of rows and columns.
    degrees : k >= p + 2, the degrees of freedom of the noise.
    sensitivity : s > 0, in the unit of the matrix: the largest trace v' v of one outer product, which is the square of
        the largest Euclidean norm of a row.
    delta : in (0, 1/2], the probability that one datum in one release sets aside.

    Guarantee
    ---------
    Notion: approximate differential privacy, because the loss is infinite with positive probability: (epsilon, delta),
    and mu-GDP and mu^2 / 2-zCDP once an event of probability delta is set aside, all of them for the same event.
    Neighbours: sums of the same number of outer products, of which one differs (replace one). `charge_of_one_row` is
    the charge if a row is added or removed, to which the theorem of the paper refers.
    Released: the noisy matrix, once; drawing again costs as much again.
    What one datum can change: one term v v' of the sum. The other rows may be anything.
    Noise: W by Bartlett's decomposition, fast floating-point draws. There is no secure sampler: no exact sampler of
    chi-square and normal variables of this form is known to us, and rounding each entry to a lattice would make the
    matrix indefinite; so `secure=True` is refused.
    Ties: nothing is compared.
    Proof: let a = (k - p - 1) / 2 and r = |v|^2 / s. Without the row the output has the density
    det(W)^a exp(-tr W / (2 s)) at W = M - G; with it, W is replaced by W - v v', whose determinant is
    det(W) (1 - v' W^-1 v). The log-ratio is -a ln(1 - r / X) - r / 2 with X = |v|^2 / (s v' W^-1 v), and +inf where
    X <= r. X is chi-square with k - p + 1 degrees of freedom without the row, and X - r is so with it. As the log-ratio
    depends on X alone, the loss of a row is exactly that of releasing X or X + r: `wishart_law` has it. It grows with r
    because the density of X is log-concave. A row is replaced by removing it and adding the other one: two steps cost
    (2 e, (1 + exp(e)) d) if each of them costs (e, d), and `wishart_law.mu_of` has the mu of both. Both bounds say that
    the trade-off curve at alpha is at least (1 - delta) f(alpha / (1 - delta)), f being that of epsilon or that of mu;
    so it is with their maximum in the place of f, and by Blackwell's theorem one event can be set aside for both.

    Raises
    ------
    PrivcheckError : a parameter outside its domain, a delta below the probability of an infinite loss, a value that is
        not a symmetric p x p matrix, an `rng` that is not a Generator, `secure=True`.

    Source: Sheffet (2019); Shariff and Sheffet (2018), Theorem 8, whose budget `published` gives. The exact loss is
    smaller.

    Examples
    --------
    >>> import numpy as np
    >>> published = Wishart.published(dimension=3, sensitivity=1.0, epsilon=0.5, delta=1e-6)
    >>> published.degrees, round(published.charge_of_one_row(1.0).epsilon, 3), round(published.charge(1.0).epsilon, 3)
    (1705, 0.066, 0.139)
    >>> exact = Wishart.exact(dimension=3, sensitivity=1.0, epsilon=0.5, delta=1e-6)
    >>> exact.degrees, exact.charge(1.0).epsilon <= 0.5
    (229, True)
    >>> noisy = exact.release(np.zeros((3, 3)), np.random.default_rng(0))
    >>> bool((np.linalg.eigvalsh(noisy) > 0).all())
    True

    """

    id: ClassVar[str] = "wishart"
    notion: ClassVar[str] = "approximate"
    sensitivity_norm: ClassVar[str] = "trace of one outer product"
    source: ClassVar[str] = "Sheffet (2019); Shariff and Sheffet (2018), Theorem 8"

    dimension: int = parameter(
        WIDTH, typical=(1, 6), doc="p: number of rows and columns",
        hint="give the length of a row, with its response if that is part of it",
    )  # fmt: skip
    degrees: int = parameter(
        Integer(3, MOST), typical=(200, 2000), doc="k: degrees of freedom of the noise, at least p + 2",
        hint="`Wishart.exact` computes them from epsilon and delta",
    )  # fmt: skip
    sensitivity: float = parameter(
        POSITIVE, typical=(0.1, 10.0), doc="s, unit of the matrix: largest trace of an outer product",
        hint="give the square of the largest Euclidean norm of a row, with its response",
    )  # fmt: skip
    delta: float = parameter(
        Real(0.0, 0.5, low_open=True), typical=(1e-6, 0.1), doc="delta: probability that one release sets aside",
        hint="give a probability far below one over the number of data",
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.degrees < self.dimension + 2:
            hint = "with fewer, the exact loss is not known in closed form"
            raise PrivcheckError("degrees", self.degrees, f"at least p + 2 = {self.dimension + 2}", hint)

    @classmethod
    def exact(cls, *, dimension: int, sensitivity: float, epsilon: float, delta: float) -> Self:
        """Return the mechanism with the fewest degrees of freedom with which a datum is charged at most epsilon.

        >>> Wishart.exact(dimension=3, sensitivity=1.0, epsilon=1.0, delta=1e-6).degrees
        97
        """
        budget = check("epsilon", epsilon, POSITIVE)

        rows = check("dimension", dimension, WIDTH)
        first = cls(dimension=rows, degrees=rows + 2, sensitivity=sensitivity, delta=delta)

        def fits(degrees: int) -> bool:
            try:
                return bool(replace(first, degrees=degrees).charge(first.sensitivity).epsilon <= budget)
            except PrivcheckError:
                return False

        return replace(first, degrees=fewest(fits, first.degrees))

    @classmethod
    def published(cls, *, dimension: int, sensitivity: float, epsilon: float, delta: float) -> Self:
        """Return the mechanism with the degrees of freedom of Theorem 8: k = p + floor(28 ln(4 / delta) / epsilon^2).

        The theorem is about adding or removing a row. Its proof needs epsilon < 1 and delta < 1 / e, which it does not
        say: at p = 6, epsilon = 7.5 and delta = 0.1 the loss is infinite with probability 0.199.
        """
        budget = check("epsilon", epsilon, Real(0.0, 1.0, low_open=True, high_open=True), "Theorem 8 is about these")
        aside = check("delta", delta, Real(0.0, math.exp(-1.0), low_open=True, high_open=True))
        degrees = check("dimension", dimension, WIDTH) + math.floor(28.0 * math.log(4.0 / aside) / budget**2)
        return cls(dimension=dimension, degrees=degrees, sensitivity=sensitivity, delta=aside)

    @property
    def scale(self) -> float:
        """The scale s of the noise, whose mean is k s I."""
        return self.sensitivity

    def charge(self, sensitivity: float) -> Charge:
        """Return the charge of a datum whose outer product has at most this trace; `NOTHING` if it is 0.

        Raises
        ------
        PrivcheckError : the loss of such a row is infinite with a probability above delta.

        """
        return self._charge(sensitivity, 2)

    def charge_of_one_row(self, sensitivity: float) -> Charge:
        """Return what adding or removing such an outer product costs."""
        return self._charge(sensitivity, 1)

    def exact_delta(self, epsilon: float, sensitivity: float | None = None) -> float:
        """Return the exact delta of adding or removing an outer product of this trace (by default s) at this epsilon.

        >>> mechanism = Wishart(dimension=6, degrees=8, sensitivity=1.0, delta=0.1)
        >>> round(mechanism.exact_delta(7.5), 4)
        0.1987
        """
        trace = self.sensitivity if sensitivity is None else check("sensitivity", sensitivity, POSITIVE)
        return delta_of(check("epsilon", epsilon, Real(0.0)), trace / self.scale * (1.0 + SLACK), self._freedom)

    def draw(self, value: Any, rng: np.random.Generator | None, *, secure: bool = False) -> Any:
        """Return the noisy matrix, shape (p, p), of a matrix of that shape."""
        if secure:
            hint = "secure noise is integer noise on a lattice, with which a matrix would not stay positive definite"
            raise PrivcheckError("secure", secure, "False: Wishart noise has no exact sampler", hint)
        return self._matrix("value", value) + self.noise((), generator(rng))

    def noise(self, shape: int | tuple[int, ...], rng: np.random.Generator) -> Array:
        """Return independent noise matrices, shape (*shape, p, p).

        Bartlett: W = s A A' with A lower triangular, normal below the diagonal, and the root of a chi-square variable
        with k - i degrees of freedom at place i = 0, ..., p - 1 of the diagonal.
        """
        size = (shape,) if isinstance(shape, int) else tuple(shape)
        rows = np.arange(self.dimension)
        factor = np.tril(generator(rng).standard_normal((*size, self.dimension, self.dimension)), -1)
        factor[..., rows, rows] = np.sqrt(rng.chisquare(self.degrees - rows, (*size, self.dimension)))
        noise: Array = self.scale * (factor @ np.swapaxes(factor, -1, -2))
        return noise

    def release_batch(self, value: npt.ArrayLike, rng: np.random.Generator, runs: int) -> Array:
        """Return `runs` independent releases of `value`, shape (runs, p, p); one run draws the same noise as `draw`."""
        exact, count = self._matrix("value", value), check("runs", runs, Integer(1))
        return exact + self.noise(count, rng)

    def log_density(self, output: npt.ArrayLike, value: npt.ArrayLike) -> Any:
        """Return the logarithm of the density of outputs, shape (..., p, p), given the exact value, shape (p, p).

        The density is that of the p (p + 1) / 2 entries on and below the diagonal. It is 0, and its logarithm -inf,
        unless output - value is positive definite.
        """
        from scipy.special import multigammaln

        kept = self.degrees * self.dimension / 2.0 * math.log(2.0 * self.scale)
        kept += float(multigammaln(self.degrees / 2.0, self.dimension))
        return self._log_kernel(output, self._matrix("value", value)) - kept

    def log_ratio(self, output: npt.ArrayLike, value: npt.ArrayLike, other: npt.ArrayLike) -> Any:
        """Return ln(density given `value` / density given `other`); NaN where neither can give the output."""
        first, second = self._matrix("value", value), self._matrix("other", other)
        same_shape(first, second)
        with np.errstate(invalid="ignore"):
            return self._log_kernel(output, first) - self._log_kernel(output, second)

    def law_of_pair(self, value: npt.ArrayLike, other: npt.ArrayLike) -> LossLaw | None:
        """Return the exact laws of the noisy matrix, if one matrix has one row more than the other; None otherwise.

        None also for more than 2e8 degrees of freedom.

        >>> one = Wishart(dimension=2, degrees=51, sensitivity=1.0, delta=1e-6)
        >>> round(one.law_of_pair(np.eye(2), np.eye(2) + 0.5).delta(0.4).value, 7)
        0.0002428
        """
        values = np.linalg.eigvalsh(self._matrix("other", other) - self._matrix("value", value))
        row = values[np.abs(values).argmax()]
        others = np.abs(values).sum() - abs(row)
        if row == 0.0:
            return NOTHING_CHANGES
        if others > 1e-12 * abs(row) or self._freedom > _MOST_FREEDOM:
            return None
        return ShiftedChiSquare(float(abs(row)) / self.scale, self._freedom)

    def _log_kernel(self, output: npt.ArrayLike, exact: Array) -> Any:
        outputs = finite_array("output", output)
        if outputs.ndim < 2 or outputs.shape[-2:] != exact.shape:
            raise PrivcheckError("output", words(f"shape {outputs.shape}"), f"shape (..., *{exact.shape}) as the value")
        noise = outputs - exact
        values = np.linalg.eigvalsh((noise + np.swapaxes(noise, -1, -2)) / 2.0)
        power = (self.degrees - self.dimension - 1) / 2.0
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = power * np.log(values).sum(axis=-1) - values.sum(axis=-1) / (2.0 * self.scale)
        found = np.where((values > 0.0).all(axis=-1), logs, -math.inf)
        return float(found) if found.ndim == 0 else found

    def _matrix(self, name: str, value: Any) -> Array:
        matrix = finite_array(name, value)
        expected = f"a symmetric matrix of shape ({self.dimension}, {self.dimension})"
        if matrix.shape != (self.dimension, self.dimension):
            raise PrivcheckError(name, words(f"shape {matrix.shape}"), expected, "the dimension is that of a row")
        if not np.allclose(matrix, matrix.T, rtol=1e-9, atol=1e-9 * float(np.abs(matrix).max())):
            raise PrivcheckError(name, words("a matrix that is not symmetric"), expected, "sum outer products of rows")
        return np.tril(matrix) + np.tril(matrix, -1).T  # symmetric noise would not hide a difference due to rounding

    def _charge(self, sensitivity: float, copies: int) -> Charge:
        trace = check("sensitivity", sensitivity, Real(0.0))
        if trace == 0.0:
            return NOTHING
        return _charge_of(trace / self.scale * (1.0 + SLACK), self._freedom, self.delta, copies)

    @property
    def _freedom(self) -> float:
        return float(self.degrees - self.dimension + 1)


@lru_cache(maxsize=1024)
def _charge_of(shift: float, freedom: float, delta: float, copies: int) -> Charge:
    mu = mu_of(delta, shift, freedom, copies=copies)
    return Charge(
        epsilon_of(delta, shift, freedom, copies=copies), mu=mu, rho=mu * mu / 2.0 * (1.0 + SLACK), delta=delta
    )


def fewest(fits: Callable[[int], bool], least: int) -> int:
    """Return the smallest number of degrees of freedom from `least` on that fits, if all larger ones do.

    >>> fewest(lambda degrees: degrees >= 100, 5)
    100
    """
    low, high = least - 1, least
    while not fits(high):
        low, high = high, 2 * high
        if high > MOST:
            raise PrivcheckError("epsilon", words("a budget"), f"one for which {MOST} degrees of freedom are enough")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return high
