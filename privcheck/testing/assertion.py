"""What the assertions share: the seed, the number of runs, the end of a failure message, the report of a pass."""

from __future__ import annotations

import difflib
import functools
import inspect
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar

from privcheck.declared import Integer, check
from privcheck.errors import PrivcheckError, words

ERROR = 1e-6
"""Default probability with which an assertion may fail by chance."""

RUNS = 5000
"""Default runs per stream of an audit."""

P = ParamSpec("P")
R = TypeVar("R")


class PrivacyFailure(AssertionError):
    """A failed privacy test; the message has the witness, the probability of a false failure, and how to replay it."""


@dataclass
class Running:
    """One running test: the options of the command line, and what its passing assertions report.

    Parameters
    ----------
    node : the test's id; empty outside of pytest.
    seed : for assertions without a seed of their own.
    runs : for assertions without a number of runs of their own; None unless the command line gives one.
    passed : one sentence from each assertion that passed.
    """

    node: str = ""
    seed: int = 0
    runs: int | None = None
    passed: list[str] = field(default_factory=list)


_RUNNING: ContextVar[Running | None] = ContextVar("running", default=None)


def current() -> Running:
    """Return the running test, or one with the default settings outside pytest."""
    return _RUNNING.get() or Running()


@contextmanager
def running(test: Running) -> Iterator[Running]:
    """Assign the assertions of this block to a test."""
    token = _RUNNING.set(test)
    try:
        yield test
    finally:
        _RUNNING.reset(token)


@dataclass(frozen=True)
class Asked:
    """The seed and the runs of one assertion, and the options that reproduce them."""

    seed: int
    runs: int
    options: str

    def again(self, call: str) -> str:
        """Return the command that replays the test or, outside pytest, the call."""
        node = current().node
        return f"pytest {shlex.quote(node)}{self.options}" if node else call


def asked(seed: int | None, runs: int | None) -> Asked:
    """Return seed and runs: those given to the assertion, else those of the command line, else the defaults.

    >>> asked(None, None), asked(3, 100).runs
    (Asked(seed=0, runs=5000, options=' --privcheck-seed=0'), 100)
    """
    test = current()
    options = "" if seed is not None else f" --privcheck-seed={test.seed}"
    if runs is None and test.runs is not None:
        runs, options = test.runs, f"{options} --privcheck-budget={test.runs}"
    seed = check("seed", test.seed if seed is None else seed, Integer(0), "give an integer")
    return Asked(seed, check("runs", RUNS if runs is None else runs, Integer(1)), options)


def passed(sentence: str) -> None:
    """Keep a sentence of a passing assertion for the summary of the run."""
    current().passed.append(sentence)


def failure(found: str, witness: list[str], chance: str, how: Asked, call: str) -> PrivacyFailure:
    """Return the failure: what was found, the witness, the probability of a false failure, the seed and the replay."""
    lines = [found, "", *witness, "", f"False failures: {chance}.", f"Seed {how.seed}. Replay:", f"  {how.again(call)}"]
    return PrivacyFailure("\n".join(lines))


def by_chance(error: float, what: str) -> str:
    """Return the probability with which a statistical test fails by chance, in words.

    >>> by_chance(1e-6, "a true claim")
    'a true claim fails this test with probability at most 1e-06'
    """
    return f"{what} fails this test with probability at most {error:g}"


FACT = "none by chance; what was found did happen, and happens again with this seed"


def known(options: Mapping[str, Any], function: Callable[..., Any]) -> None:
    """Refuse options that a function does not take.

    >>> known({"rewards": (0, 1)}, lambda target, rewards: None)
    """
    names = list(inspect.signature(function).parameters)[1:]
    for name in options:
        if name not in names:
            near = difflib.get_close_matches(name, names, n=1)
            hint = f"did you mean {near[0]!r}?" if near else ""
            raise PrivcheckError("option", name, f"one of {', '.join(names)}", hint)


def name_of(target: Any) -> str:
    """Return the name of a target: its location, or the name of its class or function.

    >>> name_of("shop.py:Bandit"), name_of(dict)
    ('shop.py:Bandit', 'dict')
    """
    return target if isinstance(target, str) else str(getattr(target, "__name__", type(target).__name__))


def assertion(function: Callable[P, R]) -> Callable[P, R]:
    """End the traceback of a failure at the line of the test: frames inside privcheck do not help its reader."""

    @functools.wraps(function)
    def asserted(*args: P.args, **kwargs: P.kwargs) -> R:
        __tracebackhide__ = True
        try:
            return function(*args, **kwargs)
        except (PrivacyFailure, PrivcheckError) as error:
            raise error.with_traceback(None) from None

    return asserted


def nothing(target: Any) -> None:
    """Refuse None as a target: a test that returns no factory would test nothing."""
    if target is None:
        got = words("None")
        raise PrivcheckError("target", got, "a factory, an id or a location", "return the factory from the test")
