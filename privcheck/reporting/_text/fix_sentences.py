"""What a fix found, in sentences."""

from __future__ import annotations

import shlex
from itertools import zip_longest

from privcheck.accounting import Pure
from privcheck.errors import PrivcheckError, printable
from privcheck.reporting._text.audit_sentences import plural
from privcheck.reporting._text.certificate_sentences import coverage
from privcheck.reporting._text.numbers import at_least, at_most, clean
from privcheck.results import (
    CERTIFIED_TOO,
    FIXED,
    NONE_LEARNS,
    NOTHING_TO_FIX,
    WITHDRAWN,
    Certificate,
    Fix,
    FixPatch,
    PolicyRegret,
)

MARKS = {FIXED: "✓", NOTHING_TO_FIX: "✓", NONE_LEARNS: "?"}
"""By the outcome; a cross for "nothing certifies"."""


def mark(found: Fix) -> str:
    """Return the sign of an outcome."""
    return MARKS.get(found.outcome, "✗")


def sentence(found: Fix) -> str:
    """Return what came out, in one sentence.

    >>> from privcheck.results._example_results import FIXED_BANDIT
    >>> print(sentence(FIXED_BANDIT))
    fixed: patch 1 (noisy-rewards, 1 line more) is certified: epsilon is at most 1.000 under the guard; its regret is \
1.6 times that of the original
    """
    patch = found.recommended
    if patch is not None:
        return f"{found.outcome}: patch {patch.number} ({edits(patch)}, {lines(patch)}) is certified: {_bound(patch)}"
    if found.outcome == NOTHING_TO_FIX:
        return f"{found.outcome}: the code is certified as it is, at epsilon = {found.epsilon:g} with {found.arms} arms"
    if found.outcome == NONE_LEARNS:
        several = patches(len(found.certified))
        unknown = [patch.why for patch in found.certified if not patch.stops_learning]
        why = clean(unknown[0]) if unknown else "each stops learning"
        start = "none is known to learn" if unknown else found.outcome
        return f"{start}: {several} certified at epsilon = {found.epsilon:g}, and none is recommended: {why}"
    if found.finding is None and found.notes:
        return f"{found.outcome}: {clean(found.notes[0])}"
    return f"{found.outcome}: {patches(len(found.tried))} tried, none certified at epsilon = {found.epsilon:g}"


def patches(count: int) -> str:
    """Return a number of patches.

    >>> patches(1), patches(2)
    ('1 patch', '2 patches')
    """
    return f"{count:,} patch{'es' * (count != 1)}"


def _bound(patch: FixPatch) -> str:
    upper = None if patch.certificate is None else patch.certificate.epsilon_upper
    told = f"epsilon is at most {at_most(upper)} under the guard"
    if patch.regret_ratio is None:
        beside = "; the original does not learn" if patch.regret is not None else ""
        return f"{told}; its regret is {share(patch.regret)} of the uniform policy's{beside}"
    ratio = times(patch.regret_ratio)
    return f"{told}; its regret is {'about' if ratio == '1' else f'{ratio} times'} that of the original"


def times(ratio: float) -> str:
    """Return a ratio with two digits, or all that stand before the point.

    >>> times(0.974), times(15.31), times(153.1)
    ('0.97', '15', '153')
    """
    return f"{ratio:.2g}" if ratio < 99.5 else f"{ratio:.0f}"


def share(regret: PolicyRegret | None) -> str:
    """Return a regret as a share of the uniform policy's."""
    return "-" if regret is None else f"{100.0 * regret.share:.3g} %"


def diff_line(line: str) -> str:
    r"""Return a line of a diff without its end, with escapes for what does not print: it comes from a file.

    >>> diff_line("+\ta\x1b\r")
    '+\ta\\x1b'
    """
    return "\t".join(map(printable, line.rstrip("\r").split("\t")))


def edits(patch: FixPatch) -> str:
    """Return the names of the edits, each once."""
    return ", ".join(dict.fromkeys(clean(edit.name) for edit in patch.edits))


def lines(patch: FixPatch) -> str:
    """Return how many lines a patch adds and takes away.

    >>> from privcheck.results._example_results import FIXED_BANDIT
    >>> lines(FIXED_BANDIT.recommended)
    '1 line more'
    """
    added, taken = patch.changed_lines
    if not taken:
        return f"{plural(added, 'line')} more"
    return f"{plural(added, 'line')} in place of {taken}"


def smaller(found: Fix) -> FixPatch | None:
    """Return the smallest patch that is certified and learns, if it has fewer lines than the recommended one."""
    size = {patch.number: sum(patch.changed_lines) for patch in found.patches}
    others = [patch for patch in found.patches if patch.standing == CERTIFIED_TOO]
    least = min(others, key=lambda patch: size[patch.number], default=None)
    best = found.recommended
    return least if least and best and size[least.number] < size[best.number] else None


def audit_words(found: Fix, patch: FixPatch) -> str:
    """Return what the judge did besides the certificate."""
    told = f"Guarded runs found nothing at {' and at '.join(patch.settings)}. " if patch.settings else ""
    if patch.epsilon_lower is None:
        return f"{told}It was not audited: only the recommended patch is."
    rounds = f" of {plural(patch.audit_rounds, 'round')}" if patch.audit_rounds else ""
    silent = "" if patch.audit_releases else " No release falls into these rounds, so it says nothing of the noise."
    confidence = f"{100.0 * patch.audit_confidence:.6g} % confidence"
    return (
        f"{told}An audit of {patch.audit_runs:,} runs per stream{rounds} gives epsilon at least "
        f"{at_least(patch.epsilon_lower)} ({confidence}), which does not contradict epsilon = {found.epsilon:g}."
        f"{silent}"
    )


def provided(found: Fix) -> list[str]:
    """Return what the answer rests on: the certificate's assumptions, and where regret was measured."""
    certificate = next((patch.certificate for patch in found.certified), found.certificate)
    told = []
    if certificate is not None:
        told += [clean(f"{kind}: {', '.join(names)}") for kind, names in certificate.rests_on.items() if names]
        told += coverage(certificate)
    if found.certified:
        number = found.certified[0].number
        told.append(
            f"What is certified is listed so; this is of patch {number}. Of a patch that is not, only guarded runs in "
            "four settings are known."
        )
    if found.original is not None:
        places = "; ".join(place.place for place in found.original.places)
        told.append(
            f"Regret was measured in {plural(len(found.original.places), 'environment')} alone, with arms in a random "
            f"order and {plural(found.rounds, 'round')} a run: {places}. Elsewhere, or over more rounds, patches may "
            "rank otherwise or not learn."
        )
    if found.patches:
        told.append(
            "Whether the patched code is still the policy that was meant, the certificate cannot know: read the diff."
        )
    return told


def notes(found: Fix) -> list[str]:
    """Return what is worth knowing besides, as far as the sentence does not say it."""
    said = sentence(found)
    return [clean(note) for note in found.notes if clean(note) not in said]


def withdrawn(found: Fix) -> list[str]:
    """Return which patches were withdrawn, and why."""
    return [clean(f"withdrew {edits(patch)}: {patch.why}") for patch in found.patches if patch.standing == WITHDRAWN]


def tried_words(found: Fix) -> list[str]:
    """Return what was tried, each combination of edits once, with what was found in it."""
    combined: dict[str, str] = {}
    for names, why in zip_longest(found.tried, found.refused, fillvalue=""):
        combined.setdefault(" + ".join(dict.fromkeys(names)), why)
    return [clean(f"tried {names}: {why}" if why else f"tried {names}") for names, why in combined.items() if names]


def fix_command(certificate: Certificate, place: str = "") -> str:
    """Return the command that looks for a patch, for a certificate that a leak or a refused release stands against.

    Parameters
    ----------
    certificate : what was found.
    place : of the class, "path/to/file.py:Class"; by default what the certificate calls its target.

    Returns
    -------
    The command; an empty text if `privcheck fix` does not take this kind of target, feedback or budget.

    Examples
    --------
    >>> from privcheck.results._example_results import GRANTED
    >>> fix_command(GRANTED)
    ''
    """
    place = place or certificate.target
    found = bool(certificate.leaks or certificate.refusals) and not certificate.primitives
    if not found or not isinstance(certificate.budget, Pure):
        return ""
    game = certificate.feedback, certificate.neighbours, certificate.rewards
    return fix_of(place, certificate.budget.epsilon, certificate.arms, *game)


def fix_of(
    place: str, epsilon: float, arms: int, feedback: str, neighbours: str, rewards: tuple[float, float] = (0.0, 1.0)
) -> str:
    """Return the command that looks for a patch of a class with a budget in pure DP; "" where `fix` takes none.

    A file that is there is read: `fix` takes classes, and no functions that build them.

    >>> fix_of("mine.py:Mine", 1.0, 2, "bandit", "row")
    'privcheck fix mine.py:Mine --epsilon 1 --arms 2'
    >>> fix_of("adap-ucb", 1.0, 2, "bandit", "row"), fix_of("mine.py:Mine", 1.0, 2, "bandit", "group:2")
    ('', '')
    """
    file, _, name = place.rpartition(":")
    takes = feedback == "bandit" and neighbours == "row" and file.endswith(".py") and name.isidentifier() and arms > 1
    return f"privcheck fix {_asked(place, epsilon, arms, rewards)}" if takes and _is_fixable(place) else ""


def _is_fixable(place: str) -> bool:
    from privcheck.fixing import check_fixable

    try:
        check_fixable(place)
    except PrivcheckError:
        return False
    return True


def command(found: Fix) -> str:
    """Return the commands that look for the recommended patch again, as it was looked for, and apply it.

    >>> from dataclasses import replace
    >>> from privcheck.results._example_results import FIXED_BANDIT
    >>> print(command(replace(FIXED_BANDIT, seed=3, rounds=2000)))
    privcheck fix bandit.py:Bandit --epsilon 1 --arms 2 --horizon 40 --rounds 2000 --seed 3 --diff fix.patch
    git apply fix.patch
    """
    asked = _asked(found.target, found.epsilon, found.arms, found.rewards)
    options = f"--horizon {found.horizon} --rounds {found.rounds} --seed {found.seed}"
    return f"privcheck fix {asked} {options} --diff fix.patch\ngit apply fix.patch"


def certify_command(found: Fix, patch: FixPatch) -> str:
    """Return the command that certifies the patched file, over as many rounds as all lines that matter need.

    >>> from privcheck.results._example_results import FIXED_BANDIT
    >>> certify_command(FIXED_BANDIT, FIXED_BANDIT.recommended)
    'privcheck certify bandit.py:Bandit --epsilon 1 --arms 2 --horizon 8'
    """
    rounds = found.horizon if patch.certificate is None else patch.certificate.horizon
    return f"privcheck certify {_asked(found.target, found.epsilon, found.arms, found.rewards)} --horizon {rounds}"


def _asked(target: str, epsilon: float, arms: int, rewards: tuple[float, float]) -> str:
    low, high = rewards
    others = "" if rewards == (0.0, 1.0) else f" --rewards {number_in_command(low)},{number_in_command(high)}"
    return f"{shlex.quote(clean(target))} --epsilon {number_in_command(epsilon)} --arms {arms}{others}"


def number_in_command(value: float) -> str:
    """Return a number of a command: the shortest that is exactly this one.

    >>> number_in_command(1.0), number_in_command(0.1234567)
    ('1', '0.1234567')
    """
    short = f"{value:g}"
    return short if float(short) == value else repr(float(value))
