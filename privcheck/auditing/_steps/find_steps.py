"""`privcheck.steps`: the noisy steps of slow code, and how well one of them alone is told apart."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from privcheck.auditing._harness.checked_runs import FIX_FIRST
from privcheck.auditing._plan import Plan, make_plan
from privcheck.auditing._search.stream_families import spread
from privcheck.auditing._steps.forced_values import HIDDEN, VALUES, ReleasedPart, of_release, refused_parts, why_hidden
from privcheck.auditing._steps.isolated_calls import name_of
from privcheck.auditing._steps.law_of_calls import LawOfCalls
from privcheck.auditing._steps.other_coins import moves_with_other_coins, runs_for
from privcheck.auditing._steps.played_alone import Alone, best_alone
from privcheck.auditing._steps.reported_steps import ONE_TO_ONE, reported
from privcheck.auditing._steps.search_steps import Step, Steps, search_steps
from privcheck.auditing._steps.shown_alike import RUNS, is_mixed
from privcheck.auditing._steps.stand_ins import generators_seen
from privcheck.auditing._steps.time_of_a_look import LookTime
from privcheck.enclosure import rounded_down
from privcheck.errors import PrivcheckError, words
from privcheck.generators import global_generators_kept
from privcheck.privacy import ROW
from privcheck.progress import progress
from privcheck.results import StepsReport, Suspicion
from privcheck.scheduling import one_thread
from privcheck.targets import (
    Claim,
    Loaded,
    MechanismRunner,
    PolicyRunner,
    Runner,
    Settings,
    StepsSettings,
    StreamPair,
    function_at,
    load,
)

OWN = ("runs", "time_budget", "law")
"""Options of an audit that a look at steps has too, with a meaning of its own."""

OWN_COINS = 0x57E95
"""With the seed of an audit, makes the seed of the look at steps, whose runs share no coins with those that count."""

WALL_CAP = 1.5
"""Multiple of the time budget, which is of the processor, after which a look ends by the clock."""

LEFT_TO_CALLS = 0.5
"""Share of the time budget that is left for playing calls alone, and for runs with other coins."""

LEFT_TO_RUNS = 0.5
"""Share of that which runs with other coins may take at most."""

UNTRIED = "no time was left to try with other coins whether noise that the look does not see moves what it was given"
"""Why a step is not suspected that is told apart better than the claim allows."""

MIXED = (
    "what the call makes comes into the output in another way on each of the two neighbours: the data come in beside "
    "it, or decide the order of the calls, and may take back what the call tells. No call around it can be played"
)
"""Why a step is not suspected that is told apart better than the claim allows, and that the target mixes with data."""

NO_DRAWS = (
    "steps are found by draws from Generators and RandomStates of numpy, from random, from the system's generator and "
    "of OpenDP: those of other compiled code, of jax and torch, and of another program are not seen"
)


def steps(
    target: Any,
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    arms: int | None = None,
    horizon: int | None = None,
    rewards: tuple[float, float] = (0.0, 1.0),
    feedback: str = "bandit",
    runs: int | None = None,
    time_budget: float = 30.0,
    pairs: int = 40,
    confidence: float = 0.95,
    error: float = 1e-3,
    neighbours: str = ROW,
    streams: Any = None,
    contexts: Any = None,
    encode: Any = None,
    law: Any = None,
    released: str | None = None,
    time_limit: float | None = None,
    seed: int = 0,
) -> StepsReport:
    """Find the noisy step of slow code, and play it alone: a call costs microseconds where a run costs milliseconds.

    The functions on the stack of a draw are recorded in a run, with copies of their arguments. The neighbour is played
    with the same coins, and every function that has drawn returns there what it returned before. A step is the
    innermost call that draws and has an argument that still differs, which with other coins stays as it is on each of
    the neighbours. It is called again with its two recorded inputs.

    Parameters
    ----------
    target : a policy or a function of data in Python, as for `privcheck.audit`. Draws of numpy's generators, of
        `random`, of the system's generator and of OpenDP are seen; those of the last two are not replayed.
    epsilon, delta : the claim that a step is compared with; None to measure without one.
    arms, horizon, rewards, feedback, neighbours, contexts, encode, time_limit : as for `privcheck.audit`.
    runs : of the best call on each of its two inputs, in place of `time_budget`.
    time_budget : seconds of the processor for all of it, without `runs`: half of them for the runs of the whole
        target, of which there are three or four for each pair. By the clock it ends at half as much again, with fewer
        runs if the processor is shared. With `runs`, all pairs are looked at.
    pairs : pairs of neighbours that are looked at.
    confidence : of the lower bound.
    error : the level at which a step is suspected.
    streams : your own pair, or a function that draws pairs, as for `privcheck.audit`.
    law : the law of what the step returns, one to three real numbers: a function whose parameters are named as some of
        the step's, such as `law(value, sensitivity)`, and that returns an object with `logpdf(x)` and `support()`; or
        the place of one. The inputs are then chosen by their exact loss, and calls on both are tested against the law.
        Quadrature comes on top of `time_budget`: up to a second on the line, up to half a minute for more numbers.
    released : for a function of data that releases what the step makes, on your word: the attribute, key or place of
        its output where it does, read before `encode`; "output" for all of it. If the step is suspected, values are
        forced on it in 16 runs of the target, which may refute that. If they do not, the step's loss is that of the
        target, provided that what is released is one-to-one in what the step makes.
    seed : of all randomness.

    Returns
    -------
    StepsReport : with `steps`, `best`, `by_law` and `suspicion`.

    Guarantee
    ---------
    A suspicion names a call and two recorded inputs between which that call alone is told apart better than the claim
    allows: that is wrong with probability at most `error`. It claims nothing of the target, whose output may hide the
    call. Of kind "law", it holds if the call has the given law, which runs may contradict and never show.
    Bounds of several steps are never added up. An argument that moves only because something was released before
    is no step; what follows draws that cannot be forced, those of the target itself, is listed and not played.

    Raises
    ------
    PrivcheckError : bad input; a target that another program or a kernel plays, or of whose draws none is seen.

    Source: Cebere, Erb, Desfontaines, Bellet and Fitzsimons 2026, Privacy in Theory, Bugs in Practice (inputs recorded,
    and outputs forced on a neighbour).

    Examples
    --------
    >>> def noisy(total, rng):
    ...     return total + rng.laplace(0.0, 0.25)
    >>> def slow_sum(data, rng):
    ...     return noisy(data.sum(), rng)
    >>> found = steps(slow_sum, epsilon=1.0, runs=2000)
    >>> found.steps[0].moves, found.suspicion.kind
    (('total',), 'step')
    """
    options = dict(locals())
    options["streams"] = function_at(streams)
    started = time.monotonic()
    loaded = load(target)
    del options["target"]
    asked = StepsSettings.of(**options)
    effort = asked.effort
    given = None if asked.game.law is None else LawOfCalls(function_at(asked.game.law))
    own = {name: options[name] for name in Settings.NAMES if name in options and name not in OWN}
    if released is not None:
        own["encode"] = released_part(loaded, released, asked.game.encode)
    own["pairs"] = effort.pairs if callable(options["streams"]) else None
    with global_generators_kept(), one_thread():
        plan = make_plan(loaded, Settings.of(**own))
        refuse_other_programs(plan.policy.runner)
        pairs_of = spread(plan.candidates, effort.pairs)
        seeds = own_seed(effort.seed)
        with generators_seen(), progress(f"looking for steps of {plan.policy.name}", len(pairs_of) + 100) as advance:
            until = LookTime()
            if effort.runs is None:
                until = LookTime(effort.time_budget, started + WALL_CAP * effort.time_budget)
            with refused_parts(released):
                looked = until.part(1.0 - LEFT_TO_CALLS)
                found = search_steps(plan.policy.runner, pairs_of, seeds, looked, advance)
            refuse_if_nothing_is_drawn(found, plan)
            more = 0 if released is None else VALUES
            alone, why, suspicion = best_tried(found, plan, seeds, effort.runs, until, advance, given, more)
            is_released = None
            if released is not None and alone is not None and suspicion is not None:
                hidden = why_hidden(found, alone.step, plan.policy.runner, until)
                suspicion, is_released = of_release(suspicion, released, hidden), not hidden
    report = reported(plan, found, alone, suspicion, why, time.monotonic() - started)
    provided = (*report.provided, ONE_TO_ONE) if is_released else report.provided
    return replace(report, provided=provided, released=released, is_released=is_released)


def refuse_if_nothing_is_drawn(found: Steps, plan: Plan) -> None:
    """Refuse a target that raised an exception in all of the first runs, or drew nothing in them."""
    seen = found.drawing
    raised = _raised_in(found, plan.policy.runner)
    if seen.raised == seen.runs:
        given = StreamPair.hint_on(plan.candidates[0].first)
        raise PrivcheckError("target", words(raised), "a target that returns an output", f"{FIX_FIRST}; {given}")
    if not seen.draws:
        got = f"{plan.policy.name}, of whose draws none is seen"
        hint = f"{raised}; {NO_DRAWS}" if raised else NO_DRAWS
        raise PrivcheckError("target", words(got), "a target that draws from a generator that is seen", hint)


def _raised_in(found: Steps, runner: Runner) -> str:
    """Return what was raised in how many of the first runs; an empty text if nothing was."""
    seen = found.drawing
    return f"{runner.raised} in {seen.raised} of {seen.runs} runs" if seen.raised else ""  # type: ignore[attr-defined]


def best_tried(
    found: Steps,
    plan: Plan,
    seed: int,
    runs: int | None,
    until: LookTime,
    advance: Callable[[int], None],
    law: LawOfCalls | None = None,
    more: int = 0,
) -> tuple[Alone | None, str, Suspicion | None]:
    """Return the best step, why there is none or why it is not suspected, and the suspicion.

    Parameters
    ----------
    found : the steps; one that is suspected and moves with other coins is withdrawn, and the next one takes its place.
    plan : of the target.
    seed : of the runs.
    runs : on each input of the call that is audited, in place of the time that is left.
    until : its end; then nothing else is begun.
    advance : is called with numbers that add up to 100 for each step that is tried.
    law : that of what one of the functions returns.
    more : runs on each neighbour for which time is left.
    """
    if law is not None:
        law.check(found)
    claim, runner = plan.settings.claim, plan.policy.runner
    number = runs_for(claim)
    mixed: Alone | None = None
    while True:
        left = until.left(found.runs)
        for_runs = min(LEFT_TO_RUNS * left, (2.0 * (number + 1 + more) + RUNS) * found.seconds_of_a_run)
        for_calls = 1.0 - for_runs / left if left > 0.0 else 1.0
        alone, why = best_alone(found, claim, seed, until.part(for_calls, found.runs), advance, runs, law)
        suspicion = None if alone is None else suspected(found, alone, claim)
        if alone is None or suspicion is None:
            return (alone, why, None) if mixed is None else (mixed, MIXED, None)
        if law is not None:  # quadrature comes on top of the time
            until.extend(2.0 * for_runs)
        moves = moves_with_other_coins(found, alone.step, runner, number, until)
        mixes = False if moves else is_mixed(found, alone.step, runner, until)
        if moves is None or mixes is None:
            return alone, UNTRIED, None
        if not (moves or mixes):
            return alone, why, suspicion
        if moves:
            found.withdraw(alone.step.function)
        elif not all([move_outwards(found, alone.step, runner, until), law is None]):
            mixed = mixed or alone


def move_outwards(found: Steps, mixed: Step, runner: Runner, until: LookTime) -> bool:
    """Take the calls around some steps in their place, and tell whether those can be played.

    Parameters
    ----------
    found : the steps.
    mixed : one that is mixed with the data; the same calls on other pairs are tried while there is time.
    runner : plays the target, in this thread.
    until : the end of everything else.
    """
    others = found.beside(mixed)
    is_played = found.move_outwards(mixed, runner)
    half = until.part(LEFT_TO_CALLS, found.runs)
    for step in others:
        if step.inputs is not None and step not in found.mixed and is_mixed(found, step, runner, half):
            is_played &= found.move_outwards(step, runner)
    return is_played


def released_part(loaded: Loaded, name: str, encode: Any) -> ReleasedPart:
    """Return what reads a part of what a function of data returns.

    Raises
    ------
    PrivcheckError : a policy, which releases what its kind of feedback says.
    """
    if loaded.mechanism is None:
        hint = "an observer of a policy sees its actions"
        raise PrivcheckError("released", name, "None for a policy", hint)
    return ReleasedPart(name, None if encode is None else function_at(encode))


def own_seed(seed: int) -> int:
    """Return the seed of a look at steps.

    >>> own_seed(0) == own_seed(0), own_seed(0) == own_seed(1)
    (True, False)
    """
    return int(np.random.SeedSequence([seed, OWN_COINS]).generate_state(1, np.uint64)[0])


def is_looked_into(runner: Runner) -> bool:
    """Tell whether calls of a target can be recorded: of Python code in this process, played from seeds."""
    return isinstance(runner, MechanismRunner | PolicyRunner) and runner.engine == "python" and runner.reproducible


def refuse_other_programs(runner: Runner) -> None:
    """Refuse a target whose calls cannot be recorded."""
    if not is_looked_into(runner):
        got = words(
            f"a target that is played by {runner.engine!r}" if runner.reproducible else "a target without seeds"
        )
        expected = "Python code in this process that is played run by run, from seeds"
        raise PrivcheckError("target", got, expected, "compiled kernels and run_batch are fast: audit them whole")


def suspected(found: Steps, alone: Alone, claim: Claim) -> Suspicion | None:
    """Return the suspicion that rests on a step; None if it is told apart no better than the claim allows."""
    lower, by_law = alone.outcome.epsilon_lower, alone.outcome.suspicion
    if claim.epsilon is None:
        return None
    if alone.outcome.verdict == "violation" and lower is not None and lower > claim.epsilon:
        return _of_kind("step", lower, f", at {100.0 * claim.confidence:.12g}% confidence,", found, alone)
    if by_law is not None and by_law.epsilon > claim.epsilon:
        return _of_kind("law", by_law.epsilon, ", by the given law,", found, alone)
    return None  # the bound and the verdict have levels of their own


def _of_kind(kind: str, lower: float, how: str, found: Steps, alone: Alone) -> Suspicion:
    step = alone.step
    place = name_of(found.functions[step.function])
    sentence = (
        f"the call of {place} alone has a loss of at least {rounded_down(lower)}{how} between the inputs that "
        f"it was given on {step.pair.words}, which differ in {', '.join(step.moves)}; {HIDDEN}"
    )
    return Suspicion(kind, lower, place, sentence)
