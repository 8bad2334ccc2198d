"""Which lines of a target that matter for privacy no explored execution has reached."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from privcheck.certifying._decided_conditions import lasting_attributes
from privcheck.certifying._later_rounds.long_collections import LongCollections
from privcheck.certifying._later_rounds.named_numbers import NamedNumbers
from privcheck.certifying._later_rounds.numbers_beyond import LateValues, is_told_horizon
from privcheck.certifying._observed_values import ALL, ObservedValues
from privcheck.certifying._own_code import OwnCode, OwnFunction, alike
from privcheck.certifying._own_files import is_generated, is_own, running, unreadable_note
from privcheck.certifying._private_pieces import PrivatePieces, candidates, has_dense_lines, statements_of
from privcheck.certifying._reached_code import Piece, ReachedCode, Told, lines_around, with_inner
from privcheck.certifying._translated.definitions import definition
from privcheck.feedback import kind
from privcheck.results import UnreachedLine

Line = tuple[str, int]
"""A file and a line of it."""

LARGEST = 2.0**64
"""Numbers from here on are not taken for what a draw may be."""


class CodeCoverage:
    """The lines of a policy's own code that run while it is watched, over all of its runs.

    What is its own code is found from the policy, by following names, and by what runs: a function of the target's own
    files that is called belongs to it, however it came to be called.

    Parameters
    ----------
    feedback : id of the kind of feedback, which says what is called and what `update` receives.
    """

    def __init__(self, feedback: str) -> None:
        by = kind(feedback)
        self._called, self._read, self._learns = by.methods, tuple(by.attributes), by.learns
        self._private = [i for i, name in enumerate(by.told) if name not in by.public]
        self._of_privcheck = _modules_of_privcheck()
        self._reached = ReachedCode(watch=self._watch, passed=self._of_privcheck)
        self._seen = ObservedValues(lambda cls: self._is_own_class(cls))
        self._by_type: dict[type, tuple[OwnCode, dict[str, Any]]] = {}
        self._numbers: dict[type, NamedNumbers] = {}
        self._long: dict[type, LongCollections] = {}
        self._outer: dict[CodeType, CodeType | None] = {}
        self._inner: dict[CodeType, tuple[CodeType, ...]] = {}
        self._own_classes: dict[type, bool] = {}
        self._current: OwnCode | None = None
        self._policy: Any = None
        self._others: list[Any] = []
        self._built: list[CodeType] = []
        self._dense: set[CodeType] = set()
        self._pieces_of: dict[CodeType, tuple[list[Piece], list[range]]] = {}
        self._lines: dict[CodeType, tuple[int, frozenset[int] | None]] = {}

    @contextmanager
    def building(self) -> Iterator[None]:
        """Take note of what runs in the block, in which a policy is built."""
        self._current = next((code for code, _ in reversed(self._by_type.values())), None)
        self._policy = None  # that of the run before
        self._reached.watch_all()
        with self._reached:
            yield

    @contextmanager
    def watching(self, policy: Any) -> Iterator[None]:
        """Take note of what runs in the block, in which a newly built policy plays."""
        for built in self._built:
            self._outer.pop(built, None)
        self._built.clear()
        self._reached.watch_all()  # what builds a policy is judged in another way than what runs later
        if type(policy) not in self._by_type:
            code = OwnCode(policy, self._called, self._read, self._learns)
            self._by_type[type(policy)] = code, lasting_attributes(policy)
            self._numbers[type(policy)] = NamedNumbers(code)
            self._long[type(policy)] = LongCollections(code)
            self._own_classes.clear()
            self._outer.clear()  # what ran while it was built may belong to it
            self._look_out([own for code, _ in self._by_type.values() for own in code.functions])
        self._current, self._policy = self._by_type[type(policy)][0], policy
        kind, code = type(policy), self._current
        self._compare(policy, kind)
        try:
            with self._reached:
                yield
        finally:
            for other in (policy, *code.alike(policy), *self._others):
                self._compare(other, kind)
            self._others.clear()
            self._long[kind].look(policy)
            self._look_around(code)

    def _look_out(self, functions: list[OwnFunction]) -> None:
        for own in functions:
            code = own.function.__code__
            self._inner[code] = tuple(with_inner(code))
            self._of_privcheck.pop(own.function.__globals__.get("__name__", ""), None)
            if has_dense_lines(own):
                self._dense.add(code)
            for inner in self._inner[code]:
                self._outer.setdefault(inner, code)
            pieces = [piece for piece, _, _ in candidates(own)]
            known, _ = self._pieces_of.get(code, ([], []))  # of equal code in another file
            self._pieces_of[code] = list(dict.fromkeys([*known, *pieces])), statements_of(own)
            self._reached.add(pieces, [code])

    def _watch(self, frame: FrameType) -> Told | None:
        """Take in the function that runs in a frame if it is of the target's own files, and look at its names."""
        code = frame.f_code
        outer = self._outer.get(code, code)
        if code not in self._outer:
            outer = self._outer[code] = self._new(frame)
        if outer is None or not self._reached.is_waiting(self._inner[outer]):
            self._reached.is_done(code)
            return None
        is_dense, lines, near = outer in self._dense, self._lines_to_look_at(outer), True
        frame.f_trace_opcodes = is_dense
        first = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
        if first is not self._policy and self._policy is not None and alike(first, self._policy):
            self._others.append(first)

        def told(frame: FrameType, event: str, argument: Any) -> None:
            nonlocal near
            if event == "opcode" and not is_dense:
                return
            before, near = near, lines is None or frame.f_lineno in lines
            if event in ("line", "opcode") and not (before or near):
                return
            self._seen.frame(outer, frame)
            if event == "return":
                self._seen.returned(outer, argument)

        return told

    def _lines_to_look_at(self, outer: CodeType) -> frozenset[int] | None:
        """Return the lines of a function before which its names are looked at; None for all of them.

        A piece that has not run could have read what there was in its statement of the function's body, each time that
        this began, and what there was when the function was left before it. If it never began, it is not known how it
        would be entered. The names are also looked at when the function begins, after these lines, and when it ends.
        """
        pieces, statements = self._pieces_of[outer]
        left = [piece for piece in pieces if piece in self._reached.unreached]
        known = self._lines.get(outer)
        if known is None or known[0] != len(left):
            known = self._lines[outer] = len(left), lines_around(left, pieces, statements)
        return known[1]

    def _new(self, frame: FrameType) -> CodeType | None:
        """Take in what no name has led to; return its code object, or None if it is not of the target."""
        code = frame.f_code
        known = self._current
        own_file = known.is_own(code.co_filename) if known is not None else is_own(code.co_filename, frozenset())
        made = code.co_filename.startswith("<") and not is_generated(code) and self._is_own_namespace(frame.f_globals)
        if not (own_file or made) or code.co_name == "<module>":
            return None
        if known is None or self._policy is None:  # what builds a policy is no part of it, but may call parts of it
            if (node := definition(code, frame.f_globals)) is None:
                return None
            self._look_out([OwnFunction(running(frame), node, None, code.co_name)])
            self._built.extend(self._inner[code])
            return code
        if (found := known.takes_in(frame)) is not None:
            self._look_out([own for own in known.functions if own.function.__code__ not in self._outer])
            return found.function.__code__
        return None

    def _is_own_namespace(self, names: dict[str, Any]) -> bool:
        file = names.get("__file__") or ""
        in_session = not file and names.get("__name__") == "__main__"  # such as a cell that `%%time` runs
        return self._current is not None and (in_session or self._current.is_own(file))

    def _is_own_class(self, cls: type) -> bool:
        found = self._own_classes.get(cls)
        if found is None:
            found = self._own_classes[cls] = any(code.owns(cls) for code, _ in self._by_type.values())
        return found

    def _compare(self, policy: Any, kind: type) -> None:
        """Forget the attributes in which a policy differs from the runs before, or from what it was built with.

        Likewise those in which another object on which its methods are called differs from it.
        """
        lasting = self._by_type[kind][1]
        held = lasting_attributes(policy)
        for name, value in list(lasting.items()):
            if name not in held or type(held[name]) is not type(value) or held[name] != value:  # private ones refuse !=
                del lasting[name]

    def _look_around(self, code: OwnCode) -> None:
        """Look at what outlasts the run: names of modules and classes, and the policy itself."""
        for own in code.functions:
            self._seen.globals(own.function.__code__, own.function.__globals__)
        for cls in code.classes:
            self._seen.namespace(vars(cls))
        self._seen.look(self._policy, entries=ALL)

    @property
    def instances(self) -> list[Any]:
        """The objects of the target's own classes that this holds, from whatever round."""
        return [each for code, _ in self._by_type.values() for each in code.instances.values()]

    @property
    def knows_horizon(self) -> bool:
        """Whether some policy is told the number of rounds."""
        return any(is_told_horizon(code, self._numbers[cls]) for cls, (code, _) in self._by_type.items())

    @property
    def notes(self) -> list[str]:
        """What could not be read."""
        names = [name for code, _ in self._by_type.values() for name in code.unreadable]
        return [unreadable_note(names)] if names else []

    @property
    def constants(self) -> set[float]:
        """The real numbers that the code names, by globals, too."""
        codes = {code for inner in self._inner.values() for code in inner}
        found = [held for code in codes for held in code.co_consts]
        found += [part for held in found if isinstance(held, tuple | frozenset) for part in held]
        for own in (own for code, _ in self._by_type.values() for own in code.functions):
            found += map(own.function.__globals__.get, own.function.__code__.co_names)
        return {float(one) for one in found if type(one) in (int, float) and abs(one) < LARGEST}

    @cached_property
    def _pieces(self) -> dict[type, tuple[PrivatePieces, dict[str, Any]]]:
        """Return the pieces of each class of policies, and the attributes that all runs shared, after the last run."""
        by_type, unreached = self._by_type.items(), self._reached.unreached
        return {
            kind: (PrivatePieces(code, self._private, self._seen, unreached), held) for kind, (code, held) in by_type
        }

    def late(self, rounds: int) -> list[str]:
        """Return what is decided by value beyond the rounds that ran, a sentence for each line of the code."""
        found = set()
        for cls, (pieces, lasting) in self._pieces.items():
            numbers = self._numbers[cls]
            numbers.lasting = pieces.fixed(lasting)
            called, is_open = pieces.open_to(lasting)
            values = LateValues(self._by_type[cls][0], numbers, pieces.expressions, rounds)
            found.update(values.lines(called, is_open))
            found.update(self._long[cls].lines(called, is_open, numbers, rounds, values.least))
        return [sentence for _, _, sentence in sorted(found)]

    @property
    def unreached(self) -> list[UnreachedLine]:
        """The lines that matter for privacy and have not run, in the order of files and lines."""
        places = self._not_run[0]
        return [UnreachedLine(Path(file).name, line, linecache.getline(file, line).strip()) for file, line in places]

    @property
    def left_out(self) -> list[str]:
        """The other lines that have not run, by file."""
        by_file: dict[str, list[str]] = {}
        for file, line in self._not_run[1]:
            by_file.setdefault(Path(file).name, []).append(str(line))
        return [f"{file}:{', '.join(lines)}" for file, lines in by_file.items()]

    @cached_property
    def _not_run(self) -> tuple[list[Line], list[Line]]:
        """Return the places of lines that have not run: of those that matter for privacy, and of others."""
        ours, others = set[Piece](), set[Piece]()
        for pieces, lasting in self._pieces.values():
            matter, not_matter = pieces.can_run(lasting)
            ours |= matter & self._reached.unreached
            others |= not_matter & self._reached.unreached
        matters, left_out = ({(piece.file, piece.start[0]) for piece in some} for some in (ours, others))
        return sorted(matters), sorted(left_out - matters)


def _modules_of_privcheck() -> dict[str, dict[str, Any]]:
    """Return the globals of privcheck's own modules, but for those of policies, by their names."""
    files = {name: getattr(module, "__file__", None) for name, module in list(sys.modules.items())}
    found = [name for name, file in files.items() if name.startswith("privcheck.") and file]
    return {name: vars(sys.modules[name]) for name in found if not is_own(str(files[name]), frozenset())}
