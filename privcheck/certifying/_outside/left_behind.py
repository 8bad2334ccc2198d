"""What a process keeps between policies: what a run leaves in classes, globals, closures, defaults and caches."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import Context
from typing import Any

import numpy as np

from privcheck.errors import PrivcheckError
from privcheck.private_values import Private, PrivateSource
from privcheck.reached_state import Kept

UNRELEASED = (
    "a policy that has ended leaves private values that were not released in {}, where a later policy of the process "
    "can read them, beyond the budget of both: hold them in the policy itself, and keep only released numbers, as in "
    "float(value)"
)
RELEASED = (
    "a policy that has ended leaves released numbers in {} as objects of its guard, which the guard of a later policy "
    "of the process may refuse: keep ordinary numbers there, as in float(value)"
)
NOT_SEEN = (
    "a policy that has ended leaves private values where they were not found, and where a later policy of the process "
    "may read them: hold them in the policy itself, and keep only released numbers, as in float(value)"
)


class LeftBehind:
    """Finds the private values that outlive the policies of a certificate.

    Attributes
    ----------
    roots : what builds the policies, and whatever else stays when they are gone.
    found : for each place that kept private values after a run, whether all were released.

    Examples
    --------
    >>> policy = type("Policy", (), {"__module__": "__main__", "last": None})
    >>> left = LeftBehind(policy)
    >>> left.told()
    []
    >>> policy.last = PrivateSource().scalar(0.7, low=0.0, high=1.0, datum=3)
    >>> left.told()[0].partition(", where ")[0]
    'a policy that has ended leaves private values that were not released in Policy.last'
    """

    def __init__(self, *roots: Any) -> None:
        self.roots: list[Any] = list(roots)
        self.found: dict[str, bool] = {}

    def look(self) -> None:
        """Look at what is there after a run, before it is put back."""
        self._keep(Kept.alive(self.roots, Private))

    def look_into(self, started: Context, context: Context) -> None:
        """Look at the context variables that a run has set, which the next policy of a thread finds as they are.

        Parameters
        ----------
        started, context : those before the run, and after it.
        """
        values = [
            (f"the context variable {each.name}", value)
            for each, value in context.items()
            if each not in started or started[each] is not value
        ]
        if (handler := context.run(np.geterrcall)) is not started.run(np.geterrcall):
            values.append(("the function that numpy calls at errors", handler))
        for name, value in values:
            found = [value] if isinstance(value, Private) else [each for _, each in Kept.alive([value], Private)]
            self._keep((name, each) for each in found)

    def _keep(self, found: Iterable[tuple[str, Private]]) -> None:
        for name, value in found:
            if value.source is not None and not value.source.is_filled:
                self.found[name] = self.found.get(name, True) and value.is_public

    def told(self) -> list[str]:
        """Return notes on what was kept after all runs, the last one included."""
        self.look()
        groups = ((sentence, _names(self.found, released)) for sentence, released in KINDS)
        return [sentence.format(names) for sentence, names in groups if names]


KINDS = ((UNRELEASED, False), (RELEASED, True))


def _names(found: dict[str, bool], released: bool) -> str:
    """Return the first places of one kind, in words."""
    names = [name for name, every in found.items() if every is released]
    return ", ".join(names[:MOST_NAMED]) + (f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else "")


MOST_NAMED = 3


def roots_of(build: Callable[..., Any]) -> list[Any]:
    """Return what builds policies, and what that holds."""
    return [build, *getattr(getattr(build, "__self__", None), "__dict__", {}).values()]


def is_kept(source: PrivateSource, roots: Iterable[Any] = ()) -> bool:
    """Tell whether private values of a run are still there; its policy must be gone.

    A policy that is an argument of a cached method is there as long as the cache, but nobody finds it: caches that the
    roots reach are cleared first.

    >>> source = PrivateSource()
    >>> reward = source.scalar(0.7, low=0.0, high=1.0, datum=3)
    >>> kept = [reward]
    >>> del reward
    >>> is_kept(source), kept.clear(), is_kept(source)
    (True, None, False)
    """
    if source.is_used():
        gc.collect()  # a policy may hold itself, by a method of its own
    if source.is_used():
        Kept.clear_caches(roots)
        gc.collect()
    return source.is_used()


@contextmanager
def leaks_to_a_later_one(leaks: Sequence[Sequence[object]]) -> Iterator[None]:
    """Pass over the failure of a policy that reads private values which one before it has left.

    Parameters
    ----------
    leaks : of the runs before, each of which takes note of who reads its values, whenever that is.

    >>> leaks = [[]]
    >>> with leaks_to_a_later_one(leaks):
    ...     leaks[0].append("a leak")
    ...     raise PrivcheckError("target", "a leak", "a policy", "")
    """
    before = sum(map(len, leaks))
    try:
        yield
    except PrivcheckError:
        if sum(map(len, leaks)) == before:
            raise
