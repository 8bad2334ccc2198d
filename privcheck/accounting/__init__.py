"""Accounting: charges, the ledger of releases, the filter that refuses a release before it overspends."""

import lazy_loader

__getattr__, __dir__, _ = lazy_loader.attach_stub(__name__, __file__)

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
