"""Which lines of a target that matter for privacy no explored execution has reached."""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from privcheck.certifying._decided_conditions import lasting_attributes
from privcheck.certifying._own_code import OwnCode, unreadable_note
from privcheck.certifying._private_pieces import PrivatePieces
from privcheck.certifying._reached_code import ReachedCode
from privcheck.feedback import kind
from privcheck.results import UnreachedLine


class CodeCoverage:
    """The lines of a policy's own code that run while it is watched, over all of its runs.

    Parameters
    ----------
    feedback : id of the kind of feedback, which says what is called and what `update` is told.
    """

    def __init__(self, feedback: str) -> None:
        by = kind(feedback)
        self._called, self._read, self._learns = by.methods, tuple(by.attributes), by.learns
        self._private = [i for i, name in enumerate(by.told) if name not in by.public]
        self._reached = ReachedCode()
        self._by_type: dict[type, tuple[OwnCode, PrivatePieces, dict[str, Any]]] = {}

    @contextmanager
    def watching(self, policy: Any) -> Iterator[None]:
        """Take note of what runs in the block, in which a newly built policy plays."""
        if type(policy) not in self._by_type:
            code = OwnCode(policy, self._called, self._read, self._learns)
            pieces = PrivatePieces(code, self._private)
            self._by_type[type(policy)] = code, pieces, lasting_attributes(policy)
            self._reached.add(pieces.pieces, [own.function.__code__ for own in code.functions])
        self._compare(policy)
        try:
            with self._reached:
                yield
        finally:
            self._compare(policy)

    def _compare(self, policy: Any) -> None:
        """Forget the attributes in which a policy differs from the runs before, or from what it was built with."""
        lasting = self._by_type[type(policy)][2]
        held = lasting_attributes(policy)
        for name, value in list(lasting.items()):
            if name not in held or type(held[name]) is not type(value) or held[name] != value:  # private ones refuse !=
                del lasting[name]

    @property
    def notes(self) -> list[str]:
        """What could not be read."""
        names = [name for code, _, _ in self._by_type.values() for name in code.unreadable]
        return [unreadable_note(names)] if names else []

    @property
    def unreached(self) -> list[UnreachedLine]:
        """The lines with pieces that have not run, in the order of files and lines."""
        can_run = [pieces.can_run(lasting) for _, pieces, lasting in self._by_type.values()]
        pieces = self._reached.unreached & set().union(*can_run)
        places = sorted({(piece.file, piece.start[0]) for piece in pieces})
        return [UnreachedLine(Path(file).name, line, linecache.getline(file, line).strip()) for file, line in places]
