"""Outputs of any type as symbols and numbers: integers and reals as they are, everything else by a code of its own.

Whatever an observer computes from an output is post-processing, so any fixed encoding gives valid bounds; one that
keeps different outputs apart loses nothing. The code of a text depends on the text alone, never on the other runs: an
event that was chosen on some runs means the same in others.
"""

from __future__ import annotations

import dataclasses
import hashlib
import numbers
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import numpy as np

from privcheck.arrays import Array
from privcheck.errors import PolicyError, printable, words
from privcheck.targets._outputs import CODED, MISSING, Outputs, padded

RAISED = "the exception "
"""Begins the names of exceptions; those of texts begin with a quotation mark, of structures with a bracket."""

MOST_SHOWN = 60
"""Characters of a text that events show."""

PLAIN = re.compile(r"[dr]|\[[^\[\]{}]*\]")
"""Structures that need no symbol of their own: one number, or a flat list, whose length shows in its parts."""


def code_of(text: str) -> int:
    """Return the symbol of a text: the same in every run and in every process, at most `CODED`.

    >>> code_of("'a'") == code_of("'a'"), code_of("'a'") <= CODED
    (True, True)
    """
    return CODED - int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:7], "big")


ADDRESS = re.compile(r"\b0x[0-9a-fA-F]+")
"""Addresses of objects, which differ from run to run and say nothing."""

WRITTEN = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])")
"""Numbers in a message: they are parts of their own, so that messages that differ in nothing else have one symbol."""

MOST_WRITTEN = 8
"""Numbers of a message that are read."""


@dataclasses.dataclass(frozen=True)
class Raised:
    """An exception as an output: an observer sees its class, and its message only if that was asked for.

    Of a message, each number is a part of its own, and addresses of objects are left out.

    >>> Raised.by(ValueError("the sum was 3.1")).name
    'ValueError'
    >>> Raised.by(ValueError("the sum of <Data at 0x7f3a> was 3.1"), message=True)
    Raised(name='ValueError: the sum of <Data at 0x> was #', numbers=(3.1,))
    """

    name: str
    numbers: tuple[float, ...] = ()

    @classmethod
    def by(cls, error: BaseException, *, message: bool = False) -> Raised:
        """Return the output of a run that raised this exception."""
        kind = type(error)
        name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
        if not message:
            return cls(name)
        text = ADDRESS.sub("0x", str(error))
        return cls(f"{name}: {WRITTEN.sub('#', text)}", tuple(map(float, WRITTEN.findall(text)[:MOST_WRITTEN])))

    def __str__(self) -> str:
        return f"{RAISED}{self.name}"


class Parts:
    """The parts of one output after the other, each list in its order within an output.

    Parameters
    ----------
    names : what codes stand for, which grows.
    """

    def __init__(self, names: dict[int, str]) -> None:
        self.names = names
        self.symbols: list[int] = []
        self.numbers: list[float] = []

    def add(self, output: Any) -> str:
        """Append the parts of an output, and return its structure: "d" and "r" for a symbol and a real number."""
        _refuse_attributes(output)
        if isinstance(output, bool | np.bool_ | numbers.Integral):
            return self._integer(int(output))
        if isinstance(output, numbers.Real | Decimal):
            return self._real(float(output))
        if isinstance(output, numbers.Complex):
            return f"[{self._real(complex(output).real)},{self._real(complex(output).imag)}]"
        if isinstance(output, Raised):
            parts = [self._text(str(output)), *map(self._real, output.numbers)]
            return f"[{','.join(parts)}]" if output.numbers else parts[0]
        if output is None or isinstance(output, str | bytes | np.datetime64 | np.timedelta64):
            return self._text(repr(output if not isinstance(output, np.generic) else output.tolist()))
        if isinstance(output, np.ndarray):
            return self.add(output.tolist())
        if isinstance(output, Mapping):
            parts = [f"{key!r}:{self.add(value)}" for key, value in output.items()]
            return "{" + ",".join(parts) + "}"
        if isinstance(output, list | tuple):
            return "[" + ",".join([self.add(part) for part in output]) + "]"
        if isinstance(output, set | frozenset):
            return "{" + ",".join([self.add(part) for part in sorted(output, key=repr)]) + "}"
        if dataclasses.is_dataclass(output) and not isinstance(output, type):
            return self.add({field.name: getattr(output, field.name) for field in dataclasses.fields(output)})
        hint = "give encode=f, where f(output) returns numbers, text, or lists and dicts of them"
        raise PolicyError("output", words(f"an object of type {type(output).__name__}"), EXPECTED, hint)

    def _integer(self, value: int) -> str:
        if not CODED < value < 2**63:
            return self._text(repr(value))
        self.symbols.append(value)
        return "d"

    def _real(self, value: float) -> str:
        if value != value:
            self._text("NaN")
        self.numbers.append(value)
        return "r"

    def _text(self, text: str) -> str:
        code = code_of(text)
        if code not in self.names:
            self.names[code] = printable(text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}...")
        self.symbols.append(code)
        return "d"


def _refuse_attributes(output: Any) -> None:
    """Refuse a number or a collection with attributes of its own, which whoever receives it can read."""
    held = getattr(output, "__dict__", None)
    if not held or isinstance(output, type | Raised):
        return
    fields = {field.name for field in dataclasses.fields(output)} if dataclasses.is_dataclass(output) else ()
    unread = [name for name in held if name not in fields]
    if unread:
        got = words(f"an object of type {type(output).__name__} with the attribute {unread[0]}")
        raise PolicyError("output", got, EXPECTED, "give encode=f, where f(output) returns all that is published of it")


EXPECTED = "numbers, text, None, or arrays, lists, tuples, dicts and dataclasses of these"


def outputs_of(outputs: list[Any]) -> Outputs:
    """Return outputs of any types and lengths as symbols and numbers.

    A text, None, NaN or an exception is one symbol. An output with parts in parts, or with keys, begins with a symbol
    of its structure: which keys and how many parts. Values that a list lacks are `MISSING`, numbers NaN.

    >>> runs = outputs_of([{"mean": 0.5, "best": "a"}, {"mean": 0.7, "best": None}])
    >>> runs.symbols.shape, runs.numbers.ravel().tolist(), sorted(runs.names.values())
    ((2, 2), [0.5, 0.7], ["'a'", 'None', "{'mean':r,'best':d}"])
    >>> outputs_of([1.0, float("nan"), [2.0, 3.0]]).numbers.tolist()
    [[1.0, nan], [nan, nan], [2.0, 3.0]]
    """
    kinds = {type(output) for output in outputs}
    if kinds <= {float, np.float64}:
        values: Array = np.asarray(outputs, np.float64)[:, None]
        if not np.isnan(values).any():
            return Outputs.of_numbers(values)
    elif kinds <= {bool, int, np.bool_, np.int64} and all(CODED < output < 2**63 for output in outputs):
        return Outputs.of_symbols(np.asarray(outputs, np.int64)[:, None])
    symbols, reals, names = [], [], dict[int, str]()
    for output in outputs:
        parts = Parts(names)
        try:
            structure = parts.add(output)
        except RecursionError:
            raise PolicyError("output", words("an output that contains itself"), EXPECTED) from None
        if not PLAIN.fullmatch(structure):
            parts._text(structure)
            parts.symbols.insert(0, parts.symbols.pop())
        symbols.append(np.array(parts.symbols, np.int64)[None, :])
        reals.append(np.array(parts.numbers, np.float64)[None, :])
    return Outputs(np.concatenate(padded(symbols, MISSING)), np.concatenate(padded(reals, np.nan)), names=names)


def all_raised(outputs: Outputs) -> bool:
    """Tell whether every run raised an exception.

    >>> all_raised(outputs_of([Raised("ValueError")] * 2)), all_raised(outputs_of([Raised("ValueError"), "a"]))
    (True, False)
    """
    codes = [code for code, name in outputs.names.items() if name.startswith(RAISED)]
    return bool(codes) and bool(np.isin(outputs.symbols[:, 0], codes).all())


def named(text: str, names: Mapping[int, str]) -> str:
    """Return a text with what its codes stand for.

    >>> named(f"the output is {code_of('None')}", {code_of("None"): "None"})
    'the output is None'
    """
    return re.sub(r"-4[67]\d{17}\b", lambda found: names.get(int(found.group()), found.group()), text)
