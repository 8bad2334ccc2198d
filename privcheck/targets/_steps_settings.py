"""The options of a look at noisy steps: those of an audit that it has too, and its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from privcheck.declared import POSITIVE, Integer
from privcheck.targets._options.claim_options import Claim
from privcheck.targets._options.declaring import EFFORT, PLAYED, Checked, like, option
from privcheck.targets._options.effort_options import Effort
from privcheck.targets._options.execution_options import Execution
from privcheck.targets._options.game_options import Game
from privcheck.targets._settings import Options


def _name(value: Any) -> str:
    """Return a name that is not empty."""
    if not isinstance(value, str) or not value:
        raise TypeError
    return value


SECONDS = 30.0
"""Seconds for looking and for playing calls if nothing else is said."""


@dataclass(frozen=True)
class StepsEffort(Effort):
    """How much is played."""

    runs: int | None = option(
        Integer(400),
        doc="Runs of the best call on each of its two inputs, in place of a time budget.",
        heading=EFFORT,
        hint="tens of thousands are usual",
    )
    time_budget: float = option(
        POSITIVE, doc="Seconds for looking and for playing calls alone.", heading=EFFORT, default=SECONDS,
        hint="give seconds", value="SECONDS",
    )  # fmt: skip
    pairs: int = like(
        Effort, "pairs", doc="Pairs of neighbours that are looked at, with two or three runs each.", default=40
    )


@dataclass(frozen=True)
class StepsGame(Game):
    """What is played."""

    law: Any = like(  # noqa: RUF009
        Game,
        "law",
        doc="FILE.py:NAME of a function of arguments of the step, by name, that returns the law of its output.",
        hint="law=lambda value, sensitivity: scipy.stats.laplace(value, sensitivity), say",
    )
    released: str | None = option(
        Checked("the name of a part of what the target returns, or 'output' for all of it", _name),
        doc="What the target releases of the step: an attribute, a key or a place of its output, or output for all.",
        heading=PLAYED,
        hint="released='coef_', say",
        value="NAME",
    )


@dataclass(frozen=True)
class StepsSettings(Options):
    """The checked options of `privcheck.steps`.

    >>> StepsSettings.of(epsilon=1).effort.pairs
    40
    """

    NAMES: ClassVar[tuple[str, ...]] = (
        "epsilon", "delta", "arms", "horizon", "rewards", "feedback", "runs", "time_budget", "pairs", "confidence",
        "error", "neighbours", "streams", "contexts", "encode", "law", "released", "time_limit", "seed",
    )  # fmt: skip

    claim: Claim = field(default_factory=Claim)
    game: StepsGame = field(default_factory=StepsGame)
    effort: StepsEffort = field(default_factory=StepsEffort)
    execution: Execution = field(default_factory=Execution)
