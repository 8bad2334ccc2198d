"""DP-SE claims epsilon-DP (Sajed and Sheffet 2019): the expected verdict is "consistent".

Its first epoch has thousands of rounds, and only rewards that put the difference of the two means near the threshold
reveal anything. So it is audited on one such pair of streams: arm 1 is 189 or 190 successes ahead after an epoch of
1370 pulls of each arm, and arm 0 is eliminated at a lead of about 191.
"""

from privcheck.auditing._declared_audit import DeclaredAudit

AUDIT = DeclaredAudit("dp-se", 1.0, "consistent", least_lower_bound=0.5)
