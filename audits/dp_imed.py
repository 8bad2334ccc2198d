"""DP-IMED claims epsilon-DP (Azize et al. 2025): the expected verdict is "consistent".

Audited with two arms on structured pairs of streams that differ in one row.
"""

from privcheck.auditing._declared_audit import DeclaredAudit

AUDIT = DeclaredAudit("dp-imed", 1.0, "consistent", least_lower_bound=0.8)
