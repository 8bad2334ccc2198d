"""The part that a store has in some calls: which are kept, which of these are believed, which are worth keeping."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from privcheck.scheduling._chunk_calls import Calls
from privcheck.scheduling._chunk_keys import digest
from privcheck.scheduling._chunk_store import ChunkStore
from privcheck.scheduling._part_files import Arrays, same_arrays

R = TypeVar("R")


class Kept(Generic[R]):
    """What is kept of some calls. Without a store, nothing is found and everything may be played.

    No key sees all that a target may depend on. So of what another client has kept, the cheapest call of each stream is
    made again before any of it is used; if it shows anything else, nothing that is kept of this target is believed.

    Parameters
    ----------
    store : the store, if there is one.
    calls : the calls.
    """

    def __init__(self, store: ChunkStore | None, calls: Calls[R]) -> None:
        self._store, self._calls = store if calls.depends else None, calls
        self._name = f"{calls.function.__module__}.{calls.function.__qualname__}"
        self._keys: dict[int, str] = {}
        self._claimed: set[int] = set()
        self._second: set[int] = set()
        self._known: dict[str, tuple[float, str]] = {}
        if self._store is not None:
            self._target = digest(calls.played)
            self._known = self._store.known(self._target)

    def _key(self, number: int) -> str:
        assert self._calls.depends is not None
        if number not in self._keys:
            self._keys[number] = digest((self._name, self._target, self._calls.depends(number)))
        return self._keys[number]

    def test(self, made: Callable[[int], R]) -> None:
        """Make the cheapest kept call of each stream again, for each client whose chunks are to be used first.

        Parameters
        ----------
        made : makes a call and returns its result.
        """
        cheapest: dict[tuple[str, Any], tuple[float, int]] = {}
        for number in range(len(self._calls.arguments) if self._known else 0):
            seconds, client = self._known.get(self._key(number), (0.0, ""))
            if client and not self._believed(client):
                place = client, self._calls.stream(number)
                cheapest[place] = min(cheapest.get(place, (seconds, number)), (seconds, number))
        same: dict[str, bool] = {}
        for (client, _), (_, number) in cheapest.items():
            assert self._store is not None
            if (kept := self._store.read(self._key(number))) is None:
                continue
            same[client] = same.get(client, True) and self._agrees(kept, made(number))
            if not same[client]:
                self._disbelieve()
                return
        if self._store is not None:
            self._store.believed |= {(self._target, client) for client in same}

    def _agrees(self, kept: Arrays, result: R) -> bool:
        """Tell whether a result is what was kept, bit by bit."""
        return same_arrays(kept, self._calls.form.arrays(result))

    def _believed(self, client: str) -> bool:
        return self._store is not None and self._store.believes(self._target, client)

    def _disbelieve(self) -> None:
        assert self._store is not None
        self._store.set_aside(self._target)
        self._known = {}

    def found(self, number: int) -> Arrays | None:
        """Return what is kept of a call; None if it is not, or if what its client has kept is not believed."""
        if self._store is None or not (self._known or number in self._second):
            return None
        _, client = self._known.get(self._key(number), (0.0, ""))
        return self._store.read(self._key(number)) if client and self._believed(client) else None

    def claimed(self, number: int) -> bool:
        """Tell whether this client is to make a call; nobody claims what is as fast to play again as it is to keep."""
        if self._store is None or not self._store.worth_keeping(self._store.costs.get(self._name)):
            return True
        mine = self._store.claim(self._key(number))
        if mine:
            self._claimed.add(number)
        elif mine is None:  # another client has finished it since: if it is believed, it is found the next time
            self._known |= self._store.known(self._target)
            if number in self._second:
                return True
            self._second.add(number)
        return bool(mine)

    def keep(self, number: int, result: R, seconds: float) -> None:
        """Keep the result of a call that took so many seconds, or compare it with what another client has kept."""
        if self._store is None:
            return
        self._store.costs[self._name] = seconds
        self._store.played += seconds
        if number in self._second:
            if (key := self._key(number)) not in self._known:  # finished, and not as one of this target: damaged
                self._store.forget(key)
            elif (kept := self._store.read(key)) is not None:
                if self._agrees(kept, result):
                    self._store.believed.add((self._target, self._known[key][1]))
                    return
                self._disbelieve()
        if self._store.worth_keeping(seconds):
            self._store.keep(self._key(number), self._calls.form.arrays(result), seconds, self._target)
        elif number in self._claimed:
            self._store.give_up(self._key(number))
