"""The options of a certificate: those of an audit that it has too, and its own."""

from __future__ import annotations

from dataclasses import Field, dataclass
from typing import TYPE_CHECKING, Any

from privcheck.declared import Choice, Integer, declared_fields
from privcheck.targets._option_domains import CLAIM, EFFORT, PLAYED, Checked, Kinds, listed, option, relation_name
from privcheck.targets._settings import Settings

if TYPE_CHECKING:
    from privcheck.accounting import Notion

EXECUTIONS = 20
"""Guarded runs of a certificate if no number is given."""


@dataclass(frozen=True)
class CertifySettings(Settings):
    """The checked options of `privcheck.certify`; options that it does not have keep their defaults.

    >>> [declared.name for declared in CertifySettings.options() if declared.default is None]
    ['epsilon', 'arms', 'horizon', 'contexts', 'accountants', 'rho', 'mu', 'primitives']
    """

    feedback: str = option(
        Choice(Kinds()),
        doc="Kind of feedback: bandit, full (information), contextual, semi-bandit, identification, batch or delayed.",
        heading=PLAYED,
        default="bandit",
        hint="'bandit' is the usual one: update(action, reward)",
        value="KIND",
        certify=True,
    )
    runs: int = option(
        Integer(1),
        doc="Guarded runs, each on its own stream.",
        heading=EFFORT,
        default=EXECUTIONS,
        hint="20 guarded runs are usual",
        certify=True,
    )
    neighbours: str = option(
        Checked("the name of a neighbour relation", relation_name),
        doc="Neighbour relation, i.e. what one datum is: row, reward, group:k or context-reward.",
        heading=CLAIM,
        default="row",
        value="RELATION",
        certify=True,
    )
    primitives: Any = option(  # noqa: RUF009
        Checked("names of sets of primitives, or what privcheck.primitive returns", listed),
        doc="Noise primitives to record and replay: numpy, random, opendp, diffprivlib or FILE.py:NAME.",
        heading=PLAYED,
        hint="as in primitives=['numpy']",
        value="NAME,...",
        certify=True,
    )

    def __post_init__(self) -> None:
        from privcheck.privacy import refuse_adding

        super().__post_init__()
        refuse_adding(self.neighbours, "a policy")
        self._check_budget()

    @property
    def budget(self) -> Notion | None:
        """The budget of the filter; None without one."""
        from privcheck.accounting import budget_of

        return budget_of(self.epsilon, self.delta, self.rho, self.mu)

    @classmethod
    def options(cls) -> list[Field[Any]]:
        """Return the declarations of the options that `privcheck.certify` has."""
        return [declared for declared in declared_fields(cls) if declared.metadata["certify"]]
