"""Accountants: the ways of adding up charges that hold under fully adaptive composition, one file each.

>>> list(ACCOUNTANTS)
['gdp', 'pure', 'rdp', 'zcdp']
"""

from privcheck.accounting.accountants.base import ACCOUNTANTS, Accountant, accountant

__all__ = ["ACCOUNTANTS", "Accountant", "accountant"]
