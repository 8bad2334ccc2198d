"""The ledger: every release, the data it touches, and the total charge of each datum so far."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from heapq import nlargest

from privcheck.accounting.charge import NOTHING, Charge, check_charges

Datum = Hashable


@dataclass(frozen=True)
class Release:
    """One release of a mechanism.

    Parameters
    ----------
    number : position in the ledger, from 0.
    round : the round in which it happened, counted from 1; 0 before the first round.
    mechanism : the mechanism's id.
    scale : the scale of its noise.
    sensitivities : computed sensitivity of each datum that it touches, in the mechanism's norm.
    charges : the charge of each of these data; JSON has their epsilons under the name `losses`.
    location : file and line of the code that released.
    """

    number: int
    round: int
    mechanism: str
    scale: float
    sensitivities: Mapping[Datum, float]
    charges: Mapping[Datum, Charge] = field(metadata={"json": "losses"})
    location: str

    @property
    def losses(self) -> dict[Datum, float]:
        """The epsilon of each charge: a copy of `charges` as numbers."""
        return {datum: charge.epsilon for datum, charge in self.charges.items()}


@dataclass
class Ledger:
    """The releases of one run.

    Pure epsilon-DP losses of the same datum add up (basic composition); losses of different data do not. Parallel
    composition therefore never has to be declared: it follows from the data that each release touches. The largest
    total of any datum, or of any `group_size` data together, is the loss of the run.

    Parameters
    ----------
    group_size : number of data that are protected together.
    what : what a datum of one round is, in words.
    releases : the releases in order.
    paid : the sum of each datum's charges; JSON has their epsilons under the name `totals`.

    Examples
    --------
    >>> ledger = Ledger()
    >>> _ = ledger.record(1, "laplace", 1.0, {1: 1.0}, {1: Charge(1.0)}, "bandit.py:7")
    >>> _ = ledger.record(2, "laplace", 2.0, {1: 1.0, 2: 1.0}, {1: Charge(0.5), 2: Charge(0.5)}, "bandit.py:7")
    >>> ledger.epsilon, ledger.worst_datum
    (1.5, 1)
    """

    group_size: int = 1
    what: str = "reward"
    releases: list[Release] = field(default_factory=list)
    paid: dict[Datum, Charge] = field(default_factory=dict, metadata={"json": "totals"})

    def record(
        self,
        round_number: int,
        mechanism: str,
        scale: float,
        sensitivities: Mapping[Datum, float],
        charges: Mapping[Datum, Charge],
        location: str,
    ) -> Release:
        """Add a release and charge the data that it touches."""
        check_charges(charges.values())
        release = Release(
            len(self.releases), round_number, mechanism, scale, dict(sensitivities), dict(charges), location
        )
        self.releases.append(release)
        for datum, charge in charges.items():
            self.paid[datum] = self.paid.get(datum, NOTHING) + charge
        return release

    @property
    def epsilon(self) -> float:
        """The largest total loss of any datum, or of any `group_size` data together."""
        return largest_epsilon(self.paid, self.group_size)

    @property
    def totals(self) -> defaultdict[Datum, float]:
        """The total epsilon charged to each datum, 0 for data not in the ledger: a copy of `paid` as numbers."""
        return defaultdict(float, {datum: total.epsilon for datum, total in self.paid.items()})

    @property
    def worst_datum(self) -> Datum | None:
        """The datum with the largest total; None before the first release."""
        return max(self.paid, key=lambda datum: self.paid[datum].epsilon, default=None)

    def of(self, datum: Datum) -> list[Release]:
        """Return the releases that charged a datum, in order."""
        return [release for release in self.releases if release.charges.get(datum, NOTHING) != NOTHING]

    def why(self) -> str:
        """Say in words which datum has the largest total, and from which releases.

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
            f"for a total of {self.paid[datum]}"
        )


def largest_epsilon(paid: Mapping[Datum, Charge], group_size: int) -> float:
    """Return the largest sum of the epsilons of any `group_size` data.

    >>> largest_epsilon({1: Charge(0.5), 2: Charge(1.0), 3: Charge(0.25)}, 2)
    1.5
    """
    return sum(nlargest(group_size, [total.epsilon for total in paid.values()]))


def datum_in_words(datum: Datum, what: str = "reward") -> str:
    """Name a datum: a round, or the reward of an arm in a round.

    >>> datum_in_words(3), datum_in_words((3, 1)), datum_in_words(3, "context and reward")
    ('the reward of round 3', 'the reward of arm 1 in round 3', 'the context and reward of round 3')
    """
    if isinstance(datum, tuple):
        return f"the {what} of arm {datum[1]} in round {datum[0]}"
    return f"the {what} of round {datum}"
