"""What a guard could not follow, recorded as it is: leaks that noise may hide are findings only if a replay differs."""

from __future__ import annotations

import ast
import linecache
import math
from dataclasses import replace

import numpy as np

from privcheck.certifying._explored_streams import random_table
from privcheck.certifying._later_rounds.nothing_released import DRAW_NOISE, NOTHING
from privcheck.certifying._outside.playing_again import NO_REPLAY
from privcheck.certifying._primitives.record_and_replay import recorded, sets_called
from privcheck.errors import PrivcheckError
from privcheck.private_values import Leak
from privcheck.results import Certificate
from privcheck.targets import CertifySettings, Target

UNFOLLOWED = "the code draws noise that the guard did not count ({where}), so the leaks may be none: "

FOUND = UNFOLLOWED + "--primitives {sets} records the code as it is, and tells whether data get past that noise"

NOT_FOUND = UNFOLLOWED + (
    "recorded as it is (--primitives {sets}), nothing was found in {replays} replays, which prove nothing about other "
    "executions; for a certificate mend what is listed as a leak"
)


def with_noise_recorded(found: Certificate, target: Target, settings: CertifySettings) -> Certificate:
    """Return a certificate that leaks alone refuse, inconclusive if noise may hide what they read and does in replays.

    What a guard does not follow, such as a function of numpy that it does not know, gives a raw number, and the noise
    that is added to it is not counted. Whether the data get past that noise is seen by recording: if no replay differs
    and nothing costs more than the budget, the leaks are lines that could not be followed. A comparison that the code
    itself spells out before any noise is drawn stays a leak.

    Parameters
    ----------
    found : the certificate of guarded runs.
    target : what it is about.
    settings : those of the certificate, settled.
    """
    if not found.leaks or found.uncounted or found.budget is None:
        return found
    unfollowed = all(map(is_unfollowed, found.leaks))
    if not (unfollowed or any(note.startswith(NOTHING) for note in found.notes)):
        return found
    game, effort, count, length = settings.game, settings.effort, target.arms, found.horizon
    table = random_table(np.random.default_rng([effort.seed, 0]), length, count, game, 0)
    called = sets_called(target, game.contexts, table, effort.seed)
    unreached = () if unfollowed else tuple(f" at {line.file}:{line.line}" for line in found.unreached)
    called = {name: where for name, where in called.items() if not where.endswith(unreached)}
    if not called:
        return found
    said = {"where": "; ".join(called.values()), "sets": ",".join(called)}
    others = [note for note in found.notes if note != DRAW_NOISE]
    told = replace(found, notes=[FOUND.format(**said), *others])
    if found.refusals or found.contradictions:
        return told
    try:
        seen = recorded(target, replace(settings, game=replace(game, primitives=list(called))), length, count)
    except PrivcheckError:
        return told
    if seen.has_findings or seen.undeclared or not seen.primitive_uses:
        return told
    note = NOT_FOUND.format(**said, replays=seen.replay.replays)
    return replace(found, uncounted=list(called), replay=NO_REPLAY, notes=[note, *others])


def is_unfollowed(leak: Leak) -> bool:
    """Tell whether a leak is something that the guard does not follow, and no decision that its line spells out.

    It is a function, a comparison or a conversion inside a function of a library that computes, or a number that is
    written into an array that the policy keeps, such as one of float32.

    >>> leak = Leak("comparison", __file__, 1, "update", "np.prod(self.rewards)", (1,), "", ">=")
    >>> is_unfollowed(leak), is_unfollowed(replace(leak, kind="branch"))
    (True, False)
    """
    if leak.kind not in ("comparison", "conversion"):
        return leak.kind == "function"
    try:
        nodes = [*ast.walk(ast.parse("".join(linecache.getlines(leak.file))))]
    except SyntaxError:
        return False
    of_line = [
        node for node in nodes if getattr(node, "lineno", math.inf) <= leak.line <= getattr(node, "end_lineno", 0)
    ]
    if leak.kind == "comparison":
        return not any(isinstance(node, ast.Compare | ast.Match) for node in of_line)
    receiver = next(
        (node.args.args[0].arg for node in of_line if isinstance(node, ast.FunctionDef) and node.args.args), ""
    )
    targets = [target for node in of_line for target in _targets(node) if isinstance(target, ast.Subscript)]
    if targets:
        return all(_is_kept(target, receiver) for target in targets)
    computing = _computing(nodes)
    return any(isinstance(node, ast.Call) and _computes(node.func, computing) for node in of_line)


COMPUTING = ("numpy", "scipy", "pandas", "math", "statistics", "fractions", "array")
WRITING = {"save", "savez", "savez_compressed", "savetxt", "copyto", "put", "putmask", "place", "memmap"}


def _computing(nodes: list[ast.AST]) -> set[str]:
    """Return the names under which a file imports libraries that compute, and their functions."""
    found = set[str]()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {(one.asname or one.name).partition(".")[0] for one in node.names if _is_computing(one.name)}
        elif isinstance(node, ast.ImportFrom) and _is_computing(node.module or ""):
            found |= {one.asname or one.name for one in node.names} - WRITING
    return found


def _is_computing(module: str) -> bool:
    return module.partition(".")[0] in COMPUTING


def _computes(function: ast.expr, computing: set[str]) -> bool:
    """Tell whether a function is one of these libraries, and writes to nothing."""
    if isinstance(function, ast.Attribute) and function.attr in WRITING:
        return False
    while isinstance(function, ast.Attribute):
        function = function.value
    return isinstance(function, ast.Name) and function.id in computing


def _targets(node: ast.AST) -> list[ast.expr]:
    return node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AugAssign) else []


def _is_kept(target: ast.expr, receiver: str) -> bool:
    """Tell whether what is written to is an entry of an attribute of the object whose method this is."""
    inner: ast.expr = target
    while isinstance(inner, ast.Subscript):
        inner = inner.value
    own = isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name) and inner.value.id == receiver
    return own and inner is not target
