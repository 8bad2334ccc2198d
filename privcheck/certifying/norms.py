"""Sensitivities: how far one datum can move a private value, in each norm."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from itertools import pairwise

import numpy as np

from privcheck.certifying.features import FeatureTable
from privcheck.certifying.terms import Floats, Integers, Terms
from privcheck.errors import PrivcheckError

_MOST_SIGNS = 10

_Diameters = list[tuple[Integers, float]]


def sensitivities(norm: str, terms: Terms, table: FeatureTable, size: int) -> dict[Hashable, float]:
    r"""Return, for each datum, the largest norm of the change of y = const + C f when that datum is replaced.

    s = sup { ||C d|| : |d_j| <= w_j }, d over the datum's features, w_j = high_j - low_j the widths of their intervals.

    Parameters
    ----------
    norm : "l1", "l2", "frobenius" (l2 of all entries) or "range" (largest minus smallest entry of the change).
    terms : C, with `size` rows.
    table : the features: intervals, data, L2 diameters of vectors.
    size : number of entries of y.

    Returns
    -------
    s by datum, for the data with a non-zero coefficient; never below the supremum. It is the supremum over the box

    - for "range": s = max_{i,k} sum_j w_j |C_ij - C_kj|;
    - for every norm when each entry has at most one of the datum's features, or there is one entry or one feature;
    - for "l1" when the datum has at most 10 features or moves at most 10 entries (all signs are tried);
    - for "l2" and "frobenius" when the datum has at most 10 features.

    Otherwise l1 is bounded by sum_ij |C_ij| w_j, and l2 by the smaller of || |C| w ||_2 and sigma_max(C diag(w))
    sqrt(n). For l2 each vector g with a declared diameter D_g is bounded by sigma_max(C_g) D_g where that is smaller;
    the parts of several vectors are added, as squares where they touch disjoint entries.

    Raises
    ------
    PrivcheckError : an unknown norm.

    Source: the maximum of a convex function over a box is at a corner; range: exchange the two maxima.

    Examples
    --------
    >>> table = FeatureTable()
    >>> low_to_high = [table.add("row", 0.0, 1.0), table.add("row", 0.0, 1.0)]
    >>> identity = Terms.of([0, 1], low_to_high, [1.0, 1.0])
    >>> [sensitivities(norm, identity, table, 3)["row"] for norm in ("l1", "range")]
    [2.0, 2.0]

    """
    if norm not in NORMS:
        raise PrivcheckError("norm", norm, "one of " + ", ".join(map(repr, NORMS)), "use the norm of the mechanism")
    tidy = terms.tidy()
    if tidy.count == 0:
        return {}
    features = tidy.features.tolist()
    owner = np.array([table.owner[j] for j in features])
    order = np.argsort(owner, kind="stable")
    bounds = np.flatnonzero(np.diff(owner[order], prepend=-1, append=-1)).tolist()
    known: dict[tuple[object, ...], float] = {}
    result: dict[Hashable, float] = {}
    for start, stop in pairwise(bounds):
        part = order[start:stop]
        columns, rows, weights = tidy.features[part], tidy.rows[part], tidy.weights[part]
        matrix, used, touched = _dense(rows, columns, weights)
        widths = np.array([table.high[j] - table.low[j] for j in used])
        groups = _groups(used, table) if norm in ("l2", "frobenius") else []
        sizes = tuple((tuple(members.tolist()), diameter) for members, diameter in groups)
        key = (matrix.shape, matrix.tobytes(), widths.tobytes(), sizes)
        if key not in known:
            if norm == "range" and touched < size:
                matrix = np.vstack([matrix, np.zeros(matrix.shape[1])])
            with np.errstate(over="ignore", invalid="ignore"):
                found = NORMS[norm](matrix, widths, groups)
            known[key] = found if math.isfinite(found) else math.inf
        result[table.data[int(owner[part[0]])]] = known[key]
    return result


def _dense(rows: Integers, columns: Integers, weights: Floats) -> tuple[Floats, list[int], int]:
    """Return the coefficients of one datum as a matrix (entries that it moves x its features), and both counts."""
    if weights.size == 1:
        return weights.reshape(1, 1), [int(columns[0])], 1
    touched, row = np.unique(rows, return_inverse=True)
    used, column = np.unique(columns, return_inverse=True)
    matrix = np.zeros((touched.size, used.size))
    matrix[row, column] = weights
    return matrix, used.tolist(), touched.size


def _groups(used: list[int], table: FeatureTable) -> _Diameters:
    """Return the features of each declared vector, as column numbers, with its diameter; inf for the others."""
    group = np.array([table.group[j] for j in used])
    if (group < 0).all():
        return []
    return [(np.flatnonzero(group == g), table.diameters[g] if g >= 0 else math.inf) for g in np.unique(group).tolist()]


def _l1(matrix: Floats, widths: Floats, _: _Diameters) -> float:
    scaled = matrix * widths
    entries, features = scaled.shape
    if _disjoint(matrix) or entries == 1:
        return float(np.abs(scaled).sum())
    if features <= min(entries, _MOST_SIGNS):
        return float(np.abs(_signs(features) @ scaled.T).sum(axis=1).max())
    if entries <= _MOST_SIGNS:
        return float(np.abs(_signs(entries) @ scaled).sum(axis=1).max())
    if features <= _MOST_SIGNS:
        return float(np.abs(_signs(features) @ scaled.T).sum(axis=1).max())
    return float(np.abs(scaled).sum())


def _l2(matrix: Floats, widths: Floats, diameters: _Diameters) -> float:
    box = _l2_of_box(matrix * widths)
    if not diameters:
        return box
    parts = []
    for members, diameter in diameters:
        part = _l2_of_box(matrix[:, members] * widths[members])
        if math.isfinite(diameter):
            part = min(part, _largest_singular_value(matrix[:, members]) * diameter)
        parts.append(part)
    moved = sum((matrix[:, members] != 0.0).any(axis=1).astype(int) for members, _ in diameters)
    return min(box, math.hypot(*parts) if np.max(moved) <= 1 else sum(parts))


def _l2_of_box(scaled: Floats) -> float:
    entries, features = scaled.shape
    if _disjoint(scaled):
        return float(np.sqrt(np.square(scaled).sum()))
    if entries == 1:
        return float(np.abs(scaled).sum())
    if features <= _MOST_SIGNS:
        return float(np.sqrt(np.square(_signs(features) @ scaled.T).sum(axis=1).max()))
    by_entry = float(np.sqrt(np.square(np.abs(scaled).sum(axis=1)).sum()))
    return min(by_entry, _largest_singular_value(scaled) * math.sqrt(features))


def _range(matrix: Floats, widths: Floats, _: _Diameters) -> float:
    scaled = matrix * widths
    if scaled.shape[1] == 1:
        return float(np.ptp(scaled))
    different = np.unique(scaled, axis=0)
    return max(float(np.abs(different - row).sum(axis=1).max()) for row in different)


NORMS: dict[str, Callable[[Floats, Floats, _Diameters], float]] = {
    "l1": _l1,
    "l2": _l2,
    "frobenius": _l2,
    "range": _range,
}
"""The norms in which a sensitivity can be asked for."""


def _disjoint(matrix: Floats) -> bool:
    """Tell whether each entry has at most one feature."""
    return bool(((matrix != 0.0).sum(axis=1) <= 1).all())


def _signs(count: int) -> Floats:
    """Return all vectors of signs, up to a common sign."""
    bits = (np.arange(2 ** (count - 1))[:, None] >> np.arange(count)) & 1
    return np.where(bits == 0, 1.0, -1.0)


def _largest_singular_value(matrix: Floats) -> float:
    return float(np.linalg.norm(matrix, 2)) if np.isfinite(matrix).all() else math.inf
