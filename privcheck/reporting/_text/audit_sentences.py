"""What an audit found, in sentences."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from privcheck.errors import PrivcheckError, words
from privcheck.reporting._pictures.witness_excerpt import words_of
from privcheck.reporting._text.numbers import at_least, digits_at_least, digits_at_most, percent, small
from privcheck.results import AuditReport, Search, Suspicion

MEASURED = "no claim"
"""The word in place of a verdict when no claim was given."""

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


def is_blind(report: AuditReport) -> bool:
    """Return whether nothing told the streams apart, so that a claim of any size would have passed."""
    return report.verdict == "consistent" and not report.lower


def certificate_is_refused(report: AuditReport) -> bool:
    """Return whether guarded runs under the claim leaked or were refused a release, or replays diverged.

    >>> from privcheck.results._example_results import CERTIFIED
    >>> certificate_is_refused(CERTIFIED)
    False
    """
    return report.certificate is not None and report.certificate.is_refused


def audit_mark(report: AuditReport) -> str:
    """Return the sign of the verdict; a claim has no tick where nothing could refute it, or a certificate is refused.

    >>> from privcheck.results._example_results import VIOLATION
    >>> audit_mark(VIOLATION)
    '✗'
    """
    bare = report.verdict == "consistent" and (is_blind(report) or certificate_is_refused(report))
    return MARKS[MEASURED] if bare else MARKS[verdict_word(report)]


def claim(report: AuditReport) -> str:
    """Return the claim as it stands in a sentence."""
    return report.claim_words


def verdict_sentence(report: AuditReport) -> str:
    """Return the verdict and what it rests on, in one sentence.

    >>> from dataclasses import replace
    >>> from privcheck.results._example_results import VIOLATION
    >>> verdict_sentence(VIOLATION)
    'violation: the claim epsilon = 1 is refuted at level 0.001; epsilon is at least 1.764 (95 % confidence)'
    """
    if report.epsilon_lower is None:
        start = "" if report.verdict is None else f"the claim {claim(report)} was not tested because "
        return f"{verdict_word(report)}: {start}the audit ended early; there is no lower bound"
    bound = lower_bound(report)
    if report.verdict is None:
        return f"no claim: no claim was given to test; {bound}"
    if report.by_law is not None and report.by_law.decides:
        shown = at_least(report.by_law.bound.epsilon_lower)
        return (
            f"violation: the claim {claim(report)} is refuted by the given law, whose loss is {shown}; by runs, {bound}"
        )
    if report.verdict == "violation":
        return f"violation: the claim {claim(report)} is refuted at level {report.error:g}; {bound}"
    refuted = f"the claim {claim(report)} is not refuted at level {report.error:g}"
    if is_blind(report):
        return (
            f"consistent: no power here: {refuted}, but {played(report)} saw nothing of the data, which says next to "
            f"nothing about it; {bound}"
        )
    if report.verdict == "consistent":
        but = "; but its certificate is refused" if certificate_is_refused(report) else ""
        return f"consistent: {refuted} by {played(report)}, which could have shown {resolution(report)}; {bound}{but}"
    claimed = 0.0 if report.claimed is None else report.claimed[1]
    if (report.lower or 0.0) > claimed:
        evidence = f"evidence against the claim {claim(report)} at {percent(report.confidence)} confidence"
        return f"inconclusive: {evidence}, not yet at level {report.error:g}; {bound}"
    return f"inconclusive: {refuted}, but {_lacking(report, claimed)}; {bound}"


def _lacking(report: AuditReport, claimed: float) -> str:
    """Return what the audit lacks to call the claim consistent."""
    if report.suspicion is not None:
        return f"{_suspected(report.suspicion)} is {at_least(report.suspicion.epsilon)} or more"
    if _is_cut(report):
        return f"the audit was cut short after {plural(report.stop_after or 0, 'counted run')} per stream"
    if report.resolution is None:
        return f"{played(report)} are too few to refute it"
    if report.resolution.epsilon < claimed:
        return f"{played(report)} could have shown {resolution(report)}, too little to refute it"
    if report.e_value is not None and report.stop_after is not None:
        return f"the audit was cut short after {played(report)}"
    if report.by_law is not None and not report.by_law.follows:
        return "the outputs do not follow the law that was given for them"
    if report.search is not None and not report.search.complete:
        return f"only {candidates(report.search)} were screened, too few to call it consistent"
    same = "released the same, or nothing" if report.observe == "releases" else "put out the same"
    return f"nearly all runs {same}, which is too little to call it consistent"


def _is_cut(report: AuditReport) -> bool:
    """Tell whether an audit with a fixed number of runs was cut short."""
    return report.resolution is None and report.stop_after is not None


def _suspected(suspicion: Suspicion) -> str:
    """Return whose loss it is that the runs have not shown."""
    return "the loss of the given law" if suspicion.kind == "law" else f"the loss of {suspicion.place} by itself"


def candidates(search: Search) -> str:
    """Return how many of the candidate pairs were screened.

    >>> candidates(Search(pairs=1000, screened=111, families=("all low: all rewards",), missing=("all high: rewards",)))
    '111 of 1,000 candidate pairs (1 of 2 families)'
    """
    families, every = len(search.families), len(search.families) + len(search.missing)
    return f"{search.screened:,} of {plural(search.pairs, 'candidate pair')} ({families} of {families_word(every)})"


def families_word(count: int) -> str:
    """Return a count of families.

    >>> families_word(1), families_word(2)
    ('1 family', '2 families')
    """
    return f"{count} famil{'y' if count == 1 else 'ies'}"


def lower_bound(report: AuditReport) -> str:
    """Return the lower bound and its confidence."""
    where = f"at delta = {report.delta:g}, " if report.delta else ""
    if report.claimed is not None and report.claimed[0] != "epsilon" and report.claim_lower is not None:
        name, allowed = report.claimed
        at = f" at epsilon = {report.claim_epsilon:g}, where {small(allowed)} is claimed" if name == "delta" else ""
        return f"{name} is at least {at_least(report.claim_lower)}{at} ({percent(report.confidence)} confidence)"
    return f"{where}epsilon is at least {at_least(report.epsilon_lower)} ({percent(report.confidence)} confidence)"


def played(report: AuditReport) -> str:
    """Return how many runs the verdict rests on.

    >>> from privcheck.results._example_results import VIOLATION
    >>> played(VIOLATION)
    '100,000 runs per stream'
    """
    if report.sequential:
        return f"{report.counted_runs:,} pairs of runs"
    counted = f" ({report.counted_runs:,} counted)" if report.counted_runs else ""
    return f"{report.runs:,} runs per {words_of(report).one}{counted}"


def resolution(report: AuditReport) -> str:
    """Return the most that the runs could have shown, nothing where that is not known.

    >>> from privcheck.results._example_results import VIOLATION
    >>> resolution(VIOLATION)
    'a lower bound of up to 8.973 and events of probability 0.00042 or more'
    """
    if report.resolution is None:
        return ""
    text = f"a lower bound of up to {at_least(report.resolution.epsilon)}"
    if _in_gaussian_noise(report):
        return f"{text} for Gaussian noise of 2.2 times {'the rho' if report.rho is not None else 'its rho'}"
    if (report.lower or 0.0) > report.resolution.epsilon:  # of another level, or of an event and its mirror image
        text += " at this level from one event alone"
    mass = report.resolution.mass
    if mass is None or mass > 1.0:
        return text
    unit = 10.0 ** (math.floor(math.log10(mass)) - 1)
    return f"{text} and events of probability {small(math.ceil(mass / unit - 1e-9) * unit, 2)} or more"


def _in_gaussian_noise(report: AuditReport) -> bool:
    """Tell whether the resolution is what the runs could have shown of Gaussian noise."""
    return report.claimed is not None and report.claimed[0] in ("rho", "mu")


def meaning(report: AuditReport) -> list[str]:
    """Return what the verdict does and does not mean, an item of one or two sentences each."""
    return [words_of(report).said(sentence) for sentence in _meaning(report)]


def _meaning(report: AuditReport) -> list[str]:
    size = f"{plural(report.horizon, 'round')} and {plural(report.arms, 'arm')}"
    size = plural(report.horizon, "row") if report.feedback == "mechanism" else size
    searched = f"{plural(report.screened_pairs, 'pair')} of neighbouring streams ({report.neighbours}) with {size}"
    if report.epsilon_lower is None:
        return ["The audit ended before it counted any runs, so it says nothing about the claim."]
    if report.e_value is not None:
        lower = (
            f"The lower bound holds with {percent(report.confidence)} confidence whenever it is read, and it accounts "
            "for the whole search: streams and events were chosen on earlier runs than those they were bet on."
        )
        bets = f"Bets against the claim multiplied their stake by {digits_at_least(report.e_value, 3)}. A "
        bets += f"factor of {digits_at_most(1.0 / report.error, 3)} refutes the claim at level {report.error:g}, "
        bets += "whenever it is read."
        return [bets, lower]
    lower = (
        f"The lower bound holds with {percent(report.confidence)} confidence and accounts for the whole search: "
        "streams and events were chosen on runs that were not counted."
    )
    if report.verdict is None:
        others = "an observer may tell other streams apart more reliably"
        return [lower, f"It is only a lower bound: the search tried {searched}, and {others}."]
    if report.by_law is not None and report.by_law.decides:
        return [
            "This verdict rests on the law that was given for the outputs, which is taken on your word: runs did not "
            "contradict it, and runs never show a law. Quadrature added up its loss, with estimates of its errors.",
            lower,
        ]
    if report.verdict == "violation":
        return [
            f"If the claim were true, the probability of this verdict would be at most {report.error:g}. The verdict "
            "is about the code as audited: the audit cannot tell a mistake in the code from a mistake in the theory.",
            lower,
            "The true epsilon may be larger: the bound comes from one event on one pair of streams.",
        ]
    if report.verdict == "consistent":
        blind = (
            "No power here: no event told the streams apart, so that a claim of any size would have passed. Audit it "
        )
        blind += "with other arms, another horizon, with observe='releases', or on streams that you choose."
        return [
            *([blind] if is_blind(report) else []),
            f"The claim was tested and not refuted; it was not proved. The search tried {searched}. Other streams, "
            "longer horizons or rarer events may still refute it.",
            "A larger epsilon would have been noticed only through an event that these runs can detect: "
            f"{played(report)} could have shown {resolution(report)}.",
            lower,
        ]
    claimed = 0.0 if report.claimed is None else report.claimed[1]
    if (report.lower or 0.0) > claimed:
        said = (
            f"This is evidence against the claim, not for it: the lower bound at {percent(report.confidence)} "
            f"confidence is above the claim. A violation needs level {report.error:g}: repeat it with more runs."
        )
    elif report.suspicion is not None:
        rests = "it rests on what was said of the target"
        why = rests if report.suspicion.kind == "law" else "the target may hide what its step tells"
        said = (
            f"Something speaks against the claim that counts of runs have not shown: {report.suspicion.sentence}. That "
            f"is no violation, since {why}, and no consistency either."
        )
    elif report.resolution is not None and report.resolution.epsilon < claimed and _in_gaussian_noise(report):
        said = (
            "This audit says little for or against the claim: not even Gaussian noise of 2.2 times the claimed rho "
            "would have refuted it. Repeat the audit with more runs."
        )
    elif _is_cut(report):
        said = (
            "The audit was cut short, and its bets until then neither refuted the claim nor could they bear it out: "
            "that says little for or against it. Repeat it to its end."
        )
    elif report.resolution is None or report.resolution.epsilon < claimed:
        said = (
            "This audit says nothing for or against the claim: with so few runs, even the clearest event could not "
            "have refuted it. Repeat the audit with more runs."
        )
    else:
        said = (
            "The claim was not refuted, but too little was looked at for that to say much: a note says what was left "
            f"out and how to look at it. The search tried {searched}."
        )
    return [said, lower]


def headline(reports: Sequence[AuditReport], expected: Sequence[str | None] | None = None) -> str:
    """Return how many audits ended with which verdict: "3 audits: 1 violation, 2 consistent".

    >>> from privcheck.results._example_results import VIOLATION
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
