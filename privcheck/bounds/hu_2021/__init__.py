"""Hu, Huang, Mehta & Hegde, private online learning with stochastic rewards (first version 2021).

>>> from privcheck.bounds import THEOREMS
>>> THEOREMS["hu-2021/thm9"].provenance
'order-only'
"""

from privcheck.bounds.hu_2021 import bandit_regret as bandit_regret  # isort: skip  (the order of registration is the order of ids)
from privcheck.bounds.hu_2021 import full_information_regret as full_information_regret  # isort: skip
