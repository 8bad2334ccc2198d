"""Which patches are certified: those with the least regret first, until two are, one by edits of each kind; and the
smallest.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from privcheck.fixing._judgement import afresh, certified, refuted
from privcheck.fixing._look import Setting, computing
from privcheck.fixing._source_text import SourceText
from privcheck.results import CERTIFIED_TOO, NOT_CERTIFIED, RECOMMENDED, STOPS_LEARNING, WITHDRAWN, FixPatch

ORDER = (RECOMMENDED, CERTIFIED_TOO, STOPS_LEARNING, NOT_CERTIFIED, WITHDRAWN)

MOST = 150.0
"""CPU seconds of certificates and audits after which no other is begun."""

OTHERS_FIRST = (
    "guarded runs find nothing, and no certificate was made of it, because others have less regret or fewer lines: if "
    "you prefer it, take it with --patch and certify the patched file"
)
TIME_OVER = "guarded runs find nothing, and no certificate was made of it, because those of others took too long"


def best_certified(
    patches: Sequence[FixPatch],
    source: SourceText,
    class_name: str,
    setting: Setting,
    tied: Collection[str] = (),
) -> list[FixPatch]:
    """Return the patches in their order, with the certificates of two or three.

    A certificate takes some seconds, and regret decides which patch comes first: so the first by regret of those that
    learn are certified, and audited, until one is recommended. One more is certified beside it, of the other kind if
    there is one, and the patch with the fewest lines if both have more. If none is recommended, those that stop
    learning are certified until one is.

    Parameters
    ----------
    patches : with their regret, standing as "not certified" or "withdrawn"; `why` is set if they stop learning.
    source, class_name, setting : as for the judge.
    tied : texts of patches among which it is not settled whose regret is least: fewer lines come first there.
    """
    until = computing() + MOST + 2 * len(patches) * setting.importing  # by each certificate, and by each audit
    waiting = sorted((patch for patch in patches if patch.standing == NOT_CERTIFIED), key=_regret)
    waiting.sort(key=lambda patch: (0, _size(patch)) if patch.text in tied else (1, 0))
    done = [patch for patch in patches if patch.standing == WITHDRAWN]
    learning = [patch for patch in waiting if not patch.why]
    found, done_first = _first(learning, source, class_name, setting, until, to_recommend=True)
    done += done_first
    if found is not None:
        rest = learning[len(done_first) + 1 :]
        rest.sort(key=lambda patch: patch.by_targeted_edits == found.by_targeted_edits)  # then still by regret
        second, withdrawn = _first(rest, source, class_name, setting, until)
        done += [found, *withdrawn, *([] if second is None else [second])]
        least = min(learning, key=_size)
        if second is not None and all(_size(least) < _size(patch) for patch in (found, second)):
            third, withdrawn = _first([least], source, class_name, setting, until)
            done += [*withdrawn, *([replace(least, why=TIME_OVER)] if third is None and not withdrawn else [])]
            done += [] if third is None else [third]
    else:
        second, withdrawn = _first([patch for patch in waiting if patch.why], source, class_name, setting, until)
        done += [*withdrawn, *([] if second is None else [second])]
    seen = {patch.text for patch in done}
    told = TIME_OVER if found is None or second is None else OTHERS_FIRST  # of two, all the rest were begun otherwise
    done += [
        replace(patch, why=f"{patch.why}; no certificate was made of it" if patch.why else told)
        for patch in waiting
        if patch.text not in seen
    ]
    return sorted(done, key=lambda patch: (ORDER.index(patch.standing), _regret(patch)))


def _regret(patch: FixPatch) -> float:
    """Regret decides among certified patches that learn; lines count only where it is not settled."""
    return 0.0 if patch.regret is None else patch.regret.share


def _size(patch: FixPatch) -> int:
    return sum(patch.changed_lines)


def _first(
    patches: Sequence[FixPatch],
    source: SourceText,
    class_name: str,
    setting: Setting,
    until: float,
    *,
    to_recommend: bool = False,
) -> tuple[FixPatch | None, list[FixPatch]]:
    """Return the first patch that is certified, and not refuted by an audit if it is to be recommended, and those that
    are withdrawn before it.
    """
    withdrawn = list[FixPatch]()
    for patch in patches:
        if computing() >= until:
            break
        certificate, why = certified(source, patch.text, class_name, afresh(setting))
        if not why and to_recommend:
            assert certificate is not None
            audited, why = refuted(source, patch.text, class_name, setting, certificate.horizon)
            if audited is not None:
                patch = replace(
                    patch,
                    epsilon_lower=audited.epsilon_lower,
                    audit_runs=audited.runs,
                    audit_rounds=audited.rounds,
                    audit_releases=audited.releases,
                    audit_confidence=audited.confidence,
                )
        if not why:
            standing = RECOMMENDED if to_recommend else STOPS_LEARNING if patch.why else CERTIFIED_TOO
            return replace(patch, standing=standing, certificate=certificate), withdrawn
        withdrawn.append(replace(patch, standing=WITHDRAWN, why=why, regret=None, regret_ratio=None))
    return None, withdrawn


def numbered(patches: Sequence[FixPatch]) -> tuple[FixPatch, ...]:
    """Return the patches with their numbers, by which their regret is named too."""
    found = []
    for number, patch in enumerate(patches, 1):
        regret = None if patch.regret is None else replace(patch.regret, policy=f"patch {number}")
        found.append(replace(patch, number=number, regret=regret))
    return tuple(found)
