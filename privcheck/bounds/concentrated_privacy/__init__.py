"""Bandits under zCDP and Gaussian DP: the rate, regret at a horizon, and the worst instance. Derived here.

>>> from privcheck.bounds import THEOREMS
>>> THEOREMS["concentrated-privacy/rate"].kind, THEOREMS["concentrated-privacy/rate-attained"].kind
('lower', 'upper')
"""

from privcheck.bounds.concentrated_privacy import free_rate as free_rate  # isort: skip  (the order of registration is the order of ids)
from privcheck.bounds.concentrated_privacy import hidden_raise as hidden_raise  # isort: skip
from privcheck.bounds.concentrated_privacy import worst_instance as worst_instance  # isort: skip
