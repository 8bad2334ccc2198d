"""The common base of algorithms for combinatorial semi-bandits, and the references that play by indices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from privcheck.arrays import Array, Integers, Table
from privcheck.bandits.base import Algorithm, SemiBanditPolicy
from privcheck.declared import Choice, Integer, parameter
from privcheck.errors import PrivcheckError, words
from privcheck.kernels import Generators, Laws
from privcheck.oracles import BASE_ARMS, MOST_BASE_ARMS, Oracle, SuperArmOracle, TopK, base_arms, runs_compiled
from privcheck.private_values import told_outcomes

INDISTINCT = 1e-9
"""How far indices are moved to break ties at random: closer ones count as equal."""

TIES = ("lowest", "random")


class SemiBanditAlgorithm(Algorithm):
    """Base of the algorithms that play super arms.

    Their kernels have the signature of `privcheck.kernels._building_blocks` with two more arguments, the oracle
    (`privcheck.oracles._compiled_oracles.OracleData`) and alpha beta times the largest expected reward of a super arm,
    against which the regret is measured; `actions` (int64) receives the sum of 2^i over the base arms i of each round.
    Unless an oracle is given, a super arm is any K base arms.
    """

    feedback: ClassVar[str] = "semi-bandit"
    simulation_engine: ClassVar[str] = "step"

    size: int

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.size > self.arms:
            raise PrivcheckError("size", self.size, f"at most m = {self.arms}", "a super arm has at most all base arms")

    def build(
        self,
        rng: np.random.Generator,
        *,
        noise: np.random.Generator | None = None,
        oracle: SuperArmOracle | None = None,
    ) -> SemiBanditPolicy:
        raise NotImplementedError

    def warm_up(self) -> int:
        """Return 0: the oracle may neglect a base arm for any length of time."""
        return 0

    def bonus_after(self, pulls: int) -> float | None:
        """Return how far a base arm's index is above its mean after this many outcomes; None if it depends on them."""
        return None

    def checked_oracle(self, oracle: SuperArmOracle | None) -> SuperArmOracle:
        """Return the oracle, which has to have m base arms and super arms of at most K, or the top K."""
        if oracle is None:
            return TopK(self.arms, self.size)
        if oracle.arms != self.arms or oracle.size > self.size:
            got = words(f"{self.id} with arms={self.arms} and size={self.size}")
            expected = f"arms={oracle.arms} and a size of at least {oracle.size}, as the oracle has"
            raise PrivcheckError("oracle", got, expected, "the privacy noise is calibrated to the size")
        return oracle

    def symbols(self, table: Table, runs: int, streams: Generators) -> Any:
        """Return the super arms of independent runs of the kernel on a reward table, as bits, shape (runs, T)."""
        actions = np.empty((runs, len(table)), np.int64)
        self.regret(
            table, np.zeros(self.arms), TopK(self.arms, self.size), streams, len(table), runs, np.zeros(0, np.int64),
            actions,
        )  # fmt: skip
        return actions

    def regret(
        self,
        source: Table | Laws,
        means: Array,
        oracle: SuperArmOracle,
        streams: Generators,
        horizon: int,
        runs: int,
        checkpoints: Integers,
        actions: Integers | None = None,
    ) -> Array:
        """Return the pseudo-regret of independent runs against alpha beta times the best reward, shape (runs, C).

        An oracle of your own is called by the reference, in Python, on a table of rewards.
        """
        self.checked_oracle(oracle)
        regret = np.zeros((runs, len(checkpoints)))
        target = getattr(oracle, "alpha", 1.0) * getattr(oracle, "beta", 1.0) * oracle.best(means)
        if isinstance(oracle, Oracle) and runs_compiled(oracle):
            shown = np.zeros((0, 0), np.int64) if actions is None else actions
            self.kernel(
                self.kernel_parameters(), source, means, *streams, horizon, runs, shown, checkpoints, regret,
                oracle.data(), target,
            )  # fmt: skip
            return regret
        for run in range(runs):
            policy, total = self.build(streams.coins, noise=streams.noise, oracle=oracle), 0.0
            reached = {int(t): c for c, t in enumerate(checkpoints)}
            for t, row in enumerate(np.asarray(source)[:horizon], 1):
                chosen = policy.select()
                total += target - oracle.reward(means, chosen)
                policy.update(chosen, row[list(chosen)])
                if t in reached:
                    regret[run, reached[t]] = total
        return regret


class SuperArmPolicy:
    """A reference that plays the oracle's super arm for an index of every base arm.

    Parameters
    ----------
    arms, size : m and K; a super arm of more than K base arms is refused, as the privacy noise is calibrated to K.
    oracle : called with indices of shape (m,).
    coins : Generator that breaks ties among indices within 1e-9 at random; None leaves them to the oracle, and the
        shipped ones prefer the lowest.
    fallback : what is played if an index is negative: "oracle", as otherwise, or "first", what the oracle returns if
        all indices are 1.
    """

    def __init__(
        self,
        arms: int,
        size: int,
        oracle: SuperArmOracle,
        coins: np.random.Generator | None = None,
        fallback: str = "oracle",
    ) -> None:
        self.arms, self.size, self.oracle, self.coins, self.fallback = arms, size, oracle, coins, fallback
        self.pulls, self.sums = [0] * arms, [0.0] * arms
        self.rounds = 0
        self._chosen: tuple[int, ...] = ()
        self._until = 0

    def select(self) -> tuple[int, ...]:
        """Return the oracle's super arm, in ascending order."""
        if self.rounds >= self._until:
            index = np.array([self.index(arm) for arm in range(self.arms)])
            lowest = index.min()
            if self.coins is not None:
                index -= INDISTINCT * self.coins.random(self.arms)
            if self.fallback == "first" and lowest < 0.0:
                index = np.ones(self.arms)
            self._chosen, self._until = self.super_arm(index), self.next_choice()
        return self._chosen

    def super_arm(self, index: Array) -> tuple[int, ...]:
        """Return what the oracle plays, checked."""
        found = self.oracle(index)
        if callable(check := getattr(self.oracle, "check", None)):
            found = check(found)
        return base_arms(found, self.arms, self.size)

    def update(self, action: Sequence[int], rewards: Any) -> None:
        """Count the round and take in the outcomes."""
        chosen, outcomes = told_outcomes(action, rewards, self.arms, self.size)
        self.rounds += 1
        self.take_in(chosen, outcomes)

    def next_choice(self) -> int:
        """Return the number of rounds after which indices are computed again."""
        return self.rounds + 1

    def index(self, arm: int) -> float:
        """Return the index of a base arm."""
        raise NotImplementedError

    def take_in(self, chosen: tuple[int, ...], outcomes: Any) -> None:
        """Store what is needed of the outcomes of a round."""
        raise NotImplementedError


def base_arms_parameter() -> Any:
    """Declare the number of base arms m."""
    return parameter(BASE_ARMS, typical=(2, 10), doc="m, the number of base arms")


def size_parameter() -> Any:
    """Declare the largest number K of base arms of a super arm."""
    return parameter(
        Integer(1, MOST_BASE_ARMS), typical=(1, 2), default=1, doc="K, the largest number of base arms of a super arm"
    )


def ties_parameter(default: str = "lowest", options: tuple[str, ...] = TIES) -> Any:
    """Declare how ties among indices break, which decides the regret where a bonus clips them to 1."""
    return parameter(Choice(options), typical=options, default=default, doc="how ties among indices break")
