"""Which pieces of a source file run: expressions and statements, by their place in the file."""

from __future__ import annotations

import dis
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from types import CodeType, FrameType, TracebackType
from typing import Any

MONITORED = sys.version_info >= (3, 12)
"""Whether `sys.monitoring` reports instructions, in all threads."""


@dataclass(frozen=True)
class Piece:
    """A piece of source text.

    Parameters
    ----------
    file : as the code object names it.
    start, stop : line, from 1, and column, from 0 in bytes, of its ends.
    """

    file: str
    start: tuple[int, int]
    stop: tuple[int, int]


class ReachedCode:
    """A block in which the pieces that run are taken note of; it may be entered several times.

    Python reports the instructions of the given code objects alone, and only while they have unreached pieces, so it
    costs little once most of a policy has run. Up to Python 3.11 this takes the trace function: that of a debugger or
    of coverage.py is suspended while the block is open. Threads are followed that a block starts.

    Parameters
    ----------
    pieces : what to look out for.
    codes : the code objects to which they belong, with those within them.
    watch : is called with the frame of every function that is called. It returns None, or what receives the frame, the
        kind of event and its argument before each line of this function, and each instruction that is looked out for,
        and when it returns, yields or raises.
    passed : the globals of modules whose functions are not watched, by the name of the module. To ask a frame for them
        takes less time than to ask for its code, of which Python tells audit hooks.

    Attributes
    ----------
    unreached : the pieces that have not run; those of which nothing was compiled are left out, since they cannot.

    Examples
    --------
    >>> def half(x):
    ...     return x / 2 if x else 0
    >>> code = half.__code__
    >>> place = code.co_firstlineno + 1
    >>> used, unused = (Piece(code.co_filename, (place, a), (place, b)) for a, b in ((11, 16), (27, 28)))
    >>> reached = ReachedCode([used, unused], [code])
    >>> with reached:
    ...     _ = half(1.0)
    >>> reached.unreached == {unused}
    True
    """

    def __init__(
        self,
        pieces: Iterable[Piece] = (),
        codes: Iterable[CodeType] = (),
        watch: Watch | None = None,
        passed: Passed | None = None,
    ) -> None:
        self.unreached: set[Piece] = set()
        self._reached: set[Piece] = set()
        self._watch = watch
        self._done: Codes = {}
        self._plans: dict[CodeType, dict[int, list[Piece]]] = {}
        self._codes: Codes = {}
        self._passed: Passed = {} if passed is None else passed
        self._reporter = partial(_monitored, self._codes) if MONITORED else _traced
        self._elsewhere: deque[tuple[CodeType, int]] = deque()
        self.add(pieces, codes)

    def add(self, pieces: Iterable[Piece], codes: Iterable[CodeType]) -> None:
        """Look out for further pieces."""
        self._done.clear()
        others = [piece for piece in dict.fromkeys(pieces) if piece not in self._reached]
        for code in codes:
            for inner in with_inner(code):
                self._codes[id(inner)] = inner
                plan = self._plans.setdefault(inner, {})
                for place, belonging in _plan(inner, others).items():
                    plan.setdefault(place, []).extend(belonging)
                    self.unreached.update(belonging)

    def is_waiting(self, codes: Iterable[CodeType]) -> bool:
        """Tell whether pieces of some of these code objects have not run."""
        return any(self._plans.get(code) for code in codes)

    def is_done(self, code: CodeType) -> None:
        """Do not watch a code object any more until other pieces are added or `watch_all` is called."""
        if not self._plans.get(code):
            self._done[id(code)] = code

    def watch_all(self) -> None:
        """Watch every code object again."""
        self._done.clear()

    def __enter__(self) -> ReachedCode:
        self._open = self._reporter(self._plans, self._reach, self._watch, self._done, self._passed)
        self._before = threading.gettrace()
        if not MONITORED:
            threading.settrace(self._called_elsewhere)
        self._open.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.__exit__(kind, error, trace)
        if not MONITORED:
            threading.settrace(self._before)
        while self._elsewhere:
            self._reach(*self._elsewhere.popleft())

    def _called_elsewhere(self, frame: FrameType, event: str, argument: Any) -> Any:  # noqa: ARG002
        """Trace a function in a thread of the policy's own; what ran is taken note of when the block ends.

        Until then, the plans are read by the thread that opened it. A thread that outlives the block goes on.
        """
        plan = self._plans.get(frame.f_code)
        if not plan:
            return None

        def stepped(frame: FrameType, event: str, argument: Any) -> Any:  # noqa: ARG001
            if event == "opcode" and frame.f_lasti in plan:
                self._elsewhere.append((frame.f_code, frame.f_lasti))
            return stepped

        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        return stepped

    def _reach(self, code: CodeType, place: int) -> None:
        """Take note that an instruction ran; an instruction is looked out for until each of its pieces has run.

        Code of two files is equal if it is written alike in the same lines.
        """
        pieces = [piece for piece in self._plans[code].get(place, ()) if piece.file == code.co_filename]
        if not pieces:
            return
        self.unreached.difference_update(pieces)
        self._reached.update(pieces)
        for plan in self._plans.values():
            for other in [other for other, left in plan.items() if self.unreached.isdisjoint(left)]:
                del plan[other]


Plans = dict[CodeType, dict[int, list[Piece]]]
Report = Callable[[CodeType, int], None]
Told = Callable[[FrameType, str, Any], None]
Watch = Callable[[FrameType], Told | None]
Passed = dict[str, dict[str, Any]]
Codes = dict[int, CodeType]
"""Code objects by their numbers, which live as long as they.

Hashing one takes longer than all of its bytes; and Python asks each for its events by itself, also if two are equal.
"""


@contextmanager
def _traced(
    plans: Plans, report: Report, watch: Watch | None, done: Codes, passed: Passed, *, instructions: bool = True
) -> Iterator[None]:
    """Report instructions, unless told otherwise, and what is watched through the trace function of this thread.

    Since Python 3.12 the first frame of a function that asks for its instructions gets none of them, unless the trace
    function is set again.
    """
    asked: Codes = {}

    def called(frame: FrameType, event: str, argument: Any) -> Any:  # noqa: ARG001
        names = frame.f_globals
        if passed and type(name := dict.get(names, "__name__")) is str and passed.get(name) is names:
            return None
        if id(frame.f_code) in done:
            return None
        told = None if watch is None else watch(frame)
        plan = plans.get(frame.f_code, {})
        steps = instructions and bool(plan)
        if told is None and not steps:
            return None

        def stepped(frame: FrameType, event: str, argument: Any) -> Any:
            if event == "opcode" and frame.f_lasti in plan:
                report(frame.f_code, frame.f_lasti)
            if told is not None:
                told(frame, event, argument)
            return stepped

        frame.f_trace_lines = told is not None
        if frame.f_trace_opcodes or steps:  # `watch` may have asked for them
            frame.f_trace_opcodes = True
            if id(frame.f_code) not in asked:
                asked[id(frame.f_code)] = frame.f_code
                frame.f_trace = stepped
                sys.settrace(called)

        return stepped

    previous = sys.gettrace()
    if any(plans.values()) or watch is not None:
        sys.settrace(called)
    try:
        yield
    finally:
        sys.settrace(previous)


@contextmanager
def _monitored(
    codes: Codes, plans: Plans, report: Report, watch: Watch | None, done: Codes, passed: Passed
) -> Iterator[None]:
    """Report instructions through `sys.monitoring`, each once; what is watched needs the trace function."""
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
    tool = next((number for number in range(6) if monitoring.get_tool(number) is None), None)
    if tool is None:
        with _traced(plans, report, watch, done, passed):
            yield
        return
    added: Codes = {}

    def ran(code: CodeType, place: int) -> Any:
        report(code, place)
        return monitoring.DISABLE

    def look_out(code: CodeType) -> None:
        if id(code) not in added and plans.get(code):
            added[id(code)] = code
            monitoring.set_local_events(tool, code, monitoring.events.INSTRUCTION)

    def watched(frame: FrameType) -> Told | None:
        told = None if watch is None else watch(frame)
        look_out(frame.f_code)  # which `watch` may have added
        return told

    monitoring.use_tool_id(tool, "privcheck")
    try:
        monitoring.register_callback(tool, monitoring.events.INSTRUCTION, ran)
        for code in list(codes.values()):
            look_out(code)
        monitoring.restart_events()
        with _traced(plans, report, None if watch is None else watched, done, passed, instructions=False):
            yield
    finally:
        for code in added.values():
            monitoring.set_local_events(tool, code, 0)
        monitoring.register_callback(tool, monitoring.events.INSTRUCTION, None)
        monitoring.free_tool_id(tool)


def lines_around(left: Iterable[Piece], pieces: Iterable[Piece], statements: Iterable[range]) -> frozenset[int] | None:
    """Return the lines of the statements that have begun and hold pieces that have not run; None if one has not begun.

    Parameters
    ----------
    left : the pieces of a function that have not run.
    pieces : all of them.
    statements : the lines of each statement in its body.

    Examples
    --------
    >>> one, two, three = (Piece("bandit.py", (line, 8), (line, 20)) for line in (2, 3, 4))
    >>> sorted(lines_around([two], [one, two, three], [range(2, 4), range(4, 5)]))
    [2, 3]
    >>> lines_around([three], [one, two, three], [range(2, 4), range(4, 5)]) is None
    True
    """
    left, found = set(left), set[int]()
    begun = {piece.start[0] for piece in pieces if piece not in left}
    for line in {piece.start[0] for piece in left}:
        within = [lines for lines in statements if line in lines]
        if not within or any(begun.isdisjoint(lines) for lines in within):
            return None
        found.update(*within)
    return frozenset(found)


def with_inner(code: CodeType) -> Iterator[CodeType]:
    """Yield a code object and those of the functions within it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from with_inner(constant)


_JUMPS = frozenset(number for name, number in dis.opmap.items() if "JUMP" in name)
_ENDS = frozenset({dis.opmap["RETURN_VALUE"]})
_COMPREHENSIONS = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>"})


def _plan(code: CodeType, pieces: list[Piece]) -> dict[int, list[Piece]]:
    """Return the pieces to which each instruction of a code object belongs, by its offset.

    Jumps belong to none: Python 3.13 places that over an element of a comprehension in the element. Neither does the
    end of a comprehension, which Python 3.11 places in its last condition, nor what has a line without columns where
    others have them: after `except*`, Python 3.11 places the end of the function in the last line of the handler.
    """
    left_out = _JUMPS | _ENDS if code.co_name in _COMPREHENSIONS else _JUMPS
    own = [piece for piece in pieces if piece.file == code.co_filename]
    plan = {}
    places = [*code.co_positions()]
    with_columns = any(column is not None for _, _, column, _ in places)
    for number, ((line, last, column, end), step) in enumerate(zip(places, _kinds(code), strict=True)):
        if line is None or last is None or step in left_out or (with_columns and (column is None or end is None)):
            continue
        within = [piece for piece in own if _is_within(piece, (line, column), (last, end))]
        if within:
            plan[2 * number] = within
    return plan


def _kinds(code: CodeType) -> list[int]:
    """Return what each instruction does: one that extends the argument of the next one is a part of that."""
    kinds = list(code.co_code[::2])
    for place in reversed(range(len(kinds) - 1)):
        if kinds[place] == dis.EXTENDED_ARG:
            kinds[place] = kinds[place + 1]
    return kinds


def _is_within(piece: Piece, start: tuple[int, int | None], stop: tuple[int, int | None]) -> bool:
    if start[1] is None or stop[1] is None:  # python -X no_debug_ranges
        return piece.start[0] <= start[0] and stop[0] <= piece.stop[0]
    return piece.start <= start and stop <= piece.stop
