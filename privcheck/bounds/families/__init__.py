"""Families of reward laws, one concept per file: divergences, and the distance to the better laws of the family."""

from __future__ import annotations

from typing import Any

from privcheck.bounds.families.base import Family, MeanFamily
from privcheck.bounds.families.bernoulli import Bernoulli, TwoPoint
from privcheck.bounds.families.bounded import Bounded, Finite
from privcheck.bounds.families.exponential import Exponential
from privcheck.bounds.families.gaussian import Gaussian
from privcheck.bounds.families.poisson import Poisson
from privcheck.declared import Choice, check
from privcheck.errors import PrivcheckError

__all__ = [
    "FAMILIES", "FAMILY_IDS", "Bernoulli", "Bounded", "Exponential", "Family", "Finite", "Gaussian", "MeanFamily",
    "Poisson", "TwoPoint", "family",
]  # fmt: skip

FAMILIES: dict[str, type[Family]] = {
    known.id: known for known in (Bernoulli, TwoPoint, Gaussian, Exponential, Poisson, Finite, Bounded)
}
"""The families of rewards by id."""
FAMILY_IDS = Choice(tuple(FAMILIES))
"""Their ids, as the domain of a parameter."""


def family(name: str, **parameters: Any) -> Family:
    """Return a family by its id.

    Parameters
    ----------
    name : one of "bernoulli", "two-point", "gaussian", "exponential", "poisson", "finite", "bounded".
    parameters : `variance` of "gaussian", `support` of "finite".

    Raises
    ------
    PrivcheckError : an unknown id, or parameters that are not the family's.

    Examples
    --------
    >>> family("gaussian", variance=4.0).kl(0.0, 2.0)
    0.5
    """
    check("family", name, FAMILY_IDS)
    try:
        return FAMILIES[name](**parameters)
    except TypeError:
        raise PrivcheckError("family", name, f"a family with the parameters {', '.join(parameters)}") from None
