"""Environments in words: their id, and the means of their arms, by name where a log has names."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from privcheck.reporting._text.numbers import clean, shorten
from privcheck.results import Simulation

MOST_ARMS = 12


def place_text(simulation: Simulation) -> str:
    """Return the environment's id and the means of its arms, the first of them where there are many.

    >>> from privcheck.simulation._simulate import simulate
    >>> place_text(simulate("ucb", [0.75, 0.5], horizon=100, runs=5))
    'bernoulli (means 0.75, 0.5)'
    """
    place = simulation.environment
    if parameters := getattr(place, "described", {}):
        return f"{place.id} ({', '.join(f'{name} {value}' for name, value in parameters.items())})"
    return described_place(place.id, place.means, getattr(place, "names", ()))


def described_place(name: str, means: Sequence[float], labels: Sequence[str] = ()) -> str:
    """Return an environment in words, with the names of its arms where a log has them.

    >>> described_place("replay", (0.5, 0.25), ("left", "right"))
    'replay (means left 0.5, right 0.25)'
    """
    named = [f"{shorten(clean(label), 20)} " for label in labels] or [""] * len(means)
    shown = [f"{label}{mean:.4g}" for label, mean in zip(named[:MOST_ARMS], means, strict=False)]
    more = f", ... {len(means)} arms" if len(means) > MOST_ARMS else ""
    return f"{name} (means {', '.join(shown)}{more})"


def picture_title(place: str, letters: int) -> str:
    r"""Return a place on lines of at most so many letters, without what a picture would take for a formula.

    >>> picture_title("replay (means $5 off 0.5, right 0.25)", 20)
    'replay (means \\$5 off\n0.5, right 0.25)'
    """
    return "\n".join(line.replace("$", "\\$") for line in textwrap.wrap(place, letters))
