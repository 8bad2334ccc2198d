"""Every paper's theorems, registered in this order.

>>> from bounds.theorem import THEOREMS
>>> next(iter(THEOREMS))
'azize-basu-2022/thm3'
"""

from bounds import azize_basu_2022 as azize_basu_2022  # isort: skip
from bounds.jourdan_azize_2025 import stopping_time as stopping_time  # isort: skip
