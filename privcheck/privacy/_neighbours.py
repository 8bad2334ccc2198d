"""Executable neighbour relations on reward tables of shape (T, K): measure, check, draw and shrink a pair."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from privcheck.arrays import Array
from privcheck.declared import Integer, check
from privcheck.errors import PrivcheckError, words
from privcheck.privacy._contexts import Contexts, check_contexts
from privcheck.privacy._shrinking import simpler_pairs
from privcheck.privacy._stream_tables import as_table, check_rewards

RELATIONS = {
    "row": "all K rewards of one round may change",
    "reward": "one reward, of one round and one arm, may change",
    "group:k": "the rows of up to k rounds may change, k a positive integer",
    "context-reward": "one round's context and rewards may change (joint differential privacy)",
    "report": "any two inputs of a local randomiser: the whole input may change (local differential privacy)",
    "add-remove": "one row is added or removed, for functions of a data set (unbounded differential privacy)",
}
"""The neighbour relations by name, with what may change."""


@dataclass(frozen=True)
class Relation:
    """A neighbour relation between reward tables of the same shape (T, K): replace at most `limit` units.

    Parameters
    ----------
    name : "row", "reward", "group:k", "context-reward", "report" or "add-remove"; use `relation(name)` to make one.
    unit : "row" (a round, all its entries) or "reward" (one entry): what `distance` counts.
    limit : largest distance of two neighbours.

    Guarantee
    ---------
    Event level, replace one: both tables have the same rounds and arms; nothing is added or removed. "group:k" asks for
    protection of k rounds together. "context-reward" is for contextual streams, tables of shape (T, K + entries of a
    context): a row is replaced, and only the actions of the other rounds are observed.

    Source: Dwork, Naor, Pitassi and Rothblum (2010), event-level neighbours; Hu, Huang, Mehta and Hegde (2021), one
    reward vector of the table replaced; Shariff and Sheffet (2018), Definition 1, joint differential privacy.

    Examples
    --------
    >>> row = relation("row")
    >>> row.distance([[0, 0], [1, 1]], [[0, 0], [0, 0]]), row.changed([[0, 0], [1, 1]], [[0, 0], [0, 0]])
    (1, (1,))
    >>> relation("reward").distance([[0, 0], [1, 1]], [[0, 0], [0, 0]])
    2

    """

    name: str
    unit: str
    limit: int

    def distance(self, first: npt.ArrayLike, second: npt.ArrayLike) -> int:
        """Return how many units (rows or single rewards) differ between two tables of the same shape."""
        one, two = _same_shape(first, second)
        return self._distance(one, two)

    def changed(self, first: npt.ArrayLike, second: npt.ArrayLike) -> tuple[int, ...]:
        """Return the 0-based rounds that differ, in order."""
        one, two = _same_shape(first, second)
        return tuple(np.flatnonzero((one != two).any(axis=1)).tolist())

    def check(self, first: npt.ArrayLike, second: npt.ArrayLike) -> None:
        """Raise `PrivcheckError` unless the tables have the same shape, differ, and are neighbours."""
        distance = self.distance(first, second)
        if distance == 0:
            hint = "an audit needs two different tables: change one entry"
            raise PrivcheckError("streams", words("two identical tables"), "two tables that differ", hint)
        if distance > self.limit:
            changed = self.changed(first, second)
            rounds = ", ".join([*(str(place + 1) for place in changed[:5]), *["..."] * (len(changed) > 5)])
            where = f"round{'s' * (len(changed) > 1)} {rounds}"
            got = words(f"tables that differ in {distance} {self.unit}s ({where})")
            hint = f"undo some changes, or use neighbours='group:{max(distance, 2)}'"
            if self.unit == "reward":
                hint = "undo some changes, or use neighbours='row' when all changes are in one round"
            raise PrivcheckError("streams", got, f"at most {self.limit} for neighbours={self.name!r}", hint)

    def check_rounds(self, rounds: int) -> None:
        """Raise `PrivcheckError` unless so many rounds can differ in as many as neighbours may."""
        if rounds < self.limit:
            hint = f"none of {rounds} rounds differ in {self.limit}"
            raise PrivcheckError("horizon", rounds, f"at least {self.limit} for neighbours={self.name!r}", hint)

    def draw(
        self,
        rng: np.random.Generator,
        rounds: int,
        arms: int,
        rewards: tuple[float, float] = (0.0, 1.0),
        contexts: Contexts | None = None,
    ) -> tuple[Array, Array]:
        """Return a random pair of neighbours, of shape (T, K) each, plus columns for contexts if any.

        Half of the pairs have all rewards at the ends of the range, where worst cases are; the others are uniform.

        Parameters
        ----------
        rng : numpy Generator, the only source of randomness.
        rounds : T >= 1.
        arms : K >= 1.
        rewards : (lo, hi), lo < hi, in the unit of the rewards.
        contexts : what contexts look like, for "context-reward".

        """
        low, high = check_rewards(rewards)
        self._check_contexts(contexts)
        shape = (check("rounds", rounds, Integer(1)), check("arms", arms, Integer(1)))
        extreme = rng.random() < 0.5
        first = drawn_rewards(rng, shape, low, high, extreme)
        second = first.copy()
        if self.unit == "reward":
            row, arm = int(rng.integers(shape[0])), int(rng.integers(shape[1]))
            cells = [(row, slice(arm, arm + 1))]
        else:
            count = int(rng.integers(1, min(self.limit, shape[0]) + 1))
            cells = [(int(row), slice(None)) for row in rng.choice(shape[0], count, replace=False)]
        for row, columns in cells:
            old = first[row, columns]
            new = drawn_rewards(rng, old.shape, low, high, extreme)
            if (new == old).all():
                flip = rng.integers(old.size)
                new[flip] = low if old[flip] == high else high
            second[row, columns] = new
        if contexts is not None:
            same = contexts.draw(rng, shape[0])
            other = same.copy()
            (row, _) = cells[0]
            other[row] = contexts.draw(rng, 1)[0]
            return contexts.join(first, same), contexts.join(second, other)
        return first, second

    def shrink(
        self, first: npt.ArrayLike, second: npt.ArrayLike, contexts: Contexts | None = None
    ) -> Iterator[tuple[Array, Array]]:
        """Yield simpler pairs of neighbours, boldest first; shrinking again and again always ends.

        Simpler: fewer rounds, then fewer differing entries, then more unchanged rewards at the lowest value of the two
        tables, then more changed rewards at its lowest or highest value. An unchanged round is only ever dropped before
        the first change or after the last one. With contexts lowest and highest are those of each column, and no pair
        has a context that is longer than allowed.
        """
        self.check(first, second)
        self._check_contexts(contexts)
        for one, two in simpler_pairs(*_same_shape(first, second), by_column=contexts is not None):
            short = contexts is None or max(contexts.largest_norm(one), contexts.largest_norm(two)) <= contexts.longest
            if short and 0 < self._distance(one, two) <= self.limit:
                yield one, two

    def _check_contexts(self, contexts: Contexts | None) -> None:
        check_contexts("contextual" if self.name == "context-reward" else "bandit", self.name, contexts)

    def _distance(self, one: Array, two: Array) -> int:
        differs = one != two
        return int(np.count_nonzero(differs.any(axis=1) if self.unit == "row" else differs))


def relation(name: str) -> Relation:
    """Return the neighbour relation of this name, one of `RELATIONS`.

    >>> relation("group:3")
    Relation(name='group:3', unit='row', limit=3)
    """
    if name in ("row", "reward"):
        return Relation(name, name, 1)
    if name == "report":
        return Relation("report", "row", 1)
    if name == "context-reward":
        return Relation(name, "row", 1)
    if name == "add-remove":
        from privcheck.privacy._adding_and_removing import AddRemove  # it derives from Relation

        return AddRemove()
    kind, _, size = name.partition(":") if isinstance(name, str) else ("", "", "")
    if kind == "group" and size.isascii() and size.isdigit() and int(size) >= 1:
        return Relation(f"group:{int(size)}", "row", int(size))
    near = difflib.get_close_matches(str(name), RELATIONS, n=1)
    hint = f"did you mean {near[0]!r}?" if near else "'row', the rewards of one round, is the usual choice"
    if kind == "group":
        hint = "k is the number of rounds protected together, as in 'group:2'"
    raise PrivcheckError("neighbours", name, "one of " + ", ".join(map(repr, RELATIONS)), hint)


def refuse_adding(
    related: Relation | str, what: str, hint: str = "neighbours='row' replaces one round", *, policy: bool = False
) -> None:
    """Refuse "add-remove" where tables have a fixed number of rows, such as the public horizon of a bandit.

    For a `policy`, which is given the rewards of many and may add them up, "report" is refused as well.

    >>> refuse_adding("row", "a policy", policy=True)
    """
    name = getattr(related, "name", related)
    if policy and name == "report":
        hint = "'report' is for the audit of a local randomiser f(data, rng); 'row' protects one round of a policy"
        raise PrivcheckError("neighbours", "report", "another neighbour relation for a policy", hint)
    if name == "add-remove":
        raise PrivcheckError("neighbours", "add-remove", f"a relation that replaces data, for {what}", hint)


def _same_shape(first: npt.ArrayLike, second: npt.ArrayLike) -> tuple[Array, Array]:
    one, two = as_table(first), as_table(second)
    if one.shape != two.shape:
        got = words(f"shapes {one.shape} and {two.shape}")
        raise PrivcheckError(
            "streams", got, "two tables of the same shape (T, K)", "only neighbours='add-remove' adds a row"
        )
    return one, two


def drawn_rewards(rng: np.random.Generator, shape: tuple[int, ...], low: float, high: float, extreme: bool) -> Array:
    """Return random rewards: all at the ends of the range, or uniform."""
    return np.where(rng.random(shape) < 0.5, low, high) if extreme else rng.uniform(low, high, shape)
