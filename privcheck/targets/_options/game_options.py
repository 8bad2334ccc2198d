"""What is played: the policy's side of it, the data, which of them may differ, and what is observed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from privcheck.declared import Choice, Declared, Integer, Switch
from privcheck.errors import PrivcheckError
from privcheck.privacy import ROW
from privcheck.targets._options.declaring import (
    CLAIM,
    PLAYED,
    Checked,
    Kinds,
    as_given,
    function_or_place,
    option,
    relation_name,
    reward_range,
)

if TYPE_CHECKING:
    from privcheck.privacy import Relation

DEFAULT_HORIZON = 16
"""Rounds of a run if no horizon is given, unless twice the number of arms is larger. It is short so that an
audit takes seconds.
"""

MOST_ROUNDS = 10**8
"""Rounds of which streams of rewards fit into the memory of a machine."""

TWO_ARMS = "a bandit needs two arms or more"


@dataclass(frozen=True)
class Game(Declared):
    """What is played: the policy's side of it, the data, which of them may differ, and what is observed.

    >>> Game(horizon=16.0).horizon, Game().rounds(arms=10)
    (16, 20)
    """

    arms: int | None = option(
        Integer(1, 127),
        doc="Number of arms K; required for your own policy. One arm is for identification: a sequential test. Of data "
        "of a function, the columns of a row; without it a row is one number.",
        heading=PLAYED,
        hint=f"{TWO_ARMS}; one is for identification",
    )
    horizon: int | None = option(
        Integer(1, MOST_ROUNDS),
        doc="Rounds per run, 16 by default; or rows of the data of a function.",
        heading=PLAYED,
        hint="rounds per run",
    )
    rewards: tuple[float, float] = option(
        Checked("a pair (lo, hi) of finite numbers, lo < hi", reward_range),
        doc="Declared range of the rewards, or of the data of a function.",
        heading=PLAYED,
        default=(0.0, 1.0),
        value="LOW,HIGH",
    )
    feedback: str = option(
        Choice(Kinds()),
        doc="Kind of feedback: bandit, full (information), contextual, semi-bandit, identification, batch or delayed.",
        heading=PLAYED,
        default="bandit",
        hint="'bandit' is the usual one: update(action, reward)",
        value="KIND",
    )
    neighbours: str = option(
        Checked("the name of a neighbour relation", relation_name),
        doc="Neighbour relation: row, reward, group:k, context-reward (the default with contexts), report, or "
        "add-remove for functions of data.",
        heading=CLAIM,
        default=ROW,
        value="RELATION",
    )
    contexts: Any = option(  # noqa: RUF009
        Checked("a privcheck.Contexts", as_given),
        doc="Shape of a contextual bandit's contexts: d, or K,d for one row of features per arm.",
        heading=PLAYED,
        value="SHAPE",
    )
    observe: str = option(
        Choice(("actions", "releases")),
        doc="What the attacker observes: actions (only), or releases (the released statistics as well).",
        heading=CLAIM,
        default="actions",
        hint="'releases' observes released statistics as well as actions",
        value="WHAT",
    )
    encode: Any = option(  # noqa: RUF009
        Checked("a function of one output, or the place of one", function_or_place),
        doc="FILE.py:NAME of a function that turns an output, such as a fitted model, into numbers, text or lists.",
        heading=PLAYED,
        hint="encode=lambda model: model.coef_, say",
        value="PLACE",
        field="",
    )
    messages: bool = option(
        Switch(),
        doc="Observe the messages of exceptions too: their text, and each number in it. Usual is the class alone.",
        heading=CLAIM,
        default=False,
    )
    law: Any = option(  # noqa: RUF009
        Checked("a function of the data that returns a law, or the place of one", function_or_place),
        doc="FILE.py:NAME of a function of the data that returns the law of the output: its logpdf(x) and support().",
        heading=PLAYED,
        hint="law=lambda data: scipy.stats.laplace(data.sum(), 2.0), say",
        value="PLACE",
        field="",
    )
    randomness: str | None = option(
        Choice(("seeded", "independent")),
        doc="Where random numbers come from: seeded (equal seeds give equal runs; usual for code in Python), or "
        "independent (runs have no seeds; usual for --command and --url).",
        heading=PLAYED,
        hint="'independent' is for code that cannot be seeded",
        value="KIND",
        field="",
    )

    def __post_init__(self) -> None:
        from privcheck.feedback import FEEDBACKS, kind
        from privcheck.privacy import check_contexts

        unsaid = self.neighbours if isinstance(self.neighbours, type(ROW)) else None
        super().__post_init__()
        if unsaid is not None:
            object.__setattr__(self, "neighbours", unsaid.under(self.feedback, FEEDBACKS.contextual))
        if self.arms is not None and self.arms < kind(self.feedback).fewest_arms:
            raise PrivcheckError("arms", 1, Integer(2, 127).text, TWO_ARMS)
        check_contexts(self.feedback, self.neighbours, self.contexts, FEEDBACKS.contextual)

    def rounds(self, arms: int, least: int = 0) -> int:
        """Return the horizon; by default one in which every arm may be played twice, and at least so many rounds.

        Raises
        ------
        PrivcheckError : a horizon of fewer rounds than those in which neighbours differ.
        """
        if self.horizon is not None:
            self.relation.check_rounds(self.horizon)
        return self.horizon or max(DEFAULT_HORIZON, 2 * arms, least, self.relation.limit)

    @property
    def relation(self) -> Relation:
        """The neighbour relation."""
        from privcheck.privacy import relation

        return relation(self.neighbours)
