"""What the theorems about zCDP and Gaussian DP bound, and under which conditions."""

from __future__ import annotations

from privcheck.bounds._quantity import BANDIT, Quantity
from privcheck.bounds._theorem import Condition

ZCDP = "rho-zCDP, one reward replaced, rewards chosen adaptively"
GDP = "mu-Gaussian DP with mu = sqrt(2 rho), one reward replaced, rewards chosen adaptively"

ZCDP_REGRET = Quantity("pseudo-regret", BANDIT, ZCDP)

POSITIVE_RHO = Condition("a privacy budget rho above 0", lambda instance: instance.rho > 0)
ANY_RHO = Condition("any privacy budget", lambda _: True)
"""For bounds that hold without any use of privacy."""
