"""`privcheck.audit`: search for two neighbouring reward streams that a policy tells apart better than it claims."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from privcheck.auditing import budget
from privcheck.auditing.confirm import folds, gather
from privcheck.auditing.judging import ended_early, judge
from privcheck.auditing.report import AuditReport
from privcheck.auditing.runners import Runner
from privcheck.auditing.sampling import Request, Sampler, TimeUp
from privcheck.auditing.search import Screening, screen, screening_cost
from privcheck.auditing.settings import Settings
from privcheck.auditing.streams import StreamPair, structured_pairs
from privcheck.auditing.targets import number_of_arms, resolve
from privcheck.auditing.user_streams import read_streams
from privcheck.errors import PolicyError, PrivcheckError, words
from privcheck.progress import progress

if TYPE_CHECKING:
    from privcheck.certifying.certificate import Certificate


def audit(
    target: Any,
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    arms: int | None = None,
    horizon: int | None = None,
    rewards: tuple[float, float] = (0.0, 1.0),
    feedback: str = "bandit",
    runs: int | None = None,
    time_budget: float | None = None,
    confidence: float = 0.95,
    error: float = 1e-3,
    observe: str = "actions",
    neighbours: str = "row",
    streams: Any = None,
    seed: int = 0,
    jobs: int = 1,
) -> AuditReport:
    """Audit a policy: a lower bound of its epsilon, a verdict on its claim, and the streams and the event that show it.

    Candidate pairs of neighbouring streams are screened on a share of the runs; the most promising pair is played
    afresh, and scores of the action sequences are learned on a first fold of these runs, events chosen on a second,
    and counted on a third.

    Parameters
    ----------
    target : a shipped id such as "adap-ucb", a spec instance, a factory `f(rng)` (a class will do; it is also given
        those of arms, epsilon, delta, horizon that its signature names), "path/to/file.py:name" or
        "package.module:name".
    epsilon : the claim, > 0; None to measure without a claim.
    delta : of the claim, in [0, 1).
    arms : K; needed for a policy of your own.
    horizon : T, rounds per run; 16 by default, or the length of `streams`.
    rewards : declared (lowest, highest) reward.
    feedback : "bandit" (`update(action, reward)`) or "full" (`update(action, reward_vector)`).
    runs : runs on each stream of the final pair, for learning, choosing and counting together. By default 200,000 for
        shipped algorithms; for others a pilot turns `time_budget` into a number of runs before any counted run.
    time_budget : seconds; 60 by default for policies in Python whose runs are not given. If time ends first, there is
        no bound.
    confidence : of `epsilon_lower`.
    error : level of the verdict: a true claim is called violated with at most this probability.
    observe : "actions".
    neighbours : "row" (one round's rewards replaced), "reward" (one entry), "group:k" (k rounds).
    streams : a pair of streams of your own, or a .npy or .csv file with one, instead of the search.
    seed : root of all randomness; the same seed and runs give the same report whatever `jobs`.
    jobs : workers.

    Returns
    -------
    AuditReport

    Raises
    ------
    PrivcheckError : bad input; PolicyError (a subclass) when the policy breaks its contract.

    Guarantee
    ---------
    `epsilon_lower` is below the true epsilon with probability at least `confidence`, and a "violation" of a true claim
    has probability at most `error`, over the whole search. This needs runs to be independent given the streams, as they
    are when all randomness of the policy comes from its Generator and it keeps nothing between runs (a replay of seeds
    checks it).

    Examples
    --------
    >>> report = audit("rnm-ftnl-published", epsilon=1.0, arms=4, horizon=4, runs=20_000)
    >>> report.verdict
    'violation'
    """
    started = time.monotonic()
    settings = Settings(
        epsilon=epsilon,
        delta=delta,
        arms=arms,
        horizon=horizon,
        rewards=rewards,
        feedback=feedback,
        runs=runs,
        time_budget=time_budget,
        confidence=confidence,
        error=error,
        observe=observe,
        neighbours=neighbours,
        seed=seed,
        jobs=jobs,
    )
    pairs = _pairs(settings, number_of_arms(target, settings.arms), streams)
    policy = resolve(target, settings, *pairs[0].first.shape)
    _check_reproducible(policy.runner, pairs[0], settings.seed)
    runs, deadline = _plan(settings, policy.runner, pairs, started)
    sampler = Sampler(policy.runner, settings.seed, settings.jobs, deadline)
    outcome = _search_and_confirm(sampler, pairs, runs, settings, policy.name)
    return AuditReport(
        target=policy.name,
        epsilon_claimed=settings.epsilon,
        delta=settings.delta,
        exact_loss=None,
        certificate=_certificate(target, settings, pairs[0], policy.feedback) if outcome["witness"] else None,
        runs=runs,
        seconds=time.monotonic() - started,
        engine=policy.runner.engine,
        neighbours=settings.neighbours,
        rewards=settings.rewards,
        observe=settings.observe,
        feedback=policy.feedback,
        horizon=pairs[0].first.shape[0],
        arms=pairs[0].first.shape[1],
        seed=settings.seed,
        confidence=settings.confidence,
        error=settings.error,
        **outcome,
    )


def _certificate(target: Any, settings: Settings, pair: StreamPair, feedback: str) -> Certificate | None:
    """Return the upper half of the answer, where the policy releases through privcheck's mechanisms."""
    from privcheck.certifying.certify import certify

    if settings.epsilon is None or settings.delta > 0.0:
        return None
    horizon, arms = pair.first.shape
    try:
        certificate = certify(
            target,
            epsilon=settings.epsilon,
            arms=arms,
            horizon=horizon,
            rewards=settings.rewards,
            feedback=feedback,
            neighbours=settings.neighbours,
            runs=max(3, min(20, 2000 // horizon)),
            seed=settings.seed,
        )
    except PrivcheckError:
        return None  # a policy that cannot take wrapped rewards can be audited all the same
    return certificate if certificate.ledger.releases or certificate.refusals else None


def _pairs(settings: Settings, arms: int, streams: Any) -> list[StreamPair]:
    """Return the candidate pairs of streams: the user's one, or the structured family."""
    if streams is not None:
        pairs = [
            read_streams(
                streams, arms=arms, rewards=settings.rewards, relation=settings.relation, horizon=settings.horizon
            )
        ]
        horizon = len(pairs[0].first)
    else:
        horizon = settings.horizon or max(budget.DEFAULT_HORIZON, 2 * arms)
    if horizon < arms:
        hint = "every arm has to be played at least once: raise the horizon"
        raise PrivcheckError("horizon", horizon, f"at least the number of arms, {arms}", hint)
    return pairs if streams is not None else structured_pairs(horizon, arms, settings.rewards, settings.neighbours)


def _plan(settings: Settings, runner: Runner, pairs: list[StreamPair], started: float) -> tuple[int, float]:
    """Return the number of runs, fixed before any counted run, and the time at which to give up."""
    time_budget = settings.time_budget
    if settings.runs is None and time_budget is None and runner.engine != "kernel":
        time_budget = budget.PYTHON_TIME_BUDGET
    if time_budget is None:
        return settings.runs or budget.KERNEL_RUNS, math.inf
    runs = settings.runs
    if runs is None:
        cost = budget.seconds_per_run(runner, pairs[0].first, settings.seed)
        left = max(0.0, time_budget - (time.monotonic() - started))
        runs = budget.runs_within(left, cost, settings.jobs, runner.engine, len(pairs))
    return runs, started + time_budget


def _search_and_confirm(
    sampler: Sampler, pairs: list[StreamPair], runs: int, settings: Settings, name: str
) -> dict[str, Any]:
    """Screen the pairs, play the winner afresh, and return what the report says of it."""
    screening = Screening(1, 0)
    counting = folds(runs)[2]
    spend = budget.screening_budget(runs, sampler.runner.engine)
    try:
        with progress(f"auditing {name}", 2 * runs + screening_cost(len(pairs), spend)) as advance:
            pair, screening = screen(sampler, pairs, spend, counting.stop - counting.start, settings.level, advance)
            first, second = sampler.play(
                [Request(pair.first, runs, (2, 0)), Request(pair.second, runs, (2, 1))], advance
            )
            evidence = gather(pair, first, second, settings.level, settings.delta)
    except (TimeUp, KeyboardInterrupt) as ended:
        return ended_early(screening, isinstance(ended, TimeUp), settings)
    return judge(pair, screening, evidence, first[counting], second[counting], settings)


def _check_reproducible(runner: Runner, pair: StreamPair, seed: int) -> None:
    """Play the same seeds twice: a policy with randomness of its own, or with memory between runs, differs."""
    for table in (pair.first, pair.second):
        once, twice = (runner.play(table, 100, np.random.SeedSequence(seed, spawn_key=(0, 2))) for _ in range(2))
        if not np.array_equal(once, twice):
            place = int(np.flatnonzero((once != twice).any(axis=0))[0]) + 1
            raise PolicyError(
                "target",
                words(f"different actions in round {place} from the same Generator state and the same rewards"),
                "a policy whose randomness all comes from the Generator that its factory is given",
                "look for numpy.random or random functions, or state kept between runs",
            )
