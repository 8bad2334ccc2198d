"""Results written as JSON and read back: plain types only, infinities as "inf"."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from functools import lru_cache
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from privcheck.errors import PrivcheckError, words

SCHEMA_VERSION = 2
"""What is written. Version 1 differs in one value: the coverage of a certificate was called "all-executions"."""

READABLE_VERSIONS = (1, SCHEMA_VERSION)

T = TypeVar("T")


def plain(value: Any) -> Any:
    """Turn dataclasses, numpy values, tuples and infinities into types that JSON has.

    A field with the metadata `json` is written as the attribute that this names, and one with the metadata `json_too`
    is followed by the attribute that this names, unless it is empty.

    >>> plain({"epsilon": float("inf"), "means": np.array([0.5, 1.0])})
    {'epsilon': 'inf', 'means': [0.5, 1.0]}
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        found = {}
        for field in dataclasses.fields(value):
            name, too = field.metadata.get("json", field.name), field.metadata.get("json_too")
            found[name] = plain(getattr(value, name))
            if too and (more := getattr(value, too)):
                found[too] = plain(more)
        return found
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value


def to_json(value: Any) -> str:
    """Return the JSON text of a result, `schema_version` first.

    >>> to_json({"verdict": None})
    '{"schema_version": 2, "verdict": null}'
    """
    return json.dumps({"schema_version": SCHEMA_VERSION} | plain(value), allow_nan=False)


def from_json(text: str, kind: type, expected: str) -> dict[str, Any]:
    """Return the fields of a dataclass as plain values, from text that `to_json` returned.

    Raises
    ------
    PrivcheckError : text that is not JSON, another schema, unknown or missing fields.

    Examples
    --------
    >>> Place = dataclasses.make_dataclass("Place", ["arm"])
    >>> from_json(to_json(Place(1)), Place, "a place")
    {'arm': 1}
    """
    try:
        content: Any = json.loads(text, parse_constant=_no_constant)
    except (TypeError, ValueError, RecursionError):
        raise PrivcheckError("text", words("text that is not JSON"), expected) from None
    version = content.pop("schema_version", None) if isinstance(content, dict) else None
    if not isinstance(content, dict) or type(version) is not int or version not in READABLE_VERSIONS:
        raise PrivcheckError("text", words("JSON of another kind"), f"{expected}, schema_version {readable_versions()}")
    check_fields(content, kind, expected)
    return content


def readable_versions() -> str:
    """Return the versions that can be read, in words.

    >>> readable_versions()
    '1 or 2'
    """
    return " or ".join(map(str, READABLE_VERSIONS))


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def check_fields(content: dict[str, Any], kind: type, expected: str) -> None:
    """Refuse unknown fields of a dataclass, and missing fields that it requires.

    >>> check_fields({"arms": 1}, dataclasses.make_dataclass("Place", ["arm"]), "a place")
    Traceback (most recent call last):
    privcheck.errors.PrivcheckError: text: got unknown or missing fields: arm, arms, expected a place
    """
    if not isinstance(content, dict):
        raise PrivcheckError("text", words("fields of the wrong type"), expected)
    fields = dataclasses.fields(kind)
    known = {field.name for field in fields}
    needed = {field.name for field in fields if field.default is field.default_factory is dataclasses.MISSING}
    wrong = sorted((set(content) - known) | (needed - set(content)))
    if wrong:
        raise PrivcheckError("text", words(f"unknown or missing fields: {', '.join(wrong)}"), expected)


ILL_TYPED = TypeError, ValueError, KeyError, AttributeError, IndexError, OverflowError
"""Exceptions that fields of the wrong type may cause."""


def number(value: Any) -> Any:
    """Turn "inf" and "-inf" back into floats, and return anything else unchanged.

    >>> number("-inf"), number("a"), number(1)
    (-inf, 'a', 1)
    """
    return {"inf": math.inf, "-inf": -math.inf}.get(value, value) if isinstance(value, str) else value


def well_typed(instance: T) -> T:
    """Return a dataclass instance whose values, however deep, have the types that its fields declare.

    A number is no text and no truth value, an integer is an int, and a float may be infinite but not NaN. Arrays and
    fields of type Any are the concern of whoever reads them.

    Raises
    ------
    TypeError : a value of another type; the message names the field.

    Examples
    --------
    >>> Place = dataclasses.make_dataclass("Place", [("arm", int), ("mean", float)])
    >>> well_typed(Place(1, 0.5))
    Place(arm=1, mean=0.5)
    >>> well_typed(Place("1", 0.5))
    Traceback (most recent call last):
    TypeError: arm is '1'
    """
    kind: Any = type(instance)
    for name, hint in _hints(kind).items():
        value = getattr(instance, name)
        if not _has_type(value, hint):
            raise TypeError(f"{name} is {str(value)[:40]!r}")
    return instance


@lru_cache(maxsize=64)
def _hints(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}


def _has_type(value: Any, hint: Any) -> bool:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        well_typed(value)
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(_has_type(value, option) for option in inner)
    if origin is tuple and inner[-1:] != (...,):
        return isinstance(value, tuple) and len(value) == len(inner) and all(map(_has_type, value, inner))
    if origin in (tuple, list):
        return isinstance(value, origin) and all(_has_type(item, inner[0]) for item in value)
    if origin in (dict, Mapping):
        return isinstance(value, Mapping) and all(_has_type(item, inner[1]) for item in value.values())
    if hint in (int, float):
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        return isinstance(value, int) if hint is int else not math.isnan(float(value))
    return hint is Any or isinstance(value, origin or hint)


def array(value: Any) -> Any:
    """Return a rectangular list of numbers, "inf" and "-inf" as a float array; text and truth values are none.

    >>> array([[1, 0.5]]).tolist(), array(["inf"]).tolist()
    ([[1.0, 0.5]], [inf])
    >>> array(["1"])
    Traceback (most recent call last):
    ValueError: numbers expected
    """
    return np.array([_numbers(item) for item in value], float)


def _numbers(value: Any) -> Any:
    if isinstance(value, list):
        return [_numbers(item) for item in value]
    found = number(value)
    if isinstance(found, bool) or not isinstance(found, int | float) or math.isnan(float(found)):
        raise ValueError("numbers expected")
    return found
