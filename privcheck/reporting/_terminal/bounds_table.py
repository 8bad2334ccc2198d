"""The bounds of an instance in the terminal: those that apply, the best ones, and the conditions that fail."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from privcheck.bounds import (
    BoundValue,
    ConcentratedInstance,
    Instance,
    advice,
    contradictions,
    describe_contradiction,
    not_applying,
    privacy_regime,
)
from privcheck.reporting._text.bound_marks import STAR, BoundMarks, bounded_policy
from privcheck.reporting._text.resting_claims import resting_sentences

FAILED = "✗"


def theory_table(instance: Any, values: Sequence[BoundValue], *, everything: bool = False) -> RenderableType:
    """Return the bounds of an instance, a block for each quantity, for a terminal of 80 columns or more.

    Parameters
    ----------
    instance : what was evaluated.
    values : what `privcheck.bounds.evaluate` returned for it.
    everything : also list the theorems about other settings, and the source of every bound.

    Examples
    --------
    >>> from rich.console import Console
    >>> from privcheck.bounds import evaluate, named_instance
    >>> instance = named_instance("c2", epsilon=1.0)
    >>> console = Console(width=80, record=True, quiet=True)
    >>> console.print(theory_table(instance, evaluate(instance)))
    """
    applying = [value for value in values if value.applies]
    marks = BoundMarks(instance, values)
    parts: list[RenderableType] = [Text(describe(instance), style="bold")]
    if isinstance(instance, Instance):
        parts.append(Text(regime_sentence(instance)))
    for lower, upper in contradictions(values, instance):
        parts.append(Text(f"✗ CONTRADICTION: {describe_contradiction(lower, upper)}", style="bold white on red"))
    for quantity in dict.fromkeys(value.quantity for value in applying):
        parts += _block(quantity, [value for value in applying if value.quantity == quantity], marks)
    parts += [Text(("\n" if i == 0 else "") + note, style="dim") for i, note in enumerate(marks.notes())]
    *failed, more = resting_sentences(values) or [""]
    parts += [Text(f"{FAILED} {line}", style="yellow") for line in failed] + [Text(more, style="dim")] * bool(failed)
    parts += _refusals(instance, values, everything)
    if everything:
        parts += [Text(f"{value.id}: {value.source}", style="dim") for value in applying]
    return Group(*parts)


def describe(instance: Any) -> str:
    """Return an instance in one line.

    >>> describe(Instance("bernoulli", (0.75, 0.5), epsilon=1.0, horizon=1e7))
    'bernoulli arms 0.75, 0.5; epsilon = 1, T = 1e+07'
    """
    horizon = "" if instance.horizon is None else f", T = {instance.horizon:g}"
    if not isinstance(instance, Instance | ConcentratedInstance):
        return f"{instance.setting}; epsilon = {instance.epsilon:g}{horizon}"
    shown = [f"{mean:.6g}" for mean in instance.means[:12]] + ["..."] * (instance.arms > 12)
    variance = f" (variance {instance.variance:g})" if instance.variance != 1 else ""
    laws = f"{instance.family} arms{variance} {', '.join(shown)}"
    if isinstance(instance, ConcentratedInstance):
        return f"{laws}; rho = {instance.rho:g}, mu = {instance.mu:.4g}{horizon}"
    delta = f", delta = {instance.delta:g}" if instance.delta else ""
    risk = f", risk {instance.risk:g}" if instance.risk else ""
    return f"{laws}; epsilon = {instance.epsilon:g}{delta}{horizon}{risk}"


def regime_sentence(instance: Instance) -> str:
    """Return the privacy regime of an instance, and the budgets at which it changes.

    >>> regime_sentence(Instance("bernoulli", (0.8, 0.1), epsilon=0.3)).partition(", and ")[0]
    'high-privacy regime at epsilon = 0.3; the regime changes at epsilon = 1.637'
    """
    regime = privacy_regime(instance)
    if regime.changes_from is None or regime.changes_to is None or regime.free_from is None:
        return "no privacy regime: no arm is sub-optimal, or no law of the family is better than the best arm"
    where = f"at epsilon = {regime.changes_from:.4g}"
    if not math.isclose(regime.changes_from, regime.changes_to):
        where = f"between epsilon = {regime.changes_from:.4g} and {regime.changes_to:.4g}"
    free = f"privacy costs nothing from epsilon = {regime.free_from:.4g} on"
    if math.isinf(regime.free_from):
        free = "privacy always costs something"
    here = f"{regime.name.replace(' ', '-')} regime at epsilon = {instance.epsilon:g}"
    return f"{here}; the regime changes {where}, and {free}"


def _block(quantity: str, values: Sequence[BoundValue], marks: BoundMarks) -> list[RenderableType]:
    """Return a heading and the bounds on one quantity, lower ones first."""
    measure, _, rest = quantity.partition("; ")
    heading = Text(f"\n{measure}", style="bold").append(f"; {rest}" if rest else "", style="not bold dim")
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False, show_edge=False)
    for justify in ("left", "left", "right", "left"):
        table.add_column(justify=justify, no_wrap=True)
    for value in sorted(values, key=lambda value: value.kind):
        sign = marks.sign(value)
        style = "bold" if sign == STAR else ""
        name = Text(f"{sign or ' '} {value.id}", style=style)
        table.add_row(name, value.kind, Text(marks.number(value), style=style), Text(value.provenance, style="dim"))
    return [heading, table, *_policies(values)]


def _policies(values: Sequence[BoundValue]) -> list[RenderableType]:
    """Return which algorithm each upper bound is about; nothing where they are about any."""
    by_policy: dict[str, list[str]] = {}
    for value in values:
        if value.kind == "upper" and (said := bounded_policy(value.id)) not in ("one policy", "any policy"):
            name = re.split(r",| when | on | with ", said)[0]
            by_policy.setdefault(name, []).append(value.id.partition("/")[2])
    listed = ", ".join(f"{name} ({', '.join(ids)})" for name, ids in by_policy.items())
    return [Text(f"  upper bounds of one algorithm each: {listed}", style="dim")] if listed else []


def _refusals(instance: Any, values: Sequence[BoundValue], everything: bool) -> list[RenderableType]:
    """Say which theorems do not apply, and why; those about other settings are only counted."""
    asked, elsewhere = not_applying(instance, values, everything=everything)
    heading = "\nTheorems that do not apply, by the condition that fails:"
    lines: list[RenderableType] = [Text(f"\n{said}")] if (said := advice(instance)) else []
    lines += [Text(heading, style="dim")] if asked else []
    lines += [Text(f"- {text}: {', '.join(names)}", style="dim") for text, names in asked.items()]
    lines += [Text(f"Theorems about {setting}: {count} not shown", style="dim") for setting, count in elsewhere.items()]
    return lines
