"""`privcheck.audit`: search for two neighbouring reward streams that a policy tells apart better than it claims."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from privcheck.auditing import budget
from privcheck.auditing.confirmation.fixed_runs import search_and_confirm
from privcheck.auditing.confirmation.sequential_audit import search_and_bet
from privcheck.auditing.exact import exact_loss
from privcheck.auditing.search.candidates import candidate_pairs
from privcheck.auditing.search.successive_halving import Screening
from privcheck.auditing.verdict import ended_early
from privcheck.bandits import Algorithm
from privcheck.errors import PolicyError, PrivcheckError, words
from privcheck.feedback import FEEDBACKS
from privcheck.mechanisms.base import Mechanism
from privcheck.results.audit_outcome import Outcome
from privcheck.results.audit_report import AuditReport, Witness
from privcheck.targets.outputs import Outputs
from privcheck.targets.runners import Runner
from privcheck.targets.sampling import Sampler
from privcheck.targets.settings import Settings
from privcheck.targets.stream_pair import StreamPair
from privcheck.targets.target import Target, load

if TYPE_CHECKING:
    from privcheck.results.certificate import Certificate


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
    contexts: Any = None,
    sequential: bool = False,
    seed: int = 0,
    jobs: int = 1,
) -> AuditReport:
    """Audit a policy or a mechanism: a lower bound of its epsilon, a verdict on its claim, the streams and the event.

    Candidate pairs of neighbouring streams are screened on a share of the runs; the most promising pair is played
    afresh, and scores of the action sequences are learned on a first fold of these runs, events chosen on a second,
    weighed against each other on a third, and counted on a fourth.

    Parameters
    ----------
    target : a shipped id such as "adap-ucb" or "adap-ucb(alpha=2.0)", a spec instance, a factory `f(rng)` (a
        class will do; it is also given those of arms, epsilon, delta, horizon that its signature names),
        "path/to/file.py:name" or "package.module:name"; or a one-shot mechanism: `f(data, rng)` that returns
        numbers, booleans, arrays or tuples of them, `f(data, rng, runs)` that returns an array with one output a row, a
        shipped mechanism, or an OpenDP measurement.
    epsilon : the claim, > 0; None to measure without a claim, or, of an OpenDP measurement of pure privacy without
        `streams`, to take what its map says of inputs at distance 1.
    delta : of the claim, in [0, 1).
    arms : K; needed for a policy of your own, unless its factory has an attribute `arms`. Columns of a mechanism's
        data, which is one-dimensional without it.
    horizon : T, rounds per run; 16 by default, or the length of `streams`. Rows of a mechanism's data, 4 by default.
    rewards : declared (lowest, highest) reward, or entry of a mechanism's data.
    feedback : "bandit" (`update(action, reward)`), "full" (`update(action, reward_vector)`), "contextual"
        (`select(context)`, `update(context, action, reward)`), "semi-bandit" (`select()` returns a tuple of base arms,
        `update(arms, outcomes)`) or "identification" (also `stopped` and `recommend()`).
    runs : runs on each stream of the final pair, for learning, choosing and counting together. By default 200,000 for
        shipped algorithms; for others a pilot turns `time_budget` into a number of runs before any counted run.
    time_budget : seconds; 60 by default for policies in Python whose runs are not given. If time ends first, or the
        user interrupts, the lower bound is one that holds at any time.
    confidence : of `epsilon_lower`.
    error : level of the verdict: a true claim is called violated with at most this probability.
    observe : "actions" (of all other rounds, for contextual feedback), or "releases" for released statistics too: the
        policy's `released`, or whatever its mechanisms put out.
    neighbours : "row" (one round's rewards replaced), "reward" (one entry), "group:k" (k rounds), "context-reward" (one
        round's context and rewards, for contextual feedback), "report" (any two inputs of a local randomiser).
    streams : a pair of streams of your own, or a .npy or .csv file with one, instead of the search; a pair of inputs of
        a mechanism.
    contexts : a `privcheck.Contexts`, for contextual feedback.
    sequential : play runs until the claim is refuted, `runs` at most. A gross violation then ends within a few thousand
        runs; the lower bound, which may be read at any time, is a little smaller than that of a fixed number of runs.
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
    options = dict(locals())
    started = time.monotonic()
    loaded = load(target)
    del options["target"]
    if epsilon is None and streams is None:
        options["epsilon"] = loaded.claim
    settings = Settings(**options)
    count = loaded.arms(settings.arms)
    pairs = candidate_pairs(loaded, settings, count)
    horizon = len(np.atleast_1d(pairs[0].first))
    policy = loaded.target(settings, horizon, count)
    alike = _check_reproducible(policy.runner, pairs[0], settings.seed)
    plan = _plan(settings, policy.runner, pairs, started)
    outcome = _with_notes(_played(plan, settings, policy), len(plan.pairs), len(pairs), alike=alike)
    resolved = {"arms": count, "horizon": horizon, "feedback": policy.feedback, "runs": plan.runs}
    asked = {field: getattr(settings, declared.name) for field, declared in Settings.repeated().items()}
    return AuditReport(
        **asked | resolved,
        target=policy.name,
        engine=policy.runner.engine,
        exact_loss=_exact(policy, settings, np.shape(pairs[0].first), outcome.witness),
        certificate=_certificate(policy, settings, horizon) if outcome.witness else None,
        verdict=outcome.verdict,
        epsilon_lower=outcome.epsilon_lower,
        epsilon_lower_clopper_pearson=outcome.epsilon_lower_clopper_pearson,
        epsilon_estimate=outcome.epsilon_estimate,
        delta_lower=outcome.delta_lower,
        e_value=outcome.e_value,
        tradeoff=outcome.tradeoff,
        resolution=outcome.resolution,
        witness=outcome.witness,
        simplest=outcome.simplest,
        simplest_lower=outcome.simplest_lower,
        screened_pairs=outcome.screened_pairs,
        screening_runs=outcome.screening_runs,
        counted_runs=outcome.counted_runs,
        notes=list(outcome.notes),
        seconds=time.monotonic() - started,
    )


def _exact(policy: Target, settings: Settings, shape: tuple[int, ...], witness: Witness | None) -> float | None:
    """Return the true loss on the pair of the witness, where the law of the outputs is known."""
    spec = policy.spec or policy.mechanism
    if witness is None or settings.delta > 0.0 or settings.observe != "actions":
        return None
    if not isinstance(spec, Algorithm | Mechanism):
        return None
    found = exact_loss(spec, (witness.first.reshape(shape), witness.second.reshape(shape)))
    return None if found is None else (found.lower + found.upper) / 2.0


def _certificate(policy: Target, settings: Settings, horizon: int) -> Certificate | None:
    """Return the upper half of the answer, where the policy releases through privcheck's mechanisms."""
    from privcheck.certifying.certify import certified

    if settings.epsilon is None or settings.delta > 0.0 or policy.feedback not in FEEDBACKS.guarded:
        return None
    try:
        certificate = certified(policy, settings, horizon, max(3, min(20, 2000 // horizon)))
    except PrivcheckError:
        return None  # a policy that cannot take wrapped rewards can be audited all the same
    released = certificate.ledger.releases or certificate.refusals or certificate.replay.largest_loss > 0.0
    return certificate if released else None


class _Plan(NamedTuple):
    """The number of runs, fixed before any counted run, the time at which to give up, and the pairs that it allows."""

    runs: int
    deadline: float
    pairs: list[StreamPair]


def _plan(settings: Settings, runner: Runner, pairs: list[StreamPair], started: float) -> _Plan:
    time_budget = settings.time_budget
    if settings.runs is None and time_budget is None and runner.engine != "kernel":
        time_budget = budget.PYTHON_TIME_BUDGET
    if time_budget is None:
        return _Plan(settings.runs or budget.KERNEL_RUNS, math.inf, pairs)
    runs = settings.runs
    if runs is None:
        cost = budget.seconds_per_run(runner, pairs[0].first, settings.seed)
        left = max(0.0, time_budget - (time.monotonic() - started))
        kept = budget.pairs_within(left, cost, settings.jobs, len(pairs))
        pairs = [pairs[i * len(pairs) // kept] for i in range(kept)]
        judged = settings.epsilon is not None and not settings.sequential
        runs = budget.runs_within(left, cost, settings.jobs, runner.engine, kept, simplified=judged)
    return _Plan(runs, started + time_budget, pairs)


def _played(plan: _Plan, settings: Settings, policy: Target) -> Outcome:
    sampler = Sampler(policy.runner, settings.seed, settings.jobs, plan.deadline)
    play = search_and_bet if settings.sequential else search_and_confirm
    try:
        return play(sampler, plan.pairs, plan.runs, settings, policy)
    except KeyboardInterrupt:
        return ended_early(Screening(1, 0), "interrupted", settings)


def _with_notes(outcome: Outcome, looked_at: int, pairs: int, *, alike: bool) -> Outcome:
    notes = outcome.notes
    if looked_at < pairs:
        few = f"{looked_at:,} of {pairs:,} candidate pairs of streams"
        notes += (f"the time budget is enough for {few}, taken evenly: a longer one looks at all of them",)
    if alike and outcome.verdict == "violation":
        notes += (ALIKE,)
    return replace(outcome, notes=notes)


ALIKE = (
    "a hundred runs with different Generators put out the same: when noise is meant to be there, it comes from a "
    "generator of the policy's own with a fixed seed, not from the Generator that it is given"
)


def _check_reproducible(runner: Runner, pair: StreamPair, seed: int) -> bool:
    """Play the same seeds twice: a policy with randomness of its own, or with memory between runs, differs.

    Return whether all runs put out the same.
    """
    if not runner.reproducible:
        return False
    alike = True
    for table, other in ((pair.first, pair.second), (pair.second, pair.first)):
        once, twice = (runner.play(table, 100, np.random.SeedSequence(seed, spawn_key=(0, 2)), other) for _ in range(2))
        alike = alike and not once.differs(Outputs.joined([once[:1]] * len(once))).any()
        differs = once.differs(twice)
        if differs.any():
            place = int(np.flatnonzero(differs)[0]) + 1
            rounds = once.symbols.shape[1]
            of_policy = np.ndim(table) == 2 and place <= rounds
            where = f"actions in round {place}" if of_policy else f"outputs (part {place})"
            raise PolicyError(
                "target",
                words(f"different {where} from the same Generator state and the same rewards"),
                "a policy whose randomness all comes from the Generator that its factory is given",
                "look for numpy.random, random or another module's global generator, or state kept between runs",
            )
    return alike and runner.engine != "kernel"
