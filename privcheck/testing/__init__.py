"""Privacy tests for your own repository: assertions, a pytest plugin, hypothesis strategies and a state machine.

>>> from privcheck.testing import assert_sensitivity
>>> assert_sensitivity(lambda rewards: rewards[:, 0].sum(), 1.0, horizon=4)
1.0

Installed with the extra `privcheck[testing]`. The assertions need neither pytest nor hypothesis.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from privcheck.testing.running import PrivacyFailure

if TYPE_CHECKING:
    from privcheck.testing.certified import assert_certified
    from privcheck.testing.instances import arm_sets, bandit_instances, budgets, contexts, mechanisms
    from privcheck.testing.machine import BanditMachine
    from privcheck.testing.private import assert_private
    from privcheck.testing.profiles import load_profile
    from privcheck.testing.regret import assert_regret_below
    from privcheck.testing.sensitivity import assert_sensitivity
    from privcheck.testing.tables import neighbouring_tables, reward_tables
    from privcheck.testing.unchanged import assert_unchanged_by

__all__ = [
    "BanditMachine",
    "PrivacyFailure",
    "arm_sets",
    "assert_certified",
    "assert_private",
    "assert_regret_below",
    "assert_sensitivity",
    "assert_unchanged_by",
    "bandit_instances",
    "budgets",
    "contexts",
    "load_profile",
    "mechanisms",
    "neighbouring_tables",
    "reward_tables",
]

_HOMES = {
    "assert_certified": "certified",
    "assert_private": "private",
    "assert_regret_below": "regret",
    "assert_sensitivity": "sensitivity",
    "assert_unchanged_by": "unchanged",
    "neighbouring_tables": "tables",
    "reward_tables": "tables",
    "arm_sets": "instances",
    "bandit_instances": "instances",
    "budgets": "instances",
    "contexts": "instances",
    "mechanisms": "instances",
    "BanditMachine": "machine",
    "load_profile": "profiles",
}


def __getattr__(name: str) -> Any:
    """Import on first use: the plugin is loaded in every run of pytest, and only some tests need hypothesis."""
    if name in _HOMES:
        return getattr(importlib.import_module(f"privcheck.testing.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
