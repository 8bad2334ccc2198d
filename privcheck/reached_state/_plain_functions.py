"""Functions of one number that can change nothing: by their instructions, of which every one is on a list."""

from __future__ import annotations

import dis
import math
import sys
from functools import lru_cache
from types import BuiltinFunctionType, CodeType, FunctionType
from typing import Any

import numpy as np

_COMMON = frozenset(
    [
        "NOP",
        "RESUME",
        "PUSH_NULL",
        "POP_TOP",
        "COPY",
        "SWAP",
        "CACHE",
        "COPY_FREE_VARS",
        "LOAD_CONST",
        "LOAD_FAST",
        "STORE_FAST",
        "LOAD_DEREF",
        "LOAD_GLOBAL",
        "BINARY_OP",
        "COMPARE_OP",
        "IS_OP",
        "UNARY_NEGATIVE",
        "UNARY_NOT",
        "CALL",
        "RETURN_VALUE",
        "JUMP_FORWARD",
        "JUMP_BACKWARD",
    ]
)
_OF_VERSIONS = {
    (
        3,
        11,
    ): "LOAD_METHOD LOAD_ATTR PRECALL KW_NAMES UNARY_POSITIVE UNARY_INVERT JUMP_IF_FALSE_OR_POP JUMP_IF_TRUE_OR_POP "
    "POP_JUMP_FORWARD_IF_FALSE POP_JUMP_FORWARD_IF_TRUE POP_JUMP_FORWARD_IF_NONE POP_JUMP_FORWARD_IF_NOT_NONE "
    "POP_JUMP_BACKWARD_IF_FALSE POP_JUMP_BACKWARD_IF_TRUE POP_JUMP_BACKWARD_IF_NONE POP_JUMP_BACKWARD_IF_NOT_NONE",
    (3, 12): "LOAD_ATTR KW_NAMES UNARY_INVERT CALL_INTRINSIC_1 RETURN_CONST LOAD_FAST_CHECK POP_JUMP_IF_FALSE "
    "POP_JUMP_IF_TRUE POP_JUMP_IF_NONE POP_JUMP_IF_NOT_NONE",
    (
        3,
        13,
    ): "LOAD_ATTR CALL_KW UNARY_INVERT TO_BOOL RETURN_CONST LOAD_FAST_CHECK LOAD_FAST_LOAD_FAST STORE_FAST_LOAD_FAST "
    "STORE_FAST_STORE_FAST POP_JUMP_IF_FALSE POP_JUMP_IF_TRUE POP_JUMP_IF_NONE POP_JUMP_IF_NOT_NONE",
}
ALLOWED = {version: _COMMON | frozenset(names.split()) for version, names in _OF_VERSIONS.items()}
"""Instructions that only read their operands or set local variables; on another version of Python, none is known.

`LOAD_ATTR` and `LOAD_METHOD` are on it for functions of the modules in `MODULES` only, `CALL_INTRINSIC_1` for a plus
sign.
"""

MODULES = (math, np)
_NUMPY = [
    "abs", "absolute", "sqrt", "cbrt", "exp", "expm1", "exp2", "log", "log1p", "log2", "log10", "sin", "cos",
    "tan", "arctan", "sinh", "cosh", "tanh", "sign", "floor", "ceil", "trunc", "rint", "square", "reciprocal",
    "maximum", "minimum", "fmin", "fmax", "power", "float_power", "clip", "isnan", "isfinite", "hypot",
]  # fmt: skip
_FUNCTIONS: list[Any] = [getattr(np, name) for name in _NUMPY]
_FUNCTIONS += [value for value in vars(math).values() if isinstance(value, BuiltinFunctionType)]
_FUNCTIONS += [abs, min, max, round, pow, divmod, float, int, bool]
KNOWN = {id(function): function for function in _FUNCTIONS}
"""Functions that give a number for numbers, and keep nothing."""

_NUMBERS = (int, float, bool, type(None))


def is_plain(function: Any) -> bool:
    """Tell whether a function of one number can change nothing but its own variables, whatever the number is.

    It is one of a list (of `math`, numpy's ufuncs, `abs` and the like), or consists of instructions that are on a list
    for this version of Python and names only numbers and such functions. Anything else may be as harmless: it is not
    known.

    Examples
    --------
    >>> is_plain(lambda x: min(1.0, x**3 - x)), is_plain(math.log), is_plain([].append)
    (True, True, False)
    >>> codes = {}
    >>> is_plain(lambda x: codes.setdefault(x, len(codes)))
    False
    """
    if id(function) in KNOWN:
        return True
    return type(function) is FunctionType and _is_plain(function, 3)


def _is_plain(function: FunctionType, depth: int) -> bool:
    code = function.__code__
    if function.__kwdefaults__ or not set(map(type, function.__defaults__ or ())) <= set(_NUMBERS):
        return False
    if not _instructions_allowed(code) or not _constants_allowed(code):
        return False
    names, attributes = _names(code)
    for cell in function.__closure__ or ():
        try:
            if type(cell.cell_contents) not in _NUMBERS:
                return False
        except ValueError:
            return False
    space = function.__globals__
    for name in names:
        value = space[name] if name in space else _builtin(space, name)
        if any(value is module for module in MODULES):
            if not all(id(getattr(value, attribute, None)) in KNOWN for attribute in attributes):
                return False
        elif type(value) is FunctionType:
            if attributes or depth == 0 or not _is_plain(value, depth - 1):
                return False
        elif type(value) not in _NUMBERS and id(value) not in KNOWN:
            return False
    return True


def _builtin(space: dict[str, Any], name: str) -> Any:
    builtins = space.get("__builtins__", {})
    return (builtins if isinstance(builtins, dict) else vars(builtins)).get(name, _NOTHING)


_NOTHING = object()


@lru_cache(maxsize=1024)
def _instructions_allowed(code: CodeType) -> bool:
    """Tell whether every instruction is on the list, and every attribute one of a global."""
    allowed, before = ALLOWED.get(sys.version_info[:2], frozenset[str]()), ""
    if code.co_flags & (0x20 | 0x80 | 0x100 | 0x200 | 0x04 | 0x08) or code.co_cellvars:  # generators, *args, **kwargs
        return False
    for instruction in dis.get_instructions(code):
        if instruction.opname not in allowed:
            return False
        if instruction.opname in ("LOAD_ATTR", "LOAD_METHOD") and before != "LOAD_GLOBAL":
            return False
        if instruction.opname == "CALL_INTRINSIC_1" and instruction.arg != 5:  # a plus sign
            return False
        before = instruction.opname
    return True


def _constants_allowed(code: CodeType) -> bool:
    kinds = (*_NUMBERS, str)  # a tuple of numbers would make an array, which can warn; of texts, it names arguments
    return all(
        type(constant) in kinds or (type(constant) is tuple and set(map(type, constant)) == {str})
        for constant in code.co_consts
    )


@lru_cache(maxsize=1024)
def _names(code: CodeType) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the globals and the attributes that a code object names."""
    every = [(i.opname, i.argval) for i in dis.get_instructions(code)]
    of_globals = dict.fromkeys(name for kind, name in every if kind == "LOAD_GLOBAL")
    attributes = dict.fromkeys(name for kind, name in every if kind in ("LOAD_ATTR", "LOAD_METHOD"))
    return tuple(of_globals), tuple(attributes)
