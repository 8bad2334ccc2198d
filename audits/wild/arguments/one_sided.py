"""Noise that is practically never negative: an output below the true value has probability 2^-53."""

from __future__ import annotations

import math

import numpy as np

from audits.wild.implementation import Shown


def never_below_the_count() -> Shown:
    """Follow the formula ceil(ln(1 - u) / ln(1 - p) - 1), 0 <= u < 1, p = 1 - e^-1, over its whole domain."""
    epsilon = 1.0
    log_q = math.log(1.0 - (1.0 - math.exp(-epsilon)))
    u = np.linspace(0.0, 1.0, 1_000_001)[:-1]
    noise = np.ceil(np.log1p(-u) / log_q - 1.0)
    below = u[noise < 0.0]
    zero, negative = 1.0 - math.exp(-epsilon), 2.0**-53
    because = (
        f"the noise is increasing in u, and negative only at u = {', '.join(f'{value:g}' for value in below)}, which "
        f"Python returns with probability 2^-53. The output n has probability {zero:.2f} if the count is n, and 2^-53 "
        "if it is n + 1"
    )
    return Shown(epsilon, math.log(zero / negative) if below.tolist() == [0.0] else 0.0, because)
