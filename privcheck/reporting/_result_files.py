"""Results read back from the JSON files that the commands write."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from privcheck.reporting._bounds_files import read_bounds, read_instance
from privcheck.reporting._json_source import JsonSource, read_source
from privcheck.reporting._many_audits import AuditedClaim, p_value_of
from privcheck.reporting._other_kinds import refuse_unlisted
from privcheck.reporting._presented import page
from privcheck.reporting._summary_row import SummaryRow
from privcheck.reporting._terminal.bounds_table import describe
from privcheck.reporting._text import fix_sentences, numbers, steps_sentences, watch_sentences
from privcheck.reporting._text.audit_sentences import audit_mark, certificate_is_refused, plural, verdict_word
from privcheck.reporting._text.both_bounds import contradiction, upper_bound
from privcheck.reporting._text.certificate_sentences import certificate_word, found_something, reasons
from privcheck.reporting._text.certified_amounts import upper_words
from privcheck.reporting._text.places import described_place
from privcheck.reporting._text.simulation_notes import runs_words
from privcheck.results import NONE_LEARNS, AuditReport, Certificate, Fix, FixPatch, Frontier, StepsReport, WatchReport
from privcheck.schema_versions import GROWING
from privcheck.serialise import array, revived, well_typed

EXPECTED = "a result that a privcheck command wrote with --json"

WORST_FIRST = ("violation", "inconclusive", "consistent")

CONTRADICTION, EVALUATED, SIMULATED = "contradiction", "evaluated", "simulated"

ALARM, NO_ALARM = "alarm", "no alarm"

UNITS = ("epsilon", "rho", "mu")


@dataclass(frozen=True)
class IndexRow:
    """One result: a row of an index.

    Parameters
    ----------
    path : of its JSON file.
    when : when that file was last changed, in seconds since 1970.
    kind : "audit", "certificate", "fix", "watch", "watches", "steps", "bounds", "curve", "frontier" or "simulation".
    target : what was audited, certified, fixed, watched, evaluated or simulated.
    verdict : its word; of a frontier, the worst of its audits.
    alarm : whether it is a violation, a leak, a refused certificate, a divergence in replay, a leak without a patch, or
        the alarm of a watch that stands.
    claim, delta, lower, upper, seed : of an audit or a certificate, as far as it has them.
    mark : the sign of its verdict, where the word alone does not say it.
    unit : what claim, lower and upper are of: "epsilon", "rho", "mu", or "delta" for a trade-off curve.
    p_value : of the claim of an audit.
    told_apart : what tells it from other results of the same target, such as its seed in a sweep.
    outdated : that the file of the target was changed after the result was written, in words; "" otherwise.
    detail : more, in words.
    page : returns the page about it; None where the JSON holds too little for one.
    provided : on what the verdict holds besides, in words.
    inside : the audited claims in a result that is no audit itself: of a frontier, of patches, and of watches.

    """

    path: Path
    when: float
    kind: str
    target: str
    verdict: str
    alarm: bool = False
    claim: float | None = None
    delta: float = 0.0
    lower: float | None = None
    upper: float | None = None
    seed: int | None = None
    detail: str = ""
    page: Callable[[], str] | None = None
    p_value: float | None = None
    told_apart: str = ""
    outdated: str = ""
    unit: str = "epsilon"
    mark: str = ""
    provided: str = ""
    inside: tuple[AuditedClaim, ...] = ()

    @property
    def name(self) -> str:
        """The target, with what tells it from others."""
        return f"{self.target}, {self.told_apart}" if self.told_apart else self.target

    @property
    def tested(self) -> tuple[AuditedClaim, ...]:
        """Every audited claim in it, which counts among all claims of a folder."""
        own = () if self.p_value is None else (AuditedClaim(self.name, self.p_value, self.seed),)
        return own + self.inside


def read_result(path: str | Path) -> IndexRow:
    """Return the result in a JSON file.

    Raises
    ------
    PrivcheckError : a file that cannot be read, or holds something else.

    Examples
    --------
    >>> import tempfile
    >>> from privcheck.results._example_results import VIOLATION
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "audit.json")
    ...     _ = file.write_text(VIOLATION.to_json())
    ...     result = read_result(file)
    >>> result.kind, result.verdict, result.alarm, result.lower
    ('audit', 'violation', True, 1.7643969)
    """
    source = read_source(path, "file", EXPECTED)
    refuse_unlisted(source)
    kind = next((kind for kind, needed in FIELDS.items() if source.holds(needed)), None)
    if kind is None:
        raise source.refused("its fields are those of no result that a report lists")
    result: IndexRow = source.read_by(lambda source: _read(source, kind))
    return replace(result, outdated=_outdated(result))


def _outdated(result: IndexRow) -> str:
    """Tell whether the file of a target, as it was named, is younger than its result; what it imports is not seen."""
    file, _, name = result.target.partition("(")[0].rpartition(":")
    try:
        changed = file.endswith(".py") and name.isidentifier() and Path(file).stat().st_mtime > result.when
    except (OSError, ValueError):
        return ""
    return f"older than {file}: play it again" if changed else ""


def _read(source: JsonSource, kind: str) -> IndexRow:
    known = FIELDS[kind] | OTHERS.get(kind, set(source.content)) | {"schema_version"}
    if (unknown := sorted(set(source.content) - known)) and source.content["schema_version"] < GROWING:
        raise source.refused(f"unknown fields: {', '.join(unknown)}"[:200])
    return READERS[kind](source)


def _audit(source: JsonSource) -> IndexRow:
    report = AuditReport.from_json(source.text)
    wrong = contradiction(report)
    word = verdict_word(report)
    unit, claim = report.claimed or ("epsilon", None)
    bound = None if report.certificate is None else report.certificate.upper
    return IndexRow(
        source.path, source.when, "audit", report.target, word,
        alarm=word == "violation", claim=claim, delta=report.delta, lower=report.lower, seed=report.seed, unit=unit,
        upper=upper_bound(report) if unit == "epsilon" else getattr(bound, unit, None),
        detail=wrong or "; ".join([*_behind(report), *_beside(report), *report.notes]),
        page=lambda: page(report), p_value=p_value_of(report), mark=audit_mark(report),
        provided="; ".join(report.provided),
    )  # fmt: skip


def _behind(report: AuditReport) -> list[str]:
    """Return the lines at fault and the simplest witness of a violation, in words."""
    witness = report.simplest or report.witness
    if report.verdict != "violation" or witness is None:
        return []
    faults = [f"at fault: {fault.place}, {fault.about.title}" for fault in report.faults]
    return [*faults, f"witness: {witness.streams}: {witness.event}"]


def _beside(report: AuditReport) -> list[str]:
    """Return why the certificate of an audit that refutes nothing is refused."""
    certificate: Certificate | None = report.certificate
    if report.verdict == "violation" or certificate is None or not certificate_is_refused(report):
        return []
    return [f"certificate refused: {reasons(certificate, brief=True)[0]}"]


def _certificate(source: JsonSource) -> IndexRow:
    found = Certificate.from_json(source.text)
    refused = found_something(found) or (found.budget is not None and found.upper is None and not found.is_inconclusive)
    in_words = upper_words(found) if found.upper is not None and found.epsilon_claimed is None else ""
    unit = "epsilon" if found.budget is None else next(iter(vars(found.budget)))
    return IndexRow(
        source.path, source.when, "certificate", found.target, certificate_word(found), alarm=refused,
        claim=getattr(found.budget, unit, None), delta=found.delta, seed=found.seed, unit=unit,
        upper=found.epsilon_upper if unit == "epsilon" else getattr(found.upper, unit, None),
        detail="; ".join(reasons(found, brief=True)) if refused or found.is_inconclusive else in_words,
        page=lambda: page(found), provided=found.provided if found.granted else "",
    )  # fmt: skip


def _fix(source: JsonSource) -> IndexRow:
    found = Fix.from_json(source.text)
    told = fix_sentences.sentence(found).removeprefix(f"{found.outcome}: ")
    return IndexRow(
        source.path, source.when, "fix", found.target, found.outcome,
        alarm=found.outcome not in fix_sentences.MARKS or found.outcome == NONE_LEARNS, claim=found.epsilon,
        seed=found.seed, detail=told, page=lambda: page(found),
        inside=tuple(_of_patch(source.path, found, patch) for patch in found.patches if patch.audit_runs),
    )  # fmt: skip


def _of_patch(path: Path, found: Fix, patch: FixPatch) -> AuditedClaim:
    """Return the claim of an audited patch: its bound exceeds a true claim with at most the rest of its confidence."""
    refuted = (patch.epsilon_lower or 0.0) > found.epsilon
    p_value = 1.0 - patch.audit_confidence if refuted else 1.0
    return AuditedClaim(f"{found.target}, patch {patch.number} in {path.name}", p_value, None)


def _watch(source: JsonSource) -> IndexRow:
    found = WatchReport.from_json(source.text)
    unit, claim = next((unit, claim) for unit in UNITS if (claim := getattr(found, unit)) is not None)
    word = _word_of(found)
    return IndexRow(
        source.path, source.when, "watch", found.name, word, alarm=word == ALARM, claim=claim, delta=found.delta,
        unit=unit, page=lambda: page(found), provided="; ".join(found.provided),
        detail="; ".join([watch_sentences.sentence(found), *watch_sentences.trusted(found)]),
        inside=(_of_watch(source.path, found),),
    )  # fmt: skip


def _of_watch(path: Path, found: WatchReport) -> AuditedClaim:
    """Return the claim of a watch, which raises an alarm with probability at most `error` while the claim is true."""
    return AuditedClaim(f"{found.name} in {path.name}", 1.0 if found.alarm is None else found.error, None)


def _word_of(*found: WatchReport) -> str:
    """Return the word for watches together: an alarm that stands comes first."""
    if any(each.alarm is not None for each in found):
        return ALARM
    return NO_ALARM if any(map(watch_sentences.counted_nights, found)) else "inconclusive"


def _watches(source: JsonSource) -> IndexRow:
    """Return one row for all watches of a store."""
    version = {"schema_version": source.content["schema_version"]}
    found = [WatchReport.from_json(json.dumps(version | each)) for each in _listed(source.content["watches"], dict)]
    word = _word_of(*found)
    sentences = dict.fromkeys(watch_sentences.sentence(each) for each in found)
    return IndexRow(
        source.path, source.when, "watches", ", ".join(each.name for each in found),
        word, alarm=word == ALARM, detail="; ".join(sentences),
        provided="; ".join(dict.fromkeys(said for each in found for said in each.provided)),
        inside=tuple(_of_watch(source.path, each) for each in found),
    )  # fmt: skip


def _steps(source: JsonSource) -> IndexRow:
    found = StepsReport.from_json(source.text)
    return IndexRow(
        source.path, source.when, "steps", found.target, found.outcome, claim=found.epsilon_claimed, delta=found.delta,
        seed=found.seed, detail=steps_sentences.sentence(found), page=lambda: page(found),
    )  # fmt: skip


def _bounds(source: JsonSource) -> IndexRow:
    content = source.content
    values = read_bounds(content)
    instance = values.instance
    applying = sum(value.applies for value in values)
    wrong = len(_listed(content["contradictions"], dict))
    return IndexRow(
        source.path, source.when, "bounds", describe(instance), CONTRADICTION if wrong else EVALUATED,
        detail=f"{applying} of {len(values)} theorems apply" + (f", {wrong} contradictions" if wrong else ""),
        page=lambda: page(values),
    )  # fmt: skip


def _curve(source: JsonSource) -> IndexRow:
    content = source.content
    wrong, places = len(_listed(content["contradictions"], str)), array(content["values"]).tolist()
    _listed([content["axis"]], str)
    for along in _listed(content["curves"], dict):
        if not isinstance(along["id"], str) or len(along["bounds"]) != len(places):
            raise ValueError("curves")
    target = describe(read_instance(content["instance"]))
    return IndexRow(
        source.path, source.when, "curve", target, CONTRADICTION if wrong else EVALUATED,
        detail=f"{len(content['curves'])} bounds at {len(places)} points from {content['axis']} = {places[0]:g} to "
        f"{places[-1]:g}" + (f", {wrong} contradictions" if wrong else ""),
    )  # fmt: skip


def _frontier(source: JsonSource) -> IndexRow:
    found = Frontier.from_json(source.text)
    verdicts = [point.verdict for point in found.points if point.verdict is not None]
    worst = min(verdicts, key=WORST_FIRST.index, default=EVALUATED)
    budgets = sorted({point.budget for point in found.points if point.budget is not None})
    span = f" from {found.unit} = {budgets[0]:g} to {budgets[-1]:g}" if budgets else ""
    said = {"violation": "refuted", "inconclusive": "inconclusive", "consistent": "consistent"}.get(worst)
    audited = f"; {verdicts.count(worst)} of {plural(len(verdicts), 'audited claim')} {said}" if said else ""
    place = described_place(found.environment, found.means, found.arms)
    return IndexRow(
        source.path, source.when, "frontier", ", ".join(found.policies), worst, alarm=worst == "violation",
        seed=found.seed, page=lambda: page(found),
        detail=f"{len(found.points)} points{span} on {place}, {found.horizon:,} rounds{audited}",
        inside=tuple(_of_points(source.path, found)),
    )  # fmt: skip


def _of_points(path: Path, found: Frontier) -> Iterator[AuditedClaim]:
    """Yield the audited claims of a frontier, whose audits have one seed."""
    for point in found.points:
        if point.budget is not None and (p_value := point.counted_p_value) is not None:
            claim = f"{point.policy}, {found.unit} = {numbers.claim_text(point.budget, point.delta)}"
            yield AuditedClaim(f"{claim} in {path.name}", p_value, found.seed)


def _simulation(source: JsonSource) -> IndexRow:
    content = source.content
    rows = [well_typed(revived(row, SummaryRow)) for row in _listed(content["results"], dict)]
    place, seed, first = content.get("environment"), content.get("seed"), rows[0]
    regrets = ", ".join(f"{row.policy} {numbers.amount(row.mean)}" for row in rows)
    where = ""
    if place is not None:
        if not isinstance(place["id"], str):
            raise TypeError(f"environment is {place['id']!r}")
        where = (
            f" on {described_place(place['id'], array(place['means']).tolist(), _listed(place.get('names', []), str))}"
        )
    if seed is not None and type(seed) is not int:
        raise TypeError(f"seed is {seed!r}")
    _listed(content.get("algorithms", []), str)
    return IndexRow(
        source.path, source.when, "simulation", ", ".join(row.policy for row in rows), SIMULATED, seed=seed,
        detail=f"mean regret {regrets} after {first.horizon:,} rounds{where}, {runs_words([row.runs for row in rows])}",
    )  # fmt: skip


def _listed(value: Any, kind: type) -> list[Any]:
    """Return a list whose entries are all of one type."""
    if not isinstance(value, list) or not all(isinstance(entry, kind) for entry in value):
        raise TypeError(f"{str(value)[:40]} is not a list of {kind.__name__}")
    return value


FIELDS = {
    "audit": {"target", "verdict", "epsilon_lower"},
    "certificate": {"target", "granted", "coverage"},
    "fix": {"target", "outcome", "patches", "finding"},
    "watch": {"nights", "versions", "alarms"},
    "watches": {"watches"},
    "steps": {"target", "steps", "best", "provided"},
    "bounds": {"instance", "bounds"},
    "curve": {"instance", "axis", "curves"},
    "frontier": {"frontier", "points"},
    "simulation": {"results"},
}
"""The fields that identify a result of each kind."""

OTHERS = {
    "bounds": {"regime", "contradictions"},
    "curve": {"values", "contradictions"},
    "frontier": {"bounds", "remarks"},
    "simulation": {
        *("environment", "horizon", "runs", "seed", "algorithms", "comparisons", "remarks", "shuffle_arms", "labels"),
    },
}
"""The other fields that one may have; the readers of audits and certificates know theirs."""

READERS: dict[str, Callable[[JsonSource], IndexRow]] = {
    "audit": _audit, "certificate": _certificate, "fix": _fix, "bounds": _bounds, "curve": _curve,
    "frontier": _frontier, "simulation": _simulation, "watch": _watch, "watches": _watches,
    "steps": _steps,
}  # fmt: skip


def json_files(folder: Path) -> list[Path]:
    """Return the JSON files in a folder and below, in order, without hidden ones.

    Links to folders and files are followed. What several paths lead to is one result: its path without a link counts.
    """
    found = [
        place / name
        for place, names in folders_below(folder)
        for name in names
        if name.endswith(".json") and not name.startswith(".")
    ]
    own = {os.path.realpath(file) for file in found if not file.is_symlink()}
    return [file for file in found if not file.is_symlink() or os.path.realpath(file) not in own]


def folders_below(top: Path) -> list[tuple[Path, list[str]]]:
    """Return a folder and those below, each with the names of its files; hidden ones are left out, and links followed.

    Each folder stands once. Those that only links lead to come after the others.
    """
    found, seen, waiting = list[tuple[Path, list[str]]](), set[str](), [top]
    while waiting:
        links = []
        for start in waiting:
            for place, folders, files in os.walk(start):
                folders[:] = sorted(name for name in folders if not name.startswith("."))
                if os.path.realpath(place) in seen:
                    folders.clear()
                    continue
                seen.add(os.path.realpath(place))
                found.append((Path(place), sorted(files)))
                links += [Path(place, name) for name in folders if Path(place, name).is_symlink()]
        waiting = links
    return found
