"""DP-SE claims epsilon-DP (Sajed and Sheffet 2019): the expected verdict is "consistent".

Its first epoch has thousands of rounds, and only rewards that put the difference of the two means near the threshold
reveal anything. So it is audited on one such pair of streams: arm 1 is 189 or 190 successes ahead after an epoch of
1370 pulls of each arm, and arm 0 is eliminated at a lead of about 191.
"""

import numpy as np

from privcheck.auditing._declared_audit import DeclaredAudit

HORIZON, EPOCH = 2780, 1370


def stream(successes: int) -> np.ndarray:
    """Return rewards of shape (T, 2): arm 1 pays 1 in its first rounds, and nothing else is paid."""
    table = np.zeros((HORIZON, 2))
    table[EPOCH : EPOCH + successes, 1] = 1.0
    return table


AUDIT = DeclaredAudit(
    "dp-se", 1.0, "consistent", 40_000, {"arms": 2, "streams": (stream(189), stream(190))}, least_lower_bound=0.5
)
