"""Options that several commands share, and their parsing."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from privcheck.errors import PrivcheckError

Epsilon = Annotated[
    float | None, typer.Option(help="Privacy budget epsilon: the claim, and what algorithms are built with.")
]
Horizon = Annotated[float | None, typer.Option(help="Rounds T; 1e7 is fine.")]
Means = Annotated[str | None, typer.Option(help="Mean reward of each arm, separated by commas: 0.75,0.5.")]
Json = Annotated[
    str | None, typer.Option("--json", help="Write the result as JSON to this file, or to standard output for '-'.")
]
Jobs = Annotated[int, typer.Option(help="Workers; results do not depend on it.")]
Seed = Annotated[int, typer.Option(help="Root of all randomness.")]


def numbers(text: str, parameter: str) -> tuple[float, ...]:
    """Read numbers separated by commas.

    >>> numbers("0.75, 0.5", "means")
    (0.75, 0.5)
    """
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise PrivcheckError(parameter, text, "numbers separated by commas", "as in 0.75,0.5") from None


def check_json(path: str | None) -> None:
    """Refuse a path for JSON before any work is done."""
    if path not in (None, "-"):
        from privcheck.files import check_output

        check_output(str(path), "json", (".json",))


def write_json(path: str | None, text: str) -> bool:
    """Write JSON text where `--json` says; return whether it took standard output."""
    if path == "-":
        sys.stdout.write(text + "\n")
    elif path is not None:
        from privcheck.files import write_whole

        write_whole(path, text + "\n", "json")
    return path == "-"
