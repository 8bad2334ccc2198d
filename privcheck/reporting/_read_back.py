"""Results read back from the files that `save` and the commands wrote."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from privcheck.claims import Findings, findings_from_text
from privcheck.reporting._bounds_files import read_bounds
from privcheck.reporting._json_source import read_source
from privcheck.reporting._other_kinds import refuse_unread
from privcheck.reporting._text.claim_sentences import evidence_sentences
from privcheck.results import (
    AuditReport,
    Certificate,
    Fix,
    Frontier,
    LawBound,
    OneRunBound,
    SampleBound,
    Simulation,
    StepsReport,
    WatchReport,
)
from privcheck.tables import Result

EXPECTED = "a file that the save method of a result, or a command with --json, wrote"


def _findings(text: str) -> Findings:
    """Return findings whose evidence can be told: a part of it that is missing would be missed when they are shown."""
    found = findings_from_text(text)
    for finding in found:
        evidence_sentences(finding)
    return found


READERS: tuple[tuple[set[str], Callable[[str], Result]], ...] = (
    ({"target", "verdict", "epsilon_lower"}, AuditReport.from_json),
    ({"target", "granted", "coverage"}, Certificate.from_json),
    ({"instance", "bounds"}, lambda text: read_bounds(json.loads(text))),
    ({"frontier", "points"}, Frontier.from_json),
    ({"epsilon_lower", "canaries"}, OneRunBound.from_json),
    ({"epsilon_lower", "counted_runs", "likelier"}, SampleBound.from_json),
    ({"epsilon_lower", "log_ratio", "at"}, LawBound.from_json),
    ({"target", "outcome", "patches", "finding"}, Fix.from_json),
    ({"nights", "versions", "alarms"}, WatchReport.from_json),
    ({"target", "steps", "best", "provided"}, StepsReport.from_json),
    ({"claims"}, _findings),
)
"""The fields that identify a result of each kind, and what reads it."""


def load(path: str | Path) -> Any:
    """Return the result in a file.

    Parameters
    ----------
    path : a .json file of an audit, a certificate, bounds, claims, a watch, a fix, noisy steps or a bound from samples
        or one run, which `save` or a command with `--json` wrote; or a .npz file of a simulation, which `save` wrote.
        Results of earlier versions of privcheck can be read, too.

    Returns
    -------
    The result, of the class that was saved.

    Raises
    ------
    PrivcheckError : a file that cannot be read, or holds something else.

    Examples
    --------
    >>> import tempfile
    >>> from privcheck.bounds import evaluate, named_instance
    >>> found = evaluate(named_instance("c2", epsilon=1.0))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found.save(f"{folder}/bounds.json")
    ...     load(f"{folder}/bounds.json") == found
    True
    """
    file = Path(path)
    if file.suffix.lower() == ".npz":
        return Simulation.read_npz(file)

    source = read_source(path, "path", EXPECTED)
    refuse_unread(source)
    read = next((reader for fields, reader in READERS if source.holds(fields)), None)
    if read is None:
        raise source.refused("its fields match no result that can be loaded")
    return source.read_by(lambda source: read(source.text))
