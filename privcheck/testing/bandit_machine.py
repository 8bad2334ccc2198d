"""`BanditMachine`: hypothesis plays rewards against a guarded policy, and the ledger is checked after every step."""

from __future__ import annotations

import inspect
import math
from typing import Any, ClassVar

import numpy as np
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from privcheck.accounting import Ledger, ReleaseRefusedError
from privcheck.certifying.guard import GuardedPolicy, guard
from privcheck.feedback import kind
from privcheck.privacy import Contexts
from privcheck.private_values.source import LeakError
from privcheck.targets.runners import PolicyRunner
from privcheck.testing.assertion import PrivacyFailure
from privcheck.testing.instance_strategies import contexts as contexts_of
from privcheck.testing.table_strategies import rewards_of

SLACK = 1e-9
"""Relative slack of the comparison with the budget, as in the filter."""

SEEDS = st.integers(0, 2**32 - 1)


class BanditMachine(RuleBasedStateMachine):
    """Plays a guarded policy with rewards that hypothesis chooses, and checks the ledger after every step.

    Derive a class from it, set its attributes, and let pytest collect its `TestCase`. A leak, a refused release or a
    ledger that does not add up fails the test; hypothesis shrinks it to the fewest steps and the simplest rewards.

    Attributes
    ----------
    factory : `f(rng)`, a class for example; also given those of arms, epsilon, delta, horizon that its signature names.
    epsilon : the budget, > 0.
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
    epsilon: ClassVar[float] = 1.0
    arms: ClassVar[int] = 2
    horizon: ClassVar[int] = 64
    rewards: ClassVar[tuple[float, float]] = (0.0, 1.0)
    feedback: ClassVar[str] = "bandit"
    neighbours: ClassVar[str] = "row"
    contexts: ClassVar[Contexts | None] = None

    @initialize(seed=SEEDS)
    def build(self, seed: int) -> None:
        """Build a policy with its own coins and noise, and guard it."""
        factory = inspect.getattr_static(type(self), "factory")
        factory = factory.__func__ if isinstance(factory, staticmethod) else factory
        keywords = {"arms": self.arms, "epsilon": self.epsilon, "delta": 0.0, "horizon": self.horizon}
        runner = PolicyRunner(factory, keywords, self.feedback)
        self.played, self.released = 0, 0
        self.policy: GuardedPolicy = guard(
            runner.build(np.random.default_rng([seed, 0])),
            epsilon=self.epsilon,
            rewards=self.rewards,
            feedback=self.feedback,
            neighbours=self.neighbours,
            contexts=self.contexts,
            arms=None if self.contexts is None else self.arms,
            rng=np.random.default_rng([seed, 1]),
        )

    @precondition(lambda self: self.played < self.horizon)
    @rule(data=st.data())
    def play(self, data: st.DataObject) -> None:
        """Play a round."""
        __tracebackhide__ = True
        context = [] if self.contexts is None else [data.draw(contexts_of(self.contexts), label="context")]
        action = self.policy.select(*context)
        if not 0 <= action < self.arms:
            raise PrivacyFailure(
                f"round {self.played + 1}: the policy plays arm {action}, expected 0 to {self.arms - 1}"
            )
        reward = rewards_of(self.rewards)
        row = st.lists(reward, min_size=self.arms, max_size=self.arms)
        told: Any = data.draw(
            row if kind(self.feedback).whole_row else reward, label=f"reward of round {self.played + 1}"
        )
        self.played += 1
        try:
            self.policy.update(*context, action, told)
        except (ReleaseRefusedError, LeakError) as error:
            raise PrivacyFailure(f"round {self.played}: {error}") from None

    @precondition(lambda self: self.played == self.horizon)
    @rule(seed=SEEDS)
    def begin_again(self, seed: int) -> None:
        """Begin a new run: a machine may take more steps than a run has rounds."""
        self.build(seed)

    @invariant()
    def the_ledger_is_within_the_budget(self) -> None:
        """Recompute the totals of the ledger."""
        __tracebackhide__ = True
        if not hasattr(self, "policy"):
            return
        check_ledger(self.policy.ledger, self.epsilon, self.played)
        if len(self.policy.ledger.releases) < self.released:
            raise PrivacyFailure(f"round {self.played}: a release has disappeared from the ledger")
        self.released = len(self.policy.ledger.releases)


def check_ledger(ledger: Ledger, epsilon: float, rounds: int) -> None:
    """Raise `PrivacyFailure` unless the releases of a ledger add up, stay within a budget and charge rounds played.

    Parameters
    ----------
    ledger : of a guarded policy.
    epsilon : its budget.
    rounds : played so far.

    Examples
    --------
    >>> from privcheck.accounting import Charge
    >>> ledger = Ledger()
    >>> _ = ledger.record(1, "laplace", 1.0, {1: 1.0}, {1: Charge(1.0)}, "bandit.py:7")
    >>> check_ledger(ledger, 1.0, 1)
    """
    __tracebackhide__ = True
    charged: dict[Any, list[float]] = {}
    for release in ledger.releases:
        for datum, charge in release.charges.items():
            paid_in: Any = datum[0] if isinstance(datum, tuple) else datum
            if not 1 <= paid_in <= release.round <= rounds:
                raise PrivacyFailure(f"round {rounds}: a release of round {release.round} charges round {paid_in}")
            charged.setdefault(datum, []).append(charge.epsilon)
    totals, kept = {datum: math.fsum(epsilons) for datum, epsilons in charged.items()}, ledger.totals
    for datum in {*totals, *kept}:
        if not math.isclose(totals.get(datum, 0.0), kept.get(datum, 0.0), rel_tol=SLACK, abs_tol=SLACK):
            raise PrivacyFailure(f"round {rounds}: the charges of {datum} do not add up to its total in the ledger")
    largest = math.fsum(sorted(totals.values(), reverse=True)[: ledger.group_size])
    if largest > epsilon * (1.0 + SLACK):
        raise PrivacyFailure(f"round {rounds}: {ledger.why()}, above the budget {epsilon:g}")
