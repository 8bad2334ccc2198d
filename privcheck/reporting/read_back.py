"""Results read back from the files that `save` and the commands wrote."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from privcheck.claims.finding import findings_from_json
from privcheck.errors import PrivcheckError
from privcheck.reporting.bounds_files import read_bounds
from privcheck.results.audit_report import AuditReport
from privcheck.results.certificate import Certificate
from privcheck.results.frontier_points import Frontier
from privcheck.results.law_bound import LawBound
from privcheck.results.one_run_bound import OneRunBound
from privcheck.results.sample_bound import SampleBound
from privcheck.results.simulation import Simulation
from privcheck.serialise import ILL_TYPED, READABLE_VERSIONS, readable_versions
from privcheck.tables import Result

EXPECTED = "a file that the save method of a result, or a command with --json, wrote"

READERS: tuple[tuple[set[str], Callable[[str], Result]], ...] = (
    ({"target", "verdict", "epsilon_lower"}, AuditReport.from_json),
    ({"target", "granted", "coverage"}, Certificate.from_json),
    ({"instance", "bounds"}, lambda text: read_bounds(json.loads(text))),
    ({"frontier", "points"}, Frontier.from_json),
    ({"epsilon_lower", "canaries"}, OneRunBound.from_json),
    ({"epsilon_lower", "counted_runs", "likelier"}, SampleBound.from_json),
    ({"epsilon_lower", "log_ratio", "at"}, LawBound.from_json),
)
"""The fields that identify a result of each kind, and what reads it."""


def load(path: str | Path) -> Any:
    """Return the result in a file.

    Parameters
    ----------
    path : a .json file of an audit, a certificate, bounds, claims or a bound from samples or one run, which `save` or a
        command with `--json` wrote; or a .npz file of a simulation, which `save` wrote. Results of earlier versions of
        privcheck can be read, too.

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

    def refused(reason: str) -> PrivcheckError:
        return PrivcheckError("path", str(path), EXPECTED, reason)

    try:
        text = file.read_text(encoding="utf-8")
        content = json.loads(text)
    except OSError as error:
        raise refused(f"{error.strerror}") from None
    except (ValueError, RecursionError):
        raise refused("it is not JSON") from None
    keys = set(content) if isinstance(content, dict) else set()
    if "claims" in keys:
        return findings_from_json(file)
    if {"results", "runs"} <= keys:
        raise refused("the JSON of a simulation has no runs: save it as .npz to load it again")
    read = next((reader for fields, reader in READERS if fields <= keys), None)
    if read is None:
        raise refused("its fields match no result that can be loaded")
    version = content.get("schema_version")
    if type(version) is not int or version not in READABLE_VERSIONS:
        raise refused(f"its schema_version is not {readable_versions()}")
    try:
        return read(text)
    except PrivcheckError as error:
        raise refused(str(error)) from None
    except ILL_TYPED:
        raise refused("a field is missing or has the wrong type") from None
