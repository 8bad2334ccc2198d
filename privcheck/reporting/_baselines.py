"""Results compared with earlier ones of the same claims: did a verdict get worse?"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from privcheck.auditing import Unwritten
from privcheck.errors import PrivcheckError, words
from privcheck.reporting._json_source import JsonSource, read_source
from privcheck.reporting._result_files import json_files
from privcheck.reporting._text.certificate_sentences import CERTIFIED, RECORDED, REFUSED, UNSEEN, certificate_word
from privcheck.results import AuditReport, Certificate
from privcheck.serialise import array, number, plain, to_json
from privcheck.sweeps import MANIFEST, read_rows, read_sweep

EXPECTED = "the JSON of an audit, a certificate or a simulation"

WORSE: str
BETTER: str
SAME: str
NOT_COMPARABLE: str
WORSE, BETTER, SAME, NOT_COMPARABLE = "worse", "better", "same", "not comparable"

RANKS = {
    "consistent": 0, "inconclusive": 1, "violation": 2,
    CERTIFIED: 0, RECORDED: 1, UNSEEN: 1, REFUSED: 2,
}  # fmt: skip
"""How bad each verdict is; a verdict without a claim is never worse."""


@dataclass(frozen=True)
class Measured:
    """What is compared of a result.

    Parameters
    ----------
    kind : "audit", "certificate" or "simulation".
    target : what was audited, certified or simulated.
    asked : what has to be equal in two results that are compared, by name.
    verdict : its word; None for a simulation.
    certificate : the verdict of an audit's own certificate; None without one.
    lower, upper : bounds on epsilon, as far as there are any.
    regret, se : mean final pseudo-regret and its standard error, of a simulation of one policy.
    runs, seconds : what it cost; None where the JSON does not say so.
    provided : on what the verdict holds besides, in words.
    """

    kind: str
    target: str
    asked: dict[str, Any]
    verdict: str | None = None
    certificate: str | None = None
    lower: float | None = None
    upper: float | None = None
    regret: float | None = None
    se: float | None = None
    runs: int | None = None
    seconds: float | None = None
    provided: str = ""


@dataclass(frozen=True)
class Change:
    """One result beside its baseline.

    Parameters
    ----------
    name : what both are about.
    outcome : "same", "better", "worse" (a verdict or a certificate), or "not comparable".
    reason : what got better or worse, or why nothing can be said.
    old, new : what is compared; None for a result that cannot be read or does not exist.
    """

    name: str
    outcome: str
    reason: str = ""
    old: Measured | None = None
    new: Measured | None = None


@dataclass(frozen=True)
class Baseline:
    """All results beside their baselines.

    Parameters
    ----------
    changes : one for each result of the baseline.
    added : names of results that the baseline does not have.
    """

    changes: tuple[Change, ...]
    added: tuple[str, ...] = ()

    def count(self, outcome: str) -> int:
        """Return how many results have an outcome."""
        return sum(change.outcome == outcome for change in self.changes)

    @property
    def is_fine(self) -> bool:
        """Whether all results could be compared, and none got worse."""
        return not self.count(WORSE) and not self.count(NOT_COMPARABLE)

    @property
    def sentence(self) -> str:
        """How many results are worse, not comparable, better or the same."""
        counts = [(self.count(outcome), outcome) for outcome in (WORSE, NOT_COMPARABLE, BETTER, SAME)]
        counts.append((len(self.added), "without a baseline"))
        return ", ".join(f"{count:,} {outcome}" for count, outcome in counts if count)

    def to_json(self, status: int) -> str:
        """Return {"schema_version", "status", "changes": [...], "added": [...]} as JSON text.

        Parameters
        ----------
        status : the exit status of the command.
        """
        return to_json({"status": status, "changes": plain(list(map(asdict, self.changes))), "added": self.added})


def compare_paths(old: str | Path, new: str | Path) -> Baseline:
    """Compare two files, or two folders.

    Files in folders belong together if their paths below the folders are equal; in folders of sweeps, whose files are
    named by hashes, if they are of the same cell: equal in everything but source, data and versions.

    Parameters
    ----------
    old : the baseline: JSON of an audit, a certificate or a simulation, or a folder of such files.
    new : a file for a file, a folder for a folder.

    Raises
    ------
    PrivcheckError : a file that cannot be read, a file and a folder, a folder without results.
    """
    if Path(old).is_dir() != Path(new).is_dir():
        raise PrivcheckError("new", str(new), "two files or two folders", f"the baseline is {old}")
    if not Path(old).is_dir():
        before, after = measure(old, "old"), measure(new, "new")
        return Baseline((compared(before.target, before, after),))
    before_files, after_files = _files(Path(old), "old"), _files(Path(new), "new")
    changes = []
    for key, (name, path) in before_files.items():
        if key not in after_files:
            changes.append(Change(name, NOT_COMPARABLE, "there is no new result"))
            continue
        try:
            changes.append(compared(name, measure(path, "old"), measure(after_files[key][1], "new")))
        except PrivcheckError as error:
            changes.append(Change(name, NOT_COMPARABLE, f"{error.parameter}: {error.hint}"))
    changes.sort(key=lambda change: (WORSE, NOT_COMPARABLE, BETTER, SAME).index(change.outcome))
    return Baseline(tuple(changes), tuple(name for key, (name, _) in after_files.items() if key not in before_files))


def _files(folder: Path, parameter: str) -> dict[str, tuple[str, Path]]:
    """Return the names and the files of a folder's results by what two folders have in common."""
    if (folder / MANIFEST).is_file():
        rows, _ = read_rows(folder)
        found = {row["place"]: (_named(row), folder / row["file"]) for row in rows if row["file"]}
        if changed := read_sweep(folder).changed():
            got = words(f"{folder / changed[0]}, which is gone or not as the sweep wrote it")
            raise PrivcheckError(parameter, got, "results as they were written", "the same sweep plays it anew")
    else:
        files = {path.relative_to(folder).as_posix(): path for path in json_files(folder)}
        found = {name: (name, path) for name, path in files.items()}
    if not found:
        raise PrivcheckError(parameter, str(folder), "a folder of results", "it has none")
    return found


def _named(row: dict[str, Any]) -> str:
    names = [name for name in row if name.startswith("option_") or name in ("environment", "epsilon", "horizon")]
    given = [f"{name.removeprefix('option_')}={row[name]}" for name in names if row[name] is not None]
    return " ".join([str(row["target"]), *given, f"seed={row['seed']}"])


def measure(path: str | Path, parameter: str = "path") -> Measured:
    """Return what is compared of a result in a file.

    Raises
    ------
    PrivcheckError : a file that cannot be read, or holds something else.

    Examples
    --------
    >>> import tempfile
    >>> from privcheck.results._example_results import VIOLATION
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     VIOLATION.save(f"{folder}/audit.json")
    ...     found = measure(f"{folder}/audit.json")
    >>> found.kind, found.verdict, found.lower
    ('audit', 'violation', 1.7643969)
    """
    source = read_source(path, parameter, EXPECTED)
    for fields, reader in READERS:
        if source.holds(fields):
            return source.read_by(reader)
    raise source.refused("its fields match none of them")


def _audit(source: JsonSource) -> Measured:
    found = AuditReport.from_json(source.text)
    names = ("neighbours", "observe", "messages", "encode", "feedback", "rewards", "arms", "horizon")
    kept = ("contexts", "confidence", "error", "guarded", "randomness")
    asked = {"claim": _claim(found)} | {name: getattr(found, name) for name in (*names, *kept)}
    asked["streams"] = "searched" if found.streams is None else _given_streams(found)
    own = found.certificate
    return Measured(
        "audit", found.target, plain(asked), found.verdict, None if own is None else certificate_word(own),
        found.lower, None if own is None else own.epsilon_at(found.delta), runs=found.runs, seconds=found.seconds,
        provided="; ".join(found.provided),
    )  # fmt: skip


def _given_streams(found: AuditReport) -> str:
    """Return which streams the user gave, in words: of one pair both tables, whichever way round a witness has them.

    Of streams that a function draws or an adversary chooses, those of the witness differ from seed to seed.
    """
    if found.witness is None or found.streams in (Unwritten.FUNCTION, Unwritten.ADVERSARY):
        return f"given, {found.streams}"
    return f"given, {' and '.join(sorted(map(_hash, (found.witness.first, found.witness.second))))}"


def _hash(table: Any) -> str:
    return hashlib.sha256(repr(np.asarray(table).tolist()).encode()).hexdigest()[:8]


def _claim(found: AuditReport) -> str:
    """Return the claim with all that tells it from others: sentences round it, and leave out a curve's corners."""
    if found.claimed is None:
        return "none"
    if found.tradeoff_claimed is not None:
        return f"tradeoff = {','.join(f'{first:.12g}:{second:.12g}' for first, second in found.tradeoff_claimed)}"
    name, amount = found.claimed
    return f"{name} = {amount:.12g}" + (f", delta = {found.delta:.12g}" if found.delta else "")


def _certificate(source: JsonSource) -> Measured:
    found = Certificate.from_json(source.text)
    names = ("neighbours", "feedback", "rewards", "arms", "horizon", "contexts", "delta")
    asked = {"claim": str(found.budget)} | {name: getattr(found, name) for name in names}
    return Measured(
        "certificate", found.target, plain(asked), certificate_word(found), upper=found.epsilon_upper,
        runs=found.executions,
    )  # fmt: skip


def _simulation(source: JsonSource) -> Measured:
    content = source.content
    (row,) = content["results"] if len(content["results"]) == 1 else (None,)
    if row is None:
        raise source.refused("it has several policies: simulate each by itself, or use `privcheck sweep`")
    mean, se = array([row["mean"]]).tolist()[0], None if row["se"] is None else float(number(row["se"]))
    asked = {"environment": content.get("environment"), "horizon": int(row["horizon"])}
    asked["shuffle_arms"] = bool(content.get("shuffle_arms", False))
    if "algorithms" in content:  # older files do not say it
        (told,) = content["algorithms"]
        asked["parameters"] = told.rpartition("(")[2].removesuffix(")") if told.endswith(")") else None
    return Measured(
        "simulation", str(row["policy"]), asked, regret=mean, se=se, runs=int(row["runs"]),
        seconds=float(row["seconds"]),
    )  # fmt: skip


READERS: tuple[tuple[set[str], Callable[[JsonSource], Measured]], ...] = (
    ({"target", "verdict", "epsilon_lower"}, _audit),
    ({"target", "granted", "coverage"}, _certificate),
    ({"results"}, _simulation),
)


def compared(name: str, old: Measured, new: Measured) -> Change:
    """Return one result beside its baseline.

    >>> before = Measured("audit", "a", {"claim": "epsilon = 1"}, "consistent", "certified")
    >>> after = Measured("audit", "a", {"claim": "epsilon = 1"}, "violation", "not certified")
    >>> compared("a", before, after).reason
    'verdict consistent, now violation; certificate certified, now not certified'
    >>> compared("a", before, Measured("audit", "a", {"claim": "epsilon = 2"}, "consistent")).reason
    'claim epsilon = 1, now epsilon = 2'
    >>> compared("a", before, Measured("audit", "b", {"claim": "epsilon = 1"}, "consistent")).reason
    'they are of two targets, a and b, and one is no baseline of the other: `privcheck report` lists them side by side'
    """
    if old.kind == new.kind and _are_two(old.target, new.target):
        return Change(name, NOT_COMPARABLE, TWO_TARGETS.format(old.target, new.target), old, new)
    asked = {"kind": old.kind} | old.asked, {"kind": new.kind} | new.asked
    named = dict.fromkeys([*asked[0], *asked[1]])
    if any("parameters" not in each for each in asked):
        named.pop("parameters", None)
    other = [key for key in named if asked[0].get(key) != asked[1].get(key)]
    if old.kind != new.kind:
        other = ["kind"]
    if other:
        reason = "; ".join(f"{key} {_shown(asked[0].get(key))}, now {_shown(asked[1].get(key))}" for key in other)
        return Change(name, NOT_COMPARABLE, reason, old, new)
    pairs = [("verdict", old.verdict, new.verdict), ("certificate", old.certificate, new.certificate)]
    changed = [(which, was, now) for which, was, now in pairs if was != now]
    steps = [_rank(which, now) - _rank(which, was) for which, was, now in changed]
    reason = "; ".join(f"{which} {was or 'none'}, now {now or 'none'}" for which, was, now in changed)
    if unnamed := [key for key in ("encode", "streams") if old.asked.get(key) in UNNAMED]:
        reason += f"{'; ' * bool(reason)}provided that {' and '.join(unnamed)} did not change, which no file says"
    outcome = WORSE if any(step > 0 for step in steps) else BETTER if any(step < 0 for step in steps) else SAME
    return Change(name, outcome, reason, old, new)


UNNAMED = ("encode", f"given, {Unwritten.FUNCTION}", f"given, {Unwritten.ADVERSARY}")
"""What stands in a file in the place of a function of Python's: two of them look alike."""

TWO_TARGETS = (
    "they are of two targets, {} and {}, and one is no baseline of the other: "
    "`privcheck report` lists them side by side"
)


def _are_two(old: str, new: str) -> bool:
    """Tell whether results are of two targets. One may have moved to another folder; a service, to another address.

    >>> _are_two("a/mine.py:A", "b/mine.py:A"), _are_two("A", "mine.py:A"), _are_two("a.mine:A", "mine.py:A")
    (False, False, False)
    >>> _are_two("mine.py:A", "mine.py:B"), _are_two("ucb", "imed"), _are_two("http://a:1", "http://a:2")
    (True, True, False)
    """
    if any("://" in each or " " in each.partition("(")[0] for each in (old, new)):
        return False
    parts = [each.rpartition(":") for each in (old, new)]
    files = {Path(place.removesuffix(".py").replace(".", "/")).name for place, _, _ in parts if place}
    return len(files) > 1 or parts[0][2] != parts[1][2]


def _rank(which: str, word: str | None) -> int:
    """Return how bad a verdict is; a certificate that is not there is as bad as one that shows nothing."""
    return RANKS[word] if word is not None else 1 if which == "certificate" else 0


def _shown(value: Any) -> str:
    return "none" if value is None else str(value)
