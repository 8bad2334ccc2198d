"""Evidence that may be read at any time: an e-process, the wealth of bets on the chosen events, one pair of runs at a
time.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np

from privcheck.auditing.confirmation.evidence import Chosen, CountedEvent, counted
from privcheck.auditing.confirmation.tally import Tally
from privcheck.inference.sequential import SequentialTest
from privcheck.targets.outputs import Sides
from privcheck.targets.settings import Settings


@dataclass(frozen=True)
class Anytime:
    """The evidence from bets on pairs of runs.

    Parameters
    ----------
    pairs : runs per stream that were bet on.
    e_value : a value of at least 1 / error refutes the claim at level `error`; None without a claim.
    lower : lower bound on epsilon at the requested confidence, valid at any time.
    winner : the event with the largest observed log-ratio.

    """

    pairs: int
    e_value: float | None
    lower: float
    winner: CountedEvent

    def verdict(self, settings: Settings) -> str | None:
        """Return "violation" or "inconclusive"; None without a claim."""
        if self.e_value is None:
            return None
        return "violation" if self.e_value >= 1.0 / settings.error else "inconclusive"


class Bets:
    """Bets on all chosen events, whose e-values are averaged.

    Parameters
    ----------
    chosen : events that were chosen before the first pair of runs.
    settings : the claim and the levels of the audit.

    """

    def __init__(self, chosen: Chosen, settings: Settings) -> None:
        self.chosen, self.settings = chosen, settings
        mirrored = any(event.mirror is not None for event, _ in chosen.events)
        claim = 0.0 if settings.epsilon is None else settings.epsilon
        self.test = SequentialTest(claim, settings.delta, len(chosen.events), mirrored=mirrored)

    @classmethod
    def on(cls, chosen: Chosen, settings: Settings, tally: Tally) -> Bets:
        """Return the bets on all runs of a tally, in their order."""
        bets = cls(chosen, settings)
        bets.test.add_blocks(tally.blocks, tally.lengths)
        return bets

    def add(self, sides: Sides) -> None:
        """Bet on further pairs of runs, one on each stream, in their order."""
        one, two = [], []
        for event, _ in self.chosen.events:
            codes = event.codes(sides[0]), event.codes(sides[1])
            one.append(codes[1] if event.reverse else codes[0])
            two.append(codes[0] if event.reverse else codes[1])
        self.test.update(np.stack(one, axis=1), np.stack(two, axis=1))

    def extended(self, sides: Sides) -> Bets:
        """Return these bets and bets on further pairs of runs; these stay as they are."""
        bets = copy.copy(self)
        bets.test = copy.deepcopy(self.test)
        bets.add(sides)
        return bets

    def read(self, tally: Tally, level: float) -> Anytime:
        """Return the evidence; `tally` counts all runs that were bet on, for the witness."""
        winner = max(counted(self.chosen, tally), key=lambda c: (c.counts.hits + 0.5) / (c.counts.misses + 0.5))
        e_value = None if self.settings.epsilon is None else self.test.largest_e_value
        return Anytime(self.test.pairs, e_value, self.test.lower_bound(level), winner)
