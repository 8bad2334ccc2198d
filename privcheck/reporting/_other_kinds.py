"""JSON that commands write and that cannot be loaded: what it is, and where the result is to be had again."""

from __future__ import annotations

from dataclasses import dataclass, replace

from privcheck.reporting._json_source import JsonSource

READ_BACK = "a result that can be loaded"
LISTED = "a result that a report lists"


@dataclass(frozen=True)
class OtherKind:
    """A kind of JSON that cannot be loaded.

    Parameters
    ----------
    fields : what identifies it.
    reason : what it is, and what to do instead.
    is_listed : whether a report has a row for it nevertheless.
    has_verdicts : whether it says of a policy that it is private or not, which no report may pass over.
    """

    fields: frozenset[str]
    reason: str
    is_listed: bool = False
    has_verdicts: bool = False


KINDS = (
    OtherKind(
        frozenset({"claimed_regret"}),
        "this is a claimed regret beside bounds, which cannot be loaded: compare again with bounds.claimed_regret",
    ),
    OtherKind(
        frozenset({"instance", "axis", "curves"}),
        "this is a curve of bounds, which cannot be loaded: compute it again with bounds.curve",
        is_listed=True,
    ),
    OtherKind(
        frozenset({"releases", "total", "accountant", "bounds"}),
        "this is an account of a plan, which cannot be loaded: add up the plan again with privcheck account",
    ),
    OtherKind(
        frozenset({"results", "notes", "environment"}),
        "this is a best-arm identification, which cannot be loaded: play it again with privcheck.identify",
    ),
    OtherKind(
        frozenset({"results", "runs"}),
        "the JSON of a simulation has no runs: save it as .npz to load it again",
        is_listed=True,
    ),
    OtherKind(
        frozenset({"watches"}),
        "these are several watches, which cannot be loaded: privcheck.read_watches reads their store",
        is_listed=True,
    ),
    OtherKind(
        frozenset({"sweep", "cells"}),
        "these are the cells of a sweep, which cannot be loaded: privcheck.read_sweep reads its folder",
        has_verdicts=True,
    ),
    OtherKind(
        frozenset({"algorithms", "mechanisms", "environments", "theorems"}),
        "this is the list of what is shipped, and no result",
    ),
)
"""The kinds; the first whose fields are all there is meant."""


def other_kind(source: JsonSource) -> OtherKind | None:
    """Return of which of the kinds a file is; None for results that can be loaded, and for other files.

    >>> from pathlib import Path
    >>> source = JsonSource(Path("a.json"), 0.0, "", {"schema_version": 3, "claimed_regret": {}}, "path", "a result")
    >>> other_kind(source).reason[:24], other_kind(replace(source, content={"claimed_regret": {}}))
    ('this is a claimed regret', None)
    """
    return next((kind for kind in KINDS if source.holds({*kind.fields, "schema_version"})), None)


def refuse_unread(source: JsonSource) -> None:
    """Refuse to load a file of such a kind.

    Raises
    ------
    PrivcheckError : what it is.
    """
    if (kind := other_kind(source)) is not None:
        raise replace(source, expected=READ_BACK).refused(kind.reason)


def refuse_unlisted(source: JsonSource) -> None:
    """Refuse to list a file of such a kind, unless a report has a row for it.

    Raises
    ------
    PrivcheckError : what it is; with `LISTED` as what is expected if it holds no verdict.
    """
    kind = other_kind(source)
    if kind is not None and not kind.is_listed:
        raise (source if kind.has_verdicts else replace(source, expected=LISTED)).refused(kind.reason)
