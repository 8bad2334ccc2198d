"""A guarded policy and its session as bytes, with the private values that they hold; and again from these bytes."""

from __future__ import annotations

import decimal
import gc
import io
import pickle
import zlib
from contextlib import suppress
from contextvars import copy_context
from typing import Any

import numpy as np

from privcheck.certifying._calls import Calls, without_frames
from privcheck.certifying._recorded.events import Answer
from privcheck.certifying._recorded.frozen_arrays import array_apart
from privcheck.certifying._recorded.frozen_identity import check_identity
from privcheck.certifying._recorded.frozen_names import Names, named
from privcheck.certifying._recorded.interrupts import is_from_outside
from privcheck.certifying._recorded.open_choices import OpenChoices
from privcheck.certifying._recorded.played import Played
from privcheck.certifying._session import Session
from privcheck.errors import PrivcheckError, words
from privcheck.feedback import Feedback
from privcheck.generators import generator_apart
from privcheck.journal import Snapshot
from privcheck.private_values import cells_of, put_together, state_of, taken_apart

OF_SESSION = (
    "round", "notes", "leaks", "refusals", "choices", "awaited", "mechanisms", "_checked_at", "_looked_at", "_expects",
    "_most",
)  # fmt: skip
OF_COINS = ("_entropy", "_calls")
SETS = (set, frozenset)
PRINTING = "format_options"
KNOWN_VARIABLES = {"numpy.ufunc.extobj", "decimal_context", PRINTING}
"""Context variables of numpy and decimal, whose settings are in a snapshot."""

PLAIN = frozenset({int, bool, complex, str, bytes, type(None), list, dict, tuple, set, frozenset, type})


class _Cells(list[Any]):
    """What holds private values, written last: all of them have to be there by then, or something else holds them."""


class _Pickler(pickle.Pickler):
    """Writes a policy; what a new session has anyway is only named.

    Parameters
    ----------
    named : these objects, by name.
    orders : whether sets have to be read back in the order that they have.
    """

    def __init__(self, file: Any, named: dict[str, Any], *, orders: bool) -> None:
        super().__init__(file, protocol=5)
        self._names, self._sets = {id(value): name for name, value in named.items()}, SETS if orders else ()
        self._seen, self._owners, self._marks = set[int](), dict[int, Any](), Names()

    def persistent_id(self, value: Any) -> str | None:
        """Return the name of what is only named; of sets of Python's own, nothing else is called."""
        kind = type(value)
        if kind in self._sets:
            check_identity(value, self._owners)
        if kind is float:
            return None if value == value else self._marks.of(value)
        return self._names.get(id(value)) or (None if kind in PLAIN else self._marks.of(value))

    def reducer_override(self, value: Any) -> Any:
        """Return how privcheck's objects and arrays are written, of which copies would share nothing."""
        if type(value) is _Cells:
            if any(id(cell) not in self._seen for cell in value):
                raise _outside()
            return list, (), None, iter(value)
        if self._sets or not isinstance(value, SETS):
            check_identity(value, self._owners)
        for apart in (taken_apart, generator_apart, array_apart):
            found = apart(value)
            if found is not NotImplemented:
                self._seen.add(id(value))
                return found
        return NotImplemented


class _Unpickler(pickle.Unpickler):
    """Reads what `_Pickler` has written."""

    def __init__(self, file: Any, named: dict[str, Any]) -> None:
        super().__init__(file)
        self._named = named

    def persistent_load(self, name: str) -> Any:
        """Return what is only named."""
        return self._named[name] if name in self._named else named(name, self._named)


def frozen(played: Played, bits: Any, facts: dict[str, Any], *, orders: bool = True) -> bytes:
    """Return a policy, its session and what is known besides as bytes; the policy goes on unchanged.

    Parameters
    ----------
    orders : whether sets have to be read back in the order that they have: not if all workers go on from these bytes.

    Raises
    ------
    Exception : something that a policy holds cannot be written.
    """
    session, counts = played.session, played.open.counts
    for error in session.refusals:
        without_frames(error)  # which hold what was private in them
    played.calls.drop_frames()
    causes = {call: _readable(cause) for call, cause in played.calls.causes.items()}
    said = {
        "policy": played.policy, "coins": played.coins, "counts": counts, "arms": played.arms,
        "causes": causes, "session": {name: getattr(session, name) for name in OF_SESSION},
        "own coins": {name: getattr(session.coins, name) for name in OF_COINS},
        "releases": session.ledger.releases, "totals": session.ledger.sums.packed(), "values": state_of(session.source),
        "settings": played.context.run(_settings),
    }  # fmt: skip
    with suppress(_OutsideError):
        return _written(said, session, bits, facts, orders=orders)
    gc.collect()  # values in circles of objects that nobody refers to any more
    return _written(said, session, bits, facts, orders=orders)


def _readable(cause: BaseException) -> BaseException:
    """Return an error, or its words if it cannot be read back, as most of those with a constructor of their own."""
    try:
        pickle.loads(pickle.dumps(cause))
    except Exception as error:
        if is_from_outside(error):
            raise
        return Answer.of(Answer(error=cause).said).error or cause
    return cause


def _written(said: dict[str, Any], session: Session, bits: Any, facts: dict[str, Any], *, orders: bool) -> bytes:
    file = io.BytesIO()
    pickle.dump({**facts, "spawned": bits.seed_seq.n_children_spawned}, file, 5)
    _Pickler(file, _named(session, bits), orders=orders).dump([said, _Cells(cells_of(session.source))])
    return zlib.compress(file.getvalue(), 1)


class Thawed:
    """A policy and its session as a snapshot has them.

    Parameters
    ----------
    kept : the snapshot.

    Attributes
    ----------
    place : the entry after which it was taken.
    facts : what was known besides.
    """

    def __init__(self, kept: Snapshot) -> None:
        self.place = kept.number, kept.hash
        self._file = io.BytesIO(zlib.decompress(kept.state))
        self.facts: dict[str, Any] = pickle.load(self._file)

    def played(self, session: Session, bits: Any, kind: Feedback, calls: Calls) -> Played:
        """Return the policy, under a session that was made anew and then holds what the old one held."""
        said, cells = _Unpickler(self._file, _named(session, bits)).load()
        played = Played(said["policy"], session, kind, said["arms"], calls, interrupts=True)
        played.coins, played.open = said["coins"], OpenChoices(played.kind, said["counts"])
        for owner, name in ((session, "session"), (session.coins, "own coins")):
            for attribute, value in said[name].items():
                setattr(owner, attribute, value)
        session.ledger.releases[:] = said["releases"]
        session.ledger.sums.unpack(said["totals"])
        put_together(session.source, said["values"], cells)
        played.context.run(_set, *said["settings"])
        for call, cause in said["causes"].items():
            played.calls.close(cause, call)
        return played


def _settings() -> tuple[Any, ...]:
    """Return what a policy may have set for all arithmetic, and text, of its context.

    Raises
    ------
    PrivcheckError : it has set context variables of others.
    """
    names = {variable.name for variable in copy_context()}
    if other := sorted(names - KNOWN_VARIABLES):
        got = words(f"a policy that sets the context variable {other[0]!r}")
        raise PrivcheckError("policy", got, "one that keeps its state in attributes", "a snapshot has nothing else")
    printing = np.get_printoptions() if PRINTING in names else None
    return np.geterr(), decimal.getcontext().copy(), np.getbufsize(), np.geterrcall(), printing


def _set(errors: Any, numbers: Any, buffer: int = 0, call: Any = None, printing: Any = None) -> None:
    np.seterr(**errors)
    decimal.setcontext(numbers)
    if buffer:
        np.setbufsize(buffer)
        np.seterrcall(call)
    if printing:
        np.set_printoptions(**printing)


def _named(session: Session, bits: Any) -> dict[str, Any]:
    source = session.source
    return {"session": session, "source": source, "features": source.features, "draws": source.draws, "bits": bits}


class _OutsideError(PrivcheckError):
    """Something besides the policy and its session refers to private values."""


def _outside() -> _OutsideError:
    got = words("a policy whose private values are also held outside of it")
    return _OutsideError("policy", got, "one that holds them itself", "keep no private values in globals")
