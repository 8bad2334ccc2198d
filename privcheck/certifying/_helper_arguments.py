"""Which parameters of `update`, and of functions of a module, are private in every call that a round can make."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from privcheck.certifying._decided_conditions import may_be_stored
from privcheck.certifying._own_code import OwnCode, OwnFunction
from privcheck.certifying._private_expressions import PrivateExpressions
from privcheck.certifying._spelled_names import spelled_by
from privcheck.certifying._syntax import called_name, computes_name
from privcheck.certifying._translated.definitions import Definition


def always_private_in_update(own: OwnFunction, code: OwnCode, expressions: PrivateExpressions) -> set[str]:
    """Return the parameters of an `update` that are private in every call: nothing but the guard calls it.

    An `update` of a derived class may pass on to `super().update` what it was told.

    Parameters
    ----------
    own : the policy's `update`, or one that it inherits.
    code : the target's own code.
    expressions : its private expressions.
    """
    unseen = own in expressions.escaped or _is_decorated(own) or any(_names_unseen(f.node) for f in code.functions)
    unseen = unseen or any(_aliases(file.tree, code.learns) for file in spelled_by(code))
    if own.owner is None or own.name != code.learns or unseen:
        return set()
    told = {own.parameters[place + 1] for place in expressions.told if place + 1 < len(own.parameters)}
    for caller in code.functions:
        if any(caller.value(name) is own.function for name in _read(caller)):
            return set()
        passed = {id(call.func) for call in _calls(caller) if _passes_on(call, caller, own, code, expressions)}
        named = (node for node in ast.walk(caller.node) if isinstance(node, ast.Attribute) and node.attr == code.learns)
        if any(id(node) not in passed for node in named):
            return set()
    return told


def _passes_on(
    call: ast.Call, caller: OwnFunction, own: OwnFunction, code: OwnCode, expressions: PrivateExpressions
) -> bool:
    """Tell whether a call is `super().update`, and either means none but base classes of the one that has the `update`,
    or passes the private arguments of a derived class's `update` as told.
    """
    method = call.func
    if not (isinstance(method, ast.Attribute) and method.attr == code.learns and isinstance(method.value, ast.Call)):
        return False
    if called_name(method.value) != "super" or method.value.args or caller not in code.updates() or call.keywords:
        return False
    if own.function is getattr(type(code.policy), code.learns, None):
        return True  # the policy's own: `super` leads away from it
    places = expressions.told
    if any(isinstance(part, ast.Starred) for part in call.args) or max(places, default=0) >= len(call.args):
        return False
    return all(
        isinstance(part := call.args[place], ast.Name)
        and part.id in caller.parameters[place + 1 : place + 2]
        and not may_be_stored(part, caller)
        for place in places
    )


@lru_cache(maxsize=64)
def _aliases(tree: ast.AST, learns: str) -> bool:
    """Tell whether a file gives `update`, as `learns` calls it, another name, sets it, or names it in a string."""
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    bodies = [part for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for part in node.body]
    in_classes = [part for part in bodies if not isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)]
    if any(isinstance(node, ast.Name) and node.id == learns for part in in_classes for node in ast.walk(part)):
        return True
    return any(
        (isinstance(node, ast.Attribute) and node.attr == learns and id(node) not in called)
        or (isinstance(node, ast.Constant) and node.value == learns)
        for node in ast.walk(tree)
    )


def always_private_in_helper(own: OwnFunction, code: OwnCode, expressions: PrivateExpressions) -> set[str]:
    """Return the parameters of a function of a module that are private in every call that a round can make.

    Every mention of the function in the target's files has to be a call by name, and every call has to pass a private
    argument of `update` as it was told; a function that may be called in any other way has no such parameters.

    Parameters
    ----------
    own : the function.
    code : the target's own code.
    expressions : its private expressions.
    """
    unseen = own in code.roots or own in expressions.escaped or _is_decorated(own)
    if own.owner is not None or unseen or any(_names_unseen(f.node) for f in code.functions):
        return set()
    if own.name != own.function.__name__ or any(own.name in file.mentioned for file in spelled_by(code)):
        return set()
    told = [
        _passed_as_told(caller, call, own, code, expressions)
        for caller in code.functions
        for call in _calls(caller)
        if own in expressions.callees(call, caller)
    ]
    return set.intersection(*told) if told else set()


def _passed_as_told(
    caller: OwnFunction, call: ast.Call, own: OwnFunction, code: OwnCode, expressions: PrivateExpressions
) -> set[str]:
    """Return the parameters that a call in an `update` gives its private arguments."""
    if caller not in code.updates() or any(isinstance(part, ast.Starred) for part in call.args):
        return set()
    told = always_private_in_update(caller, code, expressions)
    given = list(zip(own.parameters, call.args, strict=False))
    given += [(word.arg, word.value) for word in call.keywords if word.arg in own.parameters]
    return {
        name
        for name, part in given
        if isinstance(part, ast.Name) and part.id in told and not may_be_stored(part, caller)
    }


def _calls(own: OwnFunction) -> Iterator[ast.Call]:
    return (node for node in ast.walk(own.node) if isinstance(node, ast.Call))


def _read(own: OwnFunction) -> set[str]:
    return {node.id for node in ast.walk(own.node) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def _is_decorated(own: OwnFunction) -> bool:
    return not isinstance(own.node, ast.Lambda) and bool(own.node.decorator_list)


@lru_cache(maxsize=1024)
def _names_unseen(node: Definition) -> bool:
    """Tell whether a function can call others by names that are not spelled out."""
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    unseen = {"globals", "eval", "exec", "vars", "locals", "sys", "attrgetter", "methodcaller"}
    calls = [part for part in ast.walk(node) if isinstance(part, ast.Call)]
    called = {id(call.func) for call in calls}
    passed_on = any(
        isinstance(part, ast.Name) and part.id == "getattr" and id(part) not in called for part in ast.walk(node)
    )
    return bool(names & unseen) or passed_on or any(map(computes_name, calls))
