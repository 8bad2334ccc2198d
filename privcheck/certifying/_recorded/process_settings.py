"""What policies set for the whole process: from a snapshot no constructor is called, which would set it again."""

from __future__ import annotations

import locale
import logging
import os
import pickle
import random
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from privcheck.errors import PrivcheckError, words


def _folder() -> str | None:
    """Return the folder of the process; None if it is there no more."""
    try:
        return str(Path.cwd())
    except OSError:
        return None


VALUES: Mapping[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "sys.setrecursionlimit": (sys.getrecursionlimit, sys.setrecursionlimit),
    "sys.set_int_max_str_digits": (sys.get_int_max_str_digits, sys.set_int_max_str_digits),
    "sys.setswitchinterval": (sys.getswitchinterval, sys.setswitchinterval),
    "os.chdir": (_folder, lambda folder: None if folder is None else os.chdir(folder)),
    "locale.setlocale": (partial(locale.setlocale, locale.LC_ALL), partial(locale.setlocale, locale.LC_ALL)),
}
"""Settings that are one value, each with what returns it and what sets it."""

GENERATORS: Mapping[str, Callable[[], Any]] = {"random": random.getstate, "numpy.random": np.random.get_state}
"""Generators of the process, each with what returns its state."""

FOLDER = "os.chdir"
"""The name of the folder among the values, and of its audit event; no environment variable has it by accident."""

MOVED = ("values", "path", "options", "levels")
"""Settings that are compared before a call and after it."""

WATCHED = 64
"""Calls of a policy that are watched, as its constructor is: what it sets, it sets early."""


class _Now(NamedTuple):
    """The settings of the process at one moment."""

    values: dict[str, Any]
    path: dict[str, bool]
    options: dict[str, Any]
    levels: dict[str, int]
    filters: list[Any]
    generators: dict[str, bytes]

    @classmethod
    def read(cls, *, generators: bool = False) -> _Now:
        values = {name: read() for name, (read, _) in VALUES.items()}
        states = {name: pickle.dumps(state()) for name, state in GENERATORS.items()} if generators else {}
        path = dict.fromkeys(sys.path, True)
        return cls(values, path, _options(), _levels(), [*warnings.filters], states)


class ProcessSettings:
    """What the policies of a scope have set for the process, or had set before a snapshot from which one goes on.

    Of the environment and the folder it has what the policy's own thread sets, with the value that it set. Of the rest
    it cannot tell what another thread sets meanwhile, nor what a policy sets that is set already.

    Examples
    --------
    >>> settings, before = ProcessSettings(), sys.getrecursionlimit()
    >>> with settings.watched():
    ...     sys.setrecursionlimit(before + 1)
    >>> said = settings.said()
    >>> sys.setrecursionlimit(before)
    >>> ProcessSettings().set_again(said)
    >>> sys.getrecursionlimit() - before
    1
    >>> sys.setrecursionlimit(before)
    """

    def __init__(self) -> None:
        self._set: dict[str, dict[str, Any]] = {name: {} for name in (*MOVED, "environ")}
        self._filters, self._anew = list[Any](), False

    @contextmanager
    def watched(self) -> Iterator[set[str]]:
        """Take note of what the block sets; yield what takes the generators of the process that it moved, if no other
        thread can have moved them.
        """
        alone = threading.active_count() == 1
        before, seeded, changed = _Now.read(generators=alone), set[str](), set[str]()
        try:
            with _own_changes(changed):
                yield seeded
        finally:
            after = _Now.read(generators=alone)
            for name in MOVED:
                old, new = getattr(before, name), getattr(after, name)
                moved = {key for key in {**old, **new} if old.get(key) != new.get(key)}
                self._set[name] |= {key: new.get(key) for key in moved if key != FOLDER or FOLDER in changed}
            self._set["environ"] |= {key: os.environ.get(key) for key in changed if key != FOLDER}
            if after.filters != before.filters:
                self._add(before.filters, after.filters)
            seeded |= {name for name, state in after.generators.items() if state != before.generators[name]}

    def said(self) -> dict[str, Any]:
        """Return these settings, for a snapshot."""
        said = {name: dict(known) for name, known in self._set.items()}
        said["options"] = {key: value for key, value in said["options"].items() if value is not None}
        return {**said, "filters": [*self._filters], "anew": self._anew}

    def set_again(self, said: Mapping[str, Any]) -> None:
        """Set what a snapshot has; one of an earlier version has nothing."""
        if not said:
            return
        for name, known in self._set.items():
            known.update(said.get(name, {}))
        for name, value in said["values"].items():
            try:
                VALUES[name][1](value)
            except (OSError, ValueError, locale.Error) as error:
                got = words(f"a snapshot after {name}({value!r}), which fails now: {error}")
                raise PrivcheckError(
                    "policy", got, "one whose settings can be made again", "restore what it names"
                ) from error
        sys.path[:0] = [folder for folder, there in said["path"].items() if there and folder not in sys.path]
        for key, text in said["environ"].items():
            if text is None:
                os.environ.pop(key, None)
            else:
                os.environ[key] = text
        for name, value in said["options"].items():
            import_module("pandas").set_option(name, value)
        for name, level in said.get("levels", {}).items():
            _set_level(name, level)
        if said["anew"]:
            warnings.resetwarnings()
        for action, message, category, module, line in reversed(said["filters"]):
            warnings.filterwarnings(action, _pattern(message), category, _pattern(module), line)
        self._filters = [*said["filters"], *(one for one in self._filters if one not in said["filters"])]
        self._anew = self._anew or said["anew"]

    def _add(self, before: list[Any], after: list[Any]) -> None:
        """Take note of the filters that were put in front of others; if it was not only that, of all of them."""
        for count in range(len(after) + 1):
            if after[count:] == [one for one in before if one not in after[:count]]:
                self._filters = [*after[:count], *(one for one in self._filters if one not in after[:count])]
                return
        self._filters, self._anew = after, True


_OF: dict[tuple[str, str | None], ProcessSettings] = {}


def settings_of(ledger: str | os.PathLike[str] | None, scope: str | None) -> ProcessSettings:
    """Return those of a scope, which its guards in this process share: the second finds set what its policy sets.
    Without a ledger they are those of one guard.

    >>> settings_of("a.db", "news") is settings_of("./a.db", "news"), settings_of("a.db", "shop")._set["environ"]
    (True, {})
    """
    if ledger is None:
        return ProcessSettings()
    return _OF.setdefault((os.path.realpath(ledger), scope), ProcessSettings())


_changes = threading.local()
_hooked = False


@contextmanager
def _own_changes(seen: set[str]) -> Iterator[None]:
    """Add the environment variables that this thread sets or deletes in the block, and `FOLDER`.

    An audit hook sees them, which is installed at the first use: no hook can be removed.
    """
    global _hooked
    if not _hooked:
        _hooked = True
        sys.addaudithook(_hook)
    outer = getattr(_changes, "seen", None)
    try:
        _changes.seen = seen
        yield
    finally:
        _changes.seen = outer


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if event not in (FOLDER, "os.putenv", "os.unsetenv"):
        return
    if (seen := getattr(_changes, "seen", None)) is not None:
        seen.add(FOLDER if event == FOLDER else os.fsdecode(arguments[0]))


def _pattern(written: Any) -> str:
    return written if isinstance(written, str) else "" if written is None else str(written.pattern)


DISABLED = ""
"""Stands among the loggers for the level below which all are silent."""


def _levels() -> dict[str, int]:
    """Return the levels of loggers, on which it depends which messages are written."""
    loggers = [
        (name, one) for name, one in [*logging.root.manager.loggerDict.items()] if isinstance(one, logging.Logger)
    ]
    levels = {name: one.level for name, one in (("root", logging.root), *loggers) if one.level}
    return {**levels, DISABLED: logging.root.manager.disable}


def _set_level(name: str, level: int | None) -> None:
    if name == DISABLED:
        logging.disable(level or logging.NOTSET)
    else:
        logging.getLogger(name).setLevel(level or logging.NOTSET)


def _options() -> dict[str, Any]:
    """Return the options of pandas that are not what they are when it is loaded."""
    options = _flat(getattr(getattr(sys.modules.get("pandas"), "options", None), "d", {}))
    known = getattr(sys.modules.get("pandas._config.config"), "_registered_options", {})
    return {name: value for name, value in options if name in known and value != known[name].defval}


def _flat(options: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in options.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value
