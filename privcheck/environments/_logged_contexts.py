"""Logged decision sets with the reward of every action, from a file."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from privcheck.arrays import Array
from privcheck.declared import Choice, check, parameter
from privcheck.environments._decision_set_environment import ContextualEnvironment
from privcheck.errors import PrivcheckError, words
from privcheck.kernels import SIGNS, DecisionSets

COLUMN = re.compile(r"(context|reward|mean)_(\d+)(?:_(\d+))?")


@dataclass(frozen=True)
class FiniteArray:
    """The domain of arrays of finite numbers with some number of axes."""

    axes: int
    text: str

    def normalise(self, value: Any) -> Any:
        """Return a read-only copy; None stays None."""
        if value is None:
            return None
        array = np.array(value, np.float64, order="C")
        if array.ndim != self.axes or 0 in array.shape or not np.isfinite(array).all():
            raise ValueError
        array.setflags(write=False)
        return array


@dataclass(frozen=True, eq=False)
class LoggedContexts(ContextualEnvironment):
    r"""Decision sets and the rewards of all their actions, taken from a log.

    The pseudo-regret of a round is relative to the action of its decision set with the largest mean. Without `expected`
    the logged rewards themselves are the means: the regret is then relative to the best action in hindsight, which no
    algorithm can play if rewards are noisy.

    Parameters
    ----------
    contexts : shape (T, K, d), K >= 2: one row per action.
    rewards : shape (T, K).
    expected : mean rewards, shape (T, K), or None.
    vectors : shape (T, d'), what policies of your own are shown in place of the decision sets; see `from_vectors`.
    order : "logged" (default) plays row t in round t, so that a simulation is at most T rounds long; "resampled" draws
        a row with replacement in every round.

    Raises
    ------
    PrivcheckError : arrays of other shapes, fewer than two actions, NaN.

    Examples
    --------
    >>> place = LoggedContexts(contexts=[[[1.0, 0.0], [0.0, 1.0]]], rewards=[[1.0, 0.25]])
    >>> place.arms, place.features, place.longest, place.gaps().tolist()
    (2, 2, 1, [0.75])
    """

    contexts: Any = parameter(FiniteArray(3, "finite numbers of shape (T, K, d)"), typical=(), doc="decision sets")  # noqa: RUF009
    rewards: Any = parameter(FiniteArray(2, "finite numbers of shape (T, K)"), typical=(), doc="rewards")  # noqa: RUF009
    expected: Any = parameter(  # noqa: RUF009
        FiniteArray(2, "finite numbers of shape (T, K), or None"), typical=(), default=None, doc="mean rewards"
    )
    order: str = parameter(
        Choice(("logged", "resampled")), typical=("logged", "resampled"), default="logged", doc="order of the rows"
    )
    vectors: Any = parameter(  # noqa: RUF009
        FiniteArray(2, "finite numbers of shape (T, d), or None"), typical=(), default=None, doc="one vector per round"
    )

    id: ClassVar[str] = "logged-contexts"

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("rewards", "expected"):
            found = getattr(self, name)
            if found is not None and found.shape != self.contexts.shape[:2]:
                got, expected = words(f"shape {found.shape}"), f"shape {self.contexts.shape[:2]}, as the contexts"
                raise PrivcheckError(name, got, expected, "every action of every row has one")
        if self.vectors is not None and len(self.vectors) != len(self.contexts):
            got, expected = words(f"{len(self.vectors)} rows"), f"{len(self.contexts)}, as the contexts"
            raise PrivcheckError("vectors", got, expected, "every round has one")
        if self.contexts.shape[1] < 2:
            raise PrivcheckError("contexts", words("one action in a row"), "at least two", "a choice needs two")

    @property
    def arms(self) -> int:
        return int(self.contexts.shape[1])

    @property
    def features(self) -> int:  # type: ignore[override]
        """The number of entries of an action."""
        return int(self.contexts.shape[2])

    @property
    def context_norm(self) -> float:  # type: ignore[override]
        """The largest norm of an action."""
        return float(np.linalg.norm(self.contexts, axis=2).max())

    @property
    def reward_bound(self) -> float:  # type: ignore[override]
        """The largest absolute reward."""
        return float(np.abs(self.rewards).max())

    @property
    def longest(self) -> int | None:
        return len(self.contexts) if self.order == "logged" else None

    def place(self) -> DecisionSets:
        contexts, rewards = np.array(self.contexts), np.array(self.rewards)
        return DecisionSets(contexts, rewards, self._means(), self.order == "resampled", 0.0, 0.0, 0.0, SIGNS)

    def draw(self, rng: np.random.Generator, rounds: int) -> tuple[Array, Array, Array]:
        count = len(self.contexts)
        rows = rng.integers(count, size=rounds) if self.order == "resampled" else np.arange(rounds)
        shown = self.contexts if self.vectors is None else self.vectors
        return shown[rows], self._means()[rows], self.rewards[rows]

    def gaps(self) -> Array:
        means = self._means()
        return np.array([float((means.max(axis=1) - means.min(axis=1)).max())])

    def _means(self) -> Array:
        return np.array(self.rewards if self.expected is None else self.expected)

    @classmethod
    def from_vectors(cls, vectors: Any, rewards: Any, *, expected: Any = None, order: str = "logged") -> LoggedContexts:
        """Return the environment of rounds with one vector each, in which every arm has parameters of its own.

        The decision set of a round has K actions in R^(K d): action a holds the vector at place a and zeros elsewhere.
        A policy of your own is shown the vector itself.

        Parameters
        ----------
        vectors : shape (T, d).
        rewards, expected, order : as above.

        Examples
        --------
        >>> place = LoggedContexts.from_vectors([[1.0, 2.0]], [[0.0, 1.0]])
        >>> place.contexts.tolist()
        [[[1.0, 2.0, 0.0, 0.0], [0.0, 0.0, 1.0, 2.0]]]
        """
        domain = FiniteArray(2, "finite numbers with two axes")
        shown, paid = (
            check("vectors", vectors, domain, "shape (T, d)"),
            check("rewards", rewards, domain, "shape (T, K)"),
        )
        blocks = np.einsum("ab,td->tabd", np.eye(paid.shape[1]), shown)
        return cls(blocks.reshape(len(shown), paid.shape[1], -1), paid, expected, order, shown)

    @classmethod
    def from_npz(cls, path: str | Path, *, order: str = "logged") -> LoggedContexts:
        """Read a file with the arrays `contexts`, `rewards` and, if means are known, `expected`.

        Raises
        ------
        PrivcheckError : no such file, a missing array, or one that is refused.
        """
        try:
            with np.load(io.BytesIO(Path(path).read_bytes()), allow_pickle=False) as stored:
                found = {name: stored[name] for name in ("contexts", "rewards", "expected") if name in stored}
        except (OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise PrivcheckError("log", str(path), "a readable .npz file", reason) from None
        return cls._of(str(path), found, order)

    @classmethod
    def from_csv(cls, path: str | Path, *, order: str = "logged") -> LoggedContexts:
        """Read a file with a header and one row per round.

        Its columns are context_A_J, entry J of action A, reward_A and, if means are known, mean_A; A and J count from
        0. Other columns are ignored.

        Raises
        ------
        PrivcheckError : no such file, missing columns, an entry that is not a finite number.
        """
        try:
            with Path(path).open(encoding="utf-8-sig") as file:
                header = file.readline().strip().split(",")
                values = np.loadtxt(file, delimiter=",", ndmin=2, usecols=_named(header))
        except (OSError, ValueError, UnicodeDecodeError) as error:
            reason = (getattr(error, "strerror", None) or str(error)).splitlines()[0]
            raise PrivcheckError("log", str(path), "a readable CSV file of numbers", reason) from None
        names = [header[place].strip().strip('"') for place in _named(header)]
        at: dict[tuple[str, int, int], int] = {}
        for place, name in enumerate(names):
            kind, first, second = COLUMN.fullmatch(name).groups()  # type: ignore[union-attr]
            at[kind, int(first), int(second or 0)] = place
        arms = 1 + max((arm for kind, arm, _ in at if kind == "reward"), default=-1)
        size = 1 + max((j for kind, _, j in at if kind == "context"), default=-1)
        needed = [("reward", a, 0) for a in range(arms)] + [("context", a, j) for a in range(arms) for j in range(size)]
        if any(kind == "mean" for kind, _, _ in at):
            needed += [("mean", a, 0) for a in range(arms)]
        missing = [
            f"{kind}_{a}_{j}" if kind == "context" else f"{kind}_{a}" for kind, a, j in needed if (kind, a, j) not in at
        ]
        if missing or not arms or not size:
            got = words(f"no column {missing[0]}" if missing else "no columns context_A_J and reward_A")
            raise PrivcheckError("columns", got, f"one for each action in {path}", "actions and entries count from 0")
        found = {
            "contexts": np.stack([values[:, [at["context", a, j] for j in range(size)]] for a in range(arms)], axis=1),
            "rewards": values[:, [at["reward", a, 0] for a in range(arms)]],
        }
        if ("mean", 0, 0) in at:
            found["expected"] = values[:, [at["mean", a, 0] for a in range(arms)]]
        return cls._of(str(path), found, order)

    @classmethod
    def _of(cls, path: str, found: dict[str, Array], order: str) -> LoggedContexts:
        for name in ("contexts", "rewards"):
            if name not in found:
                has = ", ".join(found) or "neither"
                raise PrivcheckError(
                    "log", path, f"an array named {name}", f"contexts (T, K, d), rewards (T, K); it has {has}"
                )
        return cls(**found, order=order)


def _named(header: list[str]) -> list[int]:
    return [place for place, name in enumerate(header) if COLUMN.fullmatch(name.strip().strip('"'))]
