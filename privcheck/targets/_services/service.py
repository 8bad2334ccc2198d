"""Targets that are played by another program: what a user names, and how a way to it is opened."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

from privcheck.declared import POSITIVE, Switch, check
from privcheck.errors import PrivcheckError
from privcheck.targets._services.channel import Channel
from privcheck.targets._services.http_service import HttpService, checked_url
from privcheck.targets._services.line_process import LineProcess

TIMEOUT = 10.0
"""Seconds within which a reply must come, unless the user says otherwise."""

PLAYER = Path(__file__).with_name("other_interpreter.py")
"""What plays a target in another interpreter; it needs only the standard library."""


@dataclass(frozen=True, repr=False)
class Service:
    """A program that plays a policy or a mechanism: made by `from_command`, `from_url` and `from_python`.

    Parameters
    ----------
    timeout : seconds within which each reply must come.
    mechanism : whether it is a one-shot mechanism, which answers "call", and not a policy.
    """

    timeout: float = TIMEOUT
    mechanism: bool = False

    seeded: ClassVar[bool] = False
    """Whether seeds are sent if the user does not say so."""
    engine: ClassVar[str]
    """What plays the runs, in reports."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "timeout", check("timeout", self.timeout, POSITIVE, hint="seconds for each reply"))
        check("mechanism", self.mechanism, Switch())

    @property
    def named(self) -> tuple[str, tuple[Any, ...]]:
        """The function that makes it, and its positional arguments."""
        raise NotImplementedError

    def opened(self) -> Channel:
        """Open a way to the program."""
        raise NotImplementedError

    def described(self) -> Service:
        """Return the service with what only the program can say."""
        return self

    def __repr__(self) -> str:
        """Return the call that makes it, which reports show as the target."""
        function, arguments = self.named
        own = [f"{name}={getattr(self, name)!r}" for name in self._said() if getattr(self, name) != _usual(name)]
        return f"{function}({', '.join([*map(repr, arguments), *own])})"

    def _said(self) -> tuple[str, ...]:
        return ("timeout", "mechanism")


def _usual(name: str) -> Any:
    return next(field.default for field in fields(Service) if field.name == name)


@dataclass(frozen=True, repr=False)
class Command(Service):
    """A command that reads lines from its standard input and writes lines to its standard output."""

    words: tuple[str, ...] = ()
    engine: ClassVar[str] = "command"

    @property
    def named(self) -> tuple[str, tuple[Any, ...]]:
        return "from_command", (list(self.words),)

    def opened(self) -> Channel:
        return LineProcess(self.words, self.timeout)


@dataclass(frozen=True, repr=False)
class Url(Service):
    """A service that takes messages as the bodies of POST requests."""

    url: str = ""
    engine: ClassVar[str] = "service"

    @property
    def named(self) -> tuple[str, tuple[Any, ...]]:
        return "from_url", (self.url,)

    def opened(self) -> Channel:
        return HttpService(self.url, self.timeout)


@dataclass(frozen=True, repr=False)
class Interpreter(Service):
    """Python code that another interpreter plays."""

    python: str = ""
    place: str = ""
    seeded: ClassVar[bool] = True
    engine: ClassVar[str] = "other Python"

    @property
    def named(self) -> tuple[str, tuple[Any, ...]]:
        return "from_python", (self.python, self.place)

    def opened(self) -> Channel:
        return LineProcess((self.python, str(PLAYER), self.place), self.timeout, "python")

    def described(self) -> Service:
        channel = self.opened()
        try:
            (reply,) = channel.exchange([{"op": "describe"}])
        finally:
            channel.close()
        return Interpreter(self.timeout, bool(reply.get("mechanism")), self.python, self.place)

    def _said(self) -> tuple[str, ...]:
        return ("timeout",)


def from_command(command: Sequence[str] | str, *, timeout: float = TIMEOUT, mechanism: bool = False) -> Service:
    """Return a target of `privcheck.audit` that a command plays: a program in any language.

    The command reads one JSON object from each line of its standard input and answers each with one on a line of its
    standard output, which it flushes. It plays one run after another, and ends when its input ends. `docs/services.md`
    has the messages. What it writes to standard error is shown only if it fails.

    Parameters
    ----------
    command : the program and its arguments, shape (n,); a text is split as a shell splits it, and no shell is run.
    timeout : seconds within which each reply must come, > 0.
    mechanism : whether it is a one-shot mechanism, which answers "call", and not a policy.

    Returns
    -------
    Service

    Guarantee
    ---------
    The command runs in a process group of its own. The whole group is killed half a second after its input has ended:
    at the end of the audit, after an error, and after an interrupt.

    Raises
    ------
    PrivcheckError : no command, or a timeout that is not positive; `audit` raises PolicyError if it does not answer.

    Examples
    --------
    >>> from_command("./bandit --fast", timeout=30)
    from_command(['./bandit', '--fast'], timeout=30.0)
    """
    try:
        split = tuple(shlex.split(command)) if isinstance(command, str) else tuple(map(os.fspath, command))
    except (TypeError, ValueError):
        split = ()
    if not split or not all(isinstance(word, str) for word in split):
        raise PrivcheckError("command", command, "a program and its arguments", "as in ['./bandit', '--fast']")
    return Command(timeout, mechanism, split)


def from_url(url: str, *, timeout: float = TIMEOUT, mechanism: bool = False) -> Service:
    """Return a target of `privcheck.audit` that an HTTP service plays.

    Each message is posted to the one URL as a JSON object, and answered by a JSON object with status 200. Every message
    has `run`, the id of its run. Connections are kept open; with `jobs` workers, so many runs are played at once.
    Redirects are not followed. `docs/services.md` has the messages.

    Parameters
    ----------
    url : where messages are posted, http or https, without a name or password.
    timeout : seconds within which each reply must come, > 0.
    mechanism : whether it is a one-shot mechanism, which answers "call", and not a policy.

    Returns
    -------
    Service

    Raises
    ------
    PrivcheckError : not such a URL, or a timeout that is not positive; `audit` raises PolicyError without answers.

    Examples
    --------
    >>> from_url("http://127.0.0.1:8000/")
    from_url('http://127.0.0.1:8000/')
    """
    checked_url(url)
    return Url(timeout, mechanism, url)


def from_python(python: str | Path, target: str, *, timeout: float = TIMEOUT) -> Service:
    """Return a target of `privcheck.audit` that is Python code played by another interpreter.

    The other interpreter, of Python 3.8 or later, needs neither privcheck nor its packages. With numpy, a factory or
    mechanism is given a numpy Generator made from the seed of each run; without it, a `random.Random`.

    Parameters
    ----------
    python : the interpreter, such as "venv/bin/python".
    target : "path/to/file.py:name" or "package.module:name", of a factory of policies or a mechanism `f(data, rng)`.
    timeout : seconds within which each reply must come, > 0; importing the target counts towards the first one.

    Returns
    -------
    Service

    Raises
    ------
    PrivcheckError : a target that is not a place, or a timeout that is not positive; `audit` raises PolicyError for
        code that fails.

    Examples
    --------
    >>> from_python("venv/bin/python", "bandits.py:Bandit")
    from_python('venv/bin/python', 'bandits.py:Bandit')
    """
    module, _, name = target.rpartition(":") if isinstance(target, str) else ("", "", "")
    if not module or not name:
        hint = "shipped algorithms are played here"
        raise PrivcheckError("target", target, "path/to/file.py:name or package.module:name", hint)
    return Interpreter(timeout, False, os.fspath(python), target)
