"""LinUCB with Wishart noise claims (epsilon, delta)-joint DP: the expected verdict is "consistent".

Audited with two actions in two rounds on streams that differ in the rewards of the first round, whose action is not
looked at. The second action shows whether one noisy index is above another. The whole matrix costs mu = 0.25, of
which an event of probability 0.05 shows 0.54 at most, and an action a part of that: the lower bound is far below the
claim (docs/evidence/shipped-settings.md).
"""

from privcheck.auditing._declared_audit import DeclaredAudit

AUDIT = DeclaredAudit("lin-ucb-wishart", 1.0, "consistent", options={"delta": 1e-6}, least_lower_bound=0.09)
