"""A statistical audit of a patched program: a lower bound on epsilon from runs on two neighbouring streams."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from privcheck.arrays import Table
from privcheck.auditing import bound_from_samples
from privcheck.certifying import first_finding
from privcheck.feedback import kind
from privcheck.fixing._look import Setting
from privcheck.targets import Claim, Game, Target, load_policy, play_rounds

RUNS, SCREENED, ROUNDS = 2000, 60, 32
"""Runs per stream that are counted, runs per stream by which the pair of streams is chosen, and the fewest rounds of a
run: a first block has up to 16 rewards of an arm, and nothing is released before it ends.
"""

ERROR = 1e-3
"""Probability with which a patch that keeps the certified epsilon is withdrawn by chance."""

NOTHING = 1e-12
"""A budget that refuses whatever is released."""


class Audited(NamedTuple):
    """What an audit gives.

    Parameters
    ----------
    epsilon_lower : a lower bound on epsilon.
    runs, rounds : runs per stream that gave it, and rounds of each.
    releases : whether guarded runs of so many rounds release anything; otherwise the bound says nothing of noise.
    confidence : of the bound.
    """

    epsilon_lower: float
    runs: int
    rounds: int
    releases: bool
    confidence: float = 1.0 - ERROR


def audited(file: Path, class_name: str, setting: Setting, rounds: int = ROUNDS) -> Audited:
    """Return a lower bound on epsilon that holds whatever a certificate says.

    The pair of streams is the one of a few on which short runs differ most; the runs of the bound are made afresh. The
    actions of all rounds are observed.

    Parameters
    ----------
    file, class_name, setting : the program, the budget, the arms, the range of rewards and the seed.
    rounds : of a run, at least; those of the certificate.
    """
    rounds = max(rounds, ROUNDS)
    claim, game = Claim(epsilon=setting.epsilon), Game(arms=setting.arms, horizon=rounds, rewards=setting.rewards)
    policy = load_policy(f"{file}:{class_name}").target(claim, game, rounds, setting.arms)
    play = _player(policy, setting)
    pairs = list(pairs_of(setting, rounds))
    differences = [
        _difference(
            *(_outputs(play, table, setting.seed, (1, number, side), SCREENED) for side, table in enumerate(pair))
        )
        for number, pair in enumerate(pairs)
    ]
    chosen = pairs[int(np.argmax(differences))]
    first, second = (_outputs(play, table, setting.seed, (2, side), RUNS) for side, table in enumerate(chosen))
    bound = bound_from_samples(first, second, epsilon=setting.epsilon, confidence=1.0 - ERROR, error=ERROR)
    refused = first_finding(policy, Claim(epsilon=NOTHING), game, rounds, 2, setting.seed)
    return Audited(bound.epsilon_lower, RUNS, rounds, refused is not None, 1.0 - ERROR)


def pairs_of(setting: Setting, rounds: int = ROUNDS) -> list[tuple[Table, Table]]:
    """Return pairs of neighbouring streams: constant ones, and ones where the first arm is the best, that differ in one
    early round.

    >>> first, second = pairs_of(Setting(arms=2))[0]
    >>> np.flatnonzero((first != second).any(axis=1)).tolist()
    [0]
    """
    low, high = setting.rewards
    bases = [np.full((rounds, setting.arms), value) for value in (low, high)]
    bases.append(np.full((rounds, setting.arms), low))
    bases[-1][:, 0] = high
    found = []
    for base in bases:
        for changed in (0, 1, setting.arms, setting.arms + 2):
            if changed < rounds - 1:
                other = base.copy()
                other[changed] = np.where(base[changed] == low, high, low)
                found.append((base, other))
    return found


def _player(policy: Target, setting: Setting) -> Callable[[Table, np.random.Generator], list[int]]:
    by = kind(setting.feedback)

    def play(table: Table, rng: np.random.Generator) -> list[int]:
        return play_rounds(by, policy.build(rng), by.rounds(table, setting.arms, None), setting.arms)

    return play


def _outputs(play: Callable[[Table, np.random.Generator], list[int]], table: Table, *seed: Any) -> Any:
    own, purpose, runs = seed
    return np.array([play(table, np.random.default_rng([own, *purpose, run])) for run in range(runs)], np.int64)


def _difference(first: Any, second: Any) -> float:
    """Return the largest difference between the shares of runs that play an arm in a round."""
    arms = range(int(max(first.max(), second.max())) + 1)
    return max(float(np.abs((first == arm).mean(axis=0) - (second == arm).mean(axis=0)).max()) for arm in arms)
