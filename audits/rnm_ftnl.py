"""RNM-FTNL with Laplace scale 2 / epsilon is epsilon-DP: nothing above the claim must be found.

Audited with four actions and full information on structured pairs of tables of 8 rounds that differ in one row: one
action up and the others down is what the noisy maximum feels most.
"""

from privcheck.auditing.declared_audit import DeclaredAudit

AUDIT = DeclaredAudit("rnm-ftnl", 1.0, "consistent", 400_000, {"arms": 4, "horizon": 8}, least_lower_bound=0.8)
