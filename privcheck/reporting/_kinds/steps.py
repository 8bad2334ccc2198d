"""Noisy steps, shown."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from privcheck.reporting._pages.elements import element, items, text
from privcheck.reporting._pages.page_steps import render_steps as page
from privcheck.reporting._text.steps_sentences import facts_of, mark, next_step, sentence, step_words
from privcheck.results import StepsReport

__all__ = ["details", "markdown", "notebook", "page", "sentence"]


def details(report: StepsReport) -> RenderableType:
    """Return what was found, what draws, the best step, and what all of it rests on.

    >>> from privcheck.results._example_results import STEPS
    >>> details(STEPS).renderables[1].plain
    '  add_noise at fit.py:9: value moves on 40 pairs'
    """
    parts: list[RenderableType] = [
        Text(f"{mark(report)} {sentence(report)}", "bold" if report.outcome == "isolated" else "bold yellow")
    ]
    parts += [Text(f"  {step_words(step)}") for step in report.steps]
    parts += [Text(f"{name}: {said}") for name, said in facts_of(report)]
    parts += [Text(f"note: {note}", "dim") for note in report.notes]
    if report.provided:
        parts.append(Text("provided that:", "dim"))
        parts += [Text(f"  - {line}", "dim") for line in report.provided]
    parts.append(Text(f"{next_step(report)}.", "dim"))
    return Group(*parts)


def notebook(report: StepsReport) -> str:
    """Return the sentence, and what draws."""
    return element("p", element("b", text(sentence(report)))) + items([step_words(step) for step in report.steps])


def markdown(report: StepsReport) -> str:
    """Return the sentence for the summary of a job."""
    return f"### privcheck steps\n\n{mark(report)} {sentence(report)}\n"
