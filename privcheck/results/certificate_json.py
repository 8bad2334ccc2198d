"""Certificates read back from JSON."""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import Any

import numpy as np

from privcheck.accounting import Charge, Ledger
from privcheck.accounting.ledger import Release
from privcheck.declared import Budget
from privcheck.errors import PrivcheckError, words
from privcheck.privacy import Contexts
from privcheck.private_values.leaks import Leak
from privcheck.results.certificate import Certificate
from privcheck.results.replay_result import Divergence, ReplayResult
from privcheck.serialise import ILL_TYPED, check_fields, from_json, number

EXPECTED = "what Certificate.to_json wrote"
PAIR = re.compile(r"\((-?\d+), (-?\d+)\)")


def certificate_from_json(text: str) -> Certificate:
    """Return the certificate whose `to_json` gave this text.

    Examples
    --------
    >>> from privcheck.reporting.example_results import GRANTED
    >>> certificate_from_json(GRANTED.to_json()).to_json() == GRANTED.to_json()
    True
    """
    return read_certificate(from_json(text, Certificate, EXPECTED))


def read_certificate(content: Any) -> Certificate:
    """Return the certificate with these fields, as plain values.

    Raises
    ------
    PrivcheckError : unknown, missing or ill-typed fields.

    """
    check_fields(content, Certificate, EXPECTED)
    try:
        contexts = content.get("contexts")
        parts = {
            "rewards": tuple(content["rewards"]),
            "ledger": _ledger(**content["ledger"]),
            "replay": _replay(content["replay"]),
            "leaks": [Leak(**leak | {"data": tuple(_identity(d) for d in leak["data"])}) for leak in content["leaks"]],
            "contexts": None if contexts is None else Contexts(**contexts | {"shape": tuple(contexts["shape"])}),
        }
        numbers = {name: number(content[name]) for name in ("epsilon_claimed", "epsilon_upper", "ledger_epsilon")}
        return Certificate(**content | numbers | parts)
    except ILL_TYPED:
        raise PrivcheckError("text", words("fields of the wrong type"), EXPECTED) from None


def _ledger(*, releases: list[dict[str, Any]], totals: dict[str, Any], **others: Any) -> Ledger:
    return Ledger(releases=[_release(**release) for release in releases], paid=_charges(totals), **others)


def _release(*, sensitivities: dict[str, Any], losses: dict[str, Any], **others: Any) -> Release:
    return Release(sensitivities=_by_datum(sensitivities), charges=_charges(losses), **others)


def _charges(losses: dict[str, Any]) -> dict[Hashable, Charge]:
    return {datum: Charge.total(Budget().normalise(loss)) for datum, loss in _by_datum(losses).items()}


def _replay(content: dict[str, Any]) -> ReplayResult:
    found = content["first_divergence"]
    if found is not None:
        tables = {name: np.array(found[name], float) for name in ("first", "second")}
        actions = {name: tuple(found[name]) for name in ("actions_first", "actions_second")}
        found = Divergence(**found | tables | actions)
    return ReplayResult(**content | {"largest_loss": number(content["largest_loss"]), "first_divergence": found})


def _by_datum(content: dict[str, Any]) -> dict[Hashable, float]:
    return {_datum(name): number(value) for name, value in content.items()}


def _datum(name: str) -> Hashable:
    """Return the datum that a JSON key stands for: a round, or a pair of round and arm.

    >>> _datum("3"), _datum("(3, 1)")
    (3, (3, 1))
    """
    pair = PAIR.fullmatch(name)
    return (int(pair[1]), int(pair[2])) if pair else int(name)


def _identity(value: Any) -> Hashable:
    return tuple(value) if isinstance(value, list) else value
