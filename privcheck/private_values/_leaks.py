"""Leaks: code that read a private value before it was released, and where."""

from __future__ import annotations

import ast
import linecache
import numbers
import re
import sys
import sysconfig
from collections.abc import Collection, Hashable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from textwrap import shorten
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from privcheck.errors import PrivcheckError, words
from privcheck.extras import is_installed
from privcheck.private_values._replacements import array_of, replacement

if TYPE_CHECKING:
    from privcheck.private_values._source import PrivateSource

RELEASE = "release it through a mechanism first"
COMPARE = f"{RELEASE}; to keep a value within limits use privcheck.clip"
INDICATOR = f"{COMPARE}; as a number, (value > limit) * 1.0 stays private"
COLLECT = f"{RELEASE}; to collect private values in an array, make the array with privcheck.zeros"

SUMS = f"{RELEASE}; to know how values spread, release their sum and that of their squares, and compute it from these"

NORM = "a norm does not stay private, a clip by it does: privcheck.clip_norm(x, 1.0) scales x down to norm 1 at most"

ACTION = (
    "under joint differential privacy the action of a round is private: take context[action] for its row of a decision "
    "set, and add privcheck.one_hot(action, arms) to count arms or to sum by arm"
)

KINDS = {
    "comparison": "a comparison (< <= > >= == != in) of a private value",
    "branch": "the truth value of a private value, as in `if` and `while`",
    "conversion": "a conversion to an ordinary number or array: float(), int(), numpy.asarray, array[i] = value",
    "index": "a private value used as an index",
    "function": "a function that is not linear: powers, quotients, abs, max, sorting, exp",
    "format": "a private value formatted by a format specification",
    "hash": "a private value used as a dictionary key or set member",
    "pickle": "a private value written to a file or sent to another process",
    "kept": "the context that `select` was given was kept for later rounds",
    "reveal": "`reveal` called without the session's token",
}
"""The kinds of leaks, each with what happened."""


@dataclass(frozen=True)
class Leak:
    """One place in the code where a private value was read before it was released.

    Parameters
    ----------
    kind : one of `KINDS`.
    file, line, function, code : the innermost frame of the policy's own code, and its source line.
    data : ids of the data that the value depends on.
    hint : what to do.
    operation : what was done to the value, such as "<" or "numpy.exp".

    Examples
    --------
    >>> print(Leak("comparison", "bandit.py", 12, "update", "if reward > 0:", (1, 2, 3, 7), RELEASE, ">"))
    bandit.py:12 in update: > on a private value of rounds 1-3 and 7 (if reward > 0:)

    """

    kind: str
    file: str
    line: int
    function: str
    code: str
    data: tuple[Hashable, ...]
    hint: str
    operation: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.line} in {self.function}"
        return f"{where}: {self.operation} on a private value of {describe_data(self.data)} ({shorten(self.code, 80)})"


@dataclass(frozen=True)
class Made:
    """Where code computed a private number by a choice or a conversion, from which comparison, or by what else."""

    file: str
    line: int
    function: str
    compared: str = ""
    operation: str = ""


class LeakError(PrivcheckError):
    """Code tried to read a private value before its release; `leak` says which code and which data."""

    __module__ = "privcheck"  # as it is imported, and so in tracebacks

    def __init__(self, leak: Leak) -> None:
        self.leak = leak
        got = words(
            f"a private value of {describe_data(leak.data)} at {leak.file}:{leak.line} ({shorten(leak.code, 80)})"
        )
        super().__init__(leak.operation, got, "a released or public value", leak.hint)

    def __reduce__(self) -> tuple[type[LeakError], tuple[Leak]]:
        return LeakError, (self.leak,)


def find_leak(
    kind: str,
    operation: str,
    data: tuple[Hashable, ...],
    hint: str,
    trace: TracebackType | None = None,
    *,
    made: Made | None = None,
    at_origin: bool = False,
    by_policy: bool = True,
) -> Leak:
    """Return the leak that is happening now, or did in a traceback, located at the policy's innermost own frame.

    If it is known where the value was `made`, the hint names that place; at its origin, the leak is located there, and
    the hint names the line that reads it, unless none of the policy's does: an action is read by who plays the policy.
    """
    if made is not None and at_origin:
        code = linecache.getline(made.file, made.line).strip()
        if not by_policy:
            hint = f"{hint}; the policy gives it to who plays it"
        elif (read := own_line()) != (made.file, made.line) and not is_machinery(read[0]):
            hint = f"{hint}; it is read at {Path(read[0]).name}:{read[1]}"
        return Leak(kind, made.file, made.line, made.function, code, data, hint, operation)
    place, line = _own_frame(), None
    while trace is not None:
        if not is_machinery(trace.tb_frame.f_code.co_filename):
            place, line = trace.tb_frame, trace.tb_lineno
        trace = trace.tb_next
    file, line = place.f_code.co_filename, line or place.f_lineno
    code = linecache.getline(file, line, place.f_globals).strip()
    if operation == "numpy.power" and "**" in code:  # numpy's function is what Python's operator calls
        operation = "**"
    if operation == "numpy.linalg.norm" and len(data) == 1:
        hint = NORM
    known = "indicator" if hint.startswith(INDICATOR) else kind
    fills = hint.startswith(COLLECT) and _is_array(place, array_of(code))
    if pasted := replacement(code, _generator_of(place), known, one=len(data) == 1, array=fills):
        hint = f"{hint}{_made_in(file, line, pasted)}: {pasted}"
    if made is not None and (made.file, made.line) != (file, line):
        hint = f"{hint}; the value was computed at {Path(made.file).name}:{made.line}"
    return Leak(kind, file, line, place.f_code.co_name, code, data, hint, operation)


def function_of_numpy(error: BaseException) -> str:
    """Return the function of numpy that failed on an array of objects; an empty string if none did."""
    codes, trace = [], error.__traceback__
    while trace is not None:
        codes.append(trace.tb_frame.f_code)
        trace = trace.tb_next
    inside = [code.co_name for code in codes if Path(code.co_filename).is_relative_to(_MACHINERY[1])]
    if inside and codes[-1].co_name == inside[-1]:
        return f"numpy.{inside[0]}"
    named = re.match(r"ufunc '(\w+)' not supported", str(error))
    return f"numpy.{named[1]}" if named else ""


def _made_in(file: str, line: int, pasted: str) -> str:
    """Return the line after which a line is to be pasted that makes an array anew; nothing if it is not found.

    It is looked for in the class that leaks: other classes of the file may have an attribute of the same name.
    """
    name, _, made = pasted.partition(" = ")
    if not made.startswith("privcheck.zeros("):
        return ""
    try:
        tree: ast.AST = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return ""
    around = [n for n in ast.walk(tree) if isinstance(n, ast.ClassDef) and n.lineno <= line <= (n.end_lineno or 0)]
    makers = [node for node in ast.walk(around[-1] if around else tree) if name in _arrays_made(node)]
    return f", after line {makers[0].end_lineno}" if len(makers) == 1 else ""  # type: ignore[attr-defined]


def _arrays_made(node: ast.AST) -> list[str]:
    """Return the names that a statement gives arrays of numpy's, also one of several in `a, b = 0, np.zeros(2)`."""
    if isinstance(node, ast.AnnAssign):
        pairs: list[tuple[ast.expr, ast.expr | None]] = [(node.target, node.value)]
    elif isinstance(node, ast.Assign):
        pairs = []
        for target in node.targets:
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs += zip(target.elts, node.value.elts, strict=False)
            else:
                pairs.append((target, node.value))
    else:
        return []
    makes = re.compile(r"(np|numpy)\.(zeros|ones|full|empty)\b")
    return [ast.unparse(target) for target, value in pairs if value is not None and makes.match(ast.unparse(value))]


def _is_array(place: FrameType, name: str) -> bool:
    """Return whether a name, or an attribute of one, is an array of numpy in a frame; nothing is called for it."""
    first, *rest = name.split(".")
    found = place.f_locals.get(first, place.f_globals.get(first))
    for part in rest:
        found = getattr(found, "__dict__", {}).get(part)
    return type(found) is np.ndarray


def _generator_of(place: FrameType) -> str:
    """Return what the Generator of the policy is called in a frame: a name, or an attribute of the first argument."""
    names = {name: value for name, value in place.f_locals.items() if isinstance(value, np.random.Generator)}
    first = place.f_code.co_varnames[0] if place.f_code.co_argcount else ""
    own = getattr(place.f_locals.get(first), "__dict__", {})
    names |= {f"{first}.{name}": value for name, value in own.items() if isinstance(value, np.random.Generator)}
    others = names.get("rng", names.get(f"{first}.rng"))
    return next((name for name, value in names.items() if others is None or value is others), "self.rng")


def own_line() -> tuple[str, int]:
    """Return the file and line of the innermost frame of the policy's own code."""
    place = _own_frame()
    return place.f_code.co_filename, place.f_lineno


def own_call() -> tuple[str, int, str]:
    """Return the file, line and function of the innermost frame of the policy's own code."""
    place = _own_frame()
    return place.f_code.co_filename, place.f_lineno, place.f_code.co_name


def own_place() -> str:
    """Return the file and line of the innermost frame of the policy's own code."""
    return own_spot()[0]


def own_spot() -> tuple[str, int]:
    """Return the file and line of the innermost frame of the policy's own code, and which of its instructions runs."""
    place = _own_frame()
    return f"{Path(place.f_code.co_filename).name}:{place.f_lineno}", place.f_lasti


def note_text(value: Any) -> None:
    """Report the line that asks for the text of a private value, which shows its digits without the guard."""
    source = value.source
    if source is not None and source.on_text is not None and not value.is_public:
        source.on_text(own_place())


def _own_frame() -> FrameType:
    """Return the innermost frame of the policy's own code, or failing that the outermost frame."""
    frame: FrameType | None = sys._getframe(2)
    place = frame
    while frame is not None and is_machinery(frame.f_code.co_filename):
        place, frame = frame, frame.f_back
    place = frame or place
    assert place is not None
    return place


def describe_data(data: Collection[Hashable], most: int = 4) -> str:
    """Return data ids in words: integers are rounds, and long lists are shortened.

    >>> describe_data([7, 1, 2, 3, 4]), describe_data([3]), describe_data([(1, 0), (2, 1)])
    ('rounds 1-4 and 7', 'round 3', 'data (1, 0) and (2, 1)')
    >>> describe_data(range(0, 100, 2))
    'rounds 0, 2, 4 and 47 more'
    """
    if len(data) == 0:
        return "no data"
    if all(isinstance(item, numbers.Integral) for item in data):
        numbered = sorted(int(item) for item in data)  # type: ignore[call-overload]
        name, pieces = "round", _runs(numbered)
    else:
        name, pieces = "datum", [(str(item), 1) for item in data]
    if len(data) != 1:
        name = "rounds" if name == "round" else "data"
    if len(pieces) > most:
        left_out = sum(count for _, count in pieces[most - 1 :])
        pieces = [*pieces[: most - 1], (f"{left_out} more", left_out)]
    texts = [text for text, _ in pieces]
    return f"{name} {', '.join(texts[:-1])} and {texts[-1]}" if len(texts) > 1 else f"{name} {texts[0]}"


def _runs(numbered: list[int]) -> list[tuple[str, int]]:
    """Return runs of consecutive numbers as (text, how many), as in ("1-4", 4)."""
    starts = [i for i, number in enumerate(numbered) if i == 0 or number != numbered[i - 1] + 1]
    runs: list[tuple[str, int]] = []
    for start, stop in zip(starts, [*starts[1:], len(numbered)], strict=True):
        first, last = numbered[start], numbered[stop - 1]
        runs.append((str(first) if first == last else f"{first}-{last}", stop - start))
    return runs


_PACKAGE = Path(__file__).resolve().parent.parent
_BANDITS = _PACKAGE / "bandits"
_MACHINERY = (_PACKAGE, Path(np.__file__).resolve().parent)
_STANDARD_LIBRARY = Path(sysconfig.get_paths()["stdlib"]).resolve()


@cache
def is_machinery(file: str) -> bool:
    """Return whether a file is compiled or of privcheck, numpy or Python; the shipped bandits count as user code."""
    if file.startswith(("<frozen ", "<__array_function__")) or file.endswith(".pyx"):
        return True
    path = Path(file).resolve()
    if any(path.is_relative_to(folder) for folder in _MACHINERY):
        return not path.is_relative_to(_BANDITS)
    return path.is_relative_to(_STANDARD_LIBRARY) and not is_installed(path)


class casting_refused:  # noqa: N801 - a block, which reads as a function would
    """Report as a leak that compiled code has cast a private number to a float, or that numpy failed on a list of them.

    numpy asks it for an array, as it does to collect a list, and cannot cast the array of objects that it is given, or
    calculate with it.
    """

    __slots__ = ("_source",)

    def __init__(self, source: PrivateSource) -> None:
        self._source = source

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: object, trace: TracebackType | None) -> None:
        if not isinstance(error, TypeError | AttributeError):
            return
        source = self._source
        if str(error).startswith("Cannot cast") and "dtype('O')" in str(error):
            kind, operation, hint = "conversion", "conversion to an array", RELEASE
        elif source.collected and (found := function_of_numpy(error)):
            kind, operation, hint = "function", found, SUMS
        else:
            return
        hint = f"{hint}; {source.advice}" if source.advice else hint
        leak = find_leak(kind, operation, source.collected, hint, trace)
        source.on_leak(leak)
        raise LeakError(leak) from None
