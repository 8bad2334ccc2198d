"""What a private array and its views share."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import ref

from privcheck.arrays import Array
from privcheck.private_values.terms import Terms

if TYPE_CHECKING:
    from privcheck.private_values.source import PrivateSource


class Cell:
    """The entries that an array and its views share: their public parts and terms, and where their data come from."""

    __slots__ = ("__weakref__", "const", "epoch", "reused", "size", "source", "terms")

    def __init__(self, source: PrivateSource | None, terms: Terms, const: Array) -> None:
        self.source: PrivateSource | None = None
        self.terms, self.const, self.size = terms, const, const.size
        self.epoch, self.reused = -1, False
        self.join(source)

    def join(self, source: PrivateSource | None) -> None:
        """Belong to a source, which keeps what the terms refer to for as long as this lives."""
        if source is not None and self.source is None:
            self.source = source
            source.cells.append(ref(self))

    def settle(self) -> None:
        """Replace draws of noise that are known by what they have become."""
        if self.source is None or self.epoch == (epoch := self.source.draws.epoch):
            return
        self.epoch = epoch
        added, self.terms, reused = self.source.draws.substituted(self.terms, self.size)
        if added is not None:
            self.const += added.reshape(self.const.shape)
            self.reused = self.reused or reused
