"""DP-SE for best-arm identification claims epsilon-DP: the expected verdict is "consistent".

Its first epoch has hundreds of rounds, and only rewards that put the difference of the two means near the threshold
reveal anything. So it is audited on one such pair of streams, at delta = 0.01: how many successes arm 1 is ahead after
an epoch of 945 pulls of each arm decides whether arm 0 is eliminated and the run stops.
"""

from privcheck.auditing._declared_audit import DeclaredAudit

AUDIT = DeclaredAudit("dp-se-bai", 1.0, "consistent", least_lower_bound=0.5)
