"""Many tests at once: p-values adjusted for the family-wise error rate and for the false discovery rate."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from privcheck.arrays import Array
from privcheck.errors import PrivcheckError, words


def holm(p_values: npt.ArrayLike) -> Array:
    r"""Return Holm's adjusted p-values.

    The i-th smallest of m p-values becomes max over j <= i of min(1, (m - j + 1) p_(j)).

    Parameters
    ----------
    p_values : of m hypotheses, shape (m,), each in [0, 1].

    Returns
    -------
    Adjusted p-values in the order of `p_values`.

    Guarantee
    ---------
    Rejecting where the adjusted p-value is at most alpha rejects any true hypothesis with probability at most alpha,
    however the p-values depend on each other.

    Raises
    ------
    PrivcheckError : numbers outside [0, 1], or another shape.

    Source
    ------
    Holm (1979), A simple sequentially rejective multiple test procedure.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]

    """
    values = _checked(p_values)
    order = np.argsort(values, kind="stable")
    stepped = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1))
    adjusted = np.empty(len(values))
    adjusted[order] = np.minimum(1.0, stepped)
    return adjusted


def false_discovery(p_values: npt.ArrayLike, *, independent: bool = False) -> Array:
    r"""Return p-values adjusted for the false discovery rate: Benjamini-Yekutieli, or Benjamini-Hochberg.

    The i-th smallest of m p-values becomes min over j >= i of min(1, c m p_(j) / j), with c = 1 + 1/2 + ... + 1/m, and
    c = 1 for independent p-values.

    Parameters
    ----------
    p_values : of m hypotheses, shape (m,), each in [0, 1].
    independent : whether they are independent of each other.

    Returns
    -------
    Adjusted p-values in the order of `p_values`.

    Guarantee
    ---------
    Of the hypotheses whose adjusted p-value is at most q, the expected share of true ones is at most q: for any
    dependence if `independent` is False, and for independent p-values otherwise.

    Raises
    ------
    PrivcheckError : numbers outside [0, 1], or another shape.

    Source
    ------
    Benjamini and Hochberg (1995); Benjamini and Yekutieli (2001), Theorem 1.3; `scipy.stats.false_discovery_control`.

    Examples
    --------
    >>> false_discovery([0.01, 0.04, 0.03], independent=True).round(3).tolist()
    [0.03, 0.04, 0.04]
    >>> false_discovery([0.01, 0.04, 0.03]).round(3).tolist()
    [0.055, 0.073, 0.073]

    """
    from scipy.stats import false_discovery_control

    values = _checked(p_values)
    adjusted: Array = np.asarray(false_discovery_control(values, method="bh" if independent else "by"))
    return adjusted


def _checked(p_values: npt.ArrayLike) -> Array:
    try:
        values = np.asarray(p_values, dtype=float)
    except (TypeError, ValueError):
        values = np.full((0, 0), np.nan)
    if values.ndim != 1 or not values.size or not ((values >= 0.0) & (values <= 1.0)).all():
        got = words(f"an array of shape {values.shape}" if values.ndim != 1 or not values.size else "other numbers")
        raise PrivcheckError("p_values", got, "one or more numbers in [0, 1], shape (m,)")
    return values
