"""Results beside their baselines, in the terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Callable

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from privcheck.reporting._annotations.job_summary import as_cell
from privcheck.reporting._baselines import BETTER, NOT_COMPARABLE, SAME, WORSE, Baseline, Change, Measured
from privcheck.reporting._text import numbers

SIGNS = {WORSE: "✗", NOT_COMPARABLE: "?", BETTER: "✓", SAME: "–"}
EMOJI = {WORSE: "❌", NOT_COMPARABLE: "⚠️", BETTER: "✅", SAME: "✅"}
COLUMNS = ("result", "verdict", "certificate", "lower", "upper", "regret", "runs", "seconds")


def details(found: Baseline) -> RenderableType:
    """Return a row for each result, worse ones first, with what changed as "before → now".

    >>> print(details(Baseline((Change("a", SAME),), ("b",))).renderables[1])
    1 same, 1 without a baseline
    """
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    used = [column for column in COLUMNS[1:] if any(cells(change)[column] != numbers.NONE for change in found.changes)]
    table.add_column("", no_wrap=True)
    table.add_column("result", overflow="fold")
    for column in used:
        table.add_column(column, no_wrap=True)
    notes = []
    for change in found.changes:
        told = cells(change)
        row = [told["result"], *(told[column].replace(" → ", "\n→ ") for column in used)]
        if note := _note(change):
            notes.append(Text(f"{told['result']}: {note}"))
        word = Text(f"{SIGNS[change.outcome]} {change.outcome}", style="bold red" if change.outcome == WORSE else "")
        table.add_row(word, *map(Text, row))
    return Group(table, *notes, Text(found.sentence))


def markdown(found: Baseline) -> str:
    r"""Return the same as Markdown, for the summary of a job.

    >>> print(markdown(Baseline((Change("a", WORSE, "verdict consistent, now violation"),))))
    ### ❌ privcheck compare: 1 worse
    <BLANKLINE>
    | | result | verdict | lower | upper | note |
    |---|---|---|---|---|---|
    | ❌ | a | - | - | - | verdict consistent, now violation |
    <BLANKLINE>
    """
    lines = [f"### {'✅' if found.is_fine else '❌'} privcheck compare: {found.sentence}", ""]
    lines += ["| | result | verdict | lower | upper | note |", "|---|---|---|---|---|---|"]
    for change in found.changes:
        told = cells(change)
        row = [told[column] for column in ("result", "verdict", "lower", "upper")]
        lines.append(f"| {EMOJI[change.outcome]} | {' | '.join(map(as_cell, [*row, _note(change)]))} |")
    return "\n".join([*lines, ""])


def cells(change: Change) -> dict[str, str]:
    """Return the cells of a row, by column."""
    return {
        "result": numbers.clean(change.name),
        "verdict": _both(change, lambda of: of.verdict or numbers.NONE),
        "certificate": _both(change, lambda of: of.certificate or numbers.NONE),
        "lower": _both(change, lambda of: numbers.at_least(of.lower)),
        "upper": _both(change, lambda of: numbers.at_most(of.upper)),
        "regret": _both(change, _regret),
        "runs": _both(change, lambda of: numbers.NONE if of.runs is None else f"{of.runs:,}"),
        "seconds": _both(change, lambda of: numbers.NONE if of.seconds is None else f"{of.seconds:.2g}"),
    }


def _note(change: Change) -> str:
    both = change.old is not None and change.new is not None and change.old.target != change.new.target
    renamed = both and change.new.target not in change.reason  # type: ignore[union-attr]
    note = f"target {change.old.target}, now {change.new.target}" if renamed else ""  # type: ignore[union-attr]
    resting = change.new.provided if change.new is not None and change.outcome in (WORSE, BETTER) else ""
    return numbers.clean("; ".join(filter(None, [change.reason, note, resting])))


def _regret(of: Measured) -> str:
    if of.regret is None:
        return numbers.NONE
    return numbers.amount(of.regret) + ("" if of.se is None else f" ± {numbers.amount(of.se)}")


def _both(change: Change, shown: Callable[[Measured], str]) -> str:
    told = [shown(of) for of in (change.old, change.new) if of is not None]
    return " → ".join(dict.fromkeys(told)) or numbers.NONE
