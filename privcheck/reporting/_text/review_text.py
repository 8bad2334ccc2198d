"""An audit or a certificate as paragraphs for a review of a paper or a bug report, in Markdown or LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from privcheck.privacy import RELATIONS
from privcheck.reporting._pictures.witness_excerpt import is_drawn
from privcheck.reporting._text.audit_sentences import lower_bound, meaning, played, plural, verdict_sentence
from privcheck.reporting._text.both_bounds import certified_text, contradiction, sandwich
from privcheck.reporting._text.certificate_facts import certificate_rows, rests_on
from privcheck.reporting._text.certificate_sentences import certificate_sentence, coverage
from privcheck.reporting._text.failure_lines import certificate_evidence, faults_told
from privcheck.reporting._text.markdown_parts import escaped
from privcheck.reporting._text.numbers import at_least, clean, p_value, percent, probability, probability_interval
from privcheck.reporting._text.repeating import NOT_REPEATABLE, how_to_repeat, repeat_certificate
from privcheck.reporting._text.witness_sentences import event_parts, mirrored, witness_streams
from privcheck.results import AuditReport, Certificate, Witness
from privcheck.tables import latex_text


class Part(NamedTuple):
    """A paragraph with a heading in bold, items of a list below it, and lines that are shown as they are.

    Parameters
    ----------
    heading : a word or two.
    text : sentences; may be empty.
    items : of a list, a sentence or two each.
    lines : of code, or of streams that are drawn with characters.
    """

    heading: str
    text: str = ""
    items: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()


def audit_review(report: AuditReport) -> list[Part]:
    """Return what a review says of an audit: the claim, what was run, the evidence, and how to repeat it.

    >>> from privcheck.results._example_results import VIOLATION
    >>> [part.heading for part in audit_review(VIOLATION)]
    ['Result', 'Claim', 'What was run', 'Two inputs', 'Event', 'Bound', 'To repeat it', 'What this shows and what not']
    """
    claims = "no claim was given" if report.claimed is None else f"it claims {report.claim_words}"
    parts = [
        Part("Result", f"{clean(report.target)}: {verdict_sentence(report)}."),
        Part("Claim", f"As audited, {claims}. Between neighbouring inputs {_changed(report)}, and {_seen(report)}."),
        Part("What was run", f"{_run(report)} The seed was {report.seed}; written by privcheck {_version()}."),
    ]
    witness = report.simplest or report.witness
    if witness is not None:
        parts += _witness(report, witness)
        of_claim = "" if report.p_value is None else f" The p-value of the claim is {p_value(report.p_value)}."
        simpler = report.simplest_lower if report.simplest is not None else None
        alone = "" if simpler is None else f" This event by itself shows {at_least(simpler)}."
        parts.append(Part("Bound", f"By these runs, {lower_bound(report)}.{alone}{of_claim}"))
    if report.simplest is not None and report.witness is not None:
        parts += _witness(report, report.witness, behind=True)
    if certified := certified_text(report):
        between = contradiction(report) or sandwich(report)
        parts.append(Part("Certified bound", f"{clean(certified)}.{f' {clean(between)}' if between else ''}"))
    if faults := faults_told(report):
        parts.append(Part("At fault", lines=tuple(faults[:-1])))
    calls = how_to_repeat(report)
    again = Part("To repeat it", lines=tuple(calls[-1].splitlines())) if calls else Part("To repeat it", NOT_REPEATABLE)
    return [*parts, again, Part("What this shows and what not", items=(*meaning(report), *map(clean, report.notes)))]


def certificate_review(certificate: Certificate) -> list[Part]:
    """Return what a review says of a certificate.

    >>> from privcheck.results._example_results import GRANTED
    >>> [part.heading for part in certificate_review(GRANTED)]
    ['Result', 'Rests on', 'To repeat it', 'What this shows and what not']
    """
    found = tuple(certificate_evidence(certificate))
    rests = Part("Rests on", f"{rests_on(certificate)} (besides privcheck and the mechanisms that it names).")
    if certificate.primitives:
        kept = ("ledger", "replay", *(use.location for use in certificate.primitive_uses))
        told = [f"{name}: {said}" for name, said in certificate_rows(certificate) if name in map(clean, kept)]
        rests = Part("Measured", items=tuple(told))
    return [
        Part("Result", f"{clean(certificate.target)}: {certificate_sentence(certificate)} (privcheck {_version()})."),
        *([Part("Found", lines=found)] if found else []),
        rests,
        Part("To repeat it", lines=tuple(repeat_certificate(certificate).command.folded().splitlines())),
        Part("What this shows and what not", items=tuple(coverage(certificate))),
    ]


def as_markdown(parts: Sequence[Part]) -> str:
    r"""Return parts in Markdown.

    >>> print(as_markdown([Part("Event", "a_b", lines=("x",))]))
    **Event.** a\_b
    <BLANKLINE>
    ```text
    x
    ```
    <BLANKLINE>
    """
    blocks = []
    for part in parts:
        blocks.append(f"**{part.heading}.** {escaped(part.text)}".rstrip())
        blocks += ["\n".join(f"- {escaped(item)}" for item in part.items)] if part.items else []
        if part.lines:
            fence = "```" if not any("```" in line for line in part.lines) else "~~~~~~"
            blocks.append("\n".join([f"{fence}text", *part.lines, fence]))
    return "\n\n".join(blocks) + "\n"


def as_latex(parts: Sequence[Part]) -> str:
    r"""Return parts in LaTeX, which needs no package.

    >>> print(as_latex([Part("Event", "a_b", lines=("x",))]))
    \paragraph{Event.} a\_b
    \begin{verbatim}
    x
    \end{verbatim}
    <BLANKLINE>
    """
    blocks = []
    for part in parts:
        blocks.append(rf"\paragraph{{{part.heading}.}} {latex_text(part.text)}".rstrip())
        if part.items:
            items = [rf"  \item {latex_text(item)}" for item in part.items]
            blocks.append("\n".join([r"\begin{itemize}", *items, r"\end{itemize}"]))
        if part.lines:
            lines = [line.replace(r"\end{verbatim}", r"\end {verbatim}") for line in part.lines]  # which would end it
            blocks.append("\n".join([r"\begin{verbatim}", *lines, r"\end{verbatim}"]))
    return "\n".join(blocks) + "\n"


FORMS = {"markdown": as_markdown, "latex": as_latex}
"""The forms of a review."""


def _witness(report: AuditReport, witness: Witness, *, behind: bool = False) -> list[Part]:
    """Return the two inputs and the event, with its probability on each.

    `behind` is for the event that the bound rests on, after a simpler one; inputs that are the same are left out.
    """
    drawn, before, after = tuple(witness_streams(report, witness)), report.simplest, " of the bound" if behind else ""
    same = (
        behind
        and before is not None
        and (witness.streams, drawn)
        == (
            before.streams,
            tuple(witness_streams(report, before)),
        )
    )
    one, two = (
        f"{probability(share.value)} {probability_interval(share)}"
        for share in (witness.probability_first, witness.probability_second)
    )
    mirror = () if witness.mirror is None else (f"{mirrored(report)} {clean(witness.mirror)}",)
    return [
        *([] if same else [Part(f"Two inputs{after}", f"{clean(witness.streams)}.", lines=drawn)]),
        Part(
            f"Event{after}",
            f"{clean('; or '.join(event_parts(witness)))}. Its probability is {one} on the first input and {two} "
            "on the second.",
            mirror,
        ),
    ]


def _run(report: AuditReport) -> str:
    if report.epsilon_lower is None:
        return "The audit ended before it counted any runs."
    searched = (
        f"{report.screened_pairs:,} pairs of inputs of {report.horizon} rounds and {report.arms} arms were compared"
    )
    if report.feedback == "mechanism":
        has_rows = report.witness is not None and is_drawn(report.witness)
        size = f" of {plural(report.horizon, 'row')}" if has_rows else ""
        searched = f"{report.screened_pairs:,} pairs of inputs{size} were compared"
    return (
        f"{searched} in {report.screening_runs:,} runs that were not counted; then {played(report)} were played on the "
        f"pair that was chosen. The confidence of the bound is {percent(report.confidence)}, and the level of the "
        f"verdict {report.error:g}; both cover the search."
    )


def _changed(report: AuditReport) -> str:
    if report.streams is not None and any("on your word" in said for said in report.provided):
        return "what the given ones differ in may change (that these are neighbours is taken on the user's word)"
    if report.feedback == "mechanism" and report.neighbours == "row":
        return "one row may change"
    group, _, size = report.neighbours.partition(":")
    named = RELATIONS[f"{group}:k" if size else group].replace("up to k ", f"up to {size} ")
    return named.partition(", k a ")[0]


def _seen(report: AuditReport) -> str:
    if report.feedback == "mechanism":
        return "the output is observed"
    return "the actions are observed" if report.observe == "actions" else "actions and releases are observed"


def _version() -> str:
    from privcheck import __version__

    return __version__
