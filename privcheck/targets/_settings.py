"""The options of an audit, each declared once: domain, default, meaning, and what to do if a value is refused.

A declaration drives the check, the command-line option with its help, the field of the report that repeats the option,
and the call that a report gives for repeating the audit. The signature of `privcheck.audit` is written out for readers;
a test compares it with the declarations.
"""

from __future__ import annotations

from dataclasses import Field, dataclass
from typing import TYPE_CHECKING, Any

from privcheck.declared import POSITIVE, Choice, Declared, Integer, Real, Switch, declared_fields
from privcheck.errors import PrivcheckError, words
from privcheck.inference import LEVEL
from privcheck.targets._option_domains import (
    CLAIM,
    EFFORT,
    PLAYED,
    Checked,
    Kinds,
    as_given,
    function_or_place,
    option,
    relation_name,
    reward_range,
    scheduler,
    shares_of_delta,
    tradeoff_corners,
)

if TYPE_CHECKING:
    from privcheck.accounting import ClaimedProfile, Notion
    from privcheck.privacy import Relation

DEFAULT_HORIZON = 16
"""Rounds of a run if no horizon is given, unless twice the number of arms is larger. It is short so that an
audit takes seconds.
"""

TWO_ARMS = "a bandit needs two arms or more"


@dataclass(frozen=True)
class Settings(Declared):
    """The checked options of `privcheck.audit`.

    >>> Settings(epsilon=1, horizon=16.0).horizon
    16
    """

    epsilon: float | None = option(
        POSITIVE,
        doc="Privacy budget epsilon: the claim, and the parameter of shipped algorithms.",
        heading=CLAIM,
        hint="a privacy budget is positive, e.g. 1.0",
        field="epsilon_claimed",
        certify=True,
    )
    delta: float = option(
        Real(0.0, 1.0, high_open=True),
        doc="Delta of the claim.",
        heading=CLAIM,
        default=0.0,
        hint="pure epsilon-DP is delta=0",
        certify=True,
    )
    arms: int | None = option(
        Integer(1, 127),
        doc="Number of arms K; required for your own policy. One arm is for identification: a sequential test.",
        heading=PLAYED,
        hint=TWO_ARMS,
        certify=True,
    )
    horizon: int | None = option(
        Integer(1), doc="Rounds per run; 16 by default.", heading=PLAYED, hint="rounds per run", certify=True
    )
    rewards: tuple[float, float] = option(
        Checked("a pair (lo, hi) of finite numbers, lo < hi", reward_range),
        doc="Declared range of the rewards.",
        heading=PLAYED,
        default=(0.0, 1.0),
        value="LOW,HIGH",
        certify=True,
    )
    feedback: str = option(
        Choice(Kinds()),
        doc="Kind of feedback: bandit, full (information), contextual, semi-bandit, identification, batch or delayed.",
        heading=PLAYED,
        default="bandit",
        hint="'bandit' is the usual one: update(action, reward)",
        value="KIND",
        certify=True,
    )
    runs: int | None = option(
        Integer(20),
        doc="Runs per stream of the final pair.",
        heading=EFFORT,
        hint="tens of thousands are usual: few runs show nothing",
    )
    time_budget: float | None = option(
        POSITIVE,
        doc="Seconds, instead of a number of runs; 60 by default for your own policy.",
        heading=EFFORT,
        hint="give seconds",
        value="SECONDS",
        field="",
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
    observe: str = option(
        Choice(("actions", "releases")),
        doc="What the attacker observes: actions (only), or releases (the released statistics as well).",
        heading=CLAIM,
        default="actions",
        hint="'releases' observes released statistics as well as actions",
        value="WHAT",
    )
    neighbours: str = option(
        Checked("the name of a neighbour relation", relation_name),
        doc="Neighbour relation: row, reward, group:k, context-reward, report, or add-remove for functions of data.",
        heading=CLAIM,
        default="row",
        value="RELATION",
        certify=True,
    )
    streams: Any = option(  # noqa: RUF009
        Checked("a pair of streams, a file with one, or a function that draws pairs", as_given),
        doc="A .npy or .csv file with a pair of streams, or FILE.py:NAME of a function that draws pairs, or Adversary.",
        heading=PLAYED,
        value="FILE",
        field="",
    )
    contexts: Any = option(  # noqa: RUF009
        Checked("a privcheck.Contexts", as_given),
        doc="Shape of a contextual bandit's contexts: d, or K,d for one row of features per arm.",
        heading=PLAYED,
        value="SHAPE",
        certify=True,
    )
    sequential: bool = option(
        Switch(), doc="Play runs until the claim is refuted, at most the given number.", heading=EFFORT, default=False
    )
    seed: int = option(
        Integer(0), doc="Seed of all randomness.", heading=EFFORT, default=0, hint="give an integer", certify=True
    )
    jobs: int = option(
        Integer(1),
        doc="Number of workers; the results do not depend on it.",
        heading=EFFORT,
        default=1,
        hint="1 runs everything in this process",
        field="",
    )
    guarded: bool = option(
        Switch(),
        doc="Play the policy under its guard, with the claim as budget: the object that a certificate covers.",
        heading=PLAYED,
        default=False,
    )
    pairs: int | None = option(
        Integer(1), doc="The most candidate pairs of streams that are screened.", heading=EFFORT, hint="give a number"
    )
    stop_after: int | None = option(
        Integer(0),
        doc="Counted runs per stream after which the audit stops; repeats an audit that was cut short.",
        heading=EFFORT,
        hint="give a number of runs",
    )
    encode: Any = option(  # noqa: RUF009
        Checked("a function of one output, or the place of one", function_or_place),
        doc="FILE.py:NAME of a function that turns an output, such as a fitted model, into numbers, text or lists.",
        heading=PLAYED,
        hint="encode=lambda model: model.coef_, say",
        value="PLACE",
        field="",
    )
    accountants: Any = option(  # noqa: RUF009
        Checked("shares of delta by accountant, each in [0, 1]", shares_of_delta),
        hint="as in {'gdp': 0.5, 'zcdp': 0.5}",
        doc="Accountants of the budget with their shares of delta: gdp=0.5,zcdp=0.5; gdp alone by default.",
        heading=CLAIM,
        value="NAME=SHARE,...",
        certify=True,
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
    time_limit: float | None = option(
        POSITIVE,
        doc="Seconds that a run may take, also among the many runs of one call; by default 10 for code in Python.",
        heading=EFFORT,
        hint="give seconds",
        value="SECONDS",
    )

    rho: float | None = option(
        POSITIVE,
        doc="Claim or budget in zCDP, in place of epsilon.",
        heading=CLAIM,
        hint="a privacy budget is positive, e.g. 0.1",
        certify=True,
    )
    mu: float | None = option(
        POSITIVE,
        doc="Claim or budget in Gaussian DP, in place of epsilon.",
        heading=CLAIM,
        hint="a privacy budget is positive, e.g. 0.5",
        certify=True,
    )

    tradeoff: Any = option(  # noqa: RUF009
        Checked("a trade-off function, or the corners of one", tradeoff_corners),
        doc="Claim as a trade-off curve: its corners, type I and type II errors, as in 0:1,0.2:0.4,1:0.",
        heading=CLAIM,
        value="A:B,...",
        field="tradeoff_claimed",
    )
    scheduler: str | None = option(
        Checked("'local:N' or the address of a Dask scheduler", scheduler),
        doc="Dask scheduler whose workers play, in place of --jobs: local:N, or tcp://host:port.",
        heading=EFFORT,
        value="ADDRESS",
        field="",
    )
    store: str | None = option(
        Checked("a folder", as_given), doc="Keep finished chunks in DIR, and go on from them.", heading=EFFORT,
        value="DIR", field="",
    )  # fmt: skip

    def __post_init__(self) -> None:
        from privcheck.feedback import FEEDBACKS, kind
        from privcheck.privacy import check_contexts

        super().__post_init__()
        if self.arms is not None and self.arms < kind(self.feedback).fewest_arms:
            raise PrivcheckError("arms", 1, Integer(2, 127).text, TWO_ARMS)
        check_contexts(self.feedback, self.neighbours, self.contexts, FEEDBACKS.contextual)
        if self.budget is not None and self.tradeoff is not None:
            got = words(f"{next(iter(vars(self.budget)))} and tradeoff")
            raise PrivcheckError("claim", got, "one claim", "audit them one after the other")
        if self.law is not None and self.profile is not None:
            raise PrivcheckError("law", words("a law"), "a claim in epsilon", "its loss is epsilon at a delta")
        if self.sequential and self.epsilon is None:
            raise PrivcheckError("epsilon", None, "a claim to bet against", "sequential audits end when it is refuted")
        if self.accountants is not None:
            self._check_budget()
        if self.guarded and self.epsilon is None:
            raise PrivcheckError(
                "epsilon", None, "the budget of the guard", "a guarded policy needs one: give epsilon=1.0"
            )
        if self.guarded and self.observe != "actions":
            hint = "the guard lets nothing but actions out: leave observe out"
            raise PrivcheckError("observe", self.observe, "'actions' for a guarded policy", hint)

    def rounds(self, arms: int, least: int = 0) -> int:
        """Return the horizon; by default one in which every arm may be played twice, and at least so many rounds."""
        return self.horizon or max(DEFAULT_HORIZON, 2 * arms, least)

    @property
    def relation(self) -> Relation:
        """The neighbour relation."""
        from privcheck.privacy import relation

        return relation(self.neighbours)

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
    def claimed(self) -> bool:
        """Whether there is a claim."""
        return self.epsilon is not None or self.profile is not None

    def _check_budget(self) -> None:
        """Refuse a mixture of notions, and accountants of another budget."""
        from privcheck.accounting import BudgetFilter

        budget = self.budget
        if budget is not None:
            BudgetFilter(budget, self.accountants)
        elif self.accountants is not None:
            raise PrivcheckError("accountants", self.accountants, "a budget with delta", "they share its delta")

    @property
    def promised(self) -> dict[str, float | None]:
        """What a factory is told of the claim where its signature names it; None where nothing is claimed."""
        pure = self.rho is None and self.mu is None  # otherwise a delta of 0 would ask for something pure
        return {"epsilon": self.epsilon, "delta": self.delta if pure else None, "rho": self.rho, "mu": self.mu}

    @property
    def level(self) -> float:
        """Error probability of the lower bound."""
        return 1.0 - self.confidence

    @classmethod
    def options(cls) -> list[Field[Any]]:
        """Return the declarations, in the order of the signature."""
        return declared_fields(cls)

    @classmethod
    def repeated(cls) -> dict[str, Field[Any]]:
        """Return the declarations of the options that a report repeats, by the report's field.

        >>> Settings.repeated()["epsilon_claimed"].name
        'epsilon'
        """
        names = ((declared, declared.metadata["field"]) for declared in cls.options())
        return {declared.name if name is None else name: declared for declared, name in names if name != ""}
