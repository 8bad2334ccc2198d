"""DP-Exact-TT claims epsilon-DP of actions, stopping time and recommendation: the expected verdict is "consistent".

Audited with two arms on structured pairs of streams that differ in one row, over 32 rounds, as a first batch takes 10.
Every release takes a likelihood at a thousand means, so there are fewer runs than for other algorithms.
"""

from privcheck.auditing._declared_audit import DeclaredAudit

AUDIT = DeclaredAudit("dp-exact-tt", 1.0, "consistent", least_lower_bound=0.6)
