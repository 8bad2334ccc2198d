"""Azize & Basu 2022, "When Privacy Meets Partial Information": regret bounds and the lemma behind them.

Ids without a suffix are the paper's statements as printed; "-tight", "-corrected", "-sharp", "-kl" and the other
suffixes are ours.

>>> from privcheck.bounds import THEOREMS
>>> THEOREMS["azize-basu-2022/thm3"].kind
'lower'
"""

from privcheck.bounds.azize_basu_2022 import problem_dependent as problem_dependent  # isort: skip  (the order of registration is the order of ids)
from privcheck.bounds.azize_basu_2022 import lemma as lemma  # isort: skip
from privcheck.bounds.azize_basu_2022 import adap_kl_ucb_regret as adap_kl_ucb_regret  # isort: skip
from privcheck.bounds.azize_basu_2022 import minimax as minimax  # isort: skip
from privcheck.bounds.azize_basu_2022 import linear_bandits as linear_bandits  # isort: skip
