"""`privcheck.fix`: from a finding to a patch that is certified, priced in regret and shown as a diff."""

from __future__ import annotations

import linecache
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from privcheck.errors import PrivcheckError, words
from privcheck.fixing._best_certified import best_certified, numbered
from privcheck.fixing._diff import name_in_diffs, split_head, unified
from privcheck.fixing._judgement import Judgement, certified, looked_at_elsewhere
from privcheck.fixing._look import Finding, Setting, computing
from privcheck.fixing._own_file import OwnFile, checked_source, own_file, own_path
from privcheck.fixing._price import Priced, about_price, priced, ratio
from privcheck.fixing._program import NotEditableError
from privcheck.fixing._search import Found, Patch, search
from privcheck.fixing._source_text import SourceText, lines_of
from privcheck.fixing._write import check_writable, write_patch
from privcheck.progress import progress
from privcheck.results import (
    FIXED,
    NONE_LEARNS,
    NOT_CERTIFIED,
    NOTHING_CERTIFIES,
    NOTHING_TO_FIX,
    RECOMMENDED,
    STOPS_LEARNING,
    WITHDRAWN,
    Fix,
    FixEdit,
    FixFinding,
    FixPatch,
)
from privcheck.targets import FixSettings

SEARCH_SECONDS = 60.0
"""Of the search for patches, at most."""

STEPS = 4
"""The search, a second look at what it finds, the regret of what is left, and certificates of the best."""


def fix(
    target: Any,
    *,
    epsilon: float | None = None,
    arms: int | None = None,
    horizon: int = 40,
    rewards: tuple[float, float] = (0.0, 1.0),
    rounds: int = 2000,
    time_budget: float = 60.0,
    seed: int = 0,
) -> Fix:
    """Propose patches of a bandit's source that are certified, and recommend the one with the least regret.

    Guarded runs find what leaks or exceeds the budget. Edits of a closed list are made for it, one after the other,
    until guarded runs find nothing; edits that fit any bandit, noisy rewards and noisy blocks of rewards, are always
    tried where the class can be edited so. Each patch that is left is looked at afresh, with another seed and in two
    more settings, and its regret is measured beside that of the original. As far as time allows three of them are
    certified: the best, the best of the other kind if there is one, which is by edits for what was found, or by edits
    that fit any bandit, and the smallest. The file is read and not changed: see `save_patch`.

    Parameters
    ----------
    target : "path/to/file.py:Class", or a class at the top level of a file, with `select(self)` and
        `update(self, action, reward)` in that file.
    epsilon : the budget, in pure DP, > 0. The patched class receives it: a patch that holds for one epsilon only is
        withdrawn.
    arms : number of arms K, from 2 to 40.
    horizon : rounds of the guarded runs by which patches are looked for, at least 24.
    rewards : range of the rewards.
    rounds : rounds of a run by which regret is measured.
    time_budget : CPU seconds after which no more runs are played for the regret; they end before if the best patches
        differ by two standard errors.
    seed : of streams, noise and coins; the judge and the audit have seeds of their own.

    Returns
    -------
    Fix : with `recommended`, the patch to apply, or None.

    Guarantee
    ---------
    A patch that is listed as certified has a granted certificate, with the guarantee of `privcheck.certify` at this
    epsilon, and no line that matters for privacy was left unreached. The recommended one was also audited: a lower
    bound above epsilon withdraws it, which happens to a patch that keeps its epsilon with probability at most .001.
    Regret is measured in a few environments and proves nothing about others. A patch that stops learning in one of
    them is never recommended.

    Raises
    ------
    PrivcheckError : a target that is no class in a file of one's own, a file that cannot be read or imported, an
        `update` that is missing, has other arguments or is in another file, or an option out of its range.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> code = '''
    ... class Greedy:
    ...     def __init__(self, rng, arms, epsilon):
    ...         self.rng, self.epsilon, self.best, self.arm = rng, epsilon, 0.0, 0
    ...     def select(self):
    ...         return self.arm
    ...     def update(self, action, reward):
    ...         self.arm = action if reward > 0.5 else 1 - action
    ... '''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "greedy.py")
    ...     length = file.write_text(code)
    ...     found = fix(f"{file}:Greedy", epsilon=1.0, arms=2, rounds=200, time_budget=1.0)
    >>> found.outcome, found.finding.line
    ('fixed', 8)
    """
    options = dict(locals())
    del options["target"]
    settings = FixSettings.of(**options)
    own = own_file(target)
    game, effort = settings.game, settings.effort
    count, budget = game.arms, settings.claim.epsilon
    assert count is not None
    assert budget is not None
    setting = Setting(
        budget,
        count,
        max(game.horizon, 4 * count),
        rewards=game.rewards,
        seed=effort.seed,
        importing=own.importing,
    )
    with progress(f"fixing {own.target}", STEPS, steps=True) as advance:
        return _fixed(own, setting, effort.rounds, effort.time_budget, advance)


def _fixed(own: OwnFile, setting: Setting, rounds: int, seconds: float, advance: Callable[[int], None]) -> Fix:
    source, name, started = own.source, own.class_name, computing()
    try:
        found = search(source, name, setting, seconds=SEARCH_SECONDS)
    except NotEditableError as error:
        got = words(f"{own.target}, which leaks and cannot be edited: {error}")
        hint = "privcheck certify says what leaks"
        raise PrivcheckError("target", got, "a class with a plain update(self, action, reward)", hint) from None
    advance(1)
    result = Fix(
        target=own.target,
        epsilon=setting.epsilon,
        arms=setting.arms,
        horizon=setting.horizon,
        rewards=setting.rewards,
        seed=setting.seed,
        outcome=NOTHING_CERTIFIES,
        finding=None if found.finding is None else _finding(found.finding, source),
        patches=(),
        tried=tuple(tuple(edit.name for edit in edits) for edits in found.tried),
        refused=found.refused,
        looks=found.looks,
        notes=tuple(_about(found, setting)),
        sha256=source.sha256,
        rounds=rounds,
    )
    if found.finding is None:
        return _unfound(result, source, name, setting, started)
    looks = [looked_at_elsewhere(source, patch.text, name, setting) for patch in found.patches]
    advance(1)
    kept = [number for number, judgement in enumerate(looks) if not judgement.withdrawn]
    judging = computing() - started
    result = replace(result, seconds=(judging, 0.0))
    patches = [_listed(patch, judgement, own) for patch, judgement in zip(found.patches, looks, strict=True)]
    if not kept:
        return replace(result, patches=numbered(patches))
    texts = [found.patches[number].text for number in kept]
    price = priced(source, name, texts, setting, rounds=rounds, seconds=seconds)
    advance(1)
    for place, number in enumerate(kept):
        patches[number] = _with_price(patches[number], price, place)
    pricing = computing() - started - judging
    patches = best_certified(patches, source, name, setting, {patches[kept[place]].text for place in price.tied})
    standings = {patch.standing for patch in patches}
    outcome = FIXED if RECOMMENDED in standings else NONE_LEARNS if STOPS_LEARNING in standings else NOTHING_CERTIFIES
    return replace(
        result,
        outcome=outcome,
        patches=numbered(patches),
        original=price.original,
        others=price.others,
        notes=(*result.notes, *about_price(price)),
        seconds=(computing() - started - pricing, pricing),
    )


def _about(found: Found, setting: Setting) -> Iterator[str]:
    """Yield what is worth knowing of a search, in sentences."""
    if found.is_cut:
        yield CUT.format(found.looks)
    if not found.patches:
        yield from found.unfit
    if setting.importing >= SLOW:
        yield SLOW_IMPORT.format(setting.importing)


def _unfound(result: Fix, source: SourceText, name: str, setting: Setting, started: float) -> Fix:
    """Return what is known of a program in which looks find nothing: it is certified, or says why not."""
    certificate, why = certified(source, source.text, name, setting)
    outcome, notes = (NOTHING_TO_FIX, ()) if not why else (NOTHING_CERTIFIES, (f"{NOTHING_FOUND}: {why}",))
    seconds = computing() - started, 0.0
    return replace(result, outcome=outcome, certificate=certificate, notes=(*notes, *result.notes), seconds=seconds)


CUT = "the search ended after {} texts, before everything was tried: there may be other patches"

SLOW = 1.0
SLOW_IMPORT = "the file takes {:.1f} CPU seconds to import, at every look and measurement anew; limits leave them out"
"""What is said from so many seconds on."""

NOTHING_FOUND = "guarded runs find nothing to fix, and the code is not certified all the same"


def _finding(found: Finding, source: SourceText) -> FixFinding:
    own = found.file and _is_same(found.file, source)
    lines = lines_of(source.text)
    linecache.checkcache(found.file)
    code = lines[found.line - 1] if own and 0 < found.line <= len(lines) else linecache.getline(found.file, found.line)
    file = str(source.path) if own else found.file
    return FixFinding(found.kind, file, found.line, code.strip(), found.sentence.replace(found.file or "\0", file))


def _is_same(file: str, source: SourceText) -> bool:
    return str(source.path.absolute()) == file


def _listed(patch: Patch, judgement: Judgement, own: OwnFile) -> FixPatch:
    source = own.source
    return FixPatch(
        number=0,
        standing=WITHDRAWN if judgement.withdrawn else NOT_CERTIFIED,
        why=judgement.withdrawn,
        edits=tuple(FixEdit(edit.name, edit.family, edit.argument, edit.line) for edit in patch.edits),
        diff=unified(source.with_mark(source.text), source.with_mark(patch.text), name_in_diffs(source.path)),
        text=patch.text,
        settings=judgement.settings,
    )


def _with_price(patch: FixPatch, price: Priced, place: int) -> FixPatch:
    measured, why = price.patches[place], price.stops[place]
    return replace(patch, why=why, regret=measured, regret_ratio=ratio(measured, price.original))


def save_patch(found: Fix, target: Any) -> str:
    """Write the recommended patch over the file that it was made for, and return what was done, in a sentence.

    Parameters
    ----------
    found : what `privcheck.fix` returned.
    target : what was given to it.

    Raises
    ------
    PrivcheckError : there is no recommended patch, the file has changed since it was read, or it cannot be written.
    """
    patch, own = found.recommended, own_source(target)
    if patch is None:
        hint = "a patch that stops learning is not written: take --diff FILE if you want one all the same"
        raise PrivcheckError("write", words(f"a fix with the outcome {found.outcome!r}"), "a recommended patch", hint)
    if own.sha256 != found.sha256:
        got = words(f"{own.path}, which has changed since it was read")
        raise PrivcheckError("write", got, "the file as it was read", "nothing was written: fix it again")
    copy = write_patch(own, patch.text)
    kept = "git has the file as it was" if copy is None else f"{copy.name} keeps the file as it was"
    return f"wrote {own.path}; {kept}"


def check_fixable(target: Any, *, to_write: bool = False) -> None:
    """Refuse a target that cannot be fixed, or whose file cannot be written, before any work is done."""
    if isinstance(target, str) and not target.endswith(".py") and own_path(target).is_file():
        checked_source(target)
    if to_write:
        check_writable(own_source(target))


def diff_bytes(target: Any, patch: FixPatch) -> bytes:
    """Return the diff of a patch: lines in the encoding of the file that it was made for, and its name in UTF-8."""
    source = own_source(target)
    head, lines = split_head(patch.diff)
    return os.fsencode(head) + source.without_mark.encoded(lines)


def own_source(target: Any) -> SourceText:
    """Return the file of a target, read again."""
    return SourceText.read(own_path(target))
