"""RNM-FTNL with Laplace scale 2 / epsilon is epsilon-DP: the expected verdict is "consistent".

Audited with four actions and full information on structured pairs of tables of 8 rounds that differ in one row. The
noisy maximum is most sensitive to one action's reward rising while the others' fall.
"""

from privcheck.auditing._declared_audit import DeclaredAudit

AUDIT = DeclaredAudit("rnm-ftnl", 1.0, "consistent", least_lower_bound=0.8)
