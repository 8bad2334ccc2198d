"""The sparse vector technique: which of many queries are above a threshold, at the price of the few that are."""

from __future__ import annotations

import itertools
import math
import sys
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from privcheck.accounting import FiniteLaws
from privcheck.arrays import Array, Integers
from privcheck.declared import POSITIVE, Integer, check, parameter
from privcheck.enclosure import ROUNDING
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms.above_threshold_law import log_probability
from privcheck.mechanisms.base import finite_array, generator, holds_integers, same_shape
from privcheck.mechanisms.discrete_laplace import integer_laplace
from privcheck.mechanisms.scaled import ScaledMechanism

BELOW, ABOVE, UNANSWERED = 0, 1, -1

MOST_QUERIES = 10
"""The most queries of which all sequences of answers are enumerated, for the exact loss."""

_LAW_ERROR = 1e-11
"""Error of the logarithm of a probability that `above_threshold_law` computes."""


@dataclass(frozen=True, kw_only=True)
class AboveThreshold(ScaledMechanism):
    r"""Say of one query after the other whether it is above a threshold, until c of them are.

    With a threshold t and queries q_1, ..., q_T, rho Laplace of scale b_1 and nu_i Laplace of scale b_2, all of them
    independent, the answer is "above" iff q_i + nu_i >= t + rho. After the c-th "above" nothing is answered.
    b_1 = b (1 + c^(2/3)) and b_2 = c^(1/3) b_1, b = s (1 + 4e-9) / epsilon: of all shares of epsilon, this one has the
    smallest variance of nu_i - rho.

    Parameters
    ----------
    score_range : s > 0, in the unit of the queries: the largest range (largest minus smallest) of the changes of
        (t, q_1, ..., q_T) between two neighbours. With a fixed threshold it is the sensitivity of a query if all
        queries move in the same direction (counts, sums of rewards), and otherwise twice that.
    epsilon : > 0, the budget of all answers together, charged exactly.
    given_scale : b > 0, instead of these two; `AboveThreshold.with_scale(b)` sets it. The charge is then s / b.
    answers : c >= 1, the number of answers "above" after which it stops.

    Guarantee
    ---------
    Notion: pure differential privacy, epsilon (s / b if a scale was given) for all answers together, however many
    there are.
    Neighbours: those for which s was computed.
    Released: an integer for each query: 1 above, 0 below, -1 unanswered. All queries are given at once: they cannot
    depend on answers.
    What one datum can change: the threshold and every query, so that the changes have a range of at most s.
    Noise: Laplace, one draw for the threshold, kept for all answers, and one for each query; fast floating-point draws.
    `secure=True` takes OpenDP's exact discrete Laplace noise on a lattice of 2^-53 times the scale; the larger scale
    covers the rounding to it if epsilon is at least 1e-4, and a guard charges it wherever it is not negligible.
    Ties: a noisy query equal to the noisy threshold is above, which has probability 0.
    Proof: only differences to t count, so let t be unchanged and q_i change by d_i in [-l, u], l + u = s, l, u >= 0.
    Move the noise of the threshold by u, at the price of exp(u / b_1). Then q_i + d_i + nu_i < t + rho + u wherever
    q_i + nu_i < t + rho, so that answers "below" become no less likely, whatever their number. An answer "above" needs
    nu_i to be larger by u - d_i <= s, at the price of exp(s / b_2); there are at most c of them. And
    u / b_1 + c s / b_2 <= s / b_1 + c s / b_2 = s / b.

    Raises
    ------
    PrivcheckError : a parameter outside its domain, a value that is not a vector of a threshold and at least one query,
        an `rng` that is not a Generator.

    Source: Lyu, Su and Li (2017), Algorithm 7, Theorems 4 and 5; Dwork and Roth (2014), Section 3.6. The former list
    published variants that are not private: without noise on the queries, or with noise that does not grow with c.

    Examples
    --------
    >>> import numpy as np
    >>> mechanism = AboveThreshold(score_range=1.0, epsilon=2.0, answers=1)
    >>> round(mechanism.threshold_scale, 6), round(mechanism.query_scale, 6), mechanism.loss(1.0)
    (1.0, 1.0, 2.0)
    >>> mechanism.release([5.0, 0.0, 1.0, 9.0, 2.0], np.random.default_rng(0)).tolist()
    [0, 0, 1, -1]
    >>> round(float(np.exp(mechanism.log_density([0, 0, 1, -1], [5.0, 0.0, 1.0, 9.0, 2.0]))), 3)
    0.938

    """

    id: ClassVar[str] = "above-threshold"
    samples_exactly: ClassVar[bool] = True
    notion: ClassVar[str] = "pure"
    sensitivity_norm: ClassVar[str] = "range of score differences"
    sensitivity_name: ClassVar[str] = "score_range"
    source: ClassVar[str] = "Lyu, Su and Li (2017), Algorithm 7, Theorems 4 and 5"

    score_range: float | None = parameter(
        POSITIVE, default=None, typical=(0.01, 10.0), doc="s, unit of the queries: range of the changes",
        hint="give score_range with epsilon, or a scale with AboveThreshold.with_scale",
    )  # fmt: skip
    epsilon: float | None = parameter(
        POSITIVE, default=None, typical=(0.1, 10.0), doc="epsilon: privacy budget of all answers together",
        hint="give epsilon with score_range, or a scale with AboveThreshold.with_scale",
    )  # fmt: skip
    given_scale: float | None = parameter(
        POSITIVE, default=None, typical=(0.1, 100.0), doc="b, unit of the queries: what s is divided by",
        hint="give either score_range and epsilon, or a scale",
    )  # fmt: skip
    answers: int = parameter(
        Integer(1, 1000), typical=(1, 10), doc="c: number of answers `above` after which it stops",
        hint="each answer above the threshold costs a share of epsilon",
    )  # fmt: skip

    @property
    def threshold_scale(self) -> float:
        """The scale b_1 of the noise of the threshold."""
        return float(self.scale * (1.0 + self.answers ** (2.0 / 3.0)))

    @property
    def query_scale(self) -> float:
        """The scale b_2 of the noise of each query."""
        return float(self.threshold_scale * self.answers ** (1.0 / 3.0))

    def rounding(self, sizes: Array) -> float:
        """Return what rounding a query and the threshold, each plus noise, can add to the range, on two neighbours.

        To it is added what rounding both to the lattice of exact noise can: two steps.
        """
        return 2.0 * sys.float_info.epsilon * float(sizes.max()) + 2.0**-52 * self.query_scale

    def draw(self, value: Any, rng: np.random.Generator | None, *, secure: bool = False) -> Any:
        """Return the answers, shape (T,), to a threshold and T queries, shape (1 + T,)."""
        exact = _queries("value", value)
        if not secure:
            return self._answers(exact, 1, generator(rng))[0]
        return self.of_comparisons(_above_exactly(exact, self.threshold_scale, self.query_scale), self.answers)

    def release_batch(self, value: npt.ArrayLike, rng: np.random.Generator, runs: int) -> Integers:
        """Return the answers of `runs` independent runs, shape (runs, T)."""
        return self._answers(_queries("value", value), check("runs", runs, Integer(1)), generator(rng))

    def log_density(self, output: npt.ArrayLike, value: npt.ArrayLike) -> Any:
        """Return ln P(answers | threshold and queries `value`), by quadrature with a relative error of 1e-12.

        `output` has the shape (..., T), the result the shape (...); it is a float when that is empty. Answers that no
        run gives have the logarithm -inf.
        """
        exact = _queries("value", value)
        outputs = self._outputs(output, exact.size - 1)
        found = np.array([self._log_probability(row, exact) for row in outputs.reshape(-1, exact.size - 1)])
        return float(found[0]) if outputs.ndim == 1 else found.reshape(outputs.shape[:-1])

    def log_ratio(self, output: npt.ArrayLike, value: npt.ArrayLike, other: npt.ArrayLike) -> Any:
        """Return ln(P(answers | `value`) / P(answers | `other`)), with the shapes of `log_density`."""
        same_shape(_queries("value", value), _queries("other", other))
        return self.log_density(output, value) - self.log_density(output, other)

    def law_of_pair(self, value: npt.ArrayLike, other: npt.ArrayLike) -> FiniteLaws | None:
        """Return the exact laws of the answers to two inputs, shape (1 + T,) each; None for more than 10 queries.

        >>> mechanism = AboveThreshold.with_scale(1.0, answers=1)
        >>> round(mechanism.law_of_pair([0.0, 1.0], [0.0, 0.0]).loss().value, 7)
        0.2768564
        """
        if np.size(value) - 1 > MOST_QUERIES:
            return None
        first, second = _queries("value", value), _queries("other", other)
        same_shape(first, second)
        possible = possible_answers(first.size - 1, self.answers)
        one, two = self.log_density(possible, first), self.log_density(possible, second)
        error = _LAW_ERROR + 8.0 * ROUNDING * np.maximum(np.abs(one), np.abs(two))
        return FiniteLaws(one, two, np.zeros_like(error) if (first == second).all() else error)

    def _answers(self, exact: Array, runs: int, rng: np.random.Generator) -> Integers:
        noisy = rng.laplace(0.0, 1.0, (runs, exact.size))
        noisy[:, 0] *= self.threshold_scale
        noisy[:, 1:] *= self.query_scale
        noisy += exact
        return self.of_comparisons((noisy[:, 1:] >= noisy[:, :1]).astype(np.int64), self.answers)

    @staticmethod
    def of_comparisons(above: Integers, answers: int) -> Integers:
        """Return the answers, shape (..., T), to queries of which those with a 1 are above the threshold."""
        before = np.cumsum(above, axis=-1) - above
        found: Integers = np.where(before < answers, above, UNANSWERED)
        return found

    def _log_probability(self, answers: Integers, exact: Array) -> float:
        above = answers == ABOVE
        if not np.array_equal(answers, self.of_comparisons(above.astype(np.int64), self.answers)):
            return -math.inf
        answered = answers != UNANSWERED
        with np.errstate(over="ignore"):
            distances = (exact[1:] - exact[0])[answered] / self.threshold_scale
        if not np.isfinite(distances).all():
            raise PrivcheckError(
                "value", words("queries further apart than floats reach"), "finite differences / scale"
            )
        return log_probability(distances, above[answered], self.threshold_scale / self.query_scale)

    def _outputs(self, output: npt.ArrayLike, queries: int) -> Integers:
        expected = f"answers 1, 0 or -1 of shape (..., {queries})"
        try:
            outputs = np.asarray(output)
        except ValueError:
            raise PrivcheckError("output", words("a ragged sequence"), expected) from None
        if not holds_integers(outputs) or outputs.ndim < 1 or outputs.shape[-1] != queries or abs(outputs).max() > 1:
            raise PrivcheckError("output", output, expected, "1 above, 0 below, -1 unanswered")
        return outputs.astype(np.int64)


def _queries(name: str, value: Any) -> Array:
    vector = finite_array(name, value)
    if vector.ndim != 1 or vector.size < 2:
        expected = "a vector of the threshold and at least one query"
        raise PrivcheckError(name, words(f"shape {vector.shape}"), expected, "put the threshold first")
    return vector


def possible_answers(queries: int, answers: int) -> Integers:
    """Return every sequence of answers that a run can give, one per row.

    >>> possible_answers(2, 1).tolist()
    [[0, 0], [0, 1], [1, -1]]
    """
    above = np.array(list(itertools.product((0, 1), repeat=queries)), dtype=np.int64)
    return np.unique(AboveThreshold.of_comparisons(above, answers), axis=0)


def _above_exactly(exact: Array, threshold_scale: float, query_scale: float) -> Integers:
    """Return the comparisons with discrete Laplace noise on a lattice; all sums are exact integers.

    Rounding to the lattice adds at most 2 steps to the range of the changes; the proof of the class holds for integers
    too. The noise exceeds 63 bits with probability below exp(-500).
    """
    exponent = math.frexp(query_scale)[1] - 54
    steps = [round(Fraction(entry) / Fraction(2) ** exponent) for entry in exact.tolist()]
    scales = [math.ldexp(scale, -exponent) * (1.0 + 2.0**-32) for scale in (threshold_scale, query_scale)]
    noise = [*integer_laplace(scales[0])([0]), *integer_laplace(scales[1])([0] * (len(steps) - 1))]
    threshold, *queries = (step + drawn for step, drawn in zip(steps, noise, strict=True))
    return np.array([query >= threshold for query in queries], dtype=np.int64)
