"""Draws of noise that are durable before a policy sees them, and that are given again when it is played again."""

from __future__ import annotations

import json
from collections.abc import Callable
from threading import get_ident
from typing import TYPE_CHECKING, Any, NamedTuple

from privcheck.certifying._recorded.interrupts import is_interrupt
from privcheck.certifying._recorded.values import encoded_charges, noise_as_bytes, noise_of_bytes
from privcheck.errors import PrivcheckError, words
from privcheck.journal import DRAW, Entry
from privcheck.private_values import own_place

if TYPE_CHECKING:
    from privcheck.certifying._recorded.events import Event
    from privcheck.certifying._session import Session
    from privcheck.journal import Journal

COMPARED = ("mechanism", "scale", "shape", "charges")
"""What a draw has to agree in with the one that was recorded; its line may have moved. If it is bounded together with
others, its charges stand as they were recorded, and what it costs alone is compared.
"""


class DrawnBy(NamedTuple):
    """What is known of a draw before it is made.

    Parameters
    ----------
    mechanism : id of the mechanism.
    scale : of its noise.
    shape : of the value.
    charges : of each datum; () for a draw on a public value.
    location : the line that releases.
    joint : of a release that is bounded together with others, what it is known again by, what it costs alone, and which
        one of its event it is: see `privcheck.certifying._charging.joint_charges`.
    """

    mechanism: str
    scale: float
    shape: tuple[int, ...]
    charges: Any
    location: str
    joint: tuple[Any, ...] = ()

    @property
    def said(self) -> dict[str, Any]:
        """What a journal keeps of it."""
        numbers = {"scale": self.scale.hex(), "shape": list(self.shape), "charges": encoded_charges(self.charges)}
        joint = {"joint": list(self.joint)} if self.joint else {}
        return {"mechanism": self.mechanism, **numbers, **joint, "location": self.location}


class FailedDraw(NamedTuple):
    """A mechanism that raised an exception: whether it does may depend on the data, so that it is an output too."""

    parameter: str
    got: str
    expected: str
    hint: str

    @classmethod
    def of(cls, error: Exception, mechanism: str, shape: tuple[int, ...]) -> FailedDraw:
        """Return why a mechanism failed, in words that do not show the value; raise what came from outside of it."""
        if is_interrupt(error):
            raise error
        if isinstance(error, PrivcheckError):
            return cls(error.parameter, f"a private value of shape {shape}", error.expected, error.hint)
        return cls("mechanism", f"{mechanism}, which raises {type(error).__name__}", "one that draws", "")


class Interrupted(BaseException):
    """Ends a call without an answer: the journal could not be written, or another worker has gone on with the event.

    It is no `Exception`, so that a policy does not take it for one of its own; `DrawLog.stopped` tells of it even then.
    """


class Moved(Interrupted):
    """Another worker went on while a draw was committed."""


class DrawLog:
    """Records the draws of the event that is played, or gives those that were recorded.

    Parameters
    ----------
    journal : where they are kept.
    environment : the code of the versions and the processor that play here.

    Attributes
    ----------
    session : that of the policy that is played. One that was thrown away counts its charges apart from it.
    playing : whether an event is played.
    stopped : what has ended the event.
    in_threads : whether a thread of the policy has drawn noise.

    Guarantee
    ---------
    A draw is returned only after it was committed together with its event and its charges; one that was committed is
    returned for ever, whatever the policy does with it, ending its process included.
    """

    def __init__(self, journal: Journal, environment: str = "") -> None:
        self.journal, self._environment = journal, environment
        self.session: Session | None = None
        self.event: Event | None = None
        self.recorded: list[Entry] = []
        self.place, self._tried, self.live, self.playing = 0, 0, True, False
        self.stopped: BaseException | None = None
        self._thread, self.in_threads = 0, False

    def begin(self, event: Event, recorded: list[Entry], *, live: bool) -> None:
        """Go on to an event: with the draws that were recorded, and then with new ones if it is live."""
        self.event, self.recorded, self.live, self._thread = event, recorded, live, get_ident()
        self.place, self._tried, self.playing, self.stopped = 0, 0, True, None

    def end(self) -> None:
        """Take no more draws for the event, once another thread of the policy has released what it releases."""
        if self.session is not None:
            with self.session.source.turns:
                self.playing = False

    def of(self, session: Session) -> DrawLog:
        """Take draws of this session from here on, and of no other."""
        self.session = session
        session.source.features.history = self._environment.encode()
        return self

    def next_release(self) -> tuple[int, dict[str, Any] | None]:
        """Return which release of the event comes, counting those that are refused, and what is recorded of the next
        draw: nothing if none was made, None if it is new.
        """
        self._tried += 1
        if self.place < len(self.recorded):
            return self._tried, dict(self.recorded[self.place].said)
        return self._tried, None if self.live else {}

    def check_source(self, session: Session) -> None:
        """Refuse a draw outside of every event, or of a policy that was thrown away; end one with releases at once."""
        if self.playing and self.session is session:
            if session.source.turns.waited:
                self.stopped = self.stopped or _at_once(own_place())
                raise Interrupted
            return
        got = (
            "one outside of the calls of a guard" if self.session is session else "one of a policy that was thrown away"
        )
        hint = "keep no policies or private values in globals, and release nothing when one is copied or destroyed"
        raise PrivcheckError("release", words(got), "releases of the guarded policy itself, inside its calls", hint)

    def drawn(self, by: DrawnBy, draw: Callable[[], Any]) -> Any:
        """Return the next draw of the event."""
        if self.stopped is not None:
            raise Interrupted
        self.in_threads = self.in_threads or get_ident() != self._thread
        failed: Exception | None = None
        try:
            if self.place < len(self.recorded):
                output = self._again(by)
            else:
                if not self.live:
                    raise changed(f"{self._where} releases again at {by.location}, which is not recorded")
                try:
                    output = draw()
                except Exception as error:  # of a public value: an error of the policy
                    if is_interrupt(error):
                        raise
                    failed = error
                else:
                    self._keep(by, output)
        except BaseException as error:
            self.stopped = error
            raise error if isinstance(error, Interrupted) else Interrupted from error
        if failed is not None:
            raise failed
        self.place += 1
        return output

    def check_all_drawn(self) -> None:
        """Refuse an event that ends before it has made all draws that were recorded."""
        if self.place < len(self.recorded):
            raise changed(f"{self._where} makes {self.place} releases, not {len(self.recorded)}")

    @property
    def _where(self) -> str:
        assert self.event is not None
        return f"event {self.event.number}, {self.event.kind}(),"

    def _again(self, by: DrawnBy) -> Any:
        kept, said = self.recorded[self.place].said, by.said
        for name in COMPARED:
            if name == "charges" and "joint" in kept:
                if not by.joint or by.joint[1] != kept["joint"][1]:
                    raise changed(f"{self._where} releases at {by.location} what costs more or less than was recorded")
            elif kept[name] != said[name]:
                both = said[name], kept[name]
                own, other = (float.fromhex(str(part)) for part in both) if name == "scale" else both
                raise changed(f"{self._where} releases with {name} {own} at {by.location}, not {name} {other}")
        failure: Any = kept.get("failure")
        return FailedDraw(*failure) if failure else noise_of_bytes(kept["output"])

    def _keep(self, by: DrawnBy, output: Any) -> None:
        assert self.event is not None
        kept = {"failure": list(output)} if isinstance(output, FailedDraw) else {"output": noise_as_bytes(output)}
        if self.event.entry is None:
            self.event.record(self.journal)
        said = json.dumps({**by.said, **kept})
        added = self.journal.append(Entry(0, self.event.number, DRAW, said))
        self.journal.commit()
        if self.journal.head() != (added.number, added.hash):
            raise Moved


def _at_once(location: str) -> PrivcheckError:
    """Return the error of a thread that releases while another one does: the order may be another one next time."""
    got = words(f"one at {location} while another thread of the policy released, too")
    hint = "with ledger= release in one thread, and let others compute what is released; the event has no answer yet"
    return PrivcheckError(
        "release", got, "releases one after another, in the order in which they are played again", hint
    )


AGAIN = "code that does not do again what is recorded"


def changed(what: str) -> PrivcheckError:
    """Return the error that says that a policy does not do again what it has done."""
    got = words(f"{AGAIN}: {what}")
    hint = (
        "the code or a library changed, or the policy reads what is not recorded, such as `random`, the time, a file, "
        "or the level of logging, without which a noisy value in a message is not read: go back, or guard the new code "
        "with another scope=, and with continues= to keep all charges"
    )
    return PrivcheckError("policy", got, "the policy that the ledger was written with", hint)
