"""The code of the target's own functions, exchanged while a block runs for its translation."""

from __future__ import annotations

import ast
import inspect
import itertools
import warnings
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from types import CodeType, FunctionType
from typing import Any, TypeVar

from privcheck.certifying._reached_code import with_inner
from privcheck.certifying._translated import known_functions
from privcheck.certifying._translated import private_choices as choices
from privcheck.certifying._translated import private_indices as indices
from privcheck.certifying._translated.definitions import Stamps, check_source, definition, mark, stamps_of
from privcheck.certifying._translated.known_functions import called
from privcheck.certifying._translated.new_arrays import in_guard
from privcheck.certifying._translated.own_functions import own_functions
from privcheck.certifying._translated.rewriting import HELPERS, SIDE, rewritten
from privcheck.private_values import Private, feature, gathered
from privcheck.reached_state import LOCK

known_functions.TABLE[id(feature)] = lambda *arguments, **options: _feature(*arguments, **options)

_SWAPPED: dict[FunctionType, _Swap] = {}
"""By function: code is shared by the process. Read and changed only in an `_EXCHANGE`."""

_STANDS_FOR: dict[Any, Any] = dict(
    zip(
        HELPERS,
        (called, choices.pure, choices.checked, choices.held, choices.hidden, choices.chosen, choices.computed,
         choices.both, choices.either, choices.negated, choices.chained, choices.stored, choices.rebound,
         indices.has_private_index, indices.add_at, indices.subtract_at, choices.unread, choices.answered,
         indices.loaded),
        strict=True,
    )
)  # fmt: skip


Found = list[tuple[FunctionType, CodeType]]
_FOUND: weakref.WeakKeyDictionary[Any, tuple[Found, Stamps]] = weakref.WeakKeyDictionary()
"""By class, function or partial call, what was translated for it, and how its files were when they were read."""


@dataclass
class _Swap:
    """A function's own code, its translation, and how many guards run that."""

    own: CodeType
    translated: CodeType
    count: int = 0


class _Plain:
    """How many blocks run functions as they were written; only one thread at a time does."""

    depth = 0


class _Exchange:
    """A block that reads or changes what is exchanged. One thread at a time is in one, which may enter it again.

    Python may collect garbage anywhere inside the block, and with it a guard, whose translation ends in this thread:
    that waits for the end of the block. It may do so in a thread of a policy, too, for which the call of a guard waits,
    which has the lock.
    """

    def __init__(self) -> None:
        self.depth = 0
        self.ended: deque[Translation] = deque()

    def __enter__(self) -> None:
        LOCK.acquire()
        self.depth += 1

    def __exit__(self, *_: object) -> None:
        try:
            while self.depth == 1 and self.ended:
                self.ended.popleft().put_back()
        finally:
            self.depth -= 1
            left = self.depth == 0 and bool(self.ended)
            LOCK.release()
        if left:  # by a guard that ended after the last look
            self.go_on()

    def go_on(self) -> None:
        """End what has ended, unless another thread has the lock, which may wait for this one: the next block does."""
        if LOCK.acquire(blocking=False):
            try:
                with self:
                    pass
            finally:
                LOCK.release()


_EXCHANGE = _Exchange()


class Translation:
    """The translation of a target's own functions, which run in place of their own code from `begin` to `end`.

    Parameters
    ----------
    target : a policy, or what builds it.
    """

    def __init__(self, target: Any) -> None:
        with _EXCHANGE:
            keeps = isinstance(target, type | FunctionType | partial)
            kept = _FOUND.get(target) if keeps else None
            if kept is None or kept[1] != stamps_of(kept[1]):
                own = own_functions(target)
                stamps = stamps_of(one.__code__.co_filename for one in own)  # before the files are read
                kept = [(one, code) for one in own if (code := translation(one)) is not None], stamps
                if keeps:
                    _FOUND[target] = kept
            self._found = kept[0]

    def begin(self) -> None:
        """Exchange the code."""
        with _EXCHANGE:
            for function, code in self._found:
                if function not in _SWAPPED:
                    _SWAPPED[function] = _Swap(function.__code__, code)
                _SWAPPED[function].count += 1
            swap_again()

    def end(self) -> None:
        """Put the own code back, unless another guard still runs the translation."""
        _EXCHANGE.ended.append(self)
        with _EXCHANGE:
            pass

    def collected(self) -> None:
        """Do what `end` says when the guard is garbage, in whatever thread and wherever that is: wait for nothing."""
        _EXCHANGE.ended.append(self)
        _EXCHANGE.go_on()

    def put_back(self) -> None:
        """Do what `end` says, inside of a block."""
        for function, _ in self._found:
            swap = _SWAPPED[function]
            swap.count -= 1
            if swap.count == 0:
                function.__code__ = swap.own
                del _SWAPPED[function]


@contextmanager
def translated(target: Any) -> Iterator[None]:
    """Let the own functions that a policy, or what builds it, can reach run translated inside the block."""
    translation = Translation(target)
    translation.begin()
    try:
        with in_guard():
            yield
    finally:
        translation.end()


def look_again(target: Any) -> None:
    """Forget what was translated for a target: a cell of a notebook may have defined what it calls anew."""
    if isinstance(target, type | FunctionType | partial):
        with _EXCHANGE:
            _FOUND.pop(target, None)


Made = TypeVar("Made")


def translated_for(target: Any, make: Callable[[], Made]) -> Made:
    """Return what is made with the functions of a target translated, which they stay for as long as it is held.

    As in a guard's calls, no other thread may meanwhile let functions run as they were written.
    """
    translation = Translation(target)
    translation.begin()
    try:
        with LOCK:
            made = make()
    except BaseException:
        translation.end()
        raise
    weakref.finalize(made, translation.collected)
    return made


@contextmanager
def untranslated() -> Iterator[None]:
    """Let all functions run as they were written inside the block, whatever guards are in use.

    The calls of guards in other threads wait meanwhile: each of them takes the same lock.
    """
    with LOCK:
        _Plain.depth += 1
        swap_again()
        try:
            yield
        finally:
            _Plain.depth -= 1
            swap_again()


def swap_again() -> None:
    """Exchange the code once more, after state that functions hold, of which their code is a part, was put back."""
    with _EXCHANGE:
        for function, swap in _SWAPPED.items():
            function.__code__ = swap.own if _Plain.depth else swap.translated


def _feature(*arguments: Any, **options: Any) -> Any:
    """Stand for `privcheck.feature`, whose function computes with ordinary numbers: it runs as it was written."""
    values = list(arguments)
    given = gathered(values[1] if len(values) > 1 else options.get("value"))
    if isinstance(given, Private) and given.source is not None:
        given.source.check_thread()
    with untranslated():
        if values:
            values[0] = _as_written(values[0])
        elif "function" in options:
            options["function"] = _as_written(options["function"])
        return feature(*values, **options)


def _as_written(function: Any) -> Any:
    """Return a function with the code that it has in the source, if it was made by translated code."""
    if not isinstance(function, FunctionType) or function in _SWAPPED:
        return function
    code = _own_code(function.__code__)
    if code is None:
        return function
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    closure = tuple(cells[name] for name in code.co_freevars)
    made = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
    made.__kwdefaults__, made.__qualname__ = function.__kwdefaults__, function.__qualname__
    made.__dict__.update(function.__dict__)
    return made


def _own_code(code: CodeType) -> CodeType | None:
    """Return the code in the source of a function within translated code; None of any other."""
    with _EXCHANGE:
        for swap in _SWAPPED.values():
            if code in with_inner(swap.translated):
                node = definition(code, {})
                found = [one for one in with_inner(swap.own) if one.co_name == code.co_name and _fits(one, code)]
                return next((one for one in found if definition(one, {}) is node and node is not None), None)
    return None


def translation(function: FunctionType) -> CodeType | None:
    """Return the translated code of a function; None if its source cannot be read, or cannot take its place."""
    swap = _SWAPPED.get(function)
    code = function.__code__ if swap is None else swap.own
    check_source(code, function.__globals__)
    return _translation(code, code.co_filename, code.co_qualname, Names(function.__globals__))


class Names(dict[str, Any]):
    """The names of a module by which its source is found; all are equal, as one file has the same."""

    def __init__(self, names: dict[str, Any]) -> None:
        found = ("__name__", "__loader__", "__spec__", "__file__")
        super().__init__({name: names[name] for name in found if name in names})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Names)

    def __hash__(self) -> int:  # type: ignore[override]
        return 0


READS_NAMES = {"locals", "eval", "exec", "_getframe", "currentframe"}
"""Functions that would see the names and functions that a translation adds."""


@lru_cache(maxsize=4096)
def _translation(code: CodeType, file: str, qualified: str, names: Names) -> CodeType | None:
    """Return translated code. Code is equal to that of another file, if it stands in the same line there."""
    node = None if READS_NAMES.intersection(code.co_names) else definition(code, names)
    if node is None:
        return None
    tree = _enclosed(rewritten(node), code)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            compiled = compile(tree, file, "exec", dont_inherit=True, flags=code.co_flags & _ANNOTATIONS)
    except (SyntaxError, ValueError, RecursionError):
        return None
    found = next((one for one in with_inner(compiled) if one.co_name == code.co_name and _fits(one, code)), None)
    if found is None:
        return None
    marked = found.co_flags | code.co_flags & inspect.CO_ITERABLE_COROUTINE  # by `types.coroutine`, in no source
    return _filled(found, code.co_name, qualified).replace(co_flags=marked)


_ANNOTATIONS = 0x1000000
"""The flag of `from __future__ import annotations`."""


def _enclosed(node: Any, code: CodeType) -> ast.Module:
    """Return a module with the function in a class of the same name and in a function with the names that it closes."""
    inner: ast.stmt = ast.Expr(node) if isinstance(node, ast.Lambda) else node
    owner = _owner(code.co_qualname)
    if "__class__" in code.co_freevars or owner:
        inner = ast.ClassDef(owner or "Owner", [], [], [inner], [])
    closed = [ast.arg(name) for name in code.co_freevars if name != "__class__"]
    named = {getattr(inner, "name", "")} - {"", *code.co_freevars}  # a global, as which it is called or read in itself
    body = [*([ast.Global(sorted(named))] if named else []), inner]
    outer = ast.FunctionDef("_enclosing", ast.arguments([], closed, None, [], [], None, []), body, [])
    module = ast.Module([outer], [])
    for each in ast.walk(module):
        if "lineno" in each._attributes and not hasattr(each, "lineno"):
            ast.copy_location(each, node)
    return module


def _owner(qualified: str) -> str:
    """Return the class whose private names a function spells without its name.

    >>> _owner("Outer.Inner.method"), _owner("Policy.update.<locals>.inner"), _owner("make.<locals>.inner"), _owner("f")
    ('Inner', 'Policy', '', '')
    """
    *parts, _ = qualified.split(".")
    classes = [part for part, after in itertools.zip_longest(parts, parts[1:]) if "<locals>" not in (part, after)]
    return classes[-1] if classes else ""


_KINDS = 0x04 | 0x08 | 0x20 | 0x80 | 0x200
"""Flags of code with `*arguments` or `**options`, and of generators and coroutines."""


def _fits(found: CodeType, code: CodeType) -> bool:
    """Return whether code can take the place of other code: arguments, kind and names that it closes are the same."""
    same = ("co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_freevars")
    alike = all(getattr(found, name) == getattr(code, name) for name in same)
    arguments = code.co_argcount + code.co_kwonlyargcount
    names = found.co_varnames[:arguments], code.co_varnames[:arguments]
    return alike and names[0] == names[1] and not (found.co_flags ^ code.co_flags) & _KINDS


_IS_FUNCTION = 0x01
_COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")


def _filled(code: CodeType, name: str, qualified: str) -> CodeType:
    """Return code, marked, in which helpers stand for their names; a side of a choice is called as what has it."""

    def inner(one: CodeType) -> CodeType:
        if one.co_varnames[:1] == (SIDE,):
            return _filled(one, name, qualified)
        is_function = code.co_flags & _IS_FUNCTION and code.co_name not in _COMPREHENSIONS
        around = f"{qualified}.<locals>" if is_function else qualified
        if code.co_name.startswith("<generic parameters of "):  # which no name tells, since Python 3.12
            around = qualified.rpartition(".")[0]
        return _filled(one, one.co_name, f"{around}.{one.co_name}")

    constants = tuple(
        inner(one) if isinstance(one, CodeType) else _STANDS_FOR.get(one, one) if isinstance(one, str) else one
        for one in code.co_consts
    )
    return code.replace(co_consts=(*constants, mark), co_name=name, co_qualname=qualified)
