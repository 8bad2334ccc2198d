"""The command that comes after an audit, where one does."""

from __future__ import annotations

import shlex

from privcheck.reporting._text.audit_sentences import certificate_is_refused
from privcheck.reporting._text.fix_sentences import fix_of, number_in_command
from privcheck.reporting._text.numbers import clean
from privcheck.results import AuditReport

PATCH, LINE = "look for a patch", "a certificate names the line at which data leak"
PROOF = "a certificate proves what an audit cannot"
NAMES = "the certificate was refused, and names the line"
INPUTS = "see which inputs of its noise the data move"
ALONE = "so few runs of slow code say little: play the call that adds the noise alone"

SLOW_RUN = 5e-3
"""Seconds that a run of slow code takes on average: then `privcheck steps` sees more than whole runs do."""


def next_step(report: AuditReport) -> tuple[str, str]:
    """Return what to do after an audit of code in a file, in words, and the command; two empty texts for others.

    >>> from dataclasses import replace
    >>> from privcheck.results._example_results import VIOLATION
    >>> next_step(VIOLATION)
    ('', '')
    >>> own = replace(VIOLATION, target="mine.py:Mine", arms=2, feedback="bandit")
    >>> next_step(own)
    ('look for a patch', 'privcheck fix mine.py:Mine --epsilon 1 --arms 2')
    >>> next_step(replace(own, verdict="consistent"))[1]
    'privcheck certify mine.py:Mine --epsilon 1 --arms 2'
    """
    file, _, name = report.target.rpartition(":")
    told = ("epsilon", report.epsilon_claimed), ("delta", report.delta), ("rho", report.rho), ("mu", report.mu)
    budget = [f"--{option} {number_in_command(amount)}" for option, amount in told if amount]
    plain = not report.guarded and report.contexts is None
    if not (plain and budget and file.endswith(".py") and name.isidentifier()):
        return "", ""
    place = shlex.quote(clean(report.target))
    others = [f"--neighbours {report.neighbours}"] * (report.neighbours != "row")
    if report.rewards != (0.0, 1.0):
        others.append("--rewards {},{}".format(*map(number_in_command, report.rewards)))
    given = others + [f"--arms {report.arms}"] * (report.arms > 0)
    if is_slow(report) and (report.streams is None or isinstance(report.streams, str)):
        given += [] if report.feedback in ("mechanism", "bandit") else [f"--feedback {report.feedback}"]
        given += [] if report.streams is None else [f"--streams {shlex.quote(clean(report.streams))}"]
        return ALONE, " ".join(["privcheck steps", place, *budget, *given])
    if report.verdict not in ("violation", "consistent"):
        return "", ""
    if report.feedback == "mechanism":
        objects = report.witness is not None and not len(report.witness.first)  # which no array replaces
        if objects or report.neighbours == "report":  # record and replay compares data that share rows
            return "", ""
        rows = [f"--horizon {report.horizon}"]  # noise is often made for so many rows
        return INPUTS, " ".join(["privcheck certify", place, *budget, "--primitives numpy", *given, *rows])
    if report.verdict == "violation" and report.epsilon_claimed is not None and not report.delta:
        game = report.feedback, report.neighbours, report.rewards
        if patch := fix_of(report.target, report.epsilon_claimed, report.arms, *game):
            return PATCH, patch
    others += [f"--feedback {report.feedback}"] * (report.feedback != "bandit")
    asked = [place, *budget, f"--arms {report.arms}", *others]
    if report.verdict == "violation":
        what = LINE
    elif certificate_is_refused(report):
        what, asked = NAMES, [*asked, f"--horizon {report.certificate.horizon}"]
    else:
        what = PROOF
    return what, " ".join(["privcheck certify", *asked])


def is_slow(report: AuditReport) -> bool:
    """Tell whether an audit of Python code in this process ended undecided because a run takes long."""
    played = 2 * report.runs + report.screening_runs
    undecided = report.verdict == "inconclusive" and report.suspicion is None and report.epsilon_claimed is not None
    return undecided and report.engine == "python" and report.seconds > SLOW_RUN * max(1, played)
