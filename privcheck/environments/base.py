"""What every environment is: a reward model with given arm means, registered under its id."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from bounds.domains import Declared
from privcheck.registry import Registry


class Environment(Declared):
    """Base of the environments: a frozen dataclass that registers itself under `id`."""

    id: ClassVar[str]

    means: tuple[float, ...]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "id" in cls.__dict__:
            ENVIRONMENTS.register(cls.id, cls)

    @property
    def arms(self) -> int:
        """Number of arms K."""
        return len(self.means)

    def gaps(self) -> npt.NDArray[np.float64]:
        """Return the sub-optimality gaps max_b mu_b - mu_a, shape (K,)."""
        means = np.array(self.means)
        return np.asarray(means.max() - means)

    def table(self, rng: np.random.Generator, horizon: int) -> npt.NDArray[np.float64]:
        """Return one draw of all rewards of `horizon` rounds, shape (horizon, K)."""
        raise NotImplementedError


ENVIRONMENTS: Registry[Environment] = Registry("environment", "privcheck.environments")
