"""`assert_sensitivity`: search for neighbouring tables on which a statistic differs by more than declared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from privcheck.arrays import Table
from privcheck.declared import Choice, Integer, Real, check
from privcheck.errors import PrivcheckError, words
from privcheck.privacy import Contexts, Relation, check_rewards, relation
from privcheck.reached_state import Kept
from privcheck.reporting import streams_told
from privcheck.testing._assertion import FACT, asked, assertion, failure, name_of, passed

Pair = tuple[Table, Table]

PAIRS = 2000
"""Pairs of tables where the test does not say: it takes seconds; more pairs find rarer changes."""

CLIMB = 0.25
"""Share of the pairs that are variants of the worst one so far."""

SLACK = 1e-9
"""Relative slack of the comparison with the bound: sums are rounded. The noise scale of a mechanism pays for it."""

ROUNDING = 1e-14
"""Slack relative to the largest entry that was rounded and changed, for each entry of the table that it may sum up."""

COMPARED = 40
"""Tables whose values are compared with those that the function gives when it has seen no table before."""

WHOLE = 2.0**53
"""From here on floats skip whole numbers."""

NORMS: dict[str, Callable[[Table], float]] = {
    "L1": lambda change: float(np.abs(change).sum()),
    "L2": lambda change: float(np.sqrt(np.square(change).sum())),
    "Frobenius": lambda change: float(np.sqrt(np.square(change).sum())),
    "L2 norms of items, summed": lambda change: float(sum(np.linalg.norm(item) for item in np.atleast_1d(change))),
    "max": lambda change: float(np.abs(change).max()),
    "range of score differences": lambda change: float(np.ptp(change)),
    "number of changed entries": lambda change: float(np.count_nonzero(change)),
}


@assertion
def assert_sensitivity(
    function: Callable[[Table], Any],
    bound: float | Callable[[Table], float],
    norm: str = "L1",
    *,
    neighbours: str = "row",
    arms: int = 2,
    horizon: int = 8,
    rewards: tuple[float, float] = (0.0, 1.0),
    contexts: Contexts | None = None,
    pairs: int = PAIRS,
    seed: int | None = None,
) -> float:
    """Fail when a statistic differs by more than `bound` between two neighbouring reward tables.

    Parameters
    ----------
    function : maps a table of shape (T, K), plus any columns for contexts, to a number or an array without noise.
    bound : the declared sensitivity, at least 0, or a function of the table that gives it, as in 1 / len(rewards).
    norm : of the change: "L1", "L2", "max", or what a mechanism's `sensitivity_norm` says.
    neighbours : "row", "reward", "group:k", "report" or, with `contexts`, "context-reward".
    arms : K, at least 1.
    horizon : tables have 1 to this many rounds; a "report" is one, all of which may change.
    rewards : declared (lowest, highest) reward.
    contexts : what contexts look like.
    pairs : number of neighbouring pairs to try, at least 1: extreme ones, random ones, and variants of the worst.
    seed : by default that of `--privcheck-seed`, or 0.

    Returns
    -------
    The largest change found, as a share of the bound.

    Raises
    ------
    PrivacyFailure : a change above the bound, with the simplest pair of tables that shows it.
    PrivcheckError : bad input, such as a function with noise, or one whose value depends on the tables before.

    Source: the sensitivity of a statistic, Dwork, McSherry, Nissim and Smith (2006), Definition 2.

    Examples
    --------
    >>> assert_sensitivity(lambda rewards: rewards.mean(axis=0), lambda rewards: 2 / len(rewards), "L1", arms=2)
    1.0
    """
    how = asked(seed, check("pairs", pairs, Integer(1)))
    related, rounds = relation(neighbours), check("horizon", horizon, Integer(1))
    related.check_rounds(rounds)
    if related.name == "add-remove":
        hint = "the tables that are compared have the same number of rows: call the function with and without a row"
        raise PrivcheckError("neighbours", neighbours, "a relation of tables of one size", hint)
    moves = _Moves(
        function, bound, NORMS[check("norm", norm, Choice(tuple(NORMS)))], related, contexts,
        check("arms", arms, Integer(1)), 1 if related.name == "report" else rounds, check_rewards(rewards),
    )  # fmt: skip
    moves.check_noiseless()
    found, largest = moves.search(np.random.default_rng(how.seed), how.runs)
    moves.check_memoryless()
    name = name_of(function)
    if moves.share(found) > 1.0:
        first, second = moves.simplest(found)
        change, allowed = moves.measure((first, second))
        told = f"{name}: the sensitivity exceeds the declared {allowed:.6g}: a change of {change:.6g} ({norm} norm)"
        witness = streams_told(first, second, moves.rewards, moves.arms if contexts is not None else None)
        witness += [f"Values: {_shown(function(first.copy()))} and {_shown(function(second.copy()))}"]
        call = f"privcheck.testing.assert_sensitivity({name}, ..., seed={how.seed})"
        raise failure(told, witness, FACT, how, call)
    told = f"{name}: the largest change over {how.runs:,} neighbouring pairs is {largest:.3g} times the bound"
    passed(told if largest else f"{told}; nothing changed it: is the horizon long enough for the data to matter?")
    return largest


@dataclass
class _Moves:
    function: Callable[[Table], Any]
    bound: float | Callable[[Table], float]
    norm: Callable[[Table], float]
    relation: Relation
    contexts: Contexts | None
    arms: int
    horizon: int
    rewards: tuple[float, float]
    given: list[tuple[Table, Table]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.before = Kept([self.function])

    def check_memoryless(self) -> None:
        """Refuse a function whose value on a table depends on those that it was given before."""
        after, given = Kept([self.function]), self.given[:]
        try:
            for table, value in given:
                self.before.put_back()
                alone = self.value(table)
                if alone.shape != value.shape or not np.allclose(alone, value, SLACK, ROUNDING * np.abs(value).sum()):
                    got = words(
                        f"{_shown(value)} on the table {table.tolist()} after other tables, and {_shown(alone)} without"
                    )
                    hint = "it keeps something between calls: a sensitivity is that of a function of the table alone"
                    raise PrivcheckError("function", got, "the same value of the same table", hint)
        finally:
            after.put_back()

    def check_noiseless(self) -> None:
        first, _ = self.relation.draw(np.random.default_rng(0), self.horizon, self.arms, self.rewards, self.contexts)
        once, twice = self.value(first), self.value(first)
        if once.shape != twice.shape or not np.array_equal(once, twice):
            got, expected = words("two different values from the same table"), "a function without noise"
            raise PrivcheckError("function", got, expected, "give the statistic before noise is added")

    def value(self, table: Table) -> Table:
        told = self.function(table.copy())
        try:
            given = np.asarray(told)
            if given.dtype.kind == "c":
                raise TypeError
            values = np.asarray(given, np.float64)
        except (TypeError, ValueError):
            got = words(f"an object of type {type(told).__name__}")
            hint = "give the real and the imaginary parts of complex numbers, and the entries of a dict, as one array"
            raise PrivcheckError("function", got, "a real number or an array of them", hint) from None
        if not np.isfinite(values).all():
            got = words(f"{_shown(values)} on the table {table.tolist()}")
            raise PrivcheckError("function", got, "finite numbers", "define the statistic on every table")
        if given.dtype.kind in "iuO" and np.abs(values).max(initial=0.0) >= WHOLE:
            hint = "floats skip whole numbers from there on: subtract a constant"
            raise PrivcheckError("function", words(_shown(values)), "whole numbers below 2^53", hint)
        if len(self.given) < COMPARED:
            self.given.append((table, values.copy()))
        return values

    def measure(self, pair: Pair) -> tuple[float, float]:
        """Return the change and what is allowed."""
        one, two = (self.value(table) for table in pair)
        bound = min(map(self.bound, pair)) if callable(self.bound) else self.bound
        allowed = check("bound", bound, Real(0.0), "a sensitivity is at least 0")
        return (np.inf if one.shape != two.shape else self.norm(two - one) if one.size else 0.0), allowed

    def share(self, pair: Pair) -> float:
        """Return the change as a share of the bound; above 1 only beyond what rounding explains."""
        change, allowed = self.measure(pair)
        if change <= allowed * (1.0 + SLACK) + ROUNDING * self.rounded(pair) * pair[0].size:
            return min(change / allowed, 1.0) if allowed else float(change > 0.0)
        return change / allowed if allowed else np.inf

    def rounded(self, pair: Pair) -> float:
        """Return the largest entry that rounding may have changed: sums of whole numbers are exact."""
        one, two = (self.value(table) for table in pair)
        if one.shape != two.shape:
            return 0.0
        exact = (np.maximum(np.abs(one), np.abs(two)) < WHOLE) & (one == np.floor(one)) & (two == np.floor(two))
        may = (one != two) & ~exact
        return float(np.maximum(np.abs(one), np.abs(two)).max(initial=0.0, where=may))

    def search(self, rng: np.random.Generator, pairs: int) -> tuple[Pair, float]:
        best, most = None, -1.0
        for tried, pair in enumerate(self._pairs(rng)):
            if tried >= pairs:
                break
            if best is not None and tried >= (1.0 - CLIMB) * pairs:
                pair = self._changed(rng, best)
            share = self.share(pair)
            if share >= most:
                best, most = pair, share
            if most > 1.0:
                break
        assert best is not None
        return best, most

    def _pairs(self, rng: np.random.Generator) -> Iterator[Pair]:
        if self.contexts is None:
            yield from self._extremes()
        while True:
            rounds = int(rng.integers(1, self.horizon + 1))
            yield self.relation.draw(rng, rounds, self.arms, self.rewards, self.contexts)

    def _extremes(self) -> Iterator[Pair]:
        """Yield constant tables with one entry, or `limit` rows, at the other end."""
        for rounds in dict.fromkeys((self.horizon, 1, 2)):
            for low, high in (self.rewards, self.rewards[::-1]):
                first = np.full((rounds, self.arms), low)
                second = first.copy()
                if self.relation.unit == "reward":
                    second[0, 0] = high
                else:
                    second[: self.relation.limit] = high
                yield first, second

    def _changed(self, rng: np.random.Generator, pair: Pair) -> Pair:
        """Return a pair with one row of both tables drawn anew where they agree."""
        first, second = pair[0].copy(), pair[1].copy()
        fresh, _ = self.relation.draw(rng, len(first), self.arms, self.rewards, self.contexts)
        row = int(rng.integers(len(first)))
        same = first[row] == second[row]
        if self.contexts is not None and not same.all():
            return first, second
        first[row, same], second[row, same] = fresh[row, same], fresh[row, same]
        return first, second

    def simplest(self, pair: Pair) -> Pair:
        while True:
            for simpler in self.relation.shrink(*pair, self.contexts):
                if self.share(simpler) > 1.0:
                    pair = simpler
                    break
            else:
                return pair


def _shown(value: Any) -> str:
    return " ".join(np.array2string(np.asarray(value, np.float64), precision=6, threshold=20).split())
