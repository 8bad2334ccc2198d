"""What is left of one person's budget, for people and other programs; neither shows the name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from privcheck.enclosure import as_given, digits_up
from privcheck.serialise import plain, to_json

if TYPE_CHECKING:
    from privcheck.certifying import PersonRow

WHEN = "%Y-%m-%d at %H:%M UTC"
TYPES = {"str": "a string", "int": "an integer"}


def persons_text(persons: Sequence[PersonRow], name: str) -> str:
    """Return what is left to a person in each scope, in lines."""
    return "\n".join([name, *(line for row in persons for line in _lines(row))])


def _lines(row: PersonRow) -> Iterator[str]:
    known = "" if row.ever else ", who has given no rewards: is the name spelled as the service gives it?"
    when = f" since {row.began:{WHEN}}" if row.began else ""
    yield ""
    yield f"scope {row.scope!r}"
    yield f"  person              {row.person}, the code of a name that is {TYPES[row.type]}{known}"
    yield f"  budget of a person  {as_given(row.per_user)} {f'in one {row.window}' if row.window else 'for ever'}"
    yield f"  spent               {digits_up(row.spent)} by {_rewards(row.rewards)}{when}"
    yield f"  left                {_rewards(row.more, 'more ')}"
    yield f"  renews              {f'on {row.renews:{WHEN}}' if row.renews else 'never'}"


def _rewards(count: int, more: str = "") -> str:
    return f"{count} {more}reward{'' if count == 1 else 's'}"


def persons_json(persons: Sequence[PersonRow]) -> str:
    """Return what is left to a person in each scope as JSON; times are in ISO 8601."""
    return to_json({"persons": [{**plain(row), **_times(row)} for row in persons]})


def _times(row: PersonRow) -> dict[str, str | None]:
    return {name: at.isoformat() if (at := getattr(row, name)) else None for name in ("began", "renews")}
