"""The entries of a journal, and the hash that chains each of them to those before it."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from json.encoder import encode_basestring_ascii as quoted
from typing import Any, NamedTuple

START = b"\0" * 32
"""The hash before the first entry."""

SCOPE, ENVIRONMENT, DRAW, ANSWER, CLOSED = "scope", "environment", "draw", "answer", "closed"
"""The kinds of entries besides events: a parameter set, an environment, a draw of noise, the answer of an event that
drew, and the end of a scope that another one continues. An event's kind is the call: "select", "update", ...
"""


class Said(NamedTuple):
    """What the body of an event says.

    Parameters
    ----------
    round : in which it happens.
    told : the hash of a salt and of what it was told.
    by : the code of what plays it.
    answer : as JSON; "" if it has none yet.

    Examples
    --------
    >>> said = Said(3, bytes(32), b"ab", '{"value": 0}')
    >>> said == Said.of(said.body), Said.of('{"answer": 1}')
    (True, None)
    """

    round: int
    told: bytes
    by: bytes
    answer: str = ""

    @property
    def body(self) -> str:
        """The same as JSON."""
        start = f'{{"round": {self.round}, "told": "{self.told.hex()}", "by": "{self.by.hex()}"'
        return f'{start}, "answer": {self.answer}}}' if self.answer else start + "}"

    @classmethod
    def of(cls, body: str) -> Said | None:
        """Return what a body says; None if it is that of another entry, or is written in another way."""
        found = _EVENT.fullmatch(body)
        return found and cls(int(found[1]), bytes.fromhex(found[2]), bytes.fromhex(found[3]), found[4] or "")


_EVENT = re.compile(
    r'\{"round": (0|[1-9]\d{0,15}), "told": "([0-9a-f]{64})", "by": "((?:[0-9a-f]{2})*)"(?:, "answer": (.+))?\}',
    re.ASCII | re.DOTALL,
)


class Entry(NamedTuple):
    """One entry of a journal; entries are only ever added.

    Parameters
    ----------
    number : its place in the scope, from 1.
    event : the event that it belongs to, from 0, the start of the policy; -1 for none.
    kind : what it says.
    body : JSON with everything else that is said; an event that drew no noise has its answer here.
    request : the id that the caller gave the event; "" for none.
    person : the code of the person who gave the reward; "" for none.
    window : the number of the window of time in which the person gave it; 0 if there are no windows.
    hash : of this entry and all before it.

    Examples
    --------
    >>> one = Entry(1, 0, "start", "{}").after(START)
    >>> two = Entry(2, 1, "select", '{"answer": {"value": 0}}', request="e17").after(one.hash)
    >>> two == two.after(one.hash), two.hash == two.after(START).hash
    (True, False)
    """

    number: int
    event: int
    kind: str
    body: str
    request: str = ""
    person: str = ""
    window: int = 0
    hash: bytes = START

    @staticmethod
    def of_event(number: int, told: bytes, by: bytes, answer: str) -> Said:
        """Return what the body of an event says; `number` is that of the round."""
        return Said(number, told, by, answer)

    def after(self, previous: bytes) -> Entry:
        """Return the entry with its hash, after an entry with this one."""
        return self.at(self.number, previous)

    def at(self, number: int, previous: bytes) -> Entry:
        """Return the entry in its place, after an entry with this hash."""
        _, event, kind, body, request, person, window, _ = self
        words = f"{quoted(kind)}, {quoted(body)}, {quoted(request)}, {quoted(person)}"  # a third of json.dumps' time
        text = f"[{number}, {event}, {words}, {window}]"
        return Entry(number, event, kind, body, request, person, window, sha256(previous + text.encode()).digest())

    def follows(self, previous: bytes) -> bool:
        """Return whether it is as it was written, after an entry with this hash."""
        try:
            return self.after(previous).hash == self.hash
        except TypeError:  # bytes where text was written
            return False

    @property
    def place(self) -> tuple[int, bytes]:
        """Its number and hash."""
        return self.number, self.hash

    @property
    def said(self) -> dict[str, Any]:
        """The body, read."""
        found: dict[str, Any] = json.loads(self.body)
        return found
