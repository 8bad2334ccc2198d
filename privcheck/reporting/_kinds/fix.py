"""A fix, shown."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from privcheck.files import check_output
from privcheck.reporting._annotations.job_summary import as_cell
from privcheck.reporting._pages.elements import element, text
from privcheck.reporting._pages.page_fix import diff_block
from privcheck.reporting._pages.page_fix import render_fix as page
from privcheck.reporting._pictures.fix_picture import fix_figure
from privcheck.reporting._pictures.svg import save_figure
from privcheck.reporting._text.certificate_sentences import certificate_sentence
from privcheck.reporting._text.fix_sentences import (
    audit_words,
    certify_command,
    diff_line,
    edits,
    lines,
    mark,
    notes,
    provided,
    sentence,
    smaller,
    tried_words,
    withdrawn,
)
from privcheck.reporting._text.numbers import clean
from privcheck.results import FIXED, NONE_LEARNS, NOTHING_TO_FIX, WITHDRAWN, Fix, FixPatch

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["details", "markdown", "notebook", "page", "plot", "sentence"]

STYLES = {FIXED: "bold green", NOTHING_TO_FIX: "bold green", NONE_LEARNS: "bold yellow"}


def details(found: Fix) -> RenderableType:
    """Return the finding, the recommended patch, what it costs, and what all of it rests on.

    >>> from privcheck.results._example_results import FIXED_BANDIT
    >>> details(FIXED_BANDIT).renderables[0].plain.startswith("✓ fixed: patch 1")
    True
    """
    parts: list[RenderableType] = [Text(f"{mark(found)} {sentence(found)}", STYLES.get(found.outcome, "bold red"))]
    if found.finding is not None:
        parts.append(Text(f"found: {clean(found.finding.sentence)}"))
    patch = found.recommended
    if patch is not None:
        parts += [Text(f"{clean(edit.name)}: {clean(edit.argument)}") for edit in patch.edits]
        parts += [Text(), *diff_lines(patch.diff), Text()]
        if patch.certificate is not None:
            parts.append(Text(f"{certificate_sentence(patch.certificate)}"))
            parts.append(Text(f"to see the certificate of the patched file: {certify_command(found, patch)}"))
        parts.append(Text(audit_words(found, patch)))
        if (small := smaller(found)) is not None:
            about = f"smaller, and certified too: patch {small.number} ({edits(small)}, {lines(small)})"
            parts += [Text(f"{about}; --patch {small.number} takes it"), Text(), *diff_lines(small.diff), Text()]
    if found.original is not None:
        parts.append(_table(found))
    if patch is None:
        parts += [Text(f"  {line}") for line in tried_words(found)]
    parts += [Text(f"{each.standing}: patch {each.number}: {clean(each.why)}") for each in left_out(found)]
    parts += [Text(line) for line in withdrawn(found)]
    parts += [Text(f"note: {line}") for line in notes(found)]
    if told := provided(found):
        parts.append(Text("provided that:", "dim"))
        parts += [Text(f"  - {line}", "dim") for line in told]
    return Group(*parts)


def diff_lines(diff: str) -> list[Text]:
    """Return the lines of a diff in their colours."""
    styles = {"+": "green", "-": "red", "@": "cyan"}
    shown = [diff_line(line) for line in diff.rstrip("\n").split("\n")]
    heads = ("diff ", "--- ", "+++ ")
    return [
        Text(line, "bold" if line.startswith(heads) else styles.get(line[:1], ""), no_wrap=True, overflow="ignore")
        for line in shown
    ]


def _table(found: Fix) -> Table:
    title = f"regret after {found.rounds:,} rounds by the arms' means, in % of uniform play's (last third in brackets)"
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), title=title, title_justify="left", title_style="")
    table.add_column("", no_wrap=True)
    table.add_column("runs", justify="right", no_wrap=True)
    assert found.original is not None
    for place in found.original.places:
        table.add_column(place.place.partition("means ")[2] or place.place, justify="right", no_wrap=True)
    table.add_column("what it is", overflow="fold")
    about = {f"patch {patch.number}": f"{edits(patch)} ({lines(patch)})" for patch in found.patches}
    for each in (found.original, *(patch.regret for patch in found.patches), *found.others):
        if each is not None:
            shares = [f"{100 * place.share:.1f} ({100 * place.late:.0f})" for place in each.places]
            runs = f"{each.runs:,}" if each.runs else "-"
            table.add_row(each.policy, runs, *shares, Text(about.get(each.policy, "")))
    return table


def left_out(found: Fix) -> list[FixPatch]:
    """Return the patches that stop learning, and those of which no certificate was made."""
    return [patch for patch in found.patches if patch.standing != WITHDRAWN and patch.why]


def notebook(found: Fix) -> str:
    """Return the sentence and the diff."""
    patch = found.recommended
    return element("p", element("b", text(sentence(found)))) + (diff_block(patch.diff) if patch is not None else "")


def markdown(found: Fix) -> str:
    """Return the sentence and the diff for the summary of a job."""
    patch = found.recommended
    diff = ""
    if patch is not None:
        shown = "\n".join(map(diff_line, patch.diff.rstrip("\n").split("\n")))
        fence = "`" * max([3, *(1 + len(run) for run in re.findall("`+", shown))])  # code may have one of its own
        diff = f"\n{fence}diff\n{shown}\n{fence}\n"
    return f"### privcheck fix\n\n{mark(found)} {as_cell(sentence(found))}\n{diff}"


def plot(found: Fix, path: str | Path | None = None) -> Figure:
    """Return the picture of the regrets and save it."""
    if path is not None:
        check_output(path, "path", (".svg", ".png"))
    figure = fix_figure(found)
    if path is not None:
        save_figure(figure, path)
    return figure
