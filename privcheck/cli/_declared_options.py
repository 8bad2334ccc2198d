"""The options of a command, from declarations: those of a function's settings, and descriptions of what it is given."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import Field
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from privcheck.cli._options import corners, names, number, reward_range, shares, whole
from privcheck.declared import Declared, Integer, OrNone, Real, Switch, declared_fields
from privcheck.targets import Checked, Unlimited, as_given, option

Command = TypeVar("Command", bound=Callable[..., int])
D = TypeVar("D", bound=Declared)

OUTPUT = "Output"
"""Heading of what comes out of a command, and of the files that it writes."""

AS_GIVEN = Checked("as it was given", as_given)
"""The domain of what describes an object on the command line: the object checks it."""

READERS: dict[str, Callable[[str], Any]] = {
    "rewards": reward_range,
    "streams": Path,
    "accountants": shares,
    "tradeoff": corners,
    "primitives": names,
    "neighbours": as_given,  # a text would not tell whether it was given
}
"""How the text of an option is read, where that takes more than its declaration says."""

LISTS = tuple(name for name, reader in READERS.items() if reader in (shares, names))
"""Options that take several entries, with commas between them."""


def said(doc: str, heading: str, *, value: str = "", flag: str = "", read_as: str = "text") -> Any:
    """Declare an option by which the command line describes an object of Python, with others of its class."""
    return option(AS_GIVEN, doc=doc, heading=heading, value=value, flag=flag, read_as=read_as)


def described(options: Sequence[Field[Any]], **by: type[Declared]) -> list[Field[Any]]:
    """Return the options of a command, for those of a function.

    Parameters
    ----------
    options : the declarations of the function.
    by : for options whose values are objects, the class that declares what describes these on the command line.
    """
    found = [declared_fields(by[each.name]) if each.name in by else [each] for each in options]
    return [each for several in found for each in several]


def declared_options(declared: Sequence[Field[Any]]) -> Callable[[Command], Command]:
    """Return a decorator that gives a command the declared options; it is called with them as keywords."""

    def decorate(command: Command) -> Command:
        written = inspect.signature(command, eval_str=True)
        own = [p for p in written.parameters.values() if p.kind is not p.VAR_KEYWORD]
        command.__signature__ = written.replace(  # type: ignore[attr-defined]
            parameters=[*own, *map(_parameter, declared)]
        )
        return command

    return decorate


def taken(options: dict[str, Any], by: type[D]) -> D:
    """Return what describes an object, and take it out of the options of a command."""
    return by(**{each.name: options.pop(each.name) for each in declared_fields(by)})


def _parameter(declared: Field[Any]) -> inspect.Parameter:
    kind, described_as = _option(declared)
    default = declared.default
    if kind is str and isinstance(default, tuple):
        default = ",".join(f"{part:g}" for part in default)
    annotation = Annotated[kind | None if default is None else kind, described_as]  # type: ignore[valid-type]
    return inspect.Parameter(declared.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _option(declared: Field[Any]) -> tuple[Any, Any]:
    """Return the type of an option for typer, and its description."""
    name, text, value = declared.name, declared.metadata["doc"], declared.metadata["value"]
    flags = [flag] if (flag := declared.metadata["flag"]) else []
    read_as = declared.metadata["read_as"] or _read_as(declared.metadata["domain"])
    match read_as:
        case "switch":
            usual = f"--{name.replace('_', '-')}"
            both = f"{usual}/--no-{usual.removeprefix('--')}"
            return bool, typer.Option(*(flags or [both if declared.default else usual]), help=text)
        case "whole":
            return int, whole(name, text)
        case "number":
            return float, number(name, text, value or "NUMBER")
        case "texts":
            return list[str], typer.Option(*flags, metavar=value, help=text)
    return str, typer.Option(*flags, parser=READERS.get(name), metavar=value, help=text)


def _read_as(domain: Any) -> str:
    """Return how the values of a domain are read."""
    if isinstance(domain, OrNone | Unlimited):
        return _read_as(domain.inner)
    ways = {Switch: "switch", Integer: "whole", Real: "number"}
    return ways.get(type(domain), "text")
