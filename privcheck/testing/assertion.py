"""What the assertions share: the seed and the runs asked for, what a failure says at its end, who hears of a pass."""

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
"""Probability with which an assertion may fail by chance, unless told otherwise."""

RUNS = 5000
"""Runs a side of an audit, unless told otherwise."""

P = ParamSpec("P")
R = TypeVar("R")


class PrivacyFailure(AssertionError):
    """A privacy test failed; the message has the witness, the probability of a false failure, and how to replay it."""


@dataclass
class Running:
    """One running test: what the command line asked for, and what was learnt from assertions that passed.

    Parameters
    ----------
    node : the test's id; empty outside of pytest.
    seed : of assertions that are given none.
    runs : of assertions that are given none; None where the command line says nothing.
    passed : one sentence of each assertion that passed.
    """

    node: str = ""
    seed: int = 0
    runs: int | None = None
    passed: list[str] = field(default_factory=list)


_RUNNING: ContextVar[Running | None] = ContextVar("running", default=None)


def current() -> Running:
    """Return the running test, or one with the usual settings outside of pytest."""
    return _RUNNING.get() or Running()


@contextmanager
def running(test: Running) -> Iterator[Running]:
    """Let the assertions of this block belong to a test."""
    token = _RUNNING.set(test)
    try:
        yield test
    finally:
        _RUNNING.reset(token)


@dataclass(frozen=True)
class Asked:
    """The seed and the runs of one assertion, and how they came about."""

    seed: int
    runs: int
    options: str

    def again(self, call: str) -> str:
        """Return the command that replays the test, or outside of pytest the call."""
        node = current().node
        return f"pytest {shlex.quote(node)}{self.options}" if node else call


def asked(seed: int | None, runs: int | None) -> Asked:
    """Return seed and runs: those given to the assertion, else those of the command line, else the usual ones.

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
    """Keep what a passing assertion could have seen, for the summary of the run."""
    current().passed.append(sentence)


def failure(found: str, witness: list[str], chance: str, how: Asked, call: str) -> PrivacyFailure:
    """Return the failure: what was found, the witness, how likely a false alarm is, seed and replay."""
    lines = [found, "", *witness, "", f"False failures: {chance}.", f"Seed {how.seed}. Replay:", f"  {how.again(call)}"]
    return PrivacyFailure("\n".join(lines))


def by_chance(error: float, what: str) -> str:
    """Return how likely a statistical test fails by chance.

    >>> by_chance(1e-6, "a true claim")
    'a true claim fails this test with probability at most 1e-06'
    """
    return f"{what} fails this test with probability at most {error:g}"


FACT = "none by chance: what was found happened, with this seed it happens again"


def known(options: Mapping[str, Any], function: Callable[..., Any]) -> None:
    """Refuse options that a function does not have.

    >>> known({"rewards": (0, 1)}, lambda target, rewards: None)
    """
    names = list(inspect.signature(function).parameters)[1:]
    for name in options:
        if name not in names:
            near = difflib.get_close_matches(name, names, n=1)
            hint = f"did you mean {near[0]!r}?" if near else ""
            raise PrivcheckError("option", name, f"one of {', '.join(names)}", hint)


def name_of(target: Any) -> str:
    """Return what to call a target: its place, or the name of its class or function.

    >>> name_of("shop.py:Bandit"), name_of(dict)
    ('shop.py:Bandit', 'dict')
    """
    return target if isinstance(target, str) else str(getattr(target, "__name__", type(target).__name__))


def assertion(function: Callable[P, R]) -> Callable[P, R]:
    """Let a failure end at the line of the test: frames of privcheck say nothing to its reader."""

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
        raise PrivcheckError("target", got, "a factory, a shipped id or a place", "return the factory from the test")
