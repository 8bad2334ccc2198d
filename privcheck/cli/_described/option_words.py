"""What an error says, with options as the command line spells them."""

from __future__ import annotations

import re

from privcheck.errors import PrivcheckError

RENAMED = {"version": "code-version"}
"""Options that the command line calls otherwise."""

OPTION = re.compile(
    r"(?<![\w.(])(?<!--with )([a-z]+(?:_[a-z]+)*)=(?:'([^']*)'|\"([^\"]*)\"|(-?[\d.]+(?:e-?\d+)?)\b|(?=[ ,;.)]|$))"
)
"""A keyword argument with a value, or without one; after --with it stands as it is."""

CALL = re.compile(r"[\w.]+\((?:[^()]|\([^()]*\))*\)|--accountants \S+")
"""A call in Python, or an option of names and numbers, whose arguments stand as they are."""

CONTEXTS = re.compile(r"\bcontexts=privcheck\.Contexts\(shape=\((?P<shape>[^()]*)\)(?:, norm=(?P<norm>[\d.]+))?\)")
"""A description of contexts, which has options of its own."""

CLIPPED = 'as in Gaussian(means, outside="clip")', "with --environment gaussian --with outside=clip"
"""An environment in Python, and on the command line."""

BOTH = re.compile(r"(--[a-z-]+) [-\w.]+, or (?=\1\b)")
"""An option that follows from a keyword argument, beside the same one spelled out."""

PLAY_COMMANDS = "it reads Python code, while `privcheck audit` and `privcheck watch` play commands and services"
"""What is said where --command or --url is given to another command."""


def in_options(error: PrivcheckError) -> PrivcheckError:
    """Return the error with its parameter named, and the keyword arguments of its hint spelled, as options are.

    >>> error = PrivcheckError("version", None, "a name", "name it with version='2', or randomness='independent'")
    >>> print(in_options(error))
    code-version: got None, expected a name; name it with --code-version 2, or --randomness independent
    >>> print(in_options(PrivcheckError("arms", None, "a number", "give arms=2, or --arms 2")))
    arms: got None, expected a number; give --arms 2
    >>> hint = "declare one: privcheck.primitive('library.function', value=0)"
    >>> str(in_options(PrivcheckError("primitives", "x", "a set", hint))).endswith(hint)
    True
    >>> hint = "as in --accountants gdp=0.5,zcdp=0.5"
    >>> str(in_options(PrivcheckError("accountants", "gdp", "shares", hint))).endswith(hint)
    True
    >>> hint = "give contexts=privcheck.Contexts(shape=(2, 3), norm=1.0)"
    >>> print(in_options(PrivcheckError("contexts", None, "some", hint)))
    contexts: got None, expected some; give --contexts 2,3 --context-norm 1
    """
    hint, parts, end = CONTEXTS.sub(_contexts, error.hint.replace(*CLIPPED)), list[str](), 0
    for call in CALL.finditer(hint):
        parts += [OPTION.sub(_option, hint[end : call.start()]), call.group()]
        end = call.end()
    hint = BOTH.sub("", "".join([*parts, OPTION.sub(_option, hint[end:])]))
    name = RENAMED.get(error.parameter, error.parameter)
    same = (name, hint) == (error.parameter, error.hint)
    return error if same else type(error)(name, error.value, error.expected, hint)


def _contexts(found: re.Match[str]) -> str:
    shape = found["shape"].replace(" ", "").rstrip(",")
    return f"--contexts {shape}" + (f" --context-norm {found['norm'].removesuffix('.0')}" if found["norm"] else "")


def _option(found: re.Match[str]) -> str:
    name, *values = found.groups()
    value = next((value for value in values if value), "")
    flag = f"--{RENAMED.get(name, name).replace('_', '-')}"
    if " " in value:
        value = f"'{value}'"
    return f"{flag} {value}" if value else flag
