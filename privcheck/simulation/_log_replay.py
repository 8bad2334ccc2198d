"""Replay of logged feedback by rejection: what a policy would earn, estimated from the rows where the log agrees."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from privcheck.arrays import Array, ComparedByValue, Integers
from privcheck.bandits import Algorithm
from privcheck.declared import POSITIVE, Choice, Integer, check
from privcheck.environments import LoggedFeedback, Replay
from privcheck.errors import PrivcheckError, words
from privcheck.feedback import as_arm
from privcheck.kernels import SEED, Generators, generators
from privcheck.results import OwnPolicy
from privcheck.simulation._labels import chosen_algorithm
from privcheck.simulation._own_policies import is_own, load_own
from privcheck.targets import SimulatedBudget

ESTIMATORS = ("rejection", "inverse-propensity", "doubly-robust")


@dataclass(frozen=True, eq=False)
class ReplayResult(ComparedByValue):
    """The runs of one policy on a log.

    Parameters
    ----------
    policy : the spec that was run; an `OwnPolicy` if it is not shipped.
    reward : mean reward per matched row of each run, shape (runs,); NaN if no row matched.
    matched : number of rows used in each run, which is the number of rounds played, shape (runs,).
    rows : number of rows of the log.
    weighted, doubly_robust : the inverse-propensity and the doubly robust estimate of the mean reward per round in each
        run, shape (runs,).
    errors : standard errors of the three estimates in each run, shape (3, runs): of `reward`, `weighted` and
        `doubly_robust`, for the log as a sample of rounds; NaN where the policy waited for one match only.
    """

    policy: Algorithm | OwnPolicy
    reward: Array = field(repr=False)
    matched: Integers = field(repr=False)
    rows: int
    weighted: Array = field(repr=False, default_factory=lambda: np.zeros(0))
    doubly_robust: Array = field(repr=False, default_factory=lambda: np.zeros(0))
    errors: Array = field(repr=False, default_factory=lambda: np.zeros((3, 0)))

    def estimates(self) -> list[dict[str, Any]]:
        """Return the three estimates of the mean reward per round, each with the average standard error of a run.

        Averaging over runs removes the spread of coins and order, and not the error of the log, which all runs share:
        the standard error is therefore that of one run.
        """
        values = (self.reward, self.weighted, self.doubly_robust)
        return [
            {"estimator": name, "reward": float(np.nanmean(value)), "se": float(np.nanmean(error))}
            for name, value, error in zip(ESTIMATORS, values, self.errors, strict=True)
        ]

    def summary(self) -> dict[str, Any]:
        """Return the policy, the mean and the 5 and 95 % quantiles of the reward, and the mean number of rounds.

        The quantiles are over coins, noise and order; they do not measure the error of the log as a sample.
        """
        q05, q95 = (float(q) for q in np.quantile(self.reward, (0.05, 0.95)))
        return {
            "policy": self.policy.describe(),
            "reward": float(self.reward.mean()),
            "q05": q05,
            "q95": q95,
            "rounds": float(self.matched.mean()),
            "rows": self.rows,
            "runs": len(self.reward),
        }


def replay(
    policy: str | Algorithm | Callable[..., Any],
    log: LoggedFeedback,
    *,
    runs: int = 100,
    seed: int = 0,
    epsilon: float | None = None,
    order: str = "logged",
) -> ReplayResult:
    r"""Play a policy on a log: a row is used if its arm is the one that the policy selects, and skipped otherwise.

    If rows are independent and identically distributed and arms were chosen independently of anything that rewards
    depend on, the matched rows have the law of a real interaction: the mean reward estimates what the policy would earn
    in as many rounds as matched. If arms were chosen by users' features, the log needs their probabilities p: a row is
    kept with probability min p / p, which makes the choice uniform. About n / K of n rows match. A policy that needs a
    horizon gets n, the largest possible.

    Two further estimates use every row k, also the skipped ones, while the policy waits with arm a for its next match:
    V_k = m(a) + 1{a_k = a} (r_k - m(a)) / p_k, with m = 0 for inverse propensities, and with the mean of arm a in the
    rows before k for the doubly robust estimate. Given what came before, V_k has the mean of arm a as its expectation,
    whatever m is; and since every round waits for equally many rows on average, the mean of V_k estimates the mean
    reward per round. Rows in which the policy waits for one match have its arm in common, so the standard error adds up
    what they deviate from the mean, wait by wait. It includes how the arms differ and what the policy gains by
    learning: it is too large rather than too small.

    Conditions of all three: rows are independent with one law; p is the true probability of the logged arm, above 0 for
    every arm, and does not depend on rewards. Without a column of propensities it is 1 / K.

    Parameters
    ----------
    policy : a shipped id, a spec or a factory of your own, with bandit feedback and as many arms as the log.
    log : the logged feedback.
    runs : number of runs, each with fresh coins and noise and, if shuffled, a fresh order.
    seed : at least 0.
    epsilon : privacy budget of a policy given by id.
    order : "logged" for the order of the log, "shuffled" for a random order in every run.

    Guarantee
    ---------
    No privacy for the log: this is an experiment on it, with fast floating-point noise.

    Raises
    ------
    PrivcheckError : a policy for full information or another number of arms, or a value out of range.

    Source
    ------
    Li, Chu, Langford and Wang 2011, Algorithm 2 and Theorem 1; Dudik, Erhan, Langford and Li 2012, DR-ns.

    Examples
    --------
    >>> log = LoggedFeedback(("a", "b"), np.array([0, 1] * 500), np.array([1.0, 0.0] * 500), np.ones(1000))
    >>> result = replay("ucb", log, runs=1)
    >>> int(result.matched[0]) < 1000, bool(result.reward[0] > 0.9)
    (True, True)
    """
    runs, seed = check("runs", runs, Integer(1)), check("seed", seed, SEED)
    order = check("order", order, Choice(("logged", "shuffled")))
    budget = None if epsilon is None else check("epsilon", epsilon, POSITIVE, "give a positive budget")
    given: object = log
    if not isinstance(given, LoggedFeedback):
        hint = "in the environment Replay of a log, simulate(policy, environment=...) plays it"
        raise PrivcheckError(
            "log", words(type(given).__name__), "LoggedFeedback, as from_csv and from_frame return", hint
        )
    rows = len(log.actions)
    known, build = _policy(policy, log, budget, rows)
    propensities = log.propensities
    if (propensities == 1.0).all():
        propensities = np.full(rows, 1.0 / len(log.arms))
    matched, values, errors = np.zeros(runs, np.int64), np.full((3, runs), np.nan), np.full((3, runs), np.nan)
    keep = propensities.min() / propensities
    for run in range(runs):
        streams = generators(seed, run)
        played = build(streams)
        sequence = np.arange(rows) if order == "logged" else streams.rewards.permutation(rows)
        accepted = streams.rewards.random(rows) < keep[sequence]
        columns = (log.actions[sequence], log.rewards[sequence], propensities[sequence], accepted)
        found = _one_run(played, len(log.arms), *(column.tolist() for column in columns))
        matched[run] = len(found[0][0])
        for place, (sample, waits) in enumerate(found):
            if len(sample):
                values[place, run] = np.mean(sample)
                errors[place, run] = _error(sample, waits)
    return ReplayResult(known, values[0], matched, rows, values[1], values[2], errors)


def _policy(
    policy: Any, log: LoggedFeedback, budget: float | None, rows: int
) -> tuple[Algorithm | OwnPolicy, Callable[[Generators], Any]]:
    """Return what is played, and what builds it for one run."""
    if is_own(policy):
        loaded = load_own(policy, Replay.from_log(log), rows, SimulatedBudget(epsilon=budget).promised, "bandit")
        return loaded.own, lambda streams: loaded.runner.build(streams.coins)
    algorithm = chosen_algorithm(policy, len(log.arms), budget, rows)
    if algorithm.feedback != "bandit":
        got = words(f"{algorithm.id}, which takes {algorithm.feedback} feedback")
        raise PrivcheckError("policy", got, "a policy with bandit feedback", "a log has one reward per round")
    return algorithm, lambda streams: algorithm.build(streams.coins, noise=streams.noise)


def _one_run(
    played: Any, arms: int, actions: list[int], rewards: list[float], propensities: list[float], accepted: list[bool]
) -> list[tuple[list[float], list[int]]]:
    """Return what each of the three estimates averages, and the number of the wait in which it arose."""
    matched, waits = list[float](), list[int]()
    weighted, robust = [0.0] * len(actions), [0.0] * len(actions)
    sums, counts = [0.0] * arms, [0] * arms
    arm = as_arm(played.select(), arms, "action in round 1")
    for k, (action, value, odds, taken) in enumerate(zip(actions, rewards, propensities, accepted, strict=True)):
        robust[k] = model = sums[arm] / counts[arm] if counts[arm] else 0.0
        if action == arm:
            weighted[k] = value / odds
            robust[k] += (value - model) / odds
        sums[action] += value
        counts[action] += 1
        waits.append(len(matched))
        if action == arm and taken:
            matched.append(value)
            played.update(arm, value)
            arm = as_arm(played.select(), arms, f"action in round {len(matched) + 1}")
    return [(matched, list(range(len(matched)))), (weighted, waits), (robust, waits)]


def _error(sample: list[float], waits: list[int]) -> float:
    """Return the standard error of a mean of terms that may depend on each other within a wait; NaN for one wait."""
    number = waits[-1] + 1
    if number < 2:
        return math.nan
    apart = np.bincount(waits, np.asarray(sample) - np.mean(sample))
    return float(np.sqrt(number / (number - 1) * np.sum(apart**2)) / len(sample))
