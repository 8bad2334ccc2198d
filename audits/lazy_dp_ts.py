"""Lazy-DP-TS claims epsilon-DP (Hu, Huang, Mehta and Hegde, Theorem 4): the expected verdict is "consistent".

Audited with two arms at epsilon = 4 on structured pairs of streams of 16 rounds that differ in one row: at epsilon = 1
the bonus 3 ln t / (epsilon O) pushes every mean of a few rewards to 1, where it is clipped, and the actions reveal
nothing.
"""

from privcheck.auditing._declared_audit import DeclaredAudit

AUDIT = DeclaredAudit("lazy-dp-ts", 4.0, "consistent", least_lower_bound=1.5)
