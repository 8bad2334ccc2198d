"""Accounting: charges, the ledger of releases, and the filter that refuses a release before it overspends."""

from privcheck.accounting.charge import Charge
from privcheck.accounting.filter import BudgetExceededError, BudgetFilter, ReleaseRefusedError
from privcheck.accounting.ledger import Ledger, Release

__all__ = ["BudgetExceededError", "BudgetFilter", "Charge", "Ledger", "Release", "ReleaseRefusedError"]
