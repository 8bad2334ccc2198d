"""What a search let pass, judged afresh: a search that runs until a judge says yes finds the judge's mistakes."""

from __future__ import annotations

import ast
import json
import math
import os
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from privcheck.certifying import certify
from privcheck.enclosure import rounded_down
from privcheck.errors import PrivcheckError
from privcheck.fixing._look import Finding, Setting, apart, fails, look
from privcheck.fixing._patch_audit import Audited, audited
from privcheck.fixing._patched_file import as_file
from privcheck.fixing._program import Program
from privcheck.fixing._source_text import SourceText
from privcheck.results import Certificate

SECONDS = 120
"""After which a certificate or an audit is ended."""

ROUNDS = 16
"""Rounds of the certificate and of its replays at first: as many as the guard explores by default. Twice as many are
played, and so on up to those of the longest look, if lines have not run by then: the cost grows with the square.
"""

RUNS = 3
"""Guarded runs of the certificate."""

SEED = 10_007
"""What is added to the seed of the search, so that the judge sees other streams, coins and noise."""


class Judgement(NamedTuple):
    """What guarded runs elsewhere say of a program.

    Parameters
    ----------
    withdrawn : why it is not to be certified, in words; empty if it may be.
    settings : the further settings in which guarded runs found nothing, in words.
    """

    withdrawn: str
    settings: tuple[str, ...] = ()


def looked_at_elsewhere(source: SourceText, text: str, class_name: str, setting: Setting) -> Judgement:
    """Return why a patch is withdrawn before it is certified, if it is, and the settings that it was looked at in.

    Guarded runs at two other settings catch noise that was fitted to this one: less epsilon, more arms and four times
    as many rounds; and more epsilon and about twice as many rounds. A program that fails with more arms keeps its own.
    """
    if other := changed_elsewhere(source, text, class_name):
        return Judgement(f"it changes {other}, which is not what was to be fixed")
    told: list[str] = []
    for other_setting in others(afresh(setting)):
        found, used = _longest_look(source, text, class_name, other_setting, setting.horizon)
        may_lack_arms = other_setting.arms != setting.arms and found is not None and found.kind == "failure"
        if may_lack_arms and fails(source, class_name, other_setting):
            own_arms = other_setting._replace(arms=setting.arms)
            found, used = _longest_look(source, text, class_name, own_arms, setting.horizon)
        if found is not None:
            return Judgement(f"at {in_words(used)}: {found.sentence}", tuple(told))
        told.append(in_words(used))
    return Judgement("", tuple(told))


def afresh(setting: Setting) -> Setting:
    """Return the setting with a seed that the search does not have."""
    return setting._replace(seed=setting.seed + SEED)


def changed_elsewhere(source: SourceText, text: str, class_name: str) -> str:
    r"""Return what a patch changes that is not the class, a base of it or an import, in words; empty if nothing is.

    >>> source = SourceText.of_bytes(Path("a.py"), b"class A:\n    x = 1\n\n\nclass B:\n    x = 1\n")
    >>> changed_elsewhere(source, source.text.replace("B:\n    x = 1", "B:\n    x = 2"), "A")
    'class B'
    >>> changed_elsewhere(source, "import math\n" + source.text.replace("1", "2", 1), "A")
    ''
    """
    before, after = (_others_of(each, class_name) for each in (source.text, text))
    if before == after:
        return ""
    different = next((one for one, two in zip_longest(before, after) if one != two), None) or after[-1]
    return different[0]


def _others_of(text: str, class_name: str) -> list[tuple[str, str]]:
    """Return the statements at the top level that no patch may change, each with its name and its structure."""
    program = Program(text, class_name)
    own = program.line_of_classes
    found = []
    for node in program.tree.body:
        if node not in own and not isinstance(node, ast.Import | ast.ImportFrom):
            name = getattr(node, "name", "")
            kind = "class" if isinstance(node, ast.ClassDef) else "function"
            found.append((f"{kind} {name}" if name else "code at the top level", ast.dump(node)))
    return found


def others(setting: Setting) -> tuple[Setting, Setting]:
    """Return the two further settings.

    >>> [(other.epsilon, other.arms, other.horizon) for other in others(Setting(1.0, 2, 40))]
    [(0.3, 4, 160), (3.0, 2, 91)]
    """
    less = setting._replace(
        epsilon=0.3 * setting.epsilon, arms=setting.arms + 2, horizon=4 * setting.horizon, runs=2, seed=setting.seed + 1
    )
    more = setting._replace(
        epsilon=3.0 * setting.epsilon, horizon=2 * setting.horizon + 11, runs=2, seed=setting.seed + 2
    )
    return less, more


def in_words(setting: Setting) -> str:
    """Return a setting in words.

    >>> in_words(Setting(0.3, 4, 160))
    'epsilon = 0.3, 4 arms, 160 rounds'
    """
    return f"epsilon = {setting.epsilon:g}, {setting.arms} arms, {setting.horizon} rounds"


def _longest_look(
    source: SourceText, text: str, class_name: str, setting: Setting, least: int
) -> tuple[Finding | None, Setting]:
    """Return what a look finds; one that takes too long is made again with half of the rounds, down to the least."""
    while True:
        found = look(text, class_name, setting, source.path)
        if found is None or found.kind != "time" or setting.horizon // 2 < least:
            return found, setting
        setting = setting._replace(horizon=setting.horizon // 2, runs=1)


def certified(source: SourceText, text: str, class_name: str, setting: Setting) -> tuple[Certificate | None, str]:
    """Return the certificate of a text, and why it is not granted; an empty text if it is.

    While lines have not run, more rounds are tried.
    """
    rounds = max(ROUNDS, 2 * setting.arms)
    while True:
        with as_file(source, text) as file:
            work = partial(_certificate, file, source.path, class_name, setting._replace(horizon=rounds))
            found = apart(work, SECONDS + math.ceil(setting.importing), None)
        if found is None:
            return None, f"a certificate takes more than {SECONDS} seconds"
        if isinstance(found, PrivcheckError):
            return None, str(found)
        certificate = Certificate.from_json(found)
        if certificate.granted:
            return certificate, ""
        if not certificate.unreached or certificate.has_findings or rounds >= 4 * setting.horizon:
            return certificate, _why(certificate)
        rounds = min(2 * rounds, 4 * setting.horizon)


def _certificate(file: Path, path: Path, class_name: str, setting: Setting) -> str | PrivcheckError:
    """Return a certificate as JSON that names the original file, or the error of a program that cannot be certified."""
    try:
        found = certify(
            f"{file}:{class_name}",
            epsilon=setting.epsilon,
            arms=setting.arms,
            horizon=setting.horizon,
            rewards=setting.rewards,
            runs=RUNS,
            seed=setting.seed,
        )
    except PrivcheckError as error:
        return PrivcheckError("target", _renamed(str(error), file, path), "a policy that can be certified")
    return _renamed(replace(found, target=f"{path}:{class_name}").to_json(), file, path)


def _renamed(text: str, file: Path, path: Path) -> str:
    """Return a text in which the folder of the original stands for that of a temporary file, and so for those above."""
    here = Path.cwd()
    for temporary, place in ((file.parent, path.absolute().parent), (file.resolve().parent, path.resolve().parent)):
        while temporary.name == place.name != "":
            temporary, place = temporary.parent, place.parent
        folder = temporary.resolve()
        names = [folder, temporary]  # and, in sentences, the path from the working directory to a file below it
        names += [folder.relative_to(here)] if folder.is_relative_to(here) else []
        for name in dict.fromkeys(map(str, names)):
            own = str(place).rstrip(os.sep)
            text = text.replace(_escaped(name), _escaped(own)).replace(name, own)  # in JSON, and in a plain sentence
    return text


def _escaped(text: str) -> str:
    return json.dumps(text)[1:-1]


def _why(certificate: Certificate) -> str:
    """Return why a certificate is not granted, in a sentence."""
    if certificate.leaks:
        return str(certificate.leaks[0])
    if certificate.refusals:
        return certificate.refusals[0]
    if certificate.contradictions:
        return certificate.contradictions[0]
    if certificate.replay.divergences:
        replays = certificate.replay
        return f"{replays.divergences} of {replays.replays} replays on a neighbouring stream play other actions"
    if certificate.unreached:
        return f"not every line that matters for privacy ran: {certificate.unreached[0]}"
    return certificate.notes[0] if certificate.notes else "no certificate was granted"


def refuted(
    source: SourceText, text: str, class_name: str, setting: Setting, rounds: int = ROUNDS
) -> tuple[Audited | None, str]:
    """Return what an audit with a seed of its own gives, over at least as many rounds as were certified, and why the
    text is withdrawn; empty if it is not.
    """
    afresh = setting._replace(seed=setting.seed + 2 * SEED)
    with as_file(source, text) as file:
        work = partial(_audit, file, source.path, class_name, afresh, rounds)
        found = apart(work, SECONDS + math.ceil(setting.importing), None)
    if found is None:
        return None, f"an audit takes more than {SECONDS} seconds"
    if isinstance(found, PrivcheckError):
        return None, str(found)
    if found.epsilon_lower > setting.epsilon:
        return found, f"an audit gives epsilon at least {rounded_down(found.epsilon_lower)}, above {setting.epsilon:g}"
    return found, ""


def _audit(file: Path, path: Path, class_name: str, setting: Setting, rounds: int) -> Audited | PrivcheckError:
    try:
        return audited(file, class_name, setting, rounds)
    except PrivcheckError as error:
        return PrivcheckError("target", _renamed(str(error), file, path), "a policy that can be audited")
