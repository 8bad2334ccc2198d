"""Sums of outer products of private rows, one row of each datum, and the traces of these products."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Mapping

from privcheck.errors import PrivcheckError, words
from privcheck.private_values._features import FeatureTable
from privcheck.private_values._terms import Terms

_ROUNDING = 1e-14
"""Relative rounding of a product of two coefficients, and the surplus of a sum of squares that pays for it."""

Entries = dict[tuple[int, int], tuple[int, float]]


def traces(terms: Terms, table: FeatureTable, size: int) -> Mapping[Hashable, float]:
    r"""Return, for each datum, the largest trace v' v of its term in a value G + sum_t v_t v_t', G public.

    Parameters
    ----------
    terms : the private part of the entries of a square matrix, row by row.
    table : the features: intervals, data, norm bounds of vectors, and of what they are products.
    size : number of entries.

    Returns
    -------
    The trace of each datum that the matrix depends on, never below the supremum. A row v may hold entries of bounded
    vectors, of which the squared norm bounds the sum of squares, and single numbers.

    Raises
    ------
    PrivcheckError : the matrix is not square, or a datum enters it otherwise than by one outer product v v'.

    Examples
    --------
    >>> import numpy as np
    >>> from privcheck.private_values._source import PrivateSource
    >>> row = PrivateSource().vector([0.6, 0.0], -1.0, 1.0, data=3, l2_norm=1.0)
    >>> gram = 0.25 * np.outer(row, row)
    >>> round(traces(gram.terms, gram.source.features, 4)[3], 9)
    0.25
    """
    width = math.isqrt(size)
    if width * width != size:
        raise _other(f"{size} entries")
    tidy = terms.tidy()
    by_owner: dict[int, Entries] = defaultdict(dict)
    columns = (
        tidy.rows.tolist(),
        tidy.features.tolist(),
        tidy.weights.tolist(),
        table.owner.take(tidy.features).tolist(),
    )
    for entry, feature, weight, owner in zip(*columns, strict=True):
        place = divmod(entry, width)
        if place in by_owner[owner]:
            raise _other("an entry with several features of one datum")
        by_owner[owner][place] = feature, weight
    return {table.data[owner]: _trace(entries, table) for owner, entries in by_owner.items()}


def _trace(entries: Entries, table: FeatureTable) -> float:
    rows = sorted({row for row, _ in entries} | {column for _, column in entries})
    if set(entries) != {(row, column) for row in rows for column in rows}:
        raise _other("entries without their squares")
    factor, root = {}, {}
    for row in rows:
        feature, weight = entries[row, row]
        factors = table.factors(feature)
        if not (factors and factors[0] == factors[1] and weight > 0.0):
            raise _other("a diagonal entry that is no square of one datum")
        factor[row] = factors[0]
        root[row] = math.copysign(math.sqrt(weight), entries[rows[0], row][1])
    for (row, column), (feature, weight) in entries.items():
        product = root[row] * root[column]
        if table.factors(feature) not in ((factor[row], factor[column]), (factor[column], factor[row])):
            raise _other("an entry that is no product of its row and column")
        if abs(weight - product) > _ROUNDING * abs(product):
            raise _other("coefficients that are no products of those of a row")
    return _sum_of_squares([entries[row, row] for row in rows], table) * (1.0 + len(rows) * _ROUNDING)


def _sum_of_squares(squares: list[tuple[int, float]], table: FeatureTable) -> float:
    """Return the largest sum of these squares; those of the entries of one vector together where it is bounded."""
    together: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for feature, weight in squares:
        together[table.group[feature]].append((feature, weight))
    total = 0.0
    for group, members in together.items():
        alone = math.fsum(weight * table.high[feature] for feature, weight in members)
        features = [feature for feature, _ in members]
        if group >= 0 and len(set(features)) == len(features) and all(table.multiplicity[j] == 1.0 for j in features):
            alone = min(alone, max(weight for _, weight in members) * table.bounds[group].l2_radius)
        total += alone
    return total


def _other(got: str) -> PrivcheckError:
    hint = "add np.outer(row, row) for one private row of each datum"
    return PrivcheckError("value", words(got), "a public matrix plus one outer product of each datum", hint)
