"""Actions, rewards, contexts and noise as JSON, and back."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any

import numpy as np

from privcheck.accounting import ByDatum, Charge
from privcheck.errors import PrivcheckError, words

_SORTED = json.JSONEncoder(sort_keys=True).encode


def encoded(value: Any, name: str = "value") -> Any:
    """Return a value as JSON has it; tuples and arrays keep what they are.

    >>> encoded((1, np.array([0.5]))), decoded(encoded((1, np.array([0.5]))))
    ({'tuple': [1, {'array': [0.5], 'dtype': '<f8', 'shape': [1]}]}, (1, array([0.5])))
    """
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, np.generic) and _is_kept(value.dtype):
        return value.item()
    if isinstance(value, tuple):
        return {"tuple": [encoded(part, name) for part in value]}
    if isinstance(value, list):
        return [encoded(part, name) for part in value]
    if isinstance(value, np.ndarray) and _is_kept(value.dtype):
        return {"array": value.ravel().tolist(), "dtype": value.dtype.str, "shape": list(value.shape)}
    got = words(f"an object of type {type(value).__name__}")
    hint = "a ledger has to read it back after a restart: convert it first"
    raise PrivcheckError(name, got, "numbers, and lists, tuples and arrays of them", hint)


def _is_kept(dtype: np.dtype[Any]) -> bool:
    """Return whether numbers of this type are those of JSON; a longdouble has more digits."""
    return dtype.kind in "biuf" and dtype.itemsize <= 8


def decoded(value: Any) -> Any:
    """Return what was encoded."""
    if isinstance(value, list):
        return [decoded(part) for part in value]
    if isinstance(value, dict) and "tuple" in value:
        return tuple(decoded(part) for part in value["tuple"])
    if isinstance(value, dict):
        return np.array(value["array"], dtype=np.dtype(value["dtype"])).reshape(value["shape"])
    return value


def text_of(value: Any, name: str = "value") -> bytes:
    """Return a value as bytes that are equal for equal values."""
    try:
        if type(value) is tuple and all(
            type(part) is int or (type(part) is float and isfinite(part)) for part in value
        ):
            return f'{{"tuple": [{", ".join(map(repr, value))}]}}'.encode()  # the same, at a third of the time
        return _SORTED(encoded(value, name)).encode()
    except ValueError:
        got, expected = words("an integer of too many digits to be written"), "integers of at most 4,300 digits"
        raise PrivcheckError(name, got, expected) from None
    except RecursionError:
        expected = "numbers, and lists, tuples and arrays of them"
        raise PrivcheckError(name, words("lists within lists, too deep to be read"), expected) from None


def noise_as_bytes(output: Any) -> Any:
    """Return what a mechanism drew, for JSON, in a length that does not depend on the numbers.

    If it did, a disk that is full would take some numbers and no others, and select among the draws.

    >>> len({len(str(noise_as_bytes(number))) for number in (0.0, -1.5e-300, float("inf"))})
    1
    >>> noise_of_bytes(noise_as_bytes((-0.1, -3, True)))
    (-0.1, -3, True)
    """
    if type(output) is bool:
        return {"bool": "1" if output else "0"}
    if type(output) is int:
        return {"int": output.to_bytes(16, "big", signed=True).hex()}
    if type(output) is float:
        return {"float": np.float64(output).tobytes().hex()}
    if isinstance(output, tuple):
        return {"tuple": [noise_as_bytes(part) for part in output]}
    if isinstance(output, np.ndarray | np.generic) and output.dtype.kind in "biuf":
        kind = "array" if isinstance(output, np.ndarray) else "number"
        return {kind: output.tobytes().hex(), "dtype": output.dtype.str, "shape": list(output.shape)}
    got = words(f"an output of type {type(output).__name__}")
    raise PrivcheckError("mechanism", got, "numbers, and arrays and tuples of them", "a ledger has to read it back")


def noise_of_bytes(said: Any) -> Any:
    """Return what was drawn."""
    if "bool" in said:
        return said["bool"] == "1"
    if "int" in said:
        return int.from_bytes(bytes.fromhex(said["int"]), "big", signed=True)
    if "float" in said:
        return float(np.frombuffer(bytes.fromhex(said["float"]))[0])
    if "tuple" in said:
        return tuple(noise_of_bytes(part) for part in said["tuple"])
    kind = "array" if "array" in said else "number"
    found = np.frombuffer(bytes.fromhex(said[kind]), np.dtype(said["dtype"])).reshape(said["shape"])
    return found.copy() if kind == "array" else found[()]


def encoded_charges(charges: Any) -> list[Any]:
    """Return the charges of a release: numbers in hexadecimal, which is exact, with ranges of rounds and other data.

    >>> said = encoded_charges({1: Charge(0.5), 2: Charge(0.5), (4, 0): Charge(0.5)})
    >>> said[0]["data"], dict(decoded_charges(said)) == {1: Charge(0.5), 2: Charge(0.5), (4, 0): Charge(0.5)}
    ([[1, 2], {'tuple': [4, 0]}], True)
    """
    found = []
    for charge, data in ByDatum.of(charges).groups if charges else ():
        numbers = [float(getattr(charge, name)).hex() for name in ("epsilon", "rho", "mu", "delta")]
        found.append(
            {"charge": numbers, "data": _runs([*data] if isinstance(data, dict) else np.asarray(data).tolist())}
        )
    return found


def decoded_charges(said: list[Any]) -> ByDatum[Charge]:
    """Return the charges of a release."""
    found: dict[Any, Charge] = {}
    for group in said:
        charge = Charge.total(*(float.fromhex(number) for number in group["charge"]))
        for run in group["data"]:
            data = range(run[0], run[1] + 1) if isinstance(run, list) else [decoded(run)]
            found.update(dict.fromkeys(data, charge))
    return ByDatum.of(found)


def _runs(data: list[Any]) -> list[Any]:
    """Return data with rounds in a row as their first and last."""
    found: list[Any] = []
    for datum in data:
        if type(datum) is not int:
            found.append(encoded(datum))
        elif found and isinstance(found[-1], list) and found[-1][1] == datum - 1:
            found[-1][1] = datum
        else:
            found.append([datum, datum])
    return found
