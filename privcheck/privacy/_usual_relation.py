"""The neighbour relation where none is asked for."""

from __future__ import annotations

from collections.abc import Collection


class UsualRelation(str):
    """The name of a neighbour relation that nobody has asked for: a default, which depends on the kind of feedback."""

    __slots__ = ()

    def under(self, feedback: str, contextual_kinds: Collection[str]) -> str:
        """Return the name of the relation for a kind of feedback; contextual ones have one alone.

        >>> ROW.under("bandit", ["contextual"]), ROW.under("contextual", ["contextual"])
        ('row', 'context-reward')
        """
        return "context-reward" if feedback in contextual_kinds else "".join(self)


ROW = UsualRelation("row")
"""The relation if none is given, except that contextual feedback has one of its own."""
