"""A cheap look at random pairs: both streams are played with equal coins; pairs whose outputs differ most go on.

Runs with equal coins are not independent and are never counted. They rank pairs, and no more: a pair whose outputs
never differ under equal coins cannot leak often, and one whose outputs differ although they hardly vary leaks grossly.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from privcheck.arrays import Array, Symbols
from privcheck.auditing.scoring.view import ViewMaker
from privcheck.auditing.search.observed import observed
from privcheck.errors import PolicyError
from privcheck.targets.outputs import MISSING, Outputs, Sides, alike
from privcheck.targets.sampling import Request, Sampler
from privcheck.targets.stream_pair import RANDOM, StreamPair

COUPLED_RUNS = 20
"""Runs on each stream of a random pair: half of what a structured pair has in the first round of the search."""

SHARE_KEPT = 20
"""One random pair in this many goes on: few, because each takes runs from the structured pairs, where most leaks are.
"""

FEW_VALUES = 16
"""The most values of a discrete part of the output that are counted one by one; a part with more is a number."""

COUPLED = 98
"""The part of a request's key in which the rounds of the search have their number."""


@dataclass(frozen=True)
class Shortlist:
    """The pairs that go on, and what was spent.

    Parameters
    ----------
    pairs : the structured pairs, and the most promising of the random ones.
    runs : runs played, both streams together.
    refused : random pairs on which the target raised an error.
    outputs : the outputs of the random pairs, with the pair.

    """

    pairs: list[StreamPair]
    runs: int
    refused: int
    outputs: list[tuple[StreamPair, Sides]]


def shortlist(
    sampler: Sampler,
    pairs: list[StreamPair],
    views: ViewMaker,
    advance: Callable[[int], None],
    key: tuple[int, ...] = (1,),
) -> Shortlist:
    """Return the structured pairs, and of the random pairs those whose outputs differ most under equal coins.

    Runs are independent where the target's coins cannot be set. A random pair that the target does not take, say
    because it asserts that rewards are 0 or 1, is left out.

    Parameters
    ----------
    sampler : plays the runs; requests are keyed (*key, `COUPLED`, pair), and side if runs are independent.
    pairs : the candidates.
    views : how outputs are read.
    advance : called with the number of runs that have finished.
    key : that of the search.

    """
    others = [pair for pair in pairs if pair.base != RANDOM]
    random = [pair for pair in pairs if pair.base == RANDOM]
    if not random or len(pairs) < 2:
        return Shortlist(pairs, 0, 0, [])
    equal = sampler.runner.reproducible
    apart = sampler.runner.engine == "python" and equal
    requests = [
        [
            Request(pair, side, COUPLED_RUNS, (*key, COUPLED, number, *(() if equal else (side,))), apart=apart)
            for side in (0, 1)
        ]
        for number, pair in enumerate(random)
    ]
    outputs = _played(sampler, random, requests, advance)
    ranked = []
    for pair, (one, two) in outputs:
        often, far = difference(*observed(views, pair, (one, two)))
        if often:
            ranked.append((far, often, pair))
    ranked.sort(key=lambda entry: entry[:2], reverse=True)
    kept = [pair for *_, pair in ranked[: math.ceil(len(random) / SHARE_KEPT)]]
    spent = 2 * COUPLED_RUNS * len(random)
    return Shortlist(others + kept or random[:1], spent, len(random) - len(outputs), outputs)


def _played(
    sampler: Sampler, pairs: list[StreamPair], requests: list[list[Request]], advance: Callable[[int], None]
) -> list[tuple[StreamPair, Sides]]:
    try:
        played = sampler.play([request for both in requests for request in both], advance)
        return [(pair, (played[2 * i], played[2 * i + 1])) for i, pair in enumerate(pairs)]
    except PolicyError:
        found = []
    for pair, both in zip(pairs, requests, strict=True):
        try:
            one, two = sampler.play(both, advance)
        except PolicyError:
            continue
        found.append((pair, (one, two)))
    return found


def difference(one: Outputs, two: Outputs) -> tuple[float, float]:
    """Return the share of runs whose outputs differ, and how far apart the laws of the outputs seem to be.

    The second is the largest over the parts of an output. It has the unit of epsilon: for a discrete part the largest
    log-ratio of the counts of a value, each plus one; for a number the distance of the medians, in mean absolute
    deviations, which for Laplace noise is epsilon.

    >>> still, moved = Outputs.of_symbols(np.zeros((20, 1), int)), Outputs.of_symbols(np.ones((20, 1), int))
    >>> difference(still, still), difference(still, moved) == (1.0, math.log(21))
    ((0.0, 0.0), True)
    """
    one, two = alike([one, two])
    changed = (one.symbols != two.symbols).any(axis=1)
    changed |= ((one.numbers != two.numbers) & ((one.numbers == one.numbers) | (two.numbers == two.numbers))).any(
        axis=1
    )
    far = 0.0
    numbers = [(one.numbers, two.numbers)]
    for part in range(one.symbols.shape[1]):
        pair = one.symbols[:, part], two.symbols[:, part]
        if (values := np.unique(np.concatenate(pair))).size <= FEW_VALUES:
            far = max(far, _by_counts(*pair, values))
        else:
            first, second = (np.where(side == MISSING, np.nan, side)[:, None] for side in pair)
            numbers.append((first, second))
    far = max(far, *(_by_medians(*both) for both in numbers))
    return float(changed.mean()), far


def _by_counts(one: Symbols, two: Symbols, values: Symbols) -> float:
    k, l = ((side[:, None] == values).sum(axis=0) for side in (one, two))
    return float(np.abs(np.log((k + 1.0) / (l + 1.0))).max())


def _by_medians(one: Array, two: Array) -> float:
    """Return the largest distance over the columns; a part that some runs lack is compared where it is there."""
    whole = ~(np.isnan(one).all(axis=0) | np.isnan(two).all(axis=0))
    one, two = one[:, whole], two[:, whole]
    if not one.size:
        return 0.0
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # the largest floats are infinitely far apart
        centres = np.nanmedian(one, axis=0), np.nanmedian(two, axis=0)
        spread = (
            sum(np.nanmean(np.abs(side - centre), axis=0) for side, centre in zip((one, two), centres, strict=True)) / 2
        )
        gap = np.abs(centres[0] - centres[1])
        distance = np.where(gap > 0.0, gap / spread, 0.0)
        return float(np.where(np.isnan(distance), 0.0, distance).max())
