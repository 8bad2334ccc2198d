"""Instances of the settings other than a bandit with independent arms and an epsilon, each a small declared class.

>>> [setting.__name__ for setting in (ConcentratedInstance, LinearInstance, ContextualInstance, SemiBanditInstance)]
['ConcentratedInstance', 'LinearInstance', 'ContextualInstance', 'SemiBanditInstance']
"""

from typing import Any

from privcheck.bounds._instance import Instance
from privcheck.bounds.settings.concentrated_instance import ConcentratedInstance
from privcheck.bounds.settings.contextual_instance import ContextualInstance
from privcheck.bounds.settings.linear_instance import LinearInstance
from privcheck.bounds.settings.semi_bandit_instance import SemiBanditInstance

__all__ = ["ConcentratedInstance", "ContextualInstance", "LinearInstance", "SemiBanditInstance"]

INSTANCE_CLASSES: tuple[Any, ...] = (
    Instance,
    ConcentratedInstance,
    ContextualInstance,
    LinearInstance,
    SemiBanditInstance,
)
"""One class for each setting, the bandit with independent arms first."""
