"""Bandits under zCDP and Gaussian DP: the rate, regret at a horizon, and the worst instance. Derived here.

>>> from privcheck.bounds import THEOREMS
>>> THEOREMS["concentrated-privacy/rate"].kind, THEOREMS["concentrated-privacy/rate-attained"].kind
('lower', 'upper')
"""

from privcheck.bounds.concentrated_privacy import rates as rates  # isort: skip  (the order of registration is the order of ids)
from privcheck.bounds.concentrated_privacy import raised_arm as raised_arm  # isort: skip
from privcheck.bounds.concentrated_privacy import minimax as minimax  # isort: skip
