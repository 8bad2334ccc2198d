"""Report noisy max with Laplace noise: only the index of the largest noisy score is released."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from bounds.domains import POSITIVE, Choice, Integer, check, parameter
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms.base import Array, Mechanism, finite_array, generator
from privcheck.mechanisms.noisy_max_law import log_probabilities


@dataclass(frozen=True)
class NoisyMax(Mechanism):
    r"""Release the index of the largest of K scores after adding independent Laplace noise to each.

    J = argmax_j (u_j + Z_j), the Z_j independent with density exp(-|z| / b) / (2 b), b = r (1 + 4e-9) / epsilon.

    Parameters
    ----------
    sensitivity : r > 0, in the unit of the scores: the range of score differences, the largest value over neighbours
        of max_j d_j - min_j d_j, where d_j is the change of score j. With rewards in [lo, hi] and score j the sum of
        arm j's rewards, replacing one row (all K rewards of a round) gives r = 2 (hi - lo), a single reward hi - lo.
    epsilon : > 0, the budget, charged exactly.
    given_scale : b > 0, the scale in place of both; `NoisyMax.with_scale(b)` sets it.
    noise : law of the noise; only "laplace".

    Guarantee
    ---------
    Notion: pure differential privacy, epsilon (r / b when the scale was given).
    Neighbours: those for which r was computed; `privcheck.privacy.sensitivity.score_range` does it for sums of rewards.
    Released: the index J only, never the noisy scores.
    What one datum can change: every score, as long as the changes d_j differ from one another by at most r.
    Noise: Laplace of scale b, fast floating-point draws.
    Ties: the lowest index wins; they have probability zero.
    Proof: a common shift of all scores changes no argmax, so only differences of the d_j matter. Fix j and all noises
    but Z_j: j wins when Z_j > t = max_{i != j} (u_i + Z_i) - u_j. Under the neighbour the threshold is at most
    t + max_i d_i - d_j <= t + r, and P(Z_j > t + r) >= exp(-r / b) P(Z_j > t) for every t. Average over the other
    noises. The bound is a supremum: it is approached as j falls behind, the sooner the more scores there are.
    Scale 1 / epsilon for rewards in [0, 1] is therefore epsilon-DP for monotone changes (r = 1), but only 2 epsilon-DP
    when a row is replaced (r = 2): errata E-1.

    Raises
    ------
    PrivcheckError : a parameter outside its domain, scores that are not a finite vector, an `rng` that is not a
        Generator, `secure=True` (OpenDP has no noisy max with Laplace noise).

    Source: Dwork and Roth (2014), Claim 3.9, for monotone counts; formulas.md 0.3 and errata E-1 for replacement; the
    proof above for any r.

    Examples
    --------
    >>> import numpy as np
    >>> mechanism = NoisyMax(sensitivity=2.0, epsilon=1.0)
    >>> mechanism.loss(2.0), mechanism.release([0.0, 9.0, 1.0], np.random.default_rng(0))
    (1.0, 1)
    >>> mechanism.probabilities([0.0, 2.0, 0.0]).round(4).tolist()
    [0.2049, 0.5902, 0.2049]
    >>> published = NoisyMax.with_scale(1.0)
    >>> published.loss(2.0), round(published.log_ratio(0, [1.0, 1.0], [0.0, 2.0]), 7)
    (2.0, 1.3068528)

    """

    id: ClassVar[str] = "noisy-max"
    notion: ClassVar[str] = "pure"
    sensitivity_norm: ClassVar[str] = "range of score differences"
    source: ClassVar[str] = "Dwork and Roth (2014), Claim 3.9; for replacement formulas.md 0.3 and errata E-1"

    sensitivity: float | None = parameter(
        POSITIVE, default=None, typical=(0.01, 10.0), doc="r, unit of the scores: range of score differences",
        hint="give the range of score differences with epsilon, or a scale with NoisyMax.with_scale",
    )  # fmt: skip
    epsilon: float | None = parameter(
        POSITIVE, default=None, typical=(0.1, 10.0), doc="epsilon: privacy budget of one release",
        hint="give epsilon with the sensitivity, or a scale with NoisyMax.with_scale",
    )  # fmt: skip
    given_scale: float | None = parameter(
        POSITIVE, default=None, typical=(0.1, 100.0), doc="b, unit of the scores: scale in place of the other two",
        hint="give either sensitivity and epsilon, or a scale",
    )  # fmt: skip
    noise: str = parameter(Choice(("laplace",)), default="laplace", typical=("laplace",), doc="law of the noise")

    def release(self, value: npt.ArrayLike, rng: np.random.Generator | None, *, secure: bool = False) -> int:
        """Return the 0-based index of the largest noisy score; `value` holds the scores, shape (K,)."""
        if secure:
            hint = "OpenDP has no noisy max with Laplace noise: its make_noisy_max is another mechanism"
            raise PrivcheckError("secure", True, "False for noisy-max", hint)
        scores = _scores(value)
        return int(np.argmax(scores + generator(rng).laplace(0.0, self.scale, scores.size)))

    def release_batch(self, value: npt.ArrayLike, rng: np.random.Generator, runs: int) -> npt.NDArray[np.int64]:
        """Return `runs` independent releases, shape (runs,), of the same scores, shape (K,)."""
        scores = _scores(value)
        draws = generator(rng).laplace(0.0, self.scale, (check("runs", runs, Integer(1)), scores.size))
        draws += scores
        winners: npt.NDArray[np.int64] = np.argmax(draws, axis=1)
        return winners

    def probabilities(self, scores: npt.ArrayLike) -> Array:
        """Return the exact probability of each index, shape (K,), by quadrature, accurate to 1e-12."""
        return np.exp(self.log_probabilities(scores))

    def log_probabilities(self, scores: npt.ArrayLike) -> Array:
        """Return the natural logarithm of `probabilities`, without underflow however far a score is behind."""
        return log_probabilities(_scores(scores), self.scale)

    def log_ratio(self, output: int, value: npt.ArrayLike, other: npt.ArrayLike) -> float:
        """Return ln(P(output | scores `value`) / P(output | scores `other`)) of a 0-based index."""
        first, second = _scores(value), _scores(other, "other")
        if first.size != second.size:
            raise PrivcheckError("other", words(f"{second.size} scores"), f"{first.size} scores, as many as value")
        index = check("output", output, Integer(0, first.size - 1))
        return float(self.log_probabilities(first)[index] - self.log_probabilities(second)[index])


def _scores(value: npt.ArrayLike, name: str = "scores") -> Array:
    scores = finite_array(name, value)
    if scores.ndim != 1:
        raise PrivcheckError(name, words(f"shape {scores.shape}"), "a vector of shape (K,)", "give one score per index")
    return scores
