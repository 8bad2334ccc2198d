"""Which parameters of functions of a module are private in every call that a round can make."""

from __future__ import annotations

import ast

from privcheck.certifying.decided_conditions import may_be_stored
from privcheck.certifying.own_code import OwnCode, OwnFunction
from privcheck.certifying.private_expressions import PrivateExpressions


def always_private_in_helper(own: OwnFunction, code: OwnCode, expressions: PrivateExpressions) -> set[str]:
    """Return the parameters of a function of a module that are private in every call that a round can make.

    Every mention of the function has to be a call by name that passes a private argument of `update` as it was told; a
    function that may be called in any other way has no such parameters.

    Parameters
    ----------
    own : the function.
    code : the target's own code.
    expressions : its private expressions.
    """
    decorated = not isinstance(own.node, ast.Lambda) and bool(own.node.decorator_list)
    unseen = own in code.roots or own in expressions.escaped or decorated
    if own.owner is not None or unseen or any(map(_names_unseen, code.functions)):
        return set()
    told = [
        _passed_as_told(caller, call, own, code, expressions)
        for caller in code.functions
        for call in ast.walk(caller.node)
        if isinstance(call, ast.Call) and own in expressions.callees(call, caller)
    ]
    return set.intersection(*told) if told else set()


def _passed_as_told(
    caller: OwnFunction, call: ast.Call, own: OwnFunction, code: OwnCode, expressions: PrivateExpressions
) -> set[str]:
    """Return the parameters that a call in an `update` gives its private arguments."""
    inner = [part for part in ast.walk(caller.node) if isinstance(part, ast.Lambda | ast.FunctionDef)]
    starred = any(isinstance(part, ast.Starred) for part in call.args)
    if caller not in code.updates() or len(inner) > 1 or starred:
        return set()
    told = expressions.always_private(caller)
    given = list(zip(own.parameters, call.args, strict=False))
    given += [(word.arg, word.value) for word in call.keywords if word.arg in own.parameters]
    return {
        name
        for name, part in given
        if isinstance(part, ast.Name) and part.id in told and not may_be_stored(part, caller)
    }


def _names_unseen(own: OwnFunction) -> bool:
    """Tell whether a function can call others by names that are not spelled out."""
    names = {part.id for part in ast.walk(own.node) if isinstance(part, ast.Name)}
    return not names.isdisjoint({"getattr", "globals", "eval", "exec", "vars", "locals", "sys"})
