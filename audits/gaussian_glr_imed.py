"""Gaussian-GLR-IMED claims rho-zCDP by parallel composition: the expected verdict is "consistent".

Audited with two arms over 8 rounds at rho = 0.5, where the noise has standard deviation 1: first batches take one round
each, second ones three. One event shows at most six tenths of the rho of a Gaussian.
"""

from privcheck.auditing._declared_audit import DeclaredAudit

AUDIT = DeclaredAudit("gaussian-glr-imed", None, "consistent", options={"rho": 0.5}, least_lower_bound=0.2)
