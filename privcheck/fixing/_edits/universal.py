"""Edits that fit any `update(action, reward)`: rewards are released before the policy learns from them.

What the policy does with released numbers is post-processing, so its own code needs no argument.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from privcheck.fixing._edits.constructor import Constructor
from privcheck.fixing._edits.edit import Proposal, made
from privcheck.fixing._program import NotEditableError, Program
from privcheck.fixing._source_text import Span

NOISY_REWARDS = (
    "each reward is released once, with Laplace noise of scale (high - low)/epsilon, and everything else is computed "
    "from released rewards"
)
NOISY_BLOCKS = (
    "each reward is in one block of its arm, whose length depends on released values only, and whose mean is released "
    "once with Laplace noise of scale (high - low)/(length epsilon)"
)
LATEST_BLOCK = (
    f"{NOISY_BLOCKS}; in every round the policy receives the latest of these means, and before there is one the "
    "highest reward"
)
NOISY_COUNTS = (
    "each reward is in one block of its arm, whose number of rewards above the limit is released once with Laplace "
    "noise of scale 1/epsilon; the policy receives as many high and low rewards"
)
CLIPPED = "; what was released is moved into the range of rewards, for code that fails on other numbers"


def universal(
    program: Program, low: float, high: float, epsilon: float, unfit: list[str] | None = None
) -> Iterator[Proposal]:
    """Yield the universal edits of a program, as far as its class can be edited.

    Parameters
    ----------
    low, high : the range of rewards.
    epsilon : the default of a parameter `epsilon` that the constructor lacks.
    unfit : receives why edits cannot be made here, in words.
    """
    update = program.inherited("update")
    line = program.cls.lineno if update is None else update.lineno
    for name, argument, change in (
        ("noisy-rewards", NOISY_REWARDS, _noisy_rewards),
        ("noisy-blocks", NOISY_BLOCKS, _noisy_blocks),
        ("latest-block", LATEST_BLOCK, _latest_block),
        ("noisy-counts", NOISY_COUNTS, _noisy_counts),
    ):
        try:
            text, clipped = (program.applied(change(program, low, high, epsilon, clip)) for clip in (False, True))
        except NotEditableError as error:
            if unfit is not None and change is not _noisy_counts:  # which few bandits are for
                unfit.append(f"{name} cannot be made here: {error}")
            continue
        instead = Proposal(made(f"clipped-{name}", "universal", f"{argument}{CLIPPED}", line), clipped, "")
        if program.is_fragile and clipped != text:
            yield instead
        else:
            yield Proposal(made(name, "universal", argument, line), text, "", None if clipped == text else instead)


def width(low: float, high: float) -> str:
    """Return how far a reward can move, as code.

    >>> width(0.0, 1.0), width(-1.0, 0.5)
    ('1.0', '1.5')
    """
    return repr(float(high - low))


def first_length(budget: str) -> str:
    """Return the length of the first block of an arm, as code.

    The noise of its mean has a scale of an eighth of the range, as long as epsilon is one half or more. A policy that
    learns from a first mean with more noise than that may leave the best arm for good. Until then it receives the
    highest reward, so that it tries every arm.
    """
    return f"min(16, 1 + int(8.0 / {budget}))"


def within(code: str, low: float, high: float, *, clip: bool) -> str:
    """Return the code of a released number, moved into a range if `clip`."""
    return f"min({high!r}, max({low!r}, {code}))" if clip else code


def _reached(program: Program, epsilon: float, own: str) -> tuple[str, str, list[Span]]:
    """Return the expressions of the Generator and of epsilon in a method, and the spans that make them reachable."""
    built = Constructor(program, epsilon)
    (rng, spans), (budget, more) = built.generator(own), built.epsilon(own)
    return rng, budget, [*spans, *more]


def _noisy_rewards(program: Program, low: float, high: float, epsilon: float, clip: bool) -> list[Span]:
    own, action, reward = program.told()
    rng, budget, spans = _reached(program, epsilon, own)
    noisy = within(f"float({reward} + {rng}.laplace(0.0, {width(low, high)} / {budget}))", low, high, clip=clip)
    line = f"{reward} = {noisy}"
    update = program.methods.get("update")
    if update is not None:
        return [*spans, program.at_head(update, line)]
    _check_plain(program)
    code = f"def update({own}, {action}, {reward}):\n    {line}\n    super().update({action}, {reward})"
    return [*spans, program.new_method(code)]


LOCALS = {"total", "count", "length", "mean", "found", "_"}
"""Names in the code that is put in front of `update`."""


def _check_plain(program: Program) -> None:
    """Refuse an `update` of which one in front of it would lose something."""
    if not program.is_plain_update:
        raise NotEditableError("update() takes more than an action and a reward, or returns something")


def _in_front(program: Program, code: str) -> list[Span]:
    """Return the spans that put a new `update` in front of that of the class, which LEARN calls in the code."""
    _check_plain(program)
    if LOCALS & set(program.told()):
        raise NotEditableError("update() calls its arguments as the new code calls other things")
    update = program.methods.get("update")
    if update is None:
        return [program.new_method(code.replace("LEARN", "super().update"))]
    learn = program.free("_learn")
    start = program.text.index("update", program.start(update))
    renamed = (start, start + len("update"), learn)
    return [renamed, program.new_method(code.replace("LEARN", f"{program.told()[0]}.{learn}"))]


def _noisy_blocks(program: Program, low: float, high: float, epsilon: float, clip: bool) -> list[Span]:
    own, action, reward = program.told()
    rng, budget, spans = _reached(program, epsilon, own)
    blocks, kept = f"{own}.{program.free('_blocks')}", program.free("_blocks")
    mean = f"float(total / length + {rng}.laplace(0.0, {width(low, high)} / (length * {budget})))"
    mean = within(mean, low, high, clip=clip)
    code = f'''def update({own}, {action}, {reward}):
    """Learn from the noised mean of each block of an arm's rewards, as often as the block is long; blocks double."""
    if not hasattr({own}, "{kept}"):
        {blocks} = {{}}
    total, count, length = {blocks}.get({action}, (0.0, 0, 1))
    total, count = total + {reward}, count + 1
    {blocks}[{action}] = (total, count, length) if count < length else (0.0, 0, 2 * length)
    if count == length:
        mean = {mean}
        for _ in range(length):
            LEARN({action}, mean)'''
    return [*spans, *_in_front(program, code)]


def _latest_block(program: Program, low: float, high: float, epsilon: float, clip: bool) -> list[Span]:
    own, action, reward = program.told()
    rng, budget, spans = _reached(program, epsilon, own)
    blocks, kept = f"{own}.{program.free('_blocks')}", program.free("_blocks")
    mean = f"float(total / length + {rng}.laplace(0.0, {width(low, high)} / (length * {budget})))"
    mean = within(mean, low, high, clip=clip)
    code = f'''def update({own}, {action}, {reward}):
    """Learn from the noised mean of the arm's latest block of rewards, in every round; blocks double."""
    if not hasattr({own}, "{kept}"):
        {blocks} = {{}}
    total, count, length, mean = {blocks}.get({action}, (0.0, 0, {first_length(budget)}, {high!r}))
    total, count = total + {reward}, count + 1
    if count == length:
        mean = {mean}
        total, count, length = 0.0, 0, 2 * length
    {blocks}[{action}] = total, count, length, mean
    LEARN({action}, mean)'''
    return [*spans, *_in_front(program, code)]


def _noisy_counts(program: Program, low: float, high: float, epsilon: float, clip: bool) -> list[Span]:  # noqa: ARG001 - there is nothing to clip
    """Return the spans for an update that compares the reward with a constant: what it learns is not linear in it."""
    own, action, reward = program.told()
    test = threshold(program, reward, low, high)
    if test is None:
        raise NotEditableError("update() compares the reward with no constant")
    each = program.free("i")
    rng, budget, spans = _reached(program, epsilon, own)
    blocks, kept = f"{own}.{program.free('_blocks')}", program.free("_blocks")
    code = f'''def update({own}, {action}, {reward}):
    """Learn from the noised number of high rewards in each block of an arm; blocks double."""
    if not hasattr({own}, "{kept}"):
        {blocks} = {{}}
    total, count, length = {blocks}.get({action}, (0.0, 0, {first_length(budget)}))
    total, count = total + ({test}) * 1.0, count + 1
    {blocks}[{action}] = (total, count, length) if count < length else (0.0, 0, 2 * length)
    if count == length:
        found = round(float(total + {rng}.laplace(0.0, 1.0 / {budget})))
        for {each} in range(length):
            LEARN({action}, {high!r} if {each} < found else {low!r})'''
    return [*spans, *_in_front(program, code)]


OPPOSITE = {"<": ">=", "<=": ">", "==": "!="}
"""Comparisons that low rewards may pass, and those that others pass."""


def threshold(program: Program, reward: str, low: float, high: float) -> str | None:
    """Return the comparison with a constant that the highest reward passes and the lowest does not, as code.

    It is the one in the methods of a class, or its opposite; None unless there is just one.
    """
    found = set()
    for method in program.methods.values():
        for node in ast.walk(method):
            if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.left, ast.Name):
                limit = node.comparators[0]
                if node.left.id == reward and isinstance(limit, ast.Constant):
                    mark = {ast.Gt: ">", ast.GtE: ">=", ast.Lt: "<", ast.LtE: "<=", ast.Eq: "=="}.get(type(node.ops[0]))
                    found.add(f"{reward} {mark} {limit.value!r}" if mark else "")
    if len(found) != 1 or "" in found:
        return None
    test = found.pop()
    _, sign, written = test.split(" ", 2)
    value = ast.literal_eval(written)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    passes = {">": float.__gt__, ">=": float.__ge__, "<": float.__lt__, "<=": float.__le__, "==": float.__eq__}[sign]
    of_high, of_low = (bool(passes(float(reward_value), float(value))) for reward_value in (high, low))
    if of_high == of_low:
        return None
    return test if of_high else f"{reward} {OPPOSITE[sign]} {written}"
