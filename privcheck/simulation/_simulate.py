"""`simulate`: the regret of policies on an environment."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from privcheck.arrays import Integers
from privcheck.bandits import Algorithm, BestArmAlgorithm, LinearBandit
from privcheck.declared import Integer, check
from privcheck.environments import Combinatorial, ContextualEnvironment, Environment
from privcheck.environments import environment as make_environment
from privcheck.errors import PrivcheckError, words
from privcheck.progress import progress
from privcheck.results import Simulation
from privcheck.scheduling import executor
from privcheck.simulation._all_runs import AllRuns
from privcheck.simulation._engine import log_checkpoints
from privcheck.simulation._labels import chosen_algorithm, with_labels
from privcheck.simulation._own_policies import LoadedPolicy, feedback_of, is_own, load_own
from privcheck.simulation._semi_bandits import check_feedback, sized
from privcheck.targets import DEFAULT_TIME_BUDGET, SimulateSettings

__all__ = ["Simulation", "simulate"]

LONGEST = 10**15
"""Largest horizon: counts of rounds up to 2^53, about 9e15, are exact in floating point."""


Policy = str | Algorithm | Callable[..., Any]
Policies = Policy | Sequence[Policy] | Mapping[str, Policy]


def simulate(
    policies: Policies,
    environment: str | Environment | Sequence[float],
    *,
    horizon: int,
    runs: int = 1000,
    seed: int = 0,
    jobs: int = 1,
    checkpoints: int | Sequence[int] = 200,
    epsilon: float | None = None,
    delta: float | None = None,
    feedback: str | None = None,
    time_budget: float = DEFAULT_TIME_BUDGET,
    shuffle_arms: bool = False,
    scheduler: str | None = None,
    store: str | Path | None = None,
    rho: float | None = None,
    mu: float | None = None,
) -> Simulation:
    r"""Play policies on an environment many times and return their pseudo-regret.

    The pseudo-regret of a run after t rounds is sum_{s<=t} (max_b mu_b - mu_{A_s}); in a contextual environment the
    mu_b are those of the decision set of round s.

    Parameters
    ----------
    policies : a shipped id ("adap-ucb"), a spec (`AdaPUCB(arms=5, epsilon=1.0, alpha=1.0)`), a policy of your own (its
        class, a factory such as `from_mabwiser(...)` returns, or "my_bandit.py:MyBandit"), a list of these, or a
        mapping from labels to these, as in `{"ours": MyBandit, "theirs": "adap-ucb"}`. A policy given by id has the
        arms of the environment, `epsilon`, and the paper's defaults for the rest; a factory of your own is called with
        a Generator and, where it names them, arms, horizon, epsilon, delta, rho and mu: those of the budget, as in an
        audit of it.
    environment : the id of a named instance ("c2"), a sequence of Bernoulli means in [0, 1], or an `Environment`, such
        as `LinearContexts` for contextual policies.
    horizon : the number of rounds T, at least the number of arms; floats such as 1e7 are accepted.
    runs : independent runs of each policy, at least 1.
    seed : at least 0. The randomness of a policy depends only on the seed and the policy: adding a policy to the list
        changes no other result, and more runs extend the same sample.
    jobs : workers (threads for shipped algorithms, processes for policies in Python); no run depends on it.
    checkpoints : the number of rounds at which the regret is recorded, evenly spaced on a log scale up to T; or these
        rounds, from 1 to T, as in `[T]`. T is always one of them.
    epsilon : privacy budget of the policies given by id, and of factories that name it, > 0.
    delta : their delta, in [0, 1), if they are private in (epsilon, delta)-DP. With epsilon, factories receive 0 if it
        is not given: the budget is pure then. Without any budget they receive nothing, and have their own defaults.
    feedback : "bandit" or "full", for policies of your own on arms; None for what the environment gives, which is
        "bandit" on arms, "contextual" with contexts and "semi-bandit" on sets of base arms.
    time_budget : seconds for the runs of each policy of your own, > 0, infinity for no limit. If not all runs fit, a
        pilot fixes beforehand the largest power of two that does, and a remark says so. They are the first runs of the
        full sample: `runs` of that number and `time_budget=math.inf` give them again, on any machine.
    shuffle_arms : whether arms are put in a random order in every run, so that policies that break ties in favour of
        the first arm gain nothing where that is the best one.
    scheduler : "local:N" or "tcp://host:port": a Dask scheduler whose workers play, in place of `jobs`.
    store : a folder in which finished chunks are kept; the same call goes on from them.
    rho, mu : in place of epsilon, the budget in zCDP or in Gaussian DP, > 0, of factories that name it, and of
        algorithms whose budget is in zCDP.

    Returns
    -------
    Simulation, with one result per policy, in the order given. A policy of your own that fails in some run is left out
    and has a remark; so has one that an interruption cut short. `Simulation.remarks` holds them.

    Guarantee
    ---------
    No privacy: rewards and noise are fast floating-point draws, for experiments. Event engines draw the sum of an
    episode's rewards as one Binomial, which has the same law as a step-by-step run.

    Raises
    ------
    PrivcheckError : an unknown id, a private id without epsilon, a spec with another number of arms, a policy that
        needs contexts where there are none, or a value out of range; what a policy raises, if no other is left.

    Examples
    --------
    >>> simulation = simulate(["adap-ucb", "ucb"], "c2", horizon=1e4, runs=100, epsilon=1.0)
    >>> [(row["policy"], row["engine"]) for row in simulation.summary()]
    [('adap-ucb', 'event'), ('ucb', 'step')]
    >>> simulation.results[0].regret.shape
    (100, 154)
    >>> class Coin:
    ...     def __init__(self, rng, arms):
    ...         self.rng, self.arms = rng, arms
    ...     def select(self):
    ...         return int(self.rng.integers(self.arms))
    ...     def update(self, action, reward):
    ...         pass
    >>> simulate([Coin, "ucb"], [0.9, 0.1], horizon=200, runs=20).summary()[0]["policy"]
    'Coin'
    """
    settings = SimulateSettings.of(
        environment=make_environment(environment), horizon=horizon, runs=runs, seed=seed, jobs=jobs,
        checkpoints=checkpoints, epsilon=epsilon, delta=delta, feedback=feedback, time_budget=time_budget,
        shuffle_arms=shuffle_arms, scheduler=scheduler, store=store,
        rho=rho, mu=mu,
    )  # fmt: skip
    return simulated(*with_labels(policies), settings)


def simulated(labels: list[str] | None, given: list[Policy], settings: SimulateSettings) -> Simulation:
    """Return the regret of policies with settings that are checked, as far as that needs no environment."""
    budget, game, effort, by = settings.budget, settings.game, settings.effort, settings.execution
    place, runs = game.environment, effort.runs
    horizon = check(
        "horizon", game.horizon, Integer(place.arms, LONGEST), "every arm is played once before arms are compared"
    )
    if game.shuffle_arms and isinstance(place, Combinatorial | ContextualEnvironment):
        raise PrivcheckError("shuffle_arms", True, "an environment with fixed arms", f"{place.id} has none")
    own_feedback = feedback_of(place, game.feedback)
    others: dict[str, Any] = {"delta": budget.delta, "rho": budget.rho, "mu": budget.mu}
    if isinstance(place, ContextualEnvironment):
        others["features"] = place.features
    chosen: list[Algorithm | LoadedPolicy] = []
    for policy in given:
        if is_own(policy):
            chosen.append(load_own(policy, place, horizon, budget.promised, own_feedback))
        else:
            chosen.append(chosen_algorithm(sized(policy, place), place.arms, budget.epsilon, horizon, **others))
    algorithms = [each for each in chosen if isinstance(each, Algorithm)]
    for algorithm in algorithms:
        if isinstance(algorithm, BestArmAlgorithm):
            hint = "privcheck.identify and `privcheck simulate` give its stopping times"
            raise PrivcheckError("policies", words(algorithm.id), "algorithms that are measured by their regret", hint)
    check_rewards(place, algorithms, horizon)
    check_feedback(place, algorithms, horizon)
    with (
        executor(by.jobs, by.scheduler, by.store) as workers,
        progress("simulating", runs * len(chosen)) as advance,
    ):
        rounds = chosen_rounds(effort.checkpoints, horizon)
        work = AllRuns(place, rounds, runs, effort.seed, workers, effort.time_budget, game.shuffle_arms)
        work.play_all(chosen, advance, labels)
    if not work.results:
        raise work.error or KeyboardInterrupt
    return Simulation(
        place, horizon, runs, effort.seed, work.rounds, tuple(work.results), tuple(work.remarks), game.shuffle_arms
    )


def chosen_rounds(checkpoints: int | tuple[int, ...], horizon: int) -> Integers:
    """Return the rounds at which the regret is recorded, of which the last is the horizon."""
    if isinstance(checkpoints, int):
        return log_checkpoints(horizon, checkpoints)
    if checkpoints[-1] > horizon:
        raise PrivcheckError("checkpoints", checkpoints[-1], f"rounds from 1 to the horizon, {horizon:,}")
    return np.unique(np.array([*checkpoints, horizon], np.int64))


def check_rewards(place: Environment, algorithms: Sequence[Algorithm], horizon: int) -> None:
    """Refuse rewards outside an algorithm's range, and more rounds than the environment has rewards for."""
    if place.longest is not None and horizon > place.longest:
        hint = "give a longer table, or simulate fewer rounds"
        raise PrivcheckError("horizon", horizon, f"at most the {place.longest} rounds of the table", hint)
    for algorithm in algorithms:
        if isinstance(algorithm, LinearBandit) and isinstance(place, ContextualEnvironment):
            algorithm.check_range(place.context_norm, place.reward_bound)
        if not place.unit_rewards and not algorithm.any_rewards:
            got = words(f"{algorithm.id} on rewards outside [0, 1]")
            hint = f'{algorithm.id} requires rewards in [0, 1]: clip them, as in Gaussian(means, outside="clip")'
            raise PrivcheckError("environment", got, "rewards in [0, 1]", hint)
