"""What can be fixed: a class at the top level of a Python file of the user's, with its `update` in that file."""

from __future__ import annotations

import ast
import inspect
import time
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from privcheck.errors import PrivcheckError, words
from privcheck.fixing._look import apart
from privcheck.fixing._program import NotEditableError, Program
from privcheck.fixing._source_text import SourceText
from privcheck.targets import Location, factory_arguments, takes_generator

PLACE = "path/to/file.py:Class"

IMPORTED = 20
"""Seconds within which the file has to be imported."""


class OwnFile(NamedTuple):
    """A class in a file, and the CPU seconds that it takes to import the file."""

    source: SourceText
    class_name: str
    importing: float = 0.0

    @property
    def target(self) -> str:
        """The file, as it was given, and the class."""
        return f"{self.source.path}:{self.class_name}"


def own_file(target: Any) -> OwnFile:
    """Return the file and the class that a target names.

    Raises
    ------
    PrivcheckError : a shipped id, a spec, a function, a closure or a class in a notebook; a file that cannot be read or
        imported; a class that is not there, that has no `select` or needs other arguments, or whose `update` is
        missing, has other arguments or is in another file.
    """
    source, name = checked_source(target)
    imported = apart(partial(_imported, source.path, name), IMPORTED, TOO_LONG)
    if isinstance(imported, PrivcheckError):
        raise imported
    if isinstance(imported, str):
        hint = (
            "let it end: what runs at import is run at every look" if imported == TOO_LONG else "fix this error first"
        )
        raise PrivcheckError("target", words(f"{source.path}, which {imported}"), "a file that can be imported", hint)
    return OwnFile(source, name, imported)


TOO_LONG = f"takes more than {IMPORTED} seconds to import, or ends the process"


def checked_source(target: Any) -> tuple[SourceText, str]:
    """Return the file of a target and the name of its class, or refuse them by what the file says, without its code."""
    path, name = _place(target)
    source = SourceText.read(path)
    _check_class(source, name)
    return source, name


def own_path(target: Any) -> Path:
    """Return the file of a target, or refuse one that is in no file."""
    return _place(target)[0]


def _place(target: Any) -> tuple[Path, str]:
    """Return the path and the name that a target gives."""
    if isinstance(target, str):
        module, _, name = target.rpartition(":")
        if module.endswith(".py") and name:
            return Path(module), name
        hint = "the code of others is not changed; copy the class into a file of yours"
        if target.endswith(".py"):
            hint = "name the class after a colon"
        raise PrivcheckError("target", target, PLACE, hint)
    name = getattr(target, "__name__", type(target).__name__)
    if not isinstance(target, type):
        what = "a lambda" if name == "<lambda>" else "a function" if callable(target) else "an object"
        got = words(f"{what}, {name}" if "<" not in name else what)
        raise PrivcheckError("target", got, f"a class, or {PLACE}", "a patch needs the source of a class in a file")
    try:
        file = inspect.getsourcefile(target)
    except (TypeError, OSError):
        file = None
    if "." in target.__qualname__:
        got = words(f"{target.__qualname__}, a class inside a function or another class")
        raise PrivcheckError("target", got, "a class at the top level of a file", "move it there")
    if file is None or not Path(file).is_file():
        got = words(f"the class {name}, which is in no file")
        hint = "write the cell to a file, as %%writefile does"
        raise PrivcheckError("target", got, "a class in a Python file", hint)
    return Path(file), name


def _check_class(source: SourceText, name: str) -> None:
    try:
        program = Program(source.text, name, source.newline)
    except SyntaxError as error:
        got = words(f"{source.path}, line {error.lineno}: {error.msg}")
        raise PrivcheckError("target", got, "a file that is Python", "fix this error first") from None
    except ValueError as error:
        raise PrivcheckError("target", words(f"{source.path}: {error}"), "a file that is Python") from None
    except NotEditableError:
        raise _no_class(source, name) from None
    update = program.inherited("update")
    if update is None:
        other = [ast.unparse(base) for cls in program.line_of_classes for base in cls.bases]
        where = f", and is not in this file, as a base class {other[0]} may have it elsewhere" if other else ""
        got = words(f"{name}, which has no method update(){where}")
        hint = f"copy the methods of {other[0]} into this file" if other else "it receives the action and the reward"
        raise PrivcheckError("target", got, "a class with update(action, reward) in its own file", hint)
    taken = [*update.args.posonlyargs, *update.args.args]
    if not update.decorator_list and (len(taken) != 3 or update.args.vararg):
        got = words(f"{name}.update({ast.unparse(update.args)})")
        hint = "other kinds of feedback cannot be fixed yet; privcheck certify says what leaks"
        raise PrivcheckError("target", got, "update() with two arguments of any names, an action and a reward", hint)


def _no_class(source: SourceText, name: str) -> PrivcheckError:
    tree = ast.parse(source.text)
    here = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
    if any(isinstance(node, ast.FunctionDef) and node.name == name for node in tree.body):
        got = words(f"{source.path}:{name}, which is a function")
        return PrivcheckError("target", got, PLACE, "name the class that it builds")
    if any(isinstance(node, ast.ClassDef) and node.name == name for node in ast.walk(tree)):
        got = words(f"{source.path}:{name}, which is defined inside something else")
        return PrivcheckError("target", got, "a class at the top level of a file", "move it there")
    hint = f"the file has {', '.join(here)}" if here else "the file has no class at its top level"
    return PrivcheckError("target", f"{source.path}:{name}", "a class that the file defines", hint)


def _imported(path: Path, name: str) -> str | float | PrivcheckError:
    """Return what goes wrong when a file is imported, or why no edit makes a policy of its class.

    Returns
    -------
    The CPU seconds that it takes if nothing goes wrong.
    """
    started = time.process_time()
    try:
        found = Location(str(path), name).load()
    except PrivcheckError as error:
        return str(error.value).partition(", which ")[2] or str(error)
    seconds = time.process_time() - started
    if not isinstance(found, type):
        return f"has no class {name} once it is imported"
    try:
        factory_arguments(found, {}, takes_rng=takes_generator(found))
    except PrivcheckError as error:
        if error.parameter == "target":  # what the policy is built with is given later
            return error
    return seconds
