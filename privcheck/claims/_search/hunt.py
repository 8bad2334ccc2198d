"""One search for a counterexample, from a fixed seed and with a fixed number of evaluations."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from privcheck.claims._claim import Reading, Relation
from privcheck.claims._confirmation import Counterexample, enclosed, refuted_at
from privcheck.claims._search.climb import climb
from privcheck.claims._search.round_numbers import rounder
from privcheck.claims._search.starting_points import candidates
from privcheck.claims._search.violation import Points, violations

STARTS = 4
CLEAR = 1e-9
"""Relative violations below this may be rounding errors of floats; no counterexample is tried there."""

SERIOUS = 1e-6
"""Above this, a violation that could not be confirmed makes a statement suspicious."""


@dataclass(frozen=True)
class Search:
    """What a search found.

    Parameters
    ----------
    tried : number of points at which both sides were compared.
    undefined : number of further points of the domain at which floats gave a side or a condition no value.
    closest : the largest relative violation in floats; negative if the statement held at all points.
    where : the point where that was, six digits.
    found : the confirmed counterexample, if there is one.
    unconfirmed : whether the statement seemed to fail somewhere, but could not be confirmed to.

    """

    tried: int
    undefined: int
    closest: float
    where: dict[str, str]
    found: Counterexample | None
    unconfirmed: bool


def hunt(reading: Reading, evaluations: int, seed: int) -> Search:
    """Search a domain for a point at which a relation fails, and confirm it.

    Parameters
    ----------
    reading : the statement and its domain.
    evaluations : number of points; equal numbers and seeds give equal searches.
    seed : of the random points.
    """
    rng = np.random.default_rng(seed)
    spread = max(30, evaluations // 2)
    points, counted = candidates(reading, spread, rng), Points()
    found = violations(reading, points)
    counted.add(found)
    found = np.where(np.isnan(found), -np.inf, found)
    order = np.argsort(-found, kind="stable")[:STARTS]
    reached = []
    for index in order:
        start = {name: float(values[index]) for name, values in points.items()}
        reached.append(climb(reading, start, (evaluations - spread) // STARTS, counted))
        reached.append((start, float(found[index])))
    reached.sort(key=lambda pair: -pair[1])
    best, closest = reached[0]
    confirmed = None
    for point, value in reached:
        if value > CLEAR and confirmed is None:
            exact = rounder(reading, point)
            confirmed = refuted_at(reading, exact)
    doubtful = [point for point, value in reached if value > SERIOUS and confirmed is None]
    unconfirmed = not all(_held(reading, point) for point in doubtful)
    where = {name: f"{value:.6g}" for name, value in best.items()}
    closest = closest if confirmed or unconfirmed else min(closest, 0.0)
    return Search(counted.tried, counted.undefined, closest, where, confirmed, unconfirmed)


def _held(reading: Reading, point: dict[str, float]) -> bool:
    """Return whether a relation that fails in floats holds there, or fails by no more than `CLEAR`.

    That happens when large terms cancel: then the intervals of 100 digits still tell.
    """
    exact = {name: Fraction(str(value)) for name, value in point.items()}
    says = reading.says
    assert isinstance(says, Relation)
    scale = max(*(abs(end) for side in (says.left, says.right) for end in enclosed(side, exact)), 1e-30)
    low, high = enclosed(says.gap, exact)
    return low >= -CLEAR * scale and (says.sense != "==" or high <= CLEAR * scale)
