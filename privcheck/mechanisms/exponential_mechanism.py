"""The exponential mechanism: an index with a probability that grows exponentially with its score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from privcheck.accounting import Charge
from privcheck.arrays import Array
from privcheck.declared import POSITIVE, parameter
from privcheck.mechanisms.noisy_max_law import gumbel_log_probabilities
from privcheck.mechanisms.selection import Selection, charge_of_bounded_range, exact_winner, score_vector


@dataclass(frozen=True)
class ExponentialMechanism(Selection):
    r"""Release an index of K scores, with P(J = j) proportional to exp(u_j / b), b = r (1 + 4e-9) / epsilon.

    Parameters
    ----------
    score_range : r > 0, in the unit of the scores, the range of score differences: the largest value over neighbours of
        max_j d_j - min_j d_j, where d_j is the change of score j. If every score moves by at most s, r = 2 s; if
        besides all scores move in the same direction (monotone scores, such as counts when a row is added), r = s.
    epsilon : > 0, the budget, charged exactly.
    given_scale : b > 0, the scale, instead of these two; `ExponentialMechanism.with_scale(b)` sets it.

    Guarantee
    ---------
    Notion: pure differential privacy, epsilon (r / b if a scale was given), and bounded range of the same width: hence
    zero-concentrated differential privacy with rho = epsilon^2 / 8 if epsilon is at most 8, about a quarter of what
    epsilon implies, and Gaussian differential privacy with the mu that epsilon / 2 implies.
    Neighbours: those for which r was computed; `privcheck.privacy.score_range` computes it for sums
    of rewards.
    Released: the index J only.
    What one datum can change: every score, as long as the changes d_j differ from one another by at most r.
    Noise: the largest of u_j + Z_j, with independent Gumbel Z_j of scale b, has this law; fast floating-point draws;
    `secure=True` uses OpenDP's exact sampler.
    Ties: the lowest index wins; ties have probability zero.
    Proof: ln P'(j) / P(j) = d_j / b - ln(mean of exp(d_i / b) under P). The second term is the same for all j and lies
    between the smallest and the largest d_i / b. So every log-ratio is at most r / b, and they lie within an interval
    of length r / b. `privcheck.accounting._implied` has what that implies.

    Raises
    ------
    PrivcheckError : a parameter outside its domain, scores that are not a finite vector, an `rng` that is not a
        Generator.

    Source: McSherry and Talwar (2007), Theorem 6; Durfee and Rogers (2019), bounded range; Cesar and Rogers (2021), for
    rho.

    Examples
    --------
    >>> import numpy as np
    >>> mechanism = ExponentialMechanism(score_range=2.0, epsilon=1.0)
    >>> mechanism.probabilities([0.0, 2.0, 0.0]).round(4).tolist(), mechanism.release([0, 9], np.random.default_rng(0))
    ([0.2119, 0.5761, 0.2119], 1)
    >>> round(mechanism.charge(2.0).rho, 6), round(mechanism.charge(2.0).mu, 6)
    (0.125, 0.623893)
    >>> published = ExponentialMechanism.with_scale(2.0)
    >>> published.loss(2.0), round(published.log_ratio(0, [1.0, 1.0], [0.0, 2.0]), 7)
    (1.0, 0.6201145)

    """

    id: ClassVar[str] = "exponential-mechanism"
    samples_exactly: ClassVar[bool] = True
    notion: ClassVar[str] = "pure"
    sensitivity_norm: ClassVar[str] = "range of score differences"
    source: ClassVar[str] = "McSherry and Talwar (2007), Theorem 6; Durfee and Rogers (2019); Cesar and Rogers (2021)"

    score_range: float | None = parameter(
        POSITIVE, default=None, typical=(0.01, 10.0), doc="r, unit of the scores: range of score differences",
        hint="give score_range with epsilon, or a scale with ExponentialMechanism.with_scale",
    )  # fmt: skip
    epsilon: float | None = parameter(
        POSITIVE, default=None, typical=(0.1, 10.0), doc="epsilon: privacy budget of one release",
        hint="give epsilon with score_range, or a scale with ExponentialMechanism.with_scale",
    )  # fmt: skip
    given_scale: float | None = parameter(
        POSITIVE, default=None, typical=(0.1, 100.0), doc="b, unit of the scores: scale, instead of the other two",
        hint="give either score_range and epsilon, or a scale",
    )  # fmt: skip

    def charge(self, sensitivity: float) -> Charge:
        """Return the charge of data with this computed range."""
        return charge_of_bounded_range(super().charge(sensitivity))

    def log_probabilities(self, scores: npt.ArrayLike) -> Array:
        """Return the natural logarithms of `probabilities`, without underflow however far behind a score is."""
        return gumbel_log_probabilities(score_vector(scores), self.scale)

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        draws: Array = rng.gumbel(0.0, self.scale, shape)
        return draws

    def _draw_exactly(self, scores: Array) -> int:
        return exact_winner(scores, self.scale, "gumbel")
