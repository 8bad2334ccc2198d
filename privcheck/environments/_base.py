"""The base class of environments: reward models with known means, registered by id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from privcheck.declared import Declared
from privcheck.errors import PrivcheckError, words
from privcheck.kernels import SUMMABLE, Laws, law_table
from privcheck.registry import Registry

if TYPE_CHECKING:
    from privcheck.bounds import Instance


class Environment(Declared):
    """Base of the environments: a frozen dataclass that registers itself under `id`, if it has one.

    A subclass defines `means`, and `laws()` or `table()`. Kernels draw from the laws directly; if an environment has
    only a table, one is drawn for each run, which takes memory for T x K rewards.
    """

    id: ClassVar[str]

    means: tuple[float, ...]
    """Mean reward of every arm, which defines the pseudo-regret."""

    unit_rewards: ClassVar[bool] = True
    feedbacks: ClassVar[tuple[str, ...]] = ("bandit", "full")
    """The kinds of feedback that a policy can be given in it, the usual one first."""
    """Whether every reward is in [0, 1], the range in which the shipped algorithms are private."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "id" in cls.__dict__:
            ENVIRONMENTS.register(cls.id, cls)
        elif not hasattr(cls, "id"):  # of a user: results call it by its name
            cls.id = cls.__name__

    @property
    def arms(self) -> int:
        """Number of arms K."""
        return len(self.means)

    @property
    def longest(self) -> int | None:
        """Largest horizon that the environment has rewards for; None if unlimited."""
        return None

    @property
    def sums_at_once(self) -> bool:
        """Whether the sum of an episode's rewards takes only a few draws, so that event engines skip single rounds."""
        laws = self.laws()
        return laws is not None and laws.kind in SUMMABLE

    def gaps(self) -> npt.NDArray[np.float64]:
        """Return the suboptimality gaps max_b mu_b - mu_a, shape (K,)."""
        means = np.array(self.means)
        return np.asarray(means.max() - means)

    def regret_range(self, horizon: int) -> tuple[float, float]:
        """Return the smallest and the largest pseudo-regret that a run of so many rounds can have."""
        return 0.0, horizon * float(self.gaps().max())

    def laws(self) -> Laws | None:
        """Return the laws of the arms for kernels, or None for an environment that has only a table."""
        return None

    def source(self) -> npt.NDArray[np.float64] | Laws | None:
        """Return what kernels draw rewards from, the same for all runs, or None if every run has its own table."""
        return self.laws()

    def table(self, rng: np.random.Generator, horizon: int) -> npt.NDArray[np.float64]:
        """Return one draw of all rewards of `horizon` rounds, shape (horizon, K)."""
        laws = self.laws()
        if laws is None:
            got = words(f"{type(self).__name__} without either method")
            raise PrivcheckError("environment", got, "laws() or table()", "define one of the two methods")
        return law_table(laws, rng, horizon)

    def instance(self, epsilon: float, horizon: int) -> Instance | None:
        """Return the instance on which theorems are evaluated, or None if `bounds` has no family of such laws."""
        return None


ENVIRONMENTS: Registry[Environment] = Registry("environment", "privcheck.environments")
"""The shipped environments by id, in alphabetical order."""
