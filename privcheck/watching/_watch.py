"""`privcheck.watch`: play nights of a target, and add their evidence to what earlier nights have shown."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from privcheck.auditing import NightlyAudit
from privcheck.declared import Real, check, named_options
from privcheck.errors import PolicyError, PrivcheckError, words
from privcheck.journal import Entry
from privcheck.privacy import ROW
from privcheck.progress import progress
from privcheck.results import WatchReport, Witness
from privcheck.scheduling import digest, fingerprint
from privcheck.serialise import plain
from privcheck.targets import OUTPUTS_FORM, StreamPair, WatchSettings, played_by
from privcheck.watching._evidence_store import BEGUN, COUNTED, LOST, WATCH, EvidenceStore
from privcheck.watching._kept_nights import Course, bets, is_same_choice, said_of, said_of_pair, seed_of

SEARCHED = {True: 100_000, False: 20_000}
"""Runs of the search, both streams together, if no number is given: of compiled code, and of any other."""

COMPILED = ("kernel", "run_batch")
"""What plays compiled code."""

OTHER_CODE = (
    "its pairs were chosen but not counted by other code, or by the same on another machine or in another setting: "
    "whether a night has an outcome may depend on what it would be"
)
NO_SEEDS = "its pairs were chosen but not counted, and a target without seeds would show others now"
OTHER_CHOICE = (
    "played again, it chose another pair of streams or other events: the same code and seed did not make the same runs"
)


@named_options
def watch(
    target: Any,
    *,
    store: str | os.PathLike[str],
    epsilon: float | None = None,
    delta: float = 0.0,
    arms: int | None = None,
    horizon: int | None = None,
    rewards: tuple[float, float] = (0.0, 1.0),
    feedback: str = "bandit",
    runs: int = 100,
    search: int | None = None,
    nights: int = 1,
    error: float = 1e-3,
    observe: str = "actions",
    neighbours: str = ROW,
    streams: Any = None,
    contexts: Any = None,
    encode: Any = None,
    randomness: str | None = None,
    time_limit: float | None = None,
    guarded: bool = False,
    jobs: int = 1,
    rho: float | None = None,
    mu: float | None = None,
    name: str | None = None,
    version: str | None = None,
    wait: float = 0.0,
) -> WatchReport:
    """Play a night of a target, and add its evidence against the claim to that of all earlier nights.

    An audit is a snapshot, and fresh audits every night accuse correct code sooner or later. The evidence of a watch
    accumulates over nights and over versions of the code, with one guarantee for all of them. In the first night of a
    version a pair of streams is searched for; in each night events are learned from earlier ones, and bet on with new
    runs. An alarm says that a version since the one that it names breaks the claim.

    Parameters
    ----------
    target, epsilon, delta, arms, horizon, rewards, feedback, observe, neighbours, streams, contexts, encode, \
randomness, time_limit, guarded, jobs, rho, mu : as for `privcheck.audit`; `streams` is a pair or a function that \
draws pairs.
    store : the SQLite file of the watch, which is made if it is not there. It may hold any number of watches. A new
        store begins a new guarantee.
    runs : runs per stream that are counted in a night.
    search : runs of the search, both streams together, in the first night of each version of the code; by default
        100,000 for compiled code and 20,000 for any other. 0 keeps the pair that was found first.
    nights : how many nights are played, one after the other; 0 plays none and shows what is known.
    error : the probability with which an alarm is ever raised while all versions satisfy the claim is at most this.
    name : of the watch in its store; by default that of the target. Two claims of one target need two names.
    version : a name for this version of the code; by default a hash of its sources, of what they hold, and of the
        libraries and the processor. It is needed for what another program or machine plays, since its code is not seen:
        a name stands for one code, and other code needs another name.
    wait : seconds to wait for another process that plays a night of this store.

    Returns
    -------
    WatchReport : `counted` is 0 if no night could be counted, of which a note says why.

    Raises
    ------
    PrivcheckError : bad input, or a store that belongs to another claim; PolicyError (a subclass) if the target raises
        an error or its runs are not independent.

    Guarantee
    ---------
    That of `WatchReport`. Seeds are derived from the store, the watch, the version and the number of the night, so that
    a night that is played twice, by two copies of a store or after a crash, shows the same and is counted once. A night
    whose pairs were chosen and that ended without counts is played first, by the code that began it; if that is not
    what is there now, or there are no seeds, the night is lost, and with it the evidence so far: whether a night ends
    without counts may depend on what these would have been. What is played after it is another version.

    A store that is copied and goes on in two ways, with other code, other options or without seeds, is two watches,
    each with this guarantee. What one of them has shown must not decide which code the other plays.

    Source
    ------
    Askin, Kutta and Dette 2025 (arXiv 2509.20283) pose the problem of auditing a mechanism that changes over time, and
    solve it in another way. The bets of a night are those of `privcheck.inference`; that each version begins a product
    of its own, which is never started again, is derived there.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = watch("adap-ucb", epsilon=1.0, store=pathlib.Path(folder, "watch.sqlite"), nights=2)
    >>> found.counted, len(found.nights), len(found.versions)
    (2, 2, 1)
    """
    asked = dict(locals())
    options = {each.name: asked[each.name] for each in WatchSettings.options()}
    settings = WatchSettings.of(**options)
    for own in ("runs", "search", "nights"):
        del options[own]
    audited = NightlyAudit(target, **options)
    name = audited.name if name is None else _named(name, "name")
    made, said = _made(audited), _asked(audited)
    code = _code(audited, made) if version is None else _named(version, "version")
    with closing(EvidenceStore(store, make=settings.effort.nights > 0)) as kept:
        notes, counted, witness = [*audited.notes], 0, None
        _check_watch(kept, name, said)
        with _alone(kept, settings.effort.nights, check("wait", wait, Real(0.0, 1e6))) as alone:
            _check_watch(kept, name, said)
            notes += _about_the_store(kept, name, settings.effort.nights)
            if not alone:
                notes.append("another process plays a night of this store, so this one counted none")
            elif settings.effort.nights:
                if not kept.of(name):
                    kept.add(WATCH, name, 0, said)
                with progress(f"watching {name}", settings.effort.nights, counted=True) as advance:
                    for _ in range(settings.effort.nights):
                        witness = _play(
                            audited, kept, name, (code, made if isinstance(made, str) else None), settings, notes
                        )
                        counted += 1
                        advance(1)
        entries = kept.of(name)
        if not entries:
            if alone:
                raise kept.refusal.because(f"it has no watch named {name!r}", "play a night first")
            entries = [Entry(1, 0, WATCH, json.dumps(said), name)]
        report = Course(tuple(entries)).report(name, counted)
        if report.alarm is not None and witness is not None:
            notes += _at_fault(audited, witness)
        return replace(report, notes=tuple(dict.fromkeys([*notes, *report.notes])))


def _at_fault(audited: NightlyAudit, witness: Witness) -> list[str]:
    """Return which lines of the code that is played now are at fault, or why none is named."""
    faults, why = audited.faults(witness)
    told = [f"at fault in the code that is played now: {fault.place} `{fault.code}`: {fault.said}" for fault in faults]
    return told or [f"no line at fault is named: {why}"]


def read_watches(store: str | os.PathLike[str]) -> list[WatchReport]:
    """Return what each watch of a store knows, the oldest first; nothing is played.

    Raises
    ------
    PrivcheckError : no store, or one that was changed by hand.
    """
    with closing(EvidenceStore(store, make=False)) as kept:
        return [Course(tuple(kept.of(name))).report(name, 0) for name in kept.watches]


@contextmanager
def _alone(kept: EvidenceStore, nights: int, wait: float) -> Iterator[bool]:
    if nights:
        with kept.held(wait) as alone:
            kept.refresh()
            yield alone
    else:
        yield True


def _play(
    audited: NightlyAudit,
    kept: EvidenceStore,
    name: str,
    now: tuple[str, str | None],
    settings: WatchSettings,
    notes: list[str],
) -> Witness:
    """Play one night, after the one that was begun and not ended, if there is one; return what it saw.

    Parameters
    ----------
    now : the name of the version that is there now, and the hash of what is there (`_made`).
    """
    code, made = now
    course = Course(tuple(kept.of(name)))
    begun, night, effort = course.pending, course.next_night, settings.effort
    if begun is not None:
        other = (begun.said["code"], begun.said["made"]) != now
        why = NO_SEEDS if not audited.seeded else OTHER_CODE if other else None
        if why is not None:
            _lose(kept, name, night, begun.said, why, notes)
            return _play(audited, kept, name, now, settings, notes)
    runs, searched = effort.runs, effort.search
    if searched is None:
        searched = SEARCHED[audited.plan.policy.runner.engine in COMPILED]
    if begun is not None:
        runs, searched = begun.said["runs_asked"], begun.said["search"]
    version = course.version_of(code)
    first = night == 1 or version != course.ended[-1].said["version"]
    candidates = audited.plan.candidates
    before = course.pair_before(kept, candidates, given=audited.plan.settings.effort.streams is not None)
    chosen: dict[str, Any] = {}

    def begin(pair: StreamPair, seen: str) -> None:
        chosen.update(pair=said_of_pair(pair, candidates), seen=seen)
        if begun is None:
            said = {"version": version, "code": code, "made": made, "runs_asked": runs, "search": searched}
            said["target"] = audited.name
            kept.add(BEGUN, name, night, said | chosen | {"at": _now()})
        elif not is_same_choice(begun.said, chosen):
            raise _OtherChoice

    try:
        played = audited.play(
            seed_of(kept.seed, name, code, night),
            runs,
            searched if first or before is None else 0,
            before,
            begin,
            check=first,
        )
    except _OtherChoice:
        assert begun is not None
        _lose(kept, name, night, begun.said, OTHER_CHOICE, notes)
        return _play(audited, kept, name, now, settings, notes)
    except PolicyError as error:
        last = kept.of(name)[-1]
        if last.kind == BEGUN and chosen:  # one that fails before may be played again: nothing in it has an outcome
            _lose(kept, name, night, last.said, f"the target failed while its runs were counted: {error}", notes)
        raise
    notes += played.notes
    said = {"version": version, "code": code, "pair": chosen["pair"], "at": _now()} | said_of(played, version)
    said["trusted"], said["given"] = [*audited.trusted], [*audited.given]
    kept.add(COUNTED, name, night, said, OUTPUTS_FORM.arrays([*played.sides]))
    return played.witness


class _OtherChoice(Exception):
    """A night that was played again chose another pair or other events."""


def _lose(kept: EvidenceStore, name: str, night: int, begun: dict[str, Any], why: str, notes: list[str]) -> None:
    said = {"version": begun["version"], "code": begun["code"], "at": _now(), "why": why}
    kept.add(LOST, name, night, said)
    notes.append(f"night {night} was lost, and the evidence so far with it: {why}")


def _asked(audited: NightlyAudit) -> dict[str, Any]:
    """Return what a watch plays and claims: what has to be the same in all its nights."""
    plan = audited.plan
    claim, game = plan.settings.claim, plan.settings.game
    return {
        "target": audited.name,
        "epsilon": claim.epsilon,
        "delta": claim.delta,
        "rho": claim.rho,
        "mu": claim.mu,
        "tested": None if claim.profile is None else [[*point] for point in audited.tested],
        "error": claim.error,
        "neighbours": game.neighbours,
        "observe": game.observe,
        "feedback": plan.policy.feedback,
        "rewards": [*game.rewards],
        "contexts": plain(game.contexts),  # a claim is made for them: others may break it
        "guarded": plan.settings.execution.guarded,
        "arms": plan.arms,
        "horizon": plan.horizon,
        "seeded": audited.seeded,
        "bets": bets(),
    }


def _check_watch(kept: EvidenceStore, name: str, said: dict[str, Any]) -> None:
    """Refuse a name that stands for another claim."""
    entries = kept.of(name)
    if not entries:
        return
    there = entries[0].said
    differing = [each for each in said if each != "target" and there.get(each) != said[each]]  # code may be renamed
    if differing:
        old, new = (", ".join(f"{each} {of.get(each)}" for each in differing) for of in (there, said))
        hint = "give this watch a name of its own with name=, or another store"
        raise PrivcheckError("store", words(f"{kept.file}, in which {name!r} has {old}"), f"{new}, as asked", hint)


def _code(audited: NightlyAudit, made: str | PrivcheckError) -> str:
    """Return a short name for what is played: the beginning of its hash, which `_made` returned."""
    if not audited.code:
        hint = "name the version of the service: version='2.4.1', or the hash of its commit"
        raise PrivcheckError("version", None, "a name, since another program plays and its code is not seen", hint)
    if isinstance(made, PrivcheckError):
        hint = f"name it with version=; its code cannot be hashed ({made})"
        raise PrivcheckError("version", None, "a name for this version of the code", hint)
    return made[:16]


def _made(audited: NightlyAudit) -> str | PrivcheckError:
    """Return a hash of all that decides, beside streams and seeds, what is counted, or why it has none.

    It tells whether a night that was begun is finished by what began it, also where versions are named.
    """
    try:
        return digest((played_by(audited.plan.policy.runner), sorted(fingerprint().items())))
    except PrivcheckError as error:
        return error


def _named(text: Any, parameter: str) -> str:
    if not isinstance(text, str) or not text.strip() or not text.isprintable():
        raise PrivcheckError(parameter, text, "a printable text", f"as in {parameter}='news'")
    return text


def _about_the_store(kept: EvidenceStore, name: str, nights: int) -> list[str]:
    if not nights or kept.of(name):
        return []
    new = str(kept.file) if kept.new else f"the watch {name!r}"
    earlier = "stores" if kept.new else "nights of other names"
    return [f"{new} is new: what earlier {earlier} have shown does not count"]


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
