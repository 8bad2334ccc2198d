"""LDP-TT claims epsilon-local DP of its reports: the expected verdict is "consistent".

Audited with two arms over six rounds, in which it does not stop: which arm is played tells which reports differ.
"""

from privcheck.auditing._declared_audit import DeclaredAudit

AUDIT = DeclaredAudit("ldp-tt", 1.0, "consistent", least_lower_bound=0.85)
