"""The engine of a guard: each call is an event, recorded with its answer and charges, and played again to recover."""

from __future__ import annotations

import json
import os
import warnings
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from privcheck.certifying._calls import Calls
from privcheck.certifying._recorded.argument_checks import check_events
from privcheck.certifying._recorded.draw_log import DrawLog, Interrupted, Moved, changed
from privcheck.certifying._recorded.events import PLAIN, Answer, Event, answer_in
from privcheck.certifying._recorded.opening import Kept
from privcheck.certifying._recorded.played import Played
from privcheck.certifying._recorded.values import decoded
from privcheck.errors import PrivcheckError, words
from privcheck.journal import ANSWER, CLOSED, DRAW, ENVIRONMENT, SCOPE, START, Entry
from privcheck.reached_state import LOCK

REHEARSED = 64
"""The event before which a policy is played again from the journal: one that reads what is not recorded would fail only
at the first restart.
"""


class Engine:
    """Plays the events of a scope in the order of its journal, and answers each of them once.

    Parameters
    ----------
    build : makes the policy and its session, with the log of its draws, the calls that are let in, and the bits of its
        coins, whose state is set by the number of each event; None for both in memory.
    kept : the journal, and what belongs to it.

    Guarantee
    ---------
    What a call is answered is a function of committed draws, coins and public numbers. The policy in memory is a cache
    of the journal: whenever a call ends without an answer it is thrown away, and played again.
    """

    def __init__(self, build: Callable[[DrawLog | None, Calls, Any], Played], kept: Kept) -> None:
        self._build, self._kept = build, kept
        self.journal, self.persons, self.scope = kept.journal, kept.persons, kept.scope
        self.calls, self.log = Calls(), DrawLog(kept.journal) if kept.journal.durable else None
        self._environment, self._in_words = kept.environment
        self._window, self._rehearsed = self.journal.last_window(), False
        self._bits: np.random.Philox | None = None
        self._played: Played | None = None
        self._forget()
        if self.log is None:
            self._played = build(None, self.calls, None)
            return
        _ENGINES.add(self)
        self._together([])

    @property
    def played(self) -> Played:
        """The policy as it is in memory."""
        if self._played is None:
            self._together([])
        assert self._played is not None
        return self._played

    def current(self) -> Played:
        """Return the policy after what other workers have done."""
        if self.log is not None:
            with self.calls.one("a look"):
                self._together([])
        return self.played

    def call(self, event: Event) -> Any:
        """Return or raise the answer of an event."""
        with self.calls.one(f"{event.kind}()"):
            if self.log is None and not event.recorded:  # nobody asks for it again
                return self._answer(event).result()
            return self._together([event])[0].result()

    def call_many(self, events: Sequence[Event]) -> list[Answer]:
        """Return the answers of events, all of which were checked before the first of them is played."""
        if not events:
            return []
        with self.calls.one(f"{events[0].kind}()"):
            return self._together(events)

    def would_admit(self, user: Any) -> bool:
        """Return whether a reward of a person would be passed on now."""
        assert self.persons is not None
        _ = self.current()
        code, window = self.persons.code(user), self.persons.now(self._window)
        before = self.journal.admissions(code, window)
        return self.persons.fits([admission.scope for admission in before], self.scope)

    def _together(self, events: Sequence[Event]) -> list[Answer]:
        """Play events in one transaction, of which what has drawn noise is committed on the way."""
        if self.log is not None and self._events == REHEARSED - 1 and not self._rehearsed and self._played is not None:
            self._forget()
            self._rehearsed = True
        if self.log is not None:
            self.log.stopped = None
        while True:
            try:
                with LOCK, self.journal.transaction():  # the lock first, or two guards could wait for each other
                    self._catch_up()
                    self._check(events)
                    answers = [self._answer(event) for event in events]
                break
            except Moved:
                self._forget()
            except _Refused as refused:
                if self.log is not None:
                    self.journal.show(*self._position)
                raise refused.error from None
            except BaseException:
                if self.log is None:
                    raise
                self._forget()
                if (stopped := self.log.stopped) is not None and not isinstance(stopped, Interrupted):
                    raise stopped from None
                raise
        if self.log is not None:
            self.journal.show(*self._position)
        return answers

    def _check(self, events: Sequence[Event]) -> None:
        for event in events:
            event.earlier = self._is_earlier(event)
        try:
            check_events(events, self.played, self.journal)
        except PrivcheckError as error:
            raise _Refused(error) from None

    def _answer(self, event: Event) -> Answer:
        if (found := self._found(event)) is not None:
            return found
        played = self.played
        try:
            played.calls.check_open(f"{event.kind}()")
            if event.person and (refused := self._refusal(event)) is not None:
                return refused
            event.number, event.round, event.environment = self._events + 1, played.session.round, self._environment
            event.entry = None
            prepared = played.prepare(event.kind, event.given, earlier=event.earlier)
        except PrivcheckError as error:  # the policy was told nothing, and nothing is recorded
            return Answer(error=error)
        return self._play(event, [], prepared)

    def _found(self, event: Event) -> Answer | None:
        """Return the answer of an event that is recorded: under its id, or by a call that another worker finished."""
        if event.entry is not None and self.log is not None:
            kept = next(iter(self.journal.after(event.entry.number - 1)), None)
            if kept == event.entry:
                ends = (entry for entry in self.journal.after(kept.number - 1) if "answer" in entry.said)
                return Answer.of(answer_in(next(ends)))
        if event.found is None:
            return None
        assert event.found.answer is not None
        return Answer.of(answer_in(event.found.answer))

    def _is_earlier(self, event: Event) -> bool:
        """Return whether an event tells the reward of a choice that was made in a scope that this one continues."""
        if not (self._kept.continued and event.request and event.kind == self.played.kind.learns):
            return False
        found = self.journal.answer(event.request, self.played.kind.chooses)
        if found is None or not found.earlier or found.answer is None:
            return False
        return Answer.of(answer_in(found.answer)).error is None

    def _refusal(self, event: Event) -> Answer | None:
        assert self.persons is not None
        event.window = self._window = self.persons.now(self._window)
        before = self.journal.admissions(event.person, event.window)
        refused = self.persons.refusal(event.user, before, self.scope)
        if refused is None:
            return None
        answer = Answer(error=refused)
        if event.request:
            person, event.person, event.number, event.round = event.person, "", -1, self.played.session.round
            event.environment = self._environment
            self._position = _place(event.record(self.journal, answer))
            event.person = person
        return answer

    def _play(self, event: Event, draws: list[Entry], prepared: tuple[Any, ...]) -> Answer:
        """Play an event, with what was drawn for it before, and record its answer."""
        played = self.played
        if self.log is None:
            answer = played.play(event.kind, prepared)
            if event.recorded:
                event.end(self.journal, answer, self._environment)
        else:
            self._begin(event, draws, live=True)
            answer = played.play(event.kind, prepared)
            self._check_log(draws)
            self._position = _place(event.end(self.journal, answer, self._environment))
            if answer.error is None and type(answer.value) not in PLAIN:
                answer = Answer.of(answer.said)
        self._events = event.number
        played.close(answer)
        return answer

    def _begin(self, event: Event, draws: list[Entry], *, live: bool) -> None:
        assert self.log is not None
        assert self._bits is not None
        self.log.begin(event, draws, live=live)
        self._coins["state"]["counter"][1] = event.number
        self._bits.state = self._coins

    def _check_log(self, draws: list[Entry]) -> None:
        assert self.log is not None
        if self.log.stopped is not None:  # the policy has caught what ended its call
            raise self.log.stopped
        if self.log.place < len(draws):
            raise changed(f"it makes {self.log.place} releases in an event with {len(draws)}")

    def _catch_up(self) -> None:
        """Play what other workers have added, and finish the event that one of them has left."""
        if self.log is None:
            return
        end = self.journal.head()
        if self._played is not None and end == self._position:
            return
        if end[0] < self._position[0]:
            got = words(f"one that ends at entry {end[0]}, after it ended at entry {self._position[0]}")
            raise PrivcheckError(
                "ledger", got, "the file that the guard was opened with", "it was put back: restore it"
            )
        event: Event | None = None
        draws: list[Entry] = []
        for entry in self.journal.after(self._position[0]):
            self._check_chain(entry)
            if entry.kind == DRAW:
                draws.append(entry)
            elif entry.kind == ANSWER:
                assert event is not None
                self._again(event, draws, entry)
                event, draws = None, []
            elif entry.kind == CLOSED:
                self._close(str(entry.said["by"]))
            elif entry.kind == ENVIRONMENT:
                self._known[str(entry.said["code"])] = entry.said["is"]
            elif entry.kind != SCOPE:
                self._window = max(self._window, entry.window)
                if entry.event >= 0:
                    event = self._read(entry)
                    if "answer" in entry.said:
                        self._again(event, [], entry)
                        event = None
            self._position = _place(entry)
        self._finish(event, draws)

    def _finish(self, event: Event | None, draws: list[Entry]) -> None:
        if event is not None and event.kind != "start":
            prepared = self.played.prepare(event.kind, event.given, recorded=True, earlier=event.earlier)
            self._play(event, draws, prepared)
        elif self._played is None:
            self._start(event, draws)
        if self._environment not in self._known and not self._ended:
            self._introduce()

    def _start(self, event: Event | None, draws: list[Entry], ended: Entry | None = None) -> None:
        """Build the policy; what it draws then is recorded as the event 0."""
        assert self.log is not None
        if event is None:
            event = Event("start", environment=self._environment)
            event.read()
        self._bits = self._kept.coins()
        self._coins: Any = {**self._bits.state}  # before the first draw: nothing is left of a block
        self._begin(event, draws, live=ended is None)
        played = self._build(self.log, self.calls, self._bits)
        self._check_log(draws)
        if ended is None:
            self._position = _place(event.end(self.journal, Answer(), self._environment))
        self._played, self._events = played, 0

    def _again(self, event: Event, draws: list[Entry], ended: Entry) -> None:
        """Play an event that has an answer, and compare."""
        if event.kind == "start":
            self._start(event, draws, ended)
            return
        kept = answer_in(ended)
        played, answer = self.played, Answer.of(kept)
        self._begin(event, draws, live=False)
        try:
            prepared = played.prepare(event.kind, event.given, recorded=True, earlier=event.earlier)
        except PrivcheckError as error:
            raise changed(f"{event.kind}() of event {event.number} is refused: {error}") from None
        found = played.play(event.kind, prepared, answer)
        self._check_log(draws)
        if self._environment == event.environment == ended.said["by"] and not _agree(found.said, kept):
            raise changed(f"event {event.number}, {event.kind}(), gives {_short(found.said)}, not {_short(kept)}")
        if answer.closes and found.error is not None:
            answer = Answer(error=found.error, closes=answer.closes)
        played.close(answer)
        self._events = event.number

    def _introduce(self) -> None:
        """Record what plays from here on, and say so if something else has played before."""
        if self._known:
            before: Any = [*self._known.values()][-1]
            names = [name for name in {**before, **self._in_words} if before.get(name) != self._in_words.get(name)]
            text = (
                f"the ledger was written with another {', '.join(names)}: recorded answers stand, and are not compared"
            )
            warnings.warn(text, RuntimeWarning, stacklevel=2)
        said = json.dumps({"code": self._environment, "is": self._in_words})
        self._position = _place(self.journal.append(Entry(0, -1, ENVIRONMENT, said)))
        self._known[self._environment] = self._in_words

    def _read(self, entry: Entry) -> Event:
        said: dict[str, Any] = entry.said
        told = self.journal.told(entry.number)
        given = decoded(json.loads(told[1]))
        event = Event(entry.kind, given, entry.request, entry.person, None, entry.event, entry.window, said["round"])
        event.environment, event.told, event.entry = said["by"], told, entry
        event.earlier = self._is_earlier(event)
        return event

    def _check_chain(self, entry: Entry) -> None:
        if entry.after(self._position[1]).hash != entry.hash or entry.number != self._position[0] + 1:
            got = words(f"one whose entry {entry.number} does not follow from those before it")
            hint = "the file was changed or damaged: `privcheck ledger verify` says where"
            raise PrivcheckError("ledger", got, "a ledger as it was written", hint)

    def _close(self, by: str) -> None:
        got = words(f"the scope {self.scope!r}, which {by!r} continues")
        closed = PrivcheckError("scope", got, "the scope that goes on", f"open the scope {by!r}")
        self.calls.close(closed, *self.played.all_ends)
        self._ended = True

    def _forget(self) -> None:
        """Throw the policy in memory away; the next call plays it again from the journal."""
        self._played = None
        self._position, self._events = (0, START), 0
        self._known, self._ended = dict[str, Any](), False
        self.calls.reopen()

    def after_fork(self) -> None:
        """Begin anew in a child: the parent may have been in the middle of a call."""
        self.calls = Calls()
        self._forget()


class _Refused(BaseException):
    """Arguments that were refused: the policy was told nothing."""

    def __init__(self, error: PrivcheckError) -> None:
        super().__init__()
        self.error = error


def _place(entry: Entry) -> tuple[int, bytes]:
    return entry.number, entry.hash


def _agree(found: dict[str, Any], kept: dict[str, Any]) -> bool:
    """Return whether answers agree: values in all, errors in their kind, since their words may name lines."""
    if "error" in found and "error" in kept:
        return bool(found["error"]["type"] == kept["error"]["type"])
    return found == kept


def _short(said: dict[str, Any]) -> str:
    return str(said.get("value", said.get("error", {}).get("text")))[:100]


_ENGINES: weakref.WeakSet[Engine] = weakref.WeakSet()


def _after_fork() -> None:
    for engine in _ENGINES:
        engine.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
