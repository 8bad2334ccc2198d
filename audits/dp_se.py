"""DP-SE claims epsilon-DP (Sajed and Sheffet 2019): nothing above the claim must be found.

Its first epoch has thousands of rounds, and only rewards that put the difference of the two means near the threshold
show anything. So it is audited on one pair of streams that does: arm 1 is 189 or 190 successes ahead after an epoch of
1370 pulls each, where about 191 eliminate arm 0 at once.
"""

import numpy as np

from privcheck.auditing.declared_audit import DeclaredAudit

HORIZON, EPOCH = 2780, 1370


def stream(successes: int) -> np.ndarray:
    """Return rewards of shape (T, 2): arm 1 pays 1 in its first rounds, and nothing else is paid."""
    table = np.zeros((HORIZON, 2))
    table[EPOCH : EPOCH + successes, 1] = 1.0
    return table


AUDIT = DeclaredAudit(
    "dp-se", 1.0, "consistent", 40_000, {"arms": 2, "streams": (stream(189), stream(190))}, least_lower_bound=0.5
)
