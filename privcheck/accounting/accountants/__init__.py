"""Accountants: the ways of adding up charges that hold under fully adaptive composition, one file each.

>>> accountant("zcdp").id, "rdp" in ACCOUNTANTS
('zcdp', True)
"""

from privcheck.accounting.accountants.base import ACCOUNTANTS, Accountant, accountant

__all__ = ["ACCOUNTANTS", "Accountant", "accountant"]
