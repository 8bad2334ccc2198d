"""The arguments of events, which are all checked before the first is played: what is taken back has drawn nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from privcheck.certifying._recorded.events import Answer, Event, answer_in, name_in
from privcheck.certifying._recorded.played import Played
from privcheck.errors import PrivcheckError, words
from privcheck.journal import Answered, Journal


def check_events(events: Sequence[Event], played: Played, journal: Journal) -> None:
    """Refuse events whose arguments are wrong, or differ from what was recorded under their ids.

    Raises
    ------
    PrivcheckError : names the argument, and of several events the first that is wrong.
    """
    for place, event in enumerate(events, 1):
        if journal.durable or event.recorded:
            event.read()
        if event.request:
            event.found = journal.answer(event.request, event.kind)
            with _in_batch(place, len(events)):
                if event.found is not None:
                    _check_same(event, event.found)
                elif event.kind == played.kind.learns:
                    _check_action(event, played, journal)
    if len(events) > 1:
        _check_batch(events, played)


@contextmanager
def _in_batch(place: int, count: int) -> Iterator[None]:
    """Name the place of an event in errors, if there are several."""
    try:
        yield
    except PrivcheckError as error:
        if count == 1:
            raise
        hint = "; ".join(filter(None, (error.hint, f"none of the {count} events was played")))
        raise PrivcheckError(f"event {place}: {error.parameter}", error.value, error.expected, hint) from None


def _check_same(event: Event, found: Answered) -> None:
    said = answer_in(found.answer) if found.answer else {}
    person = found.event.person or said.get("person")
    another = person not in (event.person, "", None) or name_in(said) not in (str(event.user), "")
    if another or not event.same(found):
        got = words(f"{event.request!r}, which was recorded with other arguments")
        hint = "an id names one event, whose answer stays: give another event an id of its own"
        raise PrivcheckError("request_id", got, "the same arguments as before", hint)


def _check_action(event: Event, played: Played, journal: Journal) -> None:
    """Refuse a reward under the id of a choice for another action than was chosen."""
    told, chosen = played.kind.told, journal.answer(event.request, played.kind.chooses)
    name = next((name for name in ("action", "actions") if name in told), None)
    if chosen is not None and chosen.event.person not in ("", event.person):
        got = words(f"a reward under the id {event.request!r}, whose action was chosen for another person")
        raise PrivcheckError("user", got, "the person whom that action was shown", "give every event an id of its own")
    if event.earlier and "round" in told:  # it would be taken for that of a choice of this scope
        got = words(f"a reward under the id {event.request!r}, which was chosen in a scope that this one continues")
        raise PrivcheckError("round", got, "a round of this scope", "leave that reward out: rounds are counted anew")
    if chosen is None or chosen.answer is None or name is None or len(event.given) != len(told):
        return
    answer, given = Answer.of(answer_in(chosen.answer)), event.given[told.index(name)]
    if answer.error is None and not np.array_equal(np.asarray(given), np.asarray(answer.value)):
        got = words(f"{given!r} under the id {event.request!r}, for which {answer.value!r} was chosen")
        if name not in played.kind.public:  # whoever knows an id could ask for the action of another round
            got = words(f"another one under the id {event.request!r} than was chosen")
        raise PrivcheckError(name, got, "the action that was chosen", "give every event an id of its own")
    if answer.error is None and not event.earlier:
        played.check_open(event.given, played.open, played.session.scratch, event.request)


def _check_batch(events: Sequence[Event], played: Played) -> None:
    known, scratch, choices = set[str](), played.session.scratch(), played.open.copy()
    for place, event in enumerate(events, 1):
        with _in_batch(place, len(events)):
            if event.request and event.request in known:
                got = words(f"{event.request!r} twice in one call")
                raise PrivcheckError("request_id", got, "one event for each id")
            known.add(event.request)
            if event.found is None and event.entry is None:  # one of this call that is recorded stands
                played.check_count(event.kind, played.kind.told, event.given)
                if not event.earlier:
                    played.check_open(event.given, choices, scratch.scratch)
                told = played.kind.wrapped(scratch, event.given, played.arms)
                if not event.earlier:
                    choices.close(told)
                played.kind.learned(scratch)
