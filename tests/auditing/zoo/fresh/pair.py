"""What a pair of twins consists of, and how their runs are played on a known pair of neighbours."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import stats


@dataclass(frozen=True)
class Pair:
    """Two targets that claim epsilon = 1: one whose loss is at least 1.6, and one that differs in a line and keeps it.

    Parameters
    ----------
    name : what leaks.
    why : why the leak hides, and what shows it.
    loss : the loss of the broken twin between `streams`: the supremum over all events, infinite where an event is
        impossible on the second stream, or where tails of different scales are compared.
    bound : why the correct twin's loss is at most 1, between all neighbours.
    broken, correct : factories `f(rng)` of policies, or functions of data: `f(data, rng)` or `f(data, rng, runs)`.
    streams : the neighbours that show the leak; the event is likelier on the first.
    event : a predicate of one output; for functions of many runs, of the array of outputs, a row each.
    shares : the exact probabilities of the event for the broken twin, on the first stream and on the second.
    options : what an audit is told: arms, horizon, rewards, feedback, neighbours, contexts.
    runs : with which the event is counted.
    """

    name: str
    why: str
    loss: float
    bound: str
    broken: Callable[..., Any]
    correct: Callable[..., Any]
    streams: tuple[Any, Any]
    event: Callable[[Any], Any]
    shares: tuple[float, float]
    options: dict[str, Any] = field(default_factory=dict)
    runs: int = 8000

    @property
    def kind(self) -> str:
        return str(self.options.get("feedback", "function"))


def rows(*values, arms=2):
    """Return a table of rewards in which all arms of a round have the same reward."""
    return np.repeat(np.asarray(values, dtype=float)[:, None], arms, axis=1)


def table(*values):
    return np.asarray(values, dtype=float)


def two_sided(rng, epsilon, size=None):
    """Return integers with probabilities in proportion to e^(-epsilon |k|)."""
    share = 1.0 - np.exp(-epsilon)
    return rng.geometric(share, size) - rng.geometric(share, size)


def high(data):
    """Return how many rows are above a half."""
    return int(np.sum(np.asarray(data) > 0.5))


A = float(np.exp(-1.0))
"""The ratio of the probabilities of two-sided noise at epsilon = 1."""


def tail(x, scale=1.0):
    """Return the probability that Laplace noise is above x."""
    return float(stats.laplace(scale=scale).sf(x))


def tail_of_two(x, scale=1.0):
    """Return the probability that the sum of two Laplace noises is above x >= 0: (2 + z) e^-z / 4 for z = x / scale."""
    z = x / scale
    return float((2.0 + z) * np.exp(-z) / 4.0)


def named(name, body, line):
    """Return the function of data, of one run or of many, that has this line."""
    if "runs" in inspect.signature(body).parameters:

        def release(data, rng, runs):
            return body(line, data, rng, runs)

    else:

        def release(data, rng):
            return body(line, data, rng)

    release.__name__ = release.__qualname__ = name
    return release


def twins(body, broken, correct):
    """Return the twins `body(line, data, rng)`, or `body(line, data, rng, runs)`, which differ in their line."""
    name = body.__name__
    return {"broken": named(f"broken_{name}", body, broken), "correct": named(f"correct_{name}", body, correct)}


# How each kind of feedback is played; an output is what an observer sees.


def bandit(policy, stream):
    actions = []
    for row in stream:
        actions.append(policy.select())
        policy.update(actions[-1], float(row[actions[-1]]))
    return tuple(actions)


def full(policy, stream):
    actions = []
    for row in stream:
        actions.append(policy.select())
        policy.update(actions[-1], row)
    return tuple(actions)


def semi_bandit(policy, stream):
    actions = []
    for row in stream:
        actions.append(tuple(policy.select()))
        policy.update(actions[-1], row[list(actions[-1])])
    return tuple(actions)


def batch(policy, stream):
    actions: list[int] = []
    while len(actions) < len(stream):
        chosen = policy.act(min(policy.batch, len(stream) - len(actions)))
        rounds = range(len(actions), len(actions) + len(chosen))
        policy.learn(np.asarray(chosen), stream[rounds, chosen])
        actions.extend(chosen)
    return tuple(actions)


def delayed(policy, stream):
    delay = policy.delay if isinstance(policy.delay, list) else [policy.delay]
    due = [t + delay[min(t, len(delay) - 1)] for t in range(len(stream))]
    actions: list[int] = []
    for now in range(len(stream)):
        actions.append(policy.select())
        for t in range(now + 1):
            if due[t] == now:
                policy.update(t + 1, float(stream[t, actions[t]]))
    return tuple(actions)


def identification(policy, stream):
    """Play until the policy stops; the output is the actions and the arm, which is None if it did not stop."""
    actions: list[int] = []
    for row in stream:
        if policy.stopped:
            return tuple(actions), policy.recommend()
        actions.append(policy.select())
        policy.update(actions[-1], float(row[actions[-1]]))
    return tuple(actions), policy.recommend() if policy.stopped else None


def contextual(policy, stream):
    """Play rounds of two rewards and a context."""
    actions = []
    for row in stream:
        actions.append(policy.select(row[2:]))
        policy.update(row[2:], actions[-1], float(row[actions[-1]]))
    return tuple(actions)


PLAYERS = {
    "bandit": bandit,
    "full": full,
    "semi-bandit": semi_bandit,
    "batch": batch,
    "delayed": delayed,
    "identification": identification,
    "contextual": contextual,
}


def makes_many_runs(target) -> bool:
    return "runs" in inspect.signature(target).parameters


def outputs(pair: Pair, target, side: int, rng: np.random.Generator) -> Iterator[Any]:
    """Yield the outputs of runs on one of the streams of the pair, one by one."""
    stream = pair.streams[side]
    own = len(stream)
    if pair.kind == "contextual":  # privacy is joint: the round that differs does not show its own action
        own = int(np.flatnonzero((pair.streams[0] != pair.streams[1]).any(axis=1))[0])
    for _ in range(pair.runs):
        if pair.kind == "function":
            yield target(np.array(stream), rng)
        else:
            output = PLAYERS[pair.kind](target(rng), stream)
            yield output[:own] + output[own + 1 :]


def count(pair: Pair, target, side: int, rng: np.random.Generator) -> tuple[int, int]:
    """Return in how many runs of how many the event happened on one of the streams of the pair."""
    if makes_many_runs(target):
        runs = 5 * pair.runs
        return int(np.count_nonzero(pair.event(target(np.array(pair.streams[side]), rng, runs)))), runs
    return sum(bool(pair.event(output)) for output in outputs(pair, target, side, rng)), pair.runs


def count_outputs(pair: Pair, target, side: int, rng: np.random.Generator) -> Counter[str]:
    """Return how often each output appeared on one of the streams of the pair."""
    return Counter(repr(output) for output in outputs(pair, target, side, rng))


def least_loss(first: tuple[int, int], second: tuple[int, int], level: float) -> float:
    """Return the Clopper-Pearson bound ln(lower limit / upper limit) from counts, each limit at this level."""
    (hits, runs), (misses, others) = first, second
    if not hits:
        return -np.inf
    lower = stats.beta.ppf(level, hits, runs - hits + 1)
    upper = 1.0 if misses == others else stats.beta.isf(level, misses + 1, others - misses)
    return float(np.log(lower / upper))
