"""What a ledger says: its scopes, releases and persons, without playing a policy or reading a reward."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from fractions import Fraction
from typing import Any

from privcheck.accounting import BudgetFilter, ByDatum, Charge, Ledger, Notion, budget_of, shown, spent
from privcheck.certifying._recorded.opening import with_own_relation
from privcheck.certifying._recorded.person_rows import PersonRow, person_row
from privcheck.certifying._recorded.persons import beginning, cost
from privcheck.certifying._recorded.values import decoded_charges
from privcheck.journal import DRAW, Entry, LedgerFile, Opened, SnapshotRow

NO_SNAPSHOT = SnapshotRow(0, 0, "")
BUDGET = ("epsilon", "delta", "rho", "mu")


@dataclass(frozen=True)
class ReleaseRow:
    """One release of noise in a ledger.

    Parameters
    ----------
    scope : its name.
    event, round : when; under delayed feedback, the round whose reward was told.
    mechanism, scale, location : which noise, of the code at which line.
    charges : of each datum; none of a draw on a public value.
    persons : the codes of the persons whose rewards it charges.
    """

    scope: str
    event: int
    round: int
    mechanism: str
    scale: float
    location: str
    charges: ByDatum[Charge]
    persons: tuple[str, ...]


@dataclass
class ScopeRows:
    """What a ledger says of one scope.

    Parameters
    ----------
    scope : the scope.
    parameters : what its guards are built with.
    events : how many events there are, by kind.
    releases : of noise.
    ledger : what they charge.
    rewards : how many rewards of each person were passed on, by person and window.
    last : the last entry.
    began : when the first guard made it, by its clock; None in a ledger that did not keep it.
    closed_by : the scope that continues this one; "" for none.
    snapshot : what there is of its snapshot.
    told : of how many events it is kept what they were told.
    recorded : of how many it was kept: of all events, and of rewards that were not passed on.
    before : the scopes that this one continues, the newest first.
    """

    scope: Opened
    parameters: dict[str, Any]
    events: Counter[str] = field(default_factory=Counter)
    releases: list[ReleaseRow] = field(default_factory=list)
    ledger: Ledger = field(default_factory=Ledger)
    rewards: Counter[tuple[str, int]] = field(default_factory=Counter)
    last: int = 0
    began: datetime | None = None
    closed_by: str = ""
    snapshot: SnapshotRow = NO_SNAPSHOT
    told: int = 0
    recorded: int = 0
    before: tuple[ScopeRows, ...] = ()

    @property
    def budget(self) -> Notion:
        """The budget of each datum."""
        found = budget_of(*(self.parameters[name] for name in BUDGET))
        assert found is not None
        return found

    @property
    def filter(self) -> BudgetFilter:
        """The filter that its guards have."""
        return BudgetFilter(self.budget, self.parameters["accountants"])

    @property
    def spent(self) -> float:
        """The largest total of any datum, in the notion of the budget."""
        return spent(self.filter, self.ledger).amount

    @property
    def totals(self) -> Ledger:
        """The charges, to be read."""
        return shown(self.filter, self.ledger)

    def person(self, user: str | int) -> PersonRow | None:
        """Return what is left of the budget of a person, by name; None if the guards have no such budgets."""
        return person_row(self, user)

    def loss(self, rewards: int) -> float:
        """Return what so many rewards of one person cost here, fully charged: what group privacy gives."""
        one, power = cost(self.budget)
        return float(rewards**power * one)

    def window(self, number: int) -> tuple[datetime | None, datetime | None]:
        """Return when a window of persons' budgets begins and ends; None if it is for ever."""
        length = self.parameters["window"]
        return beginning(number, length), beginning(number + 1, length)

    def of_persons(self) -> dict[str, tuple[int, float]]:
        """Return how many rewards of each person were passed on over all windows, and what they cost, fully charged,
        here and in the scopes that this one continues.
        """
        found: dict[str, tuple[int, Fraction | float]] = {}
        for rows in (self, *self.before):
            one, power = cost(rows.budget)
            for (person, _), count in rows.rewards.items():
                rewards, root = found.get(person, (0, 0))
                found[person] = rewards + count, root + count * (one if power == 1 else math.sqrt(one))
        power = cost(self.budget)[1]
        return {person: (rewards, float(root) ** power) for person, (rewards, root) in found.items()}


UNREADABLE = (
    KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError, RecursionError, StopIteration,
)  # fmt: skip
"""What entries raise that somebody has changed: they are read before it is seen whether they follow from each other."""


def read_ledger(path: str | os.PathLike[str]) -> list[ScopeRows]:
    """Return what a ledger says of each scope, the oldest first.

    Raises
    ------
    PrivcheckError : it is no ledger, or an entry does not say what one of its kind says.
    """
    found: dict[int, ScopeRows] = {}
    with LedgerFile(path) as file:
        for scope in file.scopes():
            try:
                rows = rows_of(scope, file.entries(scope))
            except UNREADABLE as error:
                raise file.unreadable(scope, error) from None
            old = None if scope.continues is None else found[scope.continues]
            before = () if old is None else (old, *old.before)
            snapshot, told = file.snapshot(scope), file.count_told(scope)
            found[scope.number] = replace(rows, snapshot=snapshot, told=told, before=before)
    return [*found.values()]


def rows_of(scope: Opened, entries: Iterator[Entry]) -> ScopeRows:
    """Return what the entries of one scope say."""
    first = next(entries)
    parameters = with_own_relation(first.said["parameters"])
    began = first.said.get("began")
    found = ScopeRows(scope, parameters, last=1, began=began and datetime.fromisoformat(began))
    group = int(parameters["neighbours"].partition(":")[2] or 1) if parameters["neighbours"].startswith("group") else 1
    found.ledger = found.filter.new_ledger(group, "reward" if parameters["contexts"] is None else "context and reward")
    persons: dict[int, str] = {}
    now = 0
    for entry in entries:
        said: dict[str, Any] = entry.said
        _check_columns(entry, parameters["window"])
        found.last = entry.number
        if entry.kind == DRAW:
            _add_release(found, entry, said, now, persons)
        elif "by" in said and "told" in said:
            found.recorded += 1
            now = int(said["round"])
            if entry.event >= 0:
                found.events[entry.kind] += 1
            if entry.person and entry.kind == "update":
                persons[now] = entry.person
                found.rewards[entry.person, entry.window] += 1
        elif entry.kind == "closed":
            found.closed_by = str(said["by"])
    return found


def _check_columns(entry: Entry, length: str | None) -> None:
    """Refuse, by one of `UNREADABLE`, a column that somebody has given another type, or a window beyond all dates."""
    if type(entry.event) is not int or type(entry.window) is not int or type(entry.person) is not str:
        raise TypeError(entry.number)
    beginning(entry.window + 1, length)


def _add_release(found: ScopeRows, entry: Entry, said: dict[str, Any], now: int, persons: dict[int, str]) -> None:
    charges, scale = decoded_charges(said["charges"]), float.fromhex(said["scale"])
    rounds = [datum[0] if isinstance(datum, tuple) else datum for datum in charges]
    codes = tuple(dict.fromkeys(persons[t] for t in rounds if t in persons))
    row = ReleaseRow(found.scope.name, entry.event, now, said["mechanism"], scale, said["location"], charges, codes)
    found.releases.append(row)
    if charges:
        found.ledger.record(now, row.mechanism, scale, charges.map(lambda _: 0.0), charges, row.location)
