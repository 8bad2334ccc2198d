"""Playing a policy, round by round or on a table: with ordinary rewards, or with everything wrapped by a session."""

from __future__ import annotations

import operator
from collections.abc import Callable
from contextlib import suppress
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from threading import get_ident
from types import CodeType
from typing import Any

from privcheck.accounting import ReleaseRefusedError
from privcheck.arrays import Array, Table
from privcheck.certifying._context_isolation import NOT_COPIED, go_on, kept_context, throw_away
from privcheck.certifying._outside.plain_errors import APART, plain_error
from privcheck.certifying._outside.state_apart import Separated, check_can_be_put_back, select_apart
from privcheck.certifying._recorded.interrupts import noticing_ctrl_c
from privcheck.certifying._session import Session
from privcheck.certifying._translated.new_arrays import in_guard
from privcheck.certifying._translated.swapped_code import untranslated
from privcheck.errors import PolicyError, PrivcheckError, class_name, words
from privcheck.feedback import Feedback, kind, public_attribute
from privcheck.mechanisms import DivergenceError, ForcedTape, Recorder, Tape, recording
from privcheck.privacy import Contexts
from privcheck.private_values import Leak, LeakError, Private, casting_refused, is_machinery, refuse
from privcheck.reached_state import LOCK, apart
from privcheck.targets import describe_exception, limited


@dataclass(frozen=True)
class Execution:
    """What happened in one run: the actions, whether a refused release stopped it, and context variables.

    Parameters
    ----------
    context, started : those after the run, and those before.
    """

    actions: list[int]
    refused: bool
    context: Context = field(compare=False, repr=False)
    started: Context = field(compare=False, repr=False)


def drive_guarded(
    policy: Any,
    table: Table,
    session: Session,
    feedback: str,
    *,
    before: Callable[[], object] = lambda: None,
) -> Execution:
    """Play a policy on a table of shape (T, K), or with further columns for contexts, with wrapped rewards.

    A leak is recorded and then raises inside the policy. The run continues with the next round (with the arms in turn
    when `select` leaked), so one run can show several leaks. A refused release ends the run, and so does any failure of
    the policy after a leak or a refusal, which may have left it half-updated. `before` is called before every choice.
    """
    by, arms, played = kind(feedback), _arms(table, session.contexts), list[int]()
    session.round, context, started = 1, Context(), copy_context()
    try:
        remaining = iter(by.rounds(table, arms, session.contexts))
        with session.active(), limited(rounds_left=lambda: operator.length_hint(remaining)):
            context, started = copy_context(), copy_context()
            context.run(by.play, _Guarded(policy, session, by, arms, before), remaining, arms, played)
    except (KeyboardInterrupt, DivergenceError):
        raise
    except BaseException as error:
        if not (session.leaks or session.refusals):
            raise _failed(error, max(session.round, session.choices), session.contexts) from None
        return Execution(played, isinstance(error, ReleaseRefusedError), context, started)
    return Execution(played, False, context, started)


@dataclass
class _Guarded:
    """A policy under a session: everything it receives is wrapped, and a leak ends the call in which it happens."""

    policy: Any
    session: Session
    kind: Feedback
    arms: int
    before: Callable[[], object]

    def act(self, count: int) -> Any:
        self.session.sizes.add(count)
        return self._choose(None, (count,))

    def select(self, context: Any = None) -> Any:
        return self._choose(context, ())

    def _choose(self, context: Any, asked_with: tuple[Any, ...]) -> Any:
        t = self.kind.ended(self.session) + 1
        self.session.choices += 1
        self.before()
        try:
            kept = list[Leak]()

            def look(asked: Any) -> None:
                kept.extend(kept_context(self.policy, asked, context, t))

            chosen = ask(self.policy, self.kind, context, asked_with, self.session, look)
            action = self.kind.action(chosen, self.arms, f"action in round {t}", asked_with)
            self.session.leaks += kept
        except LeakError:
            action = self.kind.after_leak(self.session.choices, self.arms, asked_with)
        self.kind.chosen(self.session, action)
        return action

    def update(self, *told: Any) -> None:
        with suppress(LeakError):
            tell(self.policy, self.kind, self.kind.wrapped(self.session, told, self.arms), self.session)
        self.kind.learned(self.session)

    learn = update

    def __getattr__(self, name: str) -> Any:
        return public_attribute(self.kind, self.policy, name)

    @property
    def stopped(self) -> bool:
        return bool(not_private(self.policy.stopped, self.policy, "stopped", self.kind))

    def recommend(self) -> Any:
        return not_private(self.policy.recommend(), self.policy, "recommend", self.kind)


def ask(
    policy: Any,
    by: Feedback,
    context: Array | None,
    asked_with: tuple[Any, ...],
    session: Session,
    look: Callable[[Any], None] = lambda _: None,
) -> Any:
    """Return the action of a policy; with a context, a throw-away copy chooses, and all that it reaches is put back.

    A policy that cannot be copied chooses itself, and a note in the session says so. What the constructor drew is
    released before the first context is shown. `look` is shown the copy before it is thrown away.
    """
    session.source.thread = get_ident()
    if context is None:
        with LOCK, in_guard():
            try:
                return not_private(getattr(policy, by.chooses)(*asked_with), policy, by.chooses, by)
            except (TypeError, AttributeError) as error:  # a block of its own costs a microsecond
                casting_refused(session.source).__exit__(None, error, error.__traceback__)
                raise
    if session.round == 1:
        session.publish_noised()
        check_can_be_put_back(policy)
    failed, seeds = None, list[tuple[Any, int]]()
    with apart([policy], session.coins, session.code), noticing_ctrl_c():
        asked = throw_away(policy, seeds)
        if asked is None:
            session.note(NOT_COPIED)
        try:
            with session.reading(), in_guard(), casting_refused(session.source):
                given = select_apart(policy if asked is None else asked, context)
                chosen, kind_of = _as_number(not_private(given, policy, by.chooses, by))
            if asked is not None:
                look(asked)
        except BaseException as error:
            failed = plain_error(error, session.round)
        del asked  # before the state is put back
    go_on(seeds)
    if failed is not None:
        raise failed
    return chosen if kind_of is None else words(f"an object of type {class_name(kind_of)}")


def _as_number(action: Any) -> tuple[int | None, type | None]:
    """Return an action as an integer, or of anything else its class: no code of it runs after the state is put back."""
    try:
        return operator.index(action), None
    except TypeError:
        return None, type(action)


def not_private(given: Any, policy: Any, name: str, by: Feedback) -> Any:
    """Return what a method or an attribute of a policy gives to who plays it, or refuse it if it is private.

    The leak is where it was chosen, or failing that in what gives it: who plays it is none of the policy's lines. An
    attribute is given by what the policy learns with.
    """
    for part in given if isinstance(given, list | tuple) else (given,):
        if type(part) is not Private or not part.is_raw:
            continue
        if part.made is None:
            part = +part
            if (code := _code_of(policy, name)) is not None:
                part.made_at(code.co_filename, max(line for _, _, line in code.co_lines() if line), code.co_name)
            elif (code := _code_of(policy, by.learns)) is not None:
                part.made_at(code.co_filename, code.co_firstlineno, code.co_name)
        if part.made is not None:
            refuse("index", OUTCOMES.get(name, "an action"), part, at_origin=True)
    return given


OUTCOMES = {"stopped": "whether it has stopped", "recommend": "a recommendation"}
"""What a policy gives to who plays it, besides its actions."""


def _code_of(policy: Any, name: str) -> CodeType | None:
    """Return the code of a method of a policy's own, or that which computes a property."""
    found = getattr(type(policy), name, None)
    code = getattr(getattr(found, "fget", None) or found, "__code__", None)
    return None if code is None or is_machinery(code.co_filename) else code


def tell(policy: Any, by: Feedback, wrapped: tuple[Any, ...], session: Session) -> None:
    """Call `update` with wrapped arguments; of a contextual policy, release the noised values that it leaves behind.

    Whether a later `select` releases them may depend on its context.
    """
    session.source.thread = get_ident()
    with LOCK, in_guard():
        try:
            getattr(policy, by.learns)(*wrapped)
        except (TypeError, AttributeError) as error:
            casting_refused(session.source).__exit__(None, error, error.__traceback__)
            raise
    if session.contexts is not None:
        session.publish_noised()


def drive(
    policy: Any,
    table: Table,
    recorder: Recorder,
    feedback: str,
    contexts: Contexts | None = None,
    *,
    forgets: bool = False,
) -> list[int]:
    """Play a policy on a table of shape (T, K) with ordinary rewards, sending its releases through `recorder`.

    If the recorder stops the run with a `DivergenceError`, that error carries the actions played so far. With `forgets`
    what a contextual `select` sets is lost, as under the guard.
    """
    by, arms, played = kind(feedback), _arms(table, contexts), list[int]()
    rounds = by.rounds(table, arms, contexts)
    remaining = iter(rounds)
    if isinstance(recorder, Tape | ForcedTape):
        recorder.clock = lambda: len(rounds) - operator.length_hint(remaining)
    if isinstance(recorder, ForcedTape):
        recorder.played = played
    try:
        with untranslated(), recording(recorder), limited(rounds_left=lambda: operator.length_hint(remaining)):
            asked = Separated(policy, forgets=forgets) if by.contextual else policy
            copy_context().run(by.play, asked, remaining, arms, played)
    except DivergenceError as divergence:
        divergence.actions = played
        raise
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise _failed(error, len(rounds) - operator.length_hint(remaining), contexts) from None
    return played


def _arms(table: Table, contexts: Contexts | None) -> int:
    return int(table.shape[1]) - (0 if contexts is None else contexts.size)


def _failed(error: BaseException, round_number: int, contexts: Contexts | None) -> Exception:
    if isinstance(error, PrivcheckError):
        return error
    got = words(describe_exception(error))
    hint = "" if contexts is None else APART
    return PolicyError(f"round {round_number}", got, "a policy that plays every round", hint)
