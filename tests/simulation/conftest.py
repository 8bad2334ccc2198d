"""Two-sample tests that the engine tests share."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats


def same_law(first: np.ndarray, second: np.ndarray, least: int = 40) -> float:
    """Return the p-value of a chi-square test that two samples of a discrete quantity have one law.

    Neighbouring values are pooled, by the pooled sample alone, until each cell holds `least` observations.
    """
    values, counts = np.unique(np.round(np.concatenate([first, second]), 9), return_counts=True)
    edges, inside = [], 0
    for value, count in zip(values, counts, strict=True):
        inside += count
        if inside >= least:
            edges.append(value)
            inside = 0
    cells = np.array(
        [np.bincount(np.searchsorted(edges[:-1], np.round(x, 9)), minlength=len(edges)) for x in (first, second)]
    )
    assert cells.shape[1] > 1, "one cell cannot tell anything apart"
    return float(stats.chi2_contingency(cells).pvalue)


@pytest.fixture(scope="session")
def law_test():
    return same_law
