"""`privcheck account`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from privcheck.cli._delivery import deliver
from privcheck.cli._options import Json, check_json, number

if TYPE_CHECKING:
    from privcheck.accounting import Account, Plan


def account(
    file: Annotated[str, typer.Argument(help="A TOML file with the releases and, unless given here, delta.")],
    delta: Annotated[float | None, number("delta", "Privacy parameter delta, instead of the plan's.")] = None,
    epsilon: Annotated[
        float | None, number("epsilon", "Ask for delta at this epsilon, instead of epsilon at delta.")
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(help="Draw epsilon against delta and against the number of releases, to this .png or .svg file."),
    ] = None,
    json: Json = None,
) -> int:
    """Add up the privacy loss of releases that are fixed beforehand, by every accountant, and say which is best.

        privcheck account plan.toml
        privcheck account plan.toml --delta 1e-8 --plot account.png
        privcheck account plan.toml --epsilon 2

    A plan names mechanisms, their noise, the sensitivity of one datum, and how often each is released:

        delta = 1e-6

        [[release]]
        mechanism = "laplace"
        scale = 10.0
        sensitivity = 1.0
        count = 100

    Instead of a scale it may give the mechanism's budget of one release: epsilon, mu or rho.

    The best bound holds because nothing in a plan depends on what is released. Exit status: 0, or 2 for bad input.
    """
    from privcheck.errors import PrivcheckError
    from privcheck.files import check_output
    from privcheck.mechanisms import read_plan
    from privcheck.reporting import details
    from privcheck.reporting import plot as draw

    check_json(json)
    if plot is not None:
        check_output(plot, "plot", (".svg", ".png"))
    if delta is not None and epsilon is not None:
        raise PrivcheckError("epsilon", epsilon, "either --delta or --epsilon", "each is computed from the other")
    planned, own = read_plan(file, needs_delta=delta is None and epsilon is None)
    found = planned.at_epsilon(epsilon) if epsilon is not None else planned.at_delta(own if delta is None else delta)
    files: list[Callable[[], object]] = []
    if plot is not None:
        files.append(partial(draw, planned, plot, delta=found.delta))
    text = partial(details, planned, found=found, asked_delta=epsilon is not None)
    deliver(json, _json(planned, found, epsilon is not None), text, *files)
    return 0


def _json(plan: Plan, found: Account, asked_delta: bool) -> str:
    from privcheck.serialise import plain, to_json

    releases = [
        {"mechanism": release.name, "count": release.count, "charge": charge_numbers(release.charge)}
        for release in plan.releases
    ]
    upper, lower = ("delta_upper", "delta_lower") if asked_delta else ("epsilon_upper", "epsilon_lower")
    given = {"epsilon": found.epsilon} if asked_delta else {"delta": found.delta}
    answer = found.delta if asked_delta else found.epsilon
    result = {"releases": releases, "total": charge_numbers(plan.total), **given, upper: answer, lower: found.lower}
    result["provided"] = plan.provided
    return to_json(plain(result | {"accountant": found.best, "reason": found.reason, "bounds": dict(found.bounds)}))


def charge_numbers(charge: object) -> dict[str, float]:
    """Return the four numbers of a charge.

    >>> from privcheck.accounting import Charge
    >>> charge_numbers(Charge(0.0))
    {'epsilon': 0.0, 'rho': 0.0, 'mu': 0.0, 'delta': 0.0}
    """
    return {name: getattr(charge, name) for name in ("epsilon", "rho", "mu", "delta")}
