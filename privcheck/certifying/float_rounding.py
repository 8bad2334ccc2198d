"""What float rounding can add to a released value: little beside its sensitivity, or the release is refused."""

from __future__ import annotations

import sys

import numpy as np

from privcheck.certifying.linear import Private
from privcheck.errors import PrivcheckError, words

SHARE = 2e-9
"""Largest share of the sensitivity that rounding may add; with the slack of comparisons it is paid by the noise."""


def rounding_error(value: Private) -> float:
    r"""Return how far, in L1, rounding can move the computed value of a private array, one datum replaced or not.

    An entry const + sum_k w_k f_k is computed with each product rounded once and their exact sum rounded once. With
    M = |const| + sum_k |w_k| max |f_k| and u = 2^-53 it is off by at most 2 u M, on both streams; 4 u M in all.

    Returns
    -------
    The sum over the entries; infinity when a sum could overflow.

    Source: Higham (2002), Accuracy and Stability of Numerical Algorithms, Section 2.2; Casacuberta, Shoemate, Vadhan
    and Wagaman (2022) on sensitivities that ignore rounding.

    Examples
    --------
    >>> from privcheck.certifying.private import PrivateSource
    >>> reward = PrivateSource().scalar(0.5, low=0.0, high=1.0, datum=3)
    >>> rounding_error(reward) == 4.0 * 2.0**-53, rounding_error(reward + 1e9) > 1e-9
    (True, True)

    """
    size = float(np.abs(value._const).sum())
    if value.source is not None:
        terms, table = value.terms.tidy(), value.source.features
        reach = [max(-table.low[j], table.high[j]) for j in terms.features.tolist()]
        with np.errstate(over="ignore"):
            size += float(np.abs(terms.weights) @ np.array(reach))
    return 2.0 * sys.float_info.epsilon * size


def check_rounding(value: Private, sensitivity: float) -> None:
    """Raise `PrivcheckError` when rounding may add more than a share of 2e-9 to the largest sensitivity."""
    error = rounding_error(value)
    if not error <= SHARE * sensitivity:
        got = words(f"numbers so large that rounding them may add {error:.3g} to a sensitivity of {sensitivity:.3g}")
        hint = "add public numbers after the release, and release blocks of fewer rounds"
        raise PrivcheckError("value", got, f"a share of at most {SHARE:g}", hint)
