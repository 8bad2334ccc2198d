"""CTB-TT claims epsilon-local DP of its reports (Azize et al. 2024): the expected verdict is "consistent".

Audited with three arms over six rounds, in which it does not stop: the arms that are played, by a coin the leader or
its challenger, tell which reports differ.
"""

from privcheck.auditing._declared_audit import DeclaredAudit

AUDIT = DeclaredAudit("ctb-tt", 1.0, "consistent", least_lower_bound=0.85)
