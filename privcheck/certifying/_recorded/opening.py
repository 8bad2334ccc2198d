"""Opening the ledger of a guard: what it was built with has to be what the ledger was written with."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from numbers import Integral, Real
from typing import Any

import numpy as np

from privcheck.accounting import LARGEST, Notion, Pure, budget_of
from privcheck.certifying._recorded.persons import Persons, cost, persons
from privcheck.errors import PrivcheckError, can_be_encoded, words
from privcheck.feedback import FEEDBACKS
from privcheck.journal import Journal, MemoryJournal, SqliteJournal
from privcheck.privacy import ROW, Contexts, relation
from privcheck.scheduling import fingerprint

BUDGET = ("epsilon", "delta", "rho", "mu")

OF_RELEASES = ("opendp.measurements", "opendp._data", "scipy.special")
"""What secure noise loads when it is first drawn: the first reward of a service would wait for it, on a cold disk for
seconds.
"""


@dataclass(frozen=True)
class Keeping:
    """Where a guard keeps what it has spent, and what a person may spend.

    Parameters
    ----------
    ledger, scope, head, continues, per_user, window : see `privcheck.guard`.
    """

    ledger: str | os.PathLike[str] | None = None
    scope: str | None = None
    head: str | os.PathLike[str] | None = None
    continues: str | None = None
    per_user: float | None = None
    window: str | None = None

    def check(self, *, builds: bool, noise: str, rng: Any) -> None:
        """Refuse arguments that need a ledger without one, and policies that could not be played again from one."""
        if self.ledger is None:
            for name in ("scope", "head", "continues"):
                if (value := getattr(self, name)) is not None:
                    raise PrivcheckError(name, value, "None without ledger=", "give the file of a ledger")
            return
        if not builds:
            got = words("a policy that is built already, with a ledger")
            hint = "after a restart the ledger builds it anew: give its class, or a factory"
            raise PrivcheckError("policy", got, "a class or factory", hint)
        if noise != "secure" or rng is not None:
            got = noise if noise != "secure" else words("a Generator")
            hint = "a ledger takes only secure noise, whose last digits reveal nothing: leave noise and rng out"
            raise PrivcheckError("noise" if noise != "secure" else "rng", got, "secure noise with ledger=", hint)
        for name in ("scope", "continues"):
            value = getattr(self, name)
            if (type(value) is not str or not value) and not (name == "continues" and value is None):
                hint = "it names the people and the policy that share the budget"
                raise PrivcheckError(name, value, "a name, a string that is not empty, with ledger=", hint)
            if value is not None and not can_be_encoded(value):
                raise PrivcheckError(name, value, "text that can be encoded in UTF-8")


@dataclass(frozen=True)
class Kept:
    """A journal, and what a guard needs of it.

    Parameters
    ----------
    journal : of the scope.
    persons : who admits the rewards of persons; None for everybody.
    environment : the code of what plays here, and what that is.
    secret : of the policy's coins; None in memory.
    scope : its name.
    continued : whether it continues another scope.
    policy : its class or factory.
    """

    journal: Journal
    persons: Persons | None
    environment: tuple[str, dict[str, str]] = ("", {})
    secret: bytes | None = None
    scope: str = ""
    continued: bool = False
    policy: Any = None

    def coins(self, spawned: int = 0) -> tuple[np.random.Philox, Any]:
        """Return the bits of the coins, and their state, before the first event; or after so many were spawned."""
        assert self.secret is not None
        seeds = np.random.SeedSequence(int.from_bytes(self.secret, "big"), n_children_spawned=spawned)
        bits = np.random.Philox(seeds)
        state: Any = bits.state  # nothing is left of a block yet
        parts = {name: part.tolist() for name, part in state["state"].items()}  # lists are put back in half the time
        return bits, {**state, "state": parts, "buffer": state["buffer"].tolist()}


def opened(keeping: Keeping, budget: Notion, parameters: dict[str, Any], policy: Any = None) -> Kept:
    """Return the journal of a guard; in memory without a ledger.

    Parameters
    ----------
    keeping : where.
    budget : of each datum.
    parameters : what the guard is built with; only what JSON has.
    policy : its class or factory.
    """
    feedback, neighbours = parameters["feedback"], parameters["neighbours"]
    with_persons = keeping.per_user, keeping.window, budget, feedback, neighbours
    if keeping.ledger is None or keeping.scope is None:
        return Kept(MemoryJournal(), persons(*with_persons, "", {}, secrets.token_bytes(32)))
    if isinstance(budget, Pure) and budget.epsilon >= LARGEST:
        hint = "so that its totals are exact"
        raise PrivcheckError("epsilon", budget.epsilon, f"a number below {LARGEST} with ledger=", hint)
    persons(*with_persons, keeping.scope, {}, b"")  # bad input is refused before a file is made
    told = {**parameters, "per_user": keeping.per_user, "window": keeping.window}
    mine = json.loads(json.dumps(told, default=_as_number))

    def agrees(kept: dict[str, Any], continued: bool) -> None:
        _check_continued(mine, kept, str(keeping.continues)) if continued else _check(mine, kept, str(keeping.scope))

    journal = SqliteJournal(keeping.ledger, keeping.scope, keeping.head, mine, agrees, keeping.continues)
    for name in OF_RELEASES:
        import_module(name)
    before = {name: cost(_budget(kept))[0] for name, kept in journal.parameters().items()}
    admits = persons(*with_persons, keeping.scope, before, journal.scope.salt)
    is_here = dict(fingerprint())
    code = hashlib.sha256(json.dumps(is_here, sort_keys=True).encode()).hexdigest()[:12]
    return Kept(journal, admits, (code, is_here), journal.scope.secret, keeping.scope, len(before) > 1, policy)


def parameters_of(
    given: Mapping[str, float | None], options: Mapping[str, Any], feedback: str, arms: int | None
) -> dict[str, Any]:
    """Return what a guard is built with, as a ledger keeps it; the policy itself is compared by what it does."""
    contexts: Contexts | None = options["contexts"]
    known: dict[str, Any] = {name: given[name] or None for name in BUDGET}
    known |= {"accountants": options["accountants"], "rewards": [float(end) for end in options["rewards"]]}
    known |= {"feedback": feedback, "neighbours": options["neighbours"], "arms": arms}
    return known | {"contexts": None if contexts is None else repr(contexts)}


def _as_number(value: Any) -> int | float:
    """Return a number of another type, such as one of numpy or a fraction, as JSON has it."""
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


def _budget(kept: Mapping[str, Any]) -> Notion:
    found = budget_of(*(kept[name] for name in BUDGET))
    assert found is not None
    return found


def _check(mine: dict[str, Any], kept: dict[str, Any], scope: str) -> None:
    for name, value in with_own_relation(kept).items():
        if mine.get(name) != value:
            expected = f"{value!r}, as in the scope {scope!r} of the ledger"
            hint = f"guard with another scope=, and continues={scope!r} to keep all charges"
            raise PrivcheckError(name, mine.get(name), expected, hint)


def _check_continued(mine: dict[str, Any], kept: dict[str, Any], scope: str) -> None:
    """Refuse to continue a scope in which persons were not counted, or in another way."""
    if mine["per_user"] is None and kept["per_user"] is None:
        return
    notions = [next(name for name in ("rho", "mu", "epsilon") if said[name]) for said in (mine, kept)]
    for name, own, other in (
        ("per_user", mine["per_user"] is not None, kept["per_user"] is not None),
        ("window", mine["window"], kept["window"]),
        ("budget", *notions),
    ):
        if own != other:
            got = mine.get(name, notions[0])
            expected = f"{kept.get(name, notions[1])!r}, as in the scope {scope!r} that is continued"
            raise PrivcheckError(name, got, expected, "what persons gave in it counts, in the way in which it counted")


def with_own_relation(kept: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a guard was built with, as a ledger keeps it, with the relation that holds under its feedback.

    Ledgers of earlier versions have it as it was asked for: "row" under contextual feedback, where none was.

    >>> with_own_relation({"feedback": "contextual", "neighbours": "row"})["neighbours"]
    'context-reward'
    """
    asked = relation(kept["neighbours"]).name
    return {**kept, "neighbours": ROW.under(kept["feedback"], FEEDBACKS.contextual) if asked == ROW else asked}
