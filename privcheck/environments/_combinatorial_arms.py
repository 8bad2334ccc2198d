"""Combinatorial semi-bandits: base arms with laws of their own, and an oracle that knows which sets may be played."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from privcheck.declared import Integer, parameter
from privcheck.environments._base import ENVIRONMENTS, Environment
from privcheck.environments._bernoulli import Bernoulli
from privcheck.environments._domains import PerArm
from privcheck.errors import PrivcheckError, words
from privcheck.kernels import Laws
from privcheck.oracles import (
    MOST_BASE_ARMS,
    ORACLES,
    VERTEX,
    Edge,
    Edges,
    GreedyCoverage,
    MaximumSpanningTree,
    Oracle,
    ShortestPath,
    SuperArmOracle,
    TopK,
    runs_compiled,
)


def _made(value: Any, registry: Any) -> Any:
    """Return what `{"id": ..., "parameters": ...}` describes, as files do, and anything else as it is."""
    if not isinstance(value, dict):
        return value
    if not ({"id", "parameters"} <= value.keys() and isinstance(value["parameters"], dict)):
        raise TypeError
    return registry[value["id"]](**value["parameters"])


@dataclass(frozen=True)
class BaseLaws:
    """An environment whose arms are the base arms."""

    text: str = "an environment with one arm for each base arm, such as Bernoulli(means)"

    def normalise(self, value: Any) -> Environment:
        """Return the environment."""
        found = _made(value, ENVIRONMENTS)
        if not isinstance(found, Environment) or isinstance(found, Combinatorial):
            raise TypeError
        return found


@dataclass(frozen=True)
class Problem:
    """An oracle: a shipped one, or a callable with the attributes of `SuperArmOracle`."""

    text: str = "an oracle, such as TopK(arms=6, size=2)"

    def normalise(self, value: Any) -> SuperArmOracle:
        """Return the oracle."""
        found = _made(value, ORACLES)
        if not callable(found) or not all(hasattr(found, name) for name in ("arms", "size", "reward", "best")):
            raise TypeError
        oracle: SuperArmOracle = found
        return oracle


class Combinatorial(Environment):
    """Base of the combinatorial semi-bandits; a subclass says what `base` and `oracle` are.

    Attributes
    ----------
    base : an environment with one arm for each base arm.
    oracle : the combinatorial problem.
    """

    feedbacks: ClassVar[tuple[str, ...]] = ("semi-bandit",)

    base: Environment
    oracle: SuperArmOracle

    def _join(self, base: Environment, oracle: SuperArmOracle) -> None:
        if base.arms != oracle.arms:
            expected = f"{oracle.arms}, as the oracle has"
            raise PrivcheckError("base", words(f"{base.arms} base arms"), expected, "every base arm needs a law")
        if not base.unit_rewards:
            hint = "noise is calibrated to [0, 1]: clip them"
            raise PrivcheckError("base", words(base.id), "outcomes in [0, 1]", hint)
        for name, value in (("base", base), ("oracle", oracle), ("means", base.means)):
            object.__setattr__(self, name, value)

    @property
    def best_reward(self) -> float:
        """The largest expected reward of a super arm."""
        return float(self.oracle.best(self.means))

    def reward(self, super_arm: Any) -> float:
        """Return the expected reward of a super arm, or refuse one that is not feasible."""
        if callable(check := getattr(self.oracle, "check", None)):
            super_arm = check(super_arm)
        return float(self.oracle.reward(self.means, super_arm))

    def gaps(self) -> npt.NDArray[np.float64]:
        """Refuse: gaps belong to super arms, of which there may be very many."""
        hint = "`best_reward` and `reward(super_arm)` give the gap of a super arm"
        raise PrivcheckError("environment", words(self.id), "an environment with one arm a round", hint)

    def regret_range(self, horizon: int) -> tuple[float, float]:
        """Return bounds on the pseudo-regret; below 0 if the oracle is approximate, infinite if it is not shipped."""
        best, oracle = self.best_reward, self.oracle
        target = getattr(oracle, "alpha", 1.0) * getattr(oracle, "beta", 1.0) * best
        least = oracle.least_reward if isinstance(oracle, Oracle) else -math.inf
        return horizon * (target - best), horizon * (target - least)

    @property
    def longest(self) -> int | None:
        return self.base.longest

    @property
    def sums_at_once(self) -> bool:
        return self.base.sums_at_once and runs_compiled(self.oracle)

    def laws(self) -> Laws | None:
        return self.base.laws()

    def source(self) -> npt.NDArray[np.float64] | Laws | None:
        """Return what kernels draw outcomes from; None, a table for every run, if the oracle is not compiled."""
        return self.base.source() if runs_compiled(self.oracle) else None

    def table(self, rng: np.random.Generator, horizon: int) -> npt.NDArray[np.float64]:
        return self.base.table(rng, horizon)


@dataclass(frozen=True)
class SemiBandit(Combinatorial):
    r"""A combinatorial semi-bandit: m base arms of any laws, and an oracle.

    In every round the policy plays a super arm S and sees the outcomes X_{t,i} of its base arms. The pseudo-regret
    after T rounds is sum_{t<=T} (alpha beta max_S r(S) - r(S_t)), with the oracle's expected reward r and its alpha and
    beta.

    Parameters
    ----------
    base : an environment with one arm for each base arm, 2 <= m <= 62.
    oracle : the combinatorial problem: a shipped one (`privcheck.oracles`), which runs in compiled kernels, or an
        object of your own with the methods of `SuperArmOracle`, which is called from Python in every round.

    Raises
    ------
    PrivcheckError : another number of base arms than the oracle has, outcomes outside [0, 1].

    Examples
    --------
    >>> place = SemiBandit(Bernoulli((0.9, 0.8, 0.2)), TopK(arms=3, size=2))
    >>> place.oracle.size, place.best_reward, place.reward([0, 2])
    (2, 1.7000000000000002, 1.1)
    """

    base: Environment = parameter(BaseLaws(), typical=(), doc="the laws of the base arms")  # noqa: RUF009
    oracle: SuperArmOracle = parameter(Problem(), typical=(), doc="the combinatorial problem")  # noqa: RUF009
    means: tuple[float, ...] = field(init=False, repr=False, compare=False)

    id: ClassVar[str] = "semi-bandit"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._join(self.base, self.oracle)


class _Bernoulli(Combinatorial):
    """A semi-bandit with Bernoulli base arms and a shipped oracle, described by numbers alone."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._join(Bernoulli(self.means), self.problem())

    def problem(self) -> Oracle:
        """Return the oracle of these parameters."""
        raise NotImplementedError


def _base_means() -> Any:
    return parameter(PerArm(), typical=(0.05, 0.95), doc="mu, mean outcome of every base arm", hint="as in 0.9, 0.5")


def _edges(*, loops: bool = False) -> Any:
    return parameter(Edges(loops), typical=(), doc="the edges, one for each base arm", hint='as in "0,1; 1,2; 0,2"')


@dataclass(frozen=True)
class TopKArms(_Bernoulli):
    """Play exactly K of m Bernoulli base arms; the reward is the sum of their outcomes.

    Parameters
    ----------
    means : mu, shape (m,), 2 <= m <= 62, in [0, 1].
    size : K, at most m.

    Examples
    --------
    >>> TopKArms((0.9, 0.8, 0.2), size=2).best_reward
    1.7000000000000002
    """

    means: tuple[float, ...] = _base_means()
    size: int = parameter(Integer(1, MOST_BASE_ARMS), typical=(1, 2), doc="K, how many are played")

    id: ClassVar[str] = "top-k"

    def problem(self) -> Oracle:
        return TopK(len(self.means), self.size)


@dataclass(frozen=True)
class ShortestPathArms(_Bernoulli):
    """Travel from a source to a target every round; the outcome of an edge is 1 minus its delay, Bernoulli.

    Parameters
    ----------
    means : mu, shape (m,), in [0, 1]: 1 minus the mean delay of every edge.
    edges : m pairs of vertices.
    source_vertex, target_vertex : where a path starts and ends.

    Examples
    --------
    >>> edges = ((0, 1), (1, 2), (0, 2))
    >>> ShortestPathArms((0.9, 0.8, 0.5), edges, source_vertex=0, target_vertex=2).oracle([0.9, 0.8, 0.5])
    (0, 1)
    """

    means: tuple[float, ...] = _base_means()
    edges: tuple[Edge, ...] = _edges()
    source_vertex: int = parameter(VERTEX, typical=(0, 1), doc="the vertex in which a path starts")
    target_vertex: int = parameter(VERTEX, typical=(2, 3), doc="the vertex in which it ends")

    id: ClassVar[str] = "shortest-path"

    def problem(self) -> Oracle:
        return ShortestPath(self.edges, self.source_vertex, self.target_vertex)


@dataclass(frozen=True)
class SpanningTreeArms(_Bernoulli):
    """Play a spanning tree of a connected graph; the reward is the sum of the outcomes of its edges, Bernoulli.

    Parameters
    ----------
    means : mu, shape (m,), in [0, 1].
    edges : m pairs of vertices.

    Examples
    --------
    >>> SpanningTreeArms((0.9, 0.8, 0.5), edges=((0, 1), (1, 2), (0, 2))).best_reward
    1.7000000000000002
    """

    means: tuple[float, ...] = _base_means()
    edges: tuple[Edge, ...] = _edges()

    id: ClassVar[str] = "spanning-tree"

    def problem(self) -> Oracle:
        return MaximumSpanningTree(self.edges)


@dataclass(frozen=True)
class CoverageArms(_Bernoulli):
    """Choose k left vertices of a bipartite graph; edge (u, v) covers v with its mean as probability.

    The reward is the number of covered right vertices; the regret is measured against 1 - 1/e of the largest.

    Parameters
    ----------
    means : mu, shape (m,), in [0, 1]: the probability of every edge.
    edges : m pairs (left, right); the two sides are numbered separately.
    picks : k, how many left vertices are chosen.

    Examples
    --------
    >>> CoverageArms((0.9, 0.8, 0.5), edges=((0, 0), (1, 0), (2, 1)), picks=2).best_reward
    1.4
    """

    means: tuple[float, ...] = _base_means()
    edges: tuple[Edge, ...] = _edges(loops=True)
    picks: int = parameter(Integer(1), typical=(1, 2), doc="k, how many left vertices are chosen")

    id: ClassVar[str] = "coverage"

    def problem(self) -> Oracle:
        return GreedyCoverage(self.edges, self.picks)
