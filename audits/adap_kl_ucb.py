"""AdaP-KL-UCB claims epsilon-DP (Azize and Basu 2022, Theorem 6): the expected verdict is "consistent".

Audited with two arms and alpha = 3.1 on structured pairs of streams of 16 rounds that differ in one row.
"""

from privcheck.auditing._declared_audit import DeclaredAudit

AUDIT = DeclaredAudit("adap-kl-ucb", 1.0, "consistent", least_lower_bound=0.5)
