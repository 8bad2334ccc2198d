"""One run of recorded code: a policy or a mechanism that is played with the coins and the releases of a tape."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from privcheck.arrays import Table
from privcheck.certifying._execution import drive
from privcheck.certifying._primitives.drawn_noise import Noise
from privcheck.certifying._primitives.hooks import running
from privcheck.certifying._primitives.recorded_calls import CallTape, ForcedCalls, Operation
from privcheck.certifying._primitives.recorded_generators import recorded_generator, recording_noise
from privcheck.certifying._primitives.replayed_coins import SEEDED, ReplayedCoins, other_coins
from privcheck.certifying._primitives.unread_noise import UnreadNoise
from privcheck.errors import PolicyError, PrivcheckError, words
from privcheck.mechanisms import DivergenceError, recording
from privcheck.privacy import Contexts
from privcheck.targets import Parts, StreamPair, Target, describe_exception

ARRAYS_ONLY = (
    "for code that takes a data frame or records, certify a function that makes them of the array, as in "
    "f(pandas.DataFrame(data, columns=['age', 'ill']), rng)"
)
"""What to do about a target that takes no arrays."""

PLAIN_ONLY = (
    "while noise is recorded, numbers with it are objects that this code does not take: give it np.asarray(x), or "
    "float(x) of one number, once the private value is added"
)
"""What to do about code that takes floats or arrays of numpy alone."""

PUBLISHED_ONLY = "certify a function that returns all that is published of it"
"""What to do about outputs that are not read."""

LED = ("bandit", "full", "delayed", "identification")
"""Kinds of feedback under which the symbols of a run are the actions that `select()` returns."""


class _Led:
    """A policy whose first actions are given, so that other coins of its choices do not change what it receives."""

    def __init__(self, policy: Any, actions: Sequence[int], arms: int) -> None:
        self._policy, self._actions, self._arms, self._asked = policy, actions, arms, 0

    def select(self) -> Any:
        """Return the given action of this round, or the policy's own after the last of them."""
        own, number = self._policy.select(), self._asked
        self._asked += 1
        given = self._actions[number] if number < len(self._actions) else self._arms
        return given if given < self._arms else own

    def __getattr__(self, name: str) -> Any:
        return getattr(self._policy, name)


class Player:
    """Plays a target with recorded primitives."""

    def __init__(self, target: Target, contexts: Contexts | None, coins: ReplayedCoins, noise: bool) -> None:
        self.target, self.contexts, self.coins, self.noise = target, contexts, coins, noise
        self.seeds: dict[int, dict[str, set[str]]] = {}
        self.read_first: frozenset[Operation] = frozenset()
        """Operations before which numbers with noise are read."""
        self.read_after: frozenset[Operation] = frozenset()
        """Operations whose results are read, because numbers are added to noise there."""
        self.keeping: frozenset[Operation] = frozenset()
        """Operations that multiply numbers with noise by plain arrays and leave them unread."""
        self.shared: set[Operation] | None = None
        """Collects operations on numbers with noise that are combined with several others, where it is not None."""
        self.adding: set[Operation] | None = None
        """Collects operations that add numbers to noise, where it is not None."""
        self.multiplying: set[Operation] | None = None
        """Collects operations that multiply numbers with noise by plain arrays, where it is not None."""

    @property
    def is_mechanism(self) -> bool:
        """Whether the target is a function of data."""
        return self.target.feedback == "mechanism"

    def play(
        self, table: Table, tape: CallTape | ForcedCalls, seed: int, again: int = 0, led: Sequence[int] = ()
    ) -> list[Any]:
        """Return the actions, or the numbers of a mechanism's output.

        Parameters
        ----------
        table : the rewards.
        tape : takes the releases.
        seed : of the coins and the noise.
        again : the number of other coins and other noise than the seed's own; 0 for these.
        led : the actions of the first rounds, whatever the policy chooses there; mechanisms have none.
        """
        key = [seed, again] if again else [seed]
        rng = recorded_generator(np.random.PCG64([*key, 0]))
        token = SEEDED.set(None if again else self.seeds.setdefault(seed, {}))
        try:
            with other_coins(again):
                self.coins.start(seed)
                with running(tape, again), self._recording(tape, key):
                    played = (
                        self._output(table, tape, rng) if self.is_mechanism else self._actions(table, tape, rng, led)
                    )
        except PrivcheckError as error:
            if isinstance(tape, CallTape):
                raise
            tape.raise_divergence()
            failed = DivergenceError(f"the run fails on one stream only: {error}")
            failed.actions = tape.played
            raise failed from None
        finally:
            SEEDED.reset(token)
        if isinstance(tape, ForcedCalls):
            tape.raise_divergence()
        return played

    @contextmanager
    def _recording(self, tape: CallTape | ForcedCalls, key: list[int]) -> Iterator[None]:
        if not self.noise:
            yield
            return
        with recording_noise(self._noise(tape, key)):
            yield

    def _noise(self, tape: CallTape | ForcedCalls, key: list[int]) -> Noise:
        generator = np.random.Generator(np.random.PCG64([*key, 2]))
        return Noise(
            tape,
            generator,
            read_first=self.read_first,
            read_after=self.read_after,
            keeping=self.keeping,
            shared=self.shared,
            adding=self.adding,
            multiplying=self.multiplying,
        )

    def _actions(self, table: Table, tape: Any, rng: np.random.Generator, led: Sequence[int]) -> list[Any]:
        policy = self.target.build(rng)
        if led and self.target.feedback in LED:
            policy = _Led(policy, led, self.target.arms)
        return drive(policy, table, tape, self.target.feedback, self.contexts)

    def _output(self, table: Table, tape: Any, rng: np.random.Generator) -> list[Any]:
        data = table[:, 0].copy() if self.target.arms == 0 else table.copy()
        function = self.target.mechanism
        tape.clock = lambda: len(table)
        try:
            with recording(tape):
                return flat(_called(function, data, rng))
        except (DivergenceError, PrivcheckError, KeyboardInterrupt):
            raise
        except BaseException as error:
            got, hint = words(describe_exception(error)), f"{StreamPair.hint_on(data)}; {ARRAYS_ONLY}"
            hint = PLAIN_ONLY if "UnreadNoise" in got or "UnreadArray" in got else hint
            raise PrivcheckError("target", got, "a mechanism that returns an output", hint) from None


def _called(function: Any, data: Any, rng: np.random.Generator) -> Any:
    from privcheck.targets import is_measurement

    return function(data.tolist()) if is_measurement(function) else function(data, rng)


class _Parts(Parts):
    """The parts of an output, in which what has noise is read."""

    def add(self, output: Any) -> str:
        """Append the parts of an output, and return its structure."""
        if isinstance(output, UnreadNoise):
            output = output._value()
        if type(output) is not np.ndarray or output.dtype != np.float64 or np.isnan(output).any():
            return super().add(output)
        self.numbers += output.ravel().tolist()
        structure = "r"
        for size in reversed(output.shape):
            structure = f"[{','.join([structure] * size)}]"
        return structure


def flat(output: Any) -> list[Any]:
    """Return what can be seen of an output, as audits read it: its structure, its symbols and its numbers.

    >>> flat([1, 2.0]), flat(np.ones(2))
    (['[d,r]', 1, 1, 2.0], ['[r,r]', 0, 1.0, 1.0])
    >>> flat(np.ones((2, 1))) == flat([[1.0], [1.0]])
    True

    Raises
    ------
    PolicyError : an object with attributes that are not read.
    """
    parts = _Parts({})
    try:
        structure = parts.add(output)
    except PolicyError as error:
        raise PolicyError(error.parameter, error.value, error.expected, PUBLISHED_ONLY) from None
    return [structure, len(parts.symbols), *parts.symbols, *parts.numbers]
