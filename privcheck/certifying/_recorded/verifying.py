"""Whether a ledger is as it was written, and whether what it says is within the budgets."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from privcheck.accounting import UNITS, ByDatum, Pure, ReleaseRefusedError, units_of
from privcheck.certifying._recorded.events import digest
from privcheck.certifying._recorded.ledger_rows import UNREADABLE, ScopeRows, rows_of
from privcheck.certifying._recorded.persons import cost, persons
from privcheck.errors import PrivcheckError
from privcheck.journal import ANSWER, CLOSED, DRAW, ENVIRONMENT, SCOPE, START, Entry, LedgerFile, Opened

SLACK = Fraction(1, 10**9)
"""By how much sums of charges may exceed a budget: the noise pays for it in advance (`privcheck.mechanisms.base`)."""


def ledger_problems(path: str | os.PathLike[str], head: str | os.PathLike[str] | None = None) -> list[str]:
    """Return what is wrong with a ledger, in sentences; nothing if it verifies.

    It reads entries and their indexes alone: each entry follows from those before it by its hash, has one answer, and
    what all releases together charge to a datum, and rewards to a person in a window, is within the budgets.

    Parameters
    ----------
    path : of the ledger.
    head : of the file with the heads; without it an old copy of a ledger verifies too.
    """
    found: list[str] = []
    with LedgerFile(path, head) as file:
        read: dict[str, ScopeRows] = {}
        try:
            scopes = file.scopes()
        except PrivcheckError as error:
            return [str(error.value)]
        names = {scope.number: scope.name for scope in scopes}
        for scope in scopes:
            entries = [*file.entries(scope)]
            if why := _chain_problem(scope, entries, names.get(scope.continues or 0)):
                found.append(why)
                continue
            try:
                read[scope.name] = rows = rows_of(scope, iter(entries))
                whys = [*_order_problems(entries), *_told_problems(file, scope, entries), *_charge_problems(rows)]
            except (*UNREADABLE, PrivcheckError) as error:
                found.append(f"scope {scope.name!r}: an entry cannot be read ({type(error).__name__}: {error})")
                continue
            found += [f"scope {scope.name!r}: {why}" for why in whys]
        found += _person_problems(read)
        found += [f"the file is damaged: {why}; restore the newest copy" for why in file.damage()]
        found += [f"head: {why}" for why in file.head_problems()]
    return found


def _chain_problem(scope: Opened, entries: list[Entry], before: str | None) -> str:
    """Return where a scope does not follow from its beginning, or from the one before."""
    chained = START
    for number, entry in enumerate(entries, 1):
        if entry.number != number or not entry.follows(chained):
            return f"scope {scope.name!r}: entry {number} is not as it was written, or one before it is missing"
        chained = entry.hash
    if not entries or entries[0].kind != SCOPE:
        return f"scope {scope.name!r}: its first entry is missing"
    said = entries[0].said
    for name, kept in (("secret", scope.secret), ("salt", scope.salt)):
        if said[name] != hashlib.sha256(kept).hexdigest():
            return f"scope {scope.name!r}: its {name} is not the one that it was made with"
    if (said["scope"], said["identity"]) != (scope.name, scope.identity):
        return f"scope {scope.name!r}: its name is not the one that it was made with"
    if said["continues"] != before:
        return f"scope {scope.name!r}: the scope that it continues is not the one that it was made to continue"
    return ""


def _order_problems(entries: list[Entry]) -> Iterator[str]:
    """Yield events that are not one after the other, or have no answer, or two."""
    last, pending, seen = -1, -1, set[tuple[str, str]]()
    for entry in entries[1:]:
        if entry.request and (entry.request, entry.kind) in seen:
            yield f"the id {entry.request!r} has two answers"
        seen.add((entry.request, entry.kind))
        if entry.kind in (ENVIRONMENT, CLOSED):
            continue
        if entry.kind in (DRAW, ANSWER):
            if entry.event != pending:
                yield f"entry {entry.number} belongs to event {entry.event}, which is not under way"
            pending = -1 if entry.kind == ANSWER else pending
        elif entry.event >= 0:
            if pending >= 0 or entry.event != last + 1:
                yield f"event {entry.event} begins at entry {entry.number} after event {last}" + (
                    ", which has no answer" if pending >= 0 else ""
                )
            last, pending = entry.event, -1 if "answer" in entry.said else entry.event


def _told_problems(file: LedgerFile, scope: Opened, entries: list[Entry]) -> Iterator[str]:
    """Yield events of which it is kept what they were told, where that is not what they were told."""
    by_number = {entry.number: entry for entry in entries}
    for number, *told in file.told(scope):
        said: Any = by_number[number].said.get("told") if number in by_number else None
        if said != digest(*told):
            yield f"entry {number}: what is kept as what the event was told is not what it was told"


def _charge_problems(rows: ScopeRows) -> Iterator[str]:
    """Yield releases that do not fit into the budget of a datum, added up anew; of epsilon in whole units, exactly."""
    budget, ledger = rows.filter, rows.filter.new_ledger(rows.ledger.group_size, rows.ledger.what)
    exact: dict[Any, int] = {}
    for row in rows.releases:
        if not row.charges:
            continue
        try:
            budget.check(ledger, row.charges, row.location)
        except ReleaseRefusedError as error:
            yield f"event {row.event}: {error}"
            return
        ledger.record(row.round, row.mechanism, row.scale, row.charges.map(lambda _: 0.0), row.charges, row.location)
        if isinstance(rows.budget, Pure) and ledger.group_size == 1:
            for charge, data in ByDatum.of(row.charges).groups:
                for datum in data if isinstance(data, (dict, range)) else data.tolist():
                    exact[datum] = exact.get(datum, 0) + units_of(charge.epsilon)
    if isinstance(rows.budget, Pure) and exact:
        limit = Fraction(rows.budget.epsilon) * (1 + SLACK)
        if Fraction(max(exact.values()), UNITS) > limit:
            yield f"a datum is charged {max(exact.values()) / UNITS:.12g}, more than {rows.budget.epsilon:g}"


def _person_problems(read: dict[str, ScopeRows]) -> Iterator[str]:
    """Yield persons whose rewards in one window cost more than their budget, over scopes that continue each other."""
    by_number = {rows.scope.number: rows for rows in read.values()}
    for rows in read.values():
        parameters = rows.parameters
        if parameters["per_user"] is None:
            continue
        chain = [rows]
        while (before := chain[-1].scope.continues) in by_number:
            chain.append(by_number[before])
        budgets = {part.scope.name: cost(part.budget)[0] for part in chain}
        admits = persons(
            parameters["per_user"], parameters["window"], rows.budget, parameters["feedback"],
            parameters["neighbours"], rows.scope.name, budgets, b"",
        )  # fmt: skip
        assert admits is not None
        for person, window in rows.rewards:
            given = [part.scope.name for part in chain[::-1] for _ in range(part.rewards[person, window])]
            if not admits.fits(given[:-1], given[-1]):
                when = f" in {parameters['window']} {window}" if parameters["window"] else ""
                what = f"person {person} gave {len(given)} rewards{when}, more than the budget"
                yield f"scope {rows.scope.name!r}: {what}"
