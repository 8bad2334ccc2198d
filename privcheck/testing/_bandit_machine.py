"""`BanditMachine`: hypothesis plays rewards against a guarded policy, and the ledger is checked after every step."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from privcheck.accounting import (
    Accountant,
    BudgetFilter,
    Charge,
    Ledger,
    Notion,
    Pure,
    Release,
    ReleaseRefusedError,
    budget_of,
    taking_part,
)
from privcheck.certifying import GuardedPolicy, guarded
from privcheck.declared import Choice, check
from privcheck.feedback import kind
from privcheck.privacy import ROW, Contexts
from privcheck.private_values import LeakError
from privcheck.targets import PolicyRunner
from privcheck.testing._assertion import PrivacyFailure
from privcheck.testing._instance_strategies import contexts as contexts_of
from privcheck.testing._project import setting
from privcheck.testing._running import current
from privcheck.testing._table_strategies import rewards_of

SLACK = 1e-9
"""Relative slack of the comparison with the budget, as in the filter."""

SEEDS = st.integers(0, 2**32 - 1)


class BanditMachine(RuleBasedStateMachine):
    """Plays a guarded policy with rewards that hypothesis chooses, and checks the ledger after every step.

    Derive a class from it, set its attributes, and let pytest collect its `TestCase`. A leak, a refused release or a
    ledger that does not add up fails the test, even if the policy catches the error; hypothesis shrinks it to the
    fewest steps and the simplest rewards. If nothing is released in any run, pytest's summary says so: then there was
    no ledger to check.

    Attributes
    ----------
    factory : `f(rng)`, a class for example, whose noise from `rng` is charged; also given those of arms, epsilon,
        delta, horizon, rho and mu that its signature names.
    epsilon : the budget, > 0; None with `rho` or `mu`. This, `arms` and `horizon` are by default those of the project's
        settings, or 1, 2 and 64.
    delta : with epsilon, in [0, 1).
    rho, mu : the budget in zCDP or in Gaussian DP, in place of epsilon.
    accountants : with delta, the share of delta of each accountant.
    arms : K.
    horizon : rounds of a run, after which a new run begins.
    rewards : declared (lowest, highest) reward.
    feedback : "bandit", "full" or "contextual".
    neighbours : "row", "reward", "group:k" or, under contextual feedback, "context-reward".
    contexts : what contexts look like, under contextual feedback.

    Source: `privcheck.guard`, a privacy filter with computed sensitivities.

    Examples
    --------
    >>> from hypothesis import settings
    >>> from hypothesis.stateful import run_state_machine_as_test
    >>> from privcheck.bandits.adap_ucb import AdaPUCB
    >>> class Machine(BanditMachine):
    ...     factory = staticmethod(lambda rng: AdaPUCB(arms=2, epsilon=1.0).build(rng))
    >>> run_state_machine_as_test(Machine, settings=settings(max_examples=5, derandomize=True))
    """

    factory: ClassVar[Any] = None
    epsilon: float | None = 1.0
    delta: ClassVar[float] = 0.0
    rho: ClassVar[float | None] = None
    mu: ClassVar[float | None] = None
    accountants: ClassVar[dict[str, float] | None] = None
    arms: int = 2
    horizon: int = 64
    rewards: ClassVar[tuple[float, float]] = (0.0, 1.0)
    feedback: ClassVar[str] = "bandit"
    neighbours: ClassVar[str] = ROW
    contexts: ClassVar[Contexts | None] = None

    policy: GuardedPolicy

    @initialize(seed=SEEDS)
    def build(self, seed: int) -> None:
        """Build a policy with its own coins and noise, and guard it."""
        check("feedback", self.feedback, Choice(("bandit", "full", "contextual")), "the kinds that a machine plays")
        factory = inspect.getattr_static(type(self), "factory")
        factory = factory.__func__ if isinstance(factory, staticmethod) else factory
        for name in ("epsilon", "arms", "horizon"):
            setattr(self, name, self._asked(name))
        budget = {"epsilon": self.epsilon, "delta": self.delta, "rho": self.rho, "mu": self.mu}
        options = {name: getattr(self, name) for name in ("rewards", "neighbours", "contexts", "accountants")}
        runner = PolicyRunner(factory, budget | {"arms": self.arms, "horizon": self.horizon}, self.feedback)
        noise, coins = np.random.default_rng([seed, 1]), np.random.default_rng([seed, 0])
        arms = None if self.contexts is None else self.arms
        self.played, self.released = 0, 0
        self.policy = guarded(runner.build, budget, options, self.feedback, arms, "float", noise, coins)
        self._fail_if_caught("in the constructor")

    def _asked(self, name: str) -> Any:
        """Return an attribute that a derived class sets, else the setting of the project, else the default."""
        return getattr(self, name) if name in self._own() else setting(name, None, getattr(BanditMachine, name))

    @classmethod
    def _own(cls) -> set[str]:
        derived = cls.__mro__[: cls.__mro__.index(BanditMachine)]
        own = {name for each in derived for name in vars(each)}
        return own | {"epsilon"} if own & {"rho", "mu"} else own

    @precondition(lambda self: self.played < self.horizon)
    @rule(data=st.data())
    def play(self, data: st.DataObject) -> None:
        """Play a round."""
        __tracebackhide__ = True
        context = [] if self.contexts is None else [data.draw(contexts_of(self.contexts), label="context")]
        action = self._checked("select", *context)
        if not 0 <= action < self.arms:
            raise PrivacyFailure(
                f"round {self.played + 1}: the policy plays arm {action}, expected 0 to {self.arms - 1}"
            )
        reward = rewards_of(self.rewards)
        row = st.lists(reward, min_size=self.arms, max_size=self.arms)
        told: Any = data.draw(
            row if kind(self.feedback).whole_row else reward, label=f"reward of round {self.played + 1}"
        )
        self._checked("update", *context, action, told)
        self.played += 1

    def _checked(self, method: str, *arguments: Any) -> Any:
        """Return what a method of the guarded policy returns; a refused release and a leak fail the test."""
        __tracebackhide__ = True
        try:
            returned = getattr(self.policy, method)(*arguments)
        except (ReleaseRefusedError, LeakError) as error:
            raise PrivacyFailure(f"round {self.played + 1}: {error}") from None
        self._fail_if_caught(f"round {self.played + 1}")
        return returned

    def _fail_if_caught(self, when: str) -> None:
        """Fail the test if the policy itself caught the error of a refused release or a leak, and went on."""
        __tracebackhide__ = True
        session = self.policy._session
        for error in (*session.refusals, *map(LeakError, session.leaks)):
            raise PrivacyFailure(f"{when}: {error} (the policy caught this error)")

    @precondition(lambda self: self.played == self.horizon)
    @rule(seed=SEEDS)
    def begin_again(self, seed: int) -> None:
        """Begin a new run: a machine may take more steps than a run has rounds."""
        self.build(seed)

    def teardown(self) -> None:
        """Count the run: the summary of the tests says if no run has released anything."""
        if hasattr(self, "policy"):
            current().add_run(type(self).__name__, len(self.policy.ledger.releases), self.played)

    @invariant()
    def the_ledger_is_within_the_budget(self) -> None:
        """Recompute the totals of the ledger."""
        __tracebackhide__ = True
        if not hasattr(self, "policy"):
            return
        budget = budget_of(self.epsilon, self.delta, self.rho, self.mu)
        assert budget is not None
        check_ledger(self.policy.ledger, budget, self.played, self.accountants)
        if len(self.policy.ledger.releases) < self.released:
            raise PrivacyFailure(f"round {self.played}: a release has disappeared from the ledger")
        self.released = len(self.policy.ledger.releases)


def check_ledger(
    ledger: Ledger, budget: float | Notion, rounds: int, accountants: Mapping[str, float] | None = None
) -> None:
    """Raise `PrivacyFailure` unless the releases of a ledger add up, stay within a budget and charge rounds played.

    Parameters
    ----------
    ledger : of a guarded policy.
    budget : its budget; a number is the epsilon of pure DP.
    rounds : played so far.
    accountants : the shares of the budget's delta; by default "gdp" has all of it.

    Examples
    --------
    >>> from privcheck.accounting import Charge
    >>> ledger = Ledger()
    >>> _ = ledger.record(1, "laplace", 1.0, {1: 1.0}, {1: Charge(1.0)}, "bandit.py:7")
    >>> check_ledger(ledger, 1.0, 1)
    """
    __tracebackhide__ = True
    charged: dict[Any, list[Charge]] = {}
    for release in ledger.releases:
        for datum, charge in release.charges.items():
            paid_in: Any = datum[0] if isinstance(datum, tuple) else datum
            if not 1 <= paid_in <= release.round <= rounds:
                raise PrivacyFailure(f"round {rounds}: a release of round {release.round} charges round {paid_in}")
            charged.setdefault(datum, []).append(charge)
    limits = BudgetFilter(budget, accountants)
    ways = [(by, by.limit(limits.budget, share)) for by, share in taking_part(limits)]
    totals = {datum: [_total(by, charges) for by, _ in ways] for datum, charges in charged.items()}
    for place, (by, _) in enumerate(ways):
        kept = dict(ledger.sums.amounts(by.currency.name)) if ledger.sums.keeps(by.currency.name) else {}
        for datum in {*totals, *kept} if kept else ():
            found = totals[datum][place] if datum in totals else 0.0
            if not math.isclose(found, kept.get(datum, 0.0), rel_tol=SLACK, abs_tol=SLACK):
                raise PrivacyFailure(f"round {rounds}: the charges of {datum} do not add up to its total in the ledger")
    aside = max((math.fsum(charge.delta for charge in charges) for charges in charged.values()), default=0.0)
    fits = _within(list(totals.values()), ways) if ledger.group_size == 1 else _fits_together(ledger, ways)
    if aside > limits.set_aside or not fits:
        shown = f"{limits.budget.epsilon:g}" if isinstance(limits.budget, Pure) else str(limits.budget)
        raise PrivacyFailure(f"round {rounds}: {ledger.why()}, above the budget {shown}")


def _total(by: Accountant, charges: list[Charge]) -> float:
    """Return what the charges of a datum add up to, as exactly as floats can."""
    amounts = [by.needs(charge) for charge in charges]
    return math.sqrt(math.fsum(mu * mu for mu in amounts)) if by.currency.name == "mu" else math.fsum(amounts)


def _within(totals: list[list[float]], ways: list[tuple[Accountant, float]]) -> bool:
    """Return whether some accountant accepts each datum."""
    return all(
        any(total <= limit * (1.0 + SLACK) for total, (_, limit) in zip(of_datum, ways, strict=True))
        for of_datum in totals
    )


def _fits_together(ledger: Ledger, ways: list[tuple[Accountant, float]]) -> bool:
    """Return whether some accountant accepts the largest joint total of a group.

    The total of a group is that of its data, or less where releases charge one of them each: see `Totals`.
    """

    def largest(by: Accountant, releases: list[Release]) -> list[float]:
        charged: dict[Any, list[Charge]] = {}
        for release in releases:
            for datum, charge in release.charges.items():
                charged.setdefault(datum, []).append(charge)
        return sorted((_total(by, charges) for charges in charged.values()), reverse=True)[: ledger.group_size]

    alone = [release for release in ledger.releases if len(release.charges) == 1]
    others = [release for release in ledger.releases if len(release.charges) != 1]
    for by, limit in ways:
        if by.currency.joint is None:
            continue
        found = by.currency.joint(largest(by, ledger.releases))
        if by.currency.apart is not None:
            together = by.currency.joint(largest(by, others))
            found = min(found, by.currency.apart(together, largest(by, alone)))
        if found <= limit * (1.0 + SLACK):
            return True
    return False
