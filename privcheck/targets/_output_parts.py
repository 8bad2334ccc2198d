"""Outputs of any type as symbols and numbers: integers and reals as they are, everything else by a code of its own.

Whatever an observer computes from an output is post-processing, so any fixed encoding gives valid bounds; one that
keeps different outputs apart loses nothing. The code of a text depends on the text alone, never on the other runs: an
event that was chosen on some runs means the same in others.
"""

from __future__ import annotations

import dataclasses
import json
import numbers
import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any

import numpy as np

from privcheck.arrays import Array
from privcheck.errors import PolicyError, printable, words
from privcheck.targets._data_frames import content_of
from privcheck.targets._outputs import CODED, MISSING, PLACES, Outputs, code_of, padded

RAISED = "the exception "
"""Begins the names of exceptions; those of texts begin with a quotation mark, of structures with a bracket."""

MOST_SHOWN = 60
"""Characters of a text that events show."""

PLAIN = re.compile(r"[dr]|\[[d,]*[r,]*\]")
"""Structures that need no symbol of their own: one number, or a flat list in which no number stands before a symbol.
How many there are of each shows in its parts, and where the numbers stand does not.
"""


ADDRESS = re.compile(r"\b0x[0-9a-fA-F]+")
"""Addresses of objects, which differ from run to run and say nothing."""

WRITTEN = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])")
"""Numbers in a message: they are parts of their own, so that messages that differ in nothing else have one symbol."""

BARE = frozenset({int, float, bool, str, bytes, list, tuple, dict, set, type(None), np.float64, np.int64, np.ndarray})
"""Types of outputs that have no attributes of their own."""

MOST_WRITTEN = 8
"""Numbers of a message that are parts of their own; those after them belong to its text."""


@dataclasses.dataclass(frozen=True)
class Raised:
    """An exception as an output: an observer sees its class, and what a log shows of it only if that was asked for.

    Each number in its text is a part of its own, and addresses of objects are left out.

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
        if not message:
            return cls(_class_of(error))
        text = ADDRESS.sub("0x", "; ".join(_logged(error, set())))
        numbers = tuple(map(float, WRITTEN.findall(text)[:MOST_WRITTEN]))
        return cls(WRITTEN.sub("#", text, count=MOST_WRITTEN), numbers)

    def __str__(self) -> str:
        return f"{RAISED}{self.name}"


def _class_of(error: BaseException) -> str:
    kind = type(error)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _logged(error: BaseException, before: set[int]) -> Iterator[str]:
    """Yield what a log shows of an exception: its class and message, its notes, and the same of the members of its
    group and of the exception that it was raised from or in the handling of, as `traceback.format_exception` does.
    """
    before.add(id(error))
    yield f"{_class_of(error)}: {error}"
    yield from map(str, getattr(error, "__notes__", None) or ())
    context = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    for other in (*getattr(error, "exceptions", ()), context):
        if isinstance(other, BaseException) and id(other) not in before:
            yield from _logged(other, before)


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
        self.path: list[Any] = []
        self.places: tuple[list[str], list[str]] | None = None
        """Where the symbols and the numbers stand in the output, such as "['mean']"; None if nobody asks."""

    def add(self, output: Any) -> str:
        """Append the parts of an output, and return its structure: "d" and "r" for a symbol and a real number."""
        if type(output) not in BARE:
            output = _bare(output)
        if isinstance(output, bool | np.bool_ | numbers.Integral):
            return self._integer(int(output))
        if isinstance(output, numbers.Real | Decimal):
            return self._real(float(output))
        if isinstance(output, numbers.Complex):
            return f"[{self._real(complex(output).real)},{self._real(complex(output).imag)}]"
        if isinstance(output, Raised):
            parts = [self._text(str(output)), *map(self._real, output.numbers)]
            return f"[{','.join(parts)}]" if output.numbers else parts[0]
        if output is None or isinstance(output, str | bytes):
            return self._text(repr(output))
        if isinstance(output, np.ndarray):
            names = output.dtype.names
            return self.add({name: output[name] for name in names} if names else output.tolist())
        if isinstance(output, Mapping):
            parts = [f"{_plain(key)!r}:{self._at(key, value)}" for key, value in output.items()]
            return "{" + ",".join(parts) + "}"
        if isinstance(output, list | tuple):
            return "[" + ",".join([self._at(place, part) for place, part in enumerate(output)]) + "]"
        if isinstance(output, set | frozenset):
            return "{" + ",".join([self.add(part) for part in sorted(output, key=repr)]) + "}"
        if dataclasses.is_dataclass(output) and not isinstance(output, type):
            return self.add({field.name: getattr(output, field.name) for field in dataclasses.fields(output)})
        hint = "give encode=f, where f(output) returns numbers, text, or lists and dicts of them"
        raise PolicyError("output", words(f"an object of type {type(output).__name__}"), EXPECTED, hint)

    def _at(self, key: Any, value: Any) -> str:
        self.path.append(key)
        structure = self.add(value)
        self.path.pop()
        return structure

    def _placed(self, kind: int) -> None:
        if self.places is not None:
            self.places[kind].append(printable("".join(f"[{key!r}]" for key in self.path)))

    def _integer(self, value: int) -> str:
        if not CODED < value < 2**63:
            return self._text(repr(value))
        self._placed(0)
        self.symbols.append(value)
        return "d"

    def _real(self, value: float) -> str:
        if value != value:
            self.symbols.append(self._code("NaN"))  # its number is NaN, as that of a run without one
        self._placed(1)
        self.numbers.append(value)
        return "r"

    def _text(self, text: str) -> str:
        self._placed(0)
        self.symbols.append(self._code(text))
        return "d"

    def _code(self, text: str) -> int:
        code = code_of(text)
        if code not in self.names:
            self.names[code] = printable(text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}...")
        return code


PLAIN_VALUE: dict[type, Callable[[Any], Any]] = {
    int: int.__int__, float: float.__float__, str: str.__str__, bytes: bytes.__bytes__,
}  # fmt: skip
"""All that a value of a class of its own is, which may convert itself to less, or display less."""


def _plain(value: Any) -> Any:
    """Return a number or a text without what its class adds; anything else, and a truth value, as it is."""
    if isinstance(value, bool):
        return value
    return next((plain(value) for kind, plain in PLAIN_VALUE.items() if isinstance(value, kind)), value)


def _bare(output: Any) -> Any:
    """Return what is in a data frame, and times of numpy as texts; refuse anything with attributes, which whoever
    receives it can read.
    """
    if isinstance(output, np.datetime64 | np.timedelta64):  # a time difference is an integer of numpy
        return str(output)
    if (content := content_of(output)) is not None:
        return content
    held = _held(output)
    if not held or isinstance(output, type | Raised):
        return _plain(output)
    fields = {field.name for field in dataclasses.fields(output)} if dataclasses.is_dataclass(output) else ()
    unread = [name for name in held if name not in fields]
    if unread:
        got = words(f"an object of type {type(output).__name__} with the attribute {unread[0]}")
        raise PolicyError("output", got, EXPECTED, "give encode=f, where f(output) returns all that is published of it")
    return output


def _held(output: Any) -> dict[str, Any]:
    """Return the attributes of an object; those in slots too, where its entries alone would be read."""
    if not isinstance(output, BUILT_IN) and not dataclasses.is_dataclass(output):
        return getattr(output, "__dict__", {})
    state: Any = object.__getstate__(output)  # with slots the attributes of both kinds
    own, in_slots = state if isinstance(state, tuple) else (state, None)
    return {**(own or {}), **(in_slots or {})}


BUILT_IN = (int, float, complex, str, bytes, list, tuple, dict, set, frozenset)
"""Types whose subclasses are read as they are."""


EXPECTED = "numbers, text, None, or arrays, lists, tuples, dicts, dataclasses and data frames of these"


def outputs_of(outputs: list[Any]) -> Outputs:
    """Return outputs of any types and lengths as symbols and numbers.

    A text, None, NaN or an exception is one symbol. An output with parts in parts, or with keys, begins with a symbol
    of its structure: which keys and how many parts. Values that a list lacks are `MISSING`, numbers NaN.

    >>> runs = outputs_of([{"mean": 0.5, "best": "a"}, {"mean": 0.7, "best": None}])
    >>> runs.symbols.shape, runs.numbers.ravel().tolist(), [runs.names[code] for code in runs.symbols[0]]
    ((2, 2), [0.5, 0.7], ["{'mean':r,'best':d}", "'a'"])
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
    symbols, reals, names, placed = [], [], dict[int, str](), set[int]()
    for output in outputs:
        parts = Parts(names)
        try:
            structure = parts.add(output)
        except RecursionError:
            raise PolicyError("output", words("an output that contains itself"), EXPECTED) from None
        if not PLAIN.fullmatch(structure):
            code = parts._code(structure)
            parts.symbols.insert(0, code)
            if code not in placed and len(placed) < MOST_PLACED:
                placed.add(code)
                names[code_of(f"{PLACES}{code}")] = places_in(output)
        symbols.append(np.array(parts.symbols, np.int64)[None, :])
        reals.append(np.array(parts.numbers, np.float64)[None, :])
    return Outputs(np.concatenate(padded(symbols, MISSING)), np.concatenate(padded(reals, np.nan)), names=names)


MOST_PLACED = 8
"""Structures of the outputs of a function whose parts are named: it needs one, or they are not."""


def places_in(output: Any) -> str:
    r"""Return where the symbols and the numbers of an output stand in it, as JSON.

    >>> places_in({"mean": 0.5, "best": ["a", 3]})
    '[["[\'best\'][0]", "[\'best\'][1]"], ["[\'mean\']"]]'
    """
    parts = Parts({})
    parts.places = ([], [])
    parts.add(output)
    return json.dumps(parts.places)


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
