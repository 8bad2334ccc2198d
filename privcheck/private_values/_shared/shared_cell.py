"""The entries that a private array and its views share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import ref

from privcheck.arrays import Array
from privcheck.private_values._columns import ONE_AT_A_TIME
from privcheck.private_values._terms import Terms

if TYPE_CHECKING:
    from privcheck.private_values._source import PrivateSource


class Cell:
    """The entries that an array and its views share: their public parts and terms, and where their data come from.

    In `lent` is the first line at which other code asked numpy for an array of its own of these entries. Of an array of
    numpy's, that is the array itself: it would see what is written into it later.
    """

    __slots__ = (
        "__weakref__",
        "compared",
        "const",
        "epoch",
        "kind",
        "lent",
        "made",
        "reads_noise",
        "reused",
        "size",
        "source",
        "terms",
    )

    def __init__(self, source: PrivateSource | None, terms: Terms, const: Array) -> None:
        self.source: PrivateSource | None = None
        self.terms, self.const, self.size = terms, const, const.size
        self.epoch, self.reused, self.compared, self.kind = -1, False, "", "f"
        self.made: Any = None
        self.reads_noise, self.lent = False, ""
        self.join(source)

    def join(self, source: PrivateSource | None) -> None:
        """Belong to a source, which keeps what the terms refer to for as long as this lives."""
        if source is not None and self.source is None:
            self.source = source
            source.cells.append(ref(self))

    def replace(self, terms: Terms) -> None:
        """Hold other terms, in which draws of noise may be known that these have not been settled with."""
        self.terms, self.epoch, self.compared = terms, -1, ""
        if self.lent and terms.count and self.source is not None and self.source.on_lent is not None:
            self.source.on_lent(self.lent)

    def settle(self) -> None:
        """Replace draws of noise that are known by what they have become."""
        while self.source is not None and self.epoch != (epoch := self.source.draws.epoch):
            with ONE_AT_A_TIME:
                added, terms, reused = self.source.draws.substituted(self.terms, self.size)
                if added is not None:
                    self.const += added.reshape(self.const.shape)
                    self.reused = self.reused or (reused and terms.count > 0)
                self.terms, self.epoch = terms, epoch

    def kept(self) -> tuple[Any, ...]:
        """Return all that it holds, for `put_back`."""
        return self.source, self.terms, self.const.copy(), self.epoch, self.reused, self.compared, self.kind

    def put_back(self, held: tuple[Any, ...]) -> None:
        """Hold again what `kept` returned; other arrays that share the entries see it, too."""
        self.source, self.terms, const, self.epoch, self.reused, self.compared, self.kind = held
        self.const[...] = const
