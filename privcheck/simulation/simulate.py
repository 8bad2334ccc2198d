"""`simulate`: the regret of policies on an environment."""

from __future__ import annotations

import time
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

from bounds.domains import POSITIVE, Integer, check, declared_fields
from privcheck.bandits.base import ALGORITHMS, Algorithm, in_words
from privcheck.environments import Environment
from privcheck.environments import environment as make_environment
from privcheck.errors import PrivcheckError, words
from privcheck.progress import progress
from privcheck.simulation.engine import compile_kernel, log_checkpoints, play
from privcheck.simulation.results import PolicyResult, Simulation
from privcheck.simulation.seeding import SEED

__all__ = ["Simulation", "simulate"]

LONGEST = 10**15
"""Largest horizon: up to here counts of rounds are exact in floating point."""


def simulate(
    policies: str | Algorithm | Sequence[str | Algorithm],
    environment: str | Environment | Sequence[float],
    *,
    horizon: int,
    runs: int = 1000,
    seed: int = 0,
    jobs: int = 1,
    checkpoints: int = 200,
    epsilon: float | None = None,
) -> Simulation:
    r"""Play policies on an environment many times and return their pseudo-regret.

    The pseudo-regret of a run after t rounds is sum_{s<=t} (max_b mu_b - mu_{A_s}).

    Parameters
    ----------
    policies : a shipped id ("adap-ucb"), a spec (`AdaPUCB(arms=5, epsilon=1.0, alpha=1.0)`), or a list of these. An id
        gets its arms from the environment, its epsilon from `epsilon`, and the paper's defaults for the rest.
    environment : the id of a named instance ("c2"), a sequence of Bernoulli means in [0, 1], or an `Environment`.
    horizon : T, in rounds, at least the number of arms; 1e7 is accepted.
    runs : independent runs of each policy, at least 1.
    seed : at least 0. Each policy has its own streams, which depend on the seed and the policy only: adding a policy to
        the list changes no other result, and more runs extend the same sample.
    jobs : chunks that run at the same time; the results do not depend on it.
    checkpoints : rounds at which the regret is kept, evenly spaced on a log scale, the last being T.
    epsilon : privacy budget of the policies that are given by id, > 0.

    Returns
    -------
    Simulation, with one result per policy, in the order given.

    Guarantee
    ---------
    None of privacy: rewards and noise are fast floating-point draws, for experiments. Event engines draw the sum of an
    episode's rewards as one Binomial, which has the law of the step-by-step run.

    Raises
    ------
    PrivcheckError : an unknown id, a private id without epsilon, a spec with another number of arms, a value
        out of range.

    Examples
    --------
    >>> simulation = simulate(["adap-ucb", "ucb"], "c2", horizon=1e4, runs=100, epsilon=1.0)
    >>> [(row["policy"], row["engine"]) for row in simulation.summary()]
    [('adap-ucb', 'event'), ('ucb', 'step')]
    >>> simulation.results[0].regret.shape
    (100, 154)
    """
    place = make_environment(environment)
    horizon = check("horizon", horizon, Integer(place.arms, LONGEST), "every arm is played once before any is compared")
    runs, seed = check("runs", runs, Integer(1)), check("seed", seed, SEED)
    jobs, count = check("jobs", jobs, Integer(1)), check("checkpoints", checkpoints, Integer(1))
    budget = None if epsilon is None else check("epsilon", epsilon, POSITIVE, "give a positive budget")
    algorithms = [_algorithm(policy, place.arms, budget, horizon) for policy in _as_list(policies)]
    rounds = log_checkpoints(horizon, count)
    results, seen = [], Counter[int]()
    with progress("simulating", runs * len(algorithms)) as advance:
        for label, algorithm in zip(_labels(algorithms), algorithms, strict=True):
            identity = zlib.crc32(repr((algorithm.id, *astuple(algorithm))).encode())  # type: ignore[call-overload]
            key = (identity, seen[identity])
            seen[identity] += 1
            compile_kernel(algorithm)
            started = time.perf_counter()
            regret = play(
                algorithm, place, checkpoints=rounds, runs=runs, seed=seed, key=key, jobs=jobs, advance=advance
            )
            results.append(PolicyResult(label, algorithm, rounds, regret, time.perf_counter() - started))
    return Simulation(place, horizon, runs, seed, rounds, tuple(results))


def _as_list(policies: Any) -> list[Any]:
    if isinstance(policies, str | Algorithm):
        return [policies]
    if not isinstance(policies, Sequence) or not policies:
        raise PrivcheckError("policies", policies, "a shipped id, a spec, or a non-empty list of these")
    return list(policies)


def _algorithm(policy: Any, arms: int, epsilon: float | None, horizon: int) -> Algorithm:
    if isinstance(policy, Algorithm):
        if policy.arms != arms:
            got = words(f"{policy.describe()} on an environment with {arms} arms")
            raise PrivcheckError("policies", got, f"arms={arms}", "give as many arms as the environment has")
        if policy.declares("horizon") and horizon > policy.horizon:  # type: ignore[attr-defined]
            got = words(f"{policy.describe()} for {horizon} rounds")
            raise PrivcheckError("policies", got, f"horizon={horizon}", "declare the horizon that is simulated")
        return policy
    if not isinstance(policy, str):
        hint = "wrap ids in quotes, and make specs such as ALGORITHMS['adap-ucb'](arms=5, epsilon=1.0)"
        raise PrivcheckError("policies", policy, "a shipped id or a spec", hint)
    cls = ALGORITHMS[policy]
    values: dict[str, Any] = {"arms": arms} | ({"horizon": horizon} if cls.declares("horizon") else {})
    if cls.declares("epsilon"):
        if epsilon is None:
            raise PrivcheckError("epsilon", None, POSITIVE.text, f"{policy} is private: give its budget, epsilon=1 say")
        values["epsilon"] = epsilon
    return cls(**values)


def _labels(algorithms: list[Algorithm]) -> list[str]:
    """Return a distinct label for each: the id; for a repeated id also what differs; for twins a number."""
    labels = []
    for algorithm in algorithms:
        parameters = [p.name for p in declared_fields(type(algorithm))]
        same = [other for other in algorithms if other.id == algorithm.id]
        differing = [name for name in parameters if len({getattr(other, name) for other in same}) > 1]
        values = ", ".join(f"{name}={in_words(getattr(algorithm, name), 12)}" for name in differing)
        labels.append(f"{algorithm.id}({values})" if differing else algorithm.id)
    repeated, seen = Counter(labels), Counter[str]()
    for position, label in enumerate(labels):
        seen[label] += 1
        if repeated[label] > 1:
            labels[position] = f"{label} #{seen[label]}"
    return labels
