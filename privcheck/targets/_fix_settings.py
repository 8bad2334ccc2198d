"""The options of a fix: those of a certificate that it has too, and its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from privcheck.declared import POSITIVE, Integer
from privcheck.errors import PrivcheckError
from privcheck.targets._options.claim_options import Claim
from privcheck.targets._options.declaring import EFFORT, PLAYED, like, option
from privcheck.targets._options.effort_options import Effort
from privcheck.targets._options.game_options import Game
from privcheck.targets._settings import Options

LOOKED_AT, PRICED, PRICE = 40, 2000, 60.0
"""Rounds of a look, rounds of a run whose regret is measured, and CPU seconds for that."""


@dataclass(frozen=True)
class FixedGame(Game):
    """What is played: with bandit feedback, and two arms at least."""

    arms: int | None = like(Game, "arms", doc="Number of arms K, at most 40.")
    horizon: int = option(
        Integer(24, 400),
        doc="Rounds of the guarded runs by which patches are looked for; the judge plays four times as many.",
        heading=PLAYED,
        default=LOOKED_AT,
        hint="40 are usual",
    )


@dataclass(frozen=True)
class FixEffort(Effort):
    """How much is measured."""

    rounds: int = option(
        Integer(100, 1_000_000),
        doc="Rounds of the runs by which regret is measured.",
        heading=EFFORT,
        default=PRICED,
        hint="2000 are usual",
    )
    time_budget: float = option(
        POSITIVE, doc="CPU seconds for measuring regret.", heading=EFFORT, default=PRICE, hint="give seconds",
        value="SECONDS",
    )  # fmt: skip


@dataclass(frozen=True)
class FixSettings(Options):
    """The checked options of `privcheck.fix`.

    >>> FixSettings.of(epsilon=1, arms=2).game.horizon
    40
    """

    NAMES: ClassVar[tuple[str, ...]] = (
        "epsilon", "arms", "horizon", "rewards", "rounds", "time_budget", "seed",
    )  # fmt: skip

    claim: Claim = field(default_factory=Claim)
    game: FixedGame = field(default_factory=FixedGame)
    effort: FixEffort = field(default_factory=FixEffort)

    def __post_init__(self) -> None:
        if self.claim.epsilon is None:
            raise PrivcheckError("epsilon", None, "a budget in pure DP", "give epsilon=1.0, or --epsilon 1")
        if self.game.arms is None:
            raise PrivcheckError("arms", None, "the number of arms of the bandit", "give arms=2, or --arms 2")
        if not 2 <= self.game.arms <= MOST_ARMS:
            hint = "patches hold for any number: fix it for a few arms"
            raise PrivcheckError("arms", self.game.arms, f"an integer in [2, {MOST_ARMS}]", hint)


MOST_ARMS = 40
