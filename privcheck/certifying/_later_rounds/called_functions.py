"""Which own functions the calls in a target's own code may mean."""

from __future__ import annotations

import ast
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterator

import numpy as np

from privcheck.certifying._own_code import OwnCode, OwnFunction, attributes
from privcheck.certifying._syntax import CONTAINERS, is_namespace, is_property, named
from privcheck.private_values import Private

RESULTS = (bool, int, float, str, tuple, np.ndarray, defaultdict, Counter, OrderedDict, *CONTAINERS)
"""Values whose methods are not those of own classes, even if they have the same name."""


class CalledFunctions:
    """The own functions that expressions call, found by the names in them.

    Parameters
    ----------
    code : the target's own code.
    """

    def __init__(self, code: OwnCode) -> None:
        self._code = code
        held = attributes(code.policy).items()
        self._plain = {name for name, value in held if type(value) in RESULTS or isinstance(value, Private)}

    def called(self, node: ast.AST, own: OwnFunction) -> Iterator[OwnFunction]:
        """Yield the own functions that an expression calls, those of properties included."""
        for part in ast.walk(node):
            if isinstance(part, ast.Call) and not self.is_plain(part.func):
                yield from self.callees(part, own)
            elif isinstance(part, ast.Attribute) and not isinstance(part.ctx, ast.Store):  # to delete a cached one, too
                yield from (found for found in self._code.methods(part.attr) if is_property(found))

    def mentioned(self, node: ast.AST, own: OwnFunction) -> Iterator[OwnFunction]:
        """Yield the own functions that an expression names, for others to call."""
        for part in ast.walk(node):
            if not self.is_plain(part):
                yield from named(part, own, self._code)

    def is_update(self, own: OwnFunction) -> bool:
        """Tell whether a function receives the rewards of each round."""
        return own in self._code.updates()

    def methods(self, name: str) -> list[OwnFunction]:
        """Return the own methods of a name."""
        return self._code.methods(name)

    def callees(self, call: ast.Call, own: OwnFunction) -> list[OwnFunction]:
        """Return the own functions that a call may mean."""
        function = call.func
        if isinstance(function, ast.Name):
            return self._code.of(own.value(function.id))
        if not isinstance(function, ast.Attribute):
            return []
        if isinstance(function.value, ast.Name):
            holder = own.value(function.value.id)
            if type(holder).__name__ == "module":
                return self._code.of(getattr(holder, function.attr, None))
        return self._code.methods(function.attr)

    def is_plain(self, function: ast.AST) -> bool:
        """Tell whether a method belongs to a number, an array or a container that the policy holds."""
        holder = function.value if isinstance(function, ast.Attribute) else None
        while isinstance(holder, ast.Subscript):
            holder = holder.value
        if holder is not None and is_namespace(holder):
            return True
        return isinstance(holder, ast.Attribute) and holder.attr in self._plain
