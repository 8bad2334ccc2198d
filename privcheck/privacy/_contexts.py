"""Shape and range of contexts, and tables with the rewards and the context of a round in one row."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privcheck.arrays import Array
from privcheck.declared import POSITIVE, Integer, OrNone, Real, check
from privcheck.errors import PrivcheckError, words
from privcheck.privacy._stream_tables import as_table

ROUNDING = 1e-12
"""Relative slack of norms: a vector divided by its norm is not quite of norm 1. The noise scale pays for it."""


@dataclass(frozen=True)
class Contexts:
    """The contexts of a contextual bandit: one vector per round, or one row of features per arm.

    A contextual stream is one float table of shape (T, K + d) or (T, K + K d): the K rewards of a round first, then its
    context in C order.

    Parameters
    ----------
    shape : (d,), or d, for a vector; (K, d) for a decision set, the features of each of the K arms.
    low, high : range of every entry, low < high.
    norm : largest L2 norm of the vector, or of each row of a decision set, > 0; None: only the range bounds it.

    Raises
    ------
    PrivcheckError : a parameter outside its domain, or a norm that no vector in the range has.

    Source: Shariff and Sheffet (2018), Section 2: decision sets of bounded vectors, contexts and rewards private.

    Examples
    --------
    >>> contexts = Contexts(shape=(2, 3), norm=1.0)
    >>> contexts.columns(arms=2)
    8
    >>> table = contexts.join([[0.0, 1.0]], contexts.draw(np.random.default_rng(0), rounds=1))
    >>> contexts.check(table, arms=2)
    >>> rewards, drawn = contexts.split(table, arms=2)
    >>> rewards.tolist(), drawn.shape
    ([[0.0, 1.0]], (1, 2, 3))

    """

    shape: Any
    low: float = -1.0
    high: float = 1.0
    norm: float | None = None

    def __post_init__(self) -> None:
        hint = "shape=(d,) is one vector per round, shape=(K, d) is one row of features per arm"
        lengths = self.shape if isinstance(self.shape, tuple | list) else (self.shape,)
        if len(lengths) not in (1, 2):
            raise PrivcheckError("contexts shape", self.shape, "(d,) or (K, d)", hint)
        shape = tuple(check("contexts shape", length, Integer(1, 10_000), hint) for length in lengths)
        low, high = (check("contexts range", end, Real(), "low and high bound every entry") for end in self.range)
        if not low < high:
            raise PrivcheckError("contexts range", (low, high), "low < high", "low and high bound every entry")
        norm = check("contexts norm", self.norm, OrNone(POSITIVE), "a bound on the L2 norm of every vector")
        shortest = abs(min(max(0.0, low), high)) * math.sqrt(shape[-1])
        if norm is not None and norm < shortest:
            raise PrivcheckError("contexts norm", norm, f"at least {shortest:g}, the smallest norm in the range")
        for name, value in zip(("shape", "low", "high", "norm"), (shape, low, high, norm), strict=True):
            object.__setattr__(self, name, value)

    @property
    def range(self) -> tuple[float, float]:
        """The (low, high) of every entry."""
        return self.low, self.high

    @property
    def size(self) -> int:
        """Number of entries of one context."""
        return math.prod(self.shape)

    @property
    def radius(self) -> float:
        """Largest L2 norm of a vector: `norm`, or what the range gives when that is smaller."""
        widest = max(abs(self.low), abs(self.high)) * math.sqrt(self.shape[-1])
        return widest if self.norm is None else min(self.norm, widest)

    def columns(self, arms: int) -> int:
        """Return the number of columns of a table: K + d or K + K d."""
        if len(self.shape) == 2 and self.shape[0] != arms:
            hint = "a decision set has one row of features per arm; shape=(d,) is one vector for all arms"
            raise PrivcheckError("contexts shape", self.shape, f"({arms}, d), one row per arm", hint)
        return arms + self.size

    def split(self, table: npt.ArrayLike, arms: int) -> tuple[Array, Array]:
        """Return the rewards, shape (T, K), and the contexts, shape (T, *shape), of a table; of a row without the T."""
        values = np.asarray(table, dtype=np.float64)
        if values.ndim not in (1, 2) or values.shape[-1] != self.columns(arms):
            expected = f"{self.columns(arms)} columns: {arms} rewards, then {self.size} entries of the context"
            raise PrivcheckError("streams", words(f"shape {values.shape}"), expected, "see `Contexts.join`")
        return values[..., :arms], values[..., arms:].reshape(*values.shape[:-1], *self.shape)

    def join(self, rewards: npt.ArrayLike, contexts: npt.ArrayLike) -> Array:
        """Return the table of rewards of shape (T, K) and contexts of shape (T, *shape), or one row of it."""
        paid, seen = np.asarray(rewards, dtype=np.float64), np.asarray(contexts, dtype=np.float64)
        if paid.ndim not in (1, 2) or seen.shape != (*paid.shape[:-1], *self.shape):
            got = words(f"rewards of shape {paid.shape} and contexts of shape {seen.shape}")
            expected = f"shapes (T, K) and (T, {', '.join(map(str, self.shape))})"
            raise PrivcheckError("streams", got, expected, "every round has one context")
        return np.concatenate([paid, seen.reshape(*paid.shape[:-1], -1)], axis=-1)

    def check(self, table: npt.ArrayLike, arms: int) -> None:
        """Raise `PrivcheckError` when a table has another shape, or a context outside its range or norm."""
        _, contexts = self.split(as_table(table), arms)
        outside = np.argwhere((contexts < self.low) | (contexts > self.high))
        if len(outside):
            got = words(f"{contexts[tuple(outside[0])]} in round {outside[0][0] + 1}")
            raise PrivcheckError("context", got, f"entries in [{self.low:g}, {self.high:g}]", "declare the true range")
        norms = self._norms(contexts)
        long = np.flatnonzero(norms > self.longest)
        if len(long):
            got = words(f"a vector of norm {norms[long[0]]:g} in round {long[0] + 1}")
            raise PrivcheckError(
                "context", got, f"a norm of at most {self.norm:g}", "scale the vectors down, or declare their true norm"
            )

    def checked(self, context: npt.ArrayLike, arms: int) -> Array:
        """Return one context as a read-only array, or refuse it without showing its entries."""
        try:
            values = np.array(context, dtype=np.float64)
        except (TypeError, ValueError):
            raise PrivcheckError(
                "context", words("a value that is not numeric"), f"numbers of shape {self.shape}"
            ) from None
        self.columns(arms)
        if values.shape != self.shape:
            raise PrivcheckError("context", words(f"shape {values.shape}"), f"shape {self.shape}", "as declared")
        if not ((values >= self.low) & (values <= self.high)).all():
            got, expected = words("an entry outside the range"), f"entries in [{self.low:g}, {self.high:g}]"
            raise PrivcheckError("context", got, expected, "clip contexts, or declare the true range")
        if self._norms(values[None])[0] > self.longest:
            got, expected = words("a vector with a larger norm"), f"a norm of at most {self.norm:g}"
            raise PrivcheckError("context", got, expected, "scale contexts down, or declare the true norm")
        values.flags.writeable = False
        return values

    def largest_norm(self, table: Array) -> float:
        """Return the largest L2 norm of a vector in the context columns, the last ones, of a table."""
        contexts = table[:, table.shape[1] - self.size :].reshape(-1, *self.shape)
        return float(self._norms(contexts).max())

    def _norms(self, contexts: Array) -> Array:
        """Return the norm of the longest vector of each round."""
        norms: Array = np.linalg.norm(contexts, axis=-1).reshape(len(contexts), -1).max(axis=1)
        return norms

    @property
    def longest(self) -> float:
        """The largest norm that `check` lets pass: `norm` with a slack for float rounding, infinity without one."""
        return math.inf if self.norm is None else self.norm * (1.0 + ROUNDING)

    def draw(self, rng: np.random.Generator, rounds: int) -> Array:
        """Return random contexts, shape (T, *shape): in half of the rounds extreme, in the others inside."""
        shape = (check("rounds", rounds, Integer(1)), *self.shape)
        inside = rng.uniform(self.low, self.high, shape)
        ends = np.where(rng.random(shape) < 0.5, self.low, self.high)
        extreme = (rng.random(shape[0]) < 0.5).reshape(-1, *[1] * len(self.shape))
        return self._within(np.where(extreme, ends, inside))

    @property
    def corners(self) -> Array:
        """A few extreme contexts for worst-case searches, shape (n, *shape)."""
        size = self.shape[-1]
        middle = np.full(size, min(max(0.0, self.low), self.high))
        vectors = [np.full(size, end) for end in self.range]
        for place in range(min(size, 3)):
            vectors += [np.where(np.arange(size) == place, end, middle) for end in self.range]
        distinct = self._within(np.array(list({vector.tobytes(): vector for vector in vectors}.values())))
        if len(self.shape) == 1:
            return distinct
        arms = np.arange(self.shape[0])[:, None]
        pairs = [(one, one) for one in distinct[:4]]
        pairs += [(one, two) for one in distinct[:4] for two in distinct[:4] if one is not two]
        found = [np.where(arms == arm, one, two) for one, two in pairs for arm in range(min(len(arms), 3))]
        return np.array(list({context.tobytes(): context for context in found}.values()))

    def _within(self, contexts: Array) -> Array:
        """Return vectors pulled towards the shortest one in the range until their norm is small enough."""
        if self.norm is None:
            return contexts
        centre = min(max(0.0, self.low), self.high)
        step = contexts - centre
        square, cross = np.square(step).sum(axis=-1), centre * step.sum(axis=-1)
        room = self.norm**2 - self.shape[-1] * centre**2
        with np.errstate(divide="ignore", invalid="ignore"):
            share = (np.sqrt(np.maximum(cross**2 + square * room, 0.0)) - cross) / square
        share = np.where(square > 0.0, np.minimum(share, 1.0), 1.0)[..., None]
        return np.clip(centre + share * step, self.low, self.high)


def check_contexts(
    feedback: str, neighbours: str, contexts: Contexts | None, contextual_kinds: Collection[str] = ("contextual",)
) -> None:
    """Raise `PrivcheckError` unless contextual feedback, the relation "context-reward" and contexts come together.

    `contextual_kinds` are the kinds of feedback under which a policy is shown contexts.

    >>> check_contexts("contextual", "context-reward", Contexts(shape=3))
    >>> check_contexts("bandit", "row", None)
    """
    contextual, related = feedback in contextual_kinds, neighbours == "context-reward"
    needed = f"feedback={' or '.join(map(repr, contextual_kinds))}"
    if related and not contextual:
        hint = f"'context-reward' replaces the context and the rewards of a round: it needs {needed}"
        raise PrivcheckError("neighbours", neighbours, f"'row', 'reward' or 'group:k' for feedback={feedback!r}", hint)
    if contextual and not related:
        hint = "a datum is the context of one round together with its rewards: give neighbours='context-reward'"
        if neighbours.startswith("group:"):
            hint = (
                "what the rounds of others show of a person with k rounds loses at most k epsilon, in pure DP: "
                "give neighbours='context-reward' and a k-th of epsilon"
            )
        raise PrivcheckError("neighbours", neighbours, f"'context-reward' for feedback={feedback!r}", hint)
    if contextual and not isinstance(contexts, Contexts):
        hint = "declare the contexts, as in contexts=privcheck.Contexts(shape=(3,), norm=1.0)"
        raise PrivcheckError("contexts", contexts, f"a privcheck.Contexts for feedback={feedback!r}", hint)
    if contexts is not None and not contextual:
        hint = f"leave contexts out, or give {needed} and neighbours='context-reward'"
        raise PrivcheckError("contexts", contexts, f"no contexts for feedback={feedback!r}", hint)
