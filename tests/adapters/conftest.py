"""What the tests of the adapters share: the libraries, where they are installed, a cheap pair of streams, and runs."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import privcheck
from privcheck.mechanisms import RandomisedResponse

CONTEXTS = privcheck.Contexts(shape=(2,), norm=1.0)


@pytest.fixture(scope="session")
def mabwiser():
    """`mabwiser.mab`: MAB, LearningPolicy and NeighborhoodPolicy."""
    return pytest.importorskip("mabwiser.mab", reason="needs MABWiser, which privcheck[adapters] installs")


@pytest.fixture(scope="session")
def coba():
    return pytest.importorskip("coba", reason="needs coba, which privcheck[adapters] installs")


@pytest.fixture(scope="session")
def streams():
    """Two streams of four rounds of two arms that differ in the second, when a policy that tries both plays arm 1."""
    first, second = np.zeros((4, 2)), np.zeros((4, 2))
    second[1] = 1.0
    return first, second


@pytest.fixture(scope="session")
def contextual(streams):
    """The options of a contextual audit on `streams`, with the same context in every round."""
    shown = np.tile([1.0, 0.0], (4, 1))
    return {
        "feedback": "contextual",
        "neighbours": "context-reward",
        "contexts": CONTEXTS,
        "streams": tuple(CONTEXTS.join(table, shown) for table in streams),
    }


@pytest.fixture(scope="session")
def play():
    """Return functions of (adapter, seed, table of rewards, contexts) that play one run and return its actions."""

    def actions(adapter, seed, rewards, contexts=None):
        policy, played = adapter(np.random.default_rng(seed)), []
        for number, row in enumerate(rewards):
            shown = () if contexts is None else (contexts[number],)
            played.append(policy.select(*shown))
            policy.update(*shown, played[-1], row[played[-1]])
        return played

    def randomise(epsilon):
        response = RandomisedResponse(categories=2, epsilon=epsilon)
        return lambda reward, rng: response.release(privcheck.rounded(reward), rng)

    return SimpleNamespace(actions=actions, randomise=randomise)
