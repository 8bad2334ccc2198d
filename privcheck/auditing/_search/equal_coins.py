"""A cheap look at all candidates: both streams are played with equal coins, and the pairs that differ most go on.

Runs with equal coins are not independent and are never counted. They rank pairs, and no more: a pair whose outputs
never differ under equal coins cannot leak often, and one whose outputs differ although they hardly vary leaks grossly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from privcheck.arrays import Table
from privcheck.auditing._scoring.view import ViewMaker
from privcheck.auditing._search.decision_boundaries import boundary_pairs, walks
from privcheck.auditing._search.differences import differences, ranked
from privcheck.auditing._search.mutations import spliced, variants
from privcheck.auditing._search.observed import exceptions_in, observed
from privcheck.auditing._search.palette import key_of, palette
from privcheck.errors import PolicyError
from privcheck.privacy import Relation
from privcheck.targets import RANDOM, Request, Sampler, Sides, StreamPair, all_raised

COUPLED_RUNS = 20
"""Runs on each stream of a pair: half of what a pair has in the first round of the search."""

SHORT = 32
"""Pairs that go on, at least, if there are so many: in the rounds that follow, each is read at length."""

RUNS_FOR_ONE = 8000
"""Runs of the budget for each further pair that goes on."""

NEW = 160
"""Variants of the most promising pairs that are looked at in their turn, if the budget has room for them. Pairs on a
decision boundary are looked at together with them, or instead of them.
"""

NEW_KEPT = 16
"""Variants that go on."""

PARENTS = 6
"""Pairs whose variants are looked at, and that are combined with each other."""

COUPLED = 98
"""The part of a request's key in which the rounds of the search have their number."""


@dataclass(frozen=True)
class Shortlist:
    """The pairs that go on, the most promising first, and what was spent.

    Parameters
    ----------
    pairs : the most promising pairs.
    runs : runs played, both streams together.
    errors : why the target did not take a random pair, for each pair that it did not take.
    outputs : the outputs of the candidates, with the pair.
    looked_at : all pairs that were played.

    """

    pairs: list[StreamPair]
    runs: int
    errors: tuple[str, ...]
    outputs: list[tuple[StreamPair, Sides]]
    looked_at: list[StreamPair]


def looked_at(pairs: int, random: int, budget: int) -> tuple[int, int]:
    """Return how many pairs are looked at, variants included, and the most that go on; none are if all go on.

    >>> looked_at(1000, 200, 160_000), looked_at(1000, 200, 40_000), looked_at(30, 0, 40_000)
    ((1160, 48), (1024, 48), (0, 30))
    """
    if pairs < 2 or (not random and pairs <= SHORT):
        return 0, pairs
    new = NEW if 2 * COUPLED_RUNS * (pairs + NEW) <= budget // 2 else walks(pairs)
    kept = min(pairs, max(SHORT, budget // RUNS_FOR_ONE))
    return pairs + new, kept + min(NEW_KEPT, new)


def shortlist(
    sampler: Sampler,
    pairs: list[StreamPair],
    budget: int,
    views: ViewMaker,
    advance: Callable[[int], None],
    key: tuple[int, ...] = (1,),
    relation: Relation | None = None,
) -> Shortlist:
    """Return the pairs whose outputs differ most, the best of each family among them, and the best of their variants.

    Runs are independent where the target's coins cannot be set. A random pair that the target does not take, say
    because it asserts that rewards are 0 or 1, is left out: it raises an error in every run on one of the two.

    Parameters
    ----------
    sampler : plays the runs; requests are keyed (*key, `COUPLED`, pair), and side if runs are independent.
    pairs : the candidates.
    budget : runs of the whole search, both streams together.
    views : how outputs are read.
    advance : called with the number of runs that have finished.
    key : that of the search.
    relation : the neighbour relation; without it no pair on a decision boundary is looked for.

    """
    random = sum(pair.base == RANDOM for pair in pairs)
    number, most = looked_at(len(pairs), random, budget)
    if not number:
        return Shortlist(pairs, 0, (), [], [])
    look = _Look(sampler, views, advance, (*key, COUPLED))
    outputs, errors = look.played(pairs)
    order = look.ordered(outputs)
    best = [outputs[place][0] for place in order]
    flips, bisecting = boundary_pairs(sampler, pairs, relation, advance, key) if relation else ([], 0)
    seen = {key_of(pair) for pair in (*pairs, *flips)}
    new = flips + _new(best[:PARENTS], palette(pairs), max(0, number - len(pairs) - walks(len(pairs))), seen)
    most -= min(NEW_KEPT, number - len(pairs))
    kept = _kept(best, most) or [pair for pair, _ in outputs[:1]] or pairs[:1]
    if new:
        later, _ = look.played(new, len(pairs))
        kept += [later[place][0] for place in look.ordered(later)[:NEW_KEPT]]
    spent = 2 * COUPLED_RUNS * (len(pairs) + len(new)) + bisecting
    return Shortlist(kept, spent, tuple(errors), outputs, pairs + new)


def _kept(best: list[StreamPair], most: int) -> list[StreamPair]:
    """Return the first pairs, but of each family at least its first."""
    of_family = {pair.family: pair for pair in reversed(best)}
    first = best[: max(0, most - len(of_family))]
    shown = {id(pair) for pair in first}
    rest = [pair for pair in of_family.values() if id(pair) not in shown]
    filled = [pair for pair in best[len(first) :] if id(pair) not in {id(other) for other in rest}]
    return first + (rest + filled)[: most - len(first)]


def _new(parents: list[StreamPair], rows: list[Table], number: int, seen: set[bytes]) -> list[StreamPair]:
    """Return variants of the parents and of two parents together, in an order that does not depend on outputs."""
    if not number:
        return []
    every = [variant for parent in parents for variant in variants(parent, rows)]
    every += [pair for one in parents for two in parents if one is not two for pair in spliced(one, two)]
    found: list[StreamPair] = []
    for place in np.random.Generator(np.random.PCG64(len(seen))).permutation(len(every)):
        name = key_of(every[place])
        if name not in seen and len(found) < number:
            seen.add(name)
            found.append(every[place])
    return found


@dataclass(frozen=True)
class _Look:
    sampler: Sampler
    views: ViewMaker
    advance: Callable[[int], None]
    key: tuple[int, ...]

    @property
    def equal(self) -> bool:
        return self.sampler.runner.reproducible

    def ordered(self, outputs: list[tuple[StreamPair, Sides]]) -> list[int]:
        """Return the places of the pairs whose outputs differ, the most promising first."""
        if not outputs:
            return []
        return ranked(differences([observed(self.views, *both) for both in outputs], equal=self.equal))

    def played(self, pairs: list[StreamPair], start: int = 0) -> tuple[list[tuple[StreamPair, Sides]], list[str]]:
        """Play pairs, numbered from `start`; return those that the target takes, and why it does not take others.

        Only random pairs and variants may be left out.
        """
        apart = self.sampler.runner.engine not in ("kernel", "run_batch") and self.equal
        requests = [
            [
                Request(pair, side, COUPLED_RUNS, (*self.key, number, *(() if self.equal else (side,))), apart=apart)
                for side in (0, 1)
            ]
            for number, pair in enumerate(pairs, start)
        ]
        found, errors = list[tuple[StreamPair, Sides]](), list[str]()
        try:
            played = self.sampler.play([request for both in requests for request in both], self.advance)
            every: list[Sides | PolicyError] = [(played[2 * i], played[2 * i + 1]) for i in range(len(pairs))]
        except PolicyError:
            every = [self._alone(both) for both in requests]
        for pair, sides in zip(pairs, every, strict=True):
            may_be_left_out = start > 0 or pair.base == RANDOM
            if isinstance(sides, PolicyError):
                if not may_be_left_out:
                    raise sides
                errors.append(str(sides))
            elif may_be_left_out and any(map(all_raised, sides)):
                errors.append(next(exceptions_in(side.names) for side in sides if all_raised(side)))
            else:
                found.append((pair, sides))
        return found, errors

    def _alone(self, both: list[Request]) -> Sides | PolicyError:
        """Return the runs of one pair, or the error that the target raised."""
        try:
            one, two = self.sampler.play(both, self.advance)
        except PolicyError as error:
            return error
        return one, two
