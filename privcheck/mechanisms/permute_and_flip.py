"""Permute and flip: an index chosen by coins that favour high scores, never worse than the exponential mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from privcheck.arrays import Array
from privcheck.declared import POSITIVE, parameter
from privcheck.mechanisms.noisy_max_law import exponential_log_probabilities
from privcheck.mechanisms.selection import Selection, exact_winner, score_vector


@dataclass(frozen=True)
class PermuteAndFlip(Selection):
    r"""Release an index of K scores: in random order, accept index j with probability exp((u_j - max u) / b).

    b = r (1 + 4e-9) / epsilon. The largest score is always accepted, so that one pass suffices. At the same epsilon,
    the expected score of the result is at least that of the exponential mechanism.

    Parameters
    ----------
    score_range : r > 0, in the unit of the scores, the range of score differences: the largest value over neighbours of
        max_j d_j - min_j d_j, where d_j is the change of score j. If every score moves by at most s, r = 2 s; if
        besides all scores move in the same direction (monotone scores, such as counts when a row is added), r = s.
    epsilon : > 0, the budget, charged exactly.
    given_scale : b > 0, the scale, instead of these two; `PermuteAndFlip.with_scale(b)` sets it.

    Guarantee
    ---------
    Notion: pure differential privacy, epsilon (r / b if a scale was given). The range of the log-ratios is not bounded
    by epsilon: for two equal scores, one of which falls by r, they are -epsilon and ln(2 - exp(-epsilon)), and the KL
    divergence is near epsilon^2 / 2 for small epsilon. So rho and mu are what epsilon implies.
    Neighbours: those for which r was computed; `privcheck.privacy.score_range` computes it for sums
    of rewards.
    Released: the index only.
    What one datum can change: every score, as long as the changes d_j differ from one another by at most r.
    Noise: the largest of u_j + Z_j, with independent exponential Z_j of mean b, has this law; fast floating-point
    draws; `secure=True` uses OpenDP's exact sampler.
    Ties: the lowest index wins; ties have probability zero.
    Proof: that of `noisy-max` with exponential noise, P(Z > t + r) >= exp(-r / b) P(Z > t) for every t.

    Raises
    ------
    PrivcheckError : a parameter outside its domain, scores that are not a finite vector, an `rng` that is not a
        Generator.

    Source: McKenna and Sheldon (2020), Algorithm 1 and Theorem 1; Ding et al. (2021), for the noise.

    Examples
    --------
    >>> import numpy as np
    >>> mechanism = PermuteAndFlip(score_range=2.0, epsilon=1.0)
    >>> mechanism.probabilities([0.0, 2.0, 0.0]).round(4).tolist(), mechanism.release([0, 9], np.random.default_rng(0))
    ([0.1614, 0.6772, 0.1614], 1)
    >>> PermuteAndFlip.with_scale(1.0).loss(2.0)
    2.0

    """

    id: ClassVar[str] = "permute-and-flip"
    samples_exactly: ClassVar[bool] = True
    notion: ClassVar[str] = "pure"
    sensitivity_norm: ClassVar[str] = "range of score differences"
    source: ClassVar[str] = "McKenna and Sheldon (2020), Algorithm 1 and Theorem 1"

    score_range: float | None = parameter(
        POSITIVE, default=None, typical=(0.01, 10.0), doc="r, unit of the scores: range of score differences",
        hint="give score_range with epsilon, or a scale with PermuteAndFlip.with_scale",
    )  # fmt: skip
    epsilon: float | None = parameter(
        POSITIVE, default=None, typical=(0.1, 10.0), doc="epsilon: privacy budget of one release",
        hint="give epsilon with score_range, or a scale with PermuteAndFlip.with_scale",
    )  # fmt: skip
    given_scale: float | None = parameter(
        POSITIVE, default=None, typical=(0.1, 100.0), doc="b, unit of the scores: scale, instead of the other two",
        hint="give either score_range and epsilon, or a scale",
    )  # fmt: skip

    def log_probabilities(self, scores: npt.ArrayLike) -> Array:
        """Return the natural logarithms of `probabilities`, without underflow however far behind a score is."""
        return exponential_log_probabilities(score_vector(scores), self.scale)

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        draws: Array = rng.exponential(self.scale, shape)
        return draws

    def _draw_exactly(self, scores: Array) -> int:
        return exact_winner(scores, self.scale, "exponential")
