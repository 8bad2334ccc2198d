"""Accounting: charges, the ledger of releases, the filter that refuses a release before it overspends."""

from privcheck.accounting.budget import budget_of
from privcheck.accounting.charge import Charge
from privcheck.accounting.conversion import convert
from privcheck.accounting.filter import BudgetExceededError, BudgetFilter, ReleaseRefusedError
from privcheck.accounting.ledger import Ledger, Release
from privcheck.accounting.notions import Approximate, Concentrated, GaussianDP, Pure
from privcheck.accounting.plan import Account, Plan, PlannedRelease

__all__ = [
    "Account",
    "Approximate",
    "BudgetExceededError",
    "BudgetFilter",
    "Charge",
    "Concentrated",
    "GaussianDP",
    "Ledger",
    "Plan",
    "PlannedRelease",
    "Pure",
    "Release",
    "ReleaseRefusedError",
    "budget_of",
    "convert",
]
