"""Bounds along an axis: lower bounds in blue and green, upper ones in warm colours, the regimes behind them."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from privcheck.bounds import BANDIT, QUANTITIES, BoundValue, Curve, Instance, privacy_regime, theorem_name
from privcheck.errors import PrivcheckError
from privcheck.reporting._pictures.style import INK, MID, WIDE, new_figure, settings
from privcheck.reporting._terminal.bounds_table import describe

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LOWER = ("#0072b2", "#56b4e9", "#009e73", "#004a75")
UPPER = ("#d55e00", "#e69f00", "#cc79a7", "#8c3d00")
DASHES: tuple[Any, ...] = ("-", (0, (6, 1.5)), (0, (2, 1.2)), (0, (6, 1.5, 1.5, 1.5)))
LABELS = {
    "epsilon": "privacy budget epsilon",
    "rho": "privacy budget rho of zCDP",
    "horizon": "rounds T",
    "gap": "smallest gap",
}
DASHED = "Dashed: asymptotic rates, not bounds at any T."
PANEL = 2.7


def theory_figure(curve: Curve, *, width: float = WIDE) -> Figure:
    """Return a figure with a panel for every regret or stopping time that some theorem bounds on this instance.

    Asymptotic rates are drawn as constant times ln T, dashed where a finite-time bound is solid, and say that they
    bound nothing at T. Minimax bounds are about other instances and are left out, but for those on this instance or one
    with a single arm raised: they stand beside the rates, which they have in the limit.

    Parameters
    ----------
    curve : what `privcheck.bounds.curve` returned.
    width : in inches.

    Raises
    ------
    PrivcheckError : no theorem bounds anything along the curve.

    Examples
    --------
    >>> from privcheck.bounds import curve, named_instance
    >>> figure = theory_figure(curve(named_instance("fig3", epsilon=1.0), "epsilon", [0.1, 1.0, 10.0]))
    >>> figure.axes[0].get_xlabel()
    'privacy budget epsilon'
    """
    panels = drawn_bounds(curve)
    if not panels:
        raise PrivcheckError("curve", describe(curve.instance), "an instance that some theorem applies to")
    title = f"Bounds against {LABELS[curve.axis]}. {_heading(curve)}"
    columns = 1 if width < WIDE - 1 else 2
    sizes = [PANEL + 0.17 * math.ceil(len(names) / columns) for names in panels.values()]
    letters = int(width / 0.075)
    with settings():
        figure = new_figure(width, sum(sizes) + 0.35, title, _description(curve, panels))
        figure.set_layout_engine("constrained")
        rates = any(bound.asymptotic for names in panels.values() for bound in names)
        heading = textwrap.fill(_heading(curve), letters) + (f"\n{DASHED}" if rates else "")
        figure.suptitle(heading, x=0.01, ha="left", fontsize=8.5)
        rows = figure.subplots(len(panels), 1, squeeze=False, height_ratios=sizes)
        for axes, (quantity, names) in zip(rows[:, 0], panels.items(), strict=True):
            _draw(axes, curve, quantity, names, columns)
    return figure


def _heading(curve: Curve) -> str:
    """Return the instance in one line, without what the axis varies."""
    text = describe(curve.instance)
    if curve.axis == "rho":
        return re.sub(r"rho = [^,]*, mu = [^,]*(, )?", "", text).rstrip("; ")
    if curve.axis == "epsilon":
        return re.sub(r"epsilon = [^,]*(, )?", "", text).rstrip("; ")
    return re.sub(r", T = [^,]*", "", text) if curve.axis == "horizon" else text


def _description(curve: Curve, panels: dict[str, list[BoundValue]]) -> str:
    """Return what is drawn in words: each bound with its numbers at both ends of the axis."""
    said = []
    for quantity, bounds in panels.items():
        lines = []
        for bound in bounds:
            heights, label = _heights(curve, bound)
            seen = [height for height in heights if not math.isnan(height)]
            lines.append(f"{label} from {seen[0]:.4g} to {seen[-1]:.4g}" if seen else label)
        said.append(f"{quantity}: {', '.join(lines)}.")
    span = f"{LABELS[curve.axis]} from {curve.values[0]:.4g} to {curve.values[-1]:.4g}"
    return f"Along the {span}. {' '.join(said)}"


def drawn_bounds(curve: Curve) -> dict[str, list[BoundValue]]:
    """Return, by quantity, the theorems with a number somewhere on the curve; a raised arm is no other quantity."""
    found: dict[str, dict[str, BoundValue]] = {}
    for row in curve.rows:
        for bound in row:
            quantity = QUANTITIES.get(bound.quantity)
            if not bound.applies or quantity is None or (quantity.minimax and not quantity.around):
                continue
            if (bound.value is None and bound.constant is None) or "actions" in quantity.measure:
                continue
            found.setdefault(quantity.here if quantity.around else bound.quantity, {}).setdefault(bound.id, bound)
    return {quantity: list(bounds.values()) for quantity, bounds in found.items()}


def _draw(axes: Axes, curve: Curve, quantity: str, bounds: Sequence[BoundValue], columns: int) -> None:
    counts = {"lower": 0, "upper": 0}
    for bound in sorted(bounds, key=lambda bound: bound.kind):
        index = counts[bound.kind]
        counts[bound.kind] += 1
        palette = LOWER if bound.kind == "lower" else UPPER
        heights, label = _heights(curve, bound)
        dash = DASHES[1 + index % 3] if bound.asymptotic else "-"
        width = 3.0 if bound.kind == "lower" and _attained(curve, bound, bounds) else 1.5
        axes.plot(curve.values, heights, color=palette[index % 4], ls=dash, lw=width, label=label, zorder=3)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(curve.values[0], curve.values[-1])
    axes.set_xlabel(LABELS[curve.axis])
    measure, feedback = quantity.split("; ")[:2]
    measure += "" if feedback == BANDIT else f", {feedback}"
    privacy = QUANTITIES[bounds[0].quantity].privacy
    notion = f"\n({privacy.partition(',')[0].partition(' with ')[0]})" if privacy else ""
    rate = curve.axis != "horizon" and curve.instance.horizon is None and all(bound.asymptotic for bound in bounds)
    axes.set_ylabel(textwrap.fill(f"{measure} / ln T" if rate else measure, 26) + notion)
    for axis in (axes.xaxis, axes.yaxis):
        _label(axis, *axis.get_view_interval())
    axes.tick_params(which="both", color=MID, labelcolor=INK)
    axes.spines["left"].set_visible(True)
    axes.grid(color=MID, alpha=0.25, lw=0.5)
    if isinstance(curve.instance, Instance) and curve.axis == "epsilon":
        _draw_regime(axes, curve, curve.instance)
    place: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.2)}
    if columns == 1:  # the text is wider than the axes
        place = {"loc": "upper right", "bbox_to_anchor": (1.04, -0.2)}
    axes.legend(**place, ncols=columns, frameon=False, fontsize=7.5)


def _attained(curve: Curve, lower: BoundValue, bounds: Sequence[BoundValue]) -> bool:
    """Whether an upper rate is equal to this one all along, and would hide its line."""
    uppers = [curve.series(bound.id) for bound in bounds if bound.kind == "upper" and bound.asymptotic]
    pairs = [list(zip(curve.series(lower.id), upper, strict=True)) for upper in uppers] if lower.asymptotic else []
    return any(all(one is None or other is None or math.isclose(one, other) for one, other in pair) for pair in pairs)


def _label(axis: Any, low: float, high: float) -> None:
    """Label the powers of ten, also 2 and 5 times these where there are few, and round numbers on a narrow range."""
    from matplotlib.ticker import MaxNLocator, NullLocator

    axis.set_major_formatter(lambda value, _: f"{value:,.10g}")
    if math.log10(high / low) < 0.6:
        axis.set_major_locator(MaxNLocator(5))
        axis.set_minor_locator(NullLocator())
        return
    powers = math.floor(math.log10(high)) - math.ceil(math.log10(low)) + 1
    axis.set_minor_formatter(lambda value, _: f"{value:,.10g}" if powers < 3 and _mantissa(value) in (2, 5) else "")


def _mantissa(value: float) -> int:
    return round(float(value) / 10.0 ** math.floor(math.log10(value)))


def _heights(curve: Curve, bound: BoundValue) -> tuple[list[float], str]:
    """Return the bound along the axis, rates times ln T, and its label."""
    numbers = [math.nan if number is None else number for number in curve.series(bound.id)]
    if not bound.asymptotic:
        raised = "; or one arm raised" if QUANTITIES[bound.quantity].around else ""
        return numbers, f"{theorem_name(bound.id)} ({bound.kind}{raised})"
    if curve.axis != "horizon" and curve.instance.horizon is None:
        return numbers, f"{theorem_name(bound.id)} ({bound.kind}; rate)"
    rounds = curve.values if curve.axis == "horizon" else [float(curve.instance.horizon or 1)] * len(numbers)
    scaled = [number * math.log(t) if t > 1 else math.nan for number, t in zip(numbers, rounds, strict=True)]
    return scaled, f"{theorem_name(bound.id)} ({bound.kind}; rate × ln T)"


def _draw_regime(axes: Axes, curve: Curve, instance: Instance) -> None:
    """Shade where the regime is mixed, and mark from where privacy costs nothing."""
    regime = privacy_regime(instance)
    low, high = curve.values[0], curve.values[-1]
    if regime.changes_from is None or regime.changes_to is None or regime.free_from is None:
        return
    across = axes.get_xaxis_transform()
    start, end = np.clip([regime.changes_from, regime.changes_to], low, high)
    if regime.changes_to < low or regime.changes_from > high:
        return
    axes.axvspan(start, end, color=MID, alpha=0.16, lw=0, zorder=0)
    if start == end:
        axes.axvline(start, color=MID, lw=1.0, zorder=1)
    place: dict[str, Any] = {"transform": across, "va": "bottom", "fontsize": 7, "color": INK}
    axes.text(math.sqrt(low * start), 1.01, "high privacy", ha="center", **place)
    if regime.free_from < high:
        axes.axvline(regime.free_from, color=MID, lw=1.0, ls=(0, (3, 2)), zorder=1)
        axes.text(regime.free_from, 1.01, " privacy is free", ha="left", **place)
    elif end < high:
        axes.text(math.sqrt(end * high), 1.01, "low privacy", ha="center", **place)
