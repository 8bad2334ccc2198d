"""What the assertions share: the seed, the number of runs, the end of a failure message, the report of a pass."""

from __future__ import annotations

import difflib
import functools
import inspect
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from privcheck.declared import Integer, check
from privcheck.errors import PrivcheckError, words
from privcheck.testing._project import project
from privcheck.testing._running import current

ERROR = 1e-6
"""Default probability with which an assertion may fail by chance."""

RUNS = 5000
"""Default runs per stream of an audit."""

P = ParamSpec("P")
R = TypeVar("R")


class PrivacyFailure(AssertionError):
    """A failed privacy test; the message has the witness, the probability of a false failure, and how to replay it."""

    __module__ = "privcheck.testing"  # as it is imported, and so in tracebacks


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
    """Return seed and runs: those given to the assertion, else those of the command line, else those of the project's
    settings, else the defaults.

    >>> asked(None, None), asked(3, 100).runs
    (Asked(seed=0, runs=5000, options=' --privcheck-seed=0'), 100)
    """
    test = current()
    of_project: Mapping[str, Any] = {} if seed is not None and runs is not None else project()
    options = ""
    if seed is None:
        seed = of_project.get("seed", 0) if test.seed is None else test.seed
        options = f" --privcheck-seed={seed}"
    if test.runs is not None and runs in (None, test.runs):  # also where a test takes the number from there
        runs, options = test.runs, f"{options} --privcheck-budget={test.runs}"
    runs = of_project.get("runs", RUNS) if runs is None else runs
    return Asked(check("seed", seed, Integer(0), "give an integer"), check("runs", runs, Integer(1)), options)


def passed(sentence: str) -> None:
    """Keep a sentence of a passing assertion for the summary of the run."""
    current().passed.append(sentence)


def failure(found: str, witness: list[str], chance: str, how: Asked, call: str) -> PrivacyFailure:
    """Return the failure: what was found, the witness, the probability of a false failure, the seed and the replay."""
    lines = [found, "", *witness, "", f"False failures: {chance}.", f"Seed {how.seed}. Replay:", f"  {how.again(call)}"]
    return failed("\n".join(lines))


def failed(message: str) -> PrivacyFailure:
    """Return the failure, and keep the first line of its message for the summary of the run."""
    current().failed.append(message.partition("\n")[0])
    return PrivacyFailure(message)


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
            raise unknown_option(name, names)


def unknown_option(name: str, names: list[str]) -> PrivcheckError:
    """Return the error about an option that is none of these names.

    >>> print(unknown_option("arm", ["epsilon", "arms"]))
    option: got 'arm' (did you mean 'arms'?), expected one of epsilon, arms
    """
    near = difflib.get_close_matches(name, names, n=1)
    got = f"{name!r} (did you mean {near[0]!r}?)" if near else repr(name)
    hint = f"an audit plays the code as it is; {REPLAYED}" if name == "primitives" else ""
    return PrivcheckError("option", words(got), f"one of {', '.join(names)}", hint)


REPLAYED = "in a test write: assert not privcheck.certify(target, epsilon=..., primitives=...).has_findings"


def refuse_primitives(given: Any) -> None:
    """Refuse the primitives of a record and replay, which certifies nothing: a test of a certificate could not pass.

    >>> refuse_primitives(None)
    """
    if given is not None:
        raise PrivcheckError("primitives", given, "none, since record and replay certifies nothing", REPLAYED)


def name_of(target: Any) -> str:
    """Return the name of a target: its location, or the name of its class or function.

    >>> name_of("shop.py:Bandit"), name_of(dict)
    ('shop.py:Bandit', 'dict')
    """
    return called(target if isinstance(target, str) else str(getattr(target, "__name__", type(target).__name__)))


def called(own: str) -> str:
    """Return what reports call a target of this name: where it says too little, the end of the test's id.

    The target of a parametrised test is one of several, and a lambda has no name.

    >>> called("Shop"), called("<lambda>")
    ('Shop', '<lambda>')
    """
    test = current()
    return test.name if test.name and (test.parametrised or "<" in own) else own


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
