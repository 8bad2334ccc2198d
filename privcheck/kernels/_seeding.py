"""The randomness of simulations and audits: three Generators for every chunk of runs, never a global one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from privcheck.declared import Integer, check


class Generators(NamedTuple):
    """Three independent PCG64 Generators, in the order in which kernels take them."""

    rewards: np.random.Generator
    """For the environment's rewards."""
    coins: np.random.Generator
    """For the algorithm's own coins."""
    noise: np.random.Generator
    """For the privacy noise."""


def generators(seed: int, *key: int) -> Generators:
    """Return the Generators of one unit of work, such as a chunk of runs.

    Parameters
    ----------
    seed : the user's seed, an integer of at least 0.
    key : integers of at least 0 that name the unit of work; different keys give independent Generators.

    Returns
    -------
    (rewards, coins, noise), from `SeedSequence(seed, spawn_key=key).spawn(3)`.

    Raises
    ------
    PrivcheckError : a seed or a part of the key is not an integer of at least 0.

    Examples
    --------
    >>> rewards, coins, noise = generators(0, 2, 7)
    >>> float(noise.laplace()) == float(generators(0, 2, 7).noise.laplace())
    True
    >>> float(rewards.random()) == float(coins.random())
    False
    """
    entropy = check("seed", seed, SEED)
    sequence = np.random.SeedSequence(entropy, spawn_key=tuple(check("key", part, Integer(0)) for part in key))
    return spawned(sequence)


def spawned(sequence: np.random.SeedSequence) -> Generators:
    """Return the Generators of the next three children of a SeedSequence.

    >>> first, second = spawned(np.random.SeedSequence(0)), generators(0)
    >>> float(first.coins.random()) == float(second.coins.random())
    True
    """
    return Generators(*(np.random.Generator(np.random.PCG64(child)) for child in sequence.spawn(3)))


SEED = Integer(0)
"""The domain of seeds."""
