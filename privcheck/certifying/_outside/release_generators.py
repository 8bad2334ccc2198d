"""The Generators that mechanisms are given: without the guard, which has noise of its own, they draw the noise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from privcheck.generators import PCG64, GuardedDraws, HandledGenerator, bits_of, is_copied, spawned_from
from privcheck.private_values import own_place

OTHERS = "Generators of its own, taken to be seeded anew in each run, and not drawn from twice"
COPIED = "releases from a Generator that it copies or looks into, taken not to draw the same noise again"
CHANGED = "Generators of classes that are not numpy's, taken to draw what numpy's draw"


@dataclass
class ReleaseGenerators:
    """The Generators from which the releases of one run would draw.

    Parameters
    ----------
    given : the draws of the Generator that the policy was built with.

    Attributes
    ----------
    places : lines of releases that draw from that Generator.
    states : where that Generator stood at these releases.
    children : by its number, each Generator spawned by that one or by a child of it, and the lines of its releases.
    changed : lines of releases from Generators that are not numpy's own, by their class or by that of their bits.
    others : by its number, each other Generator, the line at which it was first used, and its state there.
    """

    given: GuardedDraws
    places: dict[str, None] = field(default_factory=dict)
    states: set[str] = field(default_factory=set)
    others: dict[int, tuple[Any, str, str]] = field(default_factory=dict)
    children: dict[int, tuple[Any, set[str]]] = field(default_factory=dict)
    changed: set[str] = field(default_factory=set)

    @property
    def exposed(self) -> set[str]:
        """The lines of releases from Generators that can draw the same numbers twice."""
        given = self.given.is_exposed
        looked_into = [places for child, places in self.children.values() if given or is_copied(child)]
        return {place for places in ([*self.places] if given else [], *looked_into) for place in places}

    def used(self, rng: Any) -> None:
        """Take note that a release is asked to draw from a Generator; None draws nothing."""
        if rng is None:
            return
        if type(rng) is HandledGenerator:
            self.places[own_place()] = None
            self.states.add(_state(rng))
            return
        if _is_changed(rng):
            self.changed.add(own_place())
        if isinstance(rng, np.random.Generator) and spawned_from(rng, self.given.bits):
            self.children.setdefault(id(rng), (rng, set()))[1].add(own_place())
        elif id(rng) not in self.others:
            self.others[id(rng)] = rng, own_place(), _state(rng)


def _is_changed(rng: Any) -> bool:
    """Tell whether the class of a Generator, or of its bits, is another one than numpy has."""
    classes = type(rng), type(bits_of(rng)) if isinstance(rng, np.random.Generator) else PCG64
    return any(cls is not PCG64 and cls.__module__.partition(".")[0] != "numpy" for cls in classes)


def _state(rng: Any) -> str:
    """Return where a Generator stands, as text."""
    return repr(getattr(bits_of(rng) if isinstance(rng, np.random.Generator) else rng, "state", None))


def noise_of_children(runs: Iterable[ReleaseGenerators | None]) -> list[str]:
    """Return the lines that drew noise, which the guard does not count, from Generators that were spawned."""
    return list(dict.fromkeys(place for run in runs if run is not None for place in run.given.noise_of_children))


def about_generators(runs: Iterable[ReleaseGenerators | None]) -> tuple[list[str], dict[str, list[str]]]:
    """Return notes on noise that is drawn twice, and what is taken on trust about Generators."""
    found = [run for run in runs if run is not None]
    copied = {place for run in found for place in run.exposed}
    changed = {place for run in found for place in run.changed}
    others = {number: kept for run in found for number, kept in run.others.items()}
    states = Counter(state for _, _, state in others.values())
    states.update({state for run in found for state in run.states})
    again = dict.fromkeys(place for _, place, state in others.values() if states[state] > 1)
    trusted = {OTHERS: {place for _, place, _ in others.values()}, COPIED: copied, CHANGED: changed}
    notes = [AGAIN.format(", ".join(again))] if again else []
    return notes, {kind: sorted(places) for kind, places in trusted.items() if places}


AGAIN = (
    "{}: the noise of this release comes from a Generator that starts where another one did, so without the guard it "
    "can be known: draw from the Generator that the policy is built with"
)
