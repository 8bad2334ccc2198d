"""Policies of users in the results of simulations: their name and what they were told, without their code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class OwnPolicy:
    """A policy that is not shipped.

    Parameters
    ----------
    name : what reports call it, such as "my_bandit.py:MyBandit".
    feedback : id of the kind of feedback that it was given.
    epsilon, delta, rho, mu : the budget that its factory was given; None for what it does not take.

    Examples
    --------
    >>> OwnPolicy("my_bandit.py:MyBandit", "bandit", 1.0).describe()
    'my_bandit.py:MyBandit'
    """

    name: str
    feedback: str
    epsilon: float | None = None
    delta: float | None = None
    rho: float | None = None
    mu: float | None = None

    id: ClassVar[str] = ""

    @property
    def private(self) -> bool:
        """Whether it was given a budget."""
        return any(amount is not None for amount in (self.epsilon, self.rho, self.mu))

    def describe(self) -> str:
        """Return its name."""
        return self.name

    def with_parameters(self) -> str:
        """Return its name and the budget that it was given.

        >>> OwnPolicy("my_bandit.py:MyBandit", "bandit", 1.0, 1e-6).with_parameters()
        'my_bandit.py:MyBandit(epsilon=1.0, delta=1e-06)'
        """
        amounts = {name: getattr(self, name) for name in ("epsilon", "delta", "rho", "mu")}
        told = [f"{name}={amount!r}" for name, amount in amounts.items() if amount is not None]
        return f"{self.name}({', '.join(told)})" if told else self.name


@dataclass(frozen=True)
class Remark:
    """Something that a reader of a simulation has to know about one policy.

    Parameters
    ----------
    policy : its label.
    kind : "fewer-runs" (the time was up), "failed" (it is left out), "interrupted" or "played-anew" (what a store
        had kept, or what workers showed, was not believed).
    text : in words.
    """

    policy: str
    kind: str
    text: str
