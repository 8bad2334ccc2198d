"""LinUCB with Wishart noise claims (epsilon, delta)-joint DP: the expected verdict is "consistent".

Audited with two actions in four rounds on pairs of streams that differ in the decision set and the rewards of one
round; the action of that round is not looked at. In so few rounds the noise has to be positive definite with room to
spare, which takes more of it than privacy does: the lower bound is far below the claim.
"""

from privcheck.auditing._declared_audit import DeclaredAudit

AUDIT = DeclaredAudit("lin-ucb-wishart", 1.0, "consistent", options={"delta": 1e-6}, least_lower_bound=0.05)
