"""Pairs of streams whose rounds differ from each other: alternating, rotating and tied rewards, steps, and rewards
inside their range.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from privcheck.arrays import Bools, Table
from privcheck.auditing._search.random_pairs import SEED_KEY
from privcheck.auditing._search.stream_families import group_size
from privcheck.privacy import Contexts
from privcheck.targets import RANDOM, StreamPair

VARIED_PAIRS = 243
"""Pairs of such streams: 27 of each kind."""


def _alternating(rng: np.random.Generator, rounds: int, arms: int) -> Bools:
    """The rewards of all arms change together, or those of each arm one round after those of the last one."""
    period, shift = int(rng.integers(1, 4)), int(rng.integers(2))
    place = np.arange(rounds)[:, None] + shift * np.arange(arms) + rng.integers(2 * period)
    return np.asarray(place // period % 2 == 0)


def _rotating(rng: np.random.Generator, rounds: int, arms: int) -> Bools:
    """One arm in turn is higher, or lower, than the others."""
    turn = (np.arange(rounds)[:, None] + rng.integers(arms)) % arms == np.arange(arms)
    return np.asarray(turn ^ bool(rng.integers(2)) if arms > 1 else _alternating(rng, rounds, arms))


def _step(rng: np.random.Generator, rounds: int, arms: int) -> Bools:
    """Rewards change once; in half of the cases those of one arm change the other way."""
    later = np.arange(rounds)[:, None] >= rng.integers(1, max(2, rounds))
    up = np.full(arms, bool(rng.integers(2)))
    up[int(rng.integers(arms))] ^= bool(rng.integers(2))
    return np.asarray(later == up)


def _tied(rng: np.random.Generator, rounds: int, arms: int) -> Bools:
    """Every arm has as many high rewards as low ones, at random places."""
    return np.stack([rng.permutation(rounds) < rounds // 2 for _ in range(arms)], axis=1)


def _level(rng: np.random.Generator, rounds: int, arms: int) -> Bools:
    """All rewards of an arm are the same."""
    return np.tile(rng.integers(2, size=arms).astype(bool), (rounds, 1))


KINDS: dict[str, Callable[[np.random.Generator, int, int], Bools]] = {
    "alternating": _alternating,
    "rotating": _rotating,
    "a step": _step,
    "tied arms": _tied,
    "level": _level,
}
"""Kinds of streams by name; level ones are drawn inside the range only, since the structured family has the others."""

EXTREME = 4
"""Kinds that are also drawn with rewards at the ends of the range."""


def varied_pairs(
    number: int,
    seed: int,
    horizon: int,
    arms: int,
    rewards: tuple[float, float],
    neighbours: str,
    contexts: Contexts | None = None,
    *,
    shown_later: bool = True,
) -> list[StreamPair]:
    """Return pairs of streams whose rounds differ from each other, or whose rewards lie inside the range, by turns.

    A pair with rewards inside the range has two levels, drawn for it alone; like other random pairs, it is left out if
    the target refuses it. Under "group:k" the k rounds that change have a random distance, and each moves up or down.
    With contexts, half of the pairs alternate between two contexts, and the others have a random one in each round.

    Parameters
    ----------
    number : how many.
    seed : the seed of the audit.
    horizon, arms, rewards : T, K and the declared range.
    neighbours : the name of the neighbour relation.
    contexts : what contexts look like, under contextual feedback.
    shown_later : whether only later outputs can show a change, as with policies.

    Examples
    --------
    >>> pairs = varied_pairs(9, 0, 6, 2, (0.0, 1.0), "row")
    >>> {len(pair.rounds) for pair in pairs}, len({pair.family for pair in pairs})
    ({1}, 9)
    """
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(SEED_KEY, 1))))
    names = list(KINDS)
    found = []
    for turn in range(number):
        kind = turn % (EXTREME + len(names))
        inside, kind = kind >= EXTREME, kind if kind < EXTREME else kind - EXTREME
        ends = rewards if not inside else tuple(sorted(rng.uniform(*rewards, size=2)))
        first = np.where(KINDS[names[kind]](rng, horizon, arms), ends[1], ends[0])
        second = first.copy()
        size = min(group_size(neighbours), horizon)
        distance = int(rng.integers(1, max(2, horizon // size))) if size > 1 else 1
        span = (size - 1) * distance + 1
        place = int(rng.integers(max(1, horizon - span + (0 if shown_later else 1))))
        rows = slice(place, place + span, distance)
        before, after = _changed(rng, arms, (*rewards, *ends), neighbours)
        if neighbours == "reward":
            arm = int(rng.integers(arms))
            first[place, arm], second[place, arm] = before[arm], after[arm]
        else:
            turned = rng.random((size, 1)) < 0.5 if size > 1 else np.array([[False]])
            first[rows], second[rows] = np.where(turned, after, before), np.where(turned, before, after)
        if contexts is not None:
            first, second = _with_contexts(rng, first, second, place, contexts)
        base, change = (RANDOM, f"{names[kind]}, inside the range") if inside else (names[kind], "one round")
        found.append(StreamPair(first, second, "", base, change))
    return found


def _changed(rng: np.random.Generator, arms: int, levels: tuple[float, ...], neighbours: str) -> tuple[Table, Table]:
    """Return a row before and after the change between two levels: all rewards move, or one against the others."""
    low, high = rng.choice(sorted(set(levels)), 2, replace=False)
    up = np.full(arms, False)
    if neighbours != "reward" and rng.random() < 0.5:
        up[int(rng.integers(arms))] ^= True
    return np.where(up, low, high), np.where(up, high, low)


def _with_contexts(
    rng: np.random.Generator, first: Table, second: Table, place: int, contexts: Contexts
) -> tuple[Table, Table]:
    same = contexts.draw(rng, len(first))
    if rng.random() < 0.5:
        same[2:] = same[np.arange(2, len(same)) % 2]
    other = same.copy()
    other[place] = contexts.draw(rng, 1)[0]
    return contexts.join(first, same), contexts.join(second, other)
