"""Bandits under local differential privacy, where every reward leaves its owner as a private report. Derived here.

>>> from privcheck.bounds import THEOREMS
>>> THEOREMS["local-privacy/rate"].kind, THEOREMS["local-privacy/rate-attained"].kind
('lower', 'upper')
"""

from privcheck.bounds.local_privacy import rates as rates
