"""Results written as JSON and read back: plain types only, infinities as "inf"."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Hashable, Mapping
from functools import lru_cache
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from privcheck.errors import PrivcheckError, words
from privcheck.schema_versions import GROWING, SCHEMA_VERSION, readable_versions, version_of

T = TypeVar("T")


@dataclasses.dataclass(frozen=True)
class Make:
    """Makes an instance of a dataclass of fields as they stand in JSON, of which some may have been revived.

    Parameters
    ----------
    kind : the dataclass.
    version : of the file.
    hooks : what is read otherwise.
    """

    kind: Any
    version: int
    hooks: Hooks

    def __call__(self, fields: dict[str, Any]) -> Any:
        """Return the instance."""
        hints, fields = _hints(self.kind), known_fields(fields, self.kind, self.version)
        values = {name: revived(of, hints.get(name, Any), self.hooks, self.version) for name, of in fields.items()}
        return self.kind(**values)


Hooks = Mapping[type, Callable[[dict[str, Any], Make], Any]]
"""For dataclasses whose JSON has another shape, or to which more applies than their types: what returns an instance,
given the JSON object and what makes an instance of fields that have the usual shape.
"""


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
    '{"schema_version": 3, "verdict": null}'
    """
    return json.dumps({"schema_version": SCHEMA_VERSION} | plain(value), allow_nan=False)


def read_json(text: str, kind: type[T], expected: str, hooks: Hooks | None = None) -> T:
    """Return the instance of a dataclass from text that `to_json` returned.

    Parameters
    ----------
    text : JSON of any version that can be read.
    kind : the dataclass; its fields and their types say how the JSON is read: see `revived`.
    expected : what a refusal names.
    hooks : what is read otherwise: see `revived`.

    Raises
    ------
    PrivcheckError : text that is not JSON, another version, missing or ill-typed fields, or unknown ones in a file of a
        version to which none have been added.

    Examples
    --------
    >>> Place = dataclasses.make_dataclass("Place", [("arm", int), ("means", tuple[float, ...], ())])
    >>> read_json(to_json(Place(1, (0.5, math.inf))), Place, "a place")
    Place(arm=1, means=(0.5, inf))
    >>> read_json('{"schema_version": 1, "arm": 1}', Place, "a place")
    Place(arm=1, means=())
    """
    try:
        content: Any = parsed(text)
    except (TypeError, ValueError, RecursionError):
        raise PrivcheckError("text", words("text that is not JSON"), expected) from None
    if (version := version_of(content)) is None:
        raise PrivcheckError("text", words("JSON of another kind"), f"{expected}, schema_version {readable_versions()}")
    del content["schema_version"]
    return read_fields(content, kind, expected, hooks, version)


def read_fields(
    content: Any, kind: type[T], expected: str, hooks: Hooks | None = None, version: int = SCHEMA_VERSION
) -> T:
    """Return the same from JSON that was parsed already, without its `schema_version`."""
    check_fields(content, kind, expected, version)
    try:
        found: T = well_typed(revived(content, kind, hooks, version))
    except ILL_TYPED as error:
        raise PrivcheckError("text", words(f"fields of the wrong type: {error}"), expected) from None
    return found


def parsed(text: str) -> Any:
    """Return what JSON holds.

    Raises
    ------
    ValueError : text that is none, also because of NaN, or of a name that stands twice in an object: which of the two
        values counts is anybody's guess.

    >>> parsed('{"verdict": "violation", "verdict": "consistent"}')
    Traceback (most recent call last):
    ValueError: verdict stands twice
    """
    return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_named_once)


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)[:40]} stands twice")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def check_fields(content: dict[str, Any], kind: type, expected: str, version: int = SCHEMA_VERSION) -> None:
    """Refuse missing fields that a dataclass requires, and unknown ones in a file of a version that has no more.

    >>> Place = dataclasses.make_dataclass("Place", ["arm"])
    >>> check_fields({"arm": 1, "arms": 1}, Place, "a place")
    >>> check_fields({"arms": 1}, Place, "a place")
    Traceback (most recent call last):
    privcheck.errors.PrivcheckError: text: got unknown or missing fields: arm, expected a place
    >>> check_fields({"arms": 1}, Place, "a place", version=2)
    Traceback (most recent call last):
    privcheck.errors.PrivcheckError: text: got unknown or missing fields: arm, arms, expected a place
    """
    if not isinstance(content, dict):
        raise PrivcheckError("text", words("fields of the wrong type"), expected)
    fields = dataclasses.fields(kind)
    needed = {field.name for field in fields if field.default is field.default_factory is dataclasses.MISSING}
    wrong = sorted((set(known_fields(content, kind, version)) - _names(kind)) | (needed - set(content)))
    if wrong:
        raise PrivcheckError("text", words(f"unknown or missing fields: {', '.join(wrong)}"), expected)


def known_fields(content: dict[str, Any], kind: type, version: int) -> dict[str, Any]:
    """Return the fields of a JSON object without those that a later privcheck may have added."""
    if version < GROWING:
        return content
    return {name: value for name, value in content.items() if name in _names(kind)}


def _names(kind: Any) -> set[str]:
    return {field.name for field in dataclasses.fields(kind)}


ILL_TYPED = TypeError, ValueError, KeyError, AttributeError, IndexError, OverflowError
"""Exceptions that fields of the wrong type may cause."""


def number(value: Any) -> Any:
    """Turn "inf" and "-inf" back into floats, and return anything else unchanged.

    >>> number("-inf"), number("a"), number(1)
    (-inf, 'a', 1)
    """
    return {"inf": math.inf, "-inf": -math.inf}.get(value, value) if isinstance(value, str) else value


def revived(value: Any, hint: Any, hooks: Hooks | None = None, version: int = SCHEMA_VERSION) -> Any:
    """Return what a value of parsed JSON stands for, where a type is declared: the inverse of `plain`.

    "inf" becomes a float where one is declared, a list a tuple or an array, an object an instance of a dataclass. A
    value that fits no declaration is left as it is: `well_typed` refuses it.

    Parameters
    ----------
    value : parsed JSON; what has been revived already stays as it is.
    hint : the declared type.
    hooks : what is read otherwise, by dataclass.
    version : of the file.

    Raises
    ------
    TypeError, ValueError, KeyError, ... : `ILL_TYPED`, of a constructor or a hook.

    Examples
    --------
    >>> revived([[1, "inf"], [2, 3]], tuple[tuple[int, float], ...])
    ((1, inf), (2, 3))
    >>> revived("inf", str | None)
    'inf'
    """
    hint = without_alias(hint)
    origin, inner = get_origin(hint), get_args(hint)
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        make = Make(hint, version, hooks or {})
        return make.hooks.get(hint, _usual)(value, make) if isinstance(value, dict) else value
    if origin in (Union, UnionType):
        options = [option for option in inner if option is not NoneType]
        return value if value is None or len(options) > 1 else revived(value, options[0], hooks, version)
    if hint is float:
        return number(value)
    if origin is np.ndarray and isinstance(value, list):
        return _of_numbers(array(value), get_args(inner[1])[0])
    if origin in (dict, Mapping) and isinstance(value, dict):
        return {name: revived(item, inner[1], hooks, version) for name, item in value.items()}
    if not isinstance(value, list):
        return value
    if origin is tuple and inner[-1:] != (...,):
        kinds = inner if len(inner) == len(value) else [Any] * len(value)
        return tuple(revived(item, kind, hooks, version) for item, kind in zip(value, kinds, strict=True))
    if origin in (tuple, list):
        return origin(revived(item, inner[0], hooks, version) for item in value)
    return tuple(value) if hint is Hashable else value


def _of_numbers(found: Any, kind: Any) -> Any:
    """Return numbers in the type of an array, which may be one of integers."""
    with np.errstate(invalid="ignore"):  # too large ones are refused
        kept = found.astype(kind)
    if not np.array_equal(kept, found):
        raise ValueError("integers expected")
    return kept


def _usual(content: dict[str, Any], make: Make) -> Any:
    return make(content)


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


def without_alias(hint: Any) -> Any:
    """Return the type for which a declared one is a name, as `NDArray[float64]` is one since numpy 2.5.

    >>> import numpy.typing as npt
    >>> get_origin(without_alias(npt.NDArray[np.float64])) is np.ndarray, without_alias(list[int])
    (True, list[int])
    """
    named = getattr(get_origin(hint), "__value__", None)
    return hint if named is None else named[get_args(hint)]


def _has_type(value: Any, hint: Any) -> bool:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        well_typed(value)
    hint = without_alias(hint)
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
