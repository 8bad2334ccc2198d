"""The outputs of independent runs: symbols, numbers, or both."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from privcheck.arrays import Array, Symbols


@dataclass(frozen=True, eq=False)
class Outputs:
    """The outputs of n runs.

    Parameters
    ----------
    symbols : shape (n, D), integers: actions in order, or the discrete parts of an output.
    numbers : shape (n, E), floats: released statistics, or the real parts of an output; NaN where a run has fewer.
    ratios : shape (n,), ln of the likelihood ratio of the recorded releases, first stream over second, if it is
        known; None otherwise.

    Examples
    --------
    >>> runs = Outputs.of_symbols(np.array([[0, 1], [1, 1]], np.int8))
    >>> len(runs), len(runs[:1]), Outputs.joined([runs, runs]).symbols.shape
    (2, 1, (4, 2))
    """

    symbols: Symbols
    numbers: Array
    ratios: Array | None = None
    memo: dict[Any, Any] = field(default_factory=dict, repr=False)
    """Scores that have already been computed, by what computed them."""
    names: dict[int, str] = field(default_factory=dict, repr=False)
    """What the symbols at most `CODED` stand for: texts, exceptions, structures."""

    @classmethod
    def of_symbols(cls, symbols: Symbols) -> Outputs:
        """Return outputs that have only discrete parts."""
        return cls(symbols, np.zeros((len(symbols), 0)))

    @classmethod
    def of_numbers(cls, numbers: Array) -> Outputs:
        """Return outputs that have only real parts."""
        return cls(np.zeros((len(numbers), 0), np.int8), numbers)

    @classmethod
    def joined(cls, parts: Sequence[Outputs]) -> Outputs:
        """Return the runs of all parts, in order; shorter outputs are padded, ratios with NaN where a part has none."""
        known = any(part.ratios is not None for part in parts)
        ratios = [np.full(len(part), np.nan) if part.ratios is None else part.ratios for part in parts if known]
        return cls(
            np.concatenate(padded([part.symbols for part in parts], MISSING)),
            np.concatenate(padded([part.numbers for part in parts], np.nan)),
            np.concatenate(ratios) if known else None,
            names={code: name for part in parts for code, name in part.names.items()},
        )

    def __len__(self) -> int:
        return len(self.symbols)

    def __getitem__(self, runs: slice) -> Outputs:
        ratios = None if self.ratios is None else self.ratios[runs]
        return Outputs(self.symbols[runs], self.numbers[runs], ratios, names=self.names)

    def keeping(self, *found: Any) -> Outputs:
        """Return the same runs, with nothing of what has been computed but this.

        >>> runs = Outputs(np.zeros((1, 1), np.int8), np.zeros((1, 0)), memo={"scores": 1, "distinct": 2})
        >>> runs.keeping("distinct").memo
        {'distinct': 2}
        """
        memo = {name: self.memo[name] for name in found if name in self.memo}
        return Outputs(self.symbols, self.numbers, self.ratios, memo, self.names)

    @property
    def places(self) -> tuple[list[str], list[str]]:
        """Where the symbols after the first one, and the numbers, stand in outputs of one structure.

        Empty lists stand for places that are not known: of flat lists, of several structures, or of symbols where NaN
        is one of them.

        >>> from privcheck.targets._output_parts import outputs_of
        >>> outputs_of([{"mean": 0.5, "best": "a"}, {"mean": 0.7, "best": None}]).places
        (["['best']"], ["['mean']"])
        >>> outputs_of([{"mean": 0.5}, {"mode": 0.7}]).places, outputs_of([[0.5, 0.7]]).places
        (([], []), ([], []))
        """
        first = self.symbols[:, :1]
        if not first.size or (first != first[0]).any():
            return [], []
        symbols, numbers = json.loads(self.names.get(code_of(f"{PLACES}{first[0, 0]}"), "[[], []]"))
        known = self.symbols.shape[1] == 1 + len(symbols), self.numbers.shape[1] == len(numbers)
        return symbols if known[0] else [], numbers if known[1] else []

    def differs(self, other: Outputs) -> npt.NDArray[np.bool_]:
        """Return for every part of an output, symbols first, whether it differs in any run."""
        pairs = ((self.symbols, other.symbols), (self.numbers, other.numbers))
        if any(one.shape != two.shape for one, two in pairs):
            return np.ones(1, bool)
        return np.concatenate([((one != two) & ((one == one) | (two == two))).any(axis=0) for one, two in pairs])


Sides = tuple[Outputs, Outputs]
"""Runs on the first and on the second stream."""


def joined_sides(parts: Sequence[Sides]) -> Sides:
    """Return the runs of all parts on the first stream, and those on the second."""
    return Outputs.joined([one for one, _ in parts]), Outputs.joined([two for _, two in parts])


def narrowed(sides: Sides) -> Sides:
    """Return the same runs without the last parts that none of them has, which other runs may have had.

    >>> one = Outputs.of_numbers(np.array([[1.0, np.nan], [2.0, np.nan], [3.0, 4.0]]))
    >>> narrowed((one[:2], one[:1]))[0].numbers.tolist()
    [[1.0], [2.0]]
    """
    symbols = max(_width(side.symbols != MISSING) for side in sides)
    numbers = max(_width(~np.isnan(side.numbers)) for side in sides)
    first, second = (
        Outputs(side.symbols[:, :symbols], side.numbers[:, :numbers], side.ratios, names=side.names) for side in sides
    )
    return first, second


def _width(present: npt.NDArray[np.bool_]) -> int:
    return int(np.flatnonzero(present.any(axis=0)).max(initial=-1)) + 1


MISSING = int(np.iinfo(np.int64).min)
"""The symbol that pads a shorter output: the smallest integer, which no output contains."""

CODED = -(2**62)
"""Symbols from `MISSING` up to this one stand for texts and the like; others are integers of an output."""

PLACES = "places of "
"""With the symbol of a structure, the text whose symbol, which no output has, stands for the places of its parts."""


def code_of(text: str) -> int:
    """Return the symbol of a text: the same in every run and in every process, at most `CODED`.

    >>> code_of("'a'") == code_of("'a'"), code_of("'a'") <= CODED
    (True, True)
    """
    return CODED - int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:7], "big")


def alike(outputs: Sequence[Outputs]) -> list[Outputs]:
    """Return the same outputs padded to one shape, with likelihood ratios in all of them if any has some.

    Those of a run never depend on the other runs, or events of them would tell more than a run shows.

    >>> first, second = Outputs.of_numbers(np.zeros((1, 1))), Outputs.of_numbers(np.ones((1, 2)))
    >>> [part.numbers.tolist() for part in alike([first, second])]
    [[[0.0, nan]], [[1.0, 1.0]]]
    """
    symbols = padded([part.symbols for part in outputs], MISSING)
    numbers = padded([part.numbers for part in outputs], np.nan)
    known = any(part.ratios is not None for part in outputs)
    missing = (np.full(len(part), np.nan) if part.ratios is None else part.ratios for part in outputs)
    ratios = list(missing) if known else [None] * len(outputs)
    names = [part.names for part in outputs]
    return [Outputs(s, x, r, names=n) for s, x, r, n in zip(symbols, numbers, ratios, names, strict=True)]


def fitted(array: npt.NDArray[Any], width: int, fill: float) -> npt.NDArray[Any]:
    """Return an array of shape (n, width): a wider one is cut, a narrower one padded.

    >>> fitted(np.ones((1, 1)), 2, np.nan).tolist(), fitted(np.ones((1, 3)), 2, np.nan).tolist()
    ([[1.0, nan]], [[1.0, 1.0]])
    """
    if array.shape[1] >= width:
        return array[:, :width]
    return padded([array, np.zeros((0, width), array.dtype)], fill)[0]


def padded(arrays: list[npt.NDArray[Any]], fill: float) -> list[npt.NDArray[Any]]:
    """Return arrays of shape (n, D) with the largest D among them, padded where they are narrower.

    >>> [array.tolist() for array in padded([np.zeros((1, 1)), np.ones((1, 2))], np.nan)]
    [[[0.0, nan]], [[1.0, 1.0]]]
    """
    width = max(array.shape[1] for array in arrays)
    if all(array.shape[1] == width for array in arrays):
        return arrays
    wide = [array.astype(np.float64 if array.dtype.kind == "f" else np.int64) for array in arrays]
    return [np.pad(array, ((0, 0), (0, width - array.shape[1])), constant_values=fill) for array in wide]
