"""Where a class adds noise to a value: the value, the noise, and by how much one datum can move the value."""

from __future__ import annotations

import ast
from typing import NamedTuple

from privcheck.fixing._edits.universal import width
from privcheck.fixing._program import Function, Program, receiver

LAWS = ("laplace", "normal", "gauss", "normalvariate", "gumbel", "exponential", "expovariate", "uniform", "geometric")
LAWS_WITHOUT_SCALE = ("standard_normal", "randn", "standard_exponential")


class Site(NamedTuple):
    """A value with noise.

    Parameters
    ----------
    method : in which it stands.
    whole : the sum of the value and the noise, or a draw with the value for its location.
    value, noise : the two; the noise may be a variable.
    draw : the expression that draws, which is the noise or what the variable was given.
    call : the call in it.
    """

    method: Function
    whole: ast.expr
    value: ast.expr
    noise: ast.expr
    draw: ast.expr
    call: ast.Call


def sites(program: Program, line: int | None = None, *, far: bool = False) -> list[Site]:
    """Return the places at which the class adds noise: those of a line, and if `far` all if that has none."""
    helpers = _drawing(program)
    found = [site for method in program.methods.values() for site in _of_method(method, helpers)]
    if line is None:
        return found
    here = [site for site in found if site.whole.lineno <= line <= (site.whole.end_lineno or 0)]
    return here or (found if far else [])


def _drawing(program: Program) -> set[str]:
    """Return how the methods and functions are called that do nothing but return one number of noise: "self.noise"."""
    functions = [node for node in program.tree.body if isinstance(node, ast.FunctionDef)]
    named = [(f"{SELF}.{name}", method) for name, method in program.methods.items()]
    named += [(function.name, function) for function in functions]
    return {name for name, function in named if _draws_only(function)}


SELF = "self"
"""What stands for the receiver of a method, whatever its name."""


def _draws_only(function: Function) -> bool:
    last = function.body[-1]
    told = [
        node for node in function.body[:-1] if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    ]
    if told or function.decorator_list or not isinstance(last, ast.Return) or last.value is None:
        return False
    call = _only_draw(last.value)
    return call is not None and len(call.args) < 3 and all(each.arg != "size" for each in call.keywords)


def _helper(node: ast.expr, method: Function, helpers: set[str]) -> ast.Call | None:
    """Return a call of a method or function that draws one number; None for other expressions."""
    if not isinstance(node, ast.Call):
        return None
    called = ast.unparse(node.func)
    own = f"{receiver(method)}."
    called = f"{SELF}.{called.removeprefix(own)}" if called.startswith(own) else called
    return node if called in helpers else None


def _of_method(method: Function, helpers: set[str]) -> list[Site]:
    known, found = variables(method), list[Site]()
    for node in ast.walk(method):
        if isinstance(node, ast.Call) and is_draw(node) and node.args and not isinstance(node.args[0], ast.Constant):
            value = node.args[0]
            if _function(node) in ("laplace", "normal") and len(node.args) > 1 and not _is_zero(value):
                found.append(Site(method, node, value, node, node, node))
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add | ast.Sub):
            continue
        sides = [(node.left, node.right)]
        sides += [(node.right, node.left)] if isinstance(node.op, ast.Add) else []
        for value, noise in sides:
            draw = known.get(noise.id, noise) if isinstance(noise, ast.Name) else noise
            call = _only_draw(draw) or _helper(draw, method, helpers)
            made = known.get(value.id) if isinstance(value, ast.Name) else None
            parts = [*ast.walk(value), *([] if made is None else ast.walk(made))]
            if call is not None and not any(is_draw(part) for part in parts):
                found.append(Site(method, node, value, noise, draw, call))
                break
    return found


def is_draw(node: ast.AST) -> bool:
    """Return whether a node draws noise."""
    return isinstance(node, ast.Call) and _function(node) in (*LAWS, *LAWS_WITHOUT_SCALE)


def _function(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0


def _only_draw(draw: ast.expr) -> ast.Call | None:
    """Return the draw in an expression that is nothing but one, or a multiple of one; None for other expressions."""
    if isinstance(draw, ast.Call):
        return draw if is_draw(draw) and (_function(draw) in LAWS_WITHOUT_SCALE or _is_centred(draw)) else None
    if isinstance(draw, ast.UnaryOp):
        return _only_draw(draw.operand)
    if isinstance(draw, ast.BinOp) and isinstance(draw.op, ast.Mult | ast.Div):
        return _only_draw(draw.left) or (_only_draw(draw.right) if isinstance(draw.op, ast.Mult) else None)
    return None


def _is_centred(draw: ast.Call) -> bool:
    """Return whether a draw is around no value but a constant."""
    return not draw.args or len(draw.args) == 1 or isinstance(draw.args[0], ast.Constant | ast.UnaryOp)


def variables(method: Function) -> dict[str, ast.expr]:
    """Return the variables of a method that are given a value in one place, each with the expression."""
    given: dict[str, list[ast.expr | None]] = {}
    for node in ast.walk(method):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            given.setdefault(node.targets[0].id, []).append(node.value)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            given.setdefault(node.id, []).append(None)
    return {name: values[0] for name, values in given.items() if values[1:] == [None] and values[0] is not None}


def scale_given(site: Site) -> ast.expr | None:
    """Return what the scale of a draw is, or, of a variable with other uses, what it is given in its one assignment.

    Other uses then follow a change, but not those as the scale of other draws: the draw alone is changed there.
    """
    scale = next((each.value for each in site.call.keywords if each.arg == "scale"), None)
    scale = site.call.args[1] if scale is None and len(site.call.args) > 1 else scale
    given = variables(site.method).get(scale.id) if isinstance(scale, ast.Name) else None
    if given is None:
        return scale
    of_draws = [each for call in ast.walk(site.method) if is_draw(call) for each in ast.walk(call)]
    uses = [node for node in ast.walk(site.method) if isinstance(node, ast.Name) and node.id == scale.id]  # type: ignore[union-attr]
    elsewhere = [node for node in uses if isinstance(node.ctx, ast.Load) and node is not scale]
    if not elsewhere or any(node in of_draws for node in elsewhere):
        return scale
    return given


def denominator(value: ast.expr, method: Function) -> ast.expr | None:
    """Return what a sum of rewards is divided by in a value, as far as variables can be followed."""
    known = variables(method)
    for _ in range(4):
        if isinstance(value, ast.UnaryOp):
            value = value.operand
        elif isinstance(value, ast.Name) and value.id in known:
            value = known[value.id]
        elif isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add | ast.Sub):
            value = value.left
        elif isinstance(value, ast.Call) and _function(value) in ("float", "asarray", "array") and value.args:
            value = value.args[0]
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Div):
        return value.right
    return None


def scale_of(program: Program, value: ast.expr, method: Function, limits: tuple[float, float], budget: str) -> str:
    """Return the scale of Laplace noise for a value in which each reward is in one entry, once: width/(n epsilon)."""
    divided = denominator(value, method)
    if divided is None:
        return f"{width(*limits)} / {budget}"
    code = program.code(divided)
    if isinstance(divided, ast.BinOp | ast.IfExp | ast.BoolOp | ast.Compare):
        code = f"({code})"
    return f"{width(*limits)} / ({code} * {budget})"


class Place(NamedTuple):
    """An attribute of the policy that rewards are added up in, or one entry of it.

    Parameters
    ----------
    attribute : its name.
    entry : the code of the index; empty for the whole attribute.
    """

    attribute: str
    entry: str


def place_of(value: ast.expr, method: Function, program: Program) -> Place | None:
    """Return the attribute in a value `self.x`, `self.x[i]`, or one of these over something; None for other values."""
    known = variables(method)
    own = receiver(method)
    for _ in range(4):
        if isinstance(value, ast.Name) and value.id in known:
            value = known[value.id]
        elif isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub):
            value = value.operand
        elif isinstance(value, ast.BinOp) and isinstance(value.op, ast.Div):
            value = value.left
    return own_place(value, own, program)


def own_place(value: ast.expr, own: str, program: Program) -> Place | None:
    """Return the attribute that an expression is, or one entry of; None for other expressions."""
    entry, held = "", value
    if isinstance(value, ast.Subscript):
        held, entry = value.value, program.code(value.slice)
    if isinstance(held, ast.Attribute) and isinstance(held.value, ast.Name) and held.value.id == own:
        return Place(held.attr, entry)
    return None
