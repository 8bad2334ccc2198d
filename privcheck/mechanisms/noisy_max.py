"""Report noisy max with Laplace, exponential or Gumbel noise: only the index of the largest noisy score is released."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from privcheck.accounting import Charge
from privcheck.arrays import Array
from privcheck.declared import POSITIVE, Choice, parameter
from privcheck.mechanisms import noisy_max_law
from privcheck.mechanisms.discrete_laplace import integer_laplace
from privcheck.mechanisms.selection import Selection, charge_of_bounded_range, exact_winner, score_vector


@dataclass(frozen=True)
class NoisyMax(Selection):
    r"""Release the index of the largest of K scores after adding independent noise to each.

    J = argmax_j (u_j + Z_j), with Z_j independent and noise "laplace": density exp(-|z| / b) / (2 b);
    "exponential": density exp(-z / b) / b on z >= 0 (the law of permute and flip);
    "gumbel": P(Z <= z) = exp(-exp(-z / b)) (the exponential mechanism, P(J = j) proportional to exp(u_j / b)).
    For all three b = r (1 + 4e-9) / epsilon.

    Parameters
    ----------
    score_range : r > 0, in the unit of the scores, the range of score differences: the largest value over neighbours of
        max_j d_j - min_j d_j, where d_j is the change of score j. With rewards in [lo, hi] and score j the sum of
        arm j's rewards, replacing one row (all K rewards of a round) gives r = 2 (hi - lo), a single reward hi - lo.
    epsilon : > 0, the budget, charged exactly.
    given_scale : b > 0, the scale, instead of these two; `NoisyMax.with_scale(b)` sets it.
    noise : law of the noise: "laplace" (default), "exponential" or "gumbel".

    Guarantee
    ---------
    Notion: pure differential privacy, epsilon (r / b if a scale was given). With Gumbel noise the log-ratios of all
    outputs lie within a range of that width, so that rho = epsilon^2 / 8 (`exponential-mechanism`); with the others
    rho and mu are what epsilon implies.
    Neighbours: those for which r was computed; `privcheck.privacy.score_range` computes it for sums
    of rewards.
    Released: the index J only, never the noisy scores.
    What one datum can change: every score, as long as the changes d_j differ from one another by at most r.
    Noise: scale b, fast floating-point draws; `secure=True` uses OpenDP's exact samplers. With "laplace", scores are
    then rounded to multiples of g, 2^-54 b < g <= 2^-53 b, before OpenDP's discrete Laplace noise of scale
    b (1 + 2^-32) is added; the larger scale covers the rounding if epsilon is at least 1e-6, and a guard charges the
    two steps that it adds to a range wherever they are not negligible (`rounding`).
    Ties: the lowest index wins; ties have probability zero.
    Proof: a common shift of all scores does not change the argmax, so only differences of the d_j matter. Fix j and all
    noises except Z_j: j wins when Z_j > t = max_{i != j} (u_i + Z_i) - u_j. Under the neighbour the threshold is at
    most t + max_i d_i - d_j <= t + r, and P(Z_j > t + r) >= exp(-r / b) P(Z_j > t) for every t. Average over the other
    noises. The tail inequality is immediate for Laplace and exponential noise. For Gumbel noise P(Z > t) = 1 - exp(-y),
    y = exp(-t / b), and 1 - exp(-q y) >= q (1 - exp(-y)) for q = exp(-r / b) <= 1, because 1 - exp(-y) is concave and 0
    at 0. Directly, for the exponential mechanism: P'(j) / P(j) = exp(d_j / b) / (weighted mean of the exp(d_i / b)),
    which lies between exp(-r / b) and exp(r / b).
    With exponential noise the bound is attained as soon as j is at least r behind before and after; with the others it
    is a supremum, approached as j falls behind, and sooner the more scores there are.
    Scale 1 / epsilon for rewards in [0, 1] is therefore epsilon-DP for monotone changes (all d_j of one sign, r = 1),
    but only 2 epsilon-DP when a row is replaced: one score may rise by 1 while another falls by 1 (r = 2).

    Raises
    ------
    PrivcheckError : a parameter outside its domain, scores that are not a finite vector, an `rng` that is not a
        Generator.

    Source: Dwork and Roth (2014), Claim 3.9 (Laplace, monotone counts); McKenna and Sheldon (2020), permute and flip
    (exponential); McSherry and Talwar (2007), Theorem 6 (Gumbel); the proof above for any r.

    Examples
    --------
    >>> import numpy as np
    >>> mechanism = NoisyMax(score_range=2.0, epsilon=1.0)
    >>> mechanism.loss(2.0), mechanism.release([0.0, 9.0, 1.0], np.random.default_rng(0))
    (1.0, 1)
    >>> for noise in ("laplace", "exponential", "gumbel"):
    ...     NoisyMax(score_range=2.0, epsilon=1.0, noise=noise).probabilities([0.0, 2.0, 0.0]).round(4).tolist()
    [0.2049, 0.5902, 0.2049]
    [0.1614, 0.6772, 0.1614]
    [0.2119, 0.5761, 0.2119]
    >>> published = NoisyMax.with_scale(1.0)
    >>> published.loss(2.0), round(published.log_ratio(0, [1.0, 1.0], [0.0, 2.0]), 7)
    (2.0, 1.3068528)

    """

    id: ClassVar[str] = "noisy-max"
    samples_exactly: ClassVar[bool] = True
    notion: ClassVar[str] = "pure"
    sensitivity_norm: ClassVar[str] = "range of score differences"
    source: ClassVar[str] = (
        "Dwork and Roth (2014), Claim 3.9; McKenna and Sheldon (2020); McSherry and Talwar (2007), Theorem 6"
    )

    score_range: float | None = parameter(
        POSITIVE, default=None, typical=(0.01, 10.0), doc="r, unit of the scores: range of score differences",
        hint="give score_range with epsilon, or a scale with NoisyMax.with_scale",
    )  # fmt: skip
    epsilon: float | None = parameter(
        POSITIVE, default=None, typical=(0.1, 10.0), doc="epsilon: privacy budget of one release",
        hint="give epsilon with score_range, or a scale with NoisyMax.with_scale",
    )  # fmt: skip
    given_scale: float | None = parameter(
        POSITIVE, default=None, typical=(0.1, 100.0), doc="b, unit of the scores: scale, instead of the other two",
        hint="give either score_range and epsilon, or a scale",
    )  # fmt: skip
    noise: str = parameter(
        Choice(("laplace", "exponential", "gumbel")), default="laplace", typical=("laplace", "exponential", "gumbel"),
        doc="law of the noise",
    )  # fmt: skip

    def charge(self, sensitivity: float) -> Charge:
        """Return the charge of data with this computed range; with Gumbel noise, of that bounded range."""
        charge = super().charge(sensitivity)
        return charge_of_bounded_range(charge) if self.noise == "gumbel" else charge

    def rounding(self, sizes: Array) -> float:
        """Return what rounding can add to the range: that of sums, and two steps of the lattice of exact noise."""
        return super().rounding(sizes) + (2.0**-52 * self.scale if self.noise == "laplace" else 0.0)

    def log_probabilities(self, scores: npt.ArrayLike) -> Array:
        """Return the natural logarithms of `probabilities`, without underflow however far behind a score is."""
        return _LAWS[self.noise](score_vector(scores), self.scale)

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        draws: Array
        if self.noise == "exponential":
            draws = rng.exponential(self.scale, shape)
        else:
            draws = (rng.laplace if self.noise == "laplace" else rng.gumbel)(0.0, self.scale, shape)
        return draws

    def _draw_exactly(self, scores: Array) -> int:
        if self.noise == "laplace":
            return _largest_exactly(scores, self.scale)
        return exact_winner(scores, self.scale, self.noise)


_LAWS = {
    "laplace": noisy_max_law.log_probabilities,
    "exponential": noisy_max_law.exponential_log_probabilities,
    "gumbel": noisy_max_law.gumbel_log_probabilities,
}


def _largest_exactly(scores: Array, scale: float) -> int:
    """Return the index of the largest score with discrete Laplace noise on a lattice; all sums are exact integers.

    With d_j the change of score j in steps of the lattice, rounding adds at most 2 steps to the range of the d_j; the
    proof of the class holds for integers too. The noise exceeds 63 bits with probability below exp(-500).
    """
    exponent = math.frexp(scale)[1] - 54
    steps = [round(Fraction(score) / Fraction(2) ** exponent) for score in scores.tolist()]
    noise = integer_laplace(math.ldexp(scale, -exponent) * (1.0 + 2.0**-32))([0] * len(steps))
    noisy = [step + drawn for step, drawn in zip(steps, noise, strict=True)]
    return noisy.index(max(noisy))
