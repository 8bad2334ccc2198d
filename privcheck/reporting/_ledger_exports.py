"""Ledgers of guards for people and other programs: text, JSON, CSV and a page; none of them shows a reward."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from privcheck.enclosure import as_given, digits_up
from privcheck.reporting._pages.elements import document, element, header, text
from privcheck.reporting._pages.html_table import NUMBER, TEXT, WORD, Cell, table
from privcheck.reporting._person_exports import WHEN
from privcheck.serialise import plain, to_json

if TYPE_CHECKING:
    from privcheck.certifying import ReleaseRow, ScopeRows

COLUMNS = ("scope", "event", "round", "mechanism", "scale", "line", "charge", "data", "persons")

OF_WINDOW = ("person", "window", "began", "renews", "rewards", "spent")
OF_PERSON = ("person", "rewards", "spent")


def ledger_text(scopes: Sequence[ScopeRows], name: str) -> str:
    """Return what a ledger says of each scope, in lines."""
    return "\n".join([name, *(line for rows in scopes for line in _lines(rows))])


def _lines(rows: ScopeRows) -> Iterator[str]:
    parameters = rows.parameters
    events = ", ".join(f"{count} {kind}" for kind, count in rows.events.items() if kind != "start")
    yield ""
    yield f"scope {rows.scope.name!r}" + (f", continued by {rows.closed_by!r}" if rows.closed_by else "")
    if rows.began:
        yield f"  began               on {rows.began:{WHEN}}"
    yield f"  budget of a datum   {_budget(rows)}, spent {digits_up(rows.spent)} by the datum that lost the most"
    again = "; a request that comes again is answered and not counted" if events else ""
    yield f"  events              {events or 'none'}{again}"
    if parameters["per_user"] is not None:
        yield f"  rewards             {_rewards(rows)}"
    charged = sum(bool(row.charges) for row in rows.releases)
    yield f"  releases            {charged}, and {len(rows.releases) - charged} draws on public values, at no charge"
    if parameters["per_user"] is not None:
        windows = len({window for _, window in rows.rewards})
        each = f"in one {parameters['window']}" if parameters["window"] else "for ever"
        yield f"  budget of a person  {as_given(parameters['per_user'])} {each}"
        people = len({person for person, _ in rows.rewards})
        older = "".join(f" and in {each.scope.name!r}" for each in rows.before)
        most = max((spent for _, spent in rows.of_persons().values()), default=0.0)
        over = f"over all of them{older} one lost at most {digits_up(most)}"
        yield f"  persons             {people}, in {windows} window{'' if windows == 1 else 's'}; {over}"
    yield f"  last entry          {rows.last}: the start, events, refused rewards and draws are numbered together"
    yield f"  snapshot            {_snapshot(rows)}"
    forgotten = rows.recorded - rows.told
    kept = f"kept of {rows.told} events" + (f", forgotten of {forgotten}" if forgotten else "")
    yield f"  what was told       {kept}, with the start and refused rewards among them"


def _rewards(rows: ScopeRows) -> str:
    """Return what became of the rewards of persons, one in each `update`; no refusal without an id is kept."""
    refused = rows.recorded - sum(rows.events.values())
    why = ", because no budget was left for their person" if refused else "; refusals without an id are not kept"
    return f"{rows.events['update']} passed on to the policy, {refused} refused under an id{why}"


def _snapshot(rows: ScopeRows) -> str:
    kept = rows.snapshot
    if not kept.number:
        return f"none: {kept.problem}" if kept.problem else "none yet"
    newer = f"; none since then: {kept.problem}" if kept.problem else ""
    return f"after entry {kept.number}, {kept.size} bytes{newer}"


def _budget(rows: ScopeRows) -> str:
    return ", ".join(f"{name} = {as_given(rows.parameters[name])}" for name in _NAMES if rows.parameters[name])


_NAMES = ("epsilon", "delta", "rho", "mu")


def ledger_json(scopes: Sequence[ScopeRows]) -> str:
    """Return scopes, releases and persons as JSON."""
    found = [
        {
            "scope": rows.scope.name, "parameters": rows.parameters, "spent": rows.spent, "events": dict(rows.events),
            "continued_by": rows.closed_by or None, "last_entry": rows.last,
            "snapshot": rows.snapshot._asdict(), "events_told": rows.told,
            "releases": [dict(zip(COLUMNS, row, strict=True)) for row in map(_row, rows.releases)],
            "began": rows.began and rows.began.isoformat(),
            "persons": [dict(zip(OF_WINDOW, row, strict=True)) for row in _persons(rows)],
            "totals": [dict(zip(OF_PERSON, row, strict=True)) for row in _totals(rows)],
        }
        for rows in scopes
    ]  # fmt: skip
    return to_json(plain({"scopes": found}))


def ledger_csv(scopes: Sequence[ScopeRows]) -> str:
    """Return the releases as CSV."""
    written = io.StringIO()
    writer = csv.writer(written)
    writer.writerow(COLUMNS)
    for rows in scopes:
        writer.writerows(map(_row, rows.releases))
    return written.getvalue()


def ledger_page(scopes: Sequence[ScopeRows], name: str) -> str:
    """Return a page with the releases of each scope."""
    parts = []
    kinds = (WORD, NUMBER, NUMBER, WORD, NUMBER, TEXT, TEXT, TEXT, TEXT)
    for rows in scopes:
        parts.append(element("h2", text(f"Scope {rows.scope.name}")))
        parts.append(element("pre", element("code", "\n".join(map(text, [*_lines(rows)][2:])))))
        found = [_cells(_row(row)) for row in rows.releases]
        if found:
            parts.append(table("Releases", [*zip(COLUMNS, kinds, strict=True)], found))
        each = (
            ("Persons", OF_WINDOW, _persons),
            ("All windows, with the scopes that are continued", OF_PERSON, _totals),
        )
        for caption, names, of_persons in each if rows.rewards else ():
            columns = [(name, NUMBER if name in ("rewards", "spent") else WORD) for name in names]
            parts.append(table(caption, columns, [_cells(row) for row in of_persons(rows)]))
    released = sum(len(rows.releases) for rows in scopes)
    return document(f"Ledger {name}", header(f"Ledger {name}", f"{released} releases in {len(scopes)} scopes"), parts)


def _persons(rows: ScopeRows) -> Iterator[tuple[Any, ...]]:
    """Yield what each person has given in each window of this scope; windows are the times that a ledger has."""
    for (person, window), count in sorted(rows.rewards.items()):
        began, renews = (time and time.isoformat() for time in rows.window(window))
        yield person, window, began, renews, count, rows.loss(count)


def _totals(rows: ScopeRows) -> Iterator[tuple[Any, ...]]:
    for person, (count, spent) in sorted(rows.of_persons().items()):
        yield person, count, spent


def _cells(row: tuple[Any, ...]) -> list[Cell | str]:
    return [Cell(text(f"{part:g}" if isinstance(part, float) else str(part)), _key(part)) for part in row]


def _key(part: Any) -> float | None:
    return float(part) if isinstance(part, int | float) else None


def _row(row: ReleaseRow) -> tuple[Any, ...]:
    charges = "; ".join(dict.fromkeys(str(charge) for charge in row.charges.different)) or "none"
    data = ", ".join(_data(group) for _, group in row.charges.groups) or "public"
    persons = ", ".join(row.persons)
    return row.scope, row.event, row.round, row.mechanism, row.scale, row.location, charges, data, persons


def _data(group: Any) -> str:
    if isinstance(group, range):
        return f"rounds {group.start} to {group.stop - 1}"
    listed = [*group] if isinstance(group, dict) else group.tolist()
    return "rounds " + " ".join(str(datum) for datum in listed)
