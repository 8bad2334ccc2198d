"""DP-SE for best-arm identification claims epsilon-DP: the expected verdict is "consistent".

Its first epoch has hundreds of rounds, and only rewards that put the difference of the two means near the threshold
reveal anything. So it is audited on one such pair of streams, at delta = 0.01: how many successes arm 1 is ahead after
an epoch of 945 pulls of each arm decides whether arm 0 is eliminated and the run stops.
"""

import numpy as np

from privcheck.auditing._declared_audit import DeclaredAudit

HORIZON, EPOCH = 1893, 945


def stream(successes: int) -> np.ndarray:
    """Return rewards of shape (T, 2): arm 1 pays 1 in its first rounds, and nothing else is paid."""
    table = np.zeros((HORIZON, 2))
    table[EPOCH : EPOCH + successes, 1] = 1.0
    return table


AUDIT = DeclaredAudit(
    "dp-se-bai", 1.0, "consistent", 40_000, {"arms": 2, "streams": (stream(130), stream(131))}, least_lower_bound=0.5
)
