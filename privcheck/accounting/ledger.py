"""The ledger: every release, the data it touches, and what each datum has paid so far."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

from privcheck.errors import PrivcheckError

Datum = Hashable


@dataclass(frozen=True)
class Release:
    """One release of a mechanism.

    Parameters
    ----------
    number : position in the ledger, from 0.
    round : the round in which it happened, counted from 1; 0 before the first.
    mechanism : the mechanism's id.
    scale : of its noise.
    sensitivities : computed sensitivity of each datum that it touches, in the mechanism's norm.
    losses : what each of these data is charged, in epsilon.
    location : file and line of the code that released.
    """

    number: int
    round: int
    mechanism: str
    scale: float
    sensitivities: Mapping[Datum, float]
    losses: Mapping[Datum, float]
    location: str


@dataclass
class Ledger:
    """The releases of one run.

    Pure epsilon-DP losses of the same datum add up (basic composition); releases that touch different data do not. So
    parallel composition is never declared: it follows from the data touched. The largest total of any datum, or of
    any `group_size` data together, is the loss of the run.

    Parameters
    ----------
    group_size : how many data are protected together.
    what : a datum of a round in words.
    releases : in order.
    totals : what each datum has paid.

    Examples
    --------
    >>> ledger = Ledger()
    >>> _ = ledger.record(1, "laplace", 1.0, {1: 1.0}, {1: 1.0}, "bandit.py:7")
    >>> _ = ledger.record(2, "laplace", 2.0, {1: 1.0, 2: 1.0}, {1: 0.5, 2: 0.5}, "bandit.py:7")
    >>> ledger.epsilon, ledger.worst_datum
    (1.5, 1)
    """

    group_size: int = 1
    what: str = "reward"
    releases: list[Release] = field(default_factory=list)
    totals: dict[Datum, float] = field(default_factory=lambda: defaultdict(float))

    def record(
        self,
        round_number: int,
        mechanism: str,
        scale: float,
        sensitivities: Mapping[Datum, float],
        losses: Mapping[Datum, float],
        location: str,
    ) -> Release:
        """Add a release and charge the data that it touches."""
        check_losses(losses)
        release = Release(
            len(self.releases), round_number, mechanism, scale, dict(sensitivities), dict(losses), location
        )
        self.releases.append(release)
        for datum, loss in losses.items():
            self.totals[datum] += loss
        return release

    @property
    def epsilon(self) -> float:
        """The largest total loss of any datum, or of any `group_size` data together."""
        return sum(sorted(self.totals.values(), reverse=True)[: self.group_size])

    @property
    def worst_datum(self) -> Datum | None:
        """The datum with the largest total; None before the first release."""
        return max(self.totals, key=lambda datum: self.totals[datum], default=None)

    def of(self, datum: Datum) -> list[Release]:
        """Return the releases that charged a datum, in order."""
        return [release for release in self.releases if release.losses.get(datum, 0.0) > 0.0]

    def why(self) -> str:
        """Say in words which datum pays most, and for which releases.

        >>> Ledger().why()
        'nothing was released'
        """
        datum = self.worst_datum
        if datum is None:
            return "nothing was released"
        touching = self.of(datum)
        rounds = ", ".join(str(release.round) for release in touching[:8]) + (", ..." if len(touching) > 8 else "")
        places = ", ".join(dict.fromkeys(release.location for release in touching))
        times = "once" if len(touching) == 1 else f"{len(touching)} times"
        return (
            f"{datum_in_words(datum, self.what)} is released {times}, after rounds {rounds} ({places}), "
            f"for a total of {self.totals[datum]:.6g}"
        )


def check_losses(losses: Mapping[Datum, float]) -> None:
    """Refuse charges that do not add up: negative ones, NaN and infinity.

    >>> check_losses({1: 0.5, 2: 0.0})
    """
    for loss in losses.values():
        if not 0.0 <= loss < math.inf:
            raise PrivcheckError("loss", loss, "a finite number of at least 0", "see `loss` of the mechanism")


def datum_in_words(datum: Datum, what: str = "reward") -> str:
    """Name a datum: a round, or the reward of an arm in a round.

    >>> datum_in_words(3), datum_in_words((3, 1)), datum_in_words(3, "context and reward")
    ('the reward of round 3', 'the reward of arm 1 in round 3', 'the context and reward of round 3')
    """
    if isinstance(datum, tuple):
        return f"the {what} of arm {datum[1]} in round {datum[0]}"
    return f"the {what} of round {datum}"
