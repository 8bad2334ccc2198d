"""Shariff & Sheffet 2018, "Differentially Private Contextual Linear Bandits".

>>> from privcheck.bounds import THEOREMS
>>> THEOREMS["shariff-sheffet-2018/prop11"].kind
'upper'
"""

from privcheck.bounds.shariff_sheffet_2018 import noise as noise  # isort: skip  (the order of registration is the order of ids)
from privcheck.bounds.shariff_sheffet_2018 import linucb_regret as linucb_regret  # isort: skip
from privcheck.bounds.shariff_sheffet_2018 import lower as lower  # isort: skip
