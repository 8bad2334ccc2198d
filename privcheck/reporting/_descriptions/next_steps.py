"""The command that comes after an audit, where one does."""

from __future__ import annotations

import shlex

from privcheck.reporting._text.fix_sentences import fix_of, number_in_command
from privcheck.reporting._text.numbers import clean
from privcheck.results import AuditReport

PATCH, LINE = "look for a patch", "a certificate names the line at which data leak"
PROOF = "a certificate proves what an audit cannot"
INPUTS = "see which inputs of its noise the data move"


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
    judged = report.verdict in ("violation", "consistent") and not report.guarded and report.contexts is None
    if not (judged and budget and file.endswith(".py") and name.isidentifier()):
        return "", ""
    place = shlex.quote(clean(report.target))
    others = [f"--neighbours {report.neighbours}"] * (report.neighbours != "row")
    if report.feedback == "mechanism":
        return INPUTS, " ".join(["privcheck certify", place, *budget, "--primitives numpy", *others])
    if report.verdict == "violation" and report.epsilon_claimed is not None and not report.delta:
        game = report.feedback, report.neighbours, report.rewards
        if patch := fix_of(report.target, report.epsilon_claimed, report.arms, *game):
            return PATCH, patch
    asked = [place, *budget, f"--arms {report.arms}"]
    if report.rewards != (0.0, 1.0):
        asked.append("--rewards {},{}".format(*map(number_in_command, report.rewards)))
    others += [f"--feedback {report.feedback}"] * (report.feedback != "bandit")
    return LINE if report.verdict == "violation" else PROOF, " ".join(["privcheck certify", *asked, *others])
