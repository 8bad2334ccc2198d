"""What bounds from numbers have in common: they say what they take on the user's word."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from privcheck.tables import Row


class BoundFromNumbers:
    """What a bound from samples, scores or laws of the user has beside its fields.

    A field of its own has the metadata `PROVIDED`, so that its JSON says what is taken on the user's word, too.
    """

    columns: ClassVar[tuple[str, ...]]
    """The fields of its row."""

    @property
    def provided(self) -> tuple[str, ...]:
        """What is taken on the user's word, in words that follow "that"."""
        raise NotImplementedError

    @property
    def conditions(self) -> str:
        """The same as a sentence."""
        return f"Provided that {'; that '.join(self.provided)}."

    def tables(self) -> dict[str, Callable[[], list[Row]]]:
        """Return "bound", one row."""
        return {"bound": lambda: [self._row()]}

    def _row(self) -> Row:
        return {name: getattr(self, name) for name in self.columns} | {"provided": "; ".join(self.provided)}


PROVIDED = {"json_too": "provided"}
"""Metadata of the field that `provided` follows in the JSON."""
