"""DP-GLR-IMED claims epsilon-DP by parallel composition: the expected verdict is "consistent".

Audited with two arms on structured pairs of streams that differ in one row, over 32 rounds: first batches
take 1 round each, second ones 9.
"""

from privcheck.auditing._declared_audit import DeclaredAudit

AUDIT = DeclaredAudit("dp-glr-imed", 1.0, "consistent", least_lower_bound=0.7)
