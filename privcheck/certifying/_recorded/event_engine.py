"""The engine of a guard: each call is an event, recorded with its answer and charges, and played again to recover."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from privcheck.certifying._calls import Calls
from privcheck.certifying._recorded import forked, interrupts, replay_checks
from privcheck.certifying._recorded.argument_checks import check_events
from privcheck.certifying._recorded.draw_log import DrawLog, Interrupted, Moved, changed
from privcheck.certifying._recorded.events import PLAIN, Answer, Event, answer_in
from privcheck.certifying._recorded.frozen_state import Thawed
from privcheck.certifying._recorded.opening import Kept
from privcheck.certifying._recorded.played import Played
from privcheck.certifying._recorded.snapshots import Snapshots
from privcheck.errors import PrivcheckError
from privcheck.journal import ANSWER, CLOSED, DRAW, ENVIRONMENT, SCOPE, START, Entry
from privcheck.reached_state import LOCK

if TYPE_CHECKING:
    import numpy as np

REHEARSED = 64
"""The event before which a policy is played again: one that reads what is not recorded would fail only at a restart."""


class Engine:
    """Plays the events of a scope in the order of its journal, and answers each of them once.

    Parameters
    ----------
    build : makes the policy and its session, with the log of its draws, the calls that are let in, and the bits of its
        coins, whose state is set by the number of each event, None for both in memory; from a snapshot, if it is given.
    kept : the journal, and what belongs to it.

    Guarantee
    ---------
    What a call is answered is a function of committed draws, coins and public numbers. The policy in memory is a cache
    of the journal: when a call ends without an answer it is thrown away, and played again.
    """

    def __init__(self, build: Callable[..., Played], kept: Kept) -> None:
        self._build, self._kept = build, kept
        self.journal, self.persons, self.scope = kept.journal, kept.persons, kept.scope
        self.calls, self.log = Calls(), DrawLog(kept.journal, kept.environment[0]) if kept.journal.durable else None
        self._environment, self._in_words = kept.environment
        self._window, self._rehearsed = self.journal.last_window(), False
        self._snapshots = Snapshots(kept.journal, kept.environment[0], kept.policy)
        self._bits: np.random.Philox | None = None
        self._forget()
        if self.log is None:
            self._played: Played | None = build(None, self.calls, None)
            return
        forked.KNOWN.add(self)
        self._together([])

    @property
    def played(self) -> Played:
        """The policy as it is in memory."""
        if self._played is None:
            self.calls.process.check("a look")
            self._together([])
        assert self._played is not None
        return self._played

    def current(self) -> Played:
        """Return the policy after what other workers have done."""
        if self.log is not None:
            with self.calls.one("a look"), LOCK:
                self._together([])
        return self.played

    def call(self, event: Event) -> Any:
        """Return or raise the answer of an event."""
        with self.calls.one(f"{event.kind}()"), LOCK:
            alone = self.log is None and not (event.request or event.person)  # nobody asks for it again
            answer = self._answer(event) if alone else self._together([event])[0]
        return answer.result()

    def call_many(self, events: Sequence[Event]) -> list[Answer]:
        """Return the answers of events, all of which were checked before the first of them is played."""
        with self.calls.one(f"{events[0].kind}()"), LOCK:
            return self._together(events)

    def forget(self) -> int:
        """Delete what events were told, but for what private values refer to, and go on from a snapshot without it."""
        if self.log is None:
            return 0
        deleted = list[int]()
        with self.calls.one("forget()"), LOCK:
            self._together([], lambda: deleted.append(self._snapshots.forget(*self._state(), self._start_from)))
            self.journal.erase()
        return deleted[-1]

    def given(self, user: Any, *, ever: bool = False) -> tuple[int, list[str]]:
        """Return the present window, and the scopes in which rewards of a person were passed on in it, or ever."""
        assert self.persons is not None
        _, code, now = self.current(), self.persons.code(user), self.persons.now(self._window)
        with LOCK:  # as in each call, so that no process is forked while SQLite holds locks of its own
            return now, [each.scope for each in self.journal.admissions(code, None if ever else now)]

    def _together(self, events: Sequence[Event], then: Callable[[], object] = lambda: None) -> list[Answer]:
        """Play events in one transaction, of which what has drawn noise is committed on the way."""
        if self.log is not None:
            self._rehearse()
            self.log.stopped = None
        while True:
            try:
                with LOCK, self.journal.transaction():  # the lock first, or two guards could wait for each other
                    self._catch_up()
                    if (refused := self._refused(events)) is None:  # else what was caught up with is committed alone
                        answers = [self._answer(event) for event in events]
                        then()
                break
            except Moved:
                self._forget()
            except BaseException as error:
                if self.log is None:
                    raise
                self._fail()
                if (cause := replay_checks.cause(error, self.log)) is error:
                    raise
                raise cause from None
        if self.log is not None:
            self.journal.show(*self._position)
        if refused is not None:
            raise refused
        if self.log is not None and self._snapshots.is_due(self._events) and all(one.error is None for one in answers):
            self._take()  # an error would hold what was private where it was raised
        return answers

    def _rehearse(self) -> None:
        """Throw the policy away where one that does not do again what it has done would be found out early."""
        early = self._events == REHEARSED - 1 and not self._rehearsed
        if self._played is not None and (early or self._snapshots.is_rehearsed(self._events)):
            self._rehearsed = self._rehearsed or early
            self._forget()

    def _take(self) -> None:
        try:
            self._snapshots.take(*self._state())
        except BaseException:
            self._fail()
            raise

    def _fail(self) -> None:
        """Throw away what a call has begun, and the transaction that an interrupt at its end has left open."""
        self._forget()
        self.journal.roll_back()

    def _state(self) -> tuple[Played, Any, dict[str, Any], tuple[int, bytes]]:
        """Return what a snapshot is made of."""
        facts = {"events": self._events, "window": self._window, "known": self._known, "ended": self._ended}
        return self.played, self._bits, facts, self._position

    def _refused(self, events: Sequence[Event]) -> PrivcheckError | None:
        """Return what is wrong with the arguments of events; None if nothing is."""
        for event in events:
            event.earlier = self._is_earlier(event)
        try:
            check_events(events, self.played, self.journal)
        except PrivcheckError as error:
            return error
        return None

    def _answer(self, event: Event) -> Answer:
        if (event.found is not None or event.entry is not None) and (found := self._found(event)) is not None:
            return found
        played = self._played or self.played
        try:
            if played.calls.closed:
                played.calls.check_open(f"{event.kind}()")
            if event.person and event.kind == played.kind.learns and (refused := self._refusal(event)) is not None:
                return refused
            event.round = played.round_of(event.kind, event.given)
            event.entry, event.number, event.environment = None, self._events + 1, self._environment
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
                return Answer.of(answer_in(next(ends))).shown_to(event.user)
        if event.found is None:
            return None
        assert event.found.answer is not None
        return Answer.of(answer_in(event.found.answer)).shown_to(event.user)

    def _is_earlier(self, event: Event) -> bool:
        """Return whether an event tells the reward of a choice that was made in a scope that this one continues."""
        if not (self._kept.continued and event.request and event.kind == self.played.kind.learns):
            return False
        found = self.journal.answer(event.request, self.played.kind.chooses)
        if found is None or not found.earlier or found.answer is None:
            return False
        return self.played.kind.contextual or Answer.of(answer_in(found.answer)).error is None

    def _refusal(self, event: Event) -> Answer | None:
        assert self.persons is not None
        event.window = self._window = self.persons.now(self._window)
        refused = self.persons.refusal(self.journal.admissions(event.person, event.window), self.scope, event.window)
        if refused is None:
            return None
        self.played.check_arguments(event.given)  # what is wrong changes nothing, whoever gave it
        answer = Answer(error=refused, person=event.person)
        if event.request:
            person, event.person, event.number = event.person, "", -1
            event.round, event.environment = self.played.round_of(event.kind, event.given), self._environment
            self._position = event.record(self.journal, answer).place
            event.person = person
        return answer.shown_to(event.user)

    def _play(self, event: Event, draws: list[Entry], prepared: tuple[Any, ...]) -> Answer:
        """Play an event, with what was drawn for it before, and record its answer."""
        played = self._played or self.played
        if self.log is None:
            try:
                answer = played.play(event.kind, prepared)
                if event.request or event.person:
                    event.end(self.journal, answer, self._environment)
                played.close(answer)
            except BaseException as error:  # a signal: the policy may have been told what is not recorded
                played.calls.close(error, *played.all_ends)
                raise
        else:
            self._begin(event, draws, live=True)
            answer = played.play(event.kind, prepared)
            self._check_log()
            self._position = event.end(self.journal, answer, self._environment).place
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

    def _check_log(self) -> None:
        assert self.log is not None
        self.log.end()
        if self.log.stopped is not None:  # the policy has caught what ended its call
            raise self.log.stopped
        self.log.check_all_drawn()

    def _catch_up(self) -> None:
        """Play what other workers have added, from a snapshot if nothing is played yet."""
        if self.log is None:
            return
        if self._played is not None:
            try:
                self._play_on()
            except PrivcheckError:  # another worker may have forgotten what it would play: its snapshot is newer
                if not self.journal.is_forgotten():
                    raise
                self._forget()
        if self._played is not None:
            return
        if (thawed := self._snapshots.find()) is None:
            self._play_on()
            return
        try:
            self._start_from(thawed)
            self._play_on()
        except BaseException as error:
            if interrupts.is_interrupt(found := self.log.stopped or error):  # not of the snapshot
                raise
            self._forget()
            try:
                self._play_on()
            except (PrivcheckError, Interrupted) as again:
                raise found if self.journal.is_forgotten() else again from None
            self._snapshots.drop()

    def _start_from(self, thawed: Thawed) -> None:
        """Go on as a snapshot says."""
        assert self.log is not None
        facts = thawed.facts
        self._bits, self._coins = self._kept.coins(facts["spawned"])
        self._begin(Event("start"), [], live=False)
        self._played = self._build(self.log, self.calls, self._bits, thawed)
        self.log.playing = False
        self._events, self._began, self._window = facts["events"], thawed.place[0], max(self._window, facts["window"])
        self._known, self._ended, self._position = dict(facts["known"]), facts["ended"], thawed.place
        self._snapshots.went_on(self._events)

    def _play_on(self) -> None:
        """Play what other workers have added, and finish the event that one of them has left."""
        if (end := self.journal.head()) == self._position and self._played is not None:
            return
        replay_checks.check_end(end, self._position)
        event: Event | None = None
        draws: list[Entry] = []
        for entry in self.journal.after(self._position[0]):
            replay_checks.check_chain(entry, self._position)
            if entry.kind == DRAW:
                draws.append(entry)
            elif entry.kind == ANSWER:
                assert event is not None
                self._again(event, draws, entry)
                event, draws = None, []
            elif entry.kind == CLOSED and (closed := self.journal.closed()) is not None:
                self.calls.close(closed, *self.played.all_ends)
                self._ended = True
            elif entry.kind == ENVIRONMENT:
                self._known[str(entry.said["code"])] = entry.said["is"]
                replay_checks.check_kept(entry, self._began)
            elif entry.kind != SCOPE:
                self._window = max(self._window, entry.window)
                if entry.event >= 0:
                    event = self._read(entry)
                    if "answer" in entry.said:
                        self._again(event, [], entry)
                        event = None
            self._position = entry.place
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
            event = Event("start")
            event.environment = self._environment
            event.read()
        self._bits, self._coins = self._kept.coins()
        self._begin(event, draws, live=ended is None)
        played = self._build(self.log, self.calls, self._bits)
        self._check_log()
        if ended is None:
            self._position = event.end(self.journal, Answer(), self._environment).place
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
        self._check_log()
        if self._environment == event.environment == ended.said["by"]:
            replay_checks.check_answer(event, found, kept)
        if answer.closes and found.error is not None:
            answer = Answer(error=found.error, closes=answer.closes)
        played.close(answer)
        self._events = event.number

    def _introduce(self) -> None:
        """Record what plays from here on, and say so if something else has played before."""
        if self._known:
            replay_checks.warn_of_another([*self._known.values()][-1], self._in_words)
        said = json.dumps({"code": self._environment, "is": self._in_words})
        self._position = self.journal.append(Entry(0, -1, ENVIRONMENT, said)).place
        self._known[self._environment] = self._in_words

    def _read(self, entry: Entry) -> Event:
        told = self.journal.told(entry.number)
        replay_checks.check_told(entry, told)
        event = Event.again(entry, told)
        event.earlier = self._is_earlier(event)
        return event

    def _forget(self) -> None:
        """Throw the policy in memory away; the next call plays it again from the journal."""
        if self.log is not None:
            self.log.playing, self.log.session = False, None
        self._played, self._position, self._events = None, (0, START), 0
        self._known, self._ended, self._began = dict[str, Any](), False, 0
        self.calls.reopen()

    def after_fork(self) -> None:
        """Begin anew in a child: the parent may have been in the middle of a call."""
        self.calls = Calls()
        self._forget()
