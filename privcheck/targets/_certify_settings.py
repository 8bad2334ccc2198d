"""The options of a certificate: those of an audit that it has too, and its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from privcheck.declared import Integer
from privcheck.targets._options.claim_options import Claim
from privcheck.targets._options.declaring import EFFORT, PLAYED, Checked, like, listed, option
from privcheck.targets._options.effort_options import Effort
from privcheck.targets._options.game_options import Game
from privcheck.targets._settings import Options

EXECUTIONS = 20
"""Guarded runs of a certificate if no number is given."""


@dataclass(frozen=True)
class CertifiedGame(Game):
    """What is played for a certificate: a policy, whose noise may come from primitives."""

    neighbours: str = like(
        Game,
        "neighbours",
        doc="Neighbour relation: row, reward, group:k, context-reward (the default with contexts), or add-remove for "
        "functions with primitives.",
    )
    primitives: Any = option(  # noqa: RUF009
        Checked("names of sets of primitives, or what privcheck.primitive returns", listed),
        doc="Noise primitives to record and replay: numpy, random, scipy, opendp, diffprivlib or FILE.py:NAME.",
        heading=PLAYED,
        hint="as in primitives=['numpy']",
        value="NAME,...",
    )

    def __post_init__(self) -> None:
        from privcheck.privacy import refuse_adding

        super().__post_init__()
        if self.primitives is None or self.neighbours == "report":
            refuse_adding(
                self.neighbours, "a policy", "with primitives= it is for functions of a data set", policy=True
            )


@dataclass(frozen=True)
class CertifiedEffort(Effort):
    """How much is played for a certificate."""

    runs: int = option(
        Integer(1),
        doc="Guarded runs, each on its own stream.",
        heading=EFFORT,
        default=EXECUTIONS,
        hint="20 guarded runs are usual",
    )


@dataclass(frozen=True)
class CertifySettings(Options):
    """The checked options of `privcheck.certify`; options that it does not have keep their defaults.

    >>> [declared.name for declared in CertifySettings.options() if declared.default is None]
    ['epsilon', 'arms', 'horizon', 'contexts', 'accountants', 'rho', 'mu', 'primitives']
    """

    NAMES: ClassVar[tuple[str, ...]] = (
        "epsilon", "delta", "arms", "horizon", "rewards", "feedback", "runs", "neighbours", "contexts", "seed",
        "accountants", "rho", "mu", "primitives",
    )  # fmt: skip

    claim: Claim = field(default_factory=Claim)
    game: CertifiedGame = field(default_factory=CertifiedGame)
    effort: CertifiedEffort = field(default_factory=CertifiedEffort)

    def __post_init__(self) -> None:
        self.claim.check_budget()
