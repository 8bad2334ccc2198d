"""The options of `privcheck.simulate`, and of `privcheck.frontier`, which simulates at several budgets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from privcheck.declared import POSITIVE, Declared, Integer, Real, Switch
from privcheck.errors import PrivcheckError
from privcheck.targets._options.claim_options import Claim
from privcheck.targets._options.declaring import EFFORT, PLAYED, Checked, Unlimited, as_given, like, option
from privcheck.targets._options.effort_options import DEFAULT_TIME_BUDGET, Effort
from privcheck.targets._options.execution_options import Execution
from privcheck.targets._settings import Options


@dataclass(frozen=True)
class SimulatedBudget(Declared):
    """The budget of the policies that are given by id, and of factories that ask for one."""

    epsilon: float | None = like(
        Claim,
        "epsilon",
        doc="Privacy budget epsilon: the claim, and the parameter of algorithms.",
        heading=PLAYED,
        hint="give a positive budget",
    )
    delta: float | None = option(
        Real(0.0, 1.0, high_open=True),
        doc="For best-arm identification: the probability of error, or several, as in 0.1,0.01. "
        "For contextual bandits and policies of your own: delta of (epsilon, delta)-DP.",
        heading=PLAYED,
        value="NUMBERS",
        read_as="text",
    )
    rho: float | None = like(
        Claim,
        "rho",
        doc="Budget in zCDP, in place of epsilon: of policies of your own and of algorithms with Gaussian noise.",
        heading=PLAYED,
    )
    mu: float | None = like(
        Claim, "mu", doc="Budget in Gaussian DP, in place of epsilon: of the same policies as rho.", heading=PLAYED
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.promised  # refuses a mixture of notions

    @property
    def promised(self) -> dict[str, float | None]:
        """What a factory receives where its signature names it, as in an audit of the same budget."""
        told = self.epsilon is self.rho is self.mu is None
        claim = Claim(epsilon=self.epsilon, delta=self.delta or 0.0, rho=self.rho, mu=self.mu)
        return claim.promised | ({"delta": self.delta} if told else {})


@dataclass(frozen=True)
class SimulatedGame(Declared):
    """Where policies play, and for how long."""

    environment: Any = option(  # noqa: RUF009
        Checked("an environment", as_given),  # made before anything is checked against it
        doc="Where policies play.",
        heading=PLAYED,
    )
    horizon: int = option(
        Checked("the number of rounds", as_given),  # no fewer than there are arms
        doc="Number of rounds T, such as 1e7.",
        heading=PLAYED,
        value="NUMBER",
        read_as="number",
    )
    feedback: str | None = option(
        Checked("a kind of feedback", as_given),  # that the environment gives
        doc="Feedback of your own policies on arms: bandit, or full (information).",
        heading=PLAYED,
        value="KIND",
    )
    shuffle_arms: bool = option(
        Switch(), doc="Put the arms in a random order in every run.", heading=PLAYED, default=False
    )


def _count_or_rounds(value: Any) -> int | tuple[int, ...]:
    """Return a number of checkpoints, or the rounds themselves.

    >>> _count_or_rounds(200.0), _count_or_rounds([1e3, 10])
    (200, (10, 1000))
    """
    if isinstance(value, Iterable) and not isinstance(value, str):
        rounds = tuple(sorted({Integer(1).normalise(each) for each in value}))
        if not rounds:
            raise ValueError
        return rounds
    return Integer(1).normalise(value)


@dataclass(frozen=True)
class SimulatedEffort(Declared):
    """How much is simulated."""

    runs: int = option(Integer(1), doc="Independent runs of each policy.", heading=EFFORT, default=1000)
    time_budget: float = option(
        Unlimited(POSITIVE),
        doc="Seconds for the runs of each policy of your own; inf for all runs.",
        heading=EFFORT,
        default=DEFAULT_TIME_BUDGET,
        hint="give seconds",
        value="SECONDS",
    )
    checkpoints: Any = option(  # noqa: RUF009
        Checked("an integer of at least 1, or rounds of at least 1 in a sequence", _count_or_rounds),
        doc="Number of log-spaced rounds at which the regret is recorded.",
        heading=EFFORT,
        default=200,
        read_as="whole",
    )
    seed: int = like(Effort, "seed", hint="")


@dataclass(frozen=True)
class SimulatedExecution(Declared):
    """Where simulations are played."""

    jobs: int = like(Execution, "jobs", hint="")
    scheduler: str | None = like(Execution, "scheduler")
    store: str | Path | None = like(  # noqa: RUF009
        Execution, "store", doc="Folder in which finished chunks are kept: the same command goes on from them."
    )


@dataclass(frozen=True)
class SimulateSettings(Options):
    """The checked options of `privcheck.simulate`.

    >>> SimulateSettings.of(runs=10.0).effort.runs
    10
    """

    NAMES: ClassVar[tuple[str, ...]] = (
        "epsilon", "delta", "horizon", "environment", "feedback", "shuffle_arms", "runs", "time_budget", "checkpoints",
        "seed", "jobs", "scheduler", "store", "rho", "mu",
    )  # fmt: skip

    budget: SimulatedBudget = field(default_factory=SimulatedBudget)
    game: SimulatedGame = field(default_factory=SimulatedGame)
    effort: SimulatedEffort = field(default_factory=SimulatedEffort)
    execution: SimulatedExecution = field(default_factory=SimulatedExecution)


@dataclass(frozen=True)
class FrontierGame(Declared):
    """The budgets, and where policies play."""

    epsilons: Any = option(  # noqa: RUF009
        Checked("at least one budget", as_given),
        doc="Budgets, separated by commas: 0.1,0.3,1,3.",
        heading=PLAYED,
        value="NUMBERS",
    )
    delta: float = like(Claim, "delta", doc="Delta of every budget in epsilon.", heading=PLAYED)
    rho: Any = option(  # noqa: RUF009
        Checked("at least one budget", as_given),
        doc="Budgets in zCDP, in place of epsilons.",
        heading=PLAYED,
        value="NUMBERS",
    )
    mu: Any = option(  # noqa: RUF009
        Checked("at least one budget", as_given),
        doc="Budgets in Gaussian DP, in place of epsilons.",
        heading=PLAYED,
        value="NUMBERS",
    )
    environment: Any = like(SimulatedGame, "environment")  # noqa: RUF009
    horizon: int = like(SimulatedGame, "horizon")
    shuffle_arms: bool = like(SimulatedGame, "shuffle_arms")


@dataclass(frozen=True)
class FrontierEffort(Declared):
    """How much is simulated, audited and certified at each budget."""

    runs: int = like(SimulatedEffort, "runs", doc="Simulated runs of each policy at each budget.", default=200)
    audit_runs: int = option(
        Integer(0), doc="Runs per side of each audit; 0 for no audits.", heading=EFFORT, default=20_000
    )
    certificates: bool = option(Switch(), doc="Whether policies are certified.", heading=EFFORT, default=True)
    time_budget: float = like(
        SimulatedEffort, "time_budget", doc="Seconds for the simulated runs of a policy of your own."
    )
    seed: int = like(SimulatedEffort, "seed")

    def __post_init__(self) -> None:
        super().__post_init__()
        if 0 < self.audit_runs < 20:
            raise PrivcheckError("audit_runs", self.audit_runs, "0, or an integer of at least 20", "0 is for no audits")


@dataclass(frozen=True)
class FrontierSettings(Options):
    """The checked options of `privcheck.frontier`.

    >>> FrontierSettings.of(audit_runs=0).effort.certificates
    True
    """

    NAMES: ClassVar[tuple[str, ...]] = (
        "epsilons", "horizon", "environment", "runs", "audit_runs", "certificates", "time_budget", "seed", "jobs",
        "scheduler", "store", "delta", "rho", "mu", "shuffle_arms",
    )  # fmt: skip

    game: FrontierGame = field(default_factory=FrontierGame)
    effort: FrontierEffort = field(default_factory=FrontierEffort)
    execution: SimulatedExecution = field(default_factory=SimulatedExecution)
