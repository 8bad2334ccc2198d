"""Calibration of mechanisms: the least noise with which a number of releases stays within a budget."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING
from typing import Any, TypeVar

from privcheck.accounting import ONE_NOTION, BudgetFilter, amount_in_words, budget_of, has_room, largest, taking_part
from privcheck.declared import POSITIVE, Integer, check, declared_fields
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms.base import UNSTATED, Mechanism
from privcheck.mechanisms.planned import charge_with_pairs

M = TypeVar("M", bound=Mechanism)

BUDGETS = ("epsilon", "mu", "rho")
"""Parameters that hold the budget of a mechanism; the first that it declares is searched for."""

NO_ROOM = 1e-140
"""What is found below it is not a noise level but the end of the search."""


def calibrated(
    cls: type[M],
    budget: Mapping[str, float | None],
    sensitivity: float,
    releases: int,
    accountants: Mapping[str, float] | None,
    parameters: Mapping[str, Any],
) -> M:
    """Return the mechanism of a class that `Mechanism.calibrate` describes.

    >>> from privcheck.mechanisms import Laplace
    >>> calibrated(Laplace, {"epsilon": 1.0}, 2.0, 4, None, {})
    Laplace(sensitivity=2.0, epsilon=0.25, given_scale=None)
    """
    others = dict(parameters) if sensitivity is UNSTATED else dict(parameters) | {"sensitivity": sensitivity}
    asked = budget_of(**budget)
    if asked is None:
        example = "epsilon=1" if cls.notion == "pure" else "epsilon=1, delta=1e-06"
        raise PrivcheckError("budget", words("nothing"), ONE_NOTION, f"for example {cls.__name__}.calibrate({example})")
    filtered = BudgetFilter(asked, accountants)
    moved = take_sensitivity(cls, others)
    releases = check("releases", releases, Integer(1, 2**53), "how often the mechanism is released")
    declared = {field.name: field for field in declared_fields(cls)}
    name = next((name for name in BUDGETS if name in declared), None)
    if name is None:
        raise PrivcheckError(
            "mechanism", words(cls.id), "one with a budget among its parameters", "set its noise yourself"
        )
    known = set(declared) - {name, cls.sensitivity_name, "given_scale"}
    check_parameters(cls, known, others, f"{cls.__name__}.calibrate finds the noise")
    given = {cls.sensitivity_name: moved} if cls.sensitivity_name in declared else {}

    def build(amount: float) -> M:
        return cls(**{name: amount}, **given, **others)

    def fits(amount: float) -> bool:
        try:
            return has_room(filtered, charge_with_pairs(build(amount), moved), releases)
        except PrivcheckError:  # beyond the domain of the parameter
            return False

    charge = charge_with_pairs(build(1.0), moved)  # what is wrong with other parameters is said here
    found = largest(fits)
    if found > NO_ROOM:
        return build(found)
    bounded = " and ".join(one for one in ("epsilon", "rho", "mu") if getattr(charge, one) < math.inf)
    got = words(f"{amount_in_words(asked)} for {cls.id}, whose noise bounds {bounded}")
    hint = (
        "it is too small for the floating-point numbers of the noise, or leaves no delta for what the charge sets aside"
    )
    if not any(by.needs(charge) < math.inf and by.limit(asked, share) > 0.0 for by, share in taking_part(filtered)):
        hint = "give delta with epsilon, and a share of it to an accountant such as gdp, or give rho or mu"
    raise PrivcheckError("budget", got, "a budget that some noise can keep", hint)


def take_sensitivity(cls: type[Mechanism], given: dict[str, Any]) -> float:
    """Take the sensitivity of one datum out of what was given by name: 1 by default, but no range has a default.

    >>> from privcheck.mechanisms import Laplace, NoisyMax
    >>> given = {"score_range": 2.0, "noise": "gumbel"}
    >>> take_sensitivity(NoisyMax, given), given, take_sensitivity(Laplace, {})
    (2.0, {'noise': 'gumbel'}, 1.0)
    """
    name = cls.sensitivity_name
    if name != "sensitivity" and "sensitivity" in given:
        expected = f"no such parameter of {cls.id}, which takes {name} in its place"
        raise PrivcheckError("sensitivity", given["sensitivity"], expected, cls.hint_for_unknown("sensitivity"))
    if name != "sensitivity" and name not in given:
        raise PrivcheckError(name, words("nothing"), POSITIVE.text, cls.hint_for_unknown("sensitivity"))
    return float(check(name, given.pop(name, UNSTATED), POSITIVE, "of one datum, in the norm of the mechanism"))


def check_parameters(cls: type[Mechanism], known: set[str], parameters: Mapping[str, Any], hint: str) -> None:
    """Refuse unknown parameters of a mechanism and missing ones, by name.

    >>> from privcheck.mechanisms import BinaryTree
    >>> check_parameters(BinaryTree, {"horizon"}, {"horizon": 4}, "")
    """
    for name, value in parameters.items():
        if name not in known:
            expected = f"only the parameters {', '.join(sorted(known))}" if known else "no further parameters"
            raise PrivcheckError(name, value, expected, hint)
    for field in declared_fields(cls):
        if field.name in known - set(parameters) and field.default is MISSING:
            raise PrivcheckError(field.name, words("nothing"), field.metadata["domain"].text, field.metadata["doc"])
