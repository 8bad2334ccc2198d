"""CUCB-DP claims epsilon-DP of all prefix sums (Chen et al. 2020): the expected verdict is "consistent".

What is audited are the prefix sums and super arms with calibrated noise, with two of four base arms in a super arm, on
structured pairs of streams that differ in one row. With the published noise and two rounds the loss is 1.443 epsilon.
"""

from privcheck.auditing.declared_audit import DeclaredAudit

OPTIONS = {"arms": 4, "horizon": 2, "observe": "releases"}

AUDIT = DeclaredAudit("cucb-dp(size=2)", 1.0, "consistent", 8_000, OPTIONS, least_lower_bound=0.2)
