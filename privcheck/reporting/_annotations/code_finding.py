"""What an audit or a certificate found, as findings with a rule and a line."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

from privcheck.auditing import file_named, shown_path
from privcheck.errors import on_one_line
from privcheck.private_values import KINDS
from privcheck.reporting._text.audit_sentences import verdict_sentence
from privcheck.reporting._text.certificate_facts import refusals_told
from privcheck.reporting._text.certificate_sentences import divergence_of
from privcheck.reporting._text.fix_sentences import sentence as fix_sentence
from privcheck.reporting._text.numbers import clean
from privcheck.reporting._text.watch_sentences import sentence as watch_sentence
from privcheck.results import FAULT_KINDS, AuditReport, Certificate, Fix, FixPatch, WatchReport

VIOLATION, REFUSED, DIVERGES, ALARM = "violation", "refused-release", "diverging-replay", "alarm"

UNFIT, NO_POWER, BAD_INPUT = "not-certifiable", "no-power", "bad-input"

REFUSALS = ("first", "again", "other")
"""The kinds of refused releases that a look tells apart."""


@dataclass(frozen=True)
class Rule:
    """A kind of finding: what it is, in a few words and in a sentence, and what to do."""

    title: str
    meaning: str
    fix: str


RULES: dict[str, Rule] = {
    VIOLATION: Rule(
        "privacy claim refuted",
        "An observer can tell two neighbouring streams apart better than the claimed epsilon allows.",
        "Read the report of the audit: its witness shows the streams and what the observer sees.",
    ),
    REFUSED: Rule(
        "release refused",
        "A release does not fit into the privacy budget.",
        "Release less often, add more noise, or raise the budget.",
    ),
    DIVERGES: Rule(
        "raw data steer the actions",
        "The same coins and releases on a neighbouring stream give other actions.",
        "Read the report of the certificate, and release what the actions depend on.",
    ),
    ALARM: Rule(
        "evidence of nights against a privacy claim",
        "A version of the code that was watched breaks the claimed epsilon.",
        "Audit the versions since the one that the alarm names.",
    ),
    NO_POWER: Rule(
        "outputs that showed nothing of the data",
        "No event told the streams of the audit apart, so that a claim of any size would have passed.",
        "Check that rewards reach the policy, that --feedback is its kind, and that actions follow them so soon.",
    ),
    BAD_INPUT: Rule(
        "no result",
        "What was asked for could not be done, or the target did not do what it promises.",
        "The message says what was expected and what to do.",
    ),
    UNFIT: Rule(
        "code that cannot be certified",
        "The code fails under the guard, or draws noise that is not counted.",
        "Draw all noise from the Generator that the policy is built with.",
    ),
    **{kind: Rule(about.title, about.meaning, about.fix) for kind, about in FAULT_KINDS.items()},
    **{
        f"leak-{kind}": Rule(
            f"private value read ({kind})",
            f"Code reads private data that have not been released: {what}.",
            "Release the value with noise first; the message says how.",
        )
        for kind, what in KINDS.items()
    },
}
"""The rules by id."""


@dataclass(frozen=True)
class Finding:
    """Something that was found.

    Parameters
    ----------
    rule : one of `RULES`.
    message : what was found, in sentences.
    file, line : where; an empty file where that is not known.
    code : the source line.
    patches : those that repair it, the first one first.
    patched : the file that they change, which need not be the one at fault.
    level : "error", or "warning" for what is no fault.
    """

    rule: str
    message: str
    file: str = ""
    line: int = 0
    code: str = ""
    patches: tuple[FixPatch, ...] = ()
    patched: str = ""
    level: str = "error"


def findings(result: AuditReport | Certificate | WatchReport | Fix | Exception) -> list[Finding]:
    """Return the faults of a violation, what speaks against a certificate, an alarm, what a fix is for, that an audit
    saw nothing of the data, or an error that ended a command; nothing if nothing was found.

    >>> from privcheck.results._example_results import GRANTED, VIOLATION
    >>> [finding.rule for finding in findings(VIOLATION)], findings(GRANTED)
    (['violation'], [])
    """
    if isinstance(result, Exception):
        return [Finding(BAD_INPUT, on_one_line(str(result)))]
    if isinstance(result, WatchReport):
        said = "; ".join([watch_sentence(result), *result.provided])
        return [] if result.alarm is None else [Finding(ALARM, f"{said}.", *_place(result.target))]
    if isinstance(result, Fix):
        return _of_fix(result)
    return _of_audit(result) if isinstance(result, AuditReport) else _of_certificate(result)


def _of_audit(report: AuditReport) -> list[Finding]:
    if report.verdict == "consistent" and not report.lower:
        said = f"{_told(report)}. {RULES[NO_POWER].fix}"
        return [Finding(NO_POWER, said, *_place(report.target), level="warning")]
    if report.verdict != "violation":
        return []
    refuted = f"{_told(report)}."
    if not report.faults:
        return [Finding(VIOLATION, refuted, *_place(report.target))]
    return [
        Finding(
            fault.kind,
            clean(f"{_sentence(fault.said)} Usual fix: {fault.about.fix} ({refuted})"),
            fault.file,
            fault.line,
            fault.code,
        )
        for fault in report.faults
    ]


def _told(report: AuditReport) -> str:
    """Return the verdict and what it takes on the user's word."""
    return f"{clean(report.target)}: {clean('; '.join([verdict_sentence(report), *report.provided]))}"


def _of_certificate(certificate: Certificate) -> list[Finding]:
    found = [
        Finding(
            f"leak-{leak.kind}",
            clean(f"{leak.operation} reads private data. {_sentence(leak.hint)}"),
            shown_path(leak.file),
            leak.line,
            leak.code,
        )
        for leak in certificate.leaks
    ]
    for refusal in refusals_told(certificate):
        at = re.search(r"release at (\S+):(\d+)", refusal)
        file = _file(at[1], certificate) if at else ""
        found.append(Finding(REFUSED, f"{clean(refusal)}.", file, int(at[2]) if at else 0))
    divergence = certificate.replay.first_divergence
    if divergence is not None and not found:
        told = divergence_of(certificate, divergence)
        found.append(Finding(DIVERGES, " ".join(told), *_place(certificate.target)))
    return found


def _of_fix(found: Fix) -> list[Finding]:
    own = found.finding
    if own is None:
        return []
    leaked = f"leak-{own.kind}"
    rule = leaked if leaked in RULES else REFUSED if own.kind in REFUSALS else UNFIT
    at = (shown_path(own.file), own.line, own.code) if own.file else _place(found.target)
    patches = [found.recommended] if found.recommended is not None else []
    told = f"{_sentence(clean(own.sentence))} {_sentence(clean(fix_sentence(found)))}"
    return [Finding(rule, told, *at, tuple(patches), _place(found.target)[0])]


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _file(name: str, certificate: Certificate) -> str:
    """Return the path of the file with this name: that of the target, of a leak, or of a module that is loaded."""
    known = [certificate.target.rpartition(":")[0], *(leak.file for leak in certificate.leaks)]
    return shown_path(next((file for file in known if Path(file).name == name), "") or file_named(name, None))


def _place(target: str) -> tuple[str, int, str]:
    """Return the file and line at which a target "path/to/file.py:name" is defined; no file for other targets."""
    file, _, name = target.rpartition(":")
    if not file.endswith(".py"):
        return "", 0, ""
    try:
        source = Path(file).read_text("utf-8")
        nodes = ast.parse(source).body
    except (OSError, ValueError, SyntaxError):
        return shown_path(file), 1, ""
    line = next((node.lineno for node in nodes if getattr(node, "name", None) == name), 1)
    return shown_path(file), line, source.splitlines()[line - 1].strip() if source else ""
