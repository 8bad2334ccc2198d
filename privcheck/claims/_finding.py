"""What the verifier found about a claim: one status, and evidence that can be checked again."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from privcheck import presenting
from privcheck.bibliography import cited
from privcheck.claims._causes import FAULTS, GRAVE
from privcheck.serialise import to_json
from privcheck.tables import Result, Row

REFUTED = "refuted"
UNDER_READING = "refuted-under-reading"
ORDER_REFUTED = "order-refuted"
FAILS = "derivation-fails"
SUSPICIOUS = "suspicious"
PROVEN = "proven"
ON_REGION = "verified-on-region"
NOT_REFUTED = "not-refuted"
NOT_CHECKABLE = "not-checkable"

STATUSES = {
    REFUTED: "false at a point of the printed domain, under every reading of the text",
    ORDER_REFUTED: "the ratio of the two sides is unbounded on a path, under every reading of the text",
    UNDER_READING: "false under at least one reading that the text allows, and not refuted under another",
    FAILS: "a displayed step of a derivation is false; the result that it leads to may still hold",
    SUSPICIOUS: "seems to fail in floating point, but no counterexample could be confirmed; not an error",
    PROVEN: "proven on the whole printed domain, by intervals, or by computer algebra where both sides are defined",
    ON_REGION: "proven on the region that is named, or on the share of it that is given; the rest of the domain is not",
    NOT_REFUTED: "searched without a counterexample; this is no proof",
    NOT_CHECKABLE: "not a formula in finitely many numbers, or one without a value at all points; nothing was tried",
}
"""The statuses, and what each says."""

WRONG = (REFUTED, ORDER_REFUTED, UNDER_READING, FAILS)
"""The statuses that say that the printed form fails."""


def _check_status(status: str) -> None:
    """Refuse a word that is no status: lists and counts leave it out.

    Raises
    ------
    ValueError : it is none of `STATUSES`.
    """
    if status not in STATUSES:
        raise ValueError(f"status is {status!r}")


@dataclass(frozen=True)
class ReadingFinding:
    """What was found about one reading.

    Parameters
    ----------
    name : the reading.
    domain : the variables and conditions.
    says : the statement as a formula.
    status : one of `STATUSES`.
    evidence : for a refutation the point, both sides and the arithmetic; for a proof its method, region, share and
        number of boxes; for a search the number of points at which both sides were compared, the ranges of integers
        whose domain it cut, the number of points without a value (undefined, or too large for floats), and the closest.

    """

    name: str
    domain: str
    says: str
    status: str
    evidence: dict[str, Any]

    def __post_init__(self) -> None:
        _check_status(self.status)

    @property
    def percent(self) -> str:
        """The share of the region that is proven in percent, rounded down; empty if that is all of it, or unknown."""
        share = float(self.evidence.get("share", 1.0))
        if share == 1.0:
            return ""
        return f"{math.floor(1000 * share) / 10:.1f} %" if share < 0.999 else f"all but {100 * (1 - share):.2g} %"


@dataclass(frozen=True, repr=False)
class Finding:
    """One row of a report.

    Parameters
    ----------
    id, paper, place, quote, kind, role : of the claim.
    status : one of `STATUSES`.
    readings : what was found about each reading.
    consequence : what a reader of the paper should do, if the printed form fails.
    repair : the corrected form in words; empty if there is none.
    repair_status : what was found about it.
    seed : of the search.
    seconds : CPU time.
    tested_on : the case that the formulas are about, and what their two sides are there; empty if they are printed.
    fault : what kind of fault it is that the printed form fails, one of `FAULTS`; empty if it does not.
    cause : the id of the reason, which all that fails for the same reason shares; empty for claims of your own.
    derivation : what was found about the steps of a derivation by hand, if the evidence rests on one.
    version : of the claim, counted from 1; it grows when the quote, a domain or a formula changes.
    fingerprint : of the quote, the domains and the formulas.

    """

    id: str
    paper: str
    place: str
    quote: str
    kind: str
    role: str
    status: str
    readings: tuple[ReadingFinding, ...]
    consequence: str
    repair: str
    repair_status: str
    seed: int
    seconds: float
    tested_on: str = ""
    fault: str = ""
    cause: str = ""
    derivation: tuple[ReadingFinding, ...] = ()
    version: int = 1
    fingerprint: str = ""

    def __post_init__(self) -> None:
        _check_status(self.status)
        _check_status(self.repair_status or NOT_CHECKABLE)  # there may be no repair
        if self.fault and self.fault not in FAULTS:
            raise ValueError(f"fault is {self.fault!r}")

    @property
    def wrong(self) -> bool:
        """Whether the printed form fails, under at least one reading."""
        return self.status in WRONG

    @property
    def grave(self) -> bool:
        """Whether a statement or a step of a proof fails, and not only a misprint, a loose sentence or an edge."""
        return self.fault in GRAVE

    @property
    def told(self) -> str:
        """The status, with the share of the region on which there is a proof if that is not all of it.

        >>> [of.told for of in kept_findings() if of.id in ("azize-basu-2022/lem8", "hu-2021/fact17b")]
        ['verified-on-region (98.5 % of it)', 'refuted']
        """
        proven = [of for of in self.readings if of.status == self.status]
        least = min(proven, key=lambda of: float(of.evidence.get("share", 1.0)), default=None)
        return f"{self.status} ({least.percent} of it)" if least is not None and least.percent else self.status

    def __repr__(self) -> str:
        return f"<{self.id}: {self.told}>"

    def _repr_html_(self) -> str:
        return Findings([self])._repr_html_()


def status_of(role: str, readings: Sequence[ReadingFinding], derivation: Sequence[ReadingFinding]) -> str:
    """Return the status of a claim from those of its readings; a derivation with a false step refutes nothing.

    >>> read = [ReadingFinding("as printed", "", "", status, {}) for status in (REFUTED, NOT_REFUTED)]
    >>> status_of("statement", read, []), status_of("step", read[:1], []), status_of("step", read[:1], read)
    ('refuted-under-reading', 'derivation-fails', 'suspicious')
    """
    statuses = [reading.status for reading in readings]
    if any(step.status in (REFUTED, ORDER_REFUTED, SUSPICIOUS, NOT_CHECKABLE) for step in derivation):
        return SUSPICIOUS
    refuted = [status in (REFUTED, ORDER_REFUTED) for status in statuses]
    if all(refuted):
        return FAILS if role == "step" else statuses[0]
    if any(refuted):
        return UNDER_READING
    if SUSPICIOUS in statuses:
        return SUSPICIOUS
    if len(set(statuses)) == 1:
        return statuses[0]
    return ON_REGION if set(statuses) == {PROVEN, ON_REGION} else NOT_REFUTED  # no more than under every reading


SHOWN = 20
"""How many claims the text of a list names."""


class Findings(list[Finding], Result):
    """What was found about several claims, in order; `run` says how, if they come from a file.

    `unexamined` says how many more were chosen when Ctrl-C or SIGTERM ended the work.

    >>> Findings([])
    0 claims
    """

    run: Mapping[str, Any] = MappingProxyType({})
    unexamined: int = 0

    def tables(self) -> dict[str, Callable[[], list[Row]]]:
        """Return "claims", a row for every claim."""
        names = (
            "id",
            "paper",
            "place",
            "kind",
            "role",
            "status",
            "fault",
            "cause",
            "consequence",
            "repair",
            "repair_status",
            "seconds",
            "seed",
        )
        return {"claims": lambda: [{name: getattr(of, name) for name in names} | {"cite": cited(of.id)} for of in self]}

    def citations(self) -> tuple[str, ...]:
        """Return the BibTeX keys of the papers."""
        return tuple(dict.fromkeys(key for of in self if (key := cited(of.id))))

    def to_json(self) -> str:
        """Return {"schema_version", "claims": [...]} as JSON text."""
        return to_json({"claims": list(self)})

    def save_html(self, path: str | Path) -> None:
        """Write a self-contained page with a table of the claims and the evidence.

        Parameters
        ----------
        path : of the file, ending in .html or .htm.

        Raises
        ------
        PrivcheckError : a path that cannot be written.
        """
        presenting.save_page(self, path)

    def __repr__(self) -> str:
        counts = Counter(of.status for of in self)
        told = ", ".join(f"{number} {status}" for status, number in counts.items())
        headline = f"{len(self)} claim{'' if len(self) == 1 else 's'}" + (f": {told}" if told else "")
        rows = [f"  {of.id}: {of.told}" for of in list(self)[:SHOWN]]
        rest = [f"  and {len(self) - SHOWN} more"] if len(self) > SHOWN else []
        return "\n".join([headline, *rows, *rest])

    def _repr_html_(self) -> str:
        return presenting.notebook(self)


EXPECTED = "a file that `privcheck claims --json FILE` wrote"


def findings_from_json(path: str | Path) -> Findings:
    """Return the findings in a file that `privcheck claims --json` wrote.

    Raises
    ------
    PrivcheckError : a file that cannot be read or holds something else.
    """
    from privcheck.errors import PrivcheckError

    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise PrivcheckError("replay", str(path), EXPECTED, str(getattr(error, "strerror", "") or "")) from None
    return findings_from_text(text, "replay")


def findings_from_text(text: str, parameter: str = "text") -> Findings:
    """Return the findings whose `to_json` gave a text.

    Parameters
    ----------
    text : JSON.
    parameter : what a refusal names.

    Raises
    ------
    PrivcheckError : text of another kind or version.
    """
    from privcheck.errors import PrivcheckError, words
    from privcheck.schema_versions import readable_versions, version_of
    from privcheck.serialise import parsed, read_fields

    try:
        content = parsed(text)
    except (ValueError, RecursionError):
        raise PrivcheckError(parameter, words("text that is not JSON"), EXPECTED) from None
    if not isinstance(content, dict) or not isinstance(content.get("claims"), list):
        raise PrivcheckError(parameter, words("JSON of another kind"), EXPECTED, f"schema {readable_versions()}")
    if (version := version_of(content)) is None:
        got = words(f"schema_version {str(content.get('schema_version'))[:20]}")
        raise PrivcheckError(parameter, got, EXPECTED, f"this privcheck reads {readable_versions()}")
    found = Findings()
    found.run = content["run"] if isinstance(content.get("run"), dict) else {}
    for row in content["claims"]:
        try:
            found.append(read_fields(row, Finding, EXPECTED, version=version))
        except PrivcheckError:
            raise PrivcheckError(parameter, words("fields of the wrong type"), EXPECTED) from None
        _check_borne_out(found[-1], parameter)
    return found


def _check_borne_out(found: Finding, parameter: str) -> None:
    """Refuse a status that is not that of the readings, and a fault of a form that does not fail."""
    from privcheck.errors import PrivcheckError, words

    told = status_of(found.role, found.readings, found.derivation) if found.readings else "none"
    if told != found.status:
        got = words(f"{found.id}, whose status is {found.status!r}, but that of its readings together {told!r}")
        raise PrivcheckError(parameter, got, EXPECTED)
    if found.fault and not found.wrong:
        got = words(f"{found.id}, whose fault is {found.fault!r}, but its status {found.status!r}")
        raise PrivcheckError(parameter, got, EXPECTED)


KEPT = Path(__file__).parent / "claims.json"
"""What `privcheck claims` wrote when the claims were last changed; its field `run` says with which command."""


def kept_findings() -> Findings:
    """Return what the run found that is kept in the package, about all claims; nothing is examined.

    >>> {finding.id: finding.status for finding in kept_findings()}["azize-basu-2022/lem2"]
    'refuted'
    """
    return findings_from_json(KEPT)


@lru_cache(maxsize=1)
def kept_versions() -> dict[str, tuple[int, str]]:
    """Return the version and the fingerprint of each claim in the run that is kept."""
    return {finding.id: (finding.version, finding.fingerprint) for finding in kept_findings()}


def version_of_claim(name: str, fingerprint: str) -> int:
    """Return the version of a claim: that of the run that is kept, or one more if what it says has changed since.

    >>> version_of_claim("mine/step2", "0123456789ab")
    1
    """
    version, before = kept_versions().get(name, (1, fingerprint))
    return version if before in ("", fingerprint) else version + 1
