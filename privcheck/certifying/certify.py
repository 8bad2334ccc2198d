"""`privcheck.certify`: an upper bound of epsilon from the releases that a policy makes, and where it leaks."""

from __future__ import annotations

from typing import Any

import numpy as np

from bounds.domains import Integer, check
from privcheck.auditing.budget import DEFAULT_HORIZON
from privcheck.auditing.runners import KernelRunner, PolicyRunner
from privcheck.auditing.settings import Settings
from privcheck.auditing.targets import number_of_arms, resolve
from privcheck.certifying.certificate import Certificate
from privcheck.certifying.driving import Table, drive_guarded
from privcheck.certifying.replay import Build, replay
from privcheck.certifying.session import Session
from privcheck.errors import PrivcheckError
from privcheck.progress import progress

EXECUTIONS = 20


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
    runs: int = EXECUTIONS,
    seed: int = 0,
) -> Certificate:
    """Certify a policy that releases through privcheck's mechanisms: at most this leaky, on every execution.

    The policy is run guarded: its rewards arrive wrapped, the sensitivity of whatever it releases is computed, a
    ledger charges every datum, and a filter refuses what does not fit into the budget. Then its transcripts are
    replayed on neighbouring streams with ordinary rewards.

    Parameters
    ----------
    target : as for `privcheck.audit`; the reference of a shipped algorithm is certified, not its kernel.
    epsilon : the budget of the filter; without it the ledger only records, and nothing is certified.
    delta : 0; the ledger adds up pure epsilon-DP.
    arms, horizon, rewards, feedback, neighbours : as for `privcheck.audit`.
    runs : guarded executions, each on a stream of its own, to look for leaks and refusals.
    seed : of streams, coins and noise.

    Returns
    -------
    Certificate

    Guarantee
    ---------
    When `granted`, the policy run under `privcheck.guard` with this budget is epsilon-DP on every execution: it
    releases within the budget or it refuses. The certificate covers the code that ran, for honest but mistaken code;
    timing, memory and floating-point artefacts are outside of it.

    Examples
    --------
    >>> certificate = certify("adap-ucb", epsilon=1.0, arms=2, horizon=16)
    >>> certificate.coverage, certificate.epsilon_upper
    ('all-executions', 1.0)
    """
    settings = Settings(
        epsilon=epsilon,
        delta=delta,
        arms=arms,
        horizon=horizon,
        rewards=rewards,
        feedback=feedback,
        neighbours=neighbours,
        runs=max(check("runs", runs, Integer(1), "20 guarded runs are usual"), 20),
        seed=seed,
    )
    if settings.delta > 0.0:
        raise PrivcheckError("delta", delta, "0", "the ledger adds up pure epsilon-DP losses only")
    count = number_of_arms(target, settings.arms)
    length = settings.horizon or max(DEFAULT_HORIZON, 2 * count)
    if length < count:
        raise PrivcheckError("horizon", length, f"at least the number of arms, {count}", "raise the horizon")
    policy = resolve(target, settings, length, count)
    build = _builder(policy.runner)
    rng = np.random.default_rng([settings.seed, 0])
    tables = [_table(rng, length, count, settings.rewards, number) for number in range(runs)]
    sessions = []
    with progress(f"certifying {policy.name}", 2 * runs) as advance:
        for number, table in enumerate(tables):
            noise, coins = (np.random.default_rng([settings.seed, number, purpose]) for purpose in (1, 2))
            session = Session(settings.relation, settings.rewards, settings.epsilon, noise)
            drive_guarded(build(coins), table, session, policy.feedback)
            sessions.append(session)
            advance(1)
        pairs = [pair for table in tables[:REPLAYED] for pair in _neighbours(rng, table, settings)]
        replayed = replay(build, pairs, [settings.seed], policy.feedback)
        advance(runs)
    worst = max(sessions, key=lambda session: session.ledger.epsilon)
    leaks = list({(k.file, k.line, k.operation): k for s in reversed(sessions) for k in reversed(s.leaks)}.values())[
        ::-1
    ]
    refusals = list(dict.fromkeys(str(refusal) for session in sessions for refusal in session.refusals))
    released = any(session.ledger.releases for session in sessions)
    clean = released and not leaks and not refusals and replayed.divergences == 0
    granted = clean and settings.epsilon is not None
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
        observe=settings.observe,
        feedback=policy.feedback,
        horizon=length,
        arms=count,
        seed=settings.seed,
        notes=[] if released or refusals else ["nothing was released through a mechanism of privcheck"],
    )


REPLAYED = 4
"""Streams on whose neighbours transcripts are replayed."""

REPLAYED_ROUNDS = 100
"""Rounds of such a stream that are changed, one at a time: all of a stream that is not longer."""


def _builder(runner: Any) -> Build:
    if isinstance(runner, KernelRunner):
        return runner.algorithm.build
    assert isinstance(runner, PolicyRunner)
    return runner.build


def _table(rng: np.random.Generator, horizon: int, arms: int, rewards: tuple[float, float], number: int) -> Table:
    """Return a stream: rewards at the ends of the range for two in three, inside it for the others."""
    low, high = rewards
    if number % 3 < 2:
        return np.where(rng.random((horizon, arms)) < rng.random(arms), high, low)
    return rng.uniform(low, high, (horizon, arms))


def _neighbours(rng: np.random.Generator, table: Table, settings: Settings) -> list[tuple[Table, Table]]:
    """Return a neighbour for every round of a table (evenly spread rounds of a long one), moved to the other end."""
    pairs = []
    low, high = settings.rewards
    for place in np.unique(np.linspace(0, len(table) - 1, min(len(table), REPLAYED_ROUNDS)).astype(int)):
        changed = table.copy()
        if settings.relation.unit == "reward":
            arm = int(rng.integers(table.shape[1]))
            changed[place, arm] = low if table[place, arm] > (low + high) / 2 else high
        else:
            stop = min(place + settings.relation.limit, len(table))
            changed[place:stop] = low + high - np.where(table[place:stop] > (low + high) / 2, high, low)
        pairs.append((table, changed))
    return pairs
