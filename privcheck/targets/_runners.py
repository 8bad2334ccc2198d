"""How an audited policy is run many times on a reward table: a compiled kernel, or plain Python objects."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from privcheck.arrays import Table
from privcheck.bandits import Algorithm
from privcheck.errors import PolicyError, PrivcheckError, words
from privcheck.feedback import Feedback, check_at_once, kind, unknown_arm
from privcheck.generators import generator, global_generators_seeded, own_generator, position
from privcheck.kernels import spawned
from privcheck.privacy import Contexts
from privcheck.scheduling import one_thread
from privcheck.targets._fresh_imports import put_back
from privcheck.targets._location import (
    Location,
    about_first_parameter,
    check_built_arms,
    describe_exception,
    factory_arguments,
    own_defaults,
    takes_generator,
)
from privcheck.targets._other_names import what_to_do
from privcheck.targets._outputs import Outputs
from privcheck.targets._player import player
from privcheck.targets._releases import play_releasing
from privcheck.targets._time_limit import limited


class Runner(Protocol):
    """Plays independent runs of one policy or mechanism, `chunk_runs` of them with one seed."""

    chunk_runs: ClassVar[int]

    @property
    def joblib_backend(self) -> str:
        """Whether workers are threads or processes."""

    @property
    def engine(self) -> str:
        """What plays the runs: "kernel", "python" or "run_batch"."""

    @property
    def reproducible(self) -> bool:
        """Whether all randomness comes from the seed."""

    def play(self, table: Any, runs: int, seed: np.random.SeedSequence, other: Any = None) -> Outputs:
        """Return the outputs of independent runs on a reward table of shape (T, K), or on an input of a mechanism.

        `other` is the neighbour, for likelihood ratios of the releases if they can be computed.
        """


@contextmanager
def closing(runner: Runner) -> Iterator[None]:
    """End the programs that a runner has started, however the block ends."""
    try:
        yield
    finally:
        close = getattr(runner, "close", None)
        if close is not None:
            close()


def code_of(runner: Runner) -> tuple[Any, ...]:
    """Return the objects whose code a runner plays."""
    found = [getattr(runner, name, None) for name in ("algorithm", "factory", "mechanism", "encode")]
    return tuple(each for each in found if each is not None)


def played_by(runner: Runner) -> tuple[Any, ...]:
    """Return what decides, beside streams and seeds, what a runner plays."""
    names = ("algorithm", "factory", "keywords", "feedback", "observe", "contexts", "engine", "mechanism", "encode")
    return tuple((name, getattr(runner, name, None)) for name in (*names, "randomness", "messages"))


def check_sent(runner: Runner, parameter: str) -> None:
    """Refuse to play a target elsewhere, or to keep what it played, unless its code and a seed decide what it does.

    Raises
    ------
    PrivcheckError : what another program plays, or what draws random numbers from the operating system.
    """
    if not runner.reproducible or not code_of(runner):
        got = words("a target that another program plays, or whose random numbers have no seed")
        raise PrivcheckError(
            parameter, got, "code in Python whose random numbers have a seed", f"leave {parameter} out"
        )


@dataclass(frozen=True)
class KernelRunner:
    """Runs the compiled kernel of a shipped algorithm."""

    algorithm: Algorithm
    engine: ClassVar[str] = "kernel"
    reproducible: ClassVar[bool] = True
    chunk_runs: ClassVar[int] = 50_000
    joblib_backend: ClassVar[str] = "threading"

    def play(self, table: Table, runs: int, seed: np.random.SeedSequence, other: Any = None) -> Outputs:  # noqa: ARG002
        return Outputs.of_symbols(self.algorithm.symbols(table, runs, spawned(seed)))


@dataclass
class PolicyRunner:
    """Runs a user's policy, which its factory builds anew for every run.

    Parameters
    ----------
    factory : called with a Generator (as `rng`) and with those of arms, epsilon, delta, horizon, rho and mu that its
        signature names.
    keywords : the values of these; one that is missing or None is not passed on.
    feedback : id of the kind of feedback.
    location : where worker processes load the factory from; None if it is pickled by value.
    observe : "actions", or "releases" for the released statistics as well.
    contexts : what contexts look like, for a contextual policy.
    randomness : "seeded" or "independent", if the user said so: the factory then need not take a Generator.
    time_limit : seconds for a run; None for the usual limit.

    """

    factory: Callable[..., Any]
    keywords: dict[str, Any]
    feedback: str
    location: Location | None = None
    observe: str = "actions"
    contexts: Contexts | None = None
    engine: str = "python"
    randomness: str | None = None
    time_limit: float | None = None
    chunk_runs: ClassVar[int] = 500
    joblib_backend: ClassVar[str] = "loky"
    kind: Feedback = field(init=False, repr=False)
    _arguments: dict[str, Any] = field(init=False, repr=False)
    _takes_rng: bool = field(init=False, repr=False)

    @property
    def own_defaults(self) -> dict[str, Any]:
        """The parameters with a default that the factory is never passed, for it gives them names of its own."""
        return own_defaults(self.factory)

    def __post_init__(self) -> None:
        self.kind = kind(self.feedback)
        self._takes_rng = self.randomness is None or takes_generator(self.factory)
        by, arms = self.kind.methods, self.keywords.get("arms")
        self._arguments = factory_arguments(self.factory, self.keywords, by, takes_rng=self._takes_rng)
        policy = self._built_twice()
        for method in self.kind.methods:
            if not callable(getattr(policy, method, None)):
                raise PrivcheckError(
                    "target",
                    words(f"{type(policy).__name__}, which has no method {method}()"),
                    f"a policy with {' and '.join(f'{name}()' for name in self.kind.methods)}",
                    what_to_do(policy, "a bandit is any object with these methods"),
                )
        check_at_once("target", policy, self.kind.methods, self.kind.attributes)
        if self.kind.one_arm_a_round:
            check_built_arms(policy, arms)
        for attribute, (expected, hint) in self.kind.attributes.items():
            if not hasattr(policy, attribute):
                got = words(f"{type(policy).__name__}, which has no attribute {attribute}")
                raise PrivcheckError("target", got, expected, hint)
        if callable(getattr(policy, "run_batch", None)) and self.observe == "actions":
            self.engine = "run_batch"

    @property
    def reproducible(self) -> bool:
        """Whether equal seeds are to give equal runs."""
        return self.randomness != "independent"

    def _built_twice(self) -> Any:
        """Return a policy; refuse a factory that draws only once, since all policies would share what it drew."""
        first, again = (generator(np.random.SeedSequence(0)) for _ in range(2))
        if not self.reproducible:
            return self.build(first)
        start = position(first)
        policy = self.build(first)
        if position(first) != start:
            self.build(again)
            if position(again) != position(first):
                raise PolicyError(
                    "target",
                    words("other draws from the Generator when the policy is built again"),
                    "a factory that keeps no random numbers for later policies",
                    "look for a cache, a class attribute, a default argument or a module's variable that holds them",
                )
        return policy

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        if self.location is not None:
            state["factory"] = None
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self.location is not None:
            self.factory = self.location.load_once()

    def build(self, rng: np.random.Generator) -> Any:
        """Return a new policy whose randomness comes from `rng`."""
        if self.location is not None:
            put_back(self.location.imported)
        try:
            return self.factory(*([rng] if self._takes_rng else []), **self._arguments)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            expected = "a factory that builds a policy from a Generator"
            hint = about_first_parameter(self.factory) if self._takes_rng else ""
            got = words(f"{describe_exception(error)}, raised by {_called(self.factory)}")
            raise PolicyError("target", got, expected, hint) from None

    def play(self, table: Table, runs: int, seed: np.random.SeedSequence, other: Any = None) -> Outputs:
        rng = generator(seed)
        arms = self.keywords["arms"]
        batch = runs if self.engine == "run_batch" else 0
        with limited(batch=batch, of_a_run=self.time_limit) as clock, one_thread(), global_generators_seeded(seed):
            if self.engine == "run_batch":
                return Outputs.of_symbols(self._play_batch(table, runs, rng, arms))
            play = player(self.kind, table, arms, self.contexts)
            if self.observe == "releases":
                again = None if other is None else player(self.kind, other, arms, self.contexts)
                return play_releasing(self.build, play, again, runs, rng, clock)
            symbols = np.empty((runs, self.kind.length(len(table))), self.kind.dtype)
            for run in range(runs):
                clock.next_run()
                symbols[run] = play(self.build(own_generator(rng)))
        return Outputs.of_symbols(symbols)

    def _play_batch(self, table: Table, runs: int, rng: np.random.Generator, arms: int) -> npt.NDArray[np.integer]:
        try:
            actions = np.asarray(self.build(rng).run_batch(table.copy(), rng, runs))
        except (PolicyError, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise PolicyError("run_batch", words(describe_exception(error)), "actions of shape (runs, T)") from None
        length = self.kind.length(len(table))
        if actions.shape != (runs, length) or not np.issubdtype(actions.dtype, np.integer):
            got = words(f"shape {actions.shape} of {actions.dtype}")
            raise PolicyError("run_batch", got, f"integer actions of shape {(runs, length)}")
        if actions.size and not 0 <= actions.min() <= actions.max() < self.kind.symbols(arms):
            raise unknown_arm(int(actions.max() if actions.min() >= 0 else actions.min()), arms, "action")
        return actions.astype(self.kind.dtype)


def _called(factory: Any) -> str:
    """Return what a factory is, in words.

    >>> _called(dict), _called(len)
    ('the constructor of dict', 'the factory len')
    """
    name = getattr(factory, "__name__", type(factory).__name__)
    return f"the constructor of {name}" if isinstance(factory, type) else f"the factory {name}"
