"""The Generators that mechanisms are given: without the guard, which has noise of its own, they draw the noise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from privcheck.generators import GuardedDraws, HandledGenerator, bits_of
from privcheck.private_values import own_place

OTHERS = "Generators of its own, taken to be seeded anew in each run, and not drawn from twice"
COPIED = "releases from a Generator that it copies or looks into, taken not to draw the same noise again"


@dataclass
class ReleaseGenerators:
    """The Generators from which the releases of one run would draw.

    Parameters
    ----------
    given : the draws of the Generator that the policy was built with.

    Attributes
    ----------
    places : lines of releases that draw from that Generator or its children.
    states : where that Generator stood at these releases.
    others : by its number, each other Generator, the line at which it was first used, and its state there.
    """

    given: GuardedDraws
    places: dict[str, None] = field(default_factory=dict)
    states: set[str] = field(default_factory=set)
    others: dict[int, tuple[Any, str, str]] = field(default_factory=dict)

    def used(self, rng: Any) -> None:
        """Take note that a release is asked to draw from a Generator; None draws nothing."""
        if rng is None or id(rng) in self.others:
            return
        if isinstance(rng, HandledGenerator) or self._is_child(rng):
            self.places[own_place()] = None
            self.states.add(_state(rng))
            return
        self.others[id(rng)] = rng, own_place(), _state(rng)

    def _is_child(self, rng: Any) -> bool:
        """Tell whether a Generator was spawned by that of the policy, or by a child of it."""
        both = getattr(rng, "bit_generator", None), self.given.bits
        seeds, own = (getattr(bits, "seed_seq", None) for bits in both)
        if not isinstance(seeds, np.random.SeedSequence) or not isinstance(own, np.random.SeedSequence):
            return False
        start = own.spawn_key
        further = len(seeds.spawn_key) > len(start) and seeds.spawn_key[: len(start)] == start
        return further and np.array_equal(np.asarray(seeds.entropy), np.asarray(own.entropy))


def _state(rng: Any) -> str:
    """Return where a Generator stands, as text."""
    return repr(getattr(bits_of(rng) if isinstance(rng, np.random.Generator) else rng, "state", None))


def about_generators(runs: Iterable[ReleaseGenerators | None]) -> tuple[list[str], dict[str, list[str]]]:
    """Return notes on noise that is drawn twice, and what is taken on trust about Generators."""
    found = [run for run in runs if run is not None]
    copied = {place for run in found if run.given.is_exposed for place in run.places}
    others = {number: kept for run in found for number, kept in run.others.items()}
    states = Counter(state for _, _, state in others.values())
    states.update({state for run in found for state in run.states})
    again = dict.fromkeys(place for _, place, state in others.values() if states[state] > 1)
    trusted = {OTHERS: {place for _, place, _ in others.values()}, COPIED: copied}
    notes = [AGAIN.format(", ".join(again))] if again else []
    return notes, {kind: sorted(places) for kind, places in trusted.items() if places}


AGAIN = (
    "{}: the noise of this release comes from a Generator that starts where another one did, so without the guard it "
    "can be known: draw from the Generator that the policy is built with"
)
