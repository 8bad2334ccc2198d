"""Environments as a TOML file describes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from privcheck.environments import ENVIRONMENTS, Environment, LoggedContexts, Replay, environment
from privcheck.errors import PrivcheckError

LOGS = ("log", "contexts")


def made(description: Any) -> Environment:
    """Return the environment of a description.

    Parameters
    ----------
    description : the id of a named instance; a list of Bernoulli means; {"id": ..., other parameters}; {"log":
        FILE.csv, "action": column, "reward": column}, with the arguments of `Replay.from_csv`; or {"contexts": FILE}, a
        .csv or .npz file of logged contexts.

    Raises
    ------
    PrivcheckError : another description, or parameters that the environment does not take.

    Examples
    --------
    >>> made({"id": "beta", "means": [0.75, 0.5], "concentration": 4})
    Beta(means=(0.75, 0.5), concentration=4.0)
    """
    if not isinstance(description, dict):
        if not isinstance(description, str | list):
            hint = 'as in ["c2", [0.75, 0.5], {id = "beta", means = [0.75, 0.5]}]'
            raise PrivcheckError("environments", description, "ids, lists of means or tables", hint)
        return environment(description)
    given = {name: _frozen(value) for name, value in description.items()}
    kind = [name for name in ("id", *LOGS) if name in given]
    if len(kind) != 1 or not isinstance(given[kind[0]], str):
        raise PrivcheckError("environments", description, "a table with one of id, log and contexts", "each is a text")
    first = given.pop(kind[0])
    try:
        if kind[0] == "id":
            return ENVIRONMENTS[first](**given)
        if kind[0] == "log":
            return Replay.from_csv(first, **given)
        return (LoggedContexts.from_npz if first.endswith(".npz") else LoggedContexts.from_csv)(first, **given)
    except TypeError as error:
        raise PrivcheckError("environments", description, "parameters of this environment", str(error)) from None


def files_of(description: Any) -> list[str]:
    """Return the data files of a description."""
    found = [description[name] for name in LOGS if name in description] if isinstance(description, dict) else []
    return [str(Path(file)) for file in found]


def label(description: Any) -> str | None:
    """Return a description in one line; None for none.

    >>> label([0.75, 0.5]), label({"id": "beta", "means": [0.75, 0.5], "concentration": 4})
    ('0.75,0.5', 'beta(means=0.75,0.5, concentration=4)')
    """
    if isinstance(description, list):
        return ",".join(map(str, description))
    if isinstance(description, dict):
        rest = dict(description)
        name = rest.pop(next(key for key in ("id", *LOGS) if key in rest))
        shown = ", ".join(f"{key}={label(value) if isinstance(value, list) else value}" for key, value in rest.items())
        return f"{name}({shown})" if shown else str(name)
    return None if description is None else str(description)


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
