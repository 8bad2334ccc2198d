"""Privacy tests for your own repository: assertions, a pytest plugin, hypothesis strategies and a state machine.

>>> from privcheck.testing import assert_sensitivity
>>> assert_sensitivity(lambda rewards: rewards[:, 0].sum(), 1.0, horizon=4)
1.0

Installed with the extra `privcheck[testing]`. The assertions need neither pytest nor hypothesis.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from privcheck.testing.assertion import PrivacyFailure
    from privcheck.testing.bandit_machine import BanditMachine
    from privcheck.testing.certificate_assertion import assert_certified
    from privcheck.testing.instance_strategies import arm_sets, bandit_instances, budgets, contexts, mechanisms
    from privcheck.testing.law_assertion import assert_law
    from privcheck.testing.post_processing_assertion import assert_unchanged_by
    from privcheck.testing.privacy_assertion import assert_private
    from privcheck.testing.profiles import load_profile
    from privcheck.testing.regret_assertion import assert_regret_below
    from privcheck.testing.sensitivity_assertion import assert_sensitivity
    from privcheck.testing.table_strategies import neighbouring_tables, reward_tables

__all__ = [
    "BanditMachine",
    "PrivacyFailure",
    "arm_sets",
    "assert_certified",
    "assert_law",
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
    "PrivacyFailure": "assertion",
    "assert_certified": "certificate_assertion",
    "assert_law": "law_assertion",
    "assert_private": "privacy_assertion",
    "assert_regret_below": "regret_assertion",
    "assert_sensitivity": "sensitivity_assertion",
    "assert_unchanged_by": "post_processing_assertion",
    "neighbouring_tables": "table_strategies",
    "reward_tables": "table_strategies",
    "arm_sets": "instance_strategies",
    "bandit_instances": "instance_strategies",
    "budgets": "instance_strategies",
    "contexts": "instance_strategies",
    "mechanisms": "instance_strategies",
    "BanditMachine": "bandit_machine",
    "load_profile": "profiles",
}


def __getattr__(name: str) -> Any:
    """Import on first use: the plugin is loaded in every run of pytest, and only some tests need hypothesis."""
    if name in _HOMES:
        return getattr(importlib.import_module(f"privcheck.testing.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
