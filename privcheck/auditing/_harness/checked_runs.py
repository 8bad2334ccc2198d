"""The check of a target before its audit: equal seeds give equal runs, and the runs of one call are independent."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from privcheck.auditing._harness.accepted_inputs import accepted
from privcheck.auditing._harness.exchangeable_runs import SMALL, Layout, dependence
from privcheck.auditing._harness.kept_state import KeptState
from privcheck.auditing._harness.law_of_batches import refuse_another_law
from privcheck.auditing._harness.runs_without_seeds import ALIKE_WITHOUT_SEEDS, far_apart, outputs_in_turn, turns
from privcheck.errors import PolicyError, words
from privcheck.generators import collected, position
from privcheck.targets import (
    MechanismRunner,
    Outputs,
    PolicyRunner,
    Runner,
    ServiceRunner,
    StoppedError,
    StreamPair,
    all_raised,
)

REPLAYED = 17
"""Calls on each input that are made twice with the same seed: a hundred runs."""

LEAST_CALLS, RUNS_PER_CALL = 8, 10
"""Fewest calls on each input, and planned runs per stream for each: a slow target, whose runs are few, has fewer calls
than the others, so that its check does not take longer than its audit.
"""

LARGE_CALLS = 12
"""Large calls on each input: what a call's runs have in common, however little, moves the mean of a large call."""

LARGE_COLUMNS = 4
"""Columns that are looked at in large calls."""

TOGETHER = 10
"""Calls in succession that are compared with each other where the law may drift: without seeds."""

LARGE_SHARE, LEAST_LARGE, MOST_LARGE = 1 / 125, 200, 1000
"""Runs of a large call, as a share of the runs per stream of the final pair, with limits: the two dozen large calls
take 2 % of an audit's runs, since screening takes most of them.
"""

ALIKE = (
    "a hundred runs with different Generators gave the same output: if the policy is meant to add noise, the noise "
    "comes from a generator with a fixed seed, or is kept from an earlier run, not from the Generator that the policy "
    "is given"
)


class Checked(NamedTuple):
    """What the check of a target found, and the same runs once more.

    Parameters
    ----------
    hints : what may explain a violation.
    again : plays the runs that were played twice a third time. An audit with a verdict does so at its end: what has
        changed meanwhile may be all that it saw, or what it did not see, as in code that answers otherwise after ten
        thousand runs.
    seconds : wall time of a run, from the check itself.
    released : whether a run put out numbers.
    """

    hints: tuple[str, ...]
    again: Callable[[], None]
    seconds: float = 0.0
    released: bool = True


def runs_of_check(runner: Runner, runs: int) -> int:
    """Return how many runs the check of a target makes if it finds nothing to suspect, without those of cheap runs.

    Parameters
    ----------
    runner : plays the target.
    runs : planned runs per stream of the final pair.
    """
    small = _small(runs)
    calls = small.calls + (min(REPLAYED, small.calls // 2 + 2) if runner.reproducible else 0)
    later = turns(runs) if not runner.reproducible and runner.engine != "kernel" else Layout(0, 0, 0)
    return 2 * (calls * small.runs + later.calls * later.runs)


def _small(runs: int) -> Layout:
    return SMALL._replace(calls=min(SMALL.calls, max(LEAST_CALLS, runs // RUNS_PER_CALL)))


def _large(runs: int) -> Layout:
    return Layout(LARGE_CALLS, int(min(max(runs * LARGE_SHARE, LEAST_LARGE), MOST_LARGE)), LARGE_COLUMNS)


def check_runs(runner: Runner, pairs: list[StreamPair], seed: int, runs: int, deadline: float = math.inf) -> Checked:
    """Refuse a target whose runs are not independent or not reproducible; return what may explain a violation.

    Where there are no seeds, the two inputs take turns, so that what a target remembers of a run shows in the next
    ones; programs that the runner has started are started again before each set of calls.

    Parameters
    ----------
    runner : plays the target.
    pairs : the candidate pairs; two of their inputs are played.
    seed : root of the runs.
    runs : runs per stream of the final pair.
    deadline : `time.monotonic()` at which to stop.

    Raises
    ------
    StoppedError : the deadline passed.
    PolicyError : another source of randomness, state kept between runs, runs of one call that depend on each other, or
        a `run_batch` with another law than `select` and `update`;
        for independent runs with probability at most `exchangeable_runs.FALSE_REFUSAL`, 1.25e-6.
    """
    check = _Check(runner, pairs, seed, deadline)
    hints = check.passed(runs)
    return Checked(hints, check.again, check.seconds / max(1, check.made), check.released)


class _Check:
    """Calls on two inputs, and what is wrong with them."""

    def __init__(self, runner: Runner, pairs: list[StreamPair], seed: int, deadline: float) -> None:
        pairs = accepted(runner, pairs, seed)
        middle = pairs[len(pairs) // 2]
        self.inputs = ((pairs[0].first, pairs[0].second), (middle.second, middle.first))
        if not runner.reproducible:
            self.inputs = far_apart(pairs)
        self.runner, self.seed, self.deadline = runner, seed, deadline
        self.is_policy = not isinstance(runner, MechanismRunner)
        self.kept = KeptState(getattr(runner, "factory", None) or getattr(runner, "mechanism", None))
        self._replayed: list[Callable[[], None]] = []
        self.made, self.seconds, self.released = 0, 0.0, True

    def again(self) -> None:
        """Play the runs once more that have been played twice, or raise `PolicyError`."""
        self.deadline = math.inf
        for replay in self._replayed:
            replay()

    def passed(self, runs: int) -> tuple[str, ...]:
        """Return what may explain a violation, or raise `PolicyError`."""
        small = _small(runs)
        calls = self._calls(small)
        self.released = any(part.numbers.size for of_input in calls for part in of_input)
        if all(all_raised(Outputs.joined(of_input)) for of_input in calls):
            given = StreamPair.hint_on(self.inputs[0][0])
            got = words(f"{self.runner.raised} in every run")  # type: ignore[attr-defined]
            raise of_every_input("target", got, "a mechanism that returns an output", f"{FIX_FIRST}; {given}")
        if self.runner.engine == "kernel":
            return ()
        self._refuse(calls, small)
        if self.runner.engine == "run_batch":
            large = _large(runs)
            self._refuse(self._calls(large, 1), large)
            if isinstance(self.runner, PolicyRunner):
                refuse_another_law(self.runner, [table for table, _ in self.inputs], self.seed)
        elif not self.runner.reproducible:
            later = self._calls(turns(runs), 1)
            self._refuse(later, turns(runs))
            self._refuse_kept_answers(calls, later)
        if not all(_alike(Outputs.joined(of_input)) for of_input in calls):
            return ()
        changed = self.kept.changed()
        if not self.runner.reproducible:
            return (ALIKE_WITHOUT_SEEDS,)
        return (ALIKE + (f"; state is kept between runs: {_listed(changed)}" if changed else ""),)

    def _calls(self, layout: Layout, attempt: int = 0) -> list[list[Outputs]]:
        """Return the outputs of the calls on each input; the first few are made again, and must not differ."""
        if not self.runner.reproducible:
            return outputs_in_turn(self.runner, len(self.inputs), layout, attempt, self._play)
        found = []
        for place in range(len(self.inputs)):
            keys: list[tuple[int, ...]] = [(0, 2, layout.runs, attempt, place, call) for call in range(layout.calls)]
            with collected() as made:
                found.append([self._play(place, layout.runs, key) for key in keys])
            ends = [position(rng) for rng in made]
            if attempt == 0:
                few = min(REPLAYED, layout.calls // 2 + 2)
                replay = partial(self._replay, place, layout, keys[:few], found[-1][:few], ends)
                replay()
                self._replayed.append(replay)
        return found

    def _replay(
        self, place: int, layout: Layout, keys: list[tuple[int, ...]], once: list[Outputs], ends: list[Any]
    ) -> None:
        with collected() as made:
            twice = Outputs.joined([self._play(place, layout.runs, key) for key in keys])
        first = Outputs.joined(once)
        differs = first.differs(twice)
        if differs.any():
            part, rounds = int(np.flatnonzero(differs)[0]) + 1, first.symbols.shape[1]
            of_rounds = self.is_policy and part <= rounds
            raise self._not_reproducible(f"actions in round {part}" if of_rounds else f"outputs (part {part})")
        if [position(rng) for rng in made] != ends[: len(made)]:
            raise _kept(self.kept.changed() or self.kept.caches())

    def _play(self, place: int, runs: int, key: tuple[int, ...]) -> Outputs:
        if time.monotonic() > self.deadline:
            raise StoppedError([[]])
        table, other = self.inputs[place]
        started = time.monotonic()
        found = self.runner.play(table, runs, np.random.SeedSequence(self.seed, spawn_key=key), other)
        self.made, self.seconds = self.made + runs, self.seconds + time.monotonic() - started
        return found

    def _refuse(self, calls: list[list[Outputs]], layout: Layout) -> None:
        together = None if self.runner.reproducible else TOGETHER
        more = lambda attempt: self._calls(layout, attempt + 1)  # noqa: E731
        found = dependence(calls, more, layout, self.seed, together=together)
        if found is not None:
            same = all(_alike(call) for of_input in calls for call in of_input)
            raise self._dependent(*found, layout.runs, same=same)

    def _refuse_kept_answers(self, calls: list[list[Outputs]], later: list[list[Outputs]]) -> None:
        """Refuse a program that answers an input always alike, until it has been started again.

        The coins do not help: noise that is kept for each input is a difference between the inputs.
        """
        if getattr(self.runner, "begin_afresh", None) is None:
            return
        for before, after in zip(map(Outputs.joined, calls), map(Outputs.joined, later), strict=True):
            if _alike(before) and _alike(after) and not _alike(Outputs.joined([before[:1], after[:1]])):
                what = "one output in all runs on an input, and another one later"
                raise self._dependent("repeated", what, 0, same=False)

    def _not_reproducible(self, where: str) -> PolicyError:
        changed = self.kept.changed()
        hint = (
            "look for another module's global generator, a generator that the clock or the operating system seeds, or "
        )
        hint += "state kept between runs; for what cannot be seeded say randomness='independent'"
        if changed:
            hint = f"state is kept between runs: {_listed(changed)}"
        given, expected, passed = "data", "a mechanism", "that it is given"
        if self.is_policy:
            given, expected, passed = "rewards", "a policy", "passed to its factory"
        return of_every_input(
            "target",
            words(f"different {where} from the same Generator state and the same {given}"),
            f"{expected} that draws all its randomness from the Generator {passed}",
            hint,
        )

    def _dependent(self, kind: str, what: str, runs: int, *, same: bool) -> PolicyError:
        changed = self.kept.changed()
        batch = self.runner.engine == "run_batch"
        got, hint = _DEPENDENT[kind]
        if same:
            got = "the same output in all runs of a call"
        if isinstance(self.runner, ServiceRunner):
            hint = "every `start` or `call` is a new, independent run that remembers nothing of those before it"
        elif batch and kind in ("repeated", "shared"):
            hint = "draw the noise of every run: pass size=runs, or a shape that begins with runs, and draw nothing "
            hint += "once for all runs"
        elif changed:
            hint = f"state is kept between runs: {_listed(changed)}"
        calls = f", in calls of {runs:,} runs" if runs else ""
        shown = "" if same else f": {what}{calls}"
        expected = "runs that are independent, " + ("also those of one call" if batch else "each with its own noise")
        return of_every_input("target", words(got + shown), expected, hint)


def of_every_input(*told: Any) -> PolicyError:
    """Return the error of a target that is refused whatever it is given, so that no input is left out for it."""
    error = PolicyError(*told)
    error.is_of_every_input = True
    return error


FIX_FIRST = "fix this first: an exception in some runs only would be an output"

_DEPENDENT = {
    "repeated": ("runs that share their noise", "look for random numbers that are kept for later runs"),
    "shared": ("runs that share their noise", "look for random numbers that are kept for later runs"),
    "place": (
        "outputs that depend on the place of a run among the others",
        "look for sorted outputs, a running index, or an input, an array or a policy that a run leaves changed",
    ),
    "balanced": (
        "runs whose noise balances out",
        "antithetic, stratified and quasi-random numbers are not independent: draw each run's noise separately",
    ),
    "linked": (
        "runs that depend on the runs before them",
        "look for antithetic numbers, or an input, an array or a policy that a run leaves changed",
    ),
}
"""What is wrong and what to look for, by the kind of dependence."""


def _kept(changed: list[str]) -> PolicyError:
    return of_every_input(
        "target",
        words("other draws from the Generator when the same runs are played again"),
        "runs that keep no random numbers for later runs",
        f"state is kept between runs: {_listed(changed)}"
        if changed
        else "look for a cache, a class attribute, a default argument or a module's variable that holds them",
    )


def _listed(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _alike(outputs: Outputs) -> bool:
    return not outputs.differs(Outputs.joined([outputs[:1]] * len(outputs))).any()
