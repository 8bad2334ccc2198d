"""`privcheck.steps`: the noisy steps of slow code, and how well one of them alone is told apart."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from privcheck.auditing._plan import Plan, make_plan
from privcheck.auditing._search.stream_families import spread
from privcheck.auditing._steps.drawing_functions import place_of_function
from privcheck.auditing._steps.isolated_calls import name_of
from privcheck.auditing._steps.law_of_calls import LawOfCalls
from privcheck.auditing._steps.other_coins import moves_with_other_coins, runs_for
from privcheck.auditing._steps.played_alone import Alone, best_alone, shown_inputs
from privcheck.auditing._steps.search_steps import Steps, search_steps
from privcheck.errors import PrivcheckError, words
from privcheck.generators import global_generators_kept
from privcheck.progress import progress
from privcheck.results import ISOLATED, LATER, STILL, NoisyStep, Outcome, StepBound, StepsReport, Suspicion
from privcheck.scheduling import one_thread
from privcheck.targets import Claim, MechanismRunner, PolicyRunner, Runner, Settings, StepsSettings, function_at, load

OWN = ("runs", "time_budget", "law")
"""Options of an audit that a look at steps has too, with a meaning of its own."""

OWN_COINS = 0x57E95
"""With the seed of an audit, makes the seed of the look at steps, whose runs share no coins with those that count."""

UNRECORDED = "not recorded"
"""The standing of a step whose arguments were not seen."""

LEFT_TO_CALLS = 0.5
"""Share of the time budget that is left for playing calls alone, and for runs with other coins."""

LEFT_TO_RUNS = 0.5
"""Share of that which runs with other coins may take at most."""

UNTRIED = "no time was left to try with other coins whether noise that the look does not see moves what it was given"
"""Why a step is not suspected that is told apart better than the claim allows."""

PROVIDED = (
    "the call has what it needs in its arguments: what it reads elsewhere, in globals or closures, was as it is now",
    "what the call is given is moved by the data, and by no noise that the look does not see: of other generators, or "
    "kept in globals. It stayed as it was in runs with other coins and the same outputs of the functions that draw, "
    "which shows noise that moves it often",
    "the two inputs were met in one run on each neighbour, with equal coins and with equal outputs of all earlier "
    "draws: such runs may be rare",
    "what the call makes that the target shows is its output; if it shows none of it, what the call returns, or the "
    "one thing that it leaves in its arguments, where it varies with the coins of the call",
    "the order of the calls is known: those of a function are compared one after the other",
    "an earlier output, released or not, may take back what the call tells",
    "earlier draws count as known: noise that was drawn before and is never released, or a secret sample of the rows, "
    "may protect the call as well",
)
"""What a suspicion rests on."""

OF_LAW = "what the call returns has the given law, which its runs do not contradict: that is no evidence for it"
"""What it rests on besides, if it is that of a law."""

NO_DRAWS = (
    "steps are found by draws from the numpy Generator that the target is given, and from those that it spawns: draws "
    "from RandomState, random or another program are not seen"
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
    neighbours: str = "row",
    streams: Any = None,
    contexts: Any = None,
    encode: Any = None,
    law: Any = None,
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
    target : a policy or a function of data in Python, as for `privcheck.audit`, that draws from its Generator.
    epsilon, delta : the claim that a step is compared with; None to measure without one.
    arms, horizon, rewards, feedback, neighbours, contexts, encode, time_limit : as for `privcheck.audit`.
    runs : of the best call on each of its two inputs, in place of `time_budget`.
    time_budget : seconds for all of it, without `runs`: half of them for the runs of the whole target, of which there
        are three or four for each pair. With `runs`, all pairs are looked at.
    pairs : pairs of neighbours that are looked at.
    confidence : of the lower bound.
    error : the level at which a step is suspected.
    streams : your own pair, or a function that draws pairs, as for `privcheck.audit`.
    law : the law of what the step returns, one to three real numbers: a function whose parameters are named as some of
        the step's, such as `law(value, sensitivity)`, and that returns an object with `logpdf(x)` and `support()`; or
        the place of one. The inputs are then chosen by their exact loss, and calls on both are tested against the law.
        Quadrature comes on top of `time_budget`: up to a second on the line, up to half a minute for more numbers.
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
    PrivcheckError : bad input; a target that another program or a kernel plays, or that draws nothing.

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
    own["pairs"] = effort.pairs if callable(options["streams"]) else None
    with global_generators_kept(), one_thread():
        plan = make_plan(loaded, Settings.of(**own))
        refuse_other_programs(plan.policy.runner)
        pairs_of = spread(plan.candidates, effort.pairs)
        seeds = own_seed(effort.seed)
        with progress(f"looking for steps of {plan.policy.name}", len(pairs_of) + 100) as advance:
            ends = started + effort.time_budget
            looked = ends - LEFT_TO_CALLS * effort.time_budget if effort.runs is None else math.inf
            found = search_steps(plan.policy.runner, pairs_of, seeds, looked, advance)
            if not found.drawing.draws:
                got = words(f"{plan.policy.name}, which draws nothing from the Generator that it is given")
                raise PrivcheckError("target", got, "a target that draws from it", NO_DRAWS)
            deadline = ends if effort.runs is None else math.inf
            alone, why, suspicion = best_tried(found, plan, seeds, effort.runs, deadline, advance, given)
    return _report(plan, found, alone, suspicion, why, time.monotonic() - started)


def best_tried(
    found: Steps,
    plan: Plan,
    seed: int,
    runs: int | None,
    deadline: float,
    advance: Callable[[int], None],
    law: LawOfCalls | None = None,
) -> tuple[Alone | None, str, Suspicion | None]:
    """Return the best step, why there is none or why it is not suspected, and the suspicion.

    Parameters
    ----------
    found : the steps; one that is suspected and moves with other coins is withdrawn, and the next one takes its place.
    plan : of the target.
    seed : of the runs.
    runs : on each input of the call that is audited, in place of the time that is left.
    deadline : `time.monotonic()` after which nothing else is begun.
    advance : is called with numbers that add up to 100 for each step that is tried.
    law : that of what one of the functions returns.
    """
    if law is not None:
        law.check(found)
    claim, runner = plan.settings.claim, plan.policy.runner
    number = runs_for(claim)
    while True:
        left = deadline - time.monotonic()
        for_runs = min(LEFT_TO_RUNS * left, 2.0 * (number + 1) * found.seconds_of_a_run)
        alone, why = best_alone(found, claim, seed, left - for_runs, advance, runs, law)
        suspicion = None if alone is None else suspected(found, alone, claim)
        if alone is None or suspicion is None:
            return alone, why, None
        if law is not None:  # quadrature comes on top of the time
            deadline = max(deadline, time.monotonic() + 2.0 * for_runs)
        moves = moves_with_other_coins(found, alone.step, runner, number, deadline)
        if moves is None:
            return alone, UNTRIED, None
        if not moves:
            return alone, why, suspicion
        found.withdraw(alone.step.function)


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
        f"the call of {place} alone has a loss of at least {int(lower * 1000) / 1000:.3f}{how} between the inputs that "
        f"it was given on {step.pair.words}, which differ in {', '.join(step.moves)}; that is no bound for the target, "
        "whose output may hide the call"
    )
    return Suspicion(kind, lower, place, sentence)


def _report(
    plan: Plan, found: Steps, alone: Alone | None, suspicion: Suspicion | None, why: str, seconds: float
) -> StepsReport:
    settings, policy = plan.settings, plan.policy
    claim, game = settings.claim, settings.game
    return StepsReport(
        target=policy.name,
        epsilon_claimed=claim.epsilon,
        delta=claim.delta,
        confidence=claim.confidence,
        error=claim.error,
        neighbours=game.neighbours,
        rewards=game.rewards,
        feedback=policy.feedback,
        arms=plan.arms,
        horizon=plan.horizon,
        seed=settings.effort.seed,
        steps=noisy_steps(found),
        best=None if alone is None else _bound(found, alone),
        suspicion=suspicion,
        pairs=found.looked_at,
        runs=found.runs,
        by_law=None if alone is None else alone.by_law,
        provided=() if alone is None else PROVIDED if suspicion is None or suspicion.kind != "law" else (*PROVIDED, OF_LAW),
        notes=(*_notes(found, why), *(() if alone is None else _of_outcome(alone.outcome))),
        seconds=seconds,
    )


def _of_outcome(outcome: Outcome) -> tuple[str, ...]:
    """Return the notes on the audit of a call; what it says of a law that refutes a claim is in the suspicion."""
    return tuple(note for note in outcome.notes if outcome.suspicion is None or note != outcome.suspicion.sentence)


def noisy_steps(found: Steps) -> tuple[NoisyStep, ...]:
    """Return what draws: steps that can be played alone, those after others, and where no argument moves."""
    on = Counter(number for number, _ in {(step.function, id(step.pair)) for step in found.steps})
    moves: dict[int, dict[str, None]] = {}
    for step in found.steps:
        moves.setdefault(step.function, {}).update(dict.fromkeys(step.moves))
    names = {number: function.__qualname__ for number, function in enumerate(found.functions)}
    places = {number: place_of_function(function) for number, function in enumerate(found.functions)}
    listed = [
        NoisyStep(names[number], places[number], ISOLATED, tuple(moves[number]), count)
        for number, count in on.most_common()
    ]
    listed += [NoisyStep(names[k], places[k], LATER, moved) for k, moved in found.later.items() if k not in on]
    known, unrecorded = {step.function for step in listed}, unrecorded_places(found)
    if not on or found.later:
        places_of = [each for each in found.drawing.places if each not in unrecorded]
        listed += [NoisyStep(name, place, STILL) for place, name in places_of if name not in known]
    listed += [NoisyStep(name, place, UNRECORDED) for place, name in unrecorded]
    return tuple(listed)


def unrecorded_places(found: Steps) -> list[tuple[str, str]]:
    """Return the places of draws in functions that were not recorded, apart from the target itself."""
    recorded = {function.__qualname__ for function in found.functions} | found.drawing.own
    return [(place, name) for place, name in found.drawing.places if name.split(".<locals>.<")[0] not in recorded]


def _bound(found: Steps, alone: Alone) -> StepBound:
    step, witness = alone.step, alone.outcome.witness
    function = found.functions[step.function]
    assert step.inputs is not None
    return StepBound(
        function.__qualname__,
        place_of_function(function),
        step.pair.words,
        *shown_inputs(step.inputs, step.moves),
        None if witness is None else witness.event,
        None if witness is None else witness.more_likely,
        None if witness is None else witness.probability_first,
        None if witness is None else witness.probability_second,
        alone.outcome.epsilon_lower,
        alone.runs,
    )


def _notes(found: Steps, why: str) -> list[str]:
    notes = []
    if why:
        notes.append(f"steps were found, and {why}")
    if found.restless:
        names = ", ".join(found.functions[number].__qualname__ for number in sorted(found.restless))
        notes.append(
            f"arguments of {names} differ between two runs on the same input with the same coins, such as a time or a "
            "counter: whether the data move them cannot be told"
        )
    unrecorded = list(dict.fromkeys(name for _, name in unrecorded_places(found) if name not in found.unrecorded))
    if unrecorded:
        notes.append(
            f"functions that draw and were not recorded, since they are made anew in each run or are generators: "
            f"{', '.join(unrecorded)}. At the top of a module they are recorded"
        )
    if not (found.steps or found.later or found.restless or found.unrecorded or unrecorded or found.strayed):
        notes.append(
            "no argument of a function that draws moves between the neighbours that were looked at: the data come in "
            "after the draw, as in an objective that is perturbed and then minimised, or in the target itself. There "
            "is nothing to play alone, and whole runs are what can be audited"
        )
    if found.later:
        notes.append(
            "arguments move with coins that could not be forced, of draws that the target makes itself, or of another "
            "generator, or handed on in a global: they may move with what was released before, and were not played. "
            "A function of its own for each draw from the Generator shows which"
        )
    if found.strayed:
        notes.append(
            f"on {found.strayed} of {found.looked_at} pairs the neighbour calls other functions although all earlier "
            "draws are the same: data steer the code itself, or a draw in the target does"
        )
    if found.unrecorded:
        notes.append(f"called too often to be recorded: {', '.join(found.unrecorded)}")
    return notes
