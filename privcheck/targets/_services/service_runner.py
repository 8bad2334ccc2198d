"""How runs are made by a service: the same loop as for a policy in this process, with messages in place of calls."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from privcheck.errors import words
from privcheck.feedback import Feedback, kind
from privcheck.privacy import Contexts
from privcheck.targets._output_parts import outputs_of
from privcheck.targets._outputs import Outputs, padded
from privcheck.targets._player import player
from privcheck.targets._releases import published
from privcheck.targets._services.channel import Conversation, Pool
from privcheck.targets._services.messages import LARGEST_SEED, PROTOCOL, Message, action_of, finite, wrong
from privcheck.targets._services.service import Service

CALLS_AT_ONCE = 32
"""Calls of a mechanism that are sent before their replies are read."""


class DistantPolicy:
    """One run of a policy that a service plays, with the methods of a policy.

    Parameters
    ----------
    talk : where messages are sent.
    by : the kind of feedback.
    start : the message that begins the run.
    time_limit : seconds for the run.
    """

    def __init__(self, talk: Conversation, by: Feedback, start: Message, time_limit: float | None) -> None:
        self._talk, self._kind, self._round = talk, by, 1
        self._deadline = None if time_limit is None else (time_limit, time.monotonic() + time_limit)
        talk.tell(start)

    def select(self, *context: Any) -> Any:
        """Ask for an action."""
        shown = {"context": context[0]} if context else {}
        return action_of(self._ask({"op": "select"} | shown, "action"), f"action in round {self._round}")

    def update(self, *told: Any) -> None:
        """Tell what the kind of feedback tells."""
        self._round += 1
        names = self._kind.told if "round" in self._kind.told else _NAMES[len(told)]
        self._talk.tell({"op": "update", **dict(zip(names, told, strict=True))})

    @property
    def batch(self) -> Any:
        """The sizes of its batches."""
        return self._ask({"op": "batch"}, "batch")

    @property
    def delay(self) -> Any:
        """The delays of its rewards."""
        return self._ask({"op": "delay"}, "delay")

    def act(self, n: int) -> Any:
        """Ask for the actions of a batch."""
        found = self._ask({"op": "act", "n": n}, "actions")
        self._round += n
        return found

    def learn(self, actions: Any, rewards: Any) -> None:
        """Tell the rewards of a batch."""
        self._talk.tell({"op": "learn", "actions": actions.tolist(), "rewards": rewards.tolist()})

    @property
    def stopped(self) -> bool:
        """Whether it has stopped."""
        found = self._ask({"op": "stopped"}, "stopped")
        if not isinstance(found, bool):
            raise wrong(self._talk.channel.parameter, f"{found!r} as 'stopped'", "true or false")
        return found

    def recommend(self) -> Any:
        """Ask for the recommended arm."""
        return action_of(self._ask({"op": "recommend"}, "arm"), "recommendation")

    @property
    def released(self) -> Any:
        """The released statistics."""
        return finite(self._ask({"op": "released"}, "values"), "released")

    def end(self) -> None:
        """Say that the run is over."""
        self._talk.tell({"op": "end"})

    def _ask(self, message: Message, name: str) -> Any:
        found = self._talk.ask(message, name)
        if self._deadline is not None and time.monotonic() > self._deadline[1]:
            got = words(f"a run that takes longer than {self._deadline[0]:g} seconds")
            raise wrong("target", got, "runs that end in time", "raise the time limit, or shorten the horizon")
        return found


_NAMES = {2: ("action", "reward"), 3: ("context", "action", "reward")}
"""Names of what `update` receives, in messages: those of the protocol, whatever the kind of feedback calls them."""


@dataclass
class ServiceRunner:
    """Plays runs with a service.

    Parameters
    ----------
    service : where the target is.
    start : what `start` says besides "op", "protocol" and "seed": arms, horizon, epsilon, delta and feedback.
    observe : "actions", or "releases" for the released statistics as well.
    contexts : what contexts look like, for a contextual policy.
    reproducible : whether seeds are sent, and equal seeds give equal runs.
    time_limit : seconds for a run; None for none.
    """

    service: Service
    start: dict[str, Any]
    observe: str = "actions"
    contexts: Contexts | None = None
    reproducible: bool = False
    time_limit: float | None = None
    chunk_runs: ClassVar[int] = 50
    joblib_backend: ClassVar[str] = "threading"
    _pool: Pool = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._pool = Pool(self.service.opened)

    @property
    def engine(self) -> str:
        """What plays the runs."""
        return self.service.engine

    def play(self, table: Any, runs: int, seed: np.random.SeedSequence, other: Any = None) -> Outputs:  # noqa: ARG002
        """Return the outputs of runs on a table, or on an input of a mechanism."""
        seeds: list[int | None] = [None] * runs
        if self.reproducible:
            seeds = np.random.default_rng(seed).integers(LARGEST_SEED, size=runs).tolist()
        with self._pool.conversation() as talk:
            if self.service.mechanism:
                return outputs_of(list(self._called(talk, table, seeds)))
            found = self._played(talk, table, seeds)
            talk.settle()
        return found

    def _called(self, talk: Conversation, data: Any, seeds: list[int | None]) -> Iterator[Any]:
        for first in range(0, len(seeds), CALLS_AT_ONCE):
            some = seeds[first : first + CALLS_AT_ONCE]
            calls: list[Message] = [{"op": "call", "data": data, "seed": seed} for seed in some]
            for output in talk.ask_each(calls, "output"):
                yield finite(output, "output")

    def _played(self, talk: Conversation, table: Any, seeds: list[int | None]) -> Outputs:
        by = kind(self.start["feedback"])
        play = player(by, table, self.start["arms"], self.contexts)
        symbols = np.empty((len(seeds), by.length(len(table))), by.dtype)
        rows = []
        for run, seed in enumerate(seeds):
            begin: Message = {"op": "start", "protocol": PROTOCOL, **self.start, "seed": seed}
            policy = DistantPolicy(talk, by, begin, self.time_limit)
            symbols[run] = play(policy)
            if self.observe == "releases":
                rows.append(published(policy.released)[None, :])
            policy.end()
        if not rows:
            return Outputs.of_symbols(symbols)
        return Outputs(symbols, np.concatenate(padded(rows, np.nan)))

    def begin_afresh(self) -> None:
        """End the programs that were started; the next run starts them again. A service goes on as it is."""
        self._pool.close()

    close = begin_afresh
