"""The environment of `privcheck simulate` and `privcheck frontier`, from its options."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privcheck.cli._declared_options import said
from privcheck.cli._options import numbers
from privcheck.declared import Declared
from privcheck.errors import PrivcheckError
from privcheck.targets import PLAYED, like

LOGGED = "Logged feedback"
"""Heading of the help."""


@dataclass(frozen=True)
class EnvironmentOptions(Declared):
    """What describes an environment on the command line."""

    means: str | None = said("Mean reward of each arm, separated by commas: 0.75,0.5.", PLAYED, value="NUMBERS")
    environment: str | None = said(
        "A named environment, such as c2, or a family of arms, such as beta.", PLAYED, value="NAME"
    )
    settings: tuple[str, ...] | None = said(
        "A parameter of --environment: concentration=4.", PLAYED, value="NAME=VALUE", flag="--with", read_as="texts"
    )
    log: str | None = said(
        "A CSV file of logged feedback to resample, or a .csv or .npz file of logged contexts.",
        LOGGED,
        value="FILE.csv",
    )
    action: str | None = said("Column of the log with the arm that was played.", LOGGED, value="COLUMN")
    reward: str | None = said("Column of the log with the reward.", LOGGED, value="COLUMN")
    propensity: str | None = said("Column of the log with the probability of that arm.", LOGGED, value="COLUMN")
    reward_range: str | None = said("Lowest and highest possible reward in the log: 0,5.", LOGGED, value="LOW,HIGH")

    def made(self) -> Any:
        """Return the environment."""
        columns = {name: getattr(self, name) for name in ("action", "reward", "propensity", "reward_range")}
        return described_environment(self.means, self.environment, list(self.settings or ()), self.log, columns)


@dataclass(frozen=True)
class ArmsOptions(EnvironmentOptions):
    """What describes an environment with arms."""

    log: str | None = like(EnvironmentOptions, "log", doc="A CSV file of logged feedback to resample.")


def described_environment(
    means: str | None, name: str | None, settings: list[str], log: str | None, columns: dict[str, str | None]
) -> Any:
    """Return an environment from Bernoulli means, a name with its parameters, or a log with its columns.

    Parameters
    ----------
    means : numbers separated by commas; for Bernoulli arms unless a name is given.
    name : id of an environment.
    settings : "parameter=value" for each other parameter of a named environment, or of logged contexts.
    log : a CSV file of logged feedback, or a .csv or .npz file of logged contexts.
    columns : "action", "reward", "propensity" and "reward_range" of the log.

    Raises
    ------
    PrivcheckError : no source of rewards or more than one, an unknown parameter, a log without its columns.

    Examples
    --------
    >>> described_environment("0.75,0.5", "beta", ["concentration=3"], None, {})
    Beta(means=(0.75, 0.5), concentration=3.0)
    """
    from privcheck.environments import environment

    given = {key: value for key, value in columns.items() if value is not None}
    if log is not None:
        if means is not None or name is not None or (settings and given):
            raise PrivcheckError("environment", log, "one source of rewards", "a log defines its own arms and rewards")
        return _from_log(log, given) if given or not _holds_contexts(log) else _from_contexts(log, settings)
    if given:
        raise PrivcheckError(next(iter(given)), next(iter(given.values())), "a log", "give --log clicks.csv")
    if name is None:
        if means is None or settings:
            hint = "give --means 0.75,0.5, --environment c2 or --log clicks.csv"
            raise PrivcheckError("environment", None, "means or a named environment", hint)
        return environment(numbers(means, "means"))
    if means is None and not settings:
        return environment(name)
    return _with_parameters(name, means, settings)


def _with_parameters(name: str, means: str | None, settings: list[str]) -> Any:
    from privcheck.environments import ENVIRONMENTS

    cls: Any = ENVIRONMENTS[name]
    known = {declared.name: declared for declared in _parameters(cls)}
    texts = dict(_split(setting) for setting in settings) | ({"means": means} if means is not None else {})
    if not known:
        got = f"{name} with {' and '.join(texts)}"
        raise PrivcheckError(
            "environment", got, "a family of arms, or a named instance without parameters", f"{name} has fixed means"
        )
    for key, text in texts.items():
        if key not in known:
            hint = f"the parameters of {name} are {', '.join(known)}"
            if key == "means":
                hint += f": give --with {next(iter(known))}={text} in place of --means"
            raise PrivcheckError(key, text, f"a parameter of {name}", hint)
    for key, declared in known.items():
        if key not in texts and declared.default.__class__.__name__ == "_MISSING_TYPE":
            raise PrivcheckError(key, None, declared.metadata["domain"].text, f"{name} needs --with {key}=...")
    return cls(**{key: _value(key, text) for key, text in texts.items()})


def _parameters(cls: Any) -> list[Any]:
    from privcheck.declared import declared_fields

    return [declared for declared in declared_fields(cls) if declared.init]


def _split(setting: str) -> tuple[str, str]:
    key, equals, text = setting.partition("=")
    if not equals:
        raise PrivcheckError("with", setting, "parameter=value", "as in --with concentration=4")
    return key.strip(), text.strip()


def _value(key: str, text: str) -> Any:
    """Read rows separated by semicolons, numbers separated by commas, one number, or a word.

    >>> _value("weights", "0,1; 0.5,0.5"), _value("means", "0.5,0.4"), _value("low", "0.2"), _value("outside", "clip")
    (((0.0, 1.0), (0.5, 0.5)), (0.5, 0.4), 0.2, 'clip')
    """
    if ";" in text:
        return tuple(numbers(row, key) for row in text.split(";"))
    if "," in text or key == "means":
        return numbers(text, key)
    try:
        return float(text)
    except ValueError:
        return text


def _from_log(log: str, given: dict[str, str]) -> Any:
    from privcheck.environments import Replay

    for column in ("action", "reward"):
        if column not in given:
            found = f"; the file has {', '.join(names)}" if (names := _columns(log)) else ""
            raise PrivcheckError(
                column, None, f"the column of the {column} in {log}", f"name it with --{column}{found}"
            )
    values: dict[str, Any] = dict(given)
    if "reward_range" in values:
        values["reward_range"] = numbers(values["reward_range"], "reward_range")
    return Replay.from_csv(log, **values)


def _holds_contexts(log: str) -> bool:
    """Tell whether a log has contexts: an .npz file, or a CSV file with a column reward_0."""
    return log.endswith(".npz") or "reward_0" in _columns(log)


def _columns(log: str) -> list[str]:
    """Return the names in the first line of a CSV file; none if it cannot be read."""
    try:
        with Path(log).open(encoding="utf-8-sig") as file:
            return [name for name in file.readline().replace('"', "").strip().split(",") if name]
    except (OSError, UnicodeDecodeError):
        return []


def _from_contexts(log: str, settings: list[str]) -> Any:
    from privcheck.environments import LoggedContexts

    options = dict(_split(setting) for setting in settings)
    if unknown := sorted(set(options) - {"order"}):
        raise PrivcheckError(unknown[0], options[unknown[0]], "a parameter of logged contexts", "the only one is order")
    read = LoggedContexts.from_npz if log.endswith(".npz") else LoggedContexts.from_csv
    return read(log, **options)
