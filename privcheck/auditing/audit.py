"""`privcheck.audit`: search for two neighbouring reward streams that a policy tells apart better than it claims."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from bounds.domains import POSITIVE, Integer, Real, check
from privcheck.auditing import budget
from privcheck.auditing.confirm import Evidence, folds, gather
from privcheck.auditing.limits import log_ratio_interval
from privcheck.auditing.report import AuditReport, Estimate, Resolution
from privcheck.auditing.runners import Actions, Runner
from privcheck.auditing.sampling import Request, Sampler, TimeUp
from privcheck.auditing.search import Screening, screen
from privcheck.auditing.streams import StreamPair, structured_pairs
from privcheck.auditing.targets import resolve
from privcheck.auditing.user_streams import read_streams
from privcheck.auditing.witness import describe
from privcheck.errors import PolicyError, PrivcheckError, words
from privcheck.privacy import check_rewards, relation
from privcheck.progress import progress

PROBABILITY = Real(0.0, 1.0, low_open=True, high_open=True)


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
    settings = _Settings(
        None if epsilon is None else check("epsilon", epsilon, POSITIVE, "a privacy budget is positive, e.g. 1.0"),
        check("delta", delta, Real(0.0, 1.0, high_open=True), "pure epsilon-DP is delta=0"),
        check("confidence", confidence, PROBABILITY, "0.95 is usual"),
        check("error", error, PROBABILITY, "1e-3 is usual"),
        check("seed", seed, Integer(0)),
        check("jobs", jobs, Integer(1)),
    )
    if observe != "actions":
        raise PrivcheckError("observe", observe, "'actions'", "released statistics cannot be observed yet")
    rewards = check_rewards(rewards)
    related = relation(neighbours)
    if arms is not None:
        arms = check("arms", arms, Integer(2, 127), "a bandit needs two arms or more")
    if horizon is not None:
        horizon = check("horizon", horizon, Integer(1), "rounds per run")
    if runs is not None:
        runs = check("runs", runs, Integer(20), "a few runs show nothing; tens of thousands are usual")
    if time_budget is not None:
        time_budget = check("time_budget", time_budget, POSITIVE, "seconds")

    resolved = resolve(
        target,
        epsilon=settings.epsilon,
        delta=settings.delta,
        arms=arms,
        horizon=horizon or budget.DEFAULT_HORIZON,
        feedback=feedback,
        rewards=rewards,
    )
    if streams is not None:
        pairs = [read_streams(streams, arms=resolved.arms, rewards=rewards, relation=related, horizon=horizon)]
        horizon = len(pairs[0].first)
    else:
        horizon = horizon or max(budget.DEFAULT_HORIZON, 2 * resolved.arms)
    if horizon < resolved.arms:
        hint = "every arm has to be played at least once: raise the horizon"
        raise PrivcheckError("horizon", horizon, f"at least the number of arms, {resolved.arms}", hint)
    if streams is None:
        pairs = structured_pairs(horizon, resolved.arms, rewards, neighbours)

    runner = resolved.runner
    _check_reproducible(runner, pairs[0], settings.seed)
    if runs is None and time_budget is None and runner.engine == "kernel":
        runs = budget.KERNEL_RUNS
    if runs is None:
        time_budget = time_budget or budget.PYTHON_TIME_BUDGET
        cost = budget.seconds_per_run(runner, pairs[0].first, settings.seed)
        left = max(0.0, time_budget - (time.monotonic() - started))
        runs = budget.runs_within(left, cost, settings.jobs, runner.engine)
    deadline = started + time_budget if time_budget else math.inf
    sampler = Sampler(runner, settings.seed, settings.jobs, deadline)
    outcome = _search_and_confirm(sampler, pairs, runs, settings, resolved.name)
    return AuditReport(
        target=resolved.name,
        epsilon_claimed=settings.epsilon,
        delta=settings.delta,
        exact_loss=None,
        certificate=None,
        runs=runs,
        seconds=time.monotonic() - started,
        engine=runner.engine,
        neighbours=related.name,
        rewards=rewards,
        observe=observe,
        feedback=resolved.feedback,
        horizon=horizon,
        arms=resolved.arms,
        seed=settings.seed,
        confidence=settings.confidence,
        error=settings.error,
        **outcome,
    )


@dataclass(frozen=True)
class _Settings:
    """The claim, the levels at which it is judged, the seed and the workers."""

    epsilon: float | None
    delta: float
    confidence: float
    error: float
    seed: int
    jobs: int


def _search_and_confirm(
    sampler: Sampler, pairs: list[StreamPair], runs: int, settings: _Settings, name: str
) -> dict[str, Any]:
    """Screen the pairs, play the winner afresh, and return what the report says of it."""
    level = 1.0 - settings.confidence
    screening = Screening(1, 0, [])
    counting = folds(runs)[2]
    spend = budget.screening_budget(runs, sampler.runner.engine) if len(pairs) > 1 else 0
    try:
        with progress(f"auditing {name}", 2 * runs + spend) as advance:
            pair, screening = screen(sampler, pairs, spend, counting.stop - counting.start, level, advance)
            first, second = sampler.play(
                [Request(pair.first, runs, (2, 0)), Request(pair.second, runs, (2, 1))], advance
            )
            evidence = gather(pair, first, second, level, settings.delta)
    except (TimeUp, KeyboardInterrupt) as ended:
        return _ended_early(screening, isinstance(ended, TimeUp), settings)
    return _judged(pair, screening, evidence, first[counting], second[counting], settings)


def _judged(
    pair: StreamPair, screening: Screening, evidence: Evidence, first: Actions, second: Actions, settings: _Settings
) -> dict[str, Any]:
    level = 1.0 - settings.confidence
    lower, winner = evidence.lower(level)
    each = level / len(evidence.counted)
    low, high = log_ratio_interval(winner.more, winner.less, evidence.runs, each)
    ratio = (
        math.log(winner.more / winner.less)
        if winner.more and winner.less
        else math.copysign(math.inf, winner.more - 0.5)
    )
    resolution = _resolution(evidence, settings)
    verdict, notes = None, []
    if settings.epsilon is not None:
        if evidence.lower(settings.error)[0] > settings.epsilon:
            verdict = "violation"
        else:
            verdict = "consistent" if resolution.epsilon >= settings.epsilon else "inconclusive"
        if lower > settings.epsilon and verdict != "violation":
            notes.append(
                f"the lower bound at confidence {settings.confidence:g} is above the claim, but the claim is not "
                f"refuted at level {settings.error:g}: repeat with more runs and another seed"
            )
    return {
        "verdict": verdict,
        "epsilon_lower": max(0.0, lower),
        "epsilon_lower_clopper_pearson": max(0.0, evidence.clopper_pearson_lower(level)),
        "epsilon_estimate": Estimate(ratio, low, high),
        "resolution": resolution,
        "witness": describe(pair, winner, first, second, each),
        "screened_pairs": screening.pairs,
        "screening_runs": screening.runs,
        "notes": notes,
    }


def _resolution(evidence: Evidence, settings: _Settings) -> Resolution:
    """Return what the counted runs could have shown at the level of the verdict."""
    largest = evidence.limit(evidence.runs, 0, settings.error)
    if settings.epsilon is None:
        return Resolution(largest, None)
    if largest <= settings.epsilon:
        return Resolution(max(0.0, largest), math.inf)
    few, enough = 0, evidence.runs
    while enough - few > 1:
        middle = (few + enough) // 2
        if evidence.limit(middle, 0, settings.error) > settings.epsilon:
            enough = middle
        else:
            few = middle
    return Resolution(largest, enough / evidence.runs)


def _ended_early(screening: Screening, by_clock: bool, settings: _Settings) -> dict[str, Any]:
    why = "the time budget ended" if by_clock else "interrupted"
    advice = "give more time or fewer runs" if by_clock else "nothing can be said of runs that were cut short"
    return {
        "verdict": None if settings.epsilon is None else "inconclusive",
        "epsilon_lower": None,
        "epsilon_lower_clopper_pearson": None,
        "epsilon_estimate": None,
        "resolution": None,
        "witness": None,
        "screened_pairs": screening.pairs,
        "screening_runs": screening.runs,
        "notes": [f"{why} before the runs that were fixed beforehand, so there is no bound: {advice}"],
    }


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
