"""The first divergence of a replay: its two streams and what was played on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privcheck.errors import PrivcheckError
from privcheck.privacy import removed_row
from privcheck.reporting._pictures.streams_picture import (
    MOST_ARMS,
    MOST_ROUNDS,
    draw_streams,
    key_columns,
    streams_height,
)
from privcheck.reporting._pictures.style import WIDE, new_figure, settings
from privcheck.reporting._pictures.witness_excerpt import view, words_of
from privcheck.reporting._text.certificate_sentences import divergence_of, of_data
from privcheck.reporting._text.numbers import clean
from privcheck.reporting._text.witness_sentences import rounds_text
from privcheck.results import Certificate, Divergence

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SECOND_ROW = 0.18
"""Height in inches of a second row of the key."""


@dataclass(frozen=True)
class DivergingStreams:
    """The two streams of a divergence, with the rounds that differ, counted from 1."""

    first: np.ndarray
    second: np.ndarray
    rounds: tuple[int, ...]


def diverging_streams(divergence: Divergence, arms: int) -> DivergingStreams:
    """Return the rewards of the streams, their first K columns, as the pictures of witnesses take them."""
    first, second = np.asarray(divergence.first, dtype=float), np.asarray(divergence.second, dtype=float)
    lacking = removed_row(first, second)  # None unless one of them has a row more
    changed = np.flatnonzero((first != second).any(axis=1)).tolist() if lacking is None else [lacking]
    shown = arms or first.shape[1]  # data of one dimension have no arms
    return DivergingStreams(first[:, :shown], second[:, :shown], tuple(place + 1 for place in changed))


def divergence_figure(certificate: Certificate, *, width: float = WIDE) -> Figure:
    """Return a figure of the two streams of the first divergence, and of the arms played on them until then.

    Parameters
    ----------
    certificate : what `privcheck.certify` returned, with a divergence.
    width : in inches.

    Raises
    ------
    PrivcheckError : when no replay diverged.

    Examples
    --------
    >>> from privcheck.results._example_results import GRANTED
    >>> divergence_figure(GRANTED)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    privcheck.errors.PrivcheckError: certificate: got 'the certificate of adap-ucb...', expected one with a ...
    """
    divergence = certificate.replay.first_divergence
    if divergence is None:
        got = f"the certificate of {certificate.target}"
        raise PrivcheckError("certificate", got, "one with a divergence", "no replay diverged")
    streams = diverging_streams(divergence, certificate.arms)
    shown = view(streams, MOST_ROUNDS, MOST_ARMS, words_of(certificate))
    title = f"First divergence of {clean(certificate.target)}"
    with settings():
        height = streams_height(shown) + (SECOND_ROW if key_columns(width) < 5 else 0.0)
        figure = new_figure(width, height, title, " ".join(divergence_of(certificate, divergence)))
        played = None if of_data(certificate) else (divergence.actions_first, divergence.actions_second)
        draw_streams(figure, streams, certificate.rewards, shown, played)
    return figure


def divergence_caption(certificate: Certificate, divergence: Divergence) -> str:
    """Return what stands below the picture."""
    streams = diverging_streams(divergence, certificate.arms)
    words = words_of(certificate)
    differ = f"differ in {rounds_text(streams, words.row)}" if streams.rounds else "do not differ"
    if words.of_data:
        return f"Two neighbouring inputs, which {differ}, with the same coins and the same releases."
    return (
        f"Two neighbouring streams, which {differ}, and the arms played on them up to round "
        f"{divergence.round} with the same coins and the same releases."
    )
