"""A replay in a fresh process, one for each stream: it sees state that nobody lists, such as files."""

from __future__ import annotations

import gc
import os
import pickle
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from privcheck.accounting import ReleaseRefusedError
from privcheck.arrays import Table
from privcheck.certifying._noisy_replay import Player
from privcheck.certifying._outside.clean_process import Surroundings, clean_process
from privcheck.certifying._outside.contradictions import Contradictions, GuardedRun, with_first_runs
from privcheck.certifying._outside.left_behind import NOT_SEEN, is_kept, roots_of
from privcheck.feedback import kind
from privcheck.mechanisms import DivergenceError, RecordedRelease
from privcheck.private_values import Leak
from privcheck.reached_state import take_as_own
from privcheck.targets import Target

SECONDS = 60.0
"""How long the process may take."""

PAIRS = 3
"""Pairs of streams that are replayed in it."""

MISSED = "pairs of streams were not replayed in a fresh process, where the code fails in an empty folder"
"""Said of code that does not fail elsewhere. It is no contradiction: it may read a file of the working directory."""

LEAKS = (
    "in a fresh process, with an empty working folder, {}, which did not happen in other runs: the code may read a "
    "file there, or other coins lead to it"
)


@dataclass(frozen=True)
class Unlike:
    """A run in a fresh process that cannot be compared.

    Parameters
    ----------
    why : why not, in a note.
    """

    why: str


def in_fresh_process(
    policy: Target,
    pairs: Sequence[tuple[Table, Table]],
    seed: int,
    found: Contradictions,
    before: Surroundings,
) -> list[str]:
    """Play pairs of neighbouring streams in a fresh process, each stream in a fork of its own; return notes.

    What one run leaves in a file of its own, in the environment or in an extension module, the other run does not see
    here, unless it lies outside of both. It is asked of targets in files, where forks are possible. Why the process is
    fresh: see `CleanProcess`.

    Parameters
    ----------
    policy : what is certified.
    pairs : neighbouring streams, of which the first few are played.
    seed : of coins and noise.
    found : takes what contradicts the certificate.
    before : the surroundings of this process before the target was run in it.
    """
    if getattr(policy.runner, "location", None) is None or not hasattr(os, "fork"):
        return []
    try:
        work = partial(_play, before, pickle.dumps((policy, list(pairs[:PAIRS]), seed, found)))
        guarded, plain, unsettled, missed = clean_process().ask(work, SECONDS)
    except (OSError, EOFError, pickle.PickleError, AttributeError, TypeError) as error:
        return [f"no stream was replayed in a fresh process: the target does not run there ({type(error).__name__})"]
    found.guarded |= dict.fromkeys(f"in a fresh process for each stream: {sentence}" for sentence in guarded)
    found.plain |= dict.fromkeys(f"in a fresh process for each stream: {sentence}" for sentence in plain)
    found.unsettled |= dict.fromkeys(unsettled)
    return [f"{missed} of {len(pairs[:PAIRS])} {MISSED}"] if missed else []


def _play(before: Surroundings, job: bytes) -> tuple[list[str], list[str], list[str], int]:
    """Play the streams of a job, and return what was found, and on how many pairs the first run leaks or fails.

    The target is imported once, before the forks: what that reads is no data, and is the same for all streams.
    """
    before.enter()
    policy, pairs, seed, found = pickle.loads(job)
    take_as_own(*vars(policy.runner).values())
    player, by = found.player(policy.build, policy.feedback), kind(policy.feedback)

    def play(table: Table, other: GuardedRun | None, own: set[int]) -> Any:
        return _forked(partial(_played, player, table, seed, other, own))

    missed = 0
    gc.freeze()  # so that a fork looks at its own objects only when it collects those that nothing refers to
    for first, second, one in with_first_runs(pairs, lambda first: play(first, None, set())):
        missed += not isinstance(one, GuardedRun | Unlike)
        two = one
        if isinstance(one, GuardedRun):
            own = set(by.hidden(np.flatnonzero((first != second).any(axis=1)).tolist()))
            again = partial(play, first, None, set()), partial(play, second, one, own)
            two = again[1]()
        if isinstance(two, Unlike):
            found.unsettled[two.why] = None
        elif isinstance(one, GuardedRun):
            seconds = (_forked(partial(_as_second, player, first, seed, of)) for of in (None, one.releases))
            keeps = bool(one.failure) and one.plain in seconds
            found.compared(first, second, one, two, policy.feedback, again, keeps_state=keeps)
    return list(found.guarded), list(found.plain), list(found.unsettled), missed


def _as_second(
    player: Player, table: Table, seed: int, releases: list[RecordedRelease] | None
) -> list[int] | str | None:
    """Return the actions under the guard of a policy that is the second one of its process; None if it leaks or fails.

    Where the code as it is plays the same as the second one, ordinary rewards are not the reason: the guard shows none,
    and follows wrapped ones. It has the noise of the first policy, or its releases.
    """
    player.guarded(table, seed, None)
    try:
        played = player.guarded(table, seed, releases)
    except DivergenceError as divergence:
        return str(divergence)
    return None if played is None else played.actions


def _played(
    player: Player, table: Table, seed: int, other: GuardedRun | None, own: set[int]
) -> GuardedRun | Unlike | str | None:
    """Play a stream under the guard, with the releases of the other one, and then as it is.

    A run of the code as it is could read the private values that the guarded one has left: then none is played.
    """
    leaks = list[Leak | ReleaseRefusedError]()
    try:
        played = player.guarded(table, seed, None if other is None else other.releases, leaks=leaks.extend)
    except DivergenceError as divergence:
        return str(divergence)
    if played is None:
        return Unlike(LEAKS.format(_worded(leaks[0]))) if leaks else None
    if is_kept(played.session.source, roots_of(player.build)):
        return Unlike(NOT_SEEN)
    failure = player.failure(table, seed, played, played.actions if other is None else other.actions, own)
    if failure is None:
        return GuardedRun.of(played)
    return GuardedRun.of(played, f"the code as it is plays otherwise: {failure[1]}", failure[0])


def _worded(found: Leak | ReleaseRefusedError) -> str:
    """Return what leaked, or was refused, in words."""
    return f"{Path(found.file).name}:{found.line} leaks" if isinstance(found, Leak) else "a release is refused"


def _forked(play: Callable[[], Any]) -> Any:
    """Return what a function returns in a fork of this process, in an empty folder; None if it fails there."""
    with tempfile.TemporaryDirectory() as folder:
        return _in_fork(play, folder)


def _in_fork(play: Callable[[], Any], folder: str) -> Any:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            os.chdir(folder)
            tempfile.tempdir = folder
            os.environ |= dict.fromkeys(("TMPDIR", "HOME"), folder)
            with os.fdopen(writing, "wb") as pipe:
                pickle.dump(play(), pipe)
            os._exit(0)
        finally:
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        content = pipe.read()
    _, status = os.waitpid(child, 0)
    return None if status or not content else pickle.loads(content)
