"""The effect of float rounding on a released value: part of its sensitivity wherever it is not negligible."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Hashable, Mapping

import numpy as np

from privcheck.accounting import ByDatum
from privcheck.arrays import Array
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms import COMPARISON_SLACK
from privcheck.private_values._private import Private

SHARE = 1.99e-9
"""Largest share of a sensitivity that rounding may add unnoticed: what the noise scale's surplus of 4e-9 leaves after
the slack of 1e-9 in each of two comparisons (`privcheck.mechanisms.base.NOISE_SLACK`), and 1e-11 in that of features
(`_curves.largest_changes.UNNOTICED`).
"""

_UNDERFLOW = 2.0**-1073
"""Twice the error of a product that underflows, plus that of a sensitivity that does."""


def entry_errors(value: Private) -> tuple[Array, Array]:
    r"""Return how far rounding can move the difference of each entry's computed values on two neighbours, and max |y|.

    An entry y = const + sum_k w_k f_k is computed with each product rounded once, unless w_k is a power of two, and
    their exact sum rounded once. With P the sum of max |w_k f_k| over the products that are rounded, Y = max |y| and
    u = 2^-53, its error is at most u (P + (1 + u) Y + u P) <= 2 u (P + Y) on either stream, and 4 u (P + Y) in total,
    apart from underflow. That also covers the rounding of widths times coefficients whose differences a sensitivity is.

    Source: Higham (2002), Accuracy and Stability of Numerical Algorithms, Section 2.2; Casacuberta, Shoemate, Vadhan
    and Wagaman (2022) on sensitivities that ignore rounding.
    """
    if value.source is None:
        return np.zeros(value.size), np.abs(value._const.ravel())
    table, size = value.source.features, value.size
    rounded, middle, spread, count = (np.zeros(size) for _ in range(4))
    with np.errstate(over="ignore", invalid="ignore"):
        for rows, features, weights in value.terms.tidy().chunks():
            low, high = table.low.take(features), table.high.take(features)
            sizes = np.abs(weights)
            products = np.where(np.frexp(sizes)[0] == 0.5, 0.0, sizes * np.maximum(-low, high))
            rounded += np.bincount(rows, products, size)
            middle += np.bincount(rows, weights * (low / 2.0 + high / 2.0), size)
            spread += np.bincount(rows, sizes * (high / 2.0 - low / 2.0), size)
            count += np.bincount(rows, minlength=size)
        sums = np.abs(value._const.ravel() + middle) + spread
        errors = 2.0 * sys.float_info.epsilon * (rounded + sums)
        errors += _UNDERFLOW * (1.0 + count)
    found: Array = np.where(np.isfinite(errors), errors, math.inf)
    return found, np.asarray(sums, np.float64)


def rounding_error(value: Private) -> float:
    r"""Return how far in L1 rounding can move the difference of a private array's computed values on two neighbours.

    Returns
    -------
    The sum of `entry_errors`, or infinity if a sum could overflow.

    Examples
    --------
    >>> from privcheck.private_values._source import PrivateSource
    >>> reward = PrivateSource().scalar(0.5, low=0.0, high=1.0, datum=3)
    >>> rounding_error(reward) == 4.0 * 2.0**-53, rounding_error(reward + 1e9) > 1e-9
    (True, True)

    """
    return float(entry_errors(value)[0].sum())


def with_rounding(
    value: Private,
    exact: Mapping[Hashable, float],
    declared: float | None = None,
    inside: Callable[[Array], float] = lambda sizes: 0.0,  # noqa: ARG005
) -> Mapping[Hashable, float]:
    """Return the sensitivities of a private array as it is computed: the exact ones, plus rounding where it matters.

    The noise scale pays for rounding of up to a share of 2e-9 of a datum's sensitivity. Wherever there may be more, as
    for a datum whose coefficients cancel but for rounding, it is added: a datum that can move the computed value never
    has sensitivity 0.

    Parameters
    ----------
    value : the array that is released.
    exact : the sensitivity of each datum in exact arithmetic, in any of L1, L2 and the range.
    declared : the sensitivity that the mechanism was declared with; None if its scale was given.
    inside : bounds the rounding inside the mechanism, given the largest sizes of the entries.

    Raises
    ------
    PrivcheckError : rounding may overflow, or takes a sensitivity beyond the declared one.

    Examples
    --------
    >>> from privcheck.private_values._source import PrivateSource
    >>> reward = PrivateSource().scalar(0.5, low=0.0, high=1.0, datum=3)
    >>> with_rounding(reward, {3: 1.0}), with_rounding(reward, {3: 0.0})
    ({3: 1.0}, {3: 4.440892098500627e-16})

    """
    if not exact:
        return {}
    errors, sizes = entry_errors(value)
    within = inside(sizes.reshape(value.shape))
    if errors.sum() + within <= SHARE * min(ByDatum.of(exact).different):
        return exact
    found: dict[Hashable, float] = {}
    for datum, error in _errors_of_data(value, errors).items():
        sensitivity, added = exact[datum], error + within
        found[datum] = total = (
            sensitivity if added <= SHARE * sensitivity else math.nextafter(sensitivity + added, math.inf)
        )
        if total == math.inf or (declared is not None and sensitivity <= declared * (1.0 + COMPARISON_SLACK) < total):
            got = words(
                f"numbers or noise so large that rounding them may add {added:.3g} "
                f"to a sensitivity of {sensitivity:.3g}"
            )
            hint = "add public numbers after the release, and release blocks of fewer rounds"
            raise PrivcheckError("value", got, f"a share of at most {SHARE:g}", hint)
    return found


def _errors_of_data(value: Private, errors: Array) -> dict[Hashable, float]:
    """Return the sum of the errors of the entries that each datum can move, data in order of their numbers."""
    assert value.source is not None
    terms, table = value.terms.tidy(), value.source.features
    kept = np.flatnonzero(table.low.take(terms.features) < table.high.take(terms.features))
    touched = set(zip(table.owner.take(terms.features[kept]).tolist(), terms.rows[kept].tolist(), strict=True))
    found: dict[Hashable, float] = {}
    for owner, row in sorted(touched):
        found[table.data[owner]] = found.get(table.data[owner], 0.0) + float(errors[row])
    return found


def without_common_shift(value: Private) -> Private:
    """Return scores from which every feature with the same coefficient in all of them has been taken away.

    What is released about differences of scores does not change. But the scores are computed without the shift, which
    costs nothing and would otherwise round them.

    Examples
    --------
    >>> from privcheck.private_values._source import PrivateSource
    >>> source = PrivateSource()
    >>> shift, own = (source.scalar(0.5, low=0.0, high=1.0, datum=t) for t in range(2))
    >>> scores = np.arange(2.0) + shift
    >>> scores[0] += own
    >>> without_common_shift(scores)
    Private(shape=(2,), data=round 1, hidden)

    """
    terms = value.terms.tidy()
    if terms.count == 0:
        return value
    order = np.lexsort((terms.weights, terms.features))
    features, weights = terms.features[order], terms.weights[order]
    starts = np.flatnonzero(np.diff(features, prepend=-1))
    stops = np.append(starts[1:], features.size)
    common = (stops - starts == value.size) & (weights[starts] == weights[stops - 1])
    if not common.any():
        return value
    kept = ~np.isin(terms.features, features[starts[common]])
    rest = terms.of(terms.rows[kept], terms.features[kept], terms.weights[kept])
    return value.make(value.source, value._const.copy(), rest)
