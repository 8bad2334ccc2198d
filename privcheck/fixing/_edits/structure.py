"""Edits of what is released, and when: rewards that were released are added up as they were, or forgotten."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from privcheck.certifying import Refusal
from privcheck.fixing._edits.blocks import released_blocks
from privcheck.fixing._edits.constructor import Constructor, assignments
from privcheck.fixing._edits.edit import Proposal, made
from privcheck.fixing._edits.noise_sites import Place, Site, denominator, own_place, place_of, sites, variables
from privcheck.fixing._edits.universal import width
from privcheck.fixing._look import Finding, Setting
from privcheck.fixing._program import NotEditableError, Program, receiver
from privcheck.fixing._source_text import Span

ADD_UP = (
    "each reward is released once, in the noised sum of what came after the last release; these sums are added up as "
    "they were released, so that nothing is forgotten"
)
FORGET = "what was released is forgotten together with its count, so that each reward is in one release"


def structure(program: Program, finding: Finding, setting: Setting) -> Iterator[Proposal]:
    """Yield the edits of structure that may help against a finding."""
    if isinstance(finding.cause, Refusal) and finding.kind == "again":
        yield from _added_up(program, finding, setting)
        yield from _forgotten(program, finding, setting)
    if finding.cause is not None:
        yield from released_blocks(program, setting)


def _added_up(program: Program, finding: Finding, setting: Setting) -> Iterator[Proposal]:
    """Release what was added up since the last release, and add it to what was released before."""
    for site in sites(program, finding.line):
        try:
            text = program.applied(_adding_up(program, site, setting))
        except NotEditableError:
            continue
        yield Proposal(made("add-up", "structure", ADD_UP, site.whole.lineno), text, program.code(site.whole))


def _adding_up(program: Program, site: Site, setting: Setting) -> list[Span]:
    place = place_of(site.value, site.method, program)
    if place is None:
        raise NotEditableError("what is released is no attribute of the policy")
    own = receiver(site.method)
    start = _start_of(program, place)
    built = Constructor(program, setting.epsilon)
    (rng, spans), (budget, more) = built.generator(own), built.epsilon(own)
    name = program.free(f"_released_{place.attribute.strip('_')}")
    public = program.free(f"_public_{place.attribute.strip('_')}")
    draw = f"{rng}.laplace(0.0, {width(*setting.rewards)} / {budget}"
    value = f"{own}.{place.attribute}"
    if place.entry:
        argument = f"{own}, arm"
        lines = [
            f"{own}.{public}[arm] += float({value}[arm] + {draw}))",
            f"{value}[arm] = 0.0",
            f"return {own}.{public}[arm]",
        ]
        call = f"{own}.{name}({place.entry})"
    else:
        argument, call = own, f"{own}.{name}()"
        single = isinstance(start, ast.Constant)
        zero = "0.0" if single else f"privcheck.zeros(len({value}))"
        size = "" if single else f", size=len({value})"
        noisy = f"float({value} + {draw}))" if single else f"({value} + {draw}{size}))"
        lines = [
            f"{own}.{public} = {own}.{public} + {noisy}",
            f"{value} = {zero}",
            f"return {own}.{public}",
        ]
        if not single:
            lines[0] = f"{own}.{public} = {own}.{public} + np.array([float(value) for value in {noisy}])"
            spans = [*spans, *program.imported("privcheck")]
    code = "\n    ".join(
        [
            f"def {name}({argument}):",
            '"""Add what was not released yet to what was released before, with noise, and return the sum."""',
            *lines,
        ]
    )
    divided = denominator(site.value, site.method)
    new = call if divided is None else f"{call} / {program.bracketed(divided)}"
    if isinstance(site.value, ast.UnaryOp):
        new = f"-{new}"
    first = receiver(built.init) if built.init else "self"
    statement = program.statement_of(start)
    made_of = "0.0" if isinstance(start, ast.Constant) else program.code(start).replace("privcheck.zeros", "np.zeros")
    return [
        *spans,
        *more,
        program.replace(site.whole, new),
        program.after(statement, f"{first}.{public} = {made_of}"),
        program.new_method(code),
    ]


def _start_of(program: Program, place: Place) -> ast.expr:
    """Return the expression by which the constructor makes an attribute of zeros."""
    init = program.methods.get("__init__")
    if init is None:
        raise NotEditableError("the class has no constructor of its own")
    for node in ast.walk(init):
        for target, value in assignments(node):
            if isinstance(target, ast.Attribute) and target.attr == place.attribute and value is not None:
                code = ast.unparse(value)
                numbers = [part.value for part in ast.walk(value) if isinstance(part, ast.Constant)]
                if "zeros" in code or 0.0 in numbers:
                    return value
    raise NotEditableError("the constructor does not make the attribute of zeros")


def _forgotten(program: Program, finding: Finding, setting: Setting) -> Iterator[Proposal]:  # noqa: ARG001
    """Reset what was released together with its count."""
    for site in sites(program, finding.line):
        try:
            text = program.applied(_forgetting(program, site))
        except NotEditableError:
            continue
        yield Proposal(made("forget", "structure", FORGET, site.whole.lineno), text, program.code(site.whole))


def _forgetting(program: Program, site: Site) -> list[Span]:
    place, divided = place_of(site.value, site.method, program), denominator(site.value, site.method)
    statement = program.statement_of(site.whole)
    assigns = isinstance(statement, ast.Assign | ast.AugAssign)
    if place is None or site.method.name in ("select", "__init__") or not assigns:
        raise NotEditableError("the release is no statement of update()")
    own = receiver(site.method)
    if isinstance(divided, ast.Name):
        divided = variables(site.method).get(divided.id, divided)
    places = [place]
    if divided is not None and not isinstance(divided, ast.Constant):
        parts = divided.args if isinstance(divided, ast.Call) else [divided]
        counted = [found for part in parts if (found := own_place(part, own, program))]
        if not counted or counted[0].entry != place.entry:
            raise NotEditableError("the count of what is released would not be forgotten with it")
        places.append(counted[0])
    lines = []
    for each in places:
        start = _start_of(program, each)
        value = f"{own}.{each.attribute}"
        if each.entry:
            lines.append(f"{value}[{each.entry}] = 0")
        elif isinstance(start, ast.Constant):
            lines.append(f"{value} = 0")
        elif "privcheck" in ast.unparse(start):
            lines.append(f"{value} = privcheck.zeros(len({value}))")
        elif isinstance(start, ast.Call):
            lines.append(f"{value} = np.zeros(len({value}))")
        else:
            lines.append(f"{value} = [0] * len({value})")
    return [program.after(statement, ("\n" if program.stands_alone(statement) else "; ").join(lines))]
