"""The options of a look at noisy steps: those of an audit that it has too, and its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from privcheck.declared import POSITIVE, Integer
from privcheck.targets._declaring_options import EFFORT, like, option
from privcheck.targets._options_claim import Claim
from privcheck.targets._options_effort import Effort
from privcheck.targets._options_execution import Execution
from privcheck.targets._options_game import Game
from privcheck.targets._settings import Options

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

    law: Any = like(
        Game,
        "law",
        doc="FILE.py:NAME of a function of the step's arguments, by name, that returns the law of what the step returns.",
        hint="law=lambda value, sensitivity: scipy.stats.laplace(value, sensitivity), say",
    )


@dataclass(frozen=True)
class StepsSettings(Options):
    """The checked options of `privcheck.steps`.

    >>> StepsSettings.of(epsilon=1).effort.pairs
    40
    """

    NAMES: ClassVar[tuple[str, ...]] = (
        "epsilon", "delta", "arms", "horizon", "rewards", "feedback", "runs", "time_budget", "pairs", "confidence",
        "error", "neighbours", "streams", "contexts", "encode", "law", "time_limit", "seed",
    )  # fmt: skip

    claim: Claim = field(default_factory=Claim)
    game: StepsGame = field(default_factory=StepsGame)
    effort: StepsEffort = field(default_factory=StepsEffort)
    execution: Execution = field(default_factory=Execution)
