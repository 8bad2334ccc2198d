"""DP-UCB with hybrid trees is epsilon-DP by parallel composition: the expected verdict is "consistent".

Audited with two arms on structured pairs of streams that differ in one row.
"""

from privcheck.auditing._declared_audit import DeclaredAudit

AUDIT = DeclaredAudit("dp-ucb-hybrid", 1.0, "consistent", least_lower_bound=0.4)
