"""Where a target's own code reads a collection that is longer than the rounds that ran, and goes on at its end.

`next(self.pool, 0.0)` adds no noise once 64 draws are used up; `self.noise[t % len(self.noise)]` adds the first of them
again. No number beyond the horizon is spelled out at such a line: the length of the collection is one.
"""

from __future__ import annotations

import ast
import gc
import inspect
import math
import operator
from array import array
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from privcheck.certifying._later_rounds.named_numbers import NamedNumbers
from privcheck.certifying._own_code import OwnCode, OwnFunction, attributes
from privcheck.certifying._syntax import CONSTRUCTORS, arguments_of, body_nodes, called_name
from privcheck.private_values import Private

SIZE_AT = {
    **dict.fromkeys(("zeros", "ones", "empty", "full", "eye", "random", "permutation"), 0),
    **dict.fromkeys(("standard_normal", "standard_exponential", "standard_cauchy"), 0),
    **dict.fromkeys(("exponential", "poisson", "geometric", "standard_gamma", "choice", "tile", "repeat"), 1),
    **dict.fromkeys(("laplace", "normal", "gumbel", "logistic", "uniform", "gamma", "integers", "binomial"), 2),
    **dict.fromkeys(("linspace", "logspace", "geomspace"), 2),
}
"""Which argument of a function is the size of what it makes."""

AS_A_WHOLE = frozenset(
    {"sum", "max", "min", "any", "all", "mean", "std", "var", "argmax", "argmin", "dot", "norm", "fill", "clear"}
)
"""Functions and methods that take a collection as a whole, whatever the round."""

ENDS = frozenset({"pop", "popleft", "popitem", "append", "appendleft"})
"""Methods that raise where nothing is left, and those that make a collection longer."""

ENTRIES = 100
"""How many entries of a collection are looked into."""

DEPTH = 5
"""How deep collections are looked into."""

Found = tuple[str, int, str]


@dataclass(frozen=True)
class Length:
    """How many values a collection holds.

    Attributes
    ----------
    outer : its own length; as an array that along its first axis.
    inner : the largest length of what it holds; infinite if an index or `next` gives something beyond its end, too.
    settled : after how many entries there are no others than before, if they are public.
    entries : of a dict, the lengths of what it holds by keys that are texts.
    """

    outer: float
    inner: float = 0.0
    settled: int = 0
    entries: Mapping[str, Length] = field(default_factory=dict, compare=False, repr=False)

    @property
    def most(self) -> float:
        """The larger one of those that are known."""
        return self.outer if math.isinf(self.inner) else max(self.outer, self.inner)


NONE = Length(0.0)


class LongCollections:
    """The lines at which own code depends on the end of a collection that was longer than the rounds that ran.

    Right is what raises at the end: an index, `next` without a value in place of one, `pop`, if later entries are none
    but those of the rounds that ran; and what takes all of a collection whatever the round, such as its sum. All other
    mentions are named.

    Parameters
    ----------
    code : the target's own code, found before a round was played.
    """

    def __init__(self, code: OwnCode) -> None:
        self._code, self._before, self._after = code, _held_by(code, code.policy), dict[str, Length]()

    def look(self, policy: Any) -> None:
        """Take in what a policy holds after the last round of a run, for collections that rounds make."""
        self._after |= _held_by(self._code, policy, known=self._before)

    def lines(
        self,
        called: Iterable[OwnFunction],
        is_open: Callable[[ast.AST, OwnFunction], bool],
        numbers: NamedNumbers,
        rounds: int,
        least: int,
    ) -> list[Found]:
        """Return file, line and sentence of each such line in the functions that are called.

        `is_open` tells whether a node can run; collections of at least `least` values are long.
        """
        held, found = self._after | self._before, dict[tuple[str, int], str]()
        for own in called:
            if own.name in CONSTRUCTORS:  # what they make is held by the policy, or by a name of theirs
                continue
            parents = {child: node for node in body_nodes(own) for child in ast.iter_child_nodes(node)}
            made = {part: size for part in body_nodes(own) if (size := _made(part, own, numbers))}
            names = {node.id for node in body_nodes(own) if isinstance(node, ast.Name)}
            lengths = {name: _of_name(name, own) for name in names} | _locals(own, made)
            for node in body_nodes(own):
                length = NONE
                if isinstance(node, ast.Attribute):
                    length = held.get(node.attr, NONE)
                elif isinstance(node, ast.Name):
                    length = lengths[node.id]
                elif node in made and _is_cut(node, parents):
                    length = Length(made[node], math.inf)
                place = own.file, getattr(node, "lineno", 0)
                late = length.most >= least and place not in found and is_open(node, own)
                if late and not _ends(node, length, parents, least, own, numbers):
                    text = ast.unparse(node)
                    horizon = math.floor(length.most) + 1
                    found[place] = LATE.format(place[1], Path(own.file).name, text, length.most, rounds, horizon)
        return [(file, line, said) for (file, line), said in found.items()]


def _held_by(code: OwnCode, policy: Any, known: Collection[str] = ()) -> dict[str, Length]:
    """Return the lengths of what attributes hold, by name, whatever the object; without those that are known."""
    found = dict[str, Length]()
    spaces = [attributes(value) for value in (policy, *code.instances.values())]
    for space in (*spaces, *(vars(cls) for cls in code.classes)):
        for name, value in ((name, value) for name, value in space.items() if name not in known):
            length = _length(value, DEPTH)
            if length is not NONE:
                before = found.get(name, NONE)
                last, named = max(before.settled, length.settled), {**before.entries, **length.entries}
                found[name] = Length(max(before.outer, length.outer), max(before.inner, length.inner), last, named)
    return found


def _length(value: Any, depth: int) -> Length:
    """Return the length of a collection.

    >>> _length(np.zeros((64, 2)), 3), _length({"a": range(9)}, 3)
    (Length(outer=64, inner=2, settled=1), Length(outer=1, inner=9, settled=1))
    >>> _length(iter([1, 2]), 3), _length("text", 3)
    (Length(outer=2, inner=0.0, settled=2), Length(outer=0.0, inner=0.0, settled=0))
    """
    kind: Any = type(value)  # mypy takes classes for unhashable because their objects may be
    if depth < 0 or isinstance(value, str | bytes | type | ModuleType | np.random.Generator):
        return NONE
    if isinstance(value, np.ndarray | Private):
        inner = max(value.shape[1:], default=0)
        return Length(value.shape[0], inner, _settled(value)) if value.shape else NONE
    if kind in (list, tuple, dict, deque, array, range):
        parts = value.values() if kind is dict else () if kind in (array, range) else value
        lengths = [_length(part, depth - 1) for part in islice(parts, ENTRIES)]
        inner = max((length.most for length in lengths), default=0.0)
        if kind is deque and value.maxlen is not None:
            return Length(max(len(value), value.maxlen), math.inf)
        named = {key: one for key, one in zip(value, lengths, strict=False) if type(key) is str} if kind is dict else {}
        return Length(len(value), inner, _settled(parts), named)
    if hasattr(kind, "__next__") and kind.__module__ in ("builtins", "itertools"):
        held = [_length(part, depth - 1) for part in gc.get_referents(value)]
        if kind in END_BY_THEMSELVES:
            last = max((part.settled for part in held), default=0)
            return Length(operator.length_hint(value), max((part.inner for part in held), default=0.0), last)
        longest = max((part.most for part in held), default=0.0)
        return Length(longest, 0.0 if _goes_through(value) else math.inf)
    if hasattr(kind, "__len__") and kind.__module__.partition(".")[0] in FOREIGN:
        return Length(len(value), math.inf)
    return NONE


COLLECTIONS: tuple[Iterable[Any], ...] = ([], (), np.zeros(1), range(1), deque(), {}, set(), memoryview(b""))
END_BY_THEMSELVES = frozenset(type(iter(each)) for each in COLLECTIONS)
"""Iterators that stop after the last entry of one collection."""

FOREIGN = frozenset({"builtins", "collections", "numpy", "pandas", "polars"})
"""Modules whose classes are asked for the lengths of their objects."""


def _settled(entries: Any) -> int:
    """Return after how many entries there are no others than those before; 0 for private ones.

    >>> _settled([1.0] * 40 + [0.1] * 24), _settled(np.zeros((64, 2))), _settled(range(9)), _settled([[1], [1]])
    (41, 1, 9, 1)
    """
    if isinstance(entries, Private):
        return 0
    if isinstance(entries, np.ndarray) and entries.dtype.kind in "biuf":
        _, first = np.unique(entries, axis=0, return_index=True)
        return int(first.max(initial=-1)) + 1
    last, seen = 0, set[Any]()
    for number, entry in enumerate(islice(entries, ENTRIES_COMPARED)):
        if isinstance(entry, Private):
            return 0
        if (told := _told_apart_by(entry)) not in seen:
            seen.add(told)
            last = number + 1
    return last


def _told_apart_by(entry: Any, depth: int = 1) -> Any:
    """Return the same for numbers and texts that are equal, and for lists of them; no other objects are looked into.

    What tells those apart may be code of the target, or ask for a private value.
    """
    if type(entry) in (list, tuple) and depth:
        return tuple(_told_apart_by(part, depth - 1) for part in entry[:ENTRIES])
    plain = type(entry) in (bool, int, float, str, bytes) or type(entry).__module__ == "numpy"
    return repr(entry) if plain and not isinstance(entry, np.ndarray) else id(entry)


ENTRIES_COMPARED = 10_000
"""How many entries are compared."""


def _goes_through(value: Any) -> bool:
    """Tell whether an iterator is that over a private array."""
    code = getattr(value, "gi_code", None)
    return code is not None and Path(code.co_filename).parent == Path(inspect.getfile(Private)).parent


def _of_name(name: str, own: OwnFunction) -> Length:
    return NONE if name in own.function.__code__.co_varnames else _length(own.value(name), DEPTH)


def _made(node: ast.AST, own: OwnFunction, numbers: NamedNumbers) -> float:
    """Return how many values an expression makes that spells out its size; 0 for other ones."""
    parts: list[ast.expr] = []
    if isinstance(node, ast.Call):
        name = called_name(node)
        if name in ("range", "arange"):
            parts = arguments_of(node)
        elif name in SIZE_AT:
            parts = node.args[SIZE_AT[name] : SIZE_AT[name] + 1]
            parts += [keyword.value for keyword in node.keywords if keyword.arg in ("size", "shape", "num")]
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        sides = [node.left, node.right]
        parts = sides if any(isinstance(side, ast.List | ast.Tuple) for side in sides) else []
    sizes = [size for part in parts for size in (part.elts if isinstance(part, ast.Tuple | ast.List) else [part])]
    found = [abs(number) for size in sizes if (number := numbers.fold(size, own)) is not None]
    found += [abs(number) for size in sizes for number in numbers.standing(size, own).numbers]
    return max(found, default=0.0)


def _locals(own: OwnFunction, made: dict[ast.AST, float]) -> dict[str, Length]:
    """Return the lengths of what the names of a function are given."""
    found = dict[str, Length]()
    for node in body_nodes(own):
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            size = max((made.get(part, 0.0) for part in _not_taken_whole(node.value)), default=0.0)
            found.update((target.id, Length(size)) for target in targets if size and isinstance(target, ast.Name))
    return found


def _not_taken_whole(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of an expression on whose lengths its own length may depend."""
    yield node
    if isinstance(node, ast.Call):
        name, holder = called_name(node), getattr(node.func, "value", None)
        held = [] if holder is None or name in AS_A_WHOLE else [holder]
        parts = [*held, *([] if name in AS_A_WHOLE else arguments_of(node))]
    elif isinstance(node, ast.Subscript) or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)):
        return
    else:
        parts = [*ast.iter_child_nodes(node)]
    for part in parts:
        yield from _not_taken_whole(part)


def _is_cut(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    around = parents.get(node)
    return isinstance(around, ast.Subscript) and around.value is node


def _ends(
    node: ast.AST,
    length: Length,
    parents: dict[ast.AST, ast.AST],
    least: int,
    own: OwnFunction,
    numbers: NamedNumbers,
) -> bool:
    """Tell whether a mention of a collection raises at its end, or takes it as a whole.

    Where it is read one by one, and later entries are others than those of the rounds that ran, it does not end there.
    """
    around, varies = parents.get(node), length.settled > least
    if isinstance(getattr(node, "ctx", None), ast.Store | ast.Del) or isinstance(around, ast.Expr):
        return True
    if isinstance(around, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets = around.targets if isinstance(around, ast.Assign) else [around.target]
        return all(isinstance(target, ast.Attribute) for target in targets)  # what the policy holds is looked at
    if isinstance(around, ast.Subscript) and around.value is node:
        index = around.slice
        if isinstance(index, ast.Constant) and type(index.value) is str:
            held = length.entries.get(index.value, NONE)
            return held.most < least or _ends(around, held, parents, least, own, numbers)
        places = index.elts if isinstance(index, ast.Tuple) else [index]
        if varies or math.isinf(length.inner) or not all(_counts_up(place, own, numbers) for place in places):
            return False
        inner = length.inner if len(places) == 1 else 0.0
        return inner < least or _ends(around, Length(inner, 0.0), parents, least, own, numbers)
    if isinstance(around, ast.BinOp):
        return isinstance(around.op, ast.MatMult) or _ends(around, length, parents, least, own, numbers)
    call = parents.get(around) if isinstance(around, ast.Attribute) else around
    if not isinstance(call, ast.Call):
        return False
    if isinstance(around, ast.Attribute):
        ends = around.attr in ENDS and not (varies or math.isinf(length.inner)) and len(call.args) < 2
        return call.func is around and (around.attr in AS_A_WHOLE or ends)
    alone = called_name(call) == "next" and len(call.args) == 1 and not (varies or math.isinf(length.inner))
    return alone or (node is not call.func and called_name(call) in AS_A_WHOLE)


def _counts_up(place: ast.expr, own: OwnFunction, numbers: NamedNumbers) -> bool:
    """Tell whether an index is one number in every round, or nothing in it counts from the end."""
    if isinstance(place, ast.Slice):
        return place.lower is None and place.upper is None and place.step is None
    if numbers.fold(place, own) is not None:
        return True
    backwards = ast.Sub | ast.USub | ast.Invert | ast.Slice | ast.Mod
    return not any(isinstance(part, backwards) for part in ast.walk(place))


LATE = (
    "line {} of {} reads {}, of {:g} values, more than the {} rounds that ran: what it does with later ones, "
    "and at the end, was not seen (raise --horizon to {})"
)
