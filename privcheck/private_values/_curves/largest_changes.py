"""How far the features of one datum can move an array together, if they are computed from the same numbers."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privcheck.arrays import Array, Integers
from privcheck.private_values._curves.corners import values_at_corners
from privcheck.private_values._curves.shapes import Curve, Number, Placed, single

if TYPE_CHECKING:
    from privcheck.private_values._features import FeatureTable

UNNOTICED = 1e-11
"""Share of a sensitivity that the rounding of features may take unnoticed: see `_float_rounding.SHARE`."""

_MOST_FEATURES = 512
"""Features of a datum among which those of the same numbers are looked for."""

_MOST_SIGNS = 10
"""Entries up to which all signs are tried."""

_FEW = 32
"""Corners up to which comparing all pairs takes less time than all signs."""

_MOST_PAIRS = 2**19
"""Pairs of corners that are compared."""

_MOST_SUMS = 2**16
"""Sums of changes of several parts that are compared."""

_MOST_BYTES = 2**17
"""Bytes of an array of coefficients of which the largest change is remembered, as of up to 4096 arrays."""


class Together(NamedTuple):
    """Features that are functions of the same numbers: their columns, shapes and numbers."""

    columns: tuple[int, ...]
    shapes: tuple[Placed, ...]
    numbers: tuple[Number, ...]


def is_shared(features: Sequence[int], table: FeatureTable) -> bool:
    """Return whether two of the features of a datum are computed from the same number."""
    if len(features) > _MOST_FEATURES or table.curves.keys().isdisjoint(features):
        return False
    found = [atom for feature in features for atom in single(feature, table).atoms]
    return len({*found}) < len(found)


def parts_of(used: Integers, table: FeatureTable) -> tuple[Together, ...]:
    """Return the features of a datum in parts that no number is common to; without those of bounded vectors."""
    features, groups = used.tolist(), table.group.take(used).tolist()
    return joined(
        {
            column: single(feature, table)
            for column, (feature, group) in enumerate(zip(features, groups, strict=True))
            if group < 0 or feature in table.curves
        }
    )


def joined(curves: Mapping[int, Curve]) -> tuple[Together, ...]:
    """Return features, by the columns in which they are, in parts that no number is common to."""
    lead: dict[Hashable, Hashable] = {}

    def leader(atom: Hashable) -> Hashable:
        while lead.setdefault(atom, atom) != atom:
            atom = lead[atom]
        return atom

    for atoms, _ in curves.values():
        for atom in atoms[1:]:
            lead[leader(atom)] = leader(atoms[0])
    together: dict[Hashable, list[int]] = {}
    for column, (atoms, _) in curves.items():
        together.setdefault(leader(atoms[0]), []).append(column)
    return tuple(_together(columns, [curves[column] for column in columns]) for columns in together.values())


def _together(columns: list[int], curves: list[Curve]) -> Together:
    places: dict[Hashable, int] = {}
    numbers: dict[int, Number] = {}
    shapes = []
    for atoms, shape in curves:
        placed = tuple(places.setdefault(atom, len(places)) for atom in atoms)
        numbers.update(zip(placed, shape.numbers, strict=True))
        shapes.append((shape, placed))
    return Together(tuple(columns), tuple(shapes), tuple(numbers[place] for place in range(len(numbers))))


def largest_change(norm: str, matrix: Array, parts: tuple[Together, ...]) -> float:
    r"""Return a bound on the norm of C (f - g), where f and g are values that the features in some parts have.

    Parameters
    ----------
    norm : "l1", "l2", "frobenius" or "range".
    matrix : C, of shape (entries, features).
    parts : features; those of different parts move independently.

    Returns
    -------
    The largest norm over all pairs of corners, which is the supremum, if features are affine without errors and these
    are few enough: in L1 up to 10 entries, in L2 while there are few sums of changes. Otherwise the parts are added.
    To it is added what the rounding of features may move, where that is not negligible.
    """
    change = _largest_change if matrix.nbytes <= _MOST_BYTES else _largest_change.__wrapped__
    return change(norm, matrix.shape, matrix.tobytes(), parts)


def ends_together(weights: Array, features: Integers, table: FeatureTable) -> tuple[float, float] | None:
    """Return between which ends a sum of weighted features of one datum lies; None where that is not known.

    Those of the same numbers move together, and a sum that is affine on boxes has its ends at corners of these.
    """
    parts = parts_of(features, table)
    if sum(len(part.columns) for part in parts) < features.size:  # some are entries of bounded vectors
        return None
    low, high = 0.0, 0.0
    for columns, shapes, numbers in parts:
        if (values := values_at_corners(shapes, numbers)) is None:
            return None
        own = weights[[*columns]]
        rounding = 16.0 * sys.float_info.epsilon * np.abs(values).max(axis=0)
        errors = 4.0 * np.array([each.error for each, _ in shapes]) + rounding
        sums, error = values @ own, float(errors @ np.abs(own)) * (len(columns) + 8.0)
        low, high = low + float(sums.min()) - error, high + float(sums.max()) + error
    return low, high


@lru_cache(maxsize=4096)
def _largest_change(norm: str, shape: tuple[int, int], matrix: bytes, parts: tuple[Together, ...]) -> float:
    weights = np.frombuffer(matrix).reshape(shape)
    moved, rounding = [], 0.0
    for columns, shapes, numbers in parts:
        values = values_at_corners(shapes, numbers)
        if values is None:
            return math.inf
        used = weights[:, columns]
        sizes = np.abs(used).sum(axis=0)
        errors, widths = np.array([each.error for each, _ in shapes]), np.ptp(values, axis=0)
        rounding += float((4.0 * errors + (len(columns) + 8.0) * sys.float_info.epsilon * widths) @ sizes)
        moved.append(np.unique((values - values[0]) @ used.T, axis=0))
    largest = max(float(np.abs(each).max()) for each in moved)
    if not 1e-100 < largest < 1e100:
        return math.inf if largest else rounding
    bound = _NORMS[norm](moved)
    return bound + rounding if rounding > UNNOTICED * bound else bound


def _l1(moved: list[Array]) -> float:
    """Return the largest change in L1, over all signs of entries; or the sum of those of the parts."""
    count = moved[0].shape[1]
    if len(moved) > 1 and count > _MOST_SIGNS:
        return sum(_l1([each]) for each in moved)
    if count > _MOST_SIGNS or (len(moved) == 1 and len(moved[0]) <= _FEW):
        return _diameter(moved[0], 1)
    signs = np.array([(1.0, *rest) for rest in itertools.product((1.0, -1.0), repeat=count - 1)])
    found: Array = sum((np.ptp(signs @ each.T, axis=1) for each in moved), np.zeros(len(signs)))
    return float(found.max())


def _l2(moved: list[Array]) -> float:
    """Return the largest change in L2, over all sums of changes of the parts; or a sum of those of the parts."""
    if len(moved) == 1:
        return _diameter(moved[0], 2)
    changes = [_changes(each) for each in moved] if all(len(each) ** 2 <= _MOST_SUMS for each in moved) else []
    if not changes or math.prod(map(len, changes)) > 2 * _MOST_SUMS:
        found = [_diameter(each, 2) for each in moved]
        alone = sum(((each != 0.0).any(axis=0).astype(int) for each in moved), np.zeros(1, int)).max() <= 1
        return math.hypot(*found) if alone else sum(found)
    sums = changes[0][: max(1, len(changes[0]) // 2)]  # up to a common sign
    for each in changes[1:]:
        sums = (sums[:, None] + each).reshape(-1, each.shape[1])
    return float(np.linalg.norm(sums, axis=1).max())


def _changes(values: Array) -> Array:
    """Return the differences of all pairs of rows: one half of them, and then their opposites."""
    one, two = np.triu_indices(len(values), 1)
    half = values[one] - values[two] if one.size else np.zeros((1, values.shape[1]))
    return np.concatenate([half, -half])


def _diameter(values: Array, order: int) -> float:
    """Return the largest distance of two rows, in L1 or L2; infinity if there are too many."""
    if len(values) ** 2 > _MOST_PAIRS:
        return math.inf
    found = np.zeros((len(values), len(values)))
    for entry in values.T:
        apart = np.abs(entry[:, None] - entry)
        found += apart if order == 1 else np.square(apart)
    largest = float(found.max())
    return largest if order == 1 else math.sqrt(largest)


def _range(moved: list[Array]) -> float:
    """Return the largest difference of two entries of a change."""
    count = moved[0].shape[1]
    if count**2 * sum(map(len, moved)) > 2**22:
        return math.inf
    found = np.zeros((count, count))
    for each in moved:
        found += np.ptp(each[:, :, None] - each[:, None, :], axis=0)
    return float(found.max())


_NORMS = {"l1": _l1, "l2": _l2, "frobenius": _l2, "range": _range}
