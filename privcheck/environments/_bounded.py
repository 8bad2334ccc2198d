"""Independent arms with continuous laws on [0, 1]."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from privcheck.declared import POSITIVE, Real, parameter
from privcheck.environments._base import Environment
from privcheck.environments._domains import PerArm
from privcheck.kernels import BETA, NO_ATOMS, TRUNCATED_GAUSSIAN, Laws


@dataclass(frozen=True)
class Beta(Environment):
    r"""Beta arms with given means: X_{t,a} ~ Beta(c mu_a, c (1 - mu_a)).

    Parameters
    ----------
    means : mu, shape (K,), 2 <= K <= 127, in (0, 1).
    concentration : c > 0, the sum of the two parameters; the variance is mu (1 - mu) / (c + 1).

    Examples
    --------
    >>> Beta((0.75, 0.5), concentration=4.0).table(np.random.default_rng(0), horizon=2).round(3).tolist()
    [[0.993, 0.453], [0.428, 0.902]]
    """

    means: tuple[float, ...] = parameter(
        PerArm(Real(0.0, 1.0, low_open=True, high_open=True)), typical=(0.05, 0.95), doc="mu, mean reward of every arm"
    )
    concentration: float = parameter(POSITIVE, typical=(0.5, 20.0), default=4.0, doc="c, sum of a and b")

    id: ClassVar[str] = "beta"

    def laws(self) -> Laws:
        means = np.array(self.means)
        return Laws(BETA, NO_ATOMS, self.concentration * np.stack([means, 1.0 - means], axis=1))


@dataclass(frozen=True)
class TruncatedGaussian(Environment):
    r"""Gaussian arms conditioned on [0, 1]: X_{t,a} ~ N(m_a, s^2) given that it lies in [0, 1].

    `means` are the means of the truncated laws, which lie between m_a and 1/2.

    Parameters
    ----------
    locations : m, shape (K,), 2 <= K <= 127, in [0, 1].
    deviation : s > 0.

    Examples
    --------
    >>> [round(mean, 3) for mean in TruncatedGaussian((0.75, 0.5), deviation=0.2).means]
    [0.709, 0.5]
    """

    locations: tuple[float, ...] = parameter(PerArm(), typical=(0.05, 0.95), doc="m, location of every arm")
    deviation: float = parameter(POSITIVE, typical=(0.05, 1.0), default=0.2, doc="s, deviation before truncation")
    means: tuple[float, ...] = field(init=False, repr=False, compare=False)

    id: ClassVar[str] = "truncated-gaussian"

    def __post_init__(self) -> None:
        super().__post_init__()
        from scipy import stats

        m, s = np.array(self.locations), self.deviation
        means = stats.truncnorm.mean((0.0 - m) / s, (1.0 - m) / s, loc=m, scale=s)
        object.__setattr__(self, "means", tuple(means.tolist()))

    def laws(self) -> Laws:
        locations = np.array(self.locations)
        return Laws(
            TRUNCATED_GAUSSIAN, NO_ATOMS, np.stack([locations, np.full_like(locations, self.deviation)], axis=1)
        )
