"""Replay of logged feedback by rejection: what a policy would earn, estimated from the rows where the log agrees."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from privcheck.arrays import Array, Integers
from privcheck.bandits.base import Algorithm
from privcheck.declared import POSITIVE, Choice, Integer, check
from privcheck.environments.logged import LoggedFeedback
from privcheck.errors import PrivcheckError, words
from privcheck.kernels.seeding import SEED, generators
from privcheck.simulation.labels import chosen_algorithm


@dataclass(frozen=True)
class ReplayResult:
    """The runs of one policy on a log.

    Parameters
    ----------
    policy : the spec that was run.
    reward : mean reward per matched row of each run, shape (runs,); NaN if no row matched.
    matched : number of rows used in each run, which is the number of rounds played, shape (runs,).
    rows : number of rows of the log.
    """

    policy: Algorithm
    reward: Array = field(repr=False)
    matched: Integers = field(repr=False)
    rows: int

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
    policy: str | Algorithm,
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

    Parameters
    ----------
    policy : a shipped id or a spec, with bandit feedback and as many arms as the log.
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
    Li, Chu, Langford and Wang 2011, Algorithm 2 and Theorem 1.

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
    rows = len(log.actions)
    algorithm = chosen_algorithm(policy, len(log.arms), budget, rows)
    if algorithm.feedback != "bandit":
        got = words(f"{algorithm.id}, which takes {algorithm.feedback} feedback")
        raise PrivcheckError("policy", got, "a policy with bandit feedback", "a log has one reward per round")
    reward, matched = np.full(runs, np.nan), np.zeros(runs, np.int64)
    keep = log.propensities.min() / log.propensities
    for run in range(runs):
        streams = generators(seed, run)
        played: Any = algorithm.build(streams.coins, noise=streams.noise)
        sequence = np.arange(rows) if order == "logged" else streams.rewards.permutation(rows)
        kept = sequence[streams.rewards.random(rows) < keep[sequence]]
        total, arm = 0.0, played.select()
        for action, value in zip(log.actions[kept].tolist(), log.rewards[kept].tolist(), strict=True):
            if action == arm:
                played.update(arm, value)
                matched[run] += 1
                total += value
                arm = played.select()
        if matched[run]:
            reward[run] = total / matched[run]
    return ReplayResult(algorithm, reward, matched, rows)
