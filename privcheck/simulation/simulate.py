"""`simulate`: the regret of policies on an environment."""

from __future__ import annotations

import time
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple

from privcheck.bandits.base import Algorithm
from privcheck.bandits.best_arm import BestArmAlgorithm
from privcheck.declared import POSITIVE, Integer, check
from privcheck.environments import Environment
from privcheck.environments import environment as make_environment
from privcheck.errors import PrivcheckError, words
from privcheck.kernels.seeding import SEED
from privcheck.progress import progress
from privcheck.results.simulation import PolicyResult, Simulation
from privcheck.simulation.engine import compile_kernel, engine_of, log_checkpoints, play
from privcheck.simulation.labels import as_list, chosen_algorithm, labels_of
from privcheck.simulation.semi_bandits import check_feedback, sized

__all__ = ["Simulation", "simulate"]

LONGEST = 10**15
"""Largest horizon: counts of rounds up to 2^53, about 9e15, are exact in floating point."""


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
    policies : a shipped id ("adap-ucb"), a spec (`AdaPUCB(arms=5, epsilon=1.0, alpha=1.0)`), or a list of these. A
        policy given by id has the arms of the environment, `epsilon`, and the paper's defaults for the rest.
    environment : the id of a named instance ("c2"), a sequence of Bernoulli means in [0, 1], or an `Environment`.
    horizon : the number of rounds T, at least the number of arms; floats such as 1e7 are accepted.
    runs : independent runs of each policy, at least 1.
    seed : at least 0. The randomness of a policy depends only on the seed and the policy: adding a policy to the list
        changes no other result, and more runs extend the same sample.
    jobs : chunks that run in parallel; the results do not depend on it.
    checkpoints : the number of rounds at which the regret is recorded, evenly spaced on a log scale up to T.
    epsilon : privacy budget of the policies given by id, > 0.

    Returns
    -------
    Simulation, with one result per policy, in the order given.

    Guarantee
    ---------
    No privacy: rewards and noise are fast floating-point draws, for experiments. Event engines draw the sum of an
    episode's rewards as one Binomial, which has the same law as a step-by-step run.

    Raises
    ------
    PrivcheckError : an unknown id, a private id without epsilon, a spec with another number of arms, or a value
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
    horizon = check(
        "horizon", horizon, Integer(place.arms, LONGEST), "every arm is played once before arms are compared"
    )
    runs, seed = check("runs", runs, Integer(1)), check("seed", seed, SEED)
    jobs, count = check("jobs", jobs, Integer(1)), check("checkpoints", checkpoints, Integer(1))
    budget = None if epsilon is None else check("epsilon", epsilon, POSITIVE, "give a positive budget")
    named = [sized(policy, place) for policy in as_list(policies)]
    algorithms = [chosen_algorithm(policy, place.arms, budget, horizon) for policy in named]
    for algorithm in algorithms:
        if isinstance(algorithm, BestArmAlgorithm):
            hint = "privcheck.identify and `privcheck simulate` give its stopping times"
            raise PrivcheckError("policies", words(algorithm.id), "algorithms that are measured by their regret", hint)
    check_rewards(place, algorithms, horizon)
    check_feedback(place, algorithms, horizon)
    rounds = log_checkpoints(horizon, count)
    results, seen = [], Counter[int]()
    with progress("simulating", runs * len(algorithms)) as advance:
        for label, algorithm in zip(labels_of(algorithms), algorithms, strict=True):
            identity = zlib.crc32(repr((algorithm.id, *astuple(algorithm))).encode())  # type: ignore[call-overload]
            key = (identity, seen[identity])
            seen[identity] += 1
            compile_kernel(algorithm, place)
            started = time.perf_counter()
            regret = play(
                algorithm, place, checkpoints=rounds, runs=runs, seed=seed, key=key, jobs=jobs, advance=advance
            )
            seconds = time.perf_counter() - started
            results.append(PolicyResult(label, algorithm, rounds, regret, seconds, engine_of(algorithm, place)))
    return Simulation(place, horizon, runs, seed, rounds, tuple(results))


def check_rewards(place: Environment, algorithms: Sequence[Algorithm], horizon: int) -> None:
    """Refuse rewards outside an algorithm's range, and more rounds than the environment has rewards for."""
    if place.longest is not None and horizon > place.longest:
        hint = "give a longer table, or simulate fewer rounds"
        raise PrivcheckError("horizon", horizon, f"at most the {place.longest} rounds of the table", hint)
    for algorithm in algorithms:
        if not place.unit_rewards and not algorithm.any_rewards:
            got = words(f"{algorithm.id} on rewards outside [0, 1]")
            hint = f'{algorithm.id} requires rewards in [0, 1]: clip them, as in Gaussian(means, outside="clip")'
            raise PrivcheckError("environment", got, "rewards in [0, 1]", hint)
