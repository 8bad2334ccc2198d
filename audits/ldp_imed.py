"""LDP-IMED claims epsilon-local DP of its reports: the expected verdict is "consistent".

Audited with two arms over four rounds: once each arm has one report, which arm is played next tells which reports
differ, so that the actions show the whole loss of one bit.
"""

from privcheck.auditing._declared_audit import DeclaredAudit

AUDIT = DeclaredAudit("ldp-imed", 1.0, "consistent", least_lower_bound=0.85)
