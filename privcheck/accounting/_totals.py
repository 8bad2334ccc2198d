"""The totals of all data, in a few bytes per datum."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from heapq import nlargest
from typing import Any

import numpy as np

from privcheck.accounting._by_datum import ByDatum, Data, Datum, array_of, as_round, each
from privcheck.accounting._charge import Charge
from privcheck.accounting._currencies import ALL, Currency, rho_of
from privcheck.accounting._implied import rho_of_pure
from privcheck.arrays import Array, Integers
from privcheck.errors import PrivcheckError, words

_PAGE = 256
_SHORT = 16


class Totals(Mapping[Datum, Charge]):
    """The sum of the charges of each datum; the largest sums, of one datum or a group, are known at any time.

    Parameters
    ----------
    group_size : number of data whose largest joint total is kept.
    currencies : what is added up, epsilon first; 8 bytes for each and datum. A number of a charge that is not added up
        is later given as what the others imply.

    Guarantee
    ---------
    Each number of a total is at least the sum of those of the datum's charges, or implied by others that are.

    *Groups.* Let release t cost datum i mu_it, so that a group's mu^2 is at most sum_t (sum_i mu_it)^2. A release that
    charges a single datum does not depend on the others, given those before: its term is mu_it^2 of that datum. The
    sum of these terms is sum_i a_i^2, a_i the total of datum i in such releases; that of the others is at most
    (sum_i m_i)^2, m_i its total in them, by the triangle inequality. This holds on every execution, and for rho
    likewise. The largest a, the largest m, and the smaller of this bound and sum_i mu_i are taken.

    Raises
    ------
    PrivcheckError : a charge in a currency that has no rule for groups (delta, or Renyi privacy of one order), if
        `group_size` is above 1; a charge of delta where delta is not added up, because no other number implies it.

    Examples
    --------
    >>> totals = Totals(2)
    >>> totals.add(ByDatum.of({1: Charge(0.5), 2: Charge(0.5), (3, 0): Charge(1.0)}))
    >>> totals.add(ByDatum.of({2: Charge(0.25)}))
    >>> totals.largest("epsilon"), {datum: total.epsilon for datum, total in totals.items()}
    (1.75, {1: 0.5, 2: 0.75, (3, 0): 1.0})
    """

    def __init__(self, group_size: int = 1, currencies: tuple[Currency, ...] = ALL, *, parts: bool = True) -> None:
        self.group_size, self.currencies = group_size, currencies
        self._place = {currency.name: place for place, currency in enumerate(currencies)}
        self._pages: dict[int, Array] = {}
        self._others: dict[Datum, tuple[float, ...]] = {}
        self._count, self._nothing = 0, (math.nan,) * len(currencies)
        self._top: tuple[dict[Datum, float], ...] = tuple({} for _ in currencies)
        self._parts: tuple[Totals, ...] = ()
        if group_size > 1 and parts:
            self._parts = tuple(Totals(group_size, currencies, parts=False) for _ in range(2))

    def keeps(self, name: str) -> bool:
        """Return whether this currency is added up."""
        return name in self._place

    def amount(self, datum: Datum, name: str) -> float:
        """Return the total of a datum in one currency, NaN if it was never charged."""
        return self._look_up(datum)[self._place[name]]

    def largest(self, name: str) -> float:
        """Return the largest joint total of any `group_size` data in a currency."""
        place = self._place[name]
        return self._smaller(place, *(each._top[place].values() for each in (self, *self._parts)))

    def most(self, name: str) -> float:
        """Return the largest total of one datum in a currency."""
        return max(self._top[self._place[name]].values(), default=0.0)

    def add(self, charges: ByDatum[Charge]) -> None:
        """Add the charges of one release: all of them, or none if one cannot be added."""
        self._add(charges)
        if self._parts:
            self._parts[len(charges) == 1]._add(charges)

    def add_sums(self, paid: Mapping[Datum, Charge], releases: Iterable[ByDatum[Charge]]) -> None:
        """Add sums of charges to no others, and these of releases, which are looked at for groups alone.

        >>> totals = Totals(2)
        >>> totals.add_sums({1: Charge(mu=3.0), 2: Charge(mu=4.0)}, [ByDatum.of({1: Charge(mu=3.0)})])
        >>> round(totals.largest("mu"), 9)
        7.0
        """
        self._add(sums := ByDatum.of(paid))
        if self._parts:
            found = Totals(self.group_size, self.currencies)
            for charges in releases:
                found.add(charges)
            if all(self._is_known(datum, found) for datum in self):
                self._parts = found._parts
            else:
                self._parts[0]._add(sums)

    def _is_known(self, datum: Datum, others: Totals) -> bool:
        """Return whether other totals of a datum are not smaller, but for rounding."""
        return all(
            known >= total * (1.0 - 1e-12)
            for known, total in zip(others._look_up(datum), self._look_up(datum), strict=True)
        )

    def _add(self, charges: ByDatum[Charge]) -> None:
        for amounts, data in [(self._amounts(charge), data) for charge, data in charges.groups]:
            if isinstance(data, dict) or len(data) < _SHORT or self.group_size > 1:
                for datum in each(data):
                    self._keep_top(datum, self._add_one(datum, amounts))
            else:
                self._add_rounds(amounts, array_of(data))

    def largest_with(self, charges: ByDatum[Charge]) -> dict[str, float]:
        """Return the largest total in each currency after `add(charges)`: of these data, or of a group with any."""
        owed = [(self._amounts(charge), data) for charge, data in charges.groups]
        if self.group_size > 1:
            return {name: self._smaller(place, *self._tops_with(place, owed)) for name, place in self._place.items()}
        found = [0.0] * len(self.currencies)
        for amounts, data in owed:
            for place, (most, amount) in enumerate(zip(self._most(data), amounts, strict=True)):
                found[place] = max(found[place], self._sum(place, most, amount))
        return dict(zip(self._place, found, strict=True))

    def each_with(self, charges: ByDatum[Charge]) -> Iterator[tuple[Datum, dict[str, float]]]:
        """Yield each of these data with its totals after `add(charges)`."""
        for charge, data in charges.groups:
            amounts = self._amounts(charge)
            for datum in each(data):
                yield datum, dict(zip(self._place, self._after(self._look_up(datum), amounts), strict=True))

    def amounts(self, name: str) -> Iterator[tuple[Datum, float]]:
        """Yield each datum with its total in one currency."""
        place = self._place[name]
        for number in sorted(self._pages):
            page = self._pages[number]
            for offset in np.flatnonzero(~np.isnan(page[0])).tolist():
                yield number * _PAGE + offset, float(page[place, offset])
        for datum, totals in self._others.items():
            yield datum, totals[place]

    def copy(self) -> Totals:
        """Return a copy that shares nothing."""
        copied = Totals(self.group_size, self.currencies)
        copied._pages = {number: page.copy() for number, page in self._pages.items()}
        copied._top = tuple(top.copy() for top in self._top)
        copied._others, copied._count = self._others.copy(), self._count
        copied._parts = tuple(part.copy() for part in self._parts)
        return copied

    def packed(self) -> tuple[Any, ...]:
        """Return all totals in a few bytes for each stretch of rounds with equal ones, for `unpack`."""
        numbers = np.array(sorted(self._pages), np.int64)
        every = np.concatenate([self._pages[number] for number in numbers.tolist()] or [np.zeros((0, _PAGE))]).ravel()
        bits = every.view(np.int64)  # NaN is equal to itself
        starts = np.flatnonzero(np.append(True, bits[1:] != bits[:-1])) if bits.size else np.zeros(0, np.int64)
        runs = starts, every[starts], every.size
        parts = tuple(part.packed() for part in self._parts)
        return numbers, runs, self._others.copy(), self._count, [list(top.items()) for top in self._top], parts

    def unpack(self, packed: tuple[Any, ...]) -> None:
        """Hold the totals that `packed` of another one returned, which adds up the same currencies.

        >>> totals, again = Totals(2), Totals(2)
        >>> totals.add(ByDatum.of({1: Charge(0.5), 2: Charge(0.5), (3, 0): Charge(1.0)}))
        >>> again.unpack(totals.packed())
        >>> again == totals, again.largest("epsilon"), len(again)
        (True, 1.5, 3)
        """
        numbers, (starts, values, size), others, count, top, *parts = packed
        every = np.repeat(values, np.diff(starts, append=size)).reshape(-1, len(self.currencies), _PAGE)
        self._pages = {number: page.copy() for number, page in zip(numbers.tolist(), every, strict=True)}
        self._others, self._count, self._top = dict(others), count, tuple(map(dict, top))
        if self._parts:
            given = parts[0] if parts else (packed, Totals(self.group_size, self.currencies, parts=False).packed())
            for part, numbers_of_part in zip(self._parts, given, strict=True):
                part.unpack(numbers_of_part)  # what has no parts was written before there were any

    def capped(self, name: str, limit: float, accepted: float) -> Totals:
        """Return a copy in which amounts above `limit`, but at most `accepted`, are `limit`; to be read, not added to.

        >>> totals = Totals()
        >>> totals.add(ByDatum.of({1: Charge(1.0 + 1e-12), (2, 0): Charge(1.5)}))
        >>> capped = totals.capped("epsilon", 1.0, 1.0 + 1e-9)
        >>> capped[1].epsilon, capped[2, 0].epsilon, capped.largest("epsilon")
        (1.0, 1.5, 1.5)
        """
        found, place = self.copy(), self._place[name]
        for page in found._pages.values():
            row = page[place]
            row[(row > limit) & (row <= accepted)] = limit

        def lowered(amount: float) -> float:
            return limit if limit < amount <= accepted else amount

        top = found._top[place]
        top.update({datum: lowered(amount) for datum, amount in top.items()})
        for datum, total in found._others.items():
            found._others[datum] = (*total[:place], lowered(total[place]), *total[place + 1 :])
        return found

    def as_charge(self, amount: Callable[[str], float]) -> Charge:
        """Return what `amount` gives for each currency as one charge; what is not added up is implied by the rest."""
        epsilon = amount("epsilon")
        mu = amount("mu") if "mu" in self._place else None
        delta = amount("delta") if "delta" in self._place else 0.0
        if "rho" in self._place:
            return Charge.total(epsilon, amount("rho"), mu, delta)
        rho = rho_of_pure(epsilon) if mu is None else rho_of(Charge.total(epsilon, None, mu))
        return Charge.total(epsilon, rho, mu, delta)

    def __getitem__(self, datum: Datum) -> Charge:
        found = self._look_up(datum)
        if math.isnan(found[0]):
            raise KeyError(datum)
        return self.as_charge(lambda name: found[self._place[name]])

    def __contains__(self, datum: object) -> bool:
        return not math.isnan(self._look_up(datum)[0])

    def __iter__(self) -> Iterator[Datum]:
        return (datum for datum, _ in self.amounts("epsilon"))

    def __len__(self) -> int:
        return self._count

    def __repr__(self) -> str:
        return repr(dict(self))

    def _amounts(self, charge: Charge) -> tuple[float, ...]:
        amounts = tuple([currency.of(charge) for currency in self.currencies])
        if charge.delta and not self.keeps("delta"):
            got, expected = words(f"a charge of delta = {charge.delta:g}"), "0 where delta is not added up"
            raise PrivcheckError("delta", got, expected, "make the ledger with a `BudgetFilter` that sets delta aside")
        for currency, amount in zip(self.currencies, amounts, strict=True) if self.group_size > 1 else ():
            if amount and currency.joint is None:
                got = words(f"a charge of {currency.name} = {amount:g}")
                hint = "protect single data, or use other accountants and mechanisms that set no probability aside"
                raise PrivcheckError(currency.name, got, "0 when groups of data are protected together", hint)
        return amounts

    def _sum(self, place: int, before: float, amount: float) -> float:
        return float(self.currencies[place].add(before, amount)) if before and amount else before or amount

    def _after(self, before: tuple[float, ...], amounts: tuple[float, ...]) -> tuple[float, ...]:
        if math.isnan(before[0]):
            return amounts
        return tuple([self._sum(place, before[place], amount) for place, amount in enumerate(amounts)])

    def _joint(self, place: int, totals: Any) -> float:
        joint = self.currencies[place].joint or sum
        return float(joint(nlargest(self.group_size, totals)))

    def _smaller(self, place: int, totals: Iterable[float], *parts: Iterable[float]) -> float:
        """Return the smaller bound on the largest joint total, of totals alone and of their two parts."""
        joint, apart = self._joint(place, totals), self.currencies[place].apart
        if not parts or apart is None:
            return joint
        together, alone = parts
        return min(joint, apart(self._joint(place, together), nlargest(self.group_size, alone)))

    def _tops_with(self, place: int, owed: list[tuple[tuple[float, ...], Data]]) -> Iterator[Iterable[float]]:
        """Yield the largest totals, and those of each part, after a release is added."""
        alone = sum(len(data) for _, data in owed) == 1
        for each_part, takes in ((self, True), *zip(self._parts, (not alone, alone), strict=False)):
            yield each_part._top_with(place, owed if takes else []).values()

    def _top_with(self, place: int, owed: list[tuple[tuple[float, ...], Data]]) -> dict[Datum, float]:
        after = {
            datum: self._after(self._look_up(datum), amounts)[place] for amounts, data in owed for datum in each(data)
        }
        return self._top[place] | after

    def _look_up(self, datum: Datum) -> tuple[float, ...]:
        """Return the totals of a datum, NaN if it was never charged."""
        if (number := as_round(datum)) is None:
            return self._others.get(datum, self._nothing)
        page = self._pages.get(number // _PAGE)
        return self._nothing if page is None else tuple(page[:, number % _PAGE].tolist())

    def _most(self, data: Data) -> list[float]:
        """Return the largest total among data in each currency; 0 if none was charged."""
        most = [0.0] * len(self.currencies)
        if isinstance(data, dict) or len(data) < _SHORT:
            for datum in each(data):
                found = self._look_up(datum)
                if not math.isnan(found[0]):
                    most = [*map(max, most, found)]
            return most
        for number, offsets in _by_page(array_of(data)):
            if number in self._pages:
                totals = self._pages[number][:, offsets]
                most = [*map(max, most, np.fmax.reduce(totals, axis=1, initial=0.0).tolist())]
        return most

    def _add_one(self, datum: Datum, amounts: tuple[float, ...]) -> tuple[float, ...]:
        before = self._look_up(datum)
        self._count += math.isnan(before[0])
        after = self._after(before, amounts)
        if (number := as_round(datum)) is None:
            self._others[datum] = after
        else:
            self._page(number // _PAGE)[:, number % _PAGE] = after
        return after

    def _add_rounds(self, amounts: tuple[float, ...], data: Integers) -> None:
        for number, offsets in _by_page(data):
            page = self._page(number)
            new = np.isnan(page[0][offsets])
            self._count += int(new.sum())
            for place, amount in enumerate(amounts):
                row = page[place]
                before = row[offsets]
                after = before if amount == 0.0 else self.currencies[place].add(before, amount)
                row[offsets] = after = np.where(new, amount, after)
                dearest = int(after.argmax())
                self._keep_dear(place, number * _PAGE + int(offsets[dearest]), float(after[dearest]))

    def _page(self, number: int) -> Array:
        if number not in self._pages:
            self._pages[number] = np.full((len(self.currencies), _PAGE), np.nan)
        return self._pages[number]

    def _keep_top(self, datum: Datum, totals: tuple[float, ...]) -> None:
        for place, total in enumerate(totals):
            self._keep_dear(place, datum, total)

    def _keep_dear(self, place: int, datum: Datum, total: float) -> None:
        """Keep the dearest data; because totals only grow, a datum that is not among them is not missed."""
        top = self._top[place]
        if datum in top or len(top) < self.group_size:
            top[datum] = total
            return
        cheapest = min(top, key=lambda kept: top[kept])
        if total > top[cheapest]:
            del top[cheapest]
            top[datum] = total


def _by_page(rounds: Integers) -> Iterator[tuple[int, Integers]]:
    """Yield the pages that hold these rounds, and the rounds' places in them."""
    pages = rounds // _PAGE
    starts = np.flatnonzero(np.diff(pages, prepend=-1))
    for start, stop in zip(starts.tolist(), [*starts[1:].tolist(), len(rounds)], strict=True):
        yield int(pages[start]), rounds[start:stop] % _PAGE
