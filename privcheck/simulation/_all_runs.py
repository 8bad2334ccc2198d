"""The runs of all policies of a simulation, and what is kept when one fails or the user interrupts."""

from __future__ import annotations

import time
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, field
from typing import Any

from privcheck.arrays import Integers
from privcheck.bandits import Algorithm
from privcheck.environments import Environment
from privcheck.errors import PrivcheckError
from privcheck.results import OwnPolicy, PolicyResult, Remark
from privcheck.scheduling import Executor, digest
from privcheck.simulation._engine import chunks_of, compile_kernel, engine_of, gathered
from privcheck.simulation._labels import labels_of
from privcheck.simulation._own_policies import LoadedPolicy
from privcheck.simulation._play_own import affordable_runs, own_chunks
from privcheck.targets import played_by


@dataclass
class AllRuns:
    """The runs of all policies, one policy after the other, and what has been finished."""

    place: Environment
    rounds: Integers
    runs: int
    seed: int
    executor: Executor
    seconds: float
    shuffle: bool
    results: list[PolicyResult] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    error: PrivcheckError | None = None

    def play_all(
        self,
        chosen: Sequence[Algorithm | LoadedPolicy],
        advance: Callable[[int], None],
        labels: Sequence[str] | None = None,
    ) -> None:
        """Play the policies; keep what is finished if the user interrupts, and go on if one of their own fails."""
        specs = [each.own if isinstance(each, LoadedPolicy) else each for each in chosen]
        labels, seen = labels_of(specs) if labels is None else labels, Counter[int]()
        for place, (label, policy) in enumerate(zip(labels, chosen, strict=True)):
            identity = _identity(policy)
            key = (identity, seen[identity])
            seen[identity] += 1
            try:
                whole = self._play(label, policy, key, advance)
            except PrivcheckError as error:
                if isinstance(policy, Algorithm):
                    raise
                self.error = self.error or error
                text = f"left out, since a run failed: {error}"
                self.remarks.append(Remark(label, "failed", text))
                continue
            except KeyboardInterrupt:
                if not self.results:
                    raise
                whole = False
                self.remarks.append(Remark(label, "interrupted", "left out: interrupted before a run had ended"))
            if not whole:
                rest = labels[place + 1 :]
                self.remarks += [Remark(name, "interrupted", "left out: not yet begun") for name in rest]
                return

    def _play(self, label: str, policy: Algorithm | LoadedPolicy, key: tuple[int, int], advance: Any) -> bool:
        """Add the result of a policy; return whether it has all runs that it was to have."""
        wanted, started, workers = self.runs, time.perf_counter(), self.executor
        if isinstance(policy, LoadedPolicy):
            wanted, each = self._affordable(policy, key)
            started = time.perf_counter()
            chunks = own_chunks(policy, self.place, self.rounds, wanted, self.seed, key, workers, each, self.shuffle)
            regret = gathered(chunks, wanted, len(self.rounds), advance)
            advance(self.runs - wanted)
            spec: Algorithm | OwnPolicy = policy.own
            engine = "python"
        else:
            compile_kernel(policy, self.place)
            started = time.perf_counter()
            every = chunks_of(policy, self.place, self.rounds, self.runs, self.seed, key, workers, shuffle=self.shuffle)
            regret = gathered(every, self.runs, len(self.rounds), advance)
            spec, engine = policy, engine_of(policy, self.place)
        seconds = time.perf_counter() - started
        self.remarks += [Remark(label, "played-anew", note) for note in workers.notes]
        workers.notes.clear()
        self.results.append(PolicyResult(label, spec, self.rounds, regret, seconds, engine))
        self._remark(label, len(regret), wanted)
        return len(regret) == wanted

    def _affordable(self, policy: LoadedPolicy, key: tuple[int, int]) -> tuple[int, float]:
        """Return how many runs fit into the time, and what one takes; as it was when the store was begun."""
        workers = self.executor
        rest = (self.rounds, self.runs, self.seed, key)

        def measured() -> tuple[int, float]:
            return affordable_runs(policy, self.place, *rest, workers.jobs, self.seconds, self.shuffle)

        if workers.store is None:
            return measured()
        name = digest(("affordable", played_by(policy.runner), self.place, rest, self.seconds, self.shuffle))
        wanted, each = workers.store.settled(name, measured)
        return int(wanted), float(each)

    def _remark(self, label: str, done: int, wanted: int) -> None:
        if done < wanted:
            text = f"{done:,} of {wanted:,} runs were finished when the simulation was interrupted"
            self.remarks.append(Remark(label, "interrupted", text))
        elif wanted < self.runs:
            text = (
                f"{wanted:,} of {self.runs:,} runs, the largest power of two that fits into {self.seconds:g} seconds; "
                f"raise the time budget for more, or repeat these anywhere with runs={wanted}, seed={self.seed}, "
                "time_budget=inf"
            )
            self.remarks.append(Remark(label, "fewer-runs", text))


def _identity(policy: Algorithm | LoadedPolicy) -> int:
    """Return what distinguishes the streams of random numbers of different policies."""
    if isinstance(policy, LoadedPolicy):
        return zlib.crc32(f"own {policy.identity}".encode())
    return zlib.crc32(repr((policy.id, *astuple(policy))).encode())  # type: ignore[call-overload]
