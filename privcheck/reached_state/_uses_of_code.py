"""What a code object uses: globals with the attributes that follow, other attributes, imports, generators."""

from __future__ import annotations

import dis
import string
from functools import lru_cache
from types import CodeType
from typing import Any, NamedTuple

_GLOBALS = frozenset({"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"})
_CELLS = frozenset({"LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF", "LOAD_CLOSURE"})
_ATTRIBUTES = frozenset({"LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR", "LOAD_SUPER_METHOD"})
_SETS = frozenset({"STORE_ATTR", "DELETE_ATTR"})
_NO_STEP = frozenset({"CACHE", "PRECALL", "NOP", "PUSH_NULL", "EXTENDED_ARG", "RESUME"})
_KNOWN = (
    "LOAD_ATTR",
    "LOAD_METHOD",
    "LOAD_SUPER",
    "LOAD_GLOBAL",
    "LOAD_NAME",
    "LOAD_FROM",
    "STORE",
    "DELETE",
    "IMPORT",
)
_AT_THE_END = ("PUSH_EXC_INFO", "WITH_EXCEPT_START", "CHECK_EXC_MATCH", "GET_YIELD_FROM_ITER", "GET_AWAITABLE")
_LATER = 0x20 | 0x80 | 0x200
"""Flags of generators and coroutines."""


class Use(NamedTuple):
    """One place where code uses a name.

    Parameters
    ----------
    name : of a global, or of a variable of a function around it.
    in_cell : which of the two.
    chain : the attributes that follow at once.
    sets : whether the last of them is set or deleted.
    """

    name: str
    in_cell: bool
    chain: tuple[str, ...]
    sets: bool


class Uses(NamedTuple):
    """What a code object and those within it use.

    Parameters
    ----------
    uses : the names.
    attributes : attributes of anything else.
    texts : constants that are names, by which attributes can be asked for.
    imports : modules that are imported.
    imported : names that are imported from them.
    computes : whether an attribute is asked for whose name is not written there, or text formatted by such a text.
    makes_classes : whether a class is made.
    ends_later : whether a generator in it runs something when it is given up.
    names : of the functions in it.
    """

    uses: tuple[Use, ...]
    attributes: frozenset[str]
    texts: frozenset[str]
    imports: tuple[str, ...]
    imported: frozenset[str]
    computes: bool
    makes_classes: bool
    ends_later: bool
    names: frozenset[str]


@lru_cache(maxsize=1024)
def uses_of(code: CodeType) -> Uses:
    """Return what a code object uses.

    >>> import math
    >>> found = uses_of((lambda x: math.log(x.real)).__code__)
    >>> found.uses[0].name, found.uses[0].chain, sorted(found.attributes)
    ('math', ('log',), ['real'])
    """
    reading = _Reading([step for step in dis.get_instructions(code) if step.opname not in _NO_STEP])
    uses, attributes, imports, imported = reading.uses, reading.attributes, reading.imports, reading.imported
    for name in set(code.co_names) - reading.seen:  # by an instruction that is not known
        attributes.add(name)
        uses.append(Use(name, False, (), False))
    texts, computes, makes = _in_constants(code.co_consts), reading.computes, reading.makes_classes
    later = bool(code.co_flags & _LATER) and _ends_later(code)
    names = {code.co_name}
    for inner in (uses_of(each) for each in code.co_consts if isinstance(each, CodeType)):
        uses += inner.uses
        attributes |= inner.attributes
        texts |= inner.texts
        imports |= dict.fromkeys(inner.imports)
        imported |= inner.imported
        computes, makes = computes or inner.computes, makes or inner.makes_classes
        later, names = later or inner.ends_later, names | inner.names
    return Uses(
        tuple(dict.fromkeys(uses)),
        frozenset(attributes),
        frozenset(texts),
        tuple(imports),
        frozenset(imported),
        computes,
        makes,
        later,
        frozenset(names),
    )


class _Reading:
    """What the instructions of a code object use, read one after the other."""

    def __init__(self, steps: list[dis.Instruction]) -> None:
        self.uses, self.attributes = list[Use](), set[str]()
        self.imports, self.imported = dict[str, None](), set[str]()
        self.seen, self.computes, self.makes_classes = set[str](), False, False
        self._root: tuple[str, bool] | None = None
        self._chain: list[str] = []
        constant: Any = None
        for place, step in enumerate(steps):
            self._read(step.opname, step.argval, constant, steps[place + 1 :])
            constant = step.argval if step.opname == "LOAD_CONST" else None
        self._close()

    def _read(self, kind: str, name: Any, constant: Any, after: list[dis.Instruction]) -> None:
        if isinstance(name, str) and kind.startswith(_KNOWN):
            self.seen.add(name)
        if kind in _ATTRIBUTES:
            if name in ("format", "format_map") and not _is_harmless_format(constant):
                self.computes = True
            if self._root is None:
                self.attributes.add(name)
            else:
                self._chain.append(name)
            return
        if kind in _SETS:
            self.attributes.add(name)
            self._close(name)
            return
        self._close()
        if kind in _GLOBALS or kind in _CELLS:
            self._root, self._chain = (name, kind in _CELLS), []
            self.computes = self.computes or (name == "getattr" and not _is_named(after))
            self.makes_classes = self.makes_classes or (name == "type" and not _asks_for_a_class(after))
        elif kind == "LOAD_BUILD_CLASS":
            self.makes_classes = True
        elif kind == "IMPORT_NAME":
            self.imports[name] = None
        elif kind == "IMPORT_FROM":
            self.imported.add(name)

    def _close(self, sets: str = "") -> None:
        if self._root is not None:
            chain = (*self._chain, sets) if sets else tuple(self._chain)
            self.uses.append(Use(*self._root, chain, bool(sets)))
        self._root = None


def _is_named(steps: list[dis.Instruction]) -> bool:
    """Tell whether what follows `getattr` is an object and a name that is written there."""
    after = _after_one_object(steps)
    return after is not None and after.opname == "LOAD_CONST" and isinstance(after.argval, str)


def _asks_for_a_class(steps: list[dis.Instruction]) -> bool:
    """Tell whether what follows `type` is one object, of which the class is asked."""
    after = _after_one_object(steps)
    return after is not None and after.opname == "CALL" and after.arg == 1


def _after_one_object(steps: list[dis.Instruction]) -> dis.Instruction | None:
    """Return what follows the instructions that load one object, or an attribute of one; None if they do not."""
    if not steps or steps[0].opname not in (*_GLOBALS, *_CELLS, "LOAD_FAST"):
        return None
    return next((step for step in steps[1:] if step.opname not in _ATTRIBUTES), None)


def _is_harmless_format(text: Any) -> bool:
    """Tell whether a text to be formatted is known, and asks for no attributes."""
    if not isinstance(text, str):
        return False
    try:
        return all(name is None or "." not in name for _, name, _, _ in string.Formatter().parse(text))
    except ValueError:
        return True


def _in_constants(constants: tuple[Any, ...]) -> set[str]:
    """Return the texts among constants that can name attributes: those that are one name."""
    found = set[str]()
    for constant in constants:
        if isinstance(constant, str) and constant.isidentifier():
            found.add(constant)
        elif isinstance(constant, tuple | frozenset):
            found |= _in_constants(tuple(constant))
    return found


def _ends_later(code: CodeType) -> bool:
    """Tell whether a generator has something to do when it is given up: `finally`, `with`, `except`, or what it hands
    over to, whose `close` is called.
    """
    return any("SETUP" in step.opname or step.opname in _AT_THE_END for step in dis.get_instructions(code))
