"""Chen, Zheng, Zhou, Yang, Chen & Wang 2020, (locally) differentially private combinatorial semi-bandits.

>>> from privcheck.bounds import THEOREMS
>>> THEOREMS["chen-2020/thm5"].kind
'lower'
"""

from privcheck.bounds.chen_2020 import upper as upper  # isort: skip  (the order of registration is the order of ids)
from privcheck.bounds.chen_2020 import lower as lower  # isort: skip
