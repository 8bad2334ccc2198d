"""Clips by a norm, and divisions by one, as people write them in a line of code."""

from __future__ import annotations

import ast


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
