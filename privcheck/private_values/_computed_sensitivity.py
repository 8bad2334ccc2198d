"""Sensitivities: how far one datum can move a private value, in each norm."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from privcheck.accounting import ByDatum
from privcheck.arrays import Array, Integers
from privcheck.errors import PrivcheckError
from privcheck.private_values._curves.largest_changes import Together, is_shared, largest_change, parts_of
from privcheck.private_values._data_ids import PAIRS
from privcheck.private_values._features import FeatureTable
from privcheck.private_values._outer_products import traces
from privcheck.private_values._terms import Terms
from privcheck.private_values._vector_bounds import VectorBound

_MOST_SIGNS = 10
"""Largest number of features or entries for which all signs are tried: the 2^9 of them, up to a common sign, take
less than a millisecond.
"""


_MANY = 32
"""Number of terms above which it is tried to keep the sensitivities of rounds together."""


APART = ("l1", "l2", "frobenius")
"""Norms with closed forms for data of which each entry holds at most one feature."""

_ANY = VectorBound(math.inf, math.inf, math.inf, math.inf, acute=False)


class _Part(NamedTuple):
    """The features of one vector: their columns and multiplicities, and how far the vector can move in L1 and L2."""

    columns: tuple[int, ...]
    multiplicities: tuple[float, ...] = ()
    l1_diameter: float = math.inf
    l2_diameter: float = math.inf


def sensitivities(norm: str, terms: Terms, table: FeatureTable, size: int) -> Mapping[Hashable, float]:
    r"""Return, for each datum, the largest norm of the change of y = const + C f when that datum is replaced.

    s = sup { ||C d|| : |d_j| <= w_j }, d over the datum's features, w_j = high_j - low_j the widths of their intervals.

    Parameters
    ----------
    norm : "l1", "l2", "frobenius" (l2 of all entries), "range" (largest minus smallest entry of the change) or
        "changed" (number of entries that change); "outer" is not a norm: see `outer_products.traces`.
    terms : C, with `size` rows.
    table : the features: intervals, data, norm bounds of vectors.
    size : number of entries of y.

    Returns
    -------
    s for each datum with a non-zero coefficient; never below the supremum. Without bounded vectors it equals the
    supremum over the box

    - for "range": s = max_{i,k} sum_j w_j |C_ij - C_kj|;
    - for every norm if each entry has at most one of the datum's features, or there is one entry or one feature;
    - for "l1" if the datum has at most 10 features or moves at most 10 entries (all signs are tried);
    - for "l2" and "frobenius" if the datum has at most 10 features;
    - for "changed".

    Otherwise l1 is bounded by sum_ij |C_ij| w_j, and l2 by the smaller of || |C| w ||_2 and sigma_max(C diag(w))
    sqrt(n). The part of a vector g that moves by at most D_1 in L1 and D_2 in L2, and whose entries have multiplicities
    m_j, is bounded in every norm except "changed" by max_j ||C_j|| D_1 / m_j and by
    D_2 sup { ||C_g diag(m)^(-1/2) u|| : ||u||_2 <= 1 } where these are smaller. The parts of several vectors are added;
    for l2 their squares are added if they touch disjoint entries. Features f that are computed from the same numbers by
    comparisons, choices, clips, absolute values and products of different numbers are affine in each of these on boxes
    between thresholds: their part is bounded by the largest ||C (f(p) - f(q))||, p and q corners of boxes, if these are
    few enough: see `_curves.largest_changes.largest_change`. So is the part of all features without a bounded vector.

    Raises
    ------
    PrivcheckError : an unknown norm.

    Source: the maximum of a convex function over a box is at a corner; range: exchange the two maxima. A norm is
    convex, so on an L1 ball it is largest at a multiple of a unit vector.

    Examples
    --------
    >>> table = FeatureTable()
    >>> low_to_high = [table.add("row", 0.0, 1.0, 0.5), table.add("row", 0.0, 1.0, 0.5)]
    >>> identity = Terms.of([0, 1], low_to_high, [1.0, 1.0])
    >>> [sensitivities(norm, identity, table, 3)["row"] for norm in ("l1", "range")]
    [2.0, 2.0]

    """
    if norm == "outer":
        return traces(terms, table, size)
    if norm not in NORMS:
        raise PrivcheckError("norm", norm, "one of " + ", ".join(map(repr, NORMS)), "use the norm of the mechanism")
    tidy = terms.tidy()
    if tidy.count == 0:
        return {}
    if tidy.count > _MANY and (rounds := _of_rounds(norm, tidy, table, size)) is not None:
        return rounds
    owner = table.owner.take(tidy.features)
    order = np.argsort(owner, kind="stable")
    bounds = np.flatnonzero(np.diff(owner[order], prepend=-1, append=-1))
    rows, features, weights = tidy.rows[order], tidy.features[order], tidy.weights[order]
    numbers = owner[order[bounds[:-1]]].tolist()
    found = np.full(len(numbers), math.nan)
    if len(numbers) == tidy.count:
        found = _alone(norm, features, weights, table, size)
    if norm in APART and np.isnan(found).any():
        found = _apart(norm, rows, features, weights, bounds, table)
    shared = {*_shared(rows, features, weights, bounds, table)} if table.curves and norm != "changed" else set()
    known: dict[tuple[object, ...], float] = {}
    for place in sorted({*np.flatnonzero(np.isnan(found)).tolist(), *shared}):
        part = slice(*bounds[place : place + 2].tolist())
        matrix, used, touched = _dense(rows[part], features[part], weights[part])
        widths = _widths(table, used)
        parts = [] if norm == "changed" else _parts(used, table)
        together = parts_of(used, table) if place in shared else ()
        key = (matrix.shape, matrix.tobytes(), widths.tobytes(), tuple(parts), together)
        if key not in known:
            if norm == "range" and touched < size:
                matrix = np.vstack([matrix, np.zeros(matrix.shape[1])])
            with np.errstate(over="ignore", under="ignore", invalid="ignore"):
                apart = float(found[place])
                largest = float(NORMS[norm](matrix, widths, parts)) if math.isnan(apart) else apart
                if together:
                    largest = min(largest, _together(norm, matrix, widths, together, used, table))
            known[key] = largest if math.isfinite(largest) else math.inf
        found[place] = known[key]
    return {table.data[number]: moved for number, moved in zip(numbers, found.tolist(), strict=True)}


def _apart(
    norm: str, rows: Integers, features: Integers, weights: Array, bounds: Integers, table: FeatureTable
) -> Array:
    """Return the L1 or L2 sensitivities of data of which each entry holds at most one feature; NaN for others.

    The columns of such a matrix C are orthogonal: its largest singular value is the norm of its longest column. The
    terms are sorted by datum, of which `bounds` are the ends, and then by entry. They are handled together, with the
    formulas of `_Norm`.
    """
    counts = np.diff(bounds)
    datum = np.repeat(np.arange(counts.size), counts)
    group, moved = table.group.take(features), np.abs(weights) * _widths(table, features)
    plain = (np.minimum(moved, np.abs(weights)) > 1e-100) & (np.maximum(moved, np.abs(weights)) < 1e100)
    shared = (rows[1:] == rows[:-1]) & (datum[1:] == datum[:-1])
    order = np.lexsort((features, group, datum))
    columns = _starts(datum[order], features[order])
    parts = _starts(datum[order], group[order])
    within, of_datum = np.searchsorted(columns, parts), np.searchsorted(parts, bounds[:-1])
    power = 2 if norm != "l1" else 1
    with np.errstate(all="ignore"):
        squares = np.add.reduceat(np.square(weights[order]), columns)
        lengths = squares if power == 2 else np.square(np.add.reduceat(np.abs(weights[order]), columns))
        often = table.multiplicity.take(features[order][columns])
        longest = np.maximum.reduceat(np.sqrt(lengths) / often, within)
        ball = np.sqrt(np.maximum.reduceat(squares / often, within))
        if power == 1:
            size = counts[datum[order][parts]]
            exact = np.sqrt(np.add.reduceat(lengths / often, within))
            ball = np.where(size <= _MOST_SIGNS, exact, np.sqrt(size) * ball)
        diameters = {number: table.bounds.get(number, _ANY) for number in np.unique(group).tolist()}
        of_parts = [diameters[number] for number in group[order][parts].tolist()]
        largest = np.add.reduceat(moved[order] ** power, parts) ** (1.0 / power)
        largest = np.minimum(largest, longest * [bound.l1_diameter for bound in of_parts])
        largest = np.minimum(largest, ball * [bound.l2_diameter for bound in of_parts])
        found: Array = np.add.reduceat(largest**power, of_datum) ** (1.0 / power)
    found[datum[1:][shared]] = math.nan
    found[datum[~plain]] = math.nan
    return found


def _shared(rows: Integers, features: Integers, weights: Array, bounds: Integers, table: FeatureTable) -> list[int]:
    """Return the places of data of which several features are computed from the same numbers.

    Entries of one vector with norm bounds, none below 0, in an entry each and with one weight, are left to these.
    """
    found, each = [], features.tolist()
    for place in np.flatnonzero(np.diff(bounds) > 1).tolist():
        start, stop = bounds[place : place + 2].tolist()
        if is_shared(each[start:stop], table) and not (
            len({*each[start:stop]}) == np.unique(rows[start:stop]).size == stop - start
            and np.ptp(np.abs(weights[start:stop])) == 0.0
            and np.ptp(group := table.group.take(features[start:stop])) == 0 <= group[0]
            and table.bounds[group[0]].acute
        ):
            found.append(place)
    return found


def _together(
    norm: str, matrix: Array, widths: Array, together: tuple[Together, ...], used: Integers, table: FeatureTable
) -> float:
    """Return the largest change of features that are computed from the same numbers, and of the vectors beside them."""
    found = largest_change(norm, matrix, together)
    taken = {column for part in together for column in part.columns}
    rest = np.array([column for column in range(used.size) if column not in taken], np.int64)
    if not rest.size:
        return found
    parts = _parts(used[rest], table)
    return found + float(NORMS[norm](matrix[:, rest], widths[rest], parts))


def _starts(*columns: Integers) -> Integers:
    """Return where a new value of some column begins."""
    new = [np.diff(column, prepend=column[0] - 1) != 0 for column in columns]
    return np.flatnonzero(np.logical_or(*new))


def _of_rounds(norm: str, tidy: Terms, table: FeatureTable, size: int) -> ByDatum[float] | None:
    """Return the sensitivities of rounds that have one term each, which are few different ones, in few bytes a round.

    None if it is otherwise.
    """
    found: dict[float, list[Integers]] = {}
    last = -1
    for _, features, weights in tidy.chunks():
        owner, moved = table.owner.take(features), _alone(norm, features, weights, table, size)
        if np.isnan(moved).any() or (np.diff(owner, prepend=last) <= 0).any() or owner[-1] >= PAIRS:
            return None
        last = int(owner[-1])
        for value in np.unique(moved).tolist():
            found.setdefault(value, []).append(owner[moved == value])
        if len(found) > _MANY:
            return None
    return ByDatum.of_rounds({value: np.concatenate(parts) for value, parts in found.items()})


def _alone(norm: str, features: Integers, weights: Array, table: FeatureTable, size: int) -> Array:
    """Return what each term moves if it is the only one of its datum; NaN if its feature is bounded with others."""
    if norm == "changed":
        moved = np.ones(weights.size)
    elif norm == "range" and size == 1:
        moved = np.zeros(weights.size)
    else:
        with np.errstate(over="ignore", under="ignore"):
            moved = np.abs(weights) * _widths(table, features)
    found: Array = np.where(table.group.take(features) < 0, moved, math.nan)
    return found


def _widths(table: FeatureTable, features: Integers) -> Array:
    """Return the widths of the intervals of features."""
    found: Array = table.high.take(features) - table.low.take(features)
    return found


def _dense(rows: Integers, columns: Integers, weights: Array) -> tuple[Array, Integers, int]:
    """Return the coefficients of one datum as a matrix (entries that it moves x its features), and both counts."""
    touched, row = np.unique(rows, return_inverse=True)
    used, column = np.unique(columns, return_inverse=True)
    matrix = np.zeros((touched.size, used.size))
    matrix[row, column] = weights
    return matrix, used, touched.size


def _parts(used: Integers, table: FeatureTable) -> list[_Part]:
    """Return the features of each bounded vector, and all others as one part; nothing if there are only others."""
    group, multiplicity = table.group.take(used), table.multiplicity.take(used)
    if (group < 0).all():
        return []
    parts = []
    for number in np.unique(group).tolist():
        columns = np.flatnonzero(group == number)
        bound = table.bounds.get(number, _ANY)
        multiplicities = tuple(multiplicity[columns].tolist()) if number >= 0 else ()
        parts.append(_Part(tuple(columns.tolist()), multiplicities, bound.l1_diameter, bound.l2_diameter))
    return parts


@dataclass(frozen=True)
class _Norm:
    """A norm of changes C d: its largest value over a box and over the unit ball, and its value on columns."""

    box: Callable[[Array], float]
    ball: Callable[[Array], float]
    columns: Callable[[Array], Array]
    squares_add: bool = False

    def __call__(self, matrix: Array, widths: Array, parts: list[_Part]) -> float:
        """Return the largest norm over the box, or a bound from the bounded vectors if that is smaller."""
        scaled = matrix * widths
        largest = float(_without_overflow(self.box, scaled))
        if not parts:
            return largest
        found = []
        for places, multiplicities, l1_diameter, l2_diameter in parts:
            taken = list(places)
            bound = float(_without_overflow(self.box, scaled[:, taken]))
            if multiplicities:
                weights = np.array(multiplicities)
                columns = _without_overflow(lambda part: self.columns(part) / weights, matrix[:, taken])  # noqa: B023
                ball = float(_without_overflow(self.ball, matrix[:, taken] / np.sqrt(weights)))
                bound = min(bound, float(columns.max()) * l1_diameter, ball * l2_diameter)
            found.append(bound)
        moved = sum((matrix[:, list(part.columns)] != 0.0).any(axis=1).astype(int) for part in parts)
        return min(largest, math.hypot(*found) if self.squares_add and np.max(moved) <= 1 else sum(found))


def _without_overflow(norm: Callable[[Array], Any], matrix: Array) -> Any:
    """Return the norm of a matrix, scaled by a power of two if squares of its entries could over- or underflow."""
    largest = float(np.abs(matrix).max(initial=0.0))
    if largest == 0.0 or 1e-100 < largest < 1e100 or not math.isfinite(largest):
        return norm(matrix)
    exponent = math.frexp(largest)[1]
    return np.ldexp(norm(np.ldexp(matrix, -exponent)), exponent)


def _l1_of_box(scaled: Array) -> float:
    entries, features = scaled.shape
    if _disjoint(scaled) or entries == 1:
        return float(np.abs(scaled).sum())
    if features <= min(entries, _MOST_SIGNS):
        return float(np.abs(_signs(features) @ scaled.T).sum(axis=1).max())
    if entries <= _MOST_SIGNS:
        return float(np.abs(_signs(entries) @ scaled).sum(axis=1).max())
    if features <= _MOST_SIGNS:
        return float(np.abs(_signs(features) @ scaled.T).sum(axis=1).max())
    return float(np.abs(scaled).sum())


def _l1_of_ball(matrix: Array) -> float:
    if len(matrix) <= _MOST_SIGNS:
        return float(np.linalg.norm(_signs(len(matrix)) @ matrix, axis=1).max())
    return math.sqrt(len(matrix)) * _largest_singular_value(matrix)


def _l2_of_box(scaled: Array) -> float:
    entries, features = scaled.shape
    if _disjoint(scaled):
        return float(np.sqrt(np.square(scaled).sum()))
    if entries == 1:
        return float(np.abs(scaled).sum())
    if features <= _MOST_SIGNS:
        return float(np.sqrt(np.square(_signs(features) @ scaled.T).sum(axis=1).max()))
    by_entry = float(np.sqrt(np.square(np.abs(scaled).sum(axis=1)).sum()))
    return min(by_entry, _largest_singular_value(scaled) * math.sqrt(features))


def _range_of_box(scaled: Array) -> float:
    if scaled.shape[1] == 1:
        return float(np.ptp(scaled))
    different = np.unique(scaled, axis=0)
    return max(float(np.abs(different - row).sum(axis=1).max()) for row in different)


def _range_of_ball(matrix: Array) -> float:
    different = np.unique(matrix, axis=0)
    return max(float(np.linalg.norm(different - row, axis=1).max()) for row in different)


def _largest_singular_value(matrix: Array) -> float:
    return float(np.linalg.norm(matrix, 2)) if np.isfinite(matrix).all() else math.inf


def _l1_of_columns(matrix: Array) -> Array:
    return np.asarray(np.abs(matrix).sum(axis=0))


def _l2_of_columns(matrix: Array) -> Array:
    return np.asarray(np.linalg.norm(matrix, axis=0))


def _range_of_columns(matrix: Array) -> Array:
    return np.asarray(np.ptp(matrix, axis=0))


def _changed(matrix: Array, _: Array, __: list[_Part]) -> float:
    return float(len(matrix))


_L2 = _Norm(_l2_of_box, _largest_singular_value, _l2_of_columns, squares_add=True)
NORMS: dict[str, Callable[[Array, Array, list[_Part]], float]] = {
    "l1": _Norm(_l1_of_box, _l1_of_ball, _l1_of_columns),
    "l2": _L2,
    "frobenius": _L2,
    "range": _Norm(_range_of_box, _range_of_ball, _range_of_columns),
    "changed": _changed,
}
"""The norms in which a sensitivity can be asked for."""


def _disjoint(matrix: Array) -> bool:
    """Return whether each entry has at most one feature."""
    return bool(((matrix != 0.0).sum(axis=1) <= 1).all())


def _signs(count: int) -> Array:
    """Return all vectors of signs, up to a common sign."""
    bits = (np.arange(2 ** (count - 1))[:, None] >> np.arange(count)) & 1
    return np.where(bits == 0, 1.0, -1.0)
