"""CUCB-LDP2 claims epsilon-local DP of its reports (Chen et al. 2020): the expected verdict is "consistent".

What is audited are all reports and super arms, with two of four base arms in a super arm, on structured pairs of
streams that differ in one row: a row is one user's outcome vector, who reports one outcome, chosen by earlier counts.
"""

from privcheck.auditing._declared_audit import DeclaredAudit

AUDIT = DeclaredAudit("cucb-ldp2(size=2)", 1.0, "consistent", least_lower_bound=0.3)
