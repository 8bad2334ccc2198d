"""Private LinUCB claims (epsilon, delta)-joint DP: the expected verdict is "consistent".

Audited with two actions in four rounds on pairs of streams that differ in the decision set and the rewards of one
round; the action of that round is not looked at. At delta = 0.01 the calibrated noise is exactly as large as the claim
needs for all three releases together, of which the actions show a part.
"""

from privcheck.auditing._declared_audit import DeclaredAudit

AUDIT = DeclaredAudit("lin-ucb-gaussian", 1.0, "consistent", options={"delta": 0.01}, least_lower_bound=0.45)
