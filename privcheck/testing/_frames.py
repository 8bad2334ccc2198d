"""What a failed `BanditMachine` shows: the message and the steps, or the user's own lines; no frames of ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from privcheck.testing._assertion import PrivacyFailure

MACHINE = "privcheck.testing._bandit_machine"


def _inside(path: Any, folders: tuple[Path, ...]) -> bool:
    return any(Path(path).is_relative_to(folder) for folder in folders)


def of_machine(excinfo: pytest.ExceptionInfo[BaseException]) -> bool:
    """Return whether a test failed within a `BanditMachine`."""
    return any(_home(entry) == MACHINE for entry in excinfo.traceback)


def _home(entry: Any) -> str | None:
    """Return the name of the module of a frame."""
    name: str | None = entry.frame.f_globals.get("__name__")
    return name


def shown(excinfo: pytest.ExceptionInfo[BaseException], style: Any) -> Any:
    """Return how pytest shows the failure: the user's own frames of an exception of theirs, else the message alone."""
    import hypothesis

    folders = (Path(__file__).parents[1], Path(hypothesis.__file__).parent)
    frames = list(excinfo.traceback)
    machine = next(place for place, entry in enumerate(frames) if _home(entry) == MACHINE)
    own = [entry for entry in frames[machine:] if not _inside(entry.path, folders)]
    if isinstance(excinfo.value, PrivacyFailure) or not own:
        told: Any = excinfo.getrepr(style="value")
        for note in getattr(excinfo.value, "__notes__", ()):  # the steps, from hypothesis
            told.reprtraceback.reprentries[0].lines += note.splitlines()
        return told
    excinfo.traceback = pytest.ExceptionInfo.from_exception(excinfo.value).traceback
    excinfo.traceback[:] = own
    return excinfo.getrepr(style="long" if style == "auto" else style, chain=False)
