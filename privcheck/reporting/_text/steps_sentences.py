"""What is known of noisy steps, in sentences."""

from __future__ import annotations

from privcheck.reporting._text.audit_facts import law_rows
from privcheck.reporting._text.numbers import at_least, claim_text, clean, p_value, percent, probability_interval
from privcheck.results import ISOLATED, NoisyStep, StepBound, StepsReport

MARKS = {"suspicion": "?", "another law": "?", "undecided": "?", "isolated": "–", "nothing to isolate": "?"}
"""By the outcome. A step that is told apart no better than the claim clears nothing, so that none has a tick."""


def mark(report: StepsReport) -> str:
    """Return the mark of an outcome."""
    return MARKS[report.outcome]


def sentence(report: StepsReport) -> str:
    """Return what was found in one sentence.

    >>> from privcheck.results._example_results import STEPS
    >>> sentence(STEPS).startswith("suspicion: the call of add_noise alone has a loss of at least 3.820")
    True
    """
    best = report.best
    if best is None:
        drawn = ", ".join(clean(step.function) for step in report.steps)
        return f"nothing to isolate: no call that draws can be played alone with an argument that moves ({drawn})"
    name, level = clean(best.function), f"({percent(report.confidence)} confidence)"
    if report.suspicion is not None:
        shown = f"{at_least(best.epsilon_lower)} {level}"
        if report.suspicion.kind == "law":
            shown = f"{at_least(report.suspicion.epsilon)} by the given law, and of {shown} by counts"
        said = f"the call of {name} alone has a loss of at least {shown}"
        yet = "which does not hold if the call is released" if report.is_released else "of which this says nothing yet"
        return f"suspicion: {said}, and {claimed(report)} is claimed of the target, {yet}"
    if report.outcome == "another law":
        tested = p_value(report.by_law.p_value) if report.by_law is not None else ""
        return f"another law: what {name} returns does not follow the given law (p-value {tested})"
    found = f"{name} is the step that is told apart best by itself"
    if report.undecided is not None and best.epsilon_lower is None:
        return f"undecided: {found}, and {clean(report.undecided)}"
    found += f": its loss is at least {at_least(best.epsilon_lower)}"
    if report.undecided is not None:
        return f"undecided: {found} {level}; {clean(report.undecided)}"
    more = "" if report.epsilon_claimed is None else f"; that does not speak against {claimed(report)}"
    return f"isolated: {found} {level}{more}"


def claimed(report: StepsReport) -> str:
    """Return the claim."""
    return f"epsilon = {claim_text(report.epsilon_claimed, report.delta)}"


def step_words(step: NoisyStep) -> str:
    """Return what is known of one step.

    >>> from privcheck.results._example_results import STEPS
    >>> step_words(STEPS.steps[0])
    'add_noise at fit.py:9: value moves on 40 pairs'
    """
    where = f"{clean(step.function)} at {clean(step.place)}"
    moves = clean(", ".join(step.moves))
    if step.standing == ISOLATED:
        verb = "moves" if len(step.moves) == 1 else "move"
        return f"{where}: {moves} {verb} on {step.pairs} pair{'s' * (step.pairs != 1)}"
    return f"{where}: {step.standing}" + (f" ({moves})" if moves else "")


def facts_of(report: StepsReport) -> list[tuple[str, str]]:
    """Return what was counted of the best step, by name, and what its law says; nothing if there is none."""
    return [] if report.best is None else [*_counted(report.best), *law_rows(report.by_law)]


def _counted(best: StepBound) -> list[tuple[str, str]]:
    rows = [
        ("step", f"{clean(best.function)} at {clean(best.place)}"),
        ("its first input", clean(best.first)),
        ("its second input", clean(best.second)),
        ("met on", clean(best.streams)),
        ("runs of the call", f"{best.runs:,} on each input"),
    ]
    if best.event is not None and best.probability_first is not None and best.probability_second is not None:
        rows += [
            ("event", clean(best.event)),
            ("on the first", probability_interval(best.probability_first)),
            ("on the second", probability_interval(best.probability_second)),
        ]
    return rows


def next_step(report: StepsReport) -> str:
    """Return what to do now."""
    if report.suspicion is not None:
        return "Whole runs decide about the target: `privcheck.audit`, with these neighbours as `streams`"
    if report.best is None:
        return "To measure what moves each draw of a run instead: `privcheck certify` with `--primitives numpy`"
    return "Whole runs decide about the target: `privcheck audit`"
