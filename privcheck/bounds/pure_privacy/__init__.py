"""The rate of regret under pure differential privacy, attained. Derived here, beside what papers print.

>>> from privcheck.bounds import THEOREMS
>>> THEOREMS["pure-privacy/rate-attained"].kind
'upper'
"""

from privcheck.bounds.pure_privacy import attained_rate as attained_rate
