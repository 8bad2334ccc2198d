"""The events of a guard, the calls that change its policy, and what each was answered."""

from __future__ import annotations

import hashlib
import json
import secrets
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from privcheck.accounting import BudgetExceededError, ReleaseRefusedError
from privcheck.certifying._calls import in_words
from privcheck.certifying._recorded.values import decoded, encoded, text_of
from privcheck.errors import GuardClosedError, PolicyError, PrivcheckError, class_name, on_one_line, words
from privcheck.journal import ANSWER, Answered, Entry, Journal

NO_ARGUMENTS, PLAIN = text_of(()), frozenset({int, float, bool, str, type(None)})
"""What a call without arguments was told, and the types of arguments that are read back as they are."""

LONGEST = 400
"""Characters of an error that are recorded."""

SOMEBODY = "a person, "
"""Stands for the name of a person in the answers that are recorded."""

KINDS = (BudgetExceededError, ReleaseRefusedError, PolicyError, GuardClosedError, PrivcheckError)
KNOWN: dict[str, type[PrivcheckError]] = {kind.__name__: kind for kind in KINDS}


@dataclass(slots=True)
class Answer:
    """What a call was answered.

    Parameters
    ----------
    value : what it returned.
    error : what it raised; None if it returned.
    closes : the calls that are not let in after it.
    person : the code of the person whose reward was not passed on; "" for none. The name is in no journal.
    of_context : whether the error was raised where the context was read, which its words may show; a journal keeps the
        type alone, since `forget` deletes no answers.
    """

    value: Any = None
    error: BaseException | None = None
    closes: tuple[str, ...] = ()
    person: str = ""
    of_context: bool = False

    @property
    def said(self) -> dict[str, Any]:
        """What a journal keeps of it."""
        if self.error is None:
            return {"value": encoded(self.value, "action")}
        error = self.error
        kind = class_name(type(error)) if self.of_context else type(error).__name__
        parts, text = None, kind
        if not self.of_context:
            if kind in KNOWN and isinstance(error, PrivcheckError):
                with suppress(Exception):  # a policy may have put private values into it
                    parts = [str(part) for part in (error.parameter, error.value, error.expected, error.hint)]
            text = on_one_line(in_words(error))[:LONGEST]
        said = {"error": {"type": kind, "text": text, "parts": parts}, "closes": list(self.closes)}
        if not self.person:
            return said
        renews = {"renews": time.timestamp()} if (time := _renews(error)) is not None else {}
        return {**said, "person": self.person, **renews}

    @property
    def text(self) -> str:
        """The same as JSON."""
        if self.error is None and (self.value is None or type(self.value) is int):  # nearly always
            return '{"value": null}' if self.value is None else f'{{"value": {self.value}}}'
        return json.dumps(self.said)

    @classmethod
    def of(cls, said: dict[str, Any]) -> Answer:
        """Return the answer that was recorded."""
        if "value" in said:
            return cls(decoded(said["value"]))
        error = said["error"]
        if error["parts"]:
            parameter, got, expected, hint = error["parts"]
            raised = KNOWN[error["type"]](parameter, words(got), expected, hint)
            if isinstance(raised, BudgetExceededError) and "renews" in said:
                raised.renews = datetime.fromtimestamp(said["renews"], UTC)
        else:
            got = words(f"an event that was answered by {error['text']}")
            raised = GuardClosedError("call", got, "an event without an error", "one event has one answer for ever")
        return cls(None, raised, tuple(said["closes"]), said.get("person", ""))

    def shown_to(self, user: Any) -> Answer:
        """Return the answer as the person sees it who gave the reward: with the name that came with the call."""
        if not self.person or not isinstance(self.error, BudgetExceededError):
            return self
        got = words(f"{user}, {str(self.error.value).removeprefix(SOMEBODY)}")
        named = BudgetExceededError(self.error.parameter, got, self.error.expected, self.error.hint)
        named.renews = self.error.renews
        return Answer(None, named, self.closes, self.person)

    def result(self) -> Any:
        """Return or raise what was answered."""
        if self.error is not None:
            raise self.error
        return self.value


def _renews(error: BaseException) -> datetime | None:
    return error.renews if isinstance(error, BudgetExceededError) else None


@dataclass(slots=True)
class Event:
    """One call that changes the policy.

    Parameters
    ----------
    kind : the call, "select" for example; "start" is the building of the policy.
    given : its arguments.
    request : the id that the caller gave it; "" for none.
    person : the code of the person who gave the reward; "" for none.
    user : the person's name, for messages.
    number : its number, from 1; it selects the coins.
    window : in which the person gave the reward.
    round : in which it happens; of a reward that comes later, its own.
    environment : the code of what plays it.
    told : a salt, and the arguments as bytes; None where nothing is recorded.
    entry : the entry that says that it happens; None before it is recorded.
    earlier : whether its id is that of a choice in a scope that this one continues.
    found : what was recorded under its id when its arguments were checked, in the same transaction.
    """

    kind: str
    given: tuple[Any, ...] = ()
    request: str = ""
    person: str = ""
    user: Any = None
    number: int = field(default=0, init=False)
    window: int = field(default=0, init=False)
    round: int = field(default=0, init=False)
    environment: str = field(default="", init=False)
    told: tuple[bytes, bytes] | None = field(default=None, init=False)
    entry: Entry | None = field(default=None, init=False, repr=False)
    earlier: bool = field(default=False, init=False)
    found: Answered | None = field(default=None, init=False)

    @classmethod
    def again(cls, entry: Entry, told: tuple[bytes, bytes]) -> Event:
        """Return an event that was recorded, with a salt and what it was told."""
        said: dict[str, Any] = entry.said
        event = cls(entry.kind, decoded(json.loads(told[1])), entry.request, entry.person)
        event.number, event.window, event.round = entry.event, entry.window, said["round"]
        event.environment, event.told, event.entry = said["by"], told, entry
        return event

    @property
    def recorded(self) -> bool:
        """Whether the event is one that a journal in memory has to keep."""
        return bool(self.request or self.person)

    def read(self) -> None:
        """Take the arguments as they are read back later, so that the event is played with the same ones again."""
        text = text_of(self.given, "argument") if self.given else NO_ARGUMENTS
        self.told = secrets.token_bytes(16), text
        if not PLAIN.issuperset(map(type, self.given)):
            self.given = decoded(json.loads(text))

    def same(self, found: Answered) -> bool:
        """Return whether an event that was recorded was told the same; one whose salt is gone is not compared."""
        return found.salt is None or found.event.said["told"] == digest(found.salt, text_of(self.given, "argument"))

    def record(self, journal: Journal, answer: Answer | None = None) -> Entry:
        """Add the event to the journal, with its answer if it drew no noise."""
        assert self.told is not None
        salt, text = self.told
        code = bytes.fromhex(self.environment)
        said = Entry.of_event(
            self.round, hashlib.sha256(salt + text).digest(), code, "" if answer is None else answer.text
        )
        entry = Entry(0, self.number, self.kind, said.body, self.request, self.person, self.window)
        self.entry = entry = journal.append(entry, self.told, said)
        return entry

    def end(self, journal: Journal, answer: Answer, by: str) -> Entry:
        """Add the answer to the journal, and the environment that found it."""
        if self.entry is None:
            return self.record(journal, answer)
        said = f'{{"answer": {answer.text}, "by": "{by}"}}'
        return journal.append(Entry(0, self.number, ANSWER, said))


def answer_in(entry: Entry) -> dict[str, Any]:
    """Return what an entry says of an answer."""
    said: Any = entry.said["answer"]
    return dict(said)


def name_in(said: dict[str, Any]) -> str:
    """Return the name of the person that an earlier version wrote into a refusal; "" if there is none.

    >>> parts = ["user", "u1, who has no budget left: 0.5 each for the rewards of rounds 1", "less", ""]
    >>> name_in({"error": {"type": "BudgetExceededError", "parts": parts}})
    'u1'
    """
    error = said.get("error")
    if not error or error["type"] != "BudgetExceededError" or "person" in said or not error["parts"]:
        return ""
    parameter, got, *_ = error["parts"]
    return str(got).rpartition(", who has no budget left: ")[0] if parameter == "user" else ""


def digest(salt: bytes, text: bytes) -> str:
    """Return the hash by which inputs are compared without being kept."""
    return hashlib.sha256(salt + text).hexdigest()
