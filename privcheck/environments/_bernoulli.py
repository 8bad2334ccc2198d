"""Independent Bernoulli arms."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from privcheck.bounds import Instance
from privcheck.declared import parameter
from privcheck.environments._base import Environment
from privcheck.environments._domains import PerArm


@dataclass(frozen=True)
class Bernoulli(Environment):
    r"""Independent Bernoulli arms with given means.

    In every round t = 1, 2, ... arm a pays X_{t,a} ~ Bernoulli(mu_a), independent over rounds and arms. The
    pseudo-regret after T rounds is sum_{t<=T} (max_b mu_b - mu_{A_t}).

    Parameters
    ----------
    means : mu, shape (K,), 2 <= K <= 127, in [0, 1].

    Raises
    ------
    PrivcheckError : fewer than two arms, a mean outside [0, 1], NaN, or anything but a list of numbers.

    Examples
    --------
    >>> environment = Bernoulli((0.75, 0.5))
    >>> environment.arms, environment.gaps().tolist()
    (2, [0.0, 0.25])
    >>> environment.table(np.random.default_rng(0), horizon=3).tolist()
    [[1.0, 1.0], [1.0, 1.0], [0.0, 0.0]]
    """

    means: tuple[float, ...] = parameter(
        PerArm(), typical=(0.05, 0.95), doc="mu, mean reward of every arm", hint="for example 0.75, 0.5"
    )

    id: ClassVar[str] = "bernoulli"

    @property
    def sums_at_once(self) -> bool:
        return True

    def source(self) -> npt.NDArray[np.float64]:
        """Return a table without rows, which kernels read as Bernoulli(`means`)."""
        return np.zeros((0, self.arms))

    def table(self, rng: np.random.Generator, horizon: int) -> npt.NDArray[np.float64]:
        return (rng.random((horizon, self.arms)) < np.array(self.means)).astype(np.float64)

    def instance(self, epsilon: float, horizon: int) -> Instance:
        return Instance("bernoulli", self.means, epsilon, horizon)


def published_means(*means: float) -> Any:
    """Declare the means of a paper's instance, which cannot be changed."""
    return field(default=means, init=False)
