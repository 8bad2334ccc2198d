"""CUCB-DP claims epsilon-DP of all prefix sums (Chen et al. 2020): the expected verdict is "consistent".

What is audited are the prefix sums and super arms with calibrated noise, with two of four base arms in a super arm, on
structured pairs of streams that differ in one row. Ties go to the lowest base arm, so that nothing but the releases is
random. With the published noise and two rounds the loss is 1.443 epsilon.
"""

from privcheck.auditing._declared_audit import DeclaredAudit

AUDIT = DeclaredAudit("cucb-dp(size=2, ties=lowest)", 1.0, "consistent", least_lower_bound=0.3)
