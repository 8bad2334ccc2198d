"""The edit that releases rewards where they are learned from: in blocks of each arm, which double."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from privcheck.fixing._edits.constructor import Constructor
from privcheck.fixing._edits.edit import Proposal, made
from privcheck.fixing._edits.universal import CLIPPED, first_length, width, within
from privcheck.fixing._look import Setting
from privcheck.fixing._program import Function, NotEditableError, Program
from privcheck.fixing._source_text import Span

ARGUMENT = (
    "each reward is in one block of its arm, whose noised sum is released once with Laplace noise of scale (high - "
    "low)/epsilon; until then the latest released mean stands for it, at first the highest reward, so that sums fit "
    "their counts"
)
HARMLESS = {"float", "int", "bool", "min", "max", "round", "np", "numpy", "privcheck", "math"}


def released_blocks(program: Program, setting: Setting) -> Iterator[Proposal]:
    """Yield the edits that have `update` learn from released blocks of what it takes of a reward."""
    update = program.methods.get("update")
    if update is None or any(name.startswith("_released") for name in program.methods):
        return
    own, action, reward = program.told()
    cores = learned(program, update, reward)
    if not cores:
        return
    adds = all(_is_added_up(program, node) for nodes in cores.values() for node in nodes)
    for name, corrects in (("released-blocks", True), ("latest-released", False))[not adds :]:
        try:
            text, clipped = (
                program.applied(_spans(program, update, cores, own, action, setting, corrects=corrects, clip=clip))
                for clip in (False, len(cores) == 1 and not corrects)
            )
        except NotEditableError:
            continue
        site = ", ".join(cores)
        instead = Proposal(made(f"clipped-{name}", "structure", f"{ARGUMENT}{CLIPPED}", update.lineno), clipped, site)
        if not program.is_fragile:
            yield Proposal(
                made(name, "structure", ARGUMENT, update.lineno), text, site, None if clipped == text else instead
            )
        elif clipped != text:
            yield instead


def learned(program: Program, update: Function, reward: str) -> dict[str, list[ast.expr]]:
    """Return the largest expressions of the reward alone in a method, by their code; none if one is a condition."""
    parents = program.parents
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(update):
        if not (isinstance(node, ast.Name) and node.id == reward):
            continue
        if not isinstance(node.ctx, ast.Load):
            return {}
        core: ast.AST = node
        while isinstance(parents[core], ast.expr | ast.keyword) and _is_of(parents[core], reward):
            if isinstance(core, ast.Name | ast.BinOp) and _is_affine(parents[core], core):
                break
            core = parents[core]
        if isinstance(core, ast.Compare | ast.BoolOp | ast.IfExp):
            return {}
        assert isinstance(core, ast.expr)
        if core not in (others := found.setdefault(ast.unparse(core), [])):
            others.append(core)
    return found


def _is_of(node: ast.AST, reward: str) -> bool:
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    return names <= HARMLESS | {reward} and not any(isinstance(part, ast.Lambda) for part in ast.walk(node))


def _is_affine(node: ast.AST, part: ast.AST) -> bool:
    """Return whether a node adds a constant to a part of it, or multiplies it: a released number may be, as well."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.Div):
        return False
    constant = node.right if node.left is part else node.left
    return isinstance(constant, ast.Constant) and not (isinstance(node.op, ast.Div) and constant is node.left)


def _is_added_up(program: Program, core: ast.expr) -> bool:
    """Return whether what is learned is added to something, or moves a mean by its distance over a count.

    What is set back from time to time does not count: what a block lacks would fall into another of its parts.
    """
    above = program.parents[core]
    if _is_set_back(program, core):
        return False
    if isinstance(above, ast.AugAssign) and isinstance(above.op, ast.Add):
        return True
    if isinstance(above, ast.BinOp) and isinstance(above.op, ast.Add):
        return isinstance(program.parents[above], ast.Assign)
    if isinstance(above, ast.BinOp) and isinstance(above.op, ast.Sub) and above.left is core:
        over = program.parents[above]
        return isinstance(over, ast.BinOp) and isinstance(over.op, ast.Div) and over.left is above
    return False


def _is_set_back(program: Program, core: ast.expr) -> bool:
    """Return whether the attribute that a statement writes is given a value outside of the constructor, too."""
    here = program.statement_of(core)
    names = {_attribute(target) for target in _targets(here)} - {""}
    others = [
        statement
        for method, statement in program.statements()
        if method.name not in ("__init__", "__post_init__")
        and isinstance(statement, ast.Assign)
        and statement is not here
    ]
    return any(_attribute(target) in names for statement in others for target in _targets(statement))


def _targets(statement: ast.AST) -> list[ast.expr]:
    if isinstance(statement, ast.AugAssign):
        return [statement.target]
    found = statement.targets if isinstance(statement, ast.Assign) else []
    return [part for target in found for part in (target.elts if isinstance(target, ast.Tuple) else [target])]


def _attribute(target: ast.expr) -> str:
    """Return the attribute that is written, or of which an entry is."""
    while isinstance(target, ast.Subscript):
        target = target.value
    return target.attr if isinstance(target, ast.Attribute) else ""


def _spans(
    program: Program,
    update: Function,
    cores: dict[str, list[ast.expr]],
    own: str,
    action: str,
    setting: Setting,
    *,
    corrects: bool,
    clip: bool,
) -> list[Span]:
    built = Constructor(program, setting.epsilon)
    (rng, spans), (budget, more) = built.generator(own), built.epsilon(own)
    spans = [*spans, *more]
    name, kept = program.free("_released"), program.free("_blocks")
    for number, (code, nodes) in enumerate(cores.items()):
        key = action if len(cores) == 1 else f"({number}, {action})"
        core = nodes[0].args[0] if isinstance(nodes[0], ast.Call) and code.startswith("float(") else nodes[0]
        call = f"{own}.{name}({key}, {program.code(core)})"
        if len(nodes) == 1 and not _is_repeated(program, nodes[0], update):
            spans.append(program.replace(nodes[0], call))
        else:
            variable = program.free("released" if len(cores) == 1 else f"released_{number}")
            first = next(node for node in update.body if any(part in nodes for part in ast.walk(node)))
            spans.append(program.before(first, f"{variable} = {call}"))
            spans += [program.replace(node, variable) for node in nodes]
    share = "" if len(cores) == 1 else f"{len(cores)} * "
    most = f"{share}{width(*setting.rewards)}"
    start = f"(0.0, 0, {first_length(budget)}, {setting.rewards[1]!r})"
    code = _correcting(name, kept, own, f"{rng}.laplace(0.0, {most} / {budget})", start)
    if not corrects:
        mean = f"float(total / length + {rng}.laplace(0.0, {most} / (length * {budget})))"
        code = _latest(name, kept, own, within(mean, *setting.rewards, clip=clip), start)
    return [*spans, program.new_method(code)]


def _is_repeated(program: Program, node: ast.AST, update: Function) -> bool:
    """Return whether an expression may be evaluated several times in a call."""
    while node is not update:
        node = program.parents[node]
        if isinstance(node, ast.For | ast.While | ast.ListComp | ast.GeneratorExp | ast.DictComp | ast.Lambda):
            return True
    return False


def _correcting(name: str, kept: str, own: str, draw: str, start: str) -> str:
    return f'''def {name}({own}, key, value):
    """Return the latest released mean for a value; at the end of a block, what its noised sum lacks. Blocks double."""
    if not hasattr({own}, "{kept}"):
        {own}.{kept} = {{}}
    total, count, length, mean = {own}.{kept}.get(key, {start})
    total, count = total + value, count + 1
    if count < length:
        {own}.{kept}[key] = total, count, length, mean
        return mean
    noisy = float(total + {draw})
    {own}.{kept}[key] = 0.0, 0, 2 * length, noisy / length
    return noisy - (length - 1) * mean'''


def _latest(name: str, kept: str, own: str, mean: str, start: str) -> str:
    return f'''def {name}({own}, key, value):
    """Return the noised mean of the latest block of values; blocks double."""
    if not hasattr({own}, "{kept}"):
        {own}.{kept} = {{}}
    total, count, length, mean = {own}.{kept}.get(key, {start})
    total, count = total + value, count + 1
    if count == length:
        mean = {mean}
        total, count, length = 0.0, 0, 2 * length
    {own}.{kept}[key] = total, count, length, mean
    return mean'''
