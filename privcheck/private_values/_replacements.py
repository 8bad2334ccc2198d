"""The line to paste in place of one that reads a private value, for the usual ways of writing it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable

_UFUNCS = ("exp", "expm1", "log", "log1p", "log2", "sqrt", "tanh")
_OF_LISTS = ("average", "clip", "cumsum", "maximum", "mean", "minimum", "sum")
_COLLECTING = ("array", "asarray", "asanyarray", "float64")


_NOISE = ("laplace", "normal", "random")
"""Functions of numpy's global generator that the Generator of a policy has under the same name and arguments."""

_READING = ("abs", "all", "any", "bool", "complex", "float", "int", "max", "min", "range", "round", "sorted", "str")
_READING_METHODS = ("astype", "item", "tolist", "asarray", "asanyarray", "array")
"""Calls that would read a private value again, where they stay in a line that is rewritten."""


def replacement(
    code: str, generator: str = "self.rng", kind: str = "conversion", *, one: bool = True, array: bool = True
) -> str:
    """Return the line to paste, and where; nothing if none is known that stays private.

    Parameters
    ----------
    code : the line that reads a private value.
    generator : what the Generator is called that the policy was built with.
    kind : of the leak, as in `KINDS`; "indicator" is the truth value of a comparison of one datum, "coin" a choice by a
        coin that was read.
    one : whether the value depends on one datum.
    array : whether the line puts it into an ordinary array.

    >>> replacement("self.sums[action] += reward")
    'self.sums = privcheck.zeros(np.shape(self.sums))'
    >>> replacement("self.wins[action] += self.sums[0] > 0.5", kind="comparison")
    ''
    >>> replacement("wins = wins + (1 if reward > 0.5 else 0)", kind="indicator")
    'wins = wins + np.where(reward > 0.5, 1, 0)'
    >>> replacement("x = min(1, max(0.5, reward))", kind="indicator"), replacement("total += float(reward)")
    ('x = privcheck.clip(reward, 0.5, 1)', 'total += reward')
    >>> replacement("return math.exp(reward)"), replacement("if reward > 0.5:", kind="indicator")
    ('return np.exp(reward)', '')
    >>> replacement("answer = reward if self.rng.random() < 0.75 else 1 - reward", kind="coin")
    'answer = np.where(self.rng.random() < 0.75, reward > 0.5, 1 - (reward > 0.5))'
    >>> replacement("noisy = float(mean + np.random.laplace(0, 2))"), replacement("total = reward")
    ('noisy = mean + self.rng.laplace(0, 2)', '')
    """
    branches = code.startswith(("if ", "while ", "elif "))
    try:
        tree = ast.parse(f"{code.removeprefix('el')} pass" if branches and code.endswith(":") else code)
    except SyntaxError:
        return ""
    before = ast.unparse(tree)
    tree = ast.fix_missing_locations(_Rewritten(generator, kind, one=one).visit(tree))
    after = ast.unparse(tree)
    if tree.body and isinstance(tree.body[0], ast.If | ast.While):
        test = tree.body[0].test
        if not _is_simple(test) or _reads([*ast.walk(test)][1:]):
            return ""
        if after != before:
            return f"{code.split()[0]} {ast.unparse(test)}:"
        return ""  # what the condition decides stands in other lines
    if _reads(ast.walk(tree)):
        return ""
    if after != before:
        return after
    filled = _filled(tree.body[0]) if tree.body and kind == "conversion" and array else ""
    return f"{filled} = privcheck.zeros(np.shape({filled}))" if filled else ""


def array_of(code: str) -> str:
    """Return the name of what a line puts a value into, as in `name[index] = value`; an empty string for other lines.

    >>> array_of("self.sums[action] += reward"), array_of("total += reward")
    ('self.sums', '')
    """
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return ""
    return _filled(tree.body[0]) if tree.body else ""


def _filled(line: ast.stmt) -> str:
    if isinstance(line, ast.AugAssign):
        targets: list[ast.expr] = [line.target] if isinstance(line.op, ast.Add | ast.Sub) else []
    else:
        targets = line.targets if isinstance(line, ast.Assign) else []
    place: ast.expr | None = targets[0] if len(targets) == 1 else None
    if not isinstance(place, ast.Subscript):
        return ""
    while isinstance(place, ast.Subscript):
        place = place.value
    name = ast.unparse(place)
    return name if re.fullmatch(r"[A-Za-z_][\w.]*", name) else ""


def _is_simple(test: ast.expr) -> bool:
    """Return whether a condition is one comparison, whose result can stay private."""
    return isinstance(test, ast.Compare) and len(test.ops) == 1 and not isinstance(test.ops[0], _SPOKEN)


_SPOKEN = (ast.In, ast.NotIn, ast.Is, ast.IsNot)


def _reads(nodes: Iterable[ast.AST]) -> bool:
    """Return whether what is left of a line may read a private value once more."""
    for node in nodes:
        if isinstance(node, ast.IfExp | ast.BoolOp | ast.Not | ast.Assert | ast.JoinedStr | ast.comprehension):
            return True
        if isinstance(node, ast.Compare) and not _is_simple(node):
            return True
        if isinstance(node, ast.Call):
            module, _, function = ast.unparse(node.func).rpartition(".")
            if module in ("math", "statistics") or function in (_READING_METHODS if module else _READING):
                return True
    return False


class _Rewritten(ast.NodeTransformer):
    """Writes what Python or numpy evaluate at once as what stays private."""

    def __init__(self, generator: str, kind: str, *, one: bool) -> None:
        self.generator, self.kind, self.one = generator, kind, one

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        sides: list[ast.expr] = [node.body, node.orelse]
        flips = ".random(" in ast.unparse(node.test)
        if self.kind != ("coin" if flips else "indicator") or not _is_simple(node.test):
            return node
        if flips:  # randomised response answers with bits
            if any(isinstance(part, ast.Call) for side in sides for part in ast.walk(side)):
                return node
            sides = [_Bits().visit(side) for side in sides]
        return _called("np.where", [node.test, *sides])

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        if self.one and (found := clip_by_norm(node)) is not None:
            return _called("privcheck.clip_norm", [_parsed(part) for part in found])
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        limits = _limits(node) if self.kind == "indicator" else None
        if limits is not None:
            value, low, high = limits
            return _called("privcheck.clip", [self.visit(value), low, high])
        self.generic_visit(node)
        name = ast.unparse(node.func)
        module, _, function = name.rpartition(".")
        first = node.args[0] if node.args else None
        if module in ("np.random", "numpy.random") and function in _NOISE:
            node.func = _parsed(f"{self.generator}.{function}")
        elif first is None or self.kind not in ("conversion", "function"):
            return node
        elif self.one and function == "binomial" and len(node.args) == 2 and ast.unparse(first) == "1":
            return ast.Compare(_parsed(f"{module}.random()"), [ast.Lt()], [node.args[1]])
        elif name == "float" and not isinstance(first, ast.Constant):
            return first
        elif name in ("math.fsum", "fsum"):
            return _called("sum", [first])
        elif name in ("statistics.mean", "statistics.fmean", "mean", "fmean"):
            return _called("np.mean", [first])
        elif self.one and module == "math" and function in _UFUNCS:
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


def clip_by_norm(node: ast.BinOp) -> tuple[str, str] | None:
    """Return the vector and the largest norm of `x / max(1.0, np.linalg.norm(x))` and the like; None for other code.

    A vector that is divided by its norm, whatever this is, is taken for one that is clipped to norm 1.

    >>> line = lambda code: ast.parse(code, mode="eval").body
    >>> clip_by_norm(line("x / max(1.0, np.linalg.norm(x))")), clip_by_norm(line("x * min(1, c / np.linalg.norm(x))"))
    (('x', '1.0'), ('x', 'c'))
    >>> clip_by_norm(line("x / np.linalg.norm(x)")), clip_by_norm(line("x / max(2.0, np.linalg.norm(x))"))
    (('x', '1.0'), None)
    """
    if isinstance(node.op, ast.Div):
        vector, other = ast.unparse(node.left), node.right
        if _is_norm(other, vector):
            return vector, "1.0"
        one, part = _of_one("max", other)
        if part is not None and _is_norm(part, vector):
            return vector, one
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Div) and _is_norm(part.left, vector):
            return vector, ast.unparse(part.right)
    elif isinstance(node.op, ast.Mult):
        for value, factor in ((node.left, node.right), (node.right, node.left)):
            vector, (_, part) = ast.unparse(value), _of_one("min", factor)
            if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Div) and _is_norm(part.right, vector):
                return vector, ast.unparse(part.left)
    return None


def _of_one(name: str, node: ast.expr) -> tuple[str, ast.expr | None]:
    """Return how 1 is written in `max(1, other)`, `np.maximum(1, other)` or those of `min`, and the other argument."""
    names = (name, f"np.{name}imum", f"numpy.{name}imum")
    if not (
        isinstance(node, ast.Call) and ast.unparse(node.func) in names and len(node.args) == 2 and not node.keywords
    ):
        return "", None
    first, second = node.args
    for one, other in ((first, second), (second, first)):
        if isinstance(one, ast.Constant) and one.value == 1:
            return ast.unparse(one), other
    return "", None


def _is_norm(node: ast.expr, vector: str) -> bool:
    """Return whether an expression is the L2 norm of a vector."""
    squares = (
        f"{vector} @ {vector}",
        f"np.dot({vector}, {vector})",
        f"np.sum({vector} ** 2)",
        f"({vector} ** 2).sum()",
    )
    written = [f"np.linalg.norm({vector})", f"numpy.linalg.norm({vector})", f"norm({vector})", f"linalg.norm({vector})"]
    written += [f"{root}({square})" for root in ("np.sqrt", "math.sqrt") for square in squares]
    return ast.unparse(node) in written
