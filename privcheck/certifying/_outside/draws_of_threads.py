"""Whether the code of a target draws from a global generator, or another thread of the process does meanwhile."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from privcheck.generators import GlobalDraws
from privcheck.private_values import Leak

PLAYS, SECONDS, WAIT = 100, 2.0, 0.05
"""How often and for how long a run is played again at most, and the seconds in which other threads are watched."""

OF_A_THREAD = (
    "another thread of this process draws from {} meanwhile, so it is not known whether the code does: if it does not, "
    "{} is a leak; certify the code in a process without such a thread"
)


class DrawsOfRuns:
    """The global generators that were drawn from while guarded runs were played.

    They belong to the process. While other threads are alive, a run is played again as it is, until the generators stay
    where they are: equal runs draw alike, so the code does not draw from them.

    Examples
    --------
    >>> import random
    >>> draws = DrawsOfRuns()
    >>> with draws.noticed(lambda: random.random() < 1.0):
    ...     _ = random.random()
    >>> draws.of_code(has_leaked=True), draws.doubts(["random"], [])
    (['random'], [])
    """

    def __init__(self) -> None:
        self._moved: list[tuple[list[str], Callable[[], bool] | None]] = []

    @contextmanager
    def noticed(self, again: Callable[[], bool] | None) -> Iterator[None]:
        """Take note of what is drawn from inside the block.

        Parameters
        ----------
        again : plays the same run without the guard, and tells whether it came to its end; None for a run with unlikely
            draws, which only the guard makes.
        """
        draws = GlobalDraws()
        try:
            with draws.noticed():
                yield
        finally:
            if draws.names:
                self._moved.append((draws.names, again))

    def of_code(self, *, has_leaked: bool) -> list[str]:
        """Return the generators that the code may have drawn from.

        Parameters
        ----------
        has_leaked : whether a run without unlikely draws leaked: those with such draws are not needed then.
        """
        alone, found = threading.active_count() == 1, set[str]()
        for names, again in self._moved:
            if alone or (again is None and not has_leaked):
                found.update(names)
            elif again is not None and not found.issuperset(names):
                found |= _moved_by(again, set(names) - found)
        return sorted(found)

    def doubts(self, names: list[str], leaks: list[Leak]) -> list[str]:
        """Return a sentence if other threads draw from one of these generators while this one waits.

        Parameters
        ----------
        names : the generators.
        leaks : the first is named; without any there is no sentence.
        """
        if not names or not leaks or threading.active_count() == 1:
            return []
        draws = GlobalDraws()
        with draws.noticed():
            time.sleep(WAIT)
        found = [name for name in names if name in draws.names]
        place = f"{Path(leaks[0].file).name}:{leaks[0].line}"
        return [OF_A_THREAD.format(draws.in_code(found), place)] if found else []


def _moved_by(play: Callable[[], bool], names: set[str]) -> set[str]:
    """Return those of the generators that move whenever a run is played to its end, by whatever thread.

    >>> import random
    >>> _moved_by(lambda: random.random() < 1.0, {"random", "numpy"})
    {'random'}
    """
    until = time.monotonic() + SECONDS
    for _ in range(PLAYS):
        time.sleep(0.0)  # other threads have their turn now, and the run may then be played in one of this thread
        draws = GlobalDraws()
        with draws.noticed():
            ended = play()
        names = names.intersection(draws.names) if ended else names
        if not names or time.monotonic() > until:
            break
    return names
