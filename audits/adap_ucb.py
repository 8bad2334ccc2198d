"""AdaP-UCB claims epsilon-DP (Azize and Basu 2022, Theorem 6): the expected verdict is "consistent".

Audited with two arms and alpha = 3.1 on structured pairs of streams of 12 rounds that differ in one row. The first
blocks of one reward are the most revealing, and longer streams only dilute the search. The lower bound has to come
close to the claim; otherwise the audit would prove little.
"""

from privcheck.auditing._declared_audit import DeclaredAudit

AUDIT = DeclaredAudit("adap-ucb", 1.0, "consistent", least_lower_bound=0.93)
