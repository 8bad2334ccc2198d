"""A plan, shown: what is released, and the bound of every accountant."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from privcheck.accounting import Account, Plan
from privcheck.enclosure import as_given, digits_down, digits_up
from privcheck.files import check_output
from privcheck.reporting._pictures.account_picture import account_figure
from privcheck.reporting._pictures.svg import save_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STAR = "★"

ADDS_UP = {
    "pure": "epsilon",
    "zcdp": "rho",
    "gdp": "the square of mu",
    "rdp": "Rényi divergences, at the best order",
    "pld": "privacy losses, as distributions",
}
"""What each accountant adds up, in words."""


def details(plan: Plan, found: Account, *, asked_delta: bool = False) -> RenderableType:
    """Return the releases of a plan and the bounds of the accountants, the best of them with a star.

    Parameters
    ----------
    plan : the plan.
    found : what it costs.
    asked_delta : whether delta was asked for at a given epsilon, instead of epsilon at a given delta.

    Examples
    --------
    >>> from rich.console import Console
    >>> from privcheck.accounting import Charge, PlannedRelease
    >>> plan = Plan([PlannedRelease(Charge(0.1), 20, name="laplace")])
    >>> console = Console(width=80, record=True, quiet=True)
    >>> console.print(details(plan, plan.at_delta(1e-6)))
    """
    asked, given = ("delta", "epsilon") if asked_delta else ("epsilon", "delta")
    at = found.epsilon if asked_delta else found.delta
    table = _table(f"{asked} at {given} = {as_given(at)}")
    for column, justify in (("accountant", "left"), (asked, "right"), ("adds up", "left")):
        table.add_column(column, justify=justify, no_wrap=True)  # type: ignore[arg-type]
    for name, bound in found.bounds.items():
        best = name == found.best and _says_something(bound, asked_delta)
        shown = digits_up(bound) if _says_something(bound, asked_delta) else "no bound"
        style = "bold" if best else ""
        table.add_row(Text(f"{STAR if best else ' '} {name}", style), Text(shown, style), Text(ADDS_UP[name], "dim"))
    return Group(_releases(plan), table, *(Text(note, style="dim") for note in notes(plan, found, asked_delta)))


def notes(plan: Plan, found: Account, asked_delta: bool = False) -> list[str]:
    """Return what the numbers mean.

    >>> from privcheck.accounting import Charge, PlannedRelease
    >>> plan = Plan([PlannedRelease(Charge(0.1), 20)])
    >>> notes(plan, plan.at_delta(1e-6))[0]
    '★ the best: every bound holds at this delta, because the plan is fixed beforehand'
    """
    upper = found.delta if asked_delta else found.epsilon
    given = "epsilon" if asked_delta else "delta"
    said = [f"{STAR} the best: every bound holds at this {given}, because the plan is fixed beforehand"]
    if not _says_something(upper, asked_delta):
        more = "give a delta above 0" if found.delta == 0.0 else "give a larger delta or more noise"
        said = [
            "delta is 1"
            if asked_delta
            else f"no accountant bounds this plan at delta = {as_given(found.delta)}: {more}"
        ]
    if found.reason:
        said.append(f"{found.best}: {found.reason}" if _says_something(upper, asked_delta) else found.reason)
    if found.lower > 0.0:
        said.append(f"pld, rounded down: the dominating pairs need at least {digits_down(found.lower)}")
    if plan.total.delta:
        said.append(f"the releases set aside delta = {digits_up(plan.total.delta)} together")
    return [*said, f"every bound holds {plan.provided}"]


def _releases(plan: Plan) -> Table:
    table = _table(f"{plan.count:,} release{'s' if plan.count > 1 else ''}, fixed beforehand")
    table.add_column("mechanism", overflow="fold")
    for column in ("count", "epsilon", "rho", "mu"):
        table.add_column(column, justify="right")
    for release in plan.releases:
        charge = release.charge
        numbers = (charge.epsilon, charge.rho, charge.mu)
        shown = [digits_up(bound, 4) if bound < math.inf else "-" for bound in numbers]
        table.add_row(release.name, f"{release.count:,}", *shown)
    return table


def _says_something(bound: float, asked_delta: bool) -> bool:
    return bound < (1.0 if asked_delta else math.inf)


def _table(title: str) -> Table:
    return Table(title=Text(title, style="bold"), title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))


def plot(plan: Plan, path: str | Path | None = None, **options: Any) -> Figure:
    """Return the picture of what a plan costs and save it."""
    if path is not None:
        check_output(path, "path", (".svg", ".png"))
    figure = account_figure(plan, **options)
    if path is not None:
        save_figure(figure, path)
    return figure
