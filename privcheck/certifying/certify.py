"""`privcheck.certify`: an upper bound on epsilon from the releases that a policy makes, and where it leaks."""

from __future__ import annotations

from typing import Any

import numpy as np

from privcheck.arrays import Table
from privcheck.certifying.execution import drive_guarded
from privcheck.certifying.explored_streams import REPLAYED, changed_tables, random_table, replayed_seeds
from privcheck.certifying.replay import Build, replay
from privcheck.certifying.session import Session
from privcheck.errors import PrivcheckError
from privcheck.feedback import FEEDBACKS
from privcheck.privacy import Contexts
from privcheck.progress import progress
from privcheck.results.certificate import Certificate
from privcheck.results.replay_result import ReplayResult
from privcheck.targets.settings import DEFAULT_HORIZON, EXECUTIONS, CertifySettings, Settings
from privcheck.targets.target import Target, load_policy


def certify(
    target: Any,
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    arms: int | None = None,
    horizon: int | None = None,
    rewards: tuple[float, float] = (0.0, 1.0),
    feedback: str = "bandit",
    neighbours: str = "row",
    contexts: Contexts | None = None,
    runs: int = EXECUTIONS,
    seed: int = 0,
) -> Certificate:
    """Certify that a policy which releases through privcheck's mechanisms stays within its budget on every execution.

    The policy runs under a guard: its rewards arrive wrapped, the sensitivity of everything it releases is computed, a
    ledger charges every datum, and a filter refuses any release that would exceed the budget. Its transcripts are then
    replayed on neighbouring streams with ordinary rewards.

    Parameters
    ----------
    target : as for `privcheck.audit`; the reference of a shipped algorithm is certified, not its kernel.
    epsilon : the budget of the filter; without one the ledger only records, and nothing is certified.
    delta : must be 0, because the ledger adds up pure epsilon-DP losses.
    arms, horizon, rewards, neighbours : as for `privcheck.audit`.
    feedback : "bandit", "full" or "contextual": `select(context)`, `update(context, action, reward)`.
    contexts : what contexts look like; required by "contextual" feedback, which also needs
        neighbours="context-reward".
    runs : number of guarded executions, each on its own stream, that look for leaks and refusals.
    seed : seed of the streams, the coins and the noise.

    Returns
    -------
    Certificate

    Guarantee
    ---------
    When `granted`, the policy run under `privcheck.guard` with this budget is epsilon-DP on every execution: each
    release stays within the budget or is refused. Under contextual feedback it is jointly epsilon-DP: the bound is on
    what the actions of all other rounds reveal about a round's context and rewards. The certificate covers the code
    that ran, provided that it is honest (it may be mistaken); timing, memory and floating-point artefacts are outside
    its scope.

    Examples
    --------
    >>> certificate = certify("adap-ucb", epsilon=1.0, arms=2, horizon=16)
    >>> certificate.coverage, certificate.epsilon_upper
    ('all-executions', 1.0)
    """
    options = dict(locals())
    del options["target"]
    settings = CertifySettings(**options)
    _check(settings)
    loaded = load_policy(target)
    count = loaded.arms(settings.arms)
    length = settings.horizon or max(DEFAULT_HORIZON, 2 * count)
    return certified(loaded.target(settings, length, count), settings, length, settings.runs)


def certified(policy: Target, settings: Settings, length: int, runs: int) -> Certificate:
    """Return the certificate that guarded runs and replayed transcripts of a policy give.

    Parameters
    ----------
    policy : the policy to run under the guard.
    settings : epsilon is the budget; its arms, horizon and runs are ignored.
    length : T, the rounds of one execution.
    runs : number of guarded executions.

    Raises
    ------
    PrivcheckError : a policy that cannot be certified.
    """
    count, build = policy.arms, policy.build
    if length < count:
        raise PrivcheckError("horizon", length, f"at least the number of arms, {count}", "raise the horizon")
    of_both = {policy.feedback, settings.feedback}
    if len(of_both) > 1 and of_both.intersection(FEEDBACKS.contextual):
        raise PrivcheckError("feedback", settings.feedback, f"{policy.feedback!r}, which {policy.name} takes")
    rng = np.random.default_rng([settings.seed, 0])
    tables = [random_table(rng, length, count, settings, number) for number in range(runs)]
    sessions = []
    with progress(f"certifying {policy.name}", 2 * runs) as advance:
        for number, table in enumerate(tables):
            noise, coins = (np.random.default_rng([settings.seed, number, purpose]) for purpose in (1, 2))
            session = Session(settings.relation, settings.rewards, settings.epsilon, noise, settings.contexts)
            drive_guarded(build(coins), table, session, policy.feedback)
            sessions.append(session)
            advance(1)
        pairs = [pair for table in tables[:REPLAYED] for pair in changed_tables(rng, table, count, settings)]
        seeds = list(range(settings.seed, settings.seed + replayed_seeds(len(pairs) * length)))
        refused = any(session.refusals for session in sessions)
        replayed, notes = _replayed(build, pairs, seeds, policy.feedback, settings.contexts, refused)
        advance(runs)
    worst = max(sessions, key=lambda session: session.ledger.epsilon)
    leaks = list({(k.file, k.line, k.operation): k for s in reversed(sessions) for k in reversed(s.leaks)}.values())[
        ::-1
    ]
    refusals = list(dict.fromkeys(str(refusal) for session in sessions for refusal in session.refusals))
    notes += dict.fromkeys(note for session in sessions for note in session.notes)
    released = any(session.ledger.releases for session in sessions)
    if not (released or refusals):
        notes.append(
            "nothing was released through a privcheck mechanism: noise drawn with numpy cannot be counted, so draw it "
            "with privcheck.mechanisms, e.g. Laplace(sensitivity=1.0, epsilon=1.0).release(value, rng)"
        )
    granted = not (leaks or refusals or notes or replayed.divergences) and settings.epsilon is not None
    return Certificate(
        target=policy.name,
        granted=granted,
        coverage="all-executions" if granted else "explored",
        epsilon_claimed=settings.epsilon,
        delta=0.0,
        epsilon_upper=settings.epsilon if granted else None,
        ledger_epsilon=worst.ledger.epsilon,
        replay=replayed,
        ledger=worst.ledger,
        leaks=leaks,
        refusals=refusals,
        executions=runs,
        neighbours=settings.neighbours,
        rewards=settings.rewards,
        observe="actions",
        feedback=policy.feedback,
        horizon=length,
        arms=count,
        seed=settings.seed,
        contexts=settings.contexts,
        notes=notes,
    )


def _check(settings: Settings) -> None:
    if settings.delta > 0.0:
        raise PrivcheckError("delta", settings.delta, "0", "the ledger adds up pure epsilon-DP losses only")
    if settings.feedback not in FEEDBACKS.guarded:
        expected = f"one of {', '.join(map(repr, FEEDBACKS.guarded))}"
        raise PrivcheckError("feedback", settings.feedback, expected, "other kinds cannot be certified yet")


def _replayed(
    build: Build,
    pairs: list[tuple[Table, Table]],
    seeds: list[int],
    feedback: str,
    contexts: Contexts | None,
    refused: bool,
) -> tuple[ReplayResult, list[str]]:
    """Return what replay finds; when a release was refused, a policy may also fail without the guard."""
    try:
        return replay(build, pairs, seeds, feedback, contexts), []
    except PrivcheckError as error:
        if not refused:
            raise
        return ReplayResult(0, 0, 0.0, None), [f"no transcript was replayed, because a plain run fails: {error}"]
