"""DP-GLR-IMED claims epsilon-DP by parallel composition: nothing above the claim must be found.

Audited with two arms on structured pairs of streams that differ in one row, over 32 rounds: a first batch has 10.
"""

from privcheck.auditing.declared_audit import DeclaredAudit

AUDIT = DeclaredAudit("dp-glr-imed", 1.0, "consistent", 200_000, {"arms": 2, "horizon": 32}, least_lower_bound=0.75)
