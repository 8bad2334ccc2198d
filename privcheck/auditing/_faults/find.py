"""Which lines are behind a violation.

Raw data that steer the actions are looked for first (`raw_paths`): where that happens, noise is no explanation. If it
does not, guarded runs (`guarded_runs`) show noise that does not have the law it is taken for, or the release by which a
reward loses more than the claim. A line is named only if one of these holds of it. A reading that a guard merely cannot
follow is not enough: code may read a reward and add noise to what it makes of it. Noise of the global generators of
numpy and Python is examined like noise of the policy's Generator; where random numbers come from elsewhere, no line is
named.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterable, Iterator

import numpy as np

from privcheck.accounting import amount_in_words, datum_in_words
from privcheck.arrays import Table
from privcheck.auditing._faults.guarded_runs import GuardedRun, Overspent, guarded_run, is_noised, overspent
from privcheck.auditing._faults.other_randomness import OPENDP, Taken, followed, watched
from privcheck.auditing._faults.raw_paths import UNFOLLOWED, RawPath, raw_path, sets_for_readings
from privcheck.auditing._faults.source_code import (
    excerpt,
    file_named,
    reads_noise_first,
    seeds_its_noise,
    shown_path,
)
from privcheck.feedback import FEEDBACKS
from privcheck.private_values import COIN, NO_LAW, REUSED, SELECTED, SHARED, Leak, describe_data
from privcheck.results import Fault, Witness
from privcheck.targets import Claim, Game, Target

SECONDS = 30.0
"""After this time no further run is started; most searches take less than two seconds."""

GUARDED_SEEDS = 4
"""Guarded runs on each stream."""

MOST_FAULTS = 3
"""Lines that are named at most."""

MISUSED = {COIN: "noise-read-first", SELECTED: "noisy-max-misused"} | dict.fromkeys(NO_LAW.values(), "one-sided-noise")
"""Hints of leaks in which noise has another law than it is taken for, with the kind of fault."""

SHARING = {REUSED: "noise-used-again", SHARED: "noise-shared"}
"""The same for noise that several values have in common; some correct code does that, such as a tree."""

POSSIBLE = "a possible line is "
"""What a reason begins with that names a line which was not shown to be at fault."""

NOT_SHOWN = "neither raw data that steer the actions nor a release above the claim was seen on the witness's streams"


def find_faults(target: Target, claim: Claim, game: Game, witnesses: Iterable[Witness]) -> tuple[list[Fault], str]:
    """Return the lines behind a violation, most certain first, and why there are none if there are none.

    Parameters
    ----------
    target : what was audited, without a guard.
    claim : that was refuted.
    game : the range of rewards, the neighbour relation and the contexts.
    witnesses : pairs of streams on which the claim was refuted; the first on which something is found decides.

    Guarantee
    ---------
    It never raises, and starts no run after `SECONDS`. It reads no counts of the audit and changes none.
    """
    if target.feedback not in FEEDBACKS.guarded:
        what = "a function of data" if target.feedback == "mechanism" else f"feedback {target.feedback!r}"
        return [], f"it is found by runs under a guard, which cannot run {what}"
    deadline, why = time.monotonic() + SECONDS, NOT_SHOWN
    try:
        for witness in witnesses:
            columns = target.arms + (0 if game.contexts is None else game.contexts.size)
            tables = [np.asarray(stream, float).reshape(-1, columns) for stream in (witness.first, witness.second)]
            found, why = _on(target, claim, game, tables[0], tables[1], witness.rounds, deadline)
            if found:
                return found, ""
    except Exception as error:  # a search for an explanation must not cost the result
        return [], f"the search for it failed with {type(error).__name__}"
    return [], why


def _on(
    target: Target,
    claim: Claim,
    game: Game,
    first: Table,
    second: Table,
    rounds: tuple[int, ...],
    deadline: float,
) -> tuple[list[Fault], str]:
    """Return what is found on two streams, with the noise of global generators followed if there is any."""
    with watched():
        found = _searched(target, claim, game, first, second, rounds, deadline, taken := Taken())
        if taken.must_follow:
            with followed() as free:
                taken = Taken(follows=free)
                found = _searched(target, claim, game, first, second, rounds, deadline, taken)
    if not taken.others:
        return found
    hint = "; `privcheck certify` with `--primitives opendp` measures its releases" if OPENDP in taken.others else ""
    return [], f"the search does not follow random numbers of {' and '.join(taken.others)}{hint}"


def _searched(
    target: Target,
    claim: Claim,
    game: Game,
    first: Table,
    second: Table,
    rounds: tuple[int, ...],
    deadline: float,
    taken: Taken,
) -> tuple[list[Fault], str]:
    path = raw_path(target, claim.epsilon, game, first, second, deadline, taken)
    runs = list(_guarded_runs(target, game, (first, second), deadline, taken))
    if taken.must_follow:
        return [], "noise of a global generator cannot be followed now: another search or certificate follows some"
    if (seeded := taken.fixed_seed()) is not None:
        said = "a global generator gets the same seed here in every run, and the noise is drawn from it"
        return [_fault("fixed-seed", *seeded, said, ())], ""
    if path.noised:
        return [], HIDDEN
    leaks = list({(leak.file, leak.line): leak for run in reversed(runs) for leak in reversed(run.leaks)}.values())[
        ::-1
    ]
    if path.steers:
        return _of_raw_data(
            path, leaks, rounds, lambda leak: _is_noised(leak, path, target, game, first, deadline, taken)
        )
    return _of_noise(path, runs, leaks, rounds, target, claim, game)


def _guarded_runs(
    target: Target, game: Game, tables: tuple[Table, Table], deadline: float, taken: Taken
) -> Iterator[GuardedRun]:
    for seed in range(GUARDED_SEEDS):
        for table in tables:
            if taken.must_follow or time.monotonic() > deadline:
                return
            if (run := guarded_run(target, game, table, seed, taken)) is not None:
                yield run


def _of_noise(
    path: RawPath,
    runs: list[GuardedRun],
    leaks: list[Leak],
    rounds: tuple[int, ...],
    target: Target,
    claim: Claim,
    game: Game,
) -> tuple[list[Fault], str]:
    """Return the line of noise that does not have its law, or of the release by which a reward exceeds the claim."""
    misused = [(leak, kind) for leak in leaks if (kind := _misuse(leak, sharing=path.steers is None))]
    if misused:
        return [_leaking(leak, kind, MISUSE) for leak, kind in misused[:MOST_FAULTS]], ""
    spent = [found for run in runs if (found := overspent(run.ledger, claim, rounds)) is not None]
    if spent:
        worst = max(spent, key=lambda found: found.total(*found.releases))
        return [_released(worst, target, claim, game)], ""
    for run in runs:
        if (declared := _declared(run, target)) is not None:
            return [declared], ""
    if not runs:
        return [], "the policy cannot be played with wrapped rewards"
    if leaks:
        at = f"{shown_path(leaks[0].file)}:{leaks[0].line} ({leaks[0].code})"
        return [], f"{POSSIBLE}{at}: what becomes of the value that it reads cannot be followed"
    return [], NOT_SHOWN


STEERS = "before any release, and the actions follow from it"
MISUSE = "with noise that does not hide them"

HIDDEN = (
    "the values that steer the actions may have noise that is computed from other random numbers; draw it by a method "
    "of the policy's Generator, such as rng.laplace"
)


def _is_noised(
    leak: Leak, path: RawPath, target: Target, game: Game, table: Table, deadline: float, taken: Taken
) -> bool:
    """Tell whether what leaks at a line may have something random added to it that is not followed.

    Noise that is followed and misused, and a context that is kept, are what they are.
    """
    if leak.kind == "kept" or _misuse(leak, sharing=True):
        return False
    runs = list[GuardedRun]()
    for coins in range(sets_for_readings(path.coins)):
        if time.monotonic() > deadline:
            return True
        if (run := guarded_run(target, game, table, 0, taken, coins)) is not None:
            runs.append(run)
    return is_noised((leak.file, leak.line), runs)


def _of_raw_data(
    path: RawPath, leaks: list[Leak], rounds: tuple[int, ...], is_noised: Callable[[Leak], bool]
) -> tuple[list[Fault], str]:
    """Return the lines at which raw data were seen to steer the actions, or the first leak that can be meant."""
    told = f"{STEERS}; the coins that are drawn hide the data less than claimed" if path.coins else STEERS
    known = {(leak.file, leak.line): leak for leak in leaks}
    if path.lines:
        found = [known.get((line.file, line.line), line) for line in path.lines[:MOST_FAULTS]]
        return [_leaking(leak, _kind(leak), told, rounds) for leak in found], ""
    meant = [
        leak
        for leak in leaks
        if (leak.file, leak.line) not in path.examined
        and (leak.kind not in UNFOLLOWED or _misuse(leak, sharing=True))
        and (not leak.data or {_round(datum) for datum in leak.data} & set(rounds))
    ]
    if meant and is_noised(meant[0]):
        return [], HIDDEN
    if meant:
        return [_leaking(meant[0], _kind(meant[0]), told, rounds)], ""
    what = "raw data, or coins whose chances depend on them, steer" if path.coins else "raw data steer"
    return [], f"{what} the actions, but the line that reads them was not found"


def _round(datum: object) -> object:
    return datum[0] if isinstance(datum, tuple) else datum


def _misuse(leak: Leak, *, sharing: bool) -> str:
    """Return the kind of fault in the noise of a value that was read; nothing for a value without noise."""
    hints = MISUSED | (SHARING if sharing else {})
    found = next((kind for hint, kind in hints.items() if leak.hint.startswith(hint)), "")
    return found or ("noise-read-first" if reads_noise_first(leak.file, leak.line) else "")


def _kind(leak: Leak) -> str:
    """Return the kind of fault that reading raw data at a line is.

    >>> _kind(Leak("function", "bandit.py", 3, "select", "return np.argmax(self.sums)", (1,), "", "numpy.argmax"))
    'raw-argmax'
    """
    if misuse := _misuse(leak, sharing=True):
        return misuse
    if seeds_its_noise(leak.file, leak.line):
        return "fixed-seed"
    if leak.kind == "kept":
        return "context-kept"
    if any(word in leak.operation or f"{word}(" in leak.code for word in ("argmax", "argmin", "max", "min", "sorted")):
        return "raw-argmax"
    if "linalg" in leak.operation:
        return "raw-statistic"
    return "raw-decision" if leak.kind in ("comparison", "branch", "index") else "raw-value"


def _leaking(leak: Leak, kind: str, told: str, rounds: tuple[int, ...] = ()) -> Fault:
    """Return the fault of reading a value, of which the data of some rounds are meant."""
    data = tuple(sorted({int(r) for datum in leak.data if isinstance(r := _round(datum), int)}))
    own = tuple(number for number in data if number in rounds) or data
    others, are = len(data) - len(own), "is" if len(own) == 1 else "are"
    said = f"the {'reward' if len(own) == 1 else 'rewards'} of {describe_data(own)}" if own else "what is private"
    if others:
        said += f", with {'that' if others == 1 else 'those'} of {others} other round{'s' * (others > 1)},"
    by = f" by {leak.operation}" if told.startswith(STEERS) else ""
    return _fault(kind, leak.file, leak.line, f"{said} {are if own else 'is'} read here{by} {told}", own)


def _released(found: Overspent, target: Target, claim: Claim, game: Game) -> Fault:
    last, datum = found.release, found.data[0]
    name, _, line = last.location.rpartition(":")
    file = file_named(name, target.build(np.random.default_rng(0)))
    what = datum_in_words(datum, "reward" if game.contexts is None else "context and reward")
    if len(found.data) > 1:
        what = f"data that are protected together, such as {what}"
    assert claim.budget is not None
    claimed = f"the claim is {amount_in_words(claim.budget)}"
    loss, total = found.total(last), found.total(*found.releases)
    rounds = [release.round for release in found.releases]
    if found.alone and math.isinf(loss) and not claim.delta:
        kind, said = "unbounded-loss", f"this release of {what} has {last.mechanism} noise, whose loss has no bound"
    elif found.alone:
        moved = max(last.sensitivities.get(one, 0.0) for one in found.data)
        lost = "exceeds the claim" if math.isinf(loss) else f"loses epsilon = {loss:.6g}"
        kind, said = "too-little-noise", f"this release of {what} alone {lost}"
        said += f" (sensitivity {moved:.6g}, {last.mechanism} noise of scale {last.scale:.6g})"
    else:
        kind = "budget-not-divided" if rounds[0] == rounds[found.place] else "released-again"
        lost = "" if math.isinf(total) else f", for a total of epsilon = {total:.6g}"
        said = f"{what} is released {len(rounds)} times, after {describe_data(dict.fromkeys(rounds))}{lost}"
    own = {int(number) for one in found.data if isinstance(number := _round(one), int)}
    return _fault(kind, file, int(line), f"{said}; {claimed}", tuple(sorted(own)))


def _declared(run: GuardedRun, target: Target) -> Fault | None:
    """Return the fault of a release whose mechanism is built for a smaller sensitivity than the data have."""
    for refusal in run.refusals:
        place = re.search(r"^(\S+) .* release at (\S+):(\d+)", str(refusal.value))
        declared = re.search(r"declared ([\d.e+-]+)", refusal.expected)
        if refusal.parameter == "sensitivity" and place and declared:
            file = file_named(place[2], target.build(np.random.default_rng(0)))
            said = f"the mechanism is built for sensitivity {declared[1]}, and one datum moves the value by {place[1]}"
            return _fault("too-little-noise", file, int(place[3]), said, ())
    return None


def _fault(kind: str, file: str, line: int, said: str, data: tuple[int, ...]) -> Fault:
    lines, start = excerpt(file, line)
    code = lines[line - start].strip() if 0 <= line - start < len(lines) else ""
    return Fault(kind, shown_path(file), line, code, said, data, lines, start)
