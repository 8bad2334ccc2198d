"""Whether two texts of a bandit play the same actions on plain rewards: what an edit of spelling has to keep."""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from privcheck.fixing._look import Setting, apart, load_text
from privcheck.fixing._source_text import SourceText
from privcheck.targets import Claim, Game, load, play_rounds
from privcheck.feedback import kind

SEEDS = 50
"""Runs in each of three cases; all of them have to be equal."""

SECONDS = 20.0


def plays_alike(source: SourceText, before: str, after: str, class_name: str, setting: Setting) -> bool:
    """Return whether both texts play the same actions in every round of every run.

    The cases have rewards of 0 and 1, of any size, and constant ones, and other numbers of arms and rounds. Equal runs
    have equal seeds, those of the global generators of numpy and Python too. A program that fails plays nothing.
    """
    compared = partial(_compared, before, after, source.path, class_name, setting)
    return bool(apart(compared, SECONDS, False))


def _compared(before: str, after: str, path: Path, class_name: str, setting: Setting) -> bool:
    one, two = (load_text(text, path, class_name) for text in (before, after))
    return all(
        _played(one, case, setting, seed) == _played(two, case, setting, seed) for case in range(3) for seed in range(SEEDS)
    )


def _played(factory: Any, case: int, setting: Setting, seed: int) -> list[int]:
    arms, horizon = setting.arms + (case == 1), 2 * setting.arms + (100, 40, 60)[case]
    low, high = setting.rewards
    rng = np.random.default_rng([setting.seed, case, seed])
    table = (rng.integers(0, 2, (horizon, arms)) * 1.0, rng.random((horizon, arms)), np.ones((horizon, arms)))[case]
    game = Game(arms=arms, rewards=setting.rewards)
    policy = load(factory).target(Claim(epsilon=setting.epsilon), game, horizon, arms)
    by = kind(setting.feedback)
    np.random.seed(seed)  # noqa: NPY002
    random.seed(seed)
    built = policy.build(np.random.default_rng([setting.seed, case, seed, 1]))
    return play_rounds(by, built, by.rounds(low + (high - low) * table, arms, None), arms)
