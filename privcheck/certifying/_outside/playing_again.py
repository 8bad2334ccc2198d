"""Whether code repeats itself: what differed is played again, on the same streams with the same coins and releases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from privcheck.errors import PrivcheckError
from privcheck.private_values import LeakError
from privcheck.results import ReplayResult

MOST_AGAIN = 8
"""Replays that differ of which the runs are played again at most: what differs by chance hardly ever does so twice."""

NOT_THE_SAME = (
    "played again on the same rewards, with the same coins and the same releases, the code did something else: what "
    "decides there is not only rewards and the Generator that the policy is given, so replays show nothing; draw coins "
    "from that Generator, as in self.rng.random(), and keep nothing from one policy to the next"
)
LEFT_BY_ANOTHER = (
    "no transcript was replayed, because a policy reads private values that a policy before it in the process has left "
    "behind, beyond the budget of both: {}"
)
NO_REPLAY = ReplayResult(0, 0, 0.0, None)


@dataclass
class Again:
    """Plays again what differed.

    Attributes
    ----------
    tried : how many replays were looked at.
    differs : whether one of their runs was not the same again.

    Examples
    --------
    >>> again = Again()
    >>> again.look((lambda: [0, 1], [0, 1]))
    >>> again.differs
    False
    >>> again.look((lambda: [0, 1], [0, 1]), (lambda: [1], [0]))
    >>> again.differs
    True
    """

    tried: int = 0
    differs: bool = False

    def look(self, *runs: tuple[Callable[[], Any], Any]) -> None:
        """Play runs again, and compare each with what it was: its actions, and why it ended if it did.

        The first run is played twice, so that what alternates from run to run does not repeat itself by turns.
        """
        if self.differs or self.tried >= MOST_AGAIN:
            return
        self.tried += 1
        self.differs = any(_outcome(play) != before for play, before in (runs[0], *runs))

    def settled(self, found: ReplayResult) -> ReplayResult:
        """Return what replays found; without divergences and losses if the code does not repeat itself."""
        return replace(found, divergences=0, largest_loss=0.0, first_divergence=None) if self.differs else found


def _outcome(play: Callable[[], Any]) -> Any:
    try:
        return play()
    except PrivcheckError as error:
        return str(error)


def replayed_or_why(
    play: Callable[[], ReplayResult | None], *, refused: bool, leaked: bool
) -> tuple[ReplayResult, list[str]]:
    """Return what replay finds, and notes; after a leak or a refused release, a policy may also fail without the guard.

    >>> replayed_or_why(lambda: None, refused=False, leaked=True) == (NO_REPLAY, [])
    True
    """
    try:
        found = play()
    except LeakError as error:  # the rewards of a plain run are ordinary numbers
        return NO_REPLAY, [LEFT_BY_ANOTHER.format(error)]
    except PrivcheckError as error:
        if not (refused or leaked):
            raise
        return NO_REPLAY, [] if leaked else [f"no transcript was replayed, because a plain run fails: {error}"]
    if found is None:
        why = "no transcript was replayed, because the policy leaks or fails with other coins under the guard"
        return NO_REPLAY, [] if leaked or refused else [why]
    return found, []
