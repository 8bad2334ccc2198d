"""The code of the target's own functions, exchanged while a block runs for its translation."""

from __future__ import annotations

import ast
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from types import CodeType, FunctionType, ModuleType
from typing import Any

from privcheck.certifying._own_files import definition, file_of, is_own, packages_of, plain_function
from privcheck.certifying._reached_code import with_inner
from privcheck.certifying._translated import private_choices as choices
from privcheck.certifying._translated.known_functions import called
from privcheck.certifying._translated.rewriting import HELPERS, rewritten

_LOCK = threading.RLock()
_SWAPPED: dict[FunctionType, list[Any]] = {}
"""By function, its own code and how many blocks have exchanged it: code is shared by the process."""

_STANDS_FOR: dict[Any, Any] = dict(
    zip(
        HELPERS,
        (called, choices.truth, choices.is_hidden, choices.chosen, choices.both, choices.either, choices.negated),
        strict=True,
    )
)


class Translation:
    """The translation of a target's own functions, which run in place of their own code from `begin` to `end`.

    Parameters
    ----------
    target : a policy, or what builds it.
    """

    def __init__(self, target: Any) -> None:
        self._found = [(one, code) for one in own_functions(target) if (code := translation(one)) is not None]

    def begin(self) -> None:
        """Exchange the code."""
        with _LOCK:
            for function, code in self._found:
                _SWAPPED.setdefault(function, [function.__code__, 0, code])[1] += 1
            swap_again()

    def end(self) -> None:
        """Put the own code back, unless somebody else still runs the translation."""
        with _LOCK:
            for function, _ in self._found:
                kept = _SWAPPED[function]
                kept[1] -= 1
                if not kept[1]:
                    function.__code__ = kept[0]
                    del _SWAPPED[function]


@contextmanager
def translated(target: Any) -> Iterator[None]:
    """Let the own functions that a policy, or what builds it, can reach run translated inside the block."""
    translation = Translation(target)
    translation.begin()
    try:
        yield
    finally:
        translation.end()


@contextmanager
def untranslated() -> Iterator[None]:
    """Let all functions run as they were written inside the block, whatever guards are in use."""
    with _LOCK:
        kept = list(_SWAPPED.items())
        for function, (own, _, _) in kept:
            function.__code__ = own
        try:
            yield
        finally:
            swap_again()


def swap_again() -> None:
    """Exchange the code once more, after state that functions hold, of which their code is a part, was put back."""
    for function, (_, _, code) in _SWAPPED.items():
        function.__code__ = code


def translation(function: FunctionType) -> CodeType | None:
    """Return the translated code of a function; None if its source cannot be read, or cannot take its place."""
    kept = _SWAPPED.get(function)
    return _translation(function.__code__ if kept is None else kept[0], Names(function.__globals__))


class Names(dict[str, Any]):
    """The names of a module, compared by identity."""

    __hash__ = object.__hash__  # type: ignore[assignment]

    def __init__(self, names: dict[str, Any]) -> None:
        super().__init__(
            {key: names[key] for key in ("__name__", "__loader__", "__spec__", "__file__") if key in names}
        )

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:  # type: ignore[override]
        return 0


@lru_cache(maxsize=1024)
def _translation(code: CodeType, names: Names) -> CodeType | None:
    node = definition(code, names)
    if node is None:
        return None
    try:
        tree = _enclosed(rewritten(node), code)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            compiled = compile(tree, code.co_filename, "exec", dont_inherit=True, flags=_future_flags(code))
    except (SyntaxError, ValueError, RecursionError):
        return None
    found = next((one for one in with_inner(compiled) if one.co_name == code.co_name and _fits(one, code)), None)
    return None if found is None else _filled(found).replace(co_qualname=code.co_qualname)


def own_functions(target: Any) -> list[FunctionType]:
    """Return the functions of a target's own files that a policy, or what builds it, can reach by names."""
    found: dict[int, FunctionType] = {}
    seen, compiled = dict[int, Any](), set[int]()
    parts = list(getattr(getattr(target, "__self__", None), "__dict__", {}).values())  # of what privcheck builds by
    waiting = [target, type(target), *parts, *map(type, parts)]
    packages = frozenset(packages_of({cls: _file(cls) for each in waiting for cls in getattr(each, "__mro__", ())}))
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen[id(value)] = value
        inner = getattr(value, "py_func", None)
        if isinstance(inner, FunctionType):  # a compiler reads its code
            compiled.add(id(inner))
        elif isinstance(value, ModuleType):
            if _is_target(getattr(value, "__file__", None) or "", packages):
                waiting += list(vars(value).values())
        elif isinstance(value, type):
            if _is_target(_file(value), packages):
                waiting += [*vars(value).values(), *value.__bases__]
        elif isinstance(value, property):
            waiting += [part for part in (value.fget, value.fset) if part is not None]
        else:
            function = plain_function(value) if callable(value) or isinstance(value, staticmethod | classmethod) else 0
            if isinstance(function, FunctionType) and _is_target(function.__code__.co_filename, packages):
                found[id(function)] = function
                waiting += [*function.__globals__.values(), *_cells(function)]
    return [function for key, function in found.items() if key not in compiled]


def _cells(function: FunctionType) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:
            continue


def _file(cls: type) -> str:
    codes = [function.__code__ for value in vars(cls).values() if isinstance(function := value, FunctionType)]
    return file_of(cls, codes)


def _is_target(file: str, packages: frozenset[str]) -> bool:
    return is_own(file, packages) and "privcheck/bandits" not in file.replace("\\", "/")


def _enclosed(node: Any, code: CodeType) -> ast.Module:
    """Return a module with the function in a class of the same name and in a function with the names that it closes."""
    inner: ast.stmt = ast.Expr(node) if isinstance(node, ast.Lambda) else node
    *_, owner, _ = [None, *code.co_qualname.replace(".<locals>", "").split(".")] if "." in code.co_qualname else (0, 0)
    if "__class__" in code.co_freevars or isinstance(owner, str):
        name = owner if isinstance(owner, str) else "Owner"
        inner = ast.ClassDef(name, [], [], [inner], [])
    closed = [name for name in code.co_freevars if name != "__class__"]
    arguments = ast.arguments([], [ast.arg(name) for name in closed], None, [], [], None, [])
    outer = ast.FunctionDef("_enclosing", arguments, [inner], [])
    module = ast.Module([outer], [])
    for each in ast.walk(module):
        if "lineno" in each._attributes and not hasattr(each, "lineno"):
            ast.copy_location(each, node)
    return module


def _fits(found: CodeType, code: CodeType) -> bool:
    """Return whether code can take the place of other code: arguments, kind and names that it closes are the same."""
    same = ("co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_freevars")
    alike = all(getattr(found, name) == getattr(code, name) for name in same)
    arguments = code.co_argcount + code.co_kwonlyargcount
    return (
        alike
        and found.co_varnames[:arguments] == code.co_varnames[:arguments]
        and not ((found.co_flags ^ code.co_flags) & 0b10_1010_1100)
    )


def _future_flags(code: CodeType) -> int:
    return code.co_flags & 0x1000000  # from __future__ import annotations


def _filled(code: CodeType) -> CodeType:
    """Return code in which the helpers stand for their names."""
    constants = tuple(
        _filled(one) if isinstance(one, CodeType) else _STANDS_FOR.get(one, one) if isinstance(one, str) else one
        for one in code.co_consts
    )
    return code.replace(co_consts=constants)
