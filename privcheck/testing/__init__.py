"""Privacy tests for your own repository: assertions, a pytest plugin, hypothesis strategies and a state machine.

>>> from privcheck.testing import assert_sensitivity
>>> assert_sensitivity(lambda rewards: rewards[:, 0].sum(), 1.0, horizon=4)
1.0

Installed with the extra `privcheck[testing]`. The assertions need neither pytest nor hypothesis.
"""

from typing import Any

import lazy_loader

_loaded, __dir__, _ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    try:
        return _loaded(name)
    except ModuleNotFoundError as error:
        from privcheck.extras import PACKAGES, require_extra

        if error.name in PACKAGES["testing"]:
            require_extra("testing", f"privcheck.testing.{name}")
        raise


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
