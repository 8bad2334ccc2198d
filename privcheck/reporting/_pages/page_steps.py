"""One page about noisy steps: what draws, the step that is told apart best, and what that rests on."""

from __future__ import annotations

from privcheck.reporting._pages.elements import badge, document, element, facts, header, items, section, text
from privcheck.reporting._pages.html_table import NUMBER, TEXT, Cell, table
from privcheck.reporting._text.numbers import clean
from privcheck.reporting._text.steps_sentences import claimed, facts_of, mark, next_step, sentence
from privcheck.results import StepsReport

TITLE = "privcheck steps"


def render_steps(report: StepsReport) -> str:
    """Return the page; the same report gives the same page.

    >>> from privcheck.results._example_results import STEPS
    >>> "What draws" in render_steps(STEPS)
    True
    """
    word, _, rest = sentence(report).partition(": ")
    told = element("p", f"{badge(word, mark(report))}: {text(rest)}", "verdict inconclusive")
    parts = [element("section", told, "inconclusive")]
    if report.best is not None:
        parts.append(section("The step that is told apart best", [facts(facts_of(report))]))
    parts.append(section("What draws", [_steps(report)]))
    if report.notes:
        parts.append(section("Notes", [items(list(report.notes))]))
    if report.provided:
        parts.append(section("Provided that", [items(list(report.provided))]))
    parts.append(section("What this does and does not mean", [element("p", text(f"{next_step(report)}."))]))
    parts.append(section("What was asked for", [facts(_asked(report))]))
    return document(TITLE, header(TITLE, report.target), parts)


def _steps(report: StepsReport) -> str:
    columns = [("function", TEXT), ("place", TEXT), ("standing", TEXT), ("what moves", TEXT), ("pairs", NUMBER)]
    rows: list[list[Cell | str]] = [
        [
            *map(_cell, (step.function, step.place, step.standing, ", ".join(step.moves))),
            Cell(f"{step.pairs:,}", step.pairs),
        ]
        for step in report.steps
    ]
    return table("Functions of the target that draw random numbers", columns, rows, kind="stack")


def _cell(content: str) -> str:
    return text(clean(content))


def _asked(report: StepsReport) -> list[tuple[str, str]]:
    claim = [] if report.epsilon_claimed is None else [("claim", claimed(report))]
    return [
        *claim,
        ("neighbours", report.neighbours),
        ("arms and horizon", f"{report.arms}, {report.horizon}"),
        ("pairs looked at", f"{report.pairs:,}, with {report.runs:,} whole runs"),
        ("seed", str(report.seed)),
    ]
