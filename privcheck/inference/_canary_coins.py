"""The coins of the canaries of one run: a test of what is said of them, and a limit of how far they are from fair."""

from __future__ import annotations

import math

from privcheck.declared import Real, check
from privcheck.inference._counts import LEVEL, check_count
from privcheck.inference._limits import clopper_pearson

INCLUSION = Real(0.0, 1.0, low_open=True, high_open=True)
"""Probabilities of a coin."""


def coin_p_value(included: int, canaries: int, inclusion: float = 0.5) -> float:
    """Return the two-sided p-value of so many included canaries, exact for independent coins of this probability.

    >>> coin_p_value(50, 100), coin_p_value(0, 21) == 2 * 0.5**21
    (1.0, True)
    """
    from scipy.stats import binomtest

    included = check_count("included", included, canaries)
    return float(binomtest(included, canaries, check("inclusion", inclusion, INCLUSION)).pvalue)


def largest_bias(included: int, canaries: int, level: float) -> float:
    """Return an upper limit of abs(ln(q / (1 - q))), the log-odds of a coin that included so many canaries.

    It is that of the end of the Clopper-Pearson interval for q that is further from one half, and infinite if q may be
    0 or 1.

    >>> round(largest_bias(500, 1000, 0.05), 2), largest_bias(0, 20, 0.05)
    (0.13, inf)
    """
    low, high = clopper_pearson(included, canaries, 0.5 * check("level", level, LEVEL))
    return max((abs(math.log(q / (1.0 - q))) if 0.0 < q < 1.0 else math.inf) for q in (low, high))
