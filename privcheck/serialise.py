"""Results written as JSON and read back: plain types only, infinities as "inf"."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

import numpy as np

from privcheck.errors import PrivcheckError, words

SCHEMA_VERSION = 1


def plain(value: Any) -> Any:
    """Turn dataclasses, numpy values, tuples and infinities into types that JSON has.

    A field with the metadata `json` is written as the attribute that this names.

    >>> plain({"epsilon": float("inf"), "means": np.array([0.5, 1.0])})
    {'epsilon': 'inf', 'means': [0.5, 1.0]}
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.metadata.get("json", field.name) for field in dataclasses.fields(value)]
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, dict):
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
    '{"schema_version": 1, "verdict": null}'
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
        content = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        raise PrivcheckError("text", words("text that is not JSON"), expected) from None
    if not isinstance(content, dict) or content.pop("schema_version", None) != SCHEMA_VERSION:
        raise PrivcheckError("text", words("JSON of another kind"), f"{expected}, schema_version {SCHEMA_VERSION}")
    check_fields(content, kind, expected)
    return content


def check_fields(content: dict[str, Any], kind: type, expected: str) -> None:
    """Refuse unknown fields of a dataclass, and missing fields that it requires.

    >>> check_fields({"arms": 1}, dataclasses.make_dataclass("Place", ["arm"]), "a place")
    Traceback (most recent call last):
    privcheck.errors.PrivcheckError: text: got unknown or missing fields: arm, arms, expected a place
    """
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
