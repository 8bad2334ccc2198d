"""`privcheck.audit`: search for neighbouring streams that an observer can tell apart better than the claim allows."""

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
    """Audit a policy or a mechanism: return a lower bound on its epsilon, a verdict on its claim, and a witness.

    The audit screens candidate pairs of neighbouring streams on a share of the runs, then plays the most promising pair
    again on fresh runs. It divides these into folds: on the first it learns scores of the action sequences, on the
    second it selects events, on the third it divides the level among them, and on the fourth it counts them.

    Parameters
    ----------
    target : what is audited. A policy: a shipped id such as "adap-ucb" or "adap-ucb(alpha=2.0)", a spec instance, or a
        factory `f(rng)`, such as a class, which also receives arms, epsilon, delta and horizon where its signature
        names them. A one-shot mechanism: `f(data, rng)` that returns numbers, booleans, arrays or tuples of them;
        `f(data, rng, runs)` that returns an array with one output per row; a shipped mechanism; or an OpenDP
        measurement. "path/to/file.py:name" and "package.module:name" load a factory or a mechanism.
    epsilon : the claim, > 0, or None to measure without a claim. For an OpenDP measurement of pure privacy audited
        without `streams`, None takes the claim from its privacy map, at input distance 1.
    delta : the claimed delta, in [0, 1).
    arms : the number of arms K, required for your own policy unless its factory has an attribute `arms`. For a
        mechanism, the number of columns of its data; without it the data are one-dimensional.
    horizon : the number of rounds per run T; by default 16, or the length of `streams`. For a mechanism, the number of
        rows of its data, by default 4.
    rewards : the declared (lowest, highest) reward, or entry of a mechanism's data.
    feedback : "bandit" (`update(action, reward)`), "full" (`update(action, reward_vector)`), "contextual"
        (`select(context)`, `update(context, action, reward)`), "semi-bandit" (`select()` returns a tuple of base arms,
        `update(arms, outcomes)`) or "identification" (also `stopped` and `recommend()`).
    runs : runs per stream of the final pair, all folds together. The default is 200,000 for shipped algorithms; for
        other targets a pilot turns `time_budget` into a number of runs before any run is counted.
    time_budget : in seconds; by default 60 for targets in Python audited without `runs`. If time runs out or the user
        interrupts, the report has a lower bound that is valid at any time, once some runs have been counted.
    confidence : the confidence of `epsilon_lower`.
    error : the level of the verdict: the probability of calling a true claim violated is at most this.
    observe : "actions" (under contextual feedback, those of all rounds but the one that differs), or "releases" for the
        released statistics as well: the policy's `released`, or whatever its mechanisms release.
    neighbours : "row" (one round's rewards replaced), "reward" (one entry), "group:k" (k rounds), "context-reward" (one
        round's context and rewards, for contextual feedback), or "report" (any two inputs of a local randomiser).
    streams : your own pair of streams, or a .npy or .csv file that contains one, in place of the search; for a
        mechanism, a pair of inputs.
    contexts : a `privcheck.Contexts`, for contextual feedback.
    sequential : whether to stop as soon as the claim is refuted, after at most `runs` runs per stream. A gross
        violation is then found within a few thousand runs. The lower bound is valid at any time, and a little smaller
        than the bound from a fixed number of runs.
    seed : the root of all randomness; the same seed and runs give the same report, whatever `jobs`.
    jobs : the number of workers.

    Returns
    -------
    AuditReport

    Raises
    ------
    PrivcheckError : bad input; PolicyError (a subclass) if the policy breaks its contract.

    Guarantee
    ---------
    With probability at least `confidence`, `epsilon_lower` is below the true epsilon; the probability of a "violation"
    verdict on a true claim is at most `error`. Both cover the whole search. They require runs that are independent
    given the streams, which holds if the policy draws all its randomness from its Generator and keeps nothing between
    runs; the audit checks this by playing the same seeds twice.

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
    """Return the upper bound on epsilon, where the policy releases through privcheck's mechanisms."""
    from privcheck.certifying.certify import certified

    if settings.epsilon is None or settings.delta > 0.0 or policy.feedback not in FEEDBACKS.guarded:
        return None
    try:
        certificate = certified(policy, settings, horizon, max(3, min(20, 2000 // horizon)))
    except PrivcheckError:
        return None  # a policy that cannot take wrapped rewards can still be audited
    released = certificate.ledger.releases or certificate.refusals or certificate.replay.largest_loss > 0.0
    return certificate if released else None


class _Plan(NamedTuple):
    """The number of runs, fixed before any run is counted, the deadline, and the pairs that there is time to screen."""

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
        notes += (f"the time budget allows {few}, evenly spaced, to be screened: a longer one screens all of them",)
    if alike and outcome.verdict == "violation":
        notes += (ALIKE,)
    return replace(outcome, notes=notes)


ALIKE = (
    "a hundred runs with different Generators gave the same output: if the policy is meant to add noise, the noise "
    "comes from a generator with a fixed seed, not from the Generator that the policy is given"
)


def _check_reproducible(runner: Runner, pair: StreamPair, seed: int) -> bool:
    """Play the same seeds twice: outputs differ if the policy has another source of randomness, or keeps state.

    Return whether all runs have the same output.
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
                "a policy that draws all its randomness from the Generator passed to its factory",
                "look for numpy.random, random or another module's global generator, or state kept between runs",
            )
    return alike and runner.engine != "kernel"
