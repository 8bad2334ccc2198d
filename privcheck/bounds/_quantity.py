"""What a theorem bounds, with everything that decides whether two bounds are comparable."""

from __future__ import annotations

from dataclasses import dataclass, replace

THIS_INSTANCE = "this instance"
ONE_ARM_RAISED = "minimax over this instance and those with one arm raised above the best"


@dataclass(frozen=True)
class Quantity:
    """A bounded quantity. Two bounds are comparable exactly when their quantities are equal.

    Parameters
    ----------
    measure : what is measured, such as "pseudo-regret".
    feedback : what the learner sees, such as "bandit feedback".
    privacy : privacy notion and neighbours, such as "epsilon-DP, one reward replaced"; "" where privacy plays no part.
    scope : "this instance", or "minimax over ..." with the class of the rewards.
    largest_gap : largest gap of an instance in the class of a minimax quantity; None when it is unbounded, and for
        quantities of one instance.

    Examples
    --------
    >>> str(Quantity("pseudo-regret", "bandit feedback", "epsilon-DP, one reward replaced"))
    'pseudo-regret; bandit feedback; epsilon-DP, one reward replaced; this instance'
    """

    measure: str
    feedback: str
    privacy: str
    scope: str = THIS_INSTANCE
    largest_gap: float | None = None

    def __str__(self) -> str:
        return "; ".join(part for part in (self.measure, self.feedback, self.privacy, self.scope) if part)

    @property
    def short(self) -> str:
        """What is measured, with the feedback if it is not bandit feedback, and the class if it is minimax.

        >>> FULL_INFORMATION_REGRET.short, UNIT_MINIMAX_REGRET.short
        ('pseudo-regret, full information', 'pseudo-regret, minimax over rewards in [0, 1]')
        """
        words = [self.measure] + [self.feedback] * (self.feedback != BANDIT) + [self.scope] * self.minimax
        return ", ".join(words)

    @property
    def minimax(self) -> bool:
        """Whether the bound is about the worst instance of a class."""
        return self.scope != THIS_INSTANCE

    @property
    def around(self) -> bool:
        """Whether the bound is about this instance and those with one arm raised, the larger regret of them."""
        return self.scope == ONE_ARM_RAISED

    @property
    def here(self) -> str:
        """The text of the same quantity on this instance.

        >>> Quantity("pseudo-regret", BANDIT, "epsilon-DP", ONE_ARM_RAISED).here
        'pseudo-regret; bandit feedback; epsilon-DP; this instance'
        """
        return str(replace(self, scope=THIS_INSTANCE))


QUANTITIES: dict[str, Quantity] = {}
"""Every quantity that a registered theorem bounds, by its text."""

PURE_ONE_REWARD = "epsilon-DP, one reward replaced"
PURE_ONE_VECTOR = "epsilon-DP, one reward vector replaced"
BANDIT = "bandit feedback"
FULL_INFORMATION = "full information"

BANDIT_REGRET = Quantity("pseudo-regret", BANDIT, PURE_ONE_REWARD)
"""For pure DP and bandit feedback, replacing one reward and replacing one reward vector are the same: rewards that are
not seen do not matter."""

UNIT_MINIMAX_REGRET = Quantity("pseudo-regret", BANDIT, PURE_ONE_REWARD, "minimax over rewards in [0, 1]", 1.0)
FULL_INFORMATION_REGRET = Quantity("pseudo-regret", FULL_INFORMATION, PURE_ONE_VECTOR)
