"""Compilation with numba, and a disk cache that notices every change to the code that a function calls."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core.caching import FunctionCache

from privcheck.kernels._cache_place import KeptCode

F = TypeVar("F", bound=Callable[..., object])


def compiled(function: F) -> F:
    """Compile a function with numba: no GIL, IEEE division by zero, cached on disk."""
    return _compiled(function, inline=False)


def inlined(function: F) -> F:
    """Compile a function that is inlined into its callers: a call takes tens of nanoseconds, more than many rounds."""
    return _compiled(function, inline=True)


def _compiled(function: F, *, inline: bool) -> F:
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "cache": True, "forceinline": inline}
    dispatcher: Any = numba.njit(**options)(function)
    dispatcher._cache = cast("Any", _CallAwareCache)(function)
    return cast("F", dispatcher)


def stored_beside(select: Callable[..., Any], update: Callable[..., Any], function: F) -> F:
    """Return a function that closes over `select` and `update`, with its own name and the location of `select`.

    Numba names the symbols of compiled code after the function, and its cache file after the file, line and name. They
    must differ between functions that one definition makes from different parts.
    """
    place = getattr(select, "py_func", select)
    function.__module__ = place.__module__
    function.__qualname__ = f"{select.__qualname__}-{update.__qualname__}"
    function.__code__ = function.__code__.replace(
        co_filename=place.__code__.co_filename, co_firstlineno=place.__code__.co_firstlineno
    )
    return function


class _CallAwareCache(FunctionCache):
    """Numba's disk cache, made to notice changes to compiled functions in other files that a function calls."""

    _impl_class = KeptCode

    def _index_key(self, signature: Any, codegen: Any) -> tuple[Any, ...]:
        return (signature, codegen.magic_tuple(), fingerprint(self._py_func))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled function, or None; an index that refers to modules of an older version is discarded."""
        try:
            return cast("Any", super()).load_overload(sig, target_context)
        except (ImportError, AttributeError):
            with contextlib.suppress(OSError):
                cast("Any", self).flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled function, if the folder can be written: an image may bring one that cannot."""
        with contextlib.suppress(OSError):
            cast("Any", super()).save_overload(sig, data)


def fingerprint(function: Any) -> str:
    """Return a hash of the code of a function, of the functions that it calls by name, and of their constants and
    defaults, which are compiled into it.

    The compilation options of called functions are included, because inlining is decided when the caller is compiled.
    """
    digest, seen, todo = hashlib.sha256(), set[Any](), [function]
    while todo:
        current = todo.pop()
        if current in seen:
            continue
        seen.add(current)
        code = current.__code__
        held = code.co_consts, code.co_names, current.__defaults__, current.__kwdefaults__
        digest.update(code.co_code + repr(held).encode())
        enclosed = [cell.cell_contents for cell in current.__closure__ or ()]
        for value in (*enclosed, *(current.__globals__.get(name) for name in code.co_names)):
            digest.update(repr(getattr(value, "targetoptions", None)).encode())
            value = getattr(value, "py_func", value)
            if isinstance(value, FunctionType):
                todo.append(value)
            elif isinstance(value, np.ndarray):
                digest.update(repr((value.dtype, value.shape)).encode() + value.tobytes())
            elif isinstance(value, int | float | np.dtype):
                digest.update(repr(value).encode())
    return digest.hexdigest()
