"""The options of `privcheck audit` and `privcheck certify`, from the declarations of their settings."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import Field
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from privcheck.cli._options import context_space, corners, names, number, reward_range, shares, whole
from privcheck.declared import Integer, OrNone, Real, Switch
from privcheck.targets import Settings

Command = TypeVar("Command", bound=Callable[..., int])

READERS: dict[str, Callable[[str], Any]] = {
    "rewards": reward_range,
    "streams": Path,
    "accountants": shares,
    "tradeoff": corners,
    "primitives": names,
}
"""How the text of an option is read, where that takes more than its domain says."""

ContextNorm = Annotated[float | None, number("context_norm", "Largest L2 norm of a context vector.")]
"""With `--contexts` it makes the `contexts` of Python."""


def declared_options(settings: type[Settings], *, leave_out: tuple[str, ...] = ()) -> Callable[[Command], Command]:
    """Return a decorator that gives a command the declared options; it is called with them as keywords.

    Parameters
    ----------
    settings : declares the options.
    leave_out : those that the command does not have.
    """

    def decorate(command: Command) -> Command:
        written = inspect.signature(command, eval_str=True)
        own = [p for p in written.parameters.values() if p.kind is not p.VAR_KEYWORD]
        declared = [_parameter(option) for option in settings.options() if option.name not in leave_out]
        command.__signature__ = written.replace(parameters=[*own, *declared])  # type: ignore[attr-defined]
        return command

    return decorate


def keywords(options: dict[str, Any], context_norm: float | None) -> dict[str, Any]:
    """Return the options as Python takes them: the shape of contexts and their norm are one option there."""
    return options | {"contexts": context_space(options["contexts"], context_norm)}


def _parameter(declared: Field[Any]) -> inspect.Parameter:
    kind, option = _option(declared)
    default = declared.default
    if kind is str and isinstance(default, tuple):
        default = ",".join(f"{part:g}" for part in default)
    annotation = Annotated[kind | None if default is None else kind, option]  # type: ignore[valid-type]
    return inspect.Parameter(declared.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _option(declared: Field[Any]) -> tuple[Any, Any]:
    """Return the type of an option for typer, and its description."""
    name, domain, text = declared.name, declared.metadata["domain"], declared.metadata["doc"]
    if isinstance(domain, OrNone):
        domain = domain.inner
    if isinstance(domain, Switch):
        return bool, typer.Option(f"--{name.replace('_', '-')}", help=text)
    if isinstance(domain, Integer):
        return int, whole(name, text)
    if isinstance(domain, Real):
        return float, number(name, text, declared.metadata["value"] or "NUMBER")
    return str, typer.Option(parser=READERS.get(name), metavar=declared.metadata["value"], help=text)
