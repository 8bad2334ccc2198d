"""`assert_private`: an audit that fails a test when it refutes the claim."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from privcheck.auditing import audit
from privcheck.errors import PrivcheckError
from privcheck.reporting import evidence, python_call, sentence
from privcheck.results import AuditReport
from privcheck.testing._assertion import (
    ERROR,
    asked,
    assertion,
    by_chance,
    called,
    failed,
    failure,
    known,
    nothing,
    passed,
)
from privcheck.testing._kept_page import keep_page
from privcheck.testing._project import arms_of, setting
from privcheck.testing._watched_assertion import add_night

OTHER_CLAIMS = ("rho", "mu", "tradeoff")
"""Claims in place of epsilon."""


@assertion
def assert_private(
    target: Any,
    epsilon: float | None = None,
    *,
    arms: int | None = None,
    horizon: int | None = None,
    runs: int | None = None,
    error: float | None = None,
    seed: int | None = None,
    **options: Any,
) -> AuditReport:
    """Fail when an audit refutes the claim that a target is epsilon-DP, or is too small to refute it.

    Parameters
    ----------
    target, epsilon, arms, horizon : as for `privcheck.audit`; without `epsilon`, that of the project's settings. These
        also replace a missing `horizon`, and missing `arms` of a policy that does not know them.
    runs : runs per stream of the final pair, at least 20; by default the value of `--privcheck-budget`, that of the
        project's settings, or 5,000.
    error : a true claim fails this test with at most this probability, in (0, 0.5]; by default that of the project's
        settings, or 1e-6.
    seed : by default that of `--privcheck-seed`, or 0.
    **options : other options of `privcheck.audit`, such as the delta of the claim.

    With `--privcheck-watch FILE` a passing test also adds a night of evidence to that store (`privcheck.watch`), under
    the name of the test, and fails if an alarm stands there; a true claim ever raises one with probability at most
    `error`.

    Returns
    -------
    AuditReport : the report of an audit that did not refute the claim; `resolution` says what it could have shown.

    Raises
    ------
    PrivacyFailure : the claim is refuted, or the runs are too few to refute it for any target. With an output folder in
        the project's settings, pytest keeps the page of the audit there.
    PrivcheckError : bad input, or a policy that breaks its contract.

    Source: the verdict of `privcheck.audit`, which covers its whole search.

    Examples
    --------
    >>> report = assert_private("adap-ucb", 1.0, arms=2, horizon=8)
    >>> report.verdict
    'consistent'
    """
    nothing(target)
    known(options, audit)
    how = asked(seed, runs)
    level = setting("error", error, ERROR)
    other = any(options.get(name) is not None for name in OTHER_CLAIMS)
    claim = epsilon if other else setting("epsilon", epsilon)
    if claim is None and not other:
        raise PrivcheckError("epsilon", None, "the claim", "give epsilon=1.0, or epsilon in [tool.privcheck]")
    arms = arms_of(target, arms)
    horizon = horizon if options.get("neighbours") == "report" else setting("horizon", horizon)  # a report is one row
    report = audit(
        target, epsilon=claim, arms=arms, horizon=horizon, runs=how.runs, error=level, seed=how.seed, **options
    )
    call = python_call(report)
    report = replace(report, target=called(report.target))
    told = "; ".join([f"{report.target}: {sentence(report)}", *report.provided])
    if report.verdict == "violation":
        found = [*evidence(report), *_after_empty(keep_page(report))]
        raise failure(told, found, by_chance(level, "a true claim"), how, call)
    if report.verdict != "consistent" and not _almost(report):
        raise failed("\n".join([told, _lacking(report), *keep_page(report)]))
    blind = not report.epsilon_lower
    hint = "the audit could not tell any two streams apart: is the horizon long enough for the data to matter?"
    passed(f"{told}; {hint}" if blind else told)
    add_night(target, how.runs, epsilon=claim, arms=arms, horizon=horizon, error=level, **options)
    return report


def _after_empty(lines: list[str]) -> list[str]:
    return ["", *lines] if lines else []


def _almost(report: AuditReport) -> bool:
    """Return whether all that "consistent" lacks is a lower bound at most the claim.

    A test fails a true claim with probability at most `error`; the lower bound exceeds it with more.
    """
    resolution, search = report.resolution, report.search
    if report.suspicion is not None:
        return False
    claim, lower = report.epsilon_claimed or 0.0, report.epsilon_lower or 0.0
    return lower > claim and resolution is not None and resolution.epsilon >= claim and bool(search and search.complete)


def _lacking(report: AuditReport) -> str:
    if report.suspicion is not None and report.suspicion.kind == "step":
        return f"No run refutes the claim, and a step of the target speaks against it: {report.suspicion.sentence}."
    enough = report.resolution is not None and report.resolution.epsilon >= (report.epsilon_claimed or 0.0)
    if enough and (reasons := [note for note in report.notes if note not in report.provided]):
        return f"An inconclusive audit is no passing test: {'; '.join(reasons)}."
    return f"This test could not have failed. {_more(report)}"


def _more(report: AuditReport) -> str:
    ratio = math.exp(min(report.epsilon_claimed or 0.0, 20.0))
    needed = max(2.0 * report.runs, 10.0 * math.log(1.0 / report.error) * (1.0 + ratio))
    digits = 10 ** int(math.log10(needed))
    return f"Give it more runs: runs={math.ceil(needed / digits) * digits:,} or --privcheck-budget.".replace(",", "_")
