"""The versions of the JSON of results: the one that is written, and those of earlier releases that can be read."""

from __future__ import annotations

from typing import Any

SCHEMA_VERSION = 3
"""What is written. In version 1 the coverage of a certificate was called "all-executions"; since version 3 a
certificate says whether it is complete.

A field that a later version adds has a default, with which files of earlier ones are read; what changed otherwise is
the concern of a hook of `privcheck.serialise`, which receives the version of the file.
"""

GROWING = 3
"""From this version on fields are added without another one: a reader leaves out those that it does not know."""

READABLE_VERSIONS = range(1, SCHEMA_VERSION + 1)


def version_of(content: Any) -> int | None:
    """Return the version of a result's parsed JSON; None if it is no result, or of a version that cannot be read.

    >>> version_of({"schema_version": 1}), version_of({"schema_version": 99}), version_of([1])
    (1, None, None)
    """
    version = content.get("schema_version") if isinstance(content, dict) else None
    return version if type(version) is int and version in READABLE_VERSIONS else None


def readable_versions() -> str:
    """Return the versions that can be read, in words.

    >>> readable_versions()
    '1, 2 or 3'
    """
    *earlier, last = map(str, READABLE_VERSIONS)
    return f"{', '.join(earlier)} or {last}"
