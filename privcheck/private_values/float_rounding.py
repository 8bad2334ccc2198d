"""The effect of float rounding on a released value: small compared with its sensitivity, or the release is refused."""

from __future__ import annotations

import math
import sys

import numpy as np

from privcheck.errors import PrivcheckError, words
from privcheck.private_values.private import Private

SHARE = 2e-9
"""Largest share of the sensitivity that rounding may add: what the noise scale's surplus of 4e-9 leaves after the slack
of 1e-9 in each of two comparisons (`privcheck.mechanisms.base.NOISE_SLACK`).
"""


def rounding_error(value: Private) -> float:
    r"""Return how far in L1 rounding can move the difference of a private array's computed values on two neighbours.

    An entry y = const + sum_k w_k f_k is computed with each product rounded once, unless w_k is a power of two, and
    their exact sum rounded once. With P the sum of max |w_k f_k| over the products that are rounded, Y = max |y| and
    u = 2^-53, its error is at most u (P + (1 + u) Y + u P) <= 2 u (P + Y) on either stream, and 4 u (P + Y) in total.

    Returns
    -------
    The sum over the entries, or infinity if a sum could overflow.

    Source: Higham (2002), Accuracy and Stability of Numerical Algorithms, Section 2.2; Casacuberta, Shoemate, Vadhan
    and Wagaman (2022) on sensitivities that ignore rounding.

    Examples
    --------
    >>> from privcheck.private_values.source import PrivateSource
    >>> reward = PrivateSource().scalar(0.5, low=0.0, high=1.0, datum=3)
    >>> rounding_error(reward) == 4.0 * 2.0**-53, rounding_error(reward + 1e9) > 1e-9
    (True, True)

    """
    if value.source is None:
        return 0.0
    terms, table = value.terms.tidy(), value.source.features
    features = terms.features.tolist()
    low, high = (np.array([ends[j] for j in features]) for ends in (table.low, table.high))
    sizes, halves = np.abs(terms.weights), high / 2.0 - low / 2.0
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = np.where(np.frexp(sizes)[0] == 0.5, 0.0, sizes * np.maximum(-low, high))
        middle = np.bincount(terms.rows, terms.weights * (low / 2.0 + high / 2.0), value.size)
        sums = np.abs(value._const.ravel() + middle) + np.bincount(terms.rows, sizes * halves, value.size)
        error = 2.0 * sys.float_info.epsilon * float(rounded.sum() + sums.sum())
    return error if error < math.inf else math.inf


def check_rounding(value: Private, sensitivity: float) -> None:
    """Raise `PrivcheckError` if rounding may add more than a share of 2e-9 to the largest sensitivity."""
    error = rounding_error(value)
    if not error <= SHARE * sensitivity:
        got = words(f"numbers so large that rounding them may add {error:.3g} to a sensitivity of {sensitivity:.3g}")
        hint = "add public numbers after the release, and release blocks of fewer rounds"
        raise PrivcheckError("value", got, f"a share of at most {SHARE:g}", hint)
