"""Steps that are played alone: the best of them and of their inputs, and the lower bound on its loss."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from privcheck.auditing._confirmation.shares_of_runs import folds
from privcheck.auditing._costs import seconds_per_run
from privcheck.auditing._exact.samples_of_a_law import LEAST
from privcheck.auditing._law_verdict import judged_by_law
from privcheck.auditing._plan import Plan, make_plan
from privcheck.auditing._play import played
from privcheck.auditing._scoring.views_of import views_of
from privcheck.auditing._search.promise import Promise
from privcheck.auditing._search.successive_halving import LEAST_RUNS, screen
from privcheck.auditing._steps.isolated_calls import CALL_LIMIT, RecordedInput, name_of, played_alone, value_at
from privcheck.auditing._steps.law_of_calls import LawOfCalls
from privcheck.auditing._steps.search_steps import Step, Steps
from privcheck.auditing._steps.time_of_a_look import LookTime
from privcheck.errors import PolicyError, PrivcheckError
from privcheck.results import LawEvidence, Outcome
from privcheck.scheduling import HERE
from privcheck.targets import DRAWN, Claim, Given, Request, Sampler, Settings, StoppedError, StreamPair, load

PILOT = 0.2
"""Seconds in which a call is timed."""

MOST_RUNS, FEWEST_RUNS = 20_000, 400
"""Runs on each input of a call that is audited, at most and at least."""

FEWEST_WITH_A_LAW = max(LEAST)
"""The same of a call whose law is given: its loss takes no runs, and fewer would not test the law."""

RANKED = 0.2
"""Share of the time in which inputs are ranked by a given law."""

LEAST_SECONDS = 0.01
"""Seconds that the audit of a call has at least: a time budget is more than 0."""

UNPLAYABLE = (
    "none can be played alone: their arguments cannot be copied, or hold a generator of their own, or it is not known "
    "what of the things that they make is released"
)
"""Why there is no best step among several."""

PLAYS = 4
"""Times the runs on each input that are played: on two inputs, to choose one and to count."""

SHARE_OF_RUNS = 0.1
"""Share of the time for the runs on one input to count: 4 such take less than half, for other programs take time, too.
"""

TOO_LONG = (
    "none was played alone: {:,} calls, the fewest that show something, take longer than is left of the time budget"
)
"""Why there is no best step, if calls are slow."""

OVER = "the time was over, or an interrupt came, while they were played alone"
"""Why there is no best step, if it was."""

OTHER_OUTPUT = "without a law, calls are played that put out anything else"
"""What to do about calls that put out no real numbers."""

MOST_NAMES, MOST_SHOWN = 3, 120
"""Arguments that are shown, and characters of each."""


@dataclass(frozen=True)
class Alone:
    """What a call shows by itself, on two recorded inputs.

    Parameters
    ----------
    step : the call and its pair of neighbours.
    outcome : of its audit against the claim.
    runs : on each input, of the audit.
    by_law : what a given law says.
    """

    step: Step
    outcome: Outcome
    runs: int
    by_law: LawEvidence | None = None


def best_alone(
    steps: Steps,
    claim: Claim,
    seed: int,
    until: LookTime,
    advance: Callable[[int], None],
    runs: int | None = None,
    law: LawOfCalls | None = None,
) -> tuple[Alone | None, str]:
    """Return the step and the inputs that are told apart best, audited on fresh runs, and why there is none.

    Which step and which inputs is decided on other runs than those that are counted, or by a given law, so the bound of
    the one that is audited covers the choice.

    Parameters
    ----------
    steps : what was found on many pairs.
    claim : with the levels.
    seed : of the runs.
    until : the time for playing calls, from which a pilot makes a number of runs; what is not done at its end is left
        out.
    advance : is called with numbers that add up to 100.
    runs : on each input of the call that is audited, in place of a time; as many choose it.
    law : that of what one of the functions returns: no other one is played, and no runs choose its inputs.

    Raises
    ------
    PrivcheckError : what is no law, or none of what the call returns.
    """
    played_steps = steps.steps if law is None else law.steps(steps)
    both = [(_as_pair(steps, step), step) for step in played_steps if step.inputs is not None]
    if not both:
        return None, UNPLAYABLE if played_steps else ""
    fewest = FEWEST_RUNS if law is None else FEWEST_WITH_A_LAW
    seconds, deadline = until.left(steps.runs), until.ends
    if seconds <= 0.0:
        return None, TOO_LONG.format(PLAYS * fewest)
    candidates = [pair for pair, _ in both]
    plan = replace(
        _plan(candidates[0], claim, seed, replayed=not steps.drawing.of_system),
        law=None if law is None else law.of_outputs(),
    )
    try:
        groups = [(candidates, runs or 0)] if runs is not None else _affordable(plan, both, seconds, fewest)
        if not groups:
            return None, TOO_LONG.format(PLAYS * fewest)
        advance(10)
        if law is not None:
            ((candidates, runs),) = groups
            best = law.best(candidates, claim.delta, time.monotonic() + RANKED * seconds)
            deadline = math.inf  # the runs have their share of the time, and quadrature comes on top
        else:
            best, runs = _most_promising(plan, groups, Sampler(plan.policy.runner, seed, HERE, deadline))
        advance(40)
        left = None if deadline == math.inf else max(LEAST_SECONDS, deadline - time.monotonic())
        settings = plan.settings.changed(streams=(best.first, best.second), runs=runs, time_budget=left)
        found = played(replace(plan, candidates=[best], settings=settings), time.monotonic())
    except PolicyError as error:
        if law is not None and error.parameter == "law":
            raise PrivcheckError("law", error.value, "the law of what the call puts out", OTHER_OUTPUT) from None
        return None, f"they cannot be played alone: {error}"
    except StoppedError:
        return None, OVER
    advance(50)
    if law is not None and found.by_law is None:
        return None, OVER
    outcome = found.outcome if found.by_law is None else judged_by_law(found.outcome, found.by_law, best, claim)
    return Alone(next(step for pair, step in both if pair is best), outcome, runs, found.by_law), ""


Group = tuple[list[StreamPair], int]
"""The calls of a function, and runs on each input of the one that is audited."""


def _affordable(plan: Plan, both: list[tuple[StreamPair, Step]], seconds: float, fewest: int) -> list[Group]:
    """Return the calls of each function with the runs that the time pays for, where these are not too few.

    A function that trains a model is called thousands of times more slowly than the one that adds its noise: neither
    decides about the other's runs.

    Raises
    ------
    PolicyError : of a function that fails, if no other one does not.
    """
    of_function: dict[int, list[StreamPair]] = {}
    for pair, step in both:
        of_function.setdefault(step.function, []).append(pair)
    groups, seed, failed = list[Group](), plan.settings.effort.seed, list[PolicyError]()
    for pairs in of_function.values():
        try:
            cost = seconds_per_run(plan.policy.runner, pairs, seed, PILOT / len(of_function))
        except PolicyError as error:
            failed.append(error)
            continue
        if PLAYS * fewest * cost <= seconds:
            groups.append((pairs, int(min(MOST_RUNS, max(fewest, SHARE_OF_RUNS * seconds / cost)))))
    if len(failed) == len(of_function):
        raise failed[0]
    return groups


def _most_promising(plan: Plan, groups: list[Group], sampler: Sampler) -> tuple[StreamPair, int]:
    """Return the call and the inputs that promise the largest lower limit by the runs that it affords, and these."""
    claim, views = plan.settings.claim, views_of(plan.policy)
    found, failed = list[tuple[float, StreamPair, int]](), list[PolicyError]()
    for number, (pairs, runs) in enumerate(groups):
        few = pairs[:: math.ceil(len(pairs) * 2 * LEAST_RUNS * len(groups) / runs)]
        if len(groups) == len(few) == 1:
            return few[0], runs
        spend, key = 2 * runs // len(groups), (1,) if len(groups) == 1 else (1, number)
        try:
            best = screen(sampler, few, spend, runs, claim.error, claim.delta, views, _silent, key)
            one, two = best.training or sampler.play(
                [Request(few[0], side, spend // 2, (*key, side)) for side in (0, 1)], _silent
            )
        except PolicyError as error:
            failed.append(error)
            continue
        counting = folds(runs).counting
        promise = Promise(views, counting.stop - counting.start, claim.error, claim.delta)
        promised = 0.0 if len(groups) == 1 else promise(best.pair, (one, two))[0]
        found.append((promised, best.pair, runs))
    if not found:
        raise failed[0]
    _, pair, runs = max(found, key=lambda each: each[0])
    return pair, runs


def _as_pair(steps: Steps, step: Step) -> StreamPair:
    """Return the inputs of a call as two inputs of a mechanism, from which the search makes no others."""
    assert step.inputs is not None
    one, two = (Given(each) for each in step.inputs)
    label = f"the calls of {name_of(steps.functions[step.function])} on {step.pair.words}"
    return StreamPair(one, two, label, DRAWN)  # type: ignore[arg-type]


def _plan(pair: StreamPair, claim: Claim, seed: int, *, replayed: bool) -> Plan:
    inputs = pair.first.value, pair.second.value  # type: ignore[attr-defined]
    options: dict[str, Any] = {"epsilon": claim.epsilon, "delta": claim.delta, "error": claim.error}
    options |= {"confidence": claim.confidence, "seed": seed, "streams": inputs, "runs": FEWEST_RUNS}
    options["randomness"] = None if replayed else "independent"
    return make_plan(load(played_alone), Settings.of(**options, time_limit=CALL_LIMIT))


def shown_inputs(inputs: tuple[RecordedInput, RecordedInput], names: tuple[str, ...]) -> tuple[str, str]:
    """Return what differs between two inputs, on each of them, in words.

    >>> def add(value, rng): return value
    >>> one, two = (RecordedInput(add, {"value": value, "rng": None}, ()) for value in (0.0, 1.0))
    >>> shown_inputs((one, two), ("value",))
    ('value = 0.0', 'value = 1.0')
    """
    one, two = inputs
    return _shown(one, names), _shown(two, names)


def _shown(one: RecordedInput, names: tuple[str, ...]) -> str:
    return ", ".join(f"{name} = {_short(value_at(one.arguments, name))}" for name in names[:MOST_NAMES])


def _short(value: Any) -> str:
    if isinstance(value, np.ndarray):
        shown = np.array2string(value, precision=4, threshold=8, edgeitems=3, separator=", ")
    else:
        shown = repr(value.item() if isinstance(value, np.generic) else value)
    text = " ".join(shown.split())
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 1]}…"


def _silent(_: int) -> None:
    pass
