"""Runs without seeds: a fresh fair coin decides before each of them on which of two inputs it is played.

What a target keeps of earlier runs is then no difference between the inputs: which ones came before is independent of
the one that is played. In turns of equal length, and where coins fall until both inputs have had their number, the
last input would be known from the others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from privcheck.arrays import Bools
from privcheck.targets._outputs import Outputs, Sides
from privcheck.targets._runners import Runner

BLOCK = 100
"""Runs of one call, both inputs together: one worker plays them, in their order."""

MARGIN = 8
"""Coins that are drawn at once beyond those that are needed on average, at least."""


class Turns(NamedTuple):
    """A block of runs on two inputs.

    Parameters
    ----------
    tables : the two inputs.
    second : for each run, whether it is played on the second one.
    seed : of the block; each run has a seed of its own.
    """

    tables: tuple[Any, Any]
    second: Bools
    seed: np.random.SeedSequence


def coins(runs: int, seed: np.random.SeedSequence) -> Bools:
    """Return independent fair coins up to the one with which both sides have come up so often.

    Runs for which they fall beyond that number on one side are played as well, so that no coin is known beforehand.

    >>> found = coins(50, np.random.SeedSequence(0))
    >>> int(found.sum()) >= 50, int((~found).sum()) >= 50, min(found.sum(), (~found).sum()) == 50
    (True, True, np.True_)
    """
    rng = np.random.Generator(np.random.PCG64(seed))
    found = np.zeros(0, bool)
    while min(found.sum(), (~found).sum()) < runs:
        found = np.concatenate([found, rng.random(2 * runs + MARGIN) < 0.5])
    ends = [np.flatnonzero(np.cumsum(side) == runs)[0] for side in (found, ~found)] if runs else [-1]
    return found[: max(ends) + 1]


def blocks(tables: tuple[Any, Any], second: Bools, seeds: list[np.random.SeedSequence]) -> list[Turns]:
    """Return the blocks of runs, one for each seed."""
    return [Turns(tables, second[BLOCK * i : BLOCK * (i + 1)], seed) for i, seed in enumerate(seeds)]


def played_in_turns(runner: Runner, block: Turns) -> Sides:
    """Return the outputs of a block on each input, each in the order in which they were made."""
    found: tuple[list[Outputs], list[Outputs]] = ([], [])
    for side, seed in zip(block.second.tolist(), block.seed.spawn(len(block.second)), strict=True):
        own, other = block.tables[side], block.tables[1 - side]
        found[side].append(runner.play(own, 1, seed, other))
    both = [Outputs.joined(part) if part else None for part in found]
    some = next(outputs for outputs in both if outputs is not None)
    first, second = (some[:0] if outputs is None else outputs for outputs in both)
    if second.ratios is not None:
        second = Outputs(second.symbols, second.numbers, -second.ratios, names=second.names)
    return first, second


MOST_KEPT = 200_000
"""Runs of a course that are kept."""


@dataclass
class Course:
    """Runs in the order in which they were made, and the coins that decided about them."""

    seconds: list[Bools] = field(default_factory=list)
    outputs: list[Outputs] = field(default_factory=list)
    runs: int = 0

    @property
    def second(self) -> Bools:
        """The coins."""
        return np.concatenate(self.seconds)

    def add(self, second: Bools, sides: Sides, most: int) -> None:
        """Note the first runs of a block: those after the first `most` depend on how many there were."""
        whole = Outputs.joined(sides)
        place = np.argsort(np.argsort(second, kind="stable"))[: min(len(second), most, MOST_KEPT - self.runs)]
        if len(place):
            self.seconds.append(second[: len(place)])
            self.outputs.append(Outputs(whole.symbols[place], whole.numbers[place], names=whole.names))
            self.runs += len(place)
