"""Where a private value comes from: a comparison, a choice or a conversion of the code, or its noise."""

from __future__ import annotations

from typing import Any, Self

from privcheck.private_values._leaks import Made, own_call


class Origins:
    """What numbers and arrays tell of where they come from, for the messages about what is done with them."""

    __slots__ = ()

    source: Any
    terms: Any
    is_public: Any
    holds_draws: Any
    _cell: Any

    def as_indicator(self, comparison: str) -> Self:
        """Return this number, which is 0 or 1 whatever the data are, as the result of a comparison."""
        self._cell.kind, self._cell.compared = "b", comparison
        return self

    @property
    def is_indicator(self) -> bool:
        """Whether it is the result of comparing values of one datum each, so that its entries are 0 or 1."""
        return bool(self._cell.compared)

    @property
    def compared(self) -> str:
        """The comparison of which it is the result."""
        return str(self._cell.compared)

    @property
    def made(self) -> Made | None:
        """Where code chose it by a datum, or converted it; None if it did not."""
        made: Made | None = self._cell.made
        return made

    def made_here(self, compared: str = "", operation: str = "") -> Self:
        """Return this number after noting which line of the policy's code computed it, and by what: see `Made`."""
        self._cell.made = Made(*own_call(), compared, operation)
        if self.source is not None:
            self.source.chooses = True
        return self

    def made_at(self, file: str, line: int, function: str) -> None:
        """Note where it stands."""
        self._cell.made = Made(file, line, function)

    @property
    def met_noise(self) -> Made | None:
        """Where the noise in it met private data, if it holds some that cannot be read."""
        if not self.holds_draws:
            return None
        drawn = (self.source.draws[number] for number in self.terms.features.tolist() if number < 0)
        return next((Made(*draw.met) for draw in drawn if draw.met is not None), None)

    def reading_noise(self) -> Self:
        """Return this array, which stands for one of numpy: what holds noise is read when it is assigned."""
        self._cell.reads_noise = True
        return self
