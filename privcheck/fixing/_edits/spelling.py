"""Edits that change how something is written and not what it does: private values can be followed then.

Each of them plays the same actions as before on ordinary rewards with equal seeds; the search leaves out one that does
not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from privcheck.fixing._edits.constructor import assignments
from privcheck.fixing._edits.edit import Proposal, made
from privcheck.fixing._look import Finding, Setting
from privcheck.fixing._program import NotEditableError, Program
from privcheck.fixing._source_text import Span
from privcheck.private_values import Leak

ZEROS = "an array of privcheck.zeros holds private values, and is an array of numpy's for ordinary ones"
CLIP = "privcheck.clip gives the same number without a comparison that reads it"
WHERE = "np.where gives the same number without a condition that reads a private value"
INDICATOR = "(condition) * 1 is the number that the branch adds, without a condition that reads a private value"
NO_FLOAT = "a reward is a number already, and float() reads it before there is noise"


def spelling(program: Program, finding: Finding, setting: Setting) -> Iterator[Proposal]:  # noqa: ARG001
    """Yield the edits of spelling that may help against a leak."""
    leak = finding.cause
    if not isinstance(leak, Leak):
        return
    found = program.all_at_line(finding.line)
    rules = (_zeros, _no_float) if finding.kind in ("conversion", "function") else (_clip, _where, _indicator)
    for rule in rules:
        for _, statement in found:
            try:
                name, argument, spans, site = rule(program, statement)
                text = program.applied(spans)
            except NotEditableError:
                continue
            yield Proposal(made(name, "spelling", argument, statement.lineno), text, site)


Change = tuple[str, str, list[Span], str]


def _zeros(program: Program, statement: ast.stmt) -> Change:
    """Make the array that a statement writes to with `privcheck.zeros`, wherever the class makes it."""
    attribute = _written(statement)
    if isinstance(getattr(statement, "value", None), ast.Constant):
        raise NotEditableError("what is written is a constant")
    spans = list[Span]()
    for cls in program.line_of_classes[:1]:
        for node in ast.walk(cls):
            for target, value in assignments(node):
                if isinstance(target, ast.Attribute) and target.attr == attribute and isinstance(value, ast.Call):
                    new = _private_array(program, value)
                    spans += [program.replace(value, new)] if new else []
    if not spans:
        raise NotEditableError("the class does not make this array")
    return "private-array", ZEROS, [*spans, *program.imported("privcheck")], attribute


def _written(statement: ast.stmt) -> str:
    """Return the attribute that a statement writes an entry of."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    for target in targets:
        place = target
        while isinstance(place, ast.Subscript):
            place = place.value
        if isinstance(place, ast.Attribute) and place is not target:
            return place.attr
    raise NotEditableError("the statement writes no entry of an attribute")


def _private_array(program: Program, made_by: ast.Call) -> str:
    """Return the call of `privcheck.zeros` that makes the same array; an empty string if none does."""
    function = ast.unparse(made_by.func).rpartition(".")[2]
    if not made_by.args or ast.unparse(made_by.func).rpartition(".")[0] not in ("np", "numpy"):
        return ""
    shape = program.code(made_by.args[0])
    if function in ("zeros", "empty"):
        return f"privcheck.zeros({shape})"
    if function == "ones":
        return f"privcheck.zeros({shape}) + 1.0"
    if function == "full" and len(made_by.args) > 1:
        return f"privcheck.zeros({shape}) + {program.code(made_by.args[1])}"
    if function in ("zeros_like", "empty_like"):
        return f"privcheck.zeros(np.shape({shape}))"
    if function in ("array", "asarray") and isinstance(made_by.args[0], ast.BinOp | ast.List | ast.ListComp):
        return f"privcheck.zeros(len({shape})) + {program.code(made_by)}"
    return ""


def _no_float(program: Program, statement: ast.stmt) -> Change:
    """Leave out calls of `float` in a statement."""
    calls = [
        node
        for node in ast.walk(statement)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) in ("float", "np.float64", "numpy.float64")
        and len(node.args) == 1
        and not isinstance(node.args[0], ast.Constant)
    ]
    if not calls:
        raise NotEditableError("there is no call of float")
    spans = [program.replace(node, program.bracketed(node.args[0])) for node in calls]
    return "no-float", NO_FLOAT, spans, ast.unparse(statement)


def _clip(program: Program, statement: ast.stmt) -> Change:
    """Write `min(high, max(low, x))` and `np.clip(x, low, high)` as `privcheck.clip(x, low, high)`."""
    spans, covered = list[Span](), set[ast.AST]()
    for node in ast.walk(statement):
        if node in covered or not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        if name in ("np.clip", "numpy.clip"):
            spans.append(program.replace(node.func, "privcheck.clip"))
        elif (limits := _limits(node)) is not None:
            value, low, high = limits
            given = ", ".join("None" if each is None else program.code(each) for each in (low, high))
            spans.append(program.replace(node, f"privcheck.clip({program.code(value)}, {given})"))
            covered.update(ast.walk(node))
    if not spans:
        raise NotEditableError("nothing is clipped")
    return "clip", CLIP, [*spans, *program.imported("privcheck")], ast.unparse(statement)


def _limits(node: ast.Call) -> tuple[ast.expr, ast.expr | None, ast.expr | None] | None:
    outer = _limit(node)
    if outer is None:
        return None
    name, limit, value = outer
    inner = _limit(value) if isinstance(value, ast.Call) else None
    if inner is not None and inner[0] != name:
        low, high = (inner[1], limit) if name == "min" else (limit, inner[1])
        return inner[2], low, high
    return (value, None, limit) if name == "min" else (value, limit, None)


def _limit(node: ast.Call) -> tuple[str, ast.expr, ast.expr] | None:
    """Return "min" or "max", the constant and the other argument; a constant may have a sign."""
    if not (isinstance(node.func, ast.Name) and node.func.id in ("min", "max") and len(node.args) == 2):
        return None
    constants = [each for each in node.args if _is_constant(each)]
    others = [each for each in node.args if not _is_constant(each)]
    return (node.func.id, constants[0], others[0]) if len(constants) == 1 else None


def _is_constant(node: ast.expr) -> bool:
    return isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant)


def _where(program: Program, statement: ast.stmt) -> Change:
    """Write `a if x > c else b` as `np.where(x > c, a, b)`."""
    spans = [
        program.replace(node, f"np.where({', '.join(map(program.code, (node.test, node.body, node.orelse)))})")
        for node in ast.walk(statement)
        if isinstance(node, ast.IfExp) and isinstance(node.test, ast.Compare)
    ]
    if not spans:
        raise NotEditableError("there is no conditional expression")
    names = {alias.asname for node in program.tree.body if isinstance(node, ast.Import) for alias in node.names}
    if "np" not in names:
        spans = [(start, end, new.replace("np.where", "numpy.where", 1)) for start, end, new in spans]
        spans += program.imported("numpy")
    return "where", WHERE, spans, ast.unparse(statement)


def _indicator(program: Program, statement: ast.stmt) -> Change:
    """Write `if x > c: a += 1` as `a += (x > c) * 1`, and what else adds likewise."""
    if not isinstance(statement, ast.If) or not isinstance(statement.test, ast.Compare) or len(statement.test.ops) != 1:
        raise NotEditableError("there is no such branch")
    if not program.stands_alone(statement) and len(statement.body) > 1:
        raise NotEditableError("the branch stands in a line with others")
    test = program.code(statement.test)
    lines = [_added(program, node, f"({test})") for node in statement.body]
    lines += [_added(program, node, f"(1 - ({test}) * 1)") for node in statement.orelse]
    indent = program.indent(statement)
    return "indicator", INDICATOR, [program.replace(statement, f"\n{indent}".join(lines))], test


def _added(program: Program, node: ast.stmt, times: str) -> str:
    if isinstance(node, ast.Pass):
        return "pass"
    if not isinstance(node, ast.AugAssign) or not isinstance(node.op, ast.Add | ast.Sub):
        raise NotEditableError("the branch does more than to add")
    mark = "+=" if isinstance(node.op, ast.Add) else "-="
    return f"{program.code(node.target)} {mark} {times} * {program.bracketed(node.value)}"
