"""A policy that is played under a session, call by call: what it answers, and what its answer closes."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import Context
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from privcheck.accounting import BudgetExceededError
from privcheck.certifying._calls import Calls
from privcheck.certifying._context_isolation import copy_of_state, generators
from privcheck.certifying._execution import ask, not_private, tell
from privcheck.certifying._recorded.events import Answer
from privcheck.certifying._recorded.interrupts import is_interrupt, is_own
from privcheck.certifying._recorded.open_choices import OpenChoices
from privcheck.certifying._recorded.process_generators import moved_generators
from privcheck.certifying._session import Session
from privcheck.certifying._translated.new_arrays import in_guard
from privcheck.errors import PolicyError, PrivcheckError, words
from privcheck.feedback import Feedback
from privcheck.mechanisms import recording
from privcheck.private_values import whole_number

WATCHED = 64
"""Calls of a policy that are watched, as its constructor is: what it seeds, it seeds early."""


@dataclass
class Played:
    """A policy, the session that guards it, and which of its calls are still let in.

    Parameters
    ----------
    policy : releases through the session.
    session : charges what it releases.
    kind : of feedback.
    arms : K; 0 if it is not known.
    calls : those that are let in.
    interrupts : whether what ends a call from outside (Ctrl-C, a lack of memory, the handler of a signal) leaves no
        answer, because the policy can be played again from a journal; otherwise it closes the guard.
    context : in which the code of such a policy runs: of `np.seterr` and `decimal` it finds what it has set itself,
        whichever thread calls it, and whatever the service has set there.
    seeded : generators of the process that it moved, whose states a snapshot has not.
    watched : calls of which it was seen whether they move one.
    """

    policy: Any
    session: Session
    kind: Feedback
    arms: int
    calls: Calls
    interrupts: bool = False
    coins: list[np.random.Generator] = field(default_factory=list)
    context: Context = field(default_factory=Context)
    seeded: set[str] = field(default_factory=set)
    watched: int = 0

    def __post_init__(self) -> None:
        self.coins = generators(self.policy)
        self.open = OpenChoices(self.kind)
        self._arms_alone = type(self.kind).action is Feedback.action  # and actions are arms
        self.session.round = 1

    @property
    def ends(self) -> tuple[str, str]:
        """The calls that choose and that tell rewards."""
        return f"{self.kind.chooses}()", f"{self.kind.learns}()"

    @property
    def all_ends(self) -> tuple[str, ...]:
        """The calls that a leak closes."""
        return (*self.ends, *self.kind.attributes, "recommend")

    def prepare(
        self, kind: str, given: tuple[Any, ...], *, recorded: bool = False, earlier: bool = False
    ) -> tuple[Any, ...]:
        """Return the arguments of a call, checked and wrapped; what is refused changes nothing.

        Parameters
        ----------
        kind : the call.
        given : its arguments.
        recorded : whether it was let in before; then it stands.
        earlier : whether it tells the reward of a choice in a scope that this one continues.
        """
        if kind == self.kind.chooses:
            if not self.kind.contextual:
                return self.kind.asked(given)
            self.check_count(kind, ("context",), given)
            assert self.session.contexts is not None
            return (self.session.contexts.checked(given[0], self.arms),)
        if kind != self.kind.learns:
            return ()
        if len(given) != len(self.kind.told):
            self.check_count(kind, self.kind.told, given)
        if not (recorded or earlier or self.open.has(given)):
            self.check_open(given, self.open, self.session.scratch)
        first = self.session.round
        try:
            wrapped = self.kind.wrapped(self.session, given, self.arms)
        except BaseException:
            self.session.round = first  # the policy was told nothing
            raise
        if self.kind.whole_row:
            self.arms = self.arms or np.size(wrapped[-1])
        if not earlier:
            self.open.close(wrapped)
        return wrapped

    def round_of(self, kind: str, given: tuple[Any, ...]) -> int:
        """Return the round of a call: under delayed feedback the one whose reward it tells."""
        if kind == self.kind.learns and "round" in (told := self.kind.told) and len(given) == len(told):
            return whole_number(given[told.index("round")]) or self.session.round
        return self.session.round

    def play(self, kind: str, prepared: tuple[Any, ...], recorded: Answer | None = None) -> Answer:
        """Return what a call is answered; one that is played again has an answer already, which stands."""
        if not self.interrupts:
            return self._play(kind, prepared, recorded)
        if self.watched == WATCHED or (self.kind.contextual and kind == self.kind.chooses):
            return self.context.run(self._play, kind, prepared, recorded)
        self.watched += 1
        with moved_generators() as moved:
            answer = self.context.run(self._play, kind, prepared, recorded)
        self.seeded |= moved
        return answer

    def _play(self, kind: str, prepared: tuple[Any, ...], recorded: Answer | None) -> Answer:
        if kind == self.kind.learns:
            return self._learn(prepared, recorded)
        if kind == self.kind.chooses:
            answer = self._choose(prepared, recorded)
            shown = answer if recorded is None else recorded
            if shown.error is None or self.kind.contextual:  # whether there is one may depend on the context
                self.open.open(shown.value)
            return answer
        return self._ask(kind)

    def close(self, answer: Answer) -> None:
        """Let the calls that an answer closes in no more."""
        if answer.error is not None:
            self.calls.close(answer.error, *answer.closes)

    def _choose(self, asked: tuple[Any, ...], recorded: Answer | None) -> Answer:
        session, by = self.session, self.kind
        context, given = (asked[0], ()) if by.contextual else (None, asked)
        with recording(session):  # `ask` and `tell` refuse casts
            try:
                action = ask(self.policy, by, context, given, session)
            except BaseException as error:  # of a context, a copy was asked, not the policy itself
                closes = () if by.contextual else self.ends
                return self._failed(error, closes, of_context=by.contextual, recorded=recorded)
            try:
                chosen = self.checked_action(action, given)
            except PolicyError as error:
                return Answer(error=error)
            session.choices += 1
            by.chosen(session, chosen if recorded is None or recorded.error is not None else recorded.value)
            return Answer(chosen)

    def _learn(self, wrapped: tuple[Any, ...], recorded: Answer | None) -> Answer:
        session, before = self.session, None
        if session.expects_refusal or (recorded is not None and recorded.error is not None):
            before = copy_of_state(self.policy, self.coins)
        try:
            with recording(session):
                tell(self.policy, self.kind, wrapped, session)
        except BudgetExceededError as refused:
            if before is None:
                return Answer(error=refused, closes=self.ends)
            self.policy = before  # go on as it was before the update in which a release did not fit
            return Answer(error=refused, closes=self.ends[1:])
        except BaseException as error:
            return self._failed(error, self.ends)
        finally:
            self.kind.learned(session)
        return Answer()

    def _ask(self, name: str) -> Answer:
        """Return what a policy answers after its last round; a leak closes the guard, as one in `select` does."""
        with self.session.active(), in_guard():
            try:
                if name == "stopped":
                    return Answer(bool(not_private(self.policy.stopped, self.policy, name, self.kind)))
                found = not_private(self.policy.recommend(), self.policy, name, self.kind)
            except BaseException as error:
                return self._failed(error, self.all_ends)
        try:
            return Answer(self.checked_action(found))
        except PolicyError as error:
            return Answer(error=error)

    def _failed(
        self, error: BaseException, closes: tuple[str, ...], *, of_context: bool = False, recorded: Answer | None = None
    ) -> Answer:
        """Return an error as an answer, or raise it if it came from outside.

        What a contextual `select` raises itself is an answer, whatever its class: without one, the round would take no
        reward, and everybody could see what its context was. Where it is played again, one that gave an action may
        meet a lack of memory that is new.
        """
        own = of_context and is_own(error) and (recorded is None or recorded.error is not None)
        if self.interrupts and not own and (is_interrupt(error) or (of_context and type(error) is InterruptedError)):
            raise error
        return Answer(error=error, closes=closes, of_context=of_context)

    def checked_action(self, action: Any, asked: tuple[Any, ...] = ()) -> Any:
        """Return an action of the policy, or refuse it; if it is private, the error does not show it."""
        if self._arms_alone and type(action) is int and 0 <= action < self.arms:  # nearly always
            return action
        try:
            return self.kind.action(action, self.arms or None, "action", asked)
        except PolicyError as error:
            if self.kind.contextual:  # what is not an integer is in words already: see `ask`
                got = words("an integer that is no arm") if type(action) is int else action
            elif error.value is not action or isinstance(action, int):
                raise
            else:
                got = words(f"an object of type {type(action).__name__}")
            expected, hint = error.expected, error.hint
        raise PolicyError("action", got, expected, hint)

    def check_open(
        self, told: tuple[Any, ...], known: OpenChoices, scratch: Callable[[], Session], chosen: str = ""
    ) -> None:
        """Refuse a reward for which no choice is open; arguments that are wrong are named first.

        Parameters
        ----------
        told : the arguments.
        known : what is open.
        scratch : makes a session that nothing is passed on to.
        chosen : the id under which its action was chosen; "" if there is none.
        """
        if not known.has(told):
            checked = self.kind.wrapped(scratch(), told, self.arms)
            if not known.has(checked):
                raise known.refusal(checked, chosen)

    def check_arguments(self, told: tuple[Any, ...]) -> None:
        """Refuse the arguments of a call that tells rewards, without telling them."""
        self.check_count(self.kind.learns, self.kind.told, told)
        self.kind.wrapped(self.session.scratch(), told, self.arms)

    def check_count(self, method: str, names: tuple[str, ...], given: tuple[Any, ...]) -> None:
        """Refuse a call with too many arguments, or too few."""
        if len(given) != len(names):
            got = words(f"{len(given)} arguments for feedback={self.kind.id!r}")
            raise PrivcheckError(f"{method}()", got, f"({', '.join(names)})", "see `privcheck.guard`")
