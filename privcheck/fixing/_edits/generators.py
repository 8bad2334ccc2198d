"""The edit that draws everything from the Generator that the policy is built with."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from privcheck.fixing._edits.constructor import Constructor
from privcheck.fixing._edits.edit import Proposal, made
from privcheck.fixing._look import Finding, Setting
from privcheck.fixing._program import Function, NotEditableError, Program, receiver
from privcheck.fixing._source_text import Span

ARGUMENT = (
    "noise counts only if it is drawn from the Generator that the policy is built with; a fixed seed or a shared "
    "generator could be known"
)

OF_NUMPY = {
    "rand": "random", "randn": "standard_normal", "randint": "integers", "random_sample": "random", "random": "random",
    "ranf": "random", "sample": "random", "random_integers": "",
}  # fmt: skip
SAME = {
    "beta", "binomial", "choice", "dirichlet", "exponential", "gamma", "geometric", "gumbel", "integers", "laplace",
    "multinomial", "normal", "permutation", "poisson", "shuffle", "standard_exponential", "standard_normal", "uniform",
}  # fmt: skip
OF_PYTHON = {
    "random": "{rng}.random()", "gauss": "{rng}.normal({0}, {1})", "normalvariate": "{rng}.normal({0}, {1})",
    "uniform": "{rng}.uniform({0}, {1})", "expovariate": "{rng}.exponential(1.0 / ({0}))",
    "betavariate": "{rng}.beta({0}, {1})", "randrange": "int({rng}.integers({0}))",
    "randint": "int({rng}.integers({0}, ({1}) + 1))", "choice": "{0}[int({rng}.integers(len({0})))]",
    "shuffle": "{rng}.shuffle({0})",
}  # fmt: skip


def own_generator(program: Program, finding: Finding, setting: Setting) -> Iterator[Proposal]:  # noqa: ARG001
    """Yield the edit of a class that draws from other generators than its own."""
    spans, line = list[Span](), 0
    for method in program.methods.values():
        found = list(_drawn(program, method, setting))
        if found:
            line = line or method.lineno
            spans += found
    if not spans:
        return
    yield Proposal(made("own-generator", "noise", ARGUMENT, line), program.applied(list(dict.fromkeys(spans))), "")


def _drawn(program: Program, method: Function, setting: Setting) -> Iterator[Span]:
    """Yield the spans for what a method draws from elsewhere."""
    own = receiver(method)
    names = imported_names(program.tree)
    for node in ast.walk(method):
        if not isinstance(node, ast.Call):
            continue
        where = names.get(ast.unparse(node.func).partition(".")[0], "")
        _, _, rest = ast.unparse(node.func).partition(".")
        full = ".".join(part for part in (where, rest) if part)
        module, _, function = full.rpartition(".")
        if module not in ("random", "numpy.random"):
            continue
        built = Constructor(program, setting.epsilon)
        if function in ("default_rng", "RandomState", "Generator", "Random", "SystemRandom"):
            if function in ("Random", "SystemRandom") or not _is_seeded(node, built):
                raise NotEditableError("a generator of another kind")
            if method is built.init and built.first:
                rng, more = built.first, list[Span]()
            else:
                rng, more = built.generator(own)
            yield from [*more, program.replace(node, rng)]
            continue
        if function == "seed":
            yield program.replace(node, "None")
            continue
        rng, more = built.generator(own)
        yield from more
        if module == "numpy.random":
            name = OF_NUMPY.get(function, function if function in SAME else "")
            if not name:
                raise NotEditableError(f"a Generator has no method for {full}")
            yield program.replace(node.func, f"{rng}.{name}")
        else:
            form = OF_PYTHON.get(function)
            given = [program.code(argument) for argument in node.args]
            if form is None or node.keywords or ("{1}" in form) != (len(given) == 2) or len(given) > 2:
                raise NotEditableError(f"a Generator has no method for {full}")
            yield program.replace(node, form.format(*given, rng=rng))


def _is_seeded(node: ast.Call, built: Constructor) -> bool:
    """Return whether a generator is made of something else than the one that the policy is built with.

    Numbers that are drawn from that one are something else: noise from their seed is not counted.
    """
    rng = built.first
    drawn = {
        part.func.value
        for part in ast.walk(node)
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr in {*SAME, "random"}
    }
    return not any(isinstance(part, ast.Name) and part.id == rng and part not in drawn for part in ast.walk(node))


def imported_names(tree: ast.Module) -> dict[str, str]:
    """Return what the names that a file imports stand for.

    >>> imported_names(ast.parse("import numpy as np; from random import gauss"))
    {'np': 'numpy', 'gauss': 'random.gauss'}
    """
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                first = name.name.partition(".")[0]
                found[name.asname or first] = name.name if name.asname else first
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for name in node.names:
                found[name.asname or name.name] = f"{node.module}.{name.name}"
    return found
