"""A look at a program: guarded runs that stop at the first finding, in a process of its own."""

from __future__ import annotations

import contextlib
import gc
import io
import linecache
import math
import multiprocessing
import signal
import sys
import time
import types
import warnings
from collections.abc import Mapping
from functools import cache, partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from privcheck.certifying import Refusal, first_finding
from privcheck.errors import PrivcheckError, words
from privcheck.fixing._session_modules import forget_own_modules
from privcheck.fixing._source_text import SourceText, lines_of
from privcheck.private_values import Leak
from privcheck.targets import Claim, Game, Target, describe_exception, importing_beside, load

SECONDS = 5
"""Of computing after which a look is ended."""

PATIENCE = 4.0
"""How many times as long it may take, on a machine that has other things to do."""


class Setting(NamedTuple):
    """Where a program is looked at.

    Parameters
    ----------
    epsilon : the budget, in pure DP.
    arms, horizon : K, and the rounds of a run T.
    feedback : "bandit".
    rewards : the lowest and the highest reward.
    runs : guarded runs, each on its own stream.
    seed : of streams, coins and noise.
    options : arguments of the constructor beside the Generator and those that privcheck passes.
    importing : CPU seconds that it takes to import the file, which count in no limit.
    """

    epsilon: float = 1.0
    arms: int = 2
    horizon: int = 40
    feedback: str = "bandit"
    rewards: tuple[float, float] = (0.0, 1.0)
    runs: int = 6
    seed: int = 0
    options: Mapping[str, Any] = types.MappingProxyType({})
    importing: float = 0.0


class Charged(NamedTuple):
    """What the datum that is charged most is charged in guarded runs without a budget.

    Parameters
    ----------
    times : its total over epsilon.
    lines : of the code that releases it.
    arms, rounds : of the runs.
    """

    times: float
    lines: tuple[int, ...]
    arms: int
    rounds: int


class Finding(NamedTuple):
    """What a look found first.

    Parameters
    ----------
    kind : that of the leak or the refusal; "uncounted" if noise of a global generator was drawn, "failure" if the
        program cannot be run under the guard, "time" if the look took too long.
    file, line : where; an empty string and 0 if it is not known.
    cause : the leak or the refusal; None for other kinds.
    sentence : in words.
    charged : what a datum would be charged without a budget, in several settings, if it is released again.
    """

    kind: str
    file: str
    line: int
    cause: Leak | Refusal | None
    sentence: str
    charged: tuple[Charged, ...] = ()


def look(program: Path | str, class_name: str, setting: Setting, path: Path | None = None) -> Finding | None:
    """Return the first thing for which a program would not be certified; None if nothing was found.

    Parameters
    ----------
    program : the path of a file, or the text of one.
    class_name : the bandit in it.
    setting : where to look.
    path : where the text would stand, so that it finds its neighbours and the finding names it.

    Raises
    ------
    PrivcheckError : another number of arms than the bandit has.
    """
    if isinstance(program, Path):
        path, program = program, SourceText.read(program).text
    place = Path("bandit.py") if path is None else path
    seconds = SECONDS + math.ceil(setting.importing)
    found: Finding | PrivcheckError | None = apart(
        partial(_looked, program, place, class_name, setting), seconds, TOO_LONG
    )
    if not isinstance(found, PrivcheckError):
        return found
    if found.parameter == "arms":  # no patch mends what was asked
        raise found
    return Finding("failure", "", 0, None, str(found))


def fails(source: SourceText, class_name: str, setting: Setting) -> bool:
    """Tell whether a program itself fails in a setting: it may have so many arms and no others."""
    found = look(source.text, class_name, setting, source.path)
    return found is not None and found.kind == "failure"


TOO_LONG = Finding("time", "", 0, None, f"a look takes more than {SECONDS} seconds, or ends the process")


STARTING = 20.0
"""Seconds that a new interpreter may take until it has imported what a look needs."""


class _Still:
    """A bandit whose guarded run imports and caches what every other will need."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng, self.total = rng, 0.0

    def select(self) -> int:
        return 0

    def update(self, action: int, reward: float) -> None:  # noqa: ARG002
        self.total += float(reward + self.rng.laplace(0.0, 1.0))


@cache
def _warm() -> None:
    """Look at a bandit of ours in this process, so that forks of it need not import anything."""
    claim, game = Claim(epsilon=1.0), Game(arms=2, horizon=2)
    first_finding(load(_Still).target(claim, game, 2, 2), claim, game, 2, 1, 0)


def apart(work: partial[Any], seconds: int, otherwise: Any) -> Any:
    """Return what a function returns in a process of its own, or something else if that takes too long or ends early.

    `seconds` are of computing, where the system counts them. An exception that the function raises is returned as a
    PrivcheckError.

    A fork of this process runs it where that is safe, because it starts in no time.

    Raises
    ------
    PrivcheckError : this is such a process: the program itself asks for a fix when it is imported.
    """
    if multiprocessing.current_process().daemon:
        hint = "if the file itself asks for a fix, let it do so under if __name__ == '__main__': alone"
        raise PrivcheckError("target", "a fix within a process of another one", "a process that may start others", hint)
    forks = sys.platform == "linux"
    if forks:
        _warm()
    context: Any = multiprocessing.get_context("fork" if forks else "spawn")
    ours, its = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(its, work, seconds), daemon=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads: the fork runs only this
        process.start()
    its.close()
    try:
        return ours.recv() if ours.poll(PATIENCE * seconds + (0.0 if forks else STARTING)) else otherwise
    except EOFError:
        return otherwise
    finally:
        process.kill()
        process.join()
        ours.close()


def _answer(connection: Connection, work: partial[Any], seconds: int) -> None:
    gc.freeze()  # collecting all objects of the process that asks, in a fork of it, would cost a second of its time
    with contextlib.suppress(ValueError):  # not in the main thread
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that waits ends this one, and says so
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with contextlib.suppress(ImportError, ValueError):  # a machine may have lower limits already
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    forget_own_modules()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            found = work()
        except BaseException as error:  # what is not caught here would print a traceback, and look like a lack of time
            found = PrivcheckError("target", words(describe_exception(error)), "a program that can be run")
    connection.send(found)


def load_text(text: str, path: Path, class_name: str) -> Any:
    """Return a class of a module with this text, as if it stood at a place. Only for a process of its own."""
    file = str(path.absolute())
    linecache.cache[file] = len(text), None, lines_of(text), file
    with importing_beside(path, text.encode()) as name:
        module = types.ModuleType(name)
        module.__file__, module.__package__ = file, name.rpartition(".")[0]
        sys.modules[name] = module
        exec(compile(text, file, "exec", dont_inherit=True), module.__dict__)
    return getattr(module, class_name)


def _looked(text: str, path: Path, class_name: str, setting: Setting) -> Finding | PrivcheckError | None:
    try:
        policy, claim, game = target_of(text, path, class_name, setting)
        found = first_finding(policy, claim, game, setting.horizon, setting.runs, setting.seed)
    except PrivcheckError as error:
        return error
    except BaseException as error:
        return Finding("failure", "", 0, None, describe_exception(error))
    if isinstance(found, list):
        sentence = f"noise of {' and '.join(found)} is not counted: draw it from the Generator of the policy"
        return Finding("uncounted", "", 0, None, sentence)
    if found is None:
        return None
    sentence = found.sentence if isinstance(found, Refusal) else str(found)
    return Finding(found.kind, found.file, found.line, found, sentence)


def computing() -> float:
    """Return the seconds of computing of this process and of those that it waited for, or of a clock without them."""
    try:
        import resource
    except ImportError:
        return time.monotonic()
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in both)


def target_of(text: str, path: Path, class_name: str, setting: Setting) -> tuple[Target, Claim, Game]:
    """Return a program as a target in a setting, with its claim and its game. Only for a process of its own."""
    factory = load_text(text, path, class_name)
    if setting.options:
        factory = partial(factory, **setting.options)
    claim = Claim(epsilon=setting.epsilon)
    game = Game(arms=setting.arms, horizon=setting.horizon, rewards=setting.rewards, feedback=setting.feedback)
    return load(factory).target(claim, game, setting.horizon, setting.arms), claim, game
