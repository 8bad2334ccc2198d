"""The options of a watch: those of an audit that it has too, and its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from privcheck.declared import Integer
from privcheck.targets._options.claim_options import Claim
from privcheck.targets._options.declaring import EFFORT, like, option
from privcheck.targets._options.effort_options import Effort
from privcheck.targets._options.execution_options import Execution
from privcheck.targets._options.game_options import Game
from privcheck.targets._settings import Options

NIGHTLY_RUNS = 100
"""Runs per stream that are counted in a night if no number is given."""


@dataclass(frozen=True)
class WatchedClaim(Claim):
    """What is claimed, and how sure an alarm has to be."""

    error: float = like(
        Claim, "error", doc="Probability with which an alarm is ever raised while all versions satisfy the claim."
    )


@dataclass(frozen=True)
class Nightly(Effort):
    """How much is played in a night, and where its counts are kept."""

    runs: int = option(
        Integer(1, 10_000_000),
        doc="Runs per stream that are counted in a night.",
        heading=EFFORT,
        default=NIGHTLY_RUNS,
        hint="100 are usual for code that takes milliseconds a run",
        field="",
    )
    search: int | None = option(
        Integer(0),
        doc="Runs of the search, both streams together, in the first night of each version of the code.",
        heading=EFFORT,
        hint="0 keeps the pair of streams that was found first",
        field="",
    )
    nights: int = option(
        Integer(0), doc="Nights that are played, one after the other; 0 shows what is known.", heading=EFFORT,
        default=1, hint="1 is usual: CI plays a night at a time", field="",
    )  # fmt: skip


@dataclass(frozen=True)
class WatchSettings(Options):
    """The checked options of `privcheck.watch`.

    >>> WatchSettings.of(epsilon=1, runs=200).effort.runs
    200
    """

    NAMES: ClassVar[tuple[str, ...]] = (
        "epsilon", "delta", "arms", "horizon", "rewards", "feedback", "runs", "search", "nights", "error", "observe",
        "neighbours", "streams", "contexts", "encode", "randomness", "time_limit", "guarded", "jobs", "rho", "mu",
    )  # fmt: skip

    claim: WatchedClaim = field(default_factory=WatchedClaim)
    game: Game = field(default_factory=Game)
    effort: Nightly = field(default_factory=Nightly)
    execution: Execution = field(default_factory=Execution)
