"""Results as JSON: plain types only, infinities as "inf"."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

import numpy as np

SCHEMA_VERSION = 1


def plain(value: Any) -> Any:
    """Turn dataclasses, numpy values, tuples and infinities into what JSON can hold.

    >>> plain({"epsilon": float("inf"), "means": np.array([0.5, 1.0])})
    {'epsilon': 'inf', 'means': [0.5, 1.0]}
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
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
