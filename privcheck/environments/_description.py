"""What describes an environment: an id, means, or an environment."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

from privcheck.environments._base import ENVIRONMENTS, Environment
from privcheck.environments._bernoulli import Bernoulli
from privcheck.errors import PrivcheckError, words


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
    if hasattr(description, "columns"):
        hint = "a log is one: privcheck.environments.Replay.from_frame(frame, action=..., reward=...)"
        raise PrivcheckError("environment", words("a data frame"), "an environment", hint)
    if not isinstance(description, str):
        if hasattr(description, "table"):
            got = words(f"an object of class {type(description).__name__}")
            hint = "derive its class from privcheck.environments.Environment"
            raise PrivcheckError("environment", got, "an environment", hint)
        return Bernoulli(description)
    found = ENVIRONMENTS[description]
    required = [f.name for f in fields(found) if f.init and f.default is MISSING]  # type: ignore[arg-type]
    if required:
        hint = f"build it with its {' and '.join(required)}, as in {found.__name__}(...), or give Bernoulli means"
        raise PrivcheckError("environment", description, "a named instance or a list of means", hint)
    return found()
