"""Running a target on many tables, in chunks with one seed each, so that results do not depend on `jobs`."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from privcheck.scheduling import Arrays, Calls, Executor, Form, Shared, digest, one_thread
from privcheck.targets._outputs import Outputs, Sides, alike
from privcheck.targets._runners import Runner, code_of, played_by
from privcheck.targets._stream_pair import StreamPair
from privcheck.targets._turns import BLOCK as BLOCK_OF_TURNS
from privcheck.targets._turns import Course, Turns, blocks, coins, played_in_turns

REDUCED_TOGETHER = 5000
"""Runs per stream that are reduced together, so that the time for it is short beside that in which they were played."""

TURNS = 96
"""The part of a key from which it is drawn which of two inputs a run is played on, where there are no seeds."""


R = TypeVar("R")


class StoppedError(Exception):
    """The planned runs were cut short, by the clock or by the user.

    Parameters
    ----------
    parts : the chunks of each request that were played, in order.

    """

    def __init__(self, parts: list[list[Outputs]]) -> None:
        super().__init__("the runs were cut short")
        self.parts = parts

    @property
    def whole(self) -> list[Outputs]:
        """The outputs of each request in the chunks that were played of all of them; empty if there are none.

        They are those of a request for so many runs within the same number of planned runs.
        """
        chunks = min(map(len, self.parts))
        return alike([Outputs.joined(part[:chunks]) for part in self.parts]) if chunks else []


@dataclass(frozen=True)
class Request:
    """A number of independent runs on one side (0 or 1) of a pair.

    Parameters
    ----------
    pair, side : what is played.
    runs : the number of runs.
    key : makes their randomness independent of that of every other request. Two requests with the same key have equal
        coins: their runs must never be counted against each other.
    planned : the number of runs of which these are some; None if there are no others. The randomness of a run depends
        on the chunks into which the planned runs are divided.
    apart : whether every run has a seed of its own, so that its coins do not depend on how many the runs before it
        drew; likelihood ratios are then not computed.
    begin : how many of the planned runs come before these: a whole number of chunks.

    """

    pair: StreamPair
    side: int
    runs: int
    key: tuple[int, ...]
    planned: int | None = None
    apart: bool = False
    begin: int = 0


@dataclass(frozen=True)
class Reduction(Generic[R]):
    """What is made of runs on both streams, so that they can be forgotten.

    Parameters
    ----------
    function : called with the outputs on the two streams, and with the number of runs that came before them.
    depends : what decides it (`digest`).
    form : how its results are kept in a store.
    before : runs that came before all of these.
    """

    function: Callable[[Sides, int], R]
    depends: Any
    form: Form[R]
    before: int = 0


@dataclass(frozen=True)
class Sampler:
    """Plays requests with one runner.

    Parameters
    ----------
    runner : plays the runs.
    seed : root of all randomness; chunk c of a request draws from SeedSequence(seed, spawn_key=(*key, c)).
    executor : the workers.
    deadline : time.monotonic() at which to stop with `StoppedError`; infinite for no deadline.
    course : without seeds, the runs on single pairs in their order.

    """

    runner: Runner
    seed: int
    executor: Executor
    deadline: float
    course: Course = field(default_factory=Course, repr=False)

    def play(self, requests: list[Request], advance: Callable[[int], None]) -> list[Outputs]:
        """Return the outputs of each request; `advance` receives the runs played. Requests take turns, chunk by chunk.

        One worker plays the same chunk of both streams of a pair where workers have processes of their own: what is
        random in a process, such as the order of a set of texts, is then no difference between the streams. Without
        seeds a fair coin for each run decides on which stream of a pair it is played (`turns`).

        Raises
        ------
        StoppedError : the deadline passed, or the user interrupted; it carries the outputs so far.

        """
        parts: list[list[Outputs]] = [[] for _ in requests]
        try:
            with closing(self._chunks(requests)) as results:
                for number, outputs in results:
                    parts[number].append(outputs)
                    advance(len(outputs))
                    if time.monotonic() > self.deadline:
                        raise StoppedError(parts)
        except KeyboardInterrupt:
            raise StoppedError(parts) from None
        return alike([Outputs.joined(part)[: request.runs] for part, request in zip(parts, requests, strict=True)])

    def reduced(
        self, requests: tuple[Request, Request], reduction: Reduction[R], advance: Callable[[int], None]
    ) -> Generator[R]:
        """Yield what a reduction makes of the runs on both streams of a pair, part by part, in order.

        What threads play, they reduce as well, chunk by chunk, or the workers of a scheduler do; what processes of this
        machine play is reduced here.

        Raises
        ------
        StoppedError : as for `play`; what was played up to then has been yielded.

        """
        if self.runner.reproducible and self.runner.joblib_backend == "threading":
            tasks = sorted(self._tasks(requests), key=lambda task: task.chunk)
            yield from self._reduced_where_played(tasks, requests[0], reduction, advance)
            return
        parts: tuple[list[Outputs], list[Outputs]] = ([], [])
        before, wanted = 0, requests[0].runs

        def ready() -> int:
            return min(wanted - before, *(sum(map(len, part)) for part in parts))

        def reduce() -> R:
            nonlocal before
            runs = ready()
            whole = [Outputs.joined(part) for part in parts]
            first, second = alike([outputs[:runs] for outputs in whole])
            for part, outputs in zip(parts, whole, strict=True):
                part[:] = [outputs[runs:]] if len(outputs) > runs else []
            before += runs
            return reduction.function((first, second), reduction.before + before - runs)

        try:
            with closing(self._chunks(requests)) as results:
                for number, outputs in results:
                    parts[number].append(outputs)
                    advance(len(outputs))
                    if time.monotonic() > self.deadline:
                        raise StoppedError([])
                    if ready() >= REDUCED_TOGETHER:
                        yield reduce()
        except (StoppedError, KeyboardInterrupt):
            if ready():
                yield reduce()
            raise StoppedError([]) from None
        if ready():
            yield reduce()

    def _reduced_where_played(
        self, tasks: list[_Task], request: Request, reduction: Reduction[R], advance: Callable[[int], None]
    ) -> Generator[R]:
        both = [tasks[place : place + 2] for place in range(0, len(tasks), 2)]
        starts = [pair[0].chunk * self.chunk_runs - request.begin for pair in both]
        kept = [min(request.runs - start, self.chunk_runs) for start in starts]
        function = Shared(reduction.function)
        calls = Calls(
            _run_and_reduce,
            [
                (self.runner, pair, runs, reduction.before + start, function)
                for pair, runs, start in zip(both, kept, starts, strict=True)
            ],
            False,
            code_of(self.runner),
            lambda number: ([task[2:] for task in both[number]], kept[number], reduction.depends),
            reduction.form,
            self._played,
        )
        try:
            with closing(self.executor.in_order(calls)) as results:
                for runs, result in zip(kept, results, strict=True):
                    yield result
                    advance(2 * runs)
                    if time.monotonic() > self.deadline:
                        raise StoppedError([])
        except KeyboardInterrupt:
            raise StoppedError([]) from None

    @cached_property
    def _played(self) -> str | None:
        """The digest of the target, as it is before its first run: later its globals may have other values."""
        return None if self.executor.store is None else digest(played_by(self.runner))

    @property
    def chunk_runs(self) -> int:
        """The number of runs of a chunk."""
        return self.runner.chunk_runs if self.runner.reproducible else BLOCK_OF_TURNS // 2

    def _chunks(self, requests: Sequence[Request]) -> Generator[tuple[int, Outputs]]:
        """Yield the outputs of chunks, each with the number of its request, chunk by chunk."""
        if self.runner.reproducible:
            tasks = sorted(self._tasks(requests), key=lambda task: task.chunk)
            with closing(self._results(tasks)) as results:
                yield from zip((task.number for task in tasks), results, strict=True)
            return
        together = [self._turns(one, two) for one, two in zip(requests[::2], requests[1::2], strict=True)]
        most = max(map(len, together), default=0)
        numbered = [
            (i, found[block]) for block in range(most) for i, found in enumerate(together) if block < len(found)
        ]
        calls = Calls(
            played_in_turns,
            [(self.runner, turns) for _, turns in numbered],
            self.runner.joblib_backend == "loky",
            code_of(self.runner),
        )
        known = 2 * requests[0].runs if len(together) == 1 else 0  # so many coins there are, however they fall
        with closing(self.executor.in_order(calls)) as results:
            for (number, turns), sides in zip(numbered, results, strict=True):
                if known > 0:
                    self.course.add(turns.second, sides, known)
                    known -= len(turns.second)
                yield 2 * number, sides[0]
                yield 2 * number + 1, sides[1]

    def _turns(self, one: Request, two: Request) -> list[Turns]:
        """Return the blocks of runs on both sides of a pair."""
        assert one.pair is two.pair
        assert (one.side, two.side, one.runs) == (0, 1, two.runs)
        key = (*one.key, TURNS, one.begin)
        second = coins(one.runs, np.random.SeedSequence(self.seed, spawn_key=(*key, 0)))
        number = -(-len(second) // BLOCK_OF_TURNS)
        seeds = [np.random.SeedSequence(self.seed, spawn_key=(*key, 1, block)) for block in range(number)]
        return blocks((one.pair.first, one.pair.second), second, seeds)

    def _tasks(self, requests: Sequence[Request]) -> Iterator[_Task]:
        for number, request in enumerate(requests):
            tables = request.pair.first, request.pair.second
            table, other = tables[request.side], tables[1 - request.side]
            end = request.begin + request.runs
            planned = end if request.planned is None else request.planned
            for start in range(request.begin, end, self.chunk_runs):
                chunk = start // self.chunk_runs
                seed = np.random.SeedSequence(self.seed, spawn_key=(*request.key, chunk))
                runs = min(self.chunk_runs, planned - start)
                yield _Task(number, chunk, table, other, request.side, runs, seed, request.apart)

    def _results(self, tasks: list[_Task]) -> Generator[Outputs]:
        alone = self.runner.joblib_backend == "loky"
        pairs = alone or hasattr(self.runner, "begin_afresh")
        together = [
            list(group)
            for _, group in itertools.groupby(
                tasks, key=lambda task: (task.chunk, task.number // 2 if pairs else task.number)
            )
        ]
        calls = Calls(
            _run_all,
            [(self.runner, group) for group in together],
            alone,
            code_of(self.runner),
            lambda number: [task[2:] for task in together[number]],
            OUTPUTS_FORM,
            self._played,
            lambda number: tuple(sorted({task.side for task in together[number]})),
        )
        with closing(self.executor.in_order(calls)) as results:
            for outputs in results:
                yield from outputs


class _Task(NamedTuple):
    """One chunk of one request."""

    number: int
    chunk: int
    table: Any
    other: Any
    side: int
    runs: int
    seed: np.random.SeedSequence
    apart: bool


def _as_arrays(played: list[Outputs]) -> Arrays:
    found: Arrays = {}
    for number, outputs in enumerate(played):
        found |= {f"{number}.symbols": outputs.symbols, f"{number}.numbers": outputs.numbers}
        if outputs.ratios is not None:
            found[f"{number}.ratios"] = outputs.ratios
        if outputs.names:
            text = json.dumps(list(outputs.names.items())).encode()
            found[f"{number}.names"] = np.frombuffer(text, np.uint8)
    return found


def _from_arrays(arrays: Arrays) -> list[Outputs]:
    played = []
    for number in range(sum(name.endswith(".symbols") for name in arrays)):
        names = dict(json.loads(arrays.get(f"{number}.names", _NO_NAMES).tobytes()))
        symbols, numbers = arrays[f"{number}.symbols"], arrays[f"{number}.numbers"]
        played.append(Outputs(symbols, numbers, arrays.get(f"{number}.ratios"), names=names))
    return played


_NO_NAMES = np.frombuffer(b"[]", np.uint8)

OUTPUTS_FORM: Form[list[Outputs]] = Form(_as_arrays, _from_arrays)
"""How the outputs of several sets of runs are kept."""


def _run_all(runner: Runner, tasks: list[_Task]) -> list[Outputs]:
    return [_run(runner, task) for task in tasks]


def _run_and_reduce(
    runner: Runner, tasks: list[_Task], runs: int, before: int, function: Shared[Callable[[Sides, int], R]]
) -> R:
    first, second = alike([_run(runner, task)[:runs] for task in sorted(tasks, key=lambda task: task.side)])
    return function.value((first, second), before)


def _run(runner: Runner, task: _Task) -> Outputs:
    """Play a task, which shows the same however often it is played: seeds count what was spawned from them."""
    seed = np.random.SeedSequence(task.seed.entropy, spawn_key=task.seed.spawn_key)
    if task.apart:
        with one_thread():  # around each run it would take as long as a fast one
            return Outputs.joined([runner.play(task.table, 1, each) for each in seed.spawn(task.runs)])
    outputs = runner.play(task.table, task.runs, seed, task.other)
    if task.side == 0 or outputs.ratios is None:
        return outputs
    return Outputs(outputs.symbols, outputs.numbers, -outputs.ratios, names=outputs.names)
