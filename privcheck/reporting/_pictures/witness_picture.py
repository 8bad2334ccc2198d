"""The witness of an audit: two streams, round by round, and the event's probabilities on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privcheck.errors import PrivcheckError
from privcheck.reporting._pictures.probability_picture import BARS, draw_probabilities
from privcheck.reporting._pictures.streams_picture import MOST_ARMS, MOST_ROUNDS, draw_streams, streams_height
from privcheck.reporting._pictures.style import WIDE, new_figure, settings
from privcheck.reporting._pictures.witness_excerpt import is_drawn, view, words_of
from privcheck.reporting._text.audit_sentences import verdict_sentence
from privcheck.reporting._text.numbers import clean
from privcheck.reporting._text.witness_sentences import rounds_text
from privcheck.results import AuditReport

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def witness_figure(report: AuditReport, *, width: float = WIDE) -> Figure:
    """Return a figure of two neighbouring streams, the changed rounds framed, and of the event's probability on each.

    Below the streams stands the probability of the event where it is more likely, and the most that the claim allows
    it given the other: exp(epsilon) times the other, plus delta.

    Parameters
    ----------
    report : an audit with a witness.
    width : in inches.

    Raises
    ------
    PrivcheckError : when the audit ended early and has no witness.

    Examples
    --------
    >>> from privcheck.results._example_results import VIOLATION
    >>> len(witness_figure(VIOLATION).axes)
    3
    """
    witness = report.witness
    if witness is None:
        raise PrivcheckError(
            "report", f"the report of {report.target}", "an audit with a witness", "it ended early: repeat it"
        )
    shown = view(witness, MOST_ROUNDS, MOST_ARMS, words_of(report)) if is_drawn(witness) else None
    streams = 0.0 if shown is None else streams_height(shown)
    bars = BARS if report.epsilon_claimed is not None else BARS * 2 / 3
    title = (
        f"Witness against {clean(report.target)}"
        if report.verdict == "violation"
        else f"{words_of(report).one.capitalize()}s for {clean(report.target)}"
    )
    description = f"{clean(witness.streams)}. Event: {clean(witness.event)}. {verdict_sentence(report)}."
    with settings():
        figure = new_figure(width, streams + bars + 0.5, title, description)
        if shown is not None:
            draw_streams(figure, witness, report.rewards, shown)
        draw_probabilities(figure, report, witness, streams, bars)
    return figure


def witness_caption(report: AuditReport) -> str:
    """Return what stands below the picture."""
    found = report.witness
    shown = "The event's"
    if found is not None and found.rounds:
        words = words_of(report)
        shown = f"The two {words.one}s, which differ in {rounds_text(found, words.row)}, and the event's"
    allowed = " Dashed: the largest probability that the claim allows, given the other one."
    return f"{shown} probability on each.{'' if report.epsilon_claimed is None else allowed}"
