"""CUCB-Batches claims epsilon-DP of the sums of its batches: the expected verdict is "consistent".

What is audited are the super arms, which are chosen by these sums, with two of four base arms in a super arm, on
structured pairs of streams that differ in one row.
"""

from privcheck.auditing._declared_audit import DeclaredAudit

AUDIT = DeclaredAudit("cucb-batches(size=2)", 1.0, "consistent", least_lower_bound=0.2)
