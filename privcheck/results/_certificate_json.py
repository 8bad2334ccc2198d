"""Certificates read back from JSON."""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import Any

from privcheck.accounting import Approximate, Charge, Concentrated, GaussianDP, Ledger, Notion, Pure, Release
from privcheck.declared import Budget
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms import MechanismCode
from privcheck.privacy import Contexts
from privcheck.private_values import Leak
from privcheck.results._certificate import UNDER_GUARD, Certificate
from privcheck.results._primitive_use import PrimitiveUse
from privcheck.results._replay_result import Divergence, ReplayResult
from privcheck.results._unreached_line import UnreachedLine
from privcheck.serialise import ILL_TYPED, array, check_fields, from_json, number, well_typed

EXPECTED = "what Certificate.to_json wrote"
OLDER_COVERAGE = {"all-executions": UNDER_GUARD}
"""What schema version 1 called it, and its name since."""

NOTIONS: dict[tuple[str, ...], Any] = {
    ("epsilon",): Pure,
    ("delta", "epsilon"): Approximate,
    ("rho",): Concentrated,
    ("mu",): GaussianDP,
}
"""The notions of a budget, by the names of their numbers."""

NUMBERS = ("epsilon_claimed", "epsilon_upper", "ledger_epsilon", "rho_upper", "mu_upper", "ledger_rho", "ledger_mu")

Others = dict[str, dict[str, Any]]
"""The numbers of charges that their epsilons do not imply, by datum."""

PAIR = re.compile(r"\((-?\d+), (-?\d+)\)")


def certificate_from_json(text: str) -> Certificate:
    """Return the certificate whose `to_json` gave this text.

    Examples
    --------
    >>> from privcheck.results._example_results import GRANTED
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
            "coverage": OLDER_COVERAGE.get(content["coverage"], content["coverage"]),
            "rewards": tuple(map(number, content["rewards"])),
            "ledger": _ledger(**content["ledger"]),
            "replay": _replay(content["replay"]),
            "leaks": [Leak(**leak | {"data": tuple(_identity(d) for d in leak["data"])}) for leak in content["leaks"]],
            "unreached": [UnreachedLine(**line) for line in content.get("unreached", [])],
            "mechanisms": [MechanismCode(**code) for code in content.get("mechanisms", [])],
            "primitive_uses": [_use(**use) for use in content.get("primitive_uses", [])],
            "contexts": None if contexts is None else Contexts(**contexts | {"shape": tuple(contexts["shape"])}),
            "budget": _budget(content.get("budget")),
        }
        numbers = {name: number(content[name]) for name in NUMBERS if name in content}
        return _coherent(well_typed(Certificate(**content | numbers | parts)), parts["budget"])
    except ILL_TYPED as error:
        raise PrivcheckError("text", words(f"fields of the wrong type: {error}"), EXPECTED) from None


def _budget(content: Any) -> Notion | None:
    """Return the notion with these numbers.

    >>> _budget({"epsilon": 1.0, "delta": 1e-6})
    Approximate(epsilon=1.0, delta=1e-06)
    """
    if content is None:
        return None
    budget: Notion = NOTIONS[tuple(sorted(content))](**content)
    return budget


def _coherent(found: Certificate, stated: Notion | None) -> Certificate:
    """Refuse a certificate that says "granted" and also why it is not, or one with two different budgets."""
    if stated not in (None, found.budget) or (found.epsilon_claimed is not None and _in_other_terms(found.budget)):
        raise ValueError(f"budget is {stated}")
    found_out = (
        found.leaks or found.refusals or found.unreached or found.replay.divergences or found.coverage != UNDER_GUARD
    )
    if found.coverage not in (UNDER_GUARD, "explored"):
        raise ValueError(f"coverage is {found.coverage[:40]!r}")
    if found.granted and (found_out or found.coverage != UNDER_GUARD or found.upper is None):
        raise ValueError("granted is True, but what was found contradicts it")
    if found.granted and found.upper != found.budget:
        raise ValueError(f"granted is {found.upper}, but the budget is {found.budget}")
    return found


def _in_other_terms(budget: Notion | None) -> bool:
    return isinstance(budget, Concentrated | GaussianDP)


def _ledger(
    *, releases: list[dict[str, Any]], totals: dict[str, Any], other_totals: Others | None = None, **others: Any
) -> Ledger:
    paid = _charges(totals, other_totals)
    return Ledger(releases=[_release(**release) for release in releases], paid=paid, **others)


def _release(
    *, sensitivities: dict[str, Any], losses: dict[str, Any], other_losses: Others | None = None, **others: Any
) -> Release:
    charges = _charges(losses, other_losses)
    return Release(sensitivities=_by_datum(sensitivities), charges=charges, **others)


def _charges(losses: dict[str, Any], others: Others | None) -> dict[Hashable, Charge]:
    """Return the charges with these epsilons, and with the other numbers that they do not imply."""
    beside = {_datum(name): numbers for name, numbers in (others or {}).items()}
    found = {}
    for datum, loss in _by_datum(losses).items():
        numbers = {name: Budget().normalise(number(value)) for name, value in beside.pop(datum, {}).items()}
        found[datum] = Charge.total(Budget().normalise(loss), **numbers)
    if beside:
        raise ValueError("other losses of data without a loss")
    return found


def _replay(content: dict[str, Any]) -> ReplayResult:
    found = content["first_divergence"]
    if found is not None:
        tables = {name: array(found[name]) for name in ("first", "second")}
        actions = {name: tuple(found[name]) for name in ("actions_first", "actions_second")}
        found = Divergence(**found | tables | actions)
    return ReplayResult(**content | {"largest_loss": number(content["largest_loss"]), "first_divergence": found})


def _use(**use: Any) -> PrimitiveUse:
    measures = ("declared", "measured", "excess", "epsilon")
    return PrimitiveUse(**use | {name: None if use[name] is None else number(use[name]) for name in measures})


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
