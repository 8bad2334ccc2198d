"""What an audit found, in sentences."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from privcheck.bandits import ALGORITHMS
from privcheck.errors import PrivcheckError, words
from privcheck.privacy import Contexts
from privcheck.reporting.pictures.witness_excerpt import TwoStreams
from privcheck.reporting.text.numbers import at_least, clean, percent, small
from privcheck.results.audit_report import AuditReport, Witness
from privcheck.targets.settings import Settings

MEASURED = "no claim"
"""What stands in the place of a verdict when no claim was given."""

SHORT = 40
"""Entries of a stream up to which a call spells it out."""

ALWAYS = ("epsilon", "seed")
"""Options that a call shows even where they have their defaults."""

MARKS = {"violation": "✗", "consistent": "✓", "inconclusive": "?", MEASURED: "–"}


def plural(count: int, noun: str) -> str:
    """Return a count with its noun.

    >>> plural(1, "arm"), plural(1200, "run")
    ('1 arm', '1,200 runs')
    """
    return f"{count:,} {noun}{'s' * (count != 1)}"


def verdict_word(report: AuditReport) -> str:
    """Return the verdict, or "no claim"."""
    return report.verdict or MEASURED


def claim(report: AuditReport) -> str:
    """Return the claim as it stands in a sentence."""
    text = f"epsilon = {report.epsilon_claimed:g}"
    return f"{text}, delta = {report.delta:g}" if report.delta else text


def verdict_sentence(report: AuditReport) -> str:
    """Return the verdict and what it rests on, in one sentence.

    >>> from dataclasses import replace
    >>> from privcheck.reporting.example_results import VIOLATION
    >>> verdict_sentence(VIOLATION)
    'violation: the claim epsilon = 1 is refuted at level 0.001; epsilon is at least 1.764 (95 % confidence)'
    """
    if report.epsilon_lower is None:
        start = "no claim was given and" if report.verdict is None else f"the claim {claim(report)} was not tested:"
        return f"{verdict_word(report)}: {start} the audit ended early, so there is no bound"
    bound = lower_bound(report)
    if report.verdict is None:
        return f"no claim: nothing to judge; {bound}"
    if report.verdict == "violation":
        return f"violation: the claim {claim(report)} is refuted at level {report.error:g}; {bound}"
    refuted = f"the claim {claim(report)} is not refuted at level {report.error:g}"
    if report.verdict == "consistent":
        return f"consistent: {refuted} by {resolution(report)}; {bound}"
    return f"inconclusive: {refuted}, but {resolution(report)}, too little to judge it; {bound}"


def lower_bound(report: AuditReport) -> str:
    """Return the lower bound and its confidence."""
    where = f"at delta = {report.delta:g}, " if report.delta else ""
    return f"{where}epsilon is at least {at_least(report.epsilon_lower)} ({percent(report.confidence)} confidence)"


def resolution(report: AuditReport) -> str:
    """Return what the runs could have shown: "200,000 runs a side, which could have shown up to epsilon = 9.762"."""
    counted = f" ({report.counted_runs:,} counted)" if report.counted_runs else ""
    text = f"{report.runs:,} runs a side{counted}"
    if report.sequential:
        text = f"{report.counted_runs:,} pairs of runs"
    if report.resolution is None:
        return text
    could = ", which could have shown" if report.verdict == "consistent" else " could have shown"
    text += f"{could} up to epsilon = {at_least(report.resolution.epsilon)}"
    mass = report.resolution.mass
    if mass is None or mass > 1.0:
        return text
    unit = 10.0 ** (math.floor(math.log10(mass)) - 1)
    return f"{text} and events down to probability {small(math.ceil(mass / unit - 1e-9) * unit, 2)}"


def meaning(report: AuditReport) -> list[str]:
    """Return what the verdict does and does not mean, one sentence or two an item."""
    searched = (
        f"{plural(report.screened_pairs, 'pair')} of neighbouring streams ({report.neighbours}) of "
        f"{plural(report.horizon, 'round')} and {plural(report.arms, 'arm')}"
    )
    if report.epsilon_lower is None:
        return ["The audit ended before any run was counted: nothing follows about the claim."]
    if report.e_value is not None:
        lower = (
            f"The lower bound holds with probability {percent(report.confidence)} at whatever time it is read, and "
            "over the whole search: streams and events were chosen on runs that were not bet on."
        )
        bets = f"Bets against the claim multiplied their stake by {small(report.e_value)}; by "
        bets += f"{small(1.0 / report.error)} it is refuted at level {report.error:g}, whenever one looks."
        return [bets, lower]
    lower = (
        f"The lower bound holds with probability {percent(report.confidence)} over the whole search: streams and "
        "events were chosen on runs that were not counted."
    )
    if report.verdict is None:
        return [lower, f"It is a lower bound only: the search saw {searched}, and others may be told apart more."]
    if report.verdict == "violation":
        return [
            f"A true claim would be called a violation with probability at most {report.error:g}. "
            "It is the code as audited that breaks the claim; a mistake in the code and one in the theory look alike.",
            lower,
            "The true epsilon may be larger: the bound comes from one event on one pair of streams.",
        ]
    if report.verdict == "consistent":
        return [
            f"The claim was tested and not refuted; it was not proved. The search saw {searched}. Other streams, "
            "longer horizons or rarer events may still refute it.",
            f"A larger epsilon would have shown only through an event that these runs can see: {resolution(report)}.",
            lower,
        ]
    return [
        "Nothing follows for or against the claim: these runs are too few to refute it even by the clearest event. "
        "Repeat with more.",
        lower,
    ]


def repeat_call(report: AuditReport) -> str:
    """Return the call that repeats the audit; of a target that was no text a report knows the name only.

    >>> from privcheck.reporting.example_results import VIOLATION
    >>> repeat_call(VIOLATION).partition(", feedback")[0]
    "privcheck.audit('rnm-ftnl-published(arms=4, epsilon=1)', epsilon=1.0, arms=4, horizon=8"
    """
    of_mechanisms = {"feedback": "mechanism", "arms": 0}  # what no option was: their data may have one dimension
    shown = []
    for field, declared in Settings.repeated().items():
        option, value = declared.name, getattr(report, field)
        if option in ALWAYS or value not in (declared.default, of_mechanisms.get(option, declared.default)):
            shown.append(f"{option}={'privcheck.' if isinstance(value, Contexts) else ''}{value!r}")
    name, unwritten = clean(report.target), []
    written = ":" in name or (name.partition("(")[0] in ALGORITHMS and name.endswith(")"))
    if not written:
        unwritten.append(f"target: {name}")
    if report.witness is not None and report.screened_pairs == 1:
        pair = report.witness.first.tolist(), report.witness.second.tolist()
        short = report.feedback != "mechanism" and report.witness.first.size <= SHORT
        shown.append(f"streams={pair if short else 'pair'}")
        unwritten += [] if short else ["pair: the two inputs of the witness"]
    call = f"privcheck.audit({repr(name) if written else 'target'}, {', '.join(shown)})"
    return f"{call}  # {'; '.join(unwritten)}" if unwritten else call


def event_parts(witness: Witness) -> list[str]:
    """Return the alternatives that make up the event.

    >>> from privcheck.reporting.example_results import VIOLATION
    >>> event_parts(VIOLATION.witness)[-1]
    'one of 4 rarer beginnings'
    """
    return witness.event.split("; or ")


def rounds_text(witness: TwoStreams) -> str:
    """Return the changed rounds: "round 3", "rounds 3-5" or "rounds 3, 7 and 9"."""
    rounds = witness.rounds
    if len(rounds) == 1:
        return f"round {rounds[0]}"
    if rounds == tuple(range(rounds[0], rounds[-1] + 1)):
        return f"rounds {rounds[0]}-{rounds[-1]}"
    shown = [str(number) for number in rounds]
    return (
        f"rounds {', '.join(shown[:6])} and {len(shown) - 6} more"
        if len(shown) > 7
        else (f"rounds {', '.join(shown[:-1])} and {shown[-1]}")
    )


def headline(reports: Sequence[AuditReport], expected: Sequence[str | None] | None = None) -> str:
    """Return how many audits came out how: "3 audits: 1 violation, 2 consistent".

    >>> from privcheck.reporting.example_results import VIOLATION
    >>> headline([VIOLATION], ["violation"])
    '1 audit: 1 violation; 1 of 1 as expected'
    """
    counted = Counter(verdict_word(report) for report in reports)
    names = {MEASURED: "without a claim"}
    if counted["violation"] > 1:
        names["violation"] = "violations"
    parts = ", ".join(f"{counted[verdict]} {names.get(verdict, verdict)}" for verdict in MARKS if counted[verdict])
    text = f"{plural(len(reports), 'audit')}: {parts}"
    met = [answer for answer in as_expected(reports, expected) if answer is not None]
    return f"{text}; {sum(met)} of {len(met)} as expected" if met else text


def as_expected(reports: Sequence[AuditReport], expected: Sequence[str | None] | None) -> list[bool | None]:
    """Tell for each report whether it came out as expected; None where nothing was expected."""
    if expected is None:
        return [None] * len(reports)
    if len(expected) != len(reports):
        raise PrivcheckError(
            "expected", words(f"{len(expected)} verdicts"), f"one for each of the {len(reports)} reports"
        )
    return [
        None if verdict is None else verdict == report.verdict
        for verdict, report in zip(expected, reports, strict=True)
    ]
