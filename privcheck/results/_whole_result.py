"""What results have in common whose JSON holds all of their fields."""

from __future__ import annotations

from typing import Self

from privcheck.serialise import to_json
from privcheck.tables import Result


class WholeResult(Result):
    """A result that is written field by field, and read back by the types of its fields."""

    def to_json(self) -> str:
        """Return all fields as JSON text, `schema_version` first, infinities as "inf"."""
        return to_json(self)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the result whose `to_json` gave this text.

        Raises
        ------
        PrivcheckError : text that is not JSON, or no such result of a version that can be read, or one that
            contradicts itself.
        """
        from privcheck.results._read_json import read_as

        return read_as(cls, text)
