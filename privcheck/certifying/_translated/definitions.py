"""The definitions of functions in the source text from which their code was made."""

from __future__ import annotations
import __future__ as futures

import ast
import inspect
import linecache
import operator
import sys
import warnings
from collections.abc import Iterable
from functools import lru_cache, reduce
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

from privcheck.certifying._reached_code import with_inner
from privcheck.errors import PrivcheckError

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@lru_cache(maxsize=64)
def _definitions(text: str) -> dict[tuple[str, int], list[Definition]]:
    """Return the definitions in a source text by name and first line, decorators included."""
    try:
        parsed = ast.parse(text)
    except (SyntaxError, ValueError):
        return {}
    found: dict[tuple[str, int], list[Definition]] = {}
    for node in ast.walk(parsed):
        if isinstance(node, ast.Lambda):
            found.setdefault(("<lambda>", node.lineno), []).append(node)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            found.setdefault((node.name, first), []).append(node)
    return found


def definition(code: CodeType, names: dict[str, Any]) -> Definition | None:
    """Return the definition of a code object; None if its source cannot be read, or is not what it was made from.

    Of several in one line it is the one whose instructions lie within it.
    """
    text = _text(code, names)
    found = _definitions(text).get((code.co_name, code.co_firstlineno), [])
    if len(found) > 1:
        places = [(line, column) for line, _, column, _ in code.co_positions() if line and column is not None]
        around = [node for node in found if _around(node, places)]
        found = [min(around, key=_size)] if around else found
    return found[0] if found and _is_made_from(text, code, names) else None


def check_source(code: CodeType, names: dict[str, Any]) -> None:
    """Refuse a function whose file can be read, but does not hold the code that runs.

    A guard would play what the file says now, and the lines of a certificate would be those of other code. A function
    that others make and place there, as hypothesis does with a test, is none of the file's.
    """
    text = _text(code, names)
    if not text or _is_made_from(text, code, names):
        return
    compiled, outer = _compiled(text, code.co_flags & _FUTURE), code.co_qualname.partition(".<locals>")[0]
    is_placed = outer != code.co_qualname and outer not in {one.co_qualname for one in compiled}
    if compiled and not is_placed:
        raise PrivcheckError(
            f"the source of {code.co_qualname}",
            code.co_filename,
            "the file that its code was made from",
            "import the file again if it has changed since; code that a decorator, an import hook or %autoreload "
            "rewrote is refused",
        )


def _text(code: CodeType, names: dict[str, Any]) -> str:
    """Return the text of the file that a code object names, as it is now; empty if there is none."""
    linecache.checkcache(code.co_filename)
    return "".join(linecache.getlines(code.co_filename, names))


Stamps = dict[str, tuple[int, int] | None]
"""When files were last changed, in nanoseconds, and their sizes in bytes; None for what is no file."""


def stamps_of(files: Iterable[str]) -> Stamps:
    """Return how files are now."""
    return {file: _stamp(file) for file in files}


def _stamp(file: str) -> tuple[int, int] | None:
    try:
        found = Path(file).stat()
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size


def mark() -> None:
    """Stand among the constants of a translation, which is made from a definition, not from a text."""


def _is_made_from(text: str, code: CodeType, names: dict[str, Any]) -> bool:
    """Return whether a text, when it is compiled, gives a code object.

    An import hook that gives a module another code than Python does is asked for it.
    """
    if mark in code.co_consts:
        return True
    code = code.replace(co_flags=code.co_flags & ~inspect.CO_ITERABLE_COROUTINE)  # by `types.coroutine`, in no source
    compiled = _compiled(text, code.co_flags & _FUTURE)
    if code in compiled:
        return True
    loader = names.get("__loader__")
    if loader is not None and type(loader) is not SourceFileLoader and code in _hooked(loader, text, code.co_filename):
        return True
    if code in _compiled_apart(text, code.co_flags & _FUTURE):
        return True
    place = code.co_qualname, code.co_firstlineno
    alike = (one for one in compiled if (one.co_qualname, one.co_firstlineno) == place)
    return any(_bare(one) == _bare(code) for one in alike)


_FUTURE = reduce(operator.or_, (getattr(futures, name).compiler_flag for name in futures.all_feature_names))
"""Flags of code that `from __future__` sets, also that of an earlier cell or example."""


@lru_cache(maxsize=64)
def _compiled(text: str | ast.Module, future: int) -> frozenset[CodeType]:
    """Return the code of all functions in a text, or in its syntax tree."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return frozenset(with_inner(compile(text, "", "exec", future, dont_inherit=True)))
    except (SyntaxError, ValueError, RecursionError):
        return frozenset()


@lru_cache(maxsize=64)
def _compiled_apart(text: str, future: int) -> frozenset[CodeType]:
    """Return the same where each statement is compiled by itself, as a notebook does with those of a cell: without the
    import above it, `np.argmax(...)` has other instructions.
    """
    try:
        parts = [ast.Module([node], []) for node in ast.parse(text).body]
    except (SyntaxError, ValueError, RecursionError):
        return frozenset()
    return frozenset[CodeType]().union(*(_compiled(part, future) for part in parts))


@lru_cache(maxsize=64)
def _hooked(loader: Any, text: str, file: str) -> frozenset[CodeType]:
    """Return the code of all functions in a text as an import hook compiles it; that of pytest reads the file."""
    try:
        if hasattr(loader, "source_to_code"):
            code = loader.source_to_code(text.encode(), file)
        else:
            _, code = sys.modules["_pytest.assertion.rewrite"]._rewrite_test(Path(file), loader.config)
        return frozenset(with_inner(code))
    except Exception:  # the hook of a stranger, of which not more is known
        return frozenset()


def _bare(code: CodeType) -> CodeType:
    """Return code without places in the text, which `python -X no_debug_ranges` leaves out of compiled files."""
    constants = (_bare(one) if isinstance(one, CodeType) else one for one in code.co_consts)
    return code.replace(co_linetable=b"", co_consts=tuple(constants))


def _size(node: Definition) -> tuple[int, ...]:
    """Return what is smaller for the inner one of two definitions around the same place."""
    return node.end_lineno or 0, node.end_col_offset or 0, -node.lineno, -node.col_offset


def _around(node: Definition, places: list[tuple[int, int]]) -> bool:
    body = node.body if isinstance(node.body, ast.expr) else node.body[0]
    start, stop = (body.lineno, body.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)
    inside = [place for place in places if place > (node.lineno, node.col_offset)]
    return bool(inside) and all(start <= place < stop for place in inside)
