"""What a ledger says of one person, whose name the reader gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from privcheck.certifying._recorded.persons import Persons, cost, persons, plain_name

if TYPE_CHECKING:
    from privcheck.certifying._recorded.ledger_rows import ScopeRows


@dataclass(frozen=True)
class PersonRow:
    """What is left of the budget of one person in the present window.

    Parameters
    ----------
    scope : its name; the scopes that it continues count too.
    person : the code of the person; the name is not kept.
    type : "str" or "int", that of the name: 7 and "7" are two persons.
    per_user : the budget, in the notion of the guard's.
    window : its length; None if it is for ever.
    began, renews : when the window began and ends, in UTC; None if it is for ever.
    rewards : how many were passed on in the window.
    spent : what they cost, fully charged, in the notion of the budget.
    more : how many more are passed on in it.
    ever : how many were passed on in all windows.
    """

    scope: str
    person: str
    type: str
    per_user: float
    window: str | None
    began: datetime | None
    renews: datetime | None
    rewards: int
    spent: float
    more: int
    ever: int


def person_row(rows: ScopeRows, user: Any) -> PersonRow | None:
    """Return what a scope says of a person, by name; None if its guards have no budgets of persons."""
    told, chain = rows.parameters, (*rows.before[::-1], rows)
    admits = persons(
        told["per_user"], told["window"], rows.budget, told["feedback"], told["neighbours"], rows.scope.name,
        {part.scope.name: cost(part.budget)[0] for part in chain}, rows.scope.salt,
    )  # fmt: skip
    if admits is None:
        return None
    code = admits.code(user)
    now = admits.now(max((window for part in chain for _, window in part.rewards), default=0))
    given = [part.scope.name for part in chain for _ in range(part.rewards[code, now])]
    ever = sum(count for part in chain for (person, _), count in part.rewards.items() if person == code)
    return row_of(admits, rows.scope.name, user, now, given, ever)


def row_of(admits: Persons, scope: str, user: Any, now: int, given: Sequence[str], ever: int) -> PersonRow:
    """Return what is left to a person who gave rewards in these scopes in the present window, and so many ever."""
    name = plain_name(user)
    return PersonRow(
        scope, admits.code(name), type(name).__name__, admits.per_user, admits.window, admits.renews(now - 1),
        admits.renews(now), len(given), admits.loss(given), admits.more(given, scope), ever,
    )  # fmt: skip
