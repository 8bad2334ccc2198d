"""Instances of the settings other than a bandit with independent arms and an epsilon, each a small declared class.

>>> [setting.__name__ for setting in (ConcentratedInstance, LinearInstance, ContextualInstance, SemiBanditInstance)]
['ConcentratedInstance', 'LinearInstance', 'ContextualInstance', 'SemiBanditInstance']
"""

from collections.abc import Collection
from typing import Any

from privcheck.bounds._instance import Instance
from privcheck.bounds.settings.concentrated_instance import ConcentratedInstance
from privcheck.bounds.settings.contextual_instance import ContextualInstance
from privcheck.bounds.settings.linear_instance import LinearInstance
from privcheck.bounds.settings.semi_bandit_instance import SemiBanditInstance
from privcheck.declared import declared_fields

__all__ = ["ConcentratedInstance", "ContextualInstance", "LinearInstance", "SemiBanditInstance"]

_CLASSES: tuple[Any, ...] = (Instance, ConcentratedInstance, ContextualInstance, LinearInstance, SemiBanditInstance)


def instance_class(keys: Collection[str]) -> Any:
    """Return the class of the setting that has most of these fields; on a tie, a bandit with independent arms.

    >>> instance_class(["means", "rho"]).__name__, instance_class(["means"]).__name__
    ('ConcentratedInstance', 'Instance')
    """
    return max(_CLASSES, key=lambda cls: len({declared.name for declared in declared_fields(cls)} & set(keys)))
