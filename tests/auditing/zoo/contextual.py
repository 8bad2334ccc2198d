"""Contextual bandits under joint differential privacy: the actions of all other rounds are seen."""

import numpy as np

import privcheck

from .twins import Twins, policy

CONTEXTS = privcheck.Contexts(shape=(1,))
JOINT = {
    "arms": 2,
    "horizon": 6,
    "feedback": "contextual",
    "neighbours": "context-reward",
    "contexts": CONTEXTS,
}


def linear(table, rng, runs, *, raw_statistics=False, raw_contexts=False):
    """Play arm 1 when context times the estimate is positive; every second round releases the sum of products.

    Replacing a round moves reward times context by at most 2: the noise has scale 2.

    Parameters
    ----------
    table : columns are the rewards of two arms and a context in [-1, 1].
    raw_statistics : the estimate adds the products since the last release.
    raw_contexts : remembers contexts, and plays arm 1 when the last one was like this one.

    """
    actions = np.zeros((runs, len(table)), int)
    released, since = np.zeros(runs), np.zeros(runs)
    for t, context in enumerate(table[:, 2]):
        estimate = released + since if raw_statistics else released
        actions[:, t] = context * estimate > 0.0
        if raw_contexts and t:
            actions[:, t] ^= int(context * table[t - 1, 2] > 0.0)
        since += table[t, actions[:, t]] * context
        if t % 2:
            released, since = released + since + rng.laplace(scale=2.0, size=runs), np.zeros(runs)
    return actions


def private(table, rng, runs):
    return linear(table, rng, runs)


def with_raw_statistics(table, rng, runs):
    return linear(table, rng, runs, raw_statistics=True)


def with_raw_contexts(table, rng, runs):
    return linear(table, rng, runs, raw_contexts=True)


def all_actions(data, rng, runs):
    """The private policy as a mechanism that puts out every action, that of the round which differs included."""
    return linear(data, rng, runs)


TWINS = [
    Twins(
        "own round is output",
        "an action shows its own context (Shariff and Sheffet 2018, Claim 13); joint privacy leaves it out",
        all_actions,
        policy(private),
        for_broken={"arms": 3, "horizon": 6, "rewards": (-1.0, 1.0)},
        for_correct=JOINT,
    ),
    Twins(
        "statistics without noise until the release",
        "a round's context and reward are in the estimate at once, and get noise later",
        policy(with_raw_statistics),
        policy(private),
        options=JOINT,
    ),
    Twins(
        "raw contexts are stored",
        "an action compares its context with the one before",
        policy(with_raw_contexts),
        policy(private),
        options=JOINT,
    ),
]
