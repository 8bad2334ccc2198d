"""Deep copies of policies: what `copy.deepcopy` makes, in a fraction of its time."""

from __future__ import annotations

import copy
import copyreg
import types
from functools import lru_cache
from typing import Any

import numpy as np

from privcheck.private_values import Private

ATOMS: frozenset[Any] = frozenset(
    {
        int, float, bool, complex, str, bytes, type(None), range, type, types.FunctionType, types.BuiltinFunctionType,
        np.float64, np.int64, np.bool_,
    }
)  # fmt: skip
"""Classes of objects of which a copy is the object itself, or equal to it and never changed."""


def deep_copy(value: Any, memo: dict[int, Any]) -> Any:
    """Return what `copy.deepcopy` returns; the guard copies a policy in every other call.

    Lists, dictionaries, arrays, private values and objects that hold nothing but attributes are copied here, and
    whatever says how it is copied, or holds something else, by `copy.deepcopy`.

    Parameters
    ----------
    memo : that of `copy.deepcopy`: copies by the number (`id`) of what was copied. What is in it already is not copied.

    Examples
    --------
    >>> row = [0.5, 1.5]
    >>> one, two = deep_copy([row, row], {})
    >>> one, one is two, one is row
    ([0.5, 1.5], True, False)
    """
    kind: Any = type(value)  # mypy takes classes for unhashable because their objects may be
    if kind in ATOMS:
        return value
    found = memo.get(id(value), memo)
    if found is not memo:
        return found
    made: Any
    if kind is list:
        memo[id(value)] = made = []
        for part in value:
            made.append(part if type(part) in ATOMS else deep_copy(part, memo))
    elif kind is dict:
        memo[id(value)] = made = {}
        for key, part in value.items():
            key = key if type(key) in ATOMS else deep_copy(key, memo)
            made[key] = part if type(part) in ATOMS else deep_copy(part, memo)
    elif kind is np.ndarray and not value.dtype.hasobject:
        memo[id(value)] = made = value.copy("K")
    elif kind is Private:
        memo[id(value)] = made = value.copy()
    elif _holds_attributes_alone(kind) and not hasattr(value, "__deepcopy__"):
        memo[id(value)] = made = object.__new__(kind)
        state = made.__dict__
        for name, part in vars(value).items():
            state[name] = part if type(part) in ATOMS else deep_copy(part, memo)
    else:
        return copy.deepcopy(value, memo)
    memo.setdefault(id(memo), []).append(value)  # as `copy.deepcopy` does: it lives as long as its number is known
    return made


class _Plain:
    """A class whose objects hold attributes and nothing else."""


@lru_cache(maxsize=512)
def _holds_attributes_alone(cls: Any) -> bool:
    """Return whether objects of a class are copied by copying their attributes.

    >>> class Policy:
    ...     pass
    >>> class Careful(Policy):
    ...     def __setstate__(self, state):
    ...         self.copied = True
    >>> [_holds_attributes_alone(cls) for cls in (Policy, Careful, list, type(print))]
    [True, False, False, False]
    """
    layout = ("__basicsize__", "__itemsize__", "__dictoffset__")
    if any(getattr(cls, name) != getattr(_Plain, name) for name in layout):
        return False
    own = ("__new__", "__reduce__", "__reduce_ex__", "__getstate__")
    says_how = ("__setstate__", "__getnewargs__", "__getnewargs_ex__")
    if cls in copyreg.dispatch_table or any(hasattr(cls, name) for name in says_how):
        return False
    return all(getattr(cls, name) is getattr(object, name) for name in own)
