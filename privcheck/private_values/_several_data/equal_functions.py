"""numpy's functions that do what another one does with some arguments: without NaN, or with zeros and ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from privcheck.private_values._shared.views_by_numpy import private_within

SAME: dict[Any, Any] = {
    np.fmax: np.maximum, np.fmin: np.minimum, np.nansum: np.sum, np.nanmean: np.mean, np.nanmax: np.max,
    np.nanmin: np.min, np.nanstd: np.std, np.nanvar: np.var, np.nanmedian: np.median, np.nancumsum: np.cumsum,
    np.nanquantile: np.quantile, np.nanpercentile: np.percentile,
}  # fmt: skip
"""What each does where there are numbers alone; it passes over what is not a number."""


def same(function: Any, arguments: Any) -> Any:
    """Return the function that does the same with these arguments, whatever the data are.

    Private features are numbers. What is not may stand in the public part of an array, or in another argument.
    Comparisons are zeros and ones, of which those that are not zero are as many as their sum.
    """
    if function is np.count_nonzero:
        return np.sum if all(value.is_indicator for value in private_within(arguments)) else function
    other = SAME.get(function)
    if other is None:
        return function
    public = [value for value in arguments if issubclass(type(value), int | float | np.number | np.ndarray)]
    parts = [*public, *(value._const for value in private_within(arguments))]
    numbers = all(np.asarray(part).dtype.kind in "biuf" and not np.isnan(part).any() for part in parts)
    return other if numbers else function
