"""AdaC-UCB claims rho-zCDP by adaptive parallel composition: the expected verdict is "consistent".

Audited with two arms over 12 rounds at rho = 0.5, where a mean of n rewards has noise of standard deviation 1 / n. One
event shows at most six tenths of the rho of a Gaussian.
"""

from privcheck.auditing._declared_audit import DeclaredAudit

AUDIT = DeclaredAudit("adac-ucb", None, "consistent", options={"rho": 0.5}, least_lower_bound=0.1)
