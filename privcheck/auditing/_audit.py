"""`privcheck.audit`: search for neighbouring streams that an observer can tell apart better than the claim allows."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from privcheck.auditing._explain import Explained, explained
from privcheck.auditing._judge import Judged, judged
from privcheck.auditing._own_setting import in_own_setting
from privcheck.auditing._plan import Plan, make_plan
from privcheck.auditing._play import Played, played
from privcheck.auditing._search.written_streams import as_written
from privcheck.auditing._steps.beside_audits import suspected_step
from privcheck.declared import named_options
from privcheck.generators import global_generators_kept
from privcheck.privacy import ROW
from privcheck.results import AuditReport
from privcheck.targets import Settings, function_at, load


@named_options
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
    neighbours: str = ROW,
    streams: Any = None,
    contexts: Any = None,
    sequential: bool = False,
    seed: int = 0,
    jobs: int = 1,
    guarded: bool = False,
    pairs: int | None = None,
    stop_after: int | None = None,
    encode: Any = None,
    accountants: dict[str, float] | None = None,
    rho: float | None = None,
    mu: float | None = None,
    tradeoff: Any = None,
    law: Any = None,
    randomness: str | None = None,
    time_limit: float | None = None,
    scheduler: str | None = None,
    store: Any = None,
    messages: bool = False,
    read_code: bool = False,
) -> AuditReport:
    """Audit a policy or a mechanism: return a lower bound on its epsilon, a verdict on its claim, and a witness.

    The audit screens candidate pairs of neighbouring streams on a share of the runs, then plays the most promising pair
    again on fresh runs. It divides these into folds: on the first it learns scores of the action sequences, on the
    second it selects events, on the third it divides the level among them, and on the fourth it counts them.

    Parameters
    ----------
    target : what is audited. A policy: a shipped id such as "adap-ucb" or "adap-ucb(alpha=2.0)", a spec instance, or a
        factory `f(rng)`, such as a class, which also receives arms, epsilon, delta and horizon where its signature
        names them. A one-shot mechanism: `f(data, rng)` that returns numbers, text, None, or arrays, lists and dicts of
        them, or raises an exception, whose class is then the output; `f(data, rng, runs)` that returns an array with
        one output per row; a shipped mechanism; or an OpenDP measurement. "path/to/file.py:name" and
        "package.module:name" load a factory or a mechanism. What another program plays: `privcheck.from_command`,
        `from_url` and `from_python`.
    epsilon : the claim, > 0, or None to measure without a claim. For an OpenDP measurement of pure privacy audited
        without `streams`, None takes the claim from its privacy map, at input distance 1.
    delta : the claimed delta, in [0, 1). Both bounds are then on epsilon at this delta.
    arms : the number of arms K, required for your own policy unless its factory has an attribute `arms`; 1 only for
        identification, where a policy of one arm is a sequential test. For a mechanism, the number of columns of its
        data; without it the data are one-dimensional.
    horizon : the number of rounds per run T; by default 16, or the length of `streams`. For a mechanism, the number of
        rows of its data, by default 4.
    rewards : the declared (lowest, highest) reward, or entry of a mechanism's data.
    feedback : "bandit" (`update(action, reward)`), "full" (`update(action, reward_vector)`), "contextual"
        (`select(context)`, `update(context, action, reward)`), "semi-bandit" (`select()` returns a tuple of base arms,
        `update(arms, outcomes)`), "identification" (also `stopped` and `recommend()`), "batch" (`act(n)` and
        `learn(actions, rewards)`; also `batch`) or "delayed" (`select()` and `update(round, reward)`; also `delay`).
    runs : runs per stream of the final pair, all folds together. The default is 200,000 for shipped algorithms; for
        other targets a pilot turns `time_budget` into `pairs` and `runs` before anything else is played.
    time_budget : in seconds; by default 60 for targets in Python audited without `runs`. The time is what the processor
        spends on the target, or wall time if the target mostly waits. The audit is cut short after three times the
        budget, or after the budget itself if `runs` is given as well.
    confidence : the confidence of `epsilon_lower`.
    error : the level of the verdict: the probability of calling a true claim violated is at most this.
    observe : "actions" (under contextual feedback, those of all rounds but the one that differs), or "releases" for the
        released statistics as well: the policy's `released`, or whatever its mechanisms release.
    neighbours : "row" (one round's rewards replaced), "reward" (one entry), "group:k" (k rounds), "context-reward" (one
        round's context and rewards, for contextual feedback), "report" (any two inputs of a local randomiser) or
        "add-remove" (one row more in one of them, for functions of a data set: n rows against n - 1).
    streams : your own pair of streams, or a .npy or .csv file that contains one, in place of the search; for a
        mechanism, a pair of inputs: arrays, or any objects, which are handed over as they are. Or a function
        `draw(rng)` that returns pairs for the search, 100 of them or as many as `pairs` says. Or a
        `privcheck.Adversary`, which chooses each reward of a policy by the actions so far.
    contexts : a `privcheck.Contexts`, for contextual feedback.
    sequential : whether to stop as soon as the claim is refuted, after at most `runs` runs per stream. A gross
        violation is then found within a few thousand runs. The lower bound is valid at any time, and a little smaller
        than the bound from a fixed number of runs.
    seed : the root of all randomness; the same seed, pairs, runs and `stop_after` give the same report, whatever
        `jobs`. Every report has them, however it was limited.
    jobs : the number of workers.
    guarded : whether to play the policy under `privcheck.guard`, with the claim as budget (epsilon, with or without
        delta, rho or mu): then the lower bound and the certified upper bound speak of one object, and a violation
        withdraws the certificate. A refused release closes `update`, and a leak closes the policy: an
        observer sees the arms in turn from there on. The reference of a shipped algorithm is played, not its kernel.
    pairs : the most candidate pairs of streams that are screened, one of each family first; by default all of them, or
        as many as `time_budget` allows.
    stop_after : the number of counted runs per stream after which the audit stops, without simplifying a witness; its
        lower bound is then valid at any time. 0 plays nothing. An audit that is interrupted, or cut short by the clock,
        has this number in its report and is repeated by it; it is 0 if no run had been counted, and there is then no
        lower bound. An interrupt before the search has begun, while the target is timed and checked, is raised.
    encode : for a function of data whose outputs are other objects, such as fitted models: `encode(output)` returns
        numbers, text, lists or dicts of them; or the place of such a function, "file.py:name".
    law : for a function of data whose output is one to three real numbers: `law(data)` returns the law of the output,
        an object with `logpdf(x)` and `support()`, as for `privcheck.bound_from_laws`; or the place of such a function.
        Candidates are then ranked by their exact loss, and the law is tested against runs. If it refutes the claim, it
        names the outputs that tell most, and half of the level is for counts of these: counts alone make a violation.
        What only the law says is a `suspicion`, and the audit is inconclusive.
    accountants : for a claim with delta, the shares of delta of the certificate's accountants, as for
        `privcheck.certify`; the lower bound does not depend on them.
    rho, mu, tradeoff : a claim in place of epsilon: rho-zCDP, mu-GDP, or a trade-off curve: the corners (type I error,
        type II error) of a convex curve from (0, b) to (1, 0), or by a convex function of the type I error. The
        verdict then tests the delta that the claim allows at one epsilon, chosen before the runs are counted.
    randomness : "seeded": equal seeds give equal runs, which is checked. The Generator has the seed, and so have the
        global generators of numpy and Python, which are put back afterwards: do not audit in the process of a service,
        whose other threads would draw known, repeated numbers from them; if you say "seeded", the target need not take
        a Generator. "independent": there are no seeds, say because random numbers come from the operating system;
        that runs are independent is then taken on your word, and the audit cannot be repeated exactly. None means
        "independent" for commands, services and OpenDP measurements, and "seeded" for all others.
    time_limit : seconds that a run may take; a call that makes many runs may take as many times that. By default 10
        seconds for code in this process, and no limit for other programs, whose replies have a `timeout`.
    scheduler : "local:N" or "tcp://host:port": a Dask scheduler whose workers play, in place of `jobs`. A target has to
        draw from seeds.
    store : a folder on a local disk in which finished chunks are kept; an audit that was ended, in whatever way, goes
        on from them when it is called again. The target has to be in a file, and to draw from seeds.
    messages : for a function of data, whether an observer sees the message of an exception too: its text is then a part
        of the output, and so is each number in it. Addresses of objects are left out. By default the class alone.
    read_code : whether the numbers that the target's code names are read, without running it, and tried as values of
        the data and as rounds: a leak that needs a certain value is found where the code compares with it. It only
        adds candidates.

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
    runs. The audit plays the same seeds twice, unless there are none, and compares runs of one call with those of
    others; a target with independent runs is refused with probability at most 1.25e-6. Without seeds a fresh fair coin
    decides on which stream each run is played, and outputs that follow earlier inputs are refused; independent ones
    with probability at most 1e-6 more.

    Examples
    --------
    >>> report = audit("rnm-ftnl-published", epsilon=1.0, arms=4, horizon=4, runs=20_000)
    >>> report.verdict
    'violation'
    """
    options = dict(locals())
    options["streams"] = function_at(streams)
    started = time.monotonic()
    loaded = load(target)
    del options["target"]
    if epsilon is rho is mu is tradeoff is streams is None:
        options["epsilon"] = loaded.claim
    options, note = in_own_setting(loaded, options)
    settings = Settings.of(**options)
    with global_generators_kept():
        plan = make_plan(loaded, settings)
        found = played(plan, started)
        verdict = judged(plan, found, suspected_step(plan, found.outcome, started))
        beside = explained(plan, found, verdict)
    report = _report(plan, found, verdict, beside, time.monotonic() - started)
    written = as_written(options["streams"] if note else streams)
    return replace(report, streams=written, notes=[*note, *report.notes])


def _report(plan: Plan, played: Played, judged: Judged, explained: Explained, seconds: float) -> AuditReport:
    settings, policy, outcome = plan.settings, plan.policy, judged.outcome
    streams = settings.effort.streams
    searched = streams is None or callable(streams)
    asked = {field: settings.value(declared.name) for field, declared in Settings.repeated().items()}
    resolved = {
        "arms": plan.arms,
        "horizon": plan.horizon,
        "feedback": policy.feedback if plan.adversary is None else settings.game.feedback,
        "runs": played.extent.runs,
        "pairs": len(played.extent.pairs) if searched else None,
        "stop_after": outcome.stop_after,
        "randomness": plan.randomness,
    }
    return AuditReport(
        **asked | resolved,
        target=policy.name,
        engine=policy.runner.engine,
        exact_loss=explained.exact_loss,
        certificate=explained.certificate,
        verdict=outcome.verdict,
        epsilon_lower=outcome.epsilon_lower,
        epsilon_lower_clopper_pearson=outcome.epsilon_lower_clopper_pearson,
        epsilon_estimate=outcome.epsilon_estimate,
        delta_lower=outcome.delta_lower,
        e_value=outcome.e_value,
        p_value=outcome.p_value,
        tradeoff=outcome.tradeoff,
        claim_lower=outcome.claim_lower,
        claim_epsilon=outcome.claim_epsilon,
        resolution=outcome.resolution,
        witness=outcome.witness,
        simplest=outcome.simplest,
        simplest_lower=outcome.simplest_lower,
        screened_pairs=outcome.screened_pairs,
        screening_runs=outcome.screening_runs,
        search=judged.search,
        counted_runs=outcome.counted_runs,
        time_budget=settings.effort.time_budget,
        encode=_named(settings, "encode"),
        law=_named(settings, "law"),
        by_law=played.by_law,
        suspicion=outcome.suspicion,
        notes=list(explained.notes),
        faults=explained.faults,
        seconds=seconds,
    )


def _named(settings: Settings, option: str) -> str | None:
    """Return the place of a function, the name of the option if it was given without one, or None."""
    value = settings.value(option)
    return value if value is None or isinstance(value, str) else option
