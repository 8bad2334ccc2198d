"""What is claimed, and how sure its refutation has to be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from privcheck.declared import POSITIVE, Declared, Real
from privcheck.errors import PrivcheckError, words
from privcheck.inference import LEVEL
from privcheck.targets._options.declaring import CLAIM, EFFORT, Checked, option, shares_of_delta, tradeoff_corners

if TYPE_CHECKING:
    from privcheck.accounting import ClaimedProfile, Notion


@dataclass(frozen=True)
class Claim(Declared):
    """What is claimed, and how sure its refutation has to be.

    >>> Claim(epsilon=1).budget
    Pure(epsilon=1.0)
    """

    epsilon: float | None = option(
        POSITIVE,
        doc="Privacy budget epsilon: the claim, and the parameter of shipped algorithms.",
        heading=CLAIM,
        hint="a privacy budget is positive, e.g. 1.0",
        field="epsilon_claimed",
    )
    delta: float = option(
        Real(0.0, 1.0, high_open=True),
        doc="Delta of the claim.",
        heading=CLAIM,
        default=0.0,
        hint="pure epsilon-DP is delta=0",
    )
    rho: float | None = option(
        POSITIVE,
        doc="Claim or budget in zCDP, in place of epsilon.",
        heading=CLAIM,
        hint="a privacy budget is positive, e.g. 0.1",
    )
    mu: float | None = option(
        POSITIVE,
        doc="Claim or budget in Gaussian DP, in place of epsilon.",
        heading=CLAIM,
        hint="a privacy budget is positive, e.g. 0.5",
    )
    tradeoff: Any = option(  # noqa: RUF009
        Checked("a trade-off function, or the corners of one", tradeoff_corners),
        doc="Claim as a trade-off curve: its corners, type I and type II errors, as in 0:1,0.2:0.4,1:0.",
        heading=CLAIM,
        value="A:B,...",
        field="tradeoff_claimed",
    )
    accountants: Any = option(  # noqa: RUF009
        Checked("shares of delta by accountant, each in [0, 1]", shares_of_delta),
        hint="as in {'gdp': 0.5, 'zcdp': 0.5}",
        doc="Accountants of the budget with their shares of delta: gdp=0.5,zcdp=0.5; gdp alone by default.",
        heading=CLAIM,
        value="NAME=SHARE,...",
    )
    confidence: float = option(
        Real(0.5, 1.0, high_open=True),
        doc="Confidence level of the lower bound.",
        heading=EFFORT,
        default=0.95,
        hint="0.95 is usual; below one half a bound could exceed the estimate",
    )
    error: float = option(
        LEVEL,
        doc="Probability with which a true claim may be called violated.",
        heading=EFFORT,
        default=1e-3,
        hint="1e-3 is usual",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.budget is not None and self.tradeoff is not None:
            got = words(f"{next(iter(vars(self.budget)))} and tradeoff")
            raise PrivcheckError("claim", got, "one claim", "audit them one after the other")
        if self.accountants is not None:
            self._check_accountants()

    @property
    def budget(self) -> Notion | None:
        """The claim as the budget of a filter; None without one."""
        from privcheck.accounting import budget_of

        measured = self.epsilon is self.rho is self.mu is None  # at a delta, without a claim
        return budget_of(self.epsilon, 0.0 if measured else self.delta, self.rho, self.mu)

    @property
    def profile(self) -> ClaimedProfile | None:
        """The claim in mu, in rho or as a trade-off curve; None for a claim in epsilon, or without one."""
        from privcheck.accounting import profile_of

        return profile_of(self.mu, self.rho, self.tradeoff)

    @property
    def given(self) -> bool:
        """Whether there is a claim."""
        return self.epsilon is not None or self.profile is not None

    @property
    def promised(self) -> dict[str, float | None]:
        """What a factory receives of the claim where its signature names it; None where nothing is claimed."""
        pure = self.rho is None and self.mu is None  # otherwise a delta of 0 would ask for something pure
        return {"epsilon": self.epsilon, "delta": self.delta if pure else None, "rho": self.rho, "mu": self.mu}

    @property
    def level(self) -> float:
        """Error probability of the lower bound."""
        return 1.0 - self.confidence

    def check_budget(self) -> None:
        """Refuse what is no budget of a certificate: a delta alone, and accountants of another budget."""
        from privcheck.accounting import budget_of

        budget_of(self.epsilon, self.delta, self.rho, self.mu)
        self._check_accountants()

    def _check_accountants(self) -> None:
        """Refuse a mixture of notions, and accountants of another budget."""
        from privcheck.accounting import BudgetFilter

        budget = self.budget
        if budget is not None:
            BudgetFilter(budget, self.accountants)
        elif self.accountants is not None:
            raise PrivcheckError("accountants", self.accountants, "a budget with delta", "they share its delta")
