"""AdaP-TT claims epsilon-DP of actions, stopping time and recommendation: the expected verdict is "consistent".

With two arms, leader and challenger are played alike whatever they are. So it is audited with three, on structured
pairs of streams of 8 rounds that differ in one row. The first blocks of one reward are the most revealing.
"""

from privcheck.auditing._declared_audit import DeclaredAudit

AUDIT = DeclaredAudit("adap-tt", 1.0, "consistent", least_lower_bound=0.75)
