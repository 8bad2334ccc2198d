"""RNM-FTNL as printed claims epsilon-DP with Laplace scale 1 / epsilon (Hu, Huang, Mehta and Hegde, Theorem 8): the
expected verdict is "violation".

Replacing a reward vector moves sums both ways, so the true level is 2 epsilon. Audited with four actions and full
information on structured pairs of tables of 8 rounds that differ in one row.
"""

from privcheck.auditing._declared_audit import DeclaredAudit

AUDIT = DeclaredAudit("rnm-ftnl-published", 1.0, "violation", least_lower_bound=1.6)
