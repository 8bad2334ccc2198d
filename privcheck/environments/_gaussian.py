"""Independent Gaussian arms, optionally clipped to [0, 1]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from privcheck.bounds import Instance
from privcheck.declared import POSITIVE, Choice, Real, parameter
from privcheck.environments._base import Environment
from privcheck.environments._domains import PerArm
from privcheck.kernels import CLIPPED_GAUSSIAN, GAUSSIAN, NO_ATOMS, Laws


@dataclass(frozen=True)
class Gaussian(Environment):
    r"""Gaussian arms: X_{t,a} ~ N(mu_a, s^2), refused for algorithms that require rewards in [0, 1] unless clipped.

    With outside="clip" the algorithm observes min(max(X, 0), 1) instead of X. This law has means closer to 1/2 and
    smaller gaps; the order of the arms is the same, because their deviations are equal. The pseudo-regret still uses
    the means mu of the Gaussians.

    Parameters
    ----------
    means : mu, shape (K,), 2 <= K <= 127.
    deviation : s > 0.
    outside : "refuse" (default) to allow only algorithms that need no range; "clip" to clip rewards to [0, 1] before
        anything else.

    Examples
    --------
    >>> Gaussian((0.75, 0.5), deviation=1.0).unit_rewards, Gaussian((0.75, 0.5), outside="clip").unit_rewards
    (False, True)
    """

    means: tuple[float, ...] = parameter(PerArm(Real()), typical=(0.1, 0.9), doc="mu, mean reward of every arm")
    deviation: float = parameter(POSITIVE, typical=(0.1, 1.0), default=1.0, doc="s, standard deviation")
    outside: str = parameter(
        Choice(("refuse", "clip")), typical=("refuse", "clip"), default="refuse", doc="rewards outside [0, 1]"
    )

    id: ClassVar[str] = "gaussian"

    @property
    def unit_rewards(self) -> bool:  # type: ignore[override]
        """Whether every reward is in [0, 1]."""
        return self.outside == "clip"

    def laws(self) -> Laws:
        means = np.array(self.means)
        kind = CLIPPED_GAUSSIAN if self.outside == "clip" else GAUSSIAN
        return Laws(kind, NO_ATOMS, np.stack([means, np.full_like(means, self.deviation)], axis=1))

    def instance(self, epsilon: float, horizon: int) -> Instance | None:
        """Return the Gaussian instance; None if rewards are clipped."""
        if self.outside == "clip":
            return None
        return Instance("gaussian", self.means, epsilon, horizon, variance=self.deviation**2)
