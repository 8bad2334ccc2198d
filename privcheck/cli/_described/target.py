"""The target of an audit as the command line names it: a place or an id, a command, a URL, another interpreter."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from privcheck.cli._declared_options import said
from privcheck.declared import Declared, Switch
from privcheck.errors import PrivcheckError, words
from privcheck.targets import option

if TYPE_CHECKING:
    from rich.console import RenderableType

ELSEWHERE = "Played by another program"
"""Heading of the help."""


@dataclass(frozen=True)
class TargetOptions(Declared):
    """What names a target that another program plays."""

    command: str | None = said(
        "Play this command in place of TARGET: one JSON object on each line in, and one out.",
        ELSEWHERE,
        value="COMMAND",
    )
    url: str | None = said(
        "Play this service in place of TARGET: every message is a POST of JSON.", ELSEWHERE, value="URL"
    )
    python: str | None = said("Play TARGET with this Python interpreter.", ELSEWHERE, value="PATH")
    timeout: float | None = said(
        "Seconds within which each reply must come; 10 by default.", ELSEWHERE, value="SECONDS", read_as="number"
    )
    mechanism: bool = option(
        Switch(),
        doc="The command or service is a one-shot mechanism, which answers 'call'.",
        heading=ELSEWHERE,
        default=False,
    )


def named_target(
    target: str | None, command: str | None, url: str | None, python: str | None, timeout: float | None, mechanism: bool
) -> Any:
    """Return the target as `privcheck.audit` takes it, or raise `PrivcheckError` about options that contradict.

    >>> named_target(None, "./bandit --fast", None, None, None, False)
    from_command(['./bandit', '--fast'])
    """
    from privcheck.targets import from_command, from_python, from_url

    given = {"target": target, "--command": command, "--url": url}
    named = [name for name, value in given.items() if value is not None]
    if len(named) != 1:
        got, hint = words(" and ".join(named) or "none"), "as in my_bandit.py:MyBandit"
        if target is not None and command is not None:
            got = words(f"target and --command: {target!r} and {command!r}")
            quoted = shlex.quote(f"{command} {target}")
            hint = f"put a command of several words into quotation marks: --command {quoted}"
        raise PrivcheckError("target", got, "one of a target, --command and --url", hint)
    elsewhere = named[0] != "target"
    if python is not None and elsewhere:
        got = words(f"{python!r} with {named[0]}")
        raise PrivcheckError("python", got, "a target in a Python file", "leave --python out")
    if mechanism and not elsewhere:
        hint = "what a function in Python is shows in its parameters: leave --mechanism out"
        raise PrivcheckError("mechanism", True, "--command or --url", hint)
    if timeout is not None and not elsewhere and python is None:
        hint = "for code in this process there is --time-limit, in seconds per run"
        raise PrivcheckError("timeout", timeout, "a target that another program plays", hint)
    options: dict[str, Any] = {} if timeout is None else {"timeout": timeout}
    if command is not None:
        return from_command(command, mechanism=mechanism, **options)
    if url is not None:
        return from_url(url, mechanism=mechanism, **options)
    assert target is not None
    return target if python is None else from_python(python, target, **options)


def with_file(shown: RenderableType, target: str | None) -> RenderableType:
    """Return what is shown of a target, with the file that it comes from where a module was named."""
    from rich.console import Group
    from rich.text import Text

    said = file_of(target)
    return Group(shown, Text(f"The code that was played: {said}", overflow="fold")) if said else shown


def file_of(target: str | None) -> str:
    """Return which file a target of a module comes from, in a sentence: a checkout, or what is installed of it.

    >>> file_of("my_bandit.py:MyBandit"), file_of("json:dumps").startswith("json is ")
    ('', True)
    """
    module = str(target).rpartition(":")[0]
    file = getattr(sys.modules.get(module), "__file__", None)
    return f"{module} is {file}" if file else ""
