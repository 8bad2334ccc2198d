"""Code of libraries that would refuse a number with noise where it takes one of numpy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from privcheck.certifying._primitives.unread_noise import UnreadNoise


def json_hook(original: Any) -> Any:
    """Return the hook of `json.JSONEncoder.default`: a number with noise is read, and arrays are refused."""

    def call(self: Any, one: Any) -> Any:
        return float(one) if type(one) is UnreadNoise and not one.ndim else original(self, one)

    return call


def in_place_hook(original: Any) -> Any:
    """Return the hook of pandas' method for `+=` and its like, which does not ask the other operand."""

    def call(self: Any, other: Any, operation: Callable[[Any, Any], Any]) -> Any:
        if type(other) is not UnreadNoise:
            return original(self, other, operation)
        reflected = getattr(other, f"__r{operation.__name__.strip('_')}__")
        return original(self, other, lambda table, _: reflected(table))

    return call
