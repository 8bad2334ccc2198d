"""Imports from checkouts, one project at a time: several of them call their modules by the same names."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from audits.wild.implementation import Project


@contextmanager
def importable(project: Project, repositories: Path | None) -> Iterator[None]:
    """Put the folders of a checkout at the head of the path; forget its modules afterwards."""
    folders: list[str] = []
    if project.owner and repositories is not None:
        folders = [str((repositories / project.name / folder).resolve()) for folder in project.folders]
    sys.path[:0] = folders
    importlib.invalidate_caches()
    before = set(sys.modules)
    try:
        yield
    finally:
        sys.path[:] = [place for place in sys.path if place not in folders]
        for name in set(sys.modules) - before if folders else ():
            file = getattr(sys.modules[name], "__file__", None) or ""
            places = [file, *map(str, getattr(sys.modules[name], "__path__", ()))]
            if any(place.startswith(folder) for place in places for folder in folders):
                del sys.modules[name]
