"""Edits of noise: its law, its scale, its Generator, one draw for each value, and noise where there was none."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from privcheck.certifying import Refusal
from privcheck.fixing._edits.constructor import Constructor
from privcheck.fixing._edits.edit import Proposal, made
from privcheck.fixing._edits.noise_sites import Site, denominator, is_draw, scale_given, scale_of, sites
from privcheck.fixing._look import Finding, Setting
from privcheck.fixing._program import Function, NotEditableError, Program, receiver
from privcheck.fixing._source_text import Span

LAPLACE = (
    "Laplace noise of scale sensitivity/epsilon makes one release epsilon-DP; the sensitivity is that of one reward"
)
SCALED = "noise that costs c times the budget costs the budget once its scale is multiplied by c"
DRAW_EACH = (
    "each number that is read has a draw of its own, so that their difference does not reveal what they are made of"
)
RAW = "what is read has Laplace noise of scale sensitivity/epsilon, and what follows is computed from it"


def noise(program: Program, finding: Finding, setting: Setting) -> Iterator[Proposal]:
    """Yield the edits of noise that may help against a finding."""
    for rule in (_right_noise, _scaled, _noised_reads):
        yield from rule(program, finding, setting)


def _reach(program: Program, setting: Setting, method: Function) -> tuple[str, str, list[Span]]:
    own = receiver(method)
    built = Constructor(program, setting.epsilon)
    (rng, spans), (budget, more) = built.generator(own), built.epsilon(own)
    return rng, budget, [*spans, *more]


def _right_noise(program: Program, finding: Finding, setting: Setting) -> Iterator[Proposal]:
    """Replace a draw by one of the Laplace law, from the policy's Generator, at the scale that epsilon needs."""
    if isinstance(finding.cause, Refusal) and finding.kind == "again":
        return
    far = finding.kind in ("comparison", "branch", "function")
    for site in sites(program, finding.line, far=far):
        for each in (False, True):
            try:
                rng, budget, spans = _reach(program, setting, site.method)
                text = program.applied([*spans, _laplace(program, site, setting, rng, budget, each=each)])
            except NotEditableError:
                continue
            if text != program.text:
                name, argument = ("laplace-each", DRAW_EACH) if each else ("laplace", LAPLACE)
                yield Proposal(made(name, "noise", argument, site.call.lineno), text, program.code(site.whole))


def _laplace(program: Program, site: Site, setting: Setting, rng: str, budget: str, *, each: bool) -> Span:
    scale = scale_of(program, site.value, site.method, setting.rewards, budget)
    size = next((f", size={program.code(k.value)}" for k in site.call.keywords if k.arg == "size"), "")
    if len(site.call.args) > 2 and not size:
        size = f", size={program.code(site.call.args[2])}"
    if each:
        if size or isinstance(denominator(site.value, site.method), ast.Constant):
            raise NotEditableError("there is a draw for each value")
        size = f", size=len({program.code(site.value)})"
    if (given := _kept_draw(program, site, f"{rng}.laplace", scale)) is not None and not each:
        return program.replace(given, scale)
    draw = f"{rng}.laplace(0.0, {scale}{size})"
    if site.whole is site.call:
        return program.replace(site.call, f"({program.code(site.value)} + {draw})")
    return program.replace(site.draw, draw)


def _kept_draw(program: Program, site: Site, function: str, scale: str) -> ast.expr | None:
    """Return what the scale of a draw is given, if the draw is right but for that and other uses follow; else None."""
    given = scale_given(site)
    args = [*site.call.args, *(each.value for each in site.call.keywords)]
    if given is None or given in args or site.draw is not site.call:
        return None
    names = {node.id for node in ast.walk(ast.parse(scale)) if isinstance(node, ast.Name)}
    known = {node.id for node in ast.walk(given) if isinstance(node, ast.Name)} | {receiver(site.method)}
    return given if program.code(site.call.func) == function and names <= known else None


def _scaled(program: Program, finding: Finding, setting: Setting) -> Iterator[Proposal]:
    """Multiply the scale of a first release by what it is charged over the budget."""
    refusal = finding.cause
    if not isinstance(refusal, Refusal) or refusal.kind != "first":
        return
    factor = refusal.total / setting.epsilon
    if abs(factor - round(factor)) > 1e-6 * factor or factor > 64:
        return
    for site in sites(program, finding.line):
        scale = scale_given(site)
        if scale is None or "eps" not in program.code(scale):
            continue
        try:
            text = program.applied([program.replace(scale, f"{round(factor)} * ({program.code(scale)})")])
        except NotEditableError:
            continue
        yield Proposal(made("more-noise", "noise", SCALED, site.call.lineno), text, program.code(site.whole))


def _noised_reads(program: Program, finding: Finding, setting: Setting) -> Iterator[Proposal]:
    """Add Laplace noise to what a line reads raw."""
    if finding.kind not in ("comparison", "branch", "function", "conversion"):
        return
    for method, statement in program.all_at_line(finding.line):
        for node in _reads(statement):
            try:
                rng, budget, spans = _reach(program, setting, method)
                new = _noised(program, method, node, rng, budget, setting)
                text = program.applied([*spans, *new])
            except NotEditableError:
                continue
            yield Proposal(made("noisy-read", "noise", RAW, statement.lineno), text, program.code(node))


def _reads(statement: ast.stmt) -> list[ast.expr]:
    """Return the expressions of a statement that read a value: comparisons, and calls that find the largest."""
    parts = _own_parts(statement)
    found: list[ast.expr] = [node for node in parts if isinstance(node, ast.Compare) and len(node.ops) == 1]
    found += [node for node in parts if isinstance(node, ast.Call) and _largest(node)]
    return found


def _own_parts(statement: ast.stmt) -> list[ast.AST]:
    """Return the nodes of a statement, without those of statements inside of it."""
    found, waiting = list[ast.AST](), list[ast.AST]([statement])
    while waiting:
        node = waiting.pop()
        found.append(node)
        waiting += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)]
    return found


def _largest(node: ast.Call) -> str:
    """Return how a call finds the largest: "array" of its argument, "method" of its object, "key", or "index"."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    keys = [each for each in node.keywords if each.arg == "key"]
    if keys and name in ("max", "min", "sorted", "sort", "nlargest"):
        return "key" if isinstance(keys[0].value, ast.Lambda) else ""
    if name in ("argmax", "argmin", "argsort") and isinstance(node.func, ast.Attribute):
        return "array" if node.args else "method"
    if name == "index" and len(node.args) == 1 and isinstance(node.args[0], ast.Call):
        inner = node.args[0]
        if isinstance(node.func, ast.Attribute) and getattr(inner.func, "id", "") in ("max", "min") and inner.args:
            return "index" if ast.dump(inner.args[0]) == ast.dump(node.func.value) else ""
    return ""


def _noised(program: Program, method: Function, node: ast.expr, rng: str, budget: str, setting: Setting) -> list[Span]:
    """Return the spans that add noise to what an expression reads."""
    if any(is_draw(part) for part in ast.walk(node)):
        raise NotEditableError("there is noise")

    def plus(value: ast.expr, *, each: bool = False) -> str:
        scale = scale_of(program, value, method, setting.rewards, budget)
        size = f", size=len({program.code(value)})" if each and denominator(value, method) is None else ""
        return f"{_term(program, value)} + {rng}.laplace(0.0, {scale}{size})"

    if isinstance(node, ast.Compare):
        value = node.left if not isinstance(node.left, ast.Constant) else node.comparators[0]
        return [program.replace(value, plus(value))]
    assert isinstance(node, ast.Call)
    how = _largest(node)
    if how == "array":
        return [program.replace(node.args[0], plus(node.args[0], each=True))]
    if how == "method":
        assert isinstance(node.func, ast.Attribute)
        return [program.replace(node.func.value, f"({plus(node.func.value, each=True)})")]
    if how == "key":
        key = next(each.value for each in node.keywords if each.arg == "key")
        assert isinstance(key, ast.Lambda)
        return [program.replace(key.body, plus(key.body))]
    assert isinstance(node.func, ast.Attribute)
    assert isinstance(node.args[0], ast.Call)
    statement = program.statement_of(node)
    listed = node.func.value
    each = ast.Name("value")
    scale = scale_of(program, each, method, setting.rewards, budget)
    noisy = program.free("noisy")
    line = f"{noisy} = [float(value + {rng}.laplace(0.0, {scale})) for value in {program.code(listed)}]"
    return [
        program.before(statement, line),
        program.replace(listed, noisy),
        program.replace(node.args[0].args[0], noisy),
    ]


def _term(program: Program, value: ast.expr) -> str:
    """Return the code of a value as the first term of a sum."""
    code = program.code(value)
    return f"({code})" if isinstance(value, ast.IfExp | ast.Compare | ast.BoolOp | ast.Lambda) else code
