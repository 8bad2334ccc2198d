"""Code of libraries that would refuse a number with noise where it takes one of numpy's."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from privcheck.certifying._primitives.hooks import Compiled
from privcheck.certifying._primitives.patching import Kept
from privcheck.certifying._primitives.unread_noise import UnreadNoise, read_all


def json_hook(original: Any) -> Any:
    """Return the hook of `json.JSONEncoder.default`: a number with noise is read, and arrays are refused."""

    def call(self: Any, one: Any) -> Any:
        return float(one) if type(one) is UnreadNoise else original(self, one)

    return call


def text_hook(original: Any) -> Any:
    """Return the hook of `json.JSONEncoder.iterencode`: noise is read before text is made of it."""

    def call(self: Any, one: Any, *args: Any, **kwargs: Any) -> Any:
        return original(self, read_all(one, "JSON"), *args, **kwargs)

    return call


def statistics_hook(original: Any) -> Any:
    """Return the hook of a sum in `statistics`, which makes its result of the type of its data."""

    def call(data: Any, *args: Any, **kwargs: Any) -> Any:
        return original((read_all(one, "statistics") for one in data), *args, **kwargs)

    return call


def in_place_hook(original: Any) -> Any:
    """Return the hook of pandas' method for `+=` and its like, which does not ask the other operand."""

    def call(self: Any, other: Any, operation: Callable[[Any, Any], Any]) -> Any:
        if not isinstance(other, UnreadNoise):
            return original(self, other, operation)
        reflected = getattr(other, f"__r{operation.__name__.strip('_')}__")
        return original(self, other, lambda table, _: reflected(table))

    return call


def stand_ins_of_pandas() -> list[tuple[Any, Any]]:
    """Return pandas' compiled functions that make columns of objects, with what reads noise in these before."""
    lib = getattr(sys.modules.get("pandas"), "_libs", None)
    if lib is None:
        return []
    functions = (lib.lib.maybe_convert_objects, lib.lib.map_infer, lib.lib.map_infer_mask)
    return [(function, Compiled(function, _reading(Kept(function)))) for function in functions]


def _reading(kept: Kept) -> Callable[..., Any]:
    """Return a function of objects, and of what makes others of them if it is given, with numbers where noise was."""

    def call(objects: Any, *made: Any, **options: Any) -> Any:
        functions = [(lambda one, of=of: read_all(of(one), "pandas")) if callable(of) else of for of in made]
        if objects.dtype == object and any(isinstance(one, UnreadNoise) for one in objects.flat):
            plain = np.empty(objects.shape, object)
            plain.flat[:] = [read_all(one, "pandas") for one in objects.flat]
            objects = plain
        return kept.function(objects, *functions, **options)

    return call
