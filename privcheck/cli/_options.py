"""Options that several commands share, and their parsing."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privcheck.errors import PrivcheckError

if TYPE_CHECKING:
    from privcheck.privacy import Contexts


def number(parameter: str, help_text: str, value: str = "NUMBER") -> Any:
    """Return a numeric option whose error names the option and the value that was given."""

    def parse(text: str) -> float:
        try:
            return float(text)
        except ValueError:
            raise PrivcheckError(parameter, text, "a number", f"as in --{parameter.replace('_', '-')} 1") from None

    return typer.Option(parser=parse, metavar=value, help=help_text)


def whole(parameter: str, help_text: str) -> Any:
    """Return an option for a whole number, also written like 1e6."""

    def parse(text: str) -> int:
        try:
            return int(text)
        except ValueError:
            with suppress(ValueError):
                if float(text).is_integer():
                    return int(float(text))
        raise PrivcheckError(parameter, text, "a whole number", f"as in --{parameter.replace('_', '-')} 10")

    return typer.Option(parser=parse, metavar="INTEGER", help=help_text)


Policies = Annotated[
    list[str],
    typer.Argument(
        help="Shipped ids, such as adap-ucb, or your own policies, my_bandit.py:MyBandit; LABEL=POLICY gives a label."
    ),
]
Json = Annotated[
    str | None, typer.Option("--json", help="Write the result as JSON to this file, or to standard output with '-'.")
]
Jobs = Annotated[int, whole("jobs", "Number of workers; the results do not depend on it.")]


def numbers(text: str, parameter: str, hint: str = "as in 0.75,0.5") -> tuple[float, ...]:
    """Read numbers separated by commas.

    >>> numbers("0.75, 0.5", "means")
    (0.75, 0.5)
    """
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise PrivcheckError(parameter, text, "numbers separated by commas", hint) from None


def reward_range(text: str) -> tuple[float, float]:
    """Read the lowest and the highest reward.

    >>> reward_range("0,1")
    (0.0, 1.0)
    """
    hint = "as in --rewards 0,1"
    pair = numbers(text, "rewards", hint)
    if len(pair) != 2:
        raise PrivcheckError("rewards", text, "the lowest and the highest reward", hint)
    return pair


def shares(text: str) -> dict[str, float]:
    """Read shares of delta by accountant.

    >>> shares("gdp=0.5,zcdp=0.5")
    {'gdp': 0.5, 'zcdp': 0.5}
    """
    found: dict[str, float] = {}
    for part in text.split(","):
        name, _, share = (piece.strip() for piece in part.partition("="))
        if name in found:
            raise PrivcheckError("accountants", text, f"one share of {name}", "each accountant is named once")
        try:
            found[name] = float(share)
        except ValueError:
            expected = "accountants with their shares of delta"
            raise PrivcheckError("accountants", text, expected, "as in --accountants gdp=0.5,zcdp=0.5") from None
    return found


def names(text: str) -> list[str]:
    """Read a list of names.

    >>> names("numpy, opendp")
    ['numpy', 'opendp']
    """
    return [part.strip() for part in text.split(",")]


def corners(text: str) -> list[tuple[float, float]]:
    """Read the corners of a trade-off curve: type I and type II errors.

    >>> corners("0:1,0.2:0.4,1:0")
    [(0.0, 1.0), (0.2, 0.4), (1.0, 0.0)]
    """
    try:
        return [(float(a), float(b)) for a, b in (part.split(":") for part in text.split(","))]
    except ValueError:
        expected = "pairs of type I and type II errors"
        raise PrivcheckError("tradeoff", text, expected, "as in --tradeoff 0:1,0.2:0.4,1:0") from None


def context_space(text: str | None, norm: float | None) -> Contexts | None:
    """Read the shape of contexts: "3" is one vector of length 3, "2,3" one row of 3 features for each of 2 arms.

    >>> context_space("2,3", 1.0).shape, context_space(None, None)
    ((2, 3), None)
    """
    if text is None:
        return None
    from privcheck.privacy import Contexts

    shape = tuple(numbers(text, "contexts"))
    if not all(float(length).is_integer() for length in shape):
        raise PrivcheckError("contexts", text, "one or two whole numbers", "as in --contexts 3, or --contexts 2,3")
    return Contexts(tuple(int(length) for length in shape), norm=norm)


def check_html(path: str | None) -> None:
    """Refuse a path for a page before any work is done."""
    if path is not None:
        from privcheck.files import check_output

        check_output(path, "html", (".html", ".htm"))


def check_json(path: str | None) -> None:
    """Refuse a path for JSON before any work is done."""
    if path not in (None, "-"):
        from privcheck.files import check_output

        check_output(str(path), "json", (".json",))
