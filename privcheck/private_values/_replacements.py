"""The line to paste in place of one that reads a private value, for the usual ways of writing it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

_UFUNCS = ("exp", "expm1", "log", "log1p", "log2", "sqrt", "tanh")
_OF_LISTS = ("average", "clip", "cumsum", "maximum", "mean", "minimum", "sum")
_COLLECTING = ("array", "asarray", "asanyarray", "float64")


def replacement(code: str, generator: str = "self.rng") -> str:
    """Return the line to paste, and where; nothing if none is known.

    Parameters
    ----------
    code : the line that reads a private value.
    generator : what the Generator is called that the policy was built with.

    >>> replacement("self.sums[action] += reward")
    'self.sums = privcheck.zeros(np.shape(self.sums))'
    >>> replacement("wins = wins + (1 if reward > 0.5 else 0)")
    'wins = wins + np.where(reward > 0.5, 1, 0)'
    >>> replacement("x = min(1, max(0.5, reward))"), replacement("total += float(reward)")
    ('x = privcheck.clip(reward, 0.5, 1)', 'total += reward')
    >>> replacement("return math.exp(reward)"), replacement("if reward > 0.5:")
    ('return np.exp(reward)', '(reward > 0.5) * 1.0')
    >>> replacement("answer = reward if self.rng.random() < 0.75 else 1 - reward")
    'answer = np.where(self.rng.random() < 0.75, reward > 0.5, 1 - (reward > 0.5))'
    >>> replacement("noisy = mean + np.random.laplace(0, 2)"), replacement("total = reward")
    ('noisy = mean + self.rng.laplace(0, 2)', '')
    """
    if found := re.match(r"([A-Za-z_][\w.]*)\[.*\]\s*[-+*/]?=(?!=)", code):
        return f"{found[1]} = privcheck.zeros(np.shape({found[1]}))"
    try:
        tree = ast.parse(code if not code.endswith(":") else f"{code} pass")
    except SyntaxError:
        return ""
    if tree.body and isinstance(tree.body[0], ast.If | ast.While):
        return f"({ast.unparse(tree.body[0].test)}) * 1.0"
    before = ast.unparse(tree)
    after = ast.unparse(ast.fix_missing_locations(_Rewritten(generator).visit(tree)))
    return after if after != before else ""


class _Rewritten(ast.NodeTransformer):
    """Writes what Python or numpy evaluate at once as what stays private."""

    def __init__(self, generator: str) -> None:
        self.generator = generator

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        sides: list[ast.expr] = [node.body, node.orelse]
        if ".random(" in ast.unparse(node.test):  # randomised response answers with bits
            sides = [_Bits().visit(side) for side in sides]
        return _called("np.where", [node.test, *sides])

    def visit_Call(self, node: ast.Call) -> ast.AST:
        limits = _limits(node)
        if limits is not None:
            value, low, high = limits
            return _called("privcheck.clip", [self.visit(value), low, high])
        self.generic_visit(node)
        name = ast.unparse(node.func)
        module, _, function = name.rpartition(".")
        first = node.args[0] if node.args else None
        if module in ("np.random", "numpy.random", "random") or module.startswith(("np.random.", "numpy.random.")):
            node.func = _parsed(f"{self.generator}.{function}")
        elif function == "uniform" and module.endswith("rng"):
            return _parsed(f"{module}.laplace(0, scale)")
        elif first is None:
            return node
        elif function == "binomial" and len(node.args) == 2 and ast.unparse(first) == "1":
            return ast.Compare(_parsed(f"{module}.random()"), [ast.Lt()], [node.args[1]])
        elif name == "float":
            return first
        elif name in ("math.fsum", "fsum"):
            return _called("sum", [first])
        elif name in ("statistics.mean", "statistics.fmean", "mean", "fmean"):
            return _called("np.mean", [first])
        elif module == "math" and function in _UFUNCS:
            return _called(f"np.{function}", [first])
        elif module in ("np", "numpy") and function in _COLLECTING:
            return _called("np.stack" if isinstance(first, ast.List | ast.ListComp) else "np.copy", [first])
        elif module in ("np", "numpy") and function in _OF_LISTS and isinstance(first, ast.List | ast.ListComp):
            node.args[0] = _called("np.stack", [first])
        return node


class _Bits(ast.NodeTransformer):
    """Writes what is larger than one half in place of each name."""

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return _parsed(f"({node.id} > 0.5)")

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return _parsed(f"({ast.unparse(node)} > 0.5)")


def _limits(node: ast.Call) -> tuple[ast.expr, ast.expr, ast.expr] | None:
    """Return the value and the limits of `min(high, max(low, value))`, in any order, with constants for limits."""
    outer = _limit(node)
    if outer is None:
        return None
    name, limit, value = outer
    none = ast.Constant(None)
    inner = _limit(value) if isinstance(value, ast.Call) else None
    if inner is not None and inner[0] != name:
        low, high = (inner[1], limit) if name == "min" else (limit, inner[1])
        return inner[2], low, high
    return (value, none, limit) if name == "min" else (value, limit, none)


def _limit(node: ast.Call) -> tuple[str, ast.expr, ast.expr] | None:
    """Return "min" or "max", the constant and the other argument."""
    if not (isinstance(node.func, ast.Name) and node.func.id in ("min", "max") and len(node.args) == 2):
        return None
    is_number: Callable[[ast.expr], bool] = lambda part: isinstance(part, ast.Constant)  # noqa: E731
    numbers, others = [p for p in node.args if is_number(p)], [p for p in node.args if not is_number(p)]
    return (node.func.id, numbers[0], others[0]) if len(numbers) == 1 else None


def _called(name: str, arguments: list[ast.expr]) -> ast.Call:
    return ast.Call(_parsed(name), arguments, [])


def _parsed(code: str) -> ast.expr:
    return ast.parse(code, mode="eval").body
