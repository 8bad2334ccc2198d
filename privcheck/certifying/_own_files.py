"""Whose a source file is, the target's or somebody else's, and the functions inside of other callables."""

from __future__ import annotations

import collections
import functools
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import CellType, CodeType, FrameType, FunctionType, MethodType
from typing import Any

from privcheck.errors import words
from privcheck.extras import is_installed
from privcheck.private_values import Private
from privcheck.reached_state import is_taken

_PRIVCHECK = Path(__file__).resolve().parents[1]
_NAMED_TUPLES = collections.namedtuple.__code__.co_filename
"""Where methods of every named tuple are defined, whatever file has its class."""
_STANDARD = Path(sysconfig.get_paths()["stdlib"]).resolve()


def file_of(cls: type, sources: Iterable[CodeType]) -> str:
    """Return the file of a class: that of one of its methods, whose code is given, if it was not generated."""
    files = [code.co_filename for code in sources]
    written = [file for file in files if not (file.startswith("<string>") or file == _NAMED_TUPLES)] or files
    module = sys.modules.get(cls.__module__)
    return written[0] if written else getattr(module, "__file__", None) or ""


def packages_of(files: Mapping[type, str]) -> Iterator[str]:
    """Yield the files of classes and the folders of their top-level packages, other than privcheck's and Python's."""
    for base, file in files.items():
        if base is object or not file or Path(file).is_relative_to(_PRIVCHECK) or is_standard(file):
            continue
        top = sys.modules.get(base.__module__.partition(".")[0])
        yield from (str(Path(folder)) for folder in getattr(top, "__path__", ()) if not is_standard(str(folder)))
        yield file


def is_standard(file: str) -> bool:
    """Tell whether a file belongs to Python itself.

    >>> is_standard(functools.__file__), is_standard(__file__)
    (True, False)
    """
    path = Path(file).resolve()
    return path.is_relative_to(_STANDARD) and not is_installed(path)


def is_own(file: str, packages: frozenset[str]) -> bool:
    """Tell whether a file belongs to a target whose packages have these files and folders."""
    return _is_own(file, packages) or is_taken(file)


@functools.cache
def _is_own(file: str, packages: frozenset[str]) -> bool:
    if file.startswith("<ipython"):
        return True
    if not file or file.startswith("<"):
        return False
    path = Path(file).resolve()
    if path.is_relative_to(_PRIVCHECK):
        return path.relative_to(_PRIVCHECK).parts[0] in ("adapters", "bandits")
    if any(path == Path(own).resolve() or path.is_relative_to(Path(own).resolve()) for own in packages):
        return True
    return not is_standard(file) and not is_installed(path)


def is_generated(code: CodeType) -> bool:
    """Tell whether a function was made by a decorator such as `dataclass`, which compiles text."""
    return code.co_name.startswith("__") and code.co_filename.startswith("<")


def running(frame: FrameType) -> FunctionType:
    """Return a function like the one that runs in a frame."""
    code, held = frame.f_code, frame.f_locals
    cells = tuple(CellType(held[name]) if name in held else CellType() for name in code.co_freevars)
    return FunctionType(code, frame.f_globals, closure=cells)


def plain_function(value: Any) -> Any:
    """Return the function inside of methods, partial calls and the wrappers of `functools.wraps`."""
    while True:
        if isinstance(value, MethodType | staticmethod | classmethod):
            value = value.__func__
        elif isinstance(value, functools.partial):
            value = value.func
        elif isinstance(value, FunctionType) or not hasattr(value, "__wrapped__"):
            break
        else:
            value = value.__wrapped__
    return value if isinstance(value, FunctionType) else (None if value is None else _hashable(value))


def innermost(value: Any) -> Any:
    """Return the object that methods and partial calls call."""
    while isinstance(value, MethodType | functools.partial):
        value = value.func if isinstance(value, functools.partial) else value.__self__
    return value


def _hashable(value: Any) -> Any:
    readable = not isinstance(value, Private) and getattr(type(value), "__hash__", None)
    return value if readable else id(value)  # the hash of a private value is a leak


def unreadable_note(names: list[str]) -> str:
    """Return the note about methods whose source cannot be read.

    >>> print(unreadable_note(["Policy.update"]))
    the source of Policy.update cannot be read, so it is not known which of its lines ran: put the policy in a file
    """
    which = words(", ".join(dict.fromkeys(names)))
    return f"the source of {which} cannot be read, so it is not known which of its lines ran: put the policy in a file"
