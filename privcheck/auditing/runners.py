"""How an audited policy is run many times on a reward table: a compiled kernel, or plain Python objects."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from privcheck.auditing.factories import Location, describe_exception, factory_arguments
from privcheck.bandits import Algorithm
from privcheck.errors import PolicyError, PrivcheckError, words
from privcheck.simulation.seeding import spawned

Actions = npt.NDArray[np.int8]
Table = npt.NDArray[np.float64]


class Runner(Protocol):
    """Plays independent runs of one policy.

    `chunk_runs` runs share a seed; `joblib_backend` says whether workers are threads or processes.
    """

    chunk_runs: ClassVar[int]
    joblib_backend: ClassVar[str]

    @property
    def engine(self) -> str:
        """What plays the runs: "kernel", "python" or "run_batch"."""

    def play(self, table: Table, runs: int, seed: np.random.SeedSequence) -> Actions:
        """Return the actions, shape (runs, T), of independent runs on a reward table of shape (T, K)."""


@dataclass(frozen=True)
class KernelRunner:
    """Runs the compiled kernel of a shipped algorithm."""

    algorithm: Algorithm
    engine: ClassVar[str] = "kernel"
    chunk_runs: ClassVar[int] = 50_000
    joblib_backend: ClassVar[str] = "threading"

    def play(self, table: Table, runs: int, seed: np.random.SeedSequence) -> Actions:
        rewards, coins, noise = spawned(seed)
        actions = np.empty((runs, len(table)), np.int8)
        parameters = self.algorithm.kernel_parameters()
        self.algorithm.kernel(
            parameters,
            table,
            np.zeros(table.shape[1]),
            rewards,
            coins,
            noise,
            len(table),
            runs,
            actions,
            np.zeros(0, np.int64),
            np.zeros((0, 0)),
        )
        return actions


@dataclass
class PolicyRunner:
    """Runs a user's policy, built afresh for every run by its factory.

    Parameters
    ----------
    factory : called with a Generator (as `rng`) and with those of arms, epsilon, delta, horizon that its signature
        names.
    keywords : the values of those four.
    feedback : "bandit" or "full".
    location : where worker processes find the factory; None when it is pickled by value.

    """

    factory: Callable[..., Any]
    keywords: dict[str, Any]
    feedback: str
    location: Location | None = None
    engine: str = "python"
    chunk_runs: ClassVar[int] = 500
    joblib_backend: ClassVar[str] = "loky"
    _arguments: dict[str, Any] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._arguments = factory_arguments(self.factory, self.keywords)
        policy = self.build(np.random.default_rng(0))
        for method in ("select", "update"):
            if not callable(getattr(policy, method, None)):
                raise PrivcheckError(
                    "target",
                    words(f"{type(policy).__name__}, which has no method {method}()"),
                    "a policy with select() and update()",
                    "a bandit is any object with these two methods",
                )
        if callable(getattr(policy, "run_batch", None)):
            self.engine = "run_batch"

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        if self.location is not None:
            state["factory"] = None
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self.location is not None:
            self.factory = self.location.load()

    def build(self, rng: np.random.Generator) -> Any:
        """Return a new policy whose randomness comes from `rng`."""
        try:
            return self.factory(rng, **self._arguments)
        except (Exception, SystemExit) as error:
            raise PolicyError(
                "target", words(describe_exception(error)), "a factory that builds a policy from a Generator"
            ) from None

    def play(self, table: Table, runs: int, seed: np.random.SeedSequence) -> Actions:
        rng = np.random.Generator(np.random.PCG64(seed))
        if self.engine == "run_batch":
            return self._play_batch(table, runs, rng)
        actions = np.empty((runs, len(table)), np.int8)
        arms = table.shape[1]
        rows: list[Any] = [row.copy() for row in table] if self.feedback == "full" else table.tolist()
        for row in rows if self.feedback == "full" else ():
            row.flags.writeable = False
        for run in range(runs):
            actions[run] = self._play_once(self.build(rng), rows, arms)
        return actions

    def _play_once(self, policy: Any, rows: list[Any], arms: int) -> list[int]:
        played: list[int] = []
        full = self.feedback == "full"
        try:
            for row in rows:
                action = policy.select()
                if type(action) is not int:
                    action = _as_arm(action, len(played) + 1)
                if not 0 <= action < arms:
                    raise _unknown_arm(action, arms, len(played) + 1)
                policy.update(action, row if full else row[action])
                played.append(action)
        except PolicyError:
            raise
        except (Exception, SystemExit) as error:
            raise PolicyError(
                f"round {len(played) + 1}", words(describe_exception(error)), "a policy that plays every round"
            ) from None
        return played

    def _play_batch(self, table: Table, runs: int, rng: np.random.Generator) -> Actions:
        try:
            actions = np.asarray(self.build(rng).run_batch(table.copy(), rng, runs))
        except PolicyError:
            raise
        except (Exception, SystemExit) as error:
            raise PolicyError("run_batch", words(describe_exception(error)), "actions of shape (runs, T)") from None
        if actions.shape != (runs, len(table)) or not np.issubdtype(actions.dtype, np.integer):
            got = words(f"shape {actions.shape} of {actions.dtype}")
            raise PolicyError("run_batch", got, f"integer actions of shape {(runs, len(table))}")
        if actions.size and not 0 <= actions.min() <= actions.max() < table.shape[1]:
            raise _unknown_arm(int(actions.max() if actions.min() >= 0 else actions.min()), table.shape[1], None)
        return actions.astype(np.int8)


def _as_arm(action: Any, round_number: int) -> int:
    try:
        return operator.index(action)
    except TypeError:
        name = f"action in round {round_number}"
        raise PolicyError(name, action, "an integer, the arm to play", "select() returns an int") from None


def _unknown_arm(action: int, arms: int, round_number: int | None) -> PolicyError:
    name = "action" if round_number is None else f"action in round {round_number}"
    return PolicyError(name, action, f"an arm in 0, ..., {arms - 1}", "arms are counted from 0; is `arms` right?")
