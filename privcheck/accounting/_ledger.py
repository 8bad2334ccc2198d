"""The ledger: every release, the data it touches, and the total charge of each datum so far."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, takewhile

from privcheck.accounting._by_datum import ByDatum, Datum
from privcheck.accounting._charge import NOTHING, Charge, check_charges
from privcheck.accounting._totals import Totals


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
    charges : the charge of each of these data, less than for the release alone if its worst change of a datum is not
        that of those before; JSON has their epsilons under the name `losses`, and what these do not imply under that of
        `other_losses`.
    location : file and line of the code that released.
    """

    number: int
    round: int
    mechanism: str
    scale: float
    sensitivities: Mapping[Datum, float]
    charges: Mapping[Datum, Charge] = field(metadata={"json": "losses", "json_too": "other_losses"})
    location: str

    @property
    def losses(self) -> dict[Datum, float]:
        """The epsilon of each charge: a copy of `charges` as numbers."""
        return {datum: charge.epsilon for datum, charge in self.charges.items()}

    @property
    def other_losses(self) -> dict[Datum, dict[str, float]]:
        """The numbers of each charge that its epsilon does not imply."""
        if not any(charge.beside_epsilon() for charge in ByDatum.of(self.charges).different):
            return {}
        found = {datum: charge.beside_epsilon() for datum, charge in self.charges.items()}
        return {datum: numbers for datum, numbers in found.items() if numbers}


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
    paid : the sum of each datum's charges; JSON has their epsilons under the name `totals`, and, if a release has
        `other_losses`, what is not implied under the name `other_totals`.

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
    paid: Mapping[Datum, Charge] = field(default_factory=dict, metadata={"json": "totals", "json_too": "other_totals"})

    def __post_init__(self) -> None:
        if not isinstance(self.paid, Totals) or self.paid.group_size != self.group_size:
            self.paid, given = Totals(self.group_size), self.paid
            self.sums.add_sums(given, (ByDatum.of(release.charges) for release in self.releases))

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
        if not isinstance(charges, ByDatum):
            check_charges(charges.values())
        kept, owed = ByDatum.of(sensitivities), ByDatum.of(charges)
        check_charges(owed.different)
        release = Release(len(self.releases), round_number, mechanism, scale, kept, owed, location)
        self.sums.add(owed)  # first: a charge that cannot be added is refused
        self.releases.append(release)
        return release

    def snapshot(self) -> Ledger:
        """Return a copy that shares nothing that can change."""
        return replace(self, releases=list(self.releases), paid=self.sums.copy())

    def without_pairs(self) -> Ledger:
        """Return the ledger with the numbers of its charges alone, as JSON has them."""
        plain = [replace(r, charges=ByDatum.of(r.charges).map(Charge.with_pairs)) for r in self.releases]
        return replace(self, releases=plain)

    @property
    def sums(self) -> Totals:
        """What was paid, as the object that adds it up."""
        assert isinstance(self.paid, Totals)
        return self.paid

    @property
    def epsilon(self) -> float:
        """The largest total loss of any datum, or of any `group_size` data together."""
        return self.sums.largest("epsilon")

    @property
    def total(self) -> Charge:
        """The largest total in each currency, of any datum, or of any `group_size` data together."""
        return self.sums.as_charge(self.sums.largest)

    @property
    def totals(self) -> defaultdict[Datum, float]:
        """The total epsilon charged to each datum, 0 for data not in the ledger: a copy of `paid` as numbers."""
        return defaultdict(float, self.sums.amounts("epsilon"))

    @property
    def other_totals(self) -> dict[Datum, dict[str, float]]:
        """The numbers of each total that its epsilon does not imply; empty as long as that holds for all releases."""
        if not any(release.other_losses for release in self.releases):
            return {}
        found = {datum: total.beside_epsilon() for datum, total in self.paid.items()}
        return {datum: numbers for datum, numbers in found.items() if numbers}

    @property
    def worst_datum(self) -> Datum | None:
        """The datum with the largest total, of several the one released first; None before the first release.

        The largest is that of epsilon; of mu if epsilon is infinite, and of rho if mu is too.
        """
        kept = [name for name in ("epsilon", "mu", "rho") if self.sums.keeps(name)]
        name = next((name for name in kept if self.sums.most(name) < math.inf), "epsilon")
        most = self.sums.most(name)
        released = (datum for release in self.releases for datum in release.charges)
        return next((datum for datum in chain(released, self.paid) if self.sums.amount(datum, name) == most), None)

    def of(self, datum: Datum) -> list[Release]:
        """Return the releases that charged a datum, in order."""
        return [release for release in self.releases if release.charges.get(datum, NOTHING) != NOTHING]

    def of_line(self, datum: Datum, location: str, round_number: int | None) -> list[Release]:
        """Return the releases of a line that charged a datum in the latest round, if it has this number; last first."""
        latest = takewhile(lambda release: release.round == round_number, reversed(self.releases))
        return [each for each in latest if each.location == location and each.charges.get(datum, NOTHING) != NOTHING]

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


def datum_in_words(datum: Datum, what: str = "reward") -> str:
    """Name a datum: a round, or the reward of an arm in a round.

    >>> datum_in_words(3), datum_in_words((3, 1)), datum_in_words(3, "context and reward")
    ('the reward of round 3', 'the reward of arm 1 in round 3', 'the context and reward of round 3')
    """
    if isinstance(datum, tuple):
        return f"the {what} of arm {datum[1]} in round {datum[0]}"
    return f"the {what} of round {datum}"
