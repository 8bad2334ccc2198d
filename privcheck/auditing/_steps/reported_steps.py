"""What is known of a target's noisy steps, as a report."""

from __future__ import annotations

import re
from collections import Counter

from privcheck.auditing._plan import Plan
from privcheck.auditing._steps.drawing_functions import place_of_function
from privcheck.auditing._steps.played_alone import Alone, shown_inputs
from privcheck.auditing._steps.search_steps import Steps
from privcheck.auditing._verdict import EVIDENCE
from privcheck.results import ISOLATED, LATER, STILL, NoisyStep, Outcome, StepBound, StepsReport, Suspicion
from privcheck.targets import Claim, Runner

UNRECORDED = "not recorded"
"""The standing of a step whose arguments were not seen."""

SEEDS = frozenset({"integers", "bytes"})
"""Methods of a Generator by which other generators are seeded."""

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

ONE_TO_ONE = (
    "what the target releases is one-to-one in what the call makes: values that were forced on the call do not show "
    "that for others"
)
"""What it rests on besides, if the target is said to release the step."""

OF_SYSTEM = (
    "draws of the system's generator are seen, and cannot be replayed: what a function makes of them is forced as "
    "usual, but nothing is played that follows a draw which the target makes in its own body. A call alone draws "
    "afresh, so that the seed does not repeat what is counted"
)
"""What follows where coins come from the system."""

OF_LAW = "what the call returns has the given law, which its runs do not contradict: that is no evidence for it"
"""What it rests on besides, if a law says that the call is above the claim, or within it."""


def reported(
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
        provided=_provided(alone, suspicion),
        notes=(
            *_notes(found, why),
            *_raised_note(found, policy.runner),
            *(() if alone is None else _of_outcome(alone.outcome)),
        ),
        seconds=seconds,
        undecided=None if alone is None or suspicion is not None else _undecided(alone, claim, why),
    )


def _undecided(alone: Alone, claim: Claim, why: str) -> str | None:
    """Return why the runs of the best step do not tell whether it keeps the claim; None if they do.

    Parameters
    ----------
    why : that it is not suspected, though it is told apart better than the claim allows; "" otherwise.
    """
    outcome, lower = alone.outcome, alone.outcome.epsilon_lower
    if why:
        return why
    if not outcome.counted_runs:
        return "none of its runs was counted"
    if claim.epsilon is None or alone.by_law is not None or outcome.verdict == "consistent":
        return None
    if lower is not None and lower > claim.epsilon:
        return "that is above the claim, and not yet at the level of a suspicion: more runs would decide"
    most = None if outcome.resolution is None else outcome.resolution.epsilon
    if most is not None and most < claim.epsilon:
        shown = f"at level {claim.error:g} its runs could have shown {most:.3f} from one event alone"
        return f"{shown}: more runs would decide"
    return "there was next to nothing to compare"


def _provided(alone: Alone | None, suspicion: Suspicion | None) -> tuple[str, ...]:
    if alone is None:
        return ()
    if suspicion is not None:
        return (*PROVIDED, OF_LAW) if suspicion.kind == "law" else PROVIDED
    rests_on_law = alone.by_law is not None and alone.by_law.follows and alone.outcome.verdict != "consistent"
    return (*PROVIDED, OF_LAW) if rests_on_law else PROVIDED


def _of_outcome(outcome: Outcome) -> tuple[str, ...]:
    """Return the notes on the audit of a call; what it says of a law that refutes a claim is in the suspicion.

    The claim is that of the target, which a call alone cannot violate.
    """
    notes = (note for note in outcome.notes if outcome.suspicion is None or note != outcome.suspicion.sentence)
    return tuple(note.replace(EVIDENCE, OF_CALL) for note in notes)


OF_CALL = "evidence that the call alone loses more than the claim allows"


def noisy_steps(found: Steps) -> tuple[NoisyStep, ...]:
    """Return what draws: steps that can be played alone, those after others, and where no argument moves."""
    isolated = [*found.steps, *found.mixed]
    on = Counter(number for number, _ in {(step.function, id(step.pair)) for step in isolated})
    moves: dict[int, dict[str, None]] = {}
    depth: Counter[int] = Counter()
    for step in isolated:
        depth[step.function] = max(depth[step.function], len(step.within))
        moves.setdefault(step.function, {}).update(dict.fromkeys(step.moves))
    names = {number: function.__qualname__ for number, function in enumerate(found.functions)}
    places = {number: place_of_function(function) for number, function in enumerate(found.functions)}
    listed = [
        NoisyStep(names[number], places[number], ISOLATED, tuple(moves[number]), count)
        for number, count in sorted(on.items(), key=lambda each: (-each[1], -depth[each[0]]))
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


def _raised_note(found: Steps, runner: Runner) -> list[str]:
    seen = found.drawing
    if not seen.raised:
        return []
    kind, _, text = runner.raised.partition(":")  # type: ignore[attr-defined]
    place = re.search(r" \([^()]*, line \d+\)$", text)  # the message itself may be private
    raised = f"{kind}{place.group() if place else ''} in {seen.raised} of the first {seen.runs} runs"
    return [f"the target raised {raised}: an exception is an output, and nothing that would follow it is played"]


def _notes(found: Steps, why: str) -> list[str]:
    notes = []
    if why:
        notes.append(f"steps were found, and {why}")
    if found.restless:
        names = ", ".join(found.functions[number].__qualname__ for number in sorted(found.restless))
        notes.append(
            f"arguments of {names} differ between two runs on the same input with the same coins, such as a time, a "
            "counter or what the target itself draws from the system: whether the data move them cannot be told"
        )
    if found.drawing.of_system:
        notes.append(OF_SYSTEM)
    unrecorded = list(dict.fromkeys(name for _, name in unrecorded_places(found) if name not in found.unrecorded))
    if unrecorded:
        notes.append(
            f"functions that draw and were not recorded, since they are made anew in each run or are generators: "
            f"{', '.join(unrecorded)}. At the top of a module they are recorded"
        )
    nothing_else = not (found.steps or found.later or found.restless or found.unrecorded or unrecorded or found.strayed)
    if nothing_else and found.drawing.methods <= SEEDS:
        notes.append(
            "all that is drawn are integers or bytes, as for the seed of another generator: if that one makes the "
            "noise, in compiled code or another program, its draws are not seen, and no step is found. Whole runs are "
            "what can be audited, or code of your own that calls the noisy function with the Generator itself"
        )
    elif nothing_else:
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
