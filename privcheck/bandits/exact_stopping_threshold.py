"""The threshold at which DP-Exact-TT and Top Two stop and recommend an arm."""

from __future__ import annotations

import math

from privcheck.bandits.mean_grid import DROPPED, POINTS
from privcheck.kernels import compiled


@compiled
def threshold(arms: int, delta: float) -> float:
    """Return ln((K - 1) / (delta - K G e^-40)): see `DPExactTT` and `privcheck.bandits.mean_grid`.

    >>> round(threshold(5, 0.01), 6) == round(math.log(400), 6)
    True
    """
    return math.log((arms - 1) / (delta - arms * POINTS * math.exp(-DROPPED)))
