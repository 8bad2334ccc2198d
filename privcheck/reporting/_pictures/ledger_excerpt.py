"""Which part of a ledger is shown: long runs are cut to what surrounds the datum that pays most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from privcheck.accounting import Charge, Datum, Ledger, Release

MOST_ROUNDS = 200
MOST_RELEASES = 200


@dataclass(frozen=True)
class LedgerView:
    """The rounds and releases of a ledger that are shown.

    Parameters
    ----------
    start, stop : first and last round shown.
    releases : those that charge a shown round, or happen in one.
    totals : of every shown round, the total of the datum of it that pays most.
    by_arm : whether a round has several data, one an arm.
    omitted : in words, what is not shown; empty when nothing is left out.

    """

    start: int
    stop: int
    releases: tuple[Release, ...]
    totals: Mapping[int, float]
    by_arm: bool
    omitted: str


def round_of(datum: Datum) -> int:
    """Return the round of a datum, which is the round itself or (round, arm).

    >>> round_of(3), round_of((3, 1))
    (3, 3)
    """
    number = datum[0] if isinstance(datum, tuple) else datum
    assert isinstance(number, int)
    return int(number)


def by_round(charges: Mapping[Datum, Charge], currency: str = "epsilon") -> dict[int, float]:
    """Return the largest amount of each round in a currency, to 9 digits, without the rounds that pay nothing.

    >>> by_round({(1, 0): Charge(0.5), (1, 1): Charge(1.0), (2, 0): Charge(0.0)})
    {1: 1.0}
    """
    largest: dict[int, float] = {}
    for datum, charge in charges.items():
        number, amount = round_of(datum), float(f"{getattr(charge, currency):.9g}")
        if amount > largest.get(number, 0.0):
            largest[number] = amount
    return largest


def ledger_view(ledger: Ledger, horizon: int, most_rounds: int = MOST_ROUNDS, currency: str = "epsilon") -> LedgerView:
    """Return the view of at most `most_rounds` rounds, around the one with the largest loss.

    >>> from privcheck.results._example_results import GRANTED
    >>> shown = ledger_view(GRANTED.ledger, 8, most_rounds=4)
    >>> shown.start, shown.stop, len(shown.releases), shown.omitted
    (1, 4, 3, 'rounds 1-4 of 8, 3 of 4 releases')
    """
    totals = by_round(ledger.paid, currency)
    last = max([horizon, *totals, *(release.round for release in ledger.releases)])
    start, stop = 1, last
    if last > most_rounds:
        middle = 1 if ledger.worst_datum is None else round_of(ledger.worst_datum)
        start = min(max(1, middle - most_rounds // 2), last - most_rounds + 1)
        stop = start + most_rounds - 1
    touching = [
        release
        for release in ledger.releases
        if (start if start > 1 else 0) <= release.round <= stop
        or any(start <= round_of(datum) <= stop for datum in release.charges)
    ][:MOST_RELEASES]
    omitted = [f"rounds {start}-{stop} of {last}"] if last > most_rounds else []
    if len(touching) < len(ledger.releases):
        omitted.append(f"{len(touching)} of {len(ledger.releases)} releases")
    inside = {number: total for number, total in totals.items() if start <= number <= stop}
    by_arm = any(isinstance(datum, tuple) for datum in ledger.paid)
    return LedgerView(start, stop, tuple(touching), inside, by_arm, ", ".join(omitted))


def stretches(losses: Mapping[int, float], start: int, stop: int) -> list[tuple[int, int, float]]:
    """Return consecutive rounds of the same loss as (first, last, loss).

    >>> stretches({1: 1.0, 2: 1.0, 4: 1.0, 5: 0.5}, 1, 4)
    [(1, 2, 1.0), (4, 4, 1.0)]
    """
    found: list[tuple[int, int, float]] = []
    for number in sorted(number for number in losses if start <= number <= stop):
        loss = losses[number]
        if found and found[-1][1] == number - 1 and found[-1][2] == loss:
            found[-1] = found[-1][0], number, loss
        else:
            found.append((number, number, loss))
    return found
