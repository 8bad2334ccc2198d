"""What may stand beside a private value in an operation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from privcheck.errors import PrivcheckError, words
from privcheck.private_values.terms import NOTHING

if TYPE_CHECKING:
    from privcheck.private_values.array import Private
    from privcheck.private_values.source import PrivateSource


def operand(value: Any) -> Private | None:
    """Return numbers, arrays, lists of them and private values as a `Private`; None for anything else."""
    from privcheck.private_values.array import Private

    if isinstance(value, Private):
        return value
    if isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.dtype.kind == "O"):
        parts = [operand(part) for part in value]
        known = [part for part in parts if part is not None]
        return gathered(known, [part.shape for part in known]) if len(known) == len(parts) > 0 else None
    if not isinstance(value, (bool, int, float, np.number, np.bool_, np.ndarray)):
        return None
    array = np.asarray(value)
    return Private.public(array) if array.dtype.kind in "biuf" else None


def gathered(parts: Sequence[Private], shapes: Sequence[tuple[int, ...]]) -> Private:
    """Return private values of one shape as one array, along a new first axis."""
    if len(set(shapes)) != 1:
        raise PrivcheckError("sequence of private values", words("different shapes"), "values of one shape")
    numbered = np.arange(sum(part.size for part in parts)).reshape(len(parts), *shapes[0])
    return picked(parts, numbered)


def picked(parts: Sequence[Private], numbers: Any) -> Private:
    """Return the array of the entries with these numbers, the entries of all parts being numbered in turn from 0."""
    from privcheck.private_values.array import Private

    terms, offset = NOTHING, 0
    for part in parts:
        positions = np.arange(part.size)
        terms = terms.plus(part.terms.spread(positions, positions + offset))
        offset += part.size
    const = np.concatenate([part._const.ravel() for part in parts])[numbers]
    inputs = np.asarray(numbers).ravel()
    return Private.make(joint_source(*parts), const, terms.spread(inputs, np.arange(inputs.size)))


def joint_source(*values: Private) -> PrivateSource | None:
    """Return the source of private values that are used together: they must come from one run."""
    found: PrivateSource | None = None
    for value in values:
        source = value.source
        if source is not None and found is not None and source is not found:
            hint = "private values of another run were kept: keep them in no class attribute or global"
            raise PrivcheckError("private values", words("values of two runs"), "values of the same run", hint)
        found = source or found
    return found
