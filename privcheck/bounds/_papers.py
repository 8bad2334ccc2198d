"""Every paper's theorems, and then our own, registered in this order.

>>> from privcheck.bounds import THEOREMS
>>> next(iter(THEOREMS))
'azize-basu-2022/thm3'
"""

from privcheck.bounds import azize_basu_2022 as azize_basu_2022  # isort: skip
from privcheck.bounds import hu_2021 as hu_2021  # isort: skip
from privcheck.bounds import shariff_sheffet_2018 as shariff_sheffet_2018  # isort: skip
from privcheck.bounds.jourdan_azize_2025 import stopping_time as stopping_time  # isort: skip
from privcheck.bounds import chen_2020 as chen_2020  # isort: skip
from privcheck.bounds import pure_privacy as pure_privacy  # isort: skip
from privcheck.bounds import local_privacy as local_privacy  # isort: skip
from privcheck.bounds import finite_time as finite_time  # isort: skip
from privcheck.bounds import concentrated_privacy as concentrated_privacy  # isort: skip
