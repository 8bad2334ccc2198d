"""LinUCB on batches claims (epsilon, delta)-joint DP: the expected verdict is "consistent".

Audited with two actions in four rounds on pairs of streams that differ in the decision set and the rewards of one
round; the action of that round is not looked at. The first batch has one round here: with 20 nothing would be released.
"""

from privcheck.auditing._declared_audit import DeclaredAudit

AUDIT = DeclaredAudit("lin-ucb-batches(first=1)", 1.0, "consistent", options={"delta": 0.01}, least_lower_bound=0.45)
