"""DP-UCB claims epsilon-DP (Mishra and Thakurta 2015): the expected verdict is "consistent".

With the published split of epsilon over the arms it is (epsilon / K)-DP by parallel composition, so the lower bound
cannot exceed half of the claim with two arms. With the k-ary tree and the bonus of its exact law, actions depend more
on the private sums than with the published tree and bonus. Audited with two arms on structured pairs of streams that
differ in one row.
"""

from privcheck.auditing._declared_audit import DeclaredAudit

AUDIT = DeclaredAudit("dp-ucb", 1.0, "consistent", least_lower_bound=0.4)
