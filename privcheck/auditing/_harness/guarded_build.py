"""The guarded build of a target, for audits: the same object that a certificate speaks about."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from privcheck.accounting import ReleaseRefusedError
from privcheck.certifying import GuardedPolicy, guarded
from privcheck.errors import PolicyError, PrivcheckError, words
from privcheck.feedback import FEEDBACKS, Feedback, kind, public_attribute
from privcheck.targets import Claim, Game, PolicyRunner, Target


@dataclass(frozen=True)
class GuardedBuild:
    """Builds a policy under a guard whose noise has a generator of its own, spawned from that of the run.

    Parameters
    ----------
    build : builds the policy. A partial call, by which a guard finds the code to translate, and keeps its translation.
    options : of the guard.
    """

    build: partial[Any]
    options: dict[str, Any]

    def __call__(self, rng: np.random.Generator) -> Run:
        feedback, arms = self.options["feedback"], self.options["arms"]
        given = {name: self.options[name] for name in ("epsilon", "delta", "rho", "mu")}
        policy = guarded(self.build, given, self.options, feedback, arms, "float", rng.spawn(1)[0], rng)
        return Run(policy, kind(feedback), arms)


class Run:
    """One run of a guarded policy that goes on after the guard has stopped it, so that an observer sees when it does.

    After a refused release `update` is not called any more, and `select` goes on. After a leak the policy is not called
    at all; the arms are played in turn.
    """

    def __init__(self, policy: GuardedPolicy, by: Feedback, arms: int) -> None:
        self._policy, self._kind, self._arms = policy, by, arms
        self._choices, self._selects, self._updates = 0, True, True

    def select(self, *given: Any) -> Any:
        """Return the arm of the guarded policy, or the next one in turn if it has been stopped."""
        self._choices += 1
        if self._selects:
            try:
                return getattr(self._policy, self._kind.chooses)(*given)
            except PolicyError:
                raise
            except PrivcheckError:
                self._selects = self._updates = False
        return self._kind.after_leak(self._choices, self._arms, given)

    act = select

    def update(self, *told: Any) -> None:
        """Pass it on to the guarded policy, unless it has been stopped."""
        if not self._updates:
            return
        try:
            getattr(self._policy, self._kind.learns)(*told)
        except PolicyError:
            raise
        except ReleaseRefusedError:
            self._updates = False
        except PrivcheckError:
            self._selects = self._updates = False

    learn = update

    @property
    def stopped(self) -> bool:
        """Whether the guarded policy has stopped by itself, which it does no more once a leak has ended it."""
        try:
            return self._selects and public_attribute(self._kind, self._policy, "stopped")
        except PolicyError:
            raise
        except PrivcheckError:
            self._selects = self._updates = False
        return False

    def recommend(self) -> Any:
        """Return the arm that the guarded policy recommends, or the next one in turn if that leaks."""
        try:
            return self._policy.recommend()
        except PolicyError:
            raise
        except PrivcheckError:
            self._selects = self._updates = False
        return self._kind.after_leak(self._choices, self._arms)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return public_attribute(self._kind, self._policy, name)


def under_guard(target: Target, claim: Claim, game: Game) -> Target:
    """Return a target that plays its reference under a guard whose budget is the claim.

    Raises
    ------
    PrivcheckError : a mechanism, or a kind of feedback under which policies cannot be guarded.
    """
    if target.feedback not in FEEDBACKS.guarded:
        expected = f"a policy with feedback {' or '.join(map(repr, FEEDBACKS.guarded))}"
        raise PrivcheckError("guarded", words(f"True for feedback {target.feedback!r}"), expected, "leave guarded out")
    options = {
        **claim.promised, "accountants": claim.accountants, "rewards": game.rewards, "neighbours": game.neighbours,
        "contexts": game.contexts, "feedback": target.feedback, "arms": target.arms,
    }  # fmt: skip
    build = GuardedBuild(partial(target.build), options)
    runner = PolicyRunner(build, {"arms": target.arms}, target.feedback, contexts=game.contexts)
    return replace(target, runner=runner, spec=None)
