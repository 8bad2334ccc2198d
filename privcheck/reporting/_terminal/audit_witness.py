"""What the terminal says of an audit in its own form: lines at fault, witnesses, and what it took."""

from __future__ import annotations

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from privcheck.reporting._pictures.witness_excerpt import characters, is_drawn, words_of
from privcheck.reporting._terminal.rendered_parts import block
from privcheck.reporting._text import numbers
from privcheck.reporting._text.fault_sentences import excerpt_lines, fault_sentence
from privcheck.reporting._text.witness_sentences import event_parts
from privcheck.results import AuditReport, Fault, Witness


def fault_lines(fault: Fault) -> list[RenderableType]:
    """Return a line at fault with its source, what is wrong and the usual fix."""
    return [
        block(Text(fault_sentence(fault))),
        *(block(Text(f"  {line}", style="bold" if marked else "dim")) for line, marked in excerpt_lines(fault)),
        block(Text(fault.about.meaning)),
        block(Text(f"Usual fix: {fault.about.fix}")),
    ]


def witness(report: AuditReport, *, drawn: bool = True) -> list[RenderableType]:
    """Return two streams, unless they were drawn before, and the event with its probabilities."""
    if (found := report.witness) is None:
        return []
    return [*(_streams(report, found) if drawn else []), *_event(found, words_of(report).one)]


def said(text: str) -> list[RenderableType]:
    """Return a sentence that a page has in another place."""
    return [block(Text(text))]


def spent(report: AuditReport) -> list[RenderableType]:
    """Return what the audit took."""
    ended = report.epsilon_lower is None
    runs = "no run counted" if ended else f"{report.runs:,} runs per {words_of(report).one}"
    took = numbers.seconds(report.seconds)
    return [block(Text(f"seed {report.seed}, {runs}, engine {report.engine}, {took}", style="dim"))]


def _streams(report: AuditReport, witness: Witness) -> list[RenderableType]:
    words = words_of(report)
    name = numbers.clean(witness.streams)
    said = block(Text(name if name.startswith("inputs ") else f"{words.one}s: {name}"))
    if not is_drawn(witness):
        return [said]
    return [said, block(Text(characters(witness, report.rewards, words), no_wrap=True))]


def _event(witness: Witness, one: str) -> list[RenderableType]:
    lines = [("event: " if i == 0 else "   or: ") + numbers.clean(part) for i, part in enumerate(event_parts(witness))]
    table = Table.grid(padding=(0, 2, 0, 0))
    for name, estimate in (("first", witness.probability_first), ("second", witness.probability_second)):
        likely = "more likely" if witness.more_likely == name else ""
        value = f"{numbers.probability(estimate.value)} {numbers.probability_interval(estimate)}"
        table.add_row(Text(f"probability on the {name} {one}", style="dim"), Text(value), Text(likely))
    shown: list[RenderableType] = [*(block(Text(line)) for line in lines), block(table)]
    if witness.mirror is not None:
        told = (
            f"mirror: {numbers.clean(witness.mirror)}; it is more likely on the other {one}, and the bound counts both"
        )
        shown.append(block(Text(told)))
    return shown
