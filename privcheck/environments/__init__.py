"""The environments: reward models, and the instances that the papers experiment on."""

from __future__ import annotations

from typing import Any

from privcheck.environments.base import ENVIRONMENTS, Environment
from privcheck.environments.bernoulli import Bernoulli
from privcheck.errors import PrivcheckError

__all__ = ["ENVIRONMENTS", "Bernoulli", "Environment", "environment"]


def environment(description: Any) -> Environment:
    """Return an environment from the id of a named instance, a sequence of Bernoulli means, or an environment.

    Parameters
    ----------
    description : one of `ENVIRONMENTS`, such as "c2"; means in [0, 1], shape (K,); or an `Environment`, returned as is.

    Raises
    ------
    PrivcheckError : an unknown id, or means that are not a list of at least two numbers in [0, 1].

    Examples
    --------
    >>> environment("hhmh-setting2").means
    (0.5, 0.4, 0.4, 0.4, 0.4)
    >>> environment([0.75, 0.5])
    Bernoulli(means=(0.75, 0.5))
    """
    if isinstance(description, Environment):
        return description
    if not isinstance(description, str):
        return Bernoulli(description)
    found = ENVIRONMENTS[description]
    if found is Bernoulli:
        hint = "give the means themselves, for example (0.75, 0.5)"
        raise PrivcheckError("environment", description, "a named instance or a list of means", hint)
    return found()
