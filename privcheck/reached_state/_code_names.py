"""What the code of a function names: globals and attributes, and which of them it sets."""

from __future__ import annotations

import dis
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType
from typing import NamedTuple

ANY_NAME = frozenset(
    {"globals", "vars", "exec", "eval", "setattr", "delattr", "__dict__", "__setattr__", "__globals__"}
)
"""Names by which code can set globals, or attributes of modules, that it does not name."""


class CodeNames(NamedTuple):
    """The names in a code object and in those within it.

    Parameters
    ----------
    names : globals and attributes that it names.
    set_globals : globals that it sets or deletes.
    set_attributes : attributes that it sets or deletes, of whatever object.
    imports : modules that it imports when it runs.
    sets_any : whether it may set others, too.
    """

    names: tuple[str, ...]
    set_globals: frozenset[str]
    set_attributes: frozenset[str]
    imports: tuple[str, ...]
    sets_any: bool


@lru_cache(maxsize=1024)
def code_names(code: CodeType) -> CodeNames:
    """Return the names in a code object.

    >>> def count():
    ...     global total
    ...     total = len(entries) + 1
    >>> code_names(count.__code__).set_globals, "entries" in code_names(count.__code__).names
    (frozenset({'total'}), True)
    """
    every = list(_with_inner(code))
    names = tuple(dict.fromkeys(name for each in every for name in each.co_names))
    set_globals, set_attributes, imports = set(), set(), dict[str, None]()
    for each in every:
        for instruction in dis.get_instructions(each):
            if instruction.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
                set_globals.add(instruction.argval)
            elif instruction.opname in ("STORE_ATTR", "DELETE_ATTR"):
                set_attributes.add(instruction.argval)
            elif instruction.opname == "IMPORT_NAME":
                imports[instruction.argval] = None
    return CodeNames(
        names, frozenset(set_globals), frozenset(set_attributes), tuple(imports), not ANY_NAME.isdisjoint(names)
    )


def _with_inner(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _with_inner(constant)
