"""What was found to fix in a bandit's source, and the patches that were certified and priced."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from privcheck import presenting
from privcheck.accounting import Pure
from privcheck.errors import PrivcheckError, words
from privcheck.results._certificate import Certificate
from privcheck.results._whole_result import WholeResult
from privcheck.tables import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RECOMMENDED, CERTIFIED_TOO, STOPS_LEARNING = "recommended", "certified", "not recommended"
NOT_CERTIFIED, WITHDRAWN = "not certified", "withdrawn"
"""What may be said of a patch: the first by regret of those that learn, another one of them, one that is certified and
stops learning, or whose regret could not be measured, one in which guarded runs found nothing and of which no
certificate was made, because others come first or the time was over, and one that the search let pass and the judge did
not.
"""

STANDINGS = (RECOMMENDED, CERTIFIED_TOO, STOPS_LEARNING, NOT_CERTIFIED, WITHDRAWN)

NOTHING_TO_FIX, FIXED, NONE_LEARNS, NOTHING_CERTIFIES = "nothing to fix", "fixed", "none learns", "nothing certifies"
"""What came out of it all."""


@dataclass(frozen=True)
class FixFinding:
    """What the first look at the source found.

    Parameters
    ----------
    kind : that of the leak; "first", "again" or "other" of a refused release: it alone exceeds the budget, it does with
        what was charged before, or it cannot be charged; "uncounted", "failure" or "time" where nothing could be seen.
    file, line, code : where it was found, and the source line; empty and 0 where that is not known.
    sentence : what it is, in words.
    """

    kind: str
    file: str
    line: int
    code: str
    sentence: str


@dataclass(frozen=True)
class FixEdit:
    """One edit of a patch.

    Parameters
    ----------
    name : what it does, in a few words.
    family : "noise", "structure" or "universal".
    argument : why it is right, in one sentence. The certificate decides, not the sentence.
    line : of the source, where it was made.
    """

    name: str
    family: str
    argument: str
    line: int


@dataclass(frozen=True)
class PlaceRegret:
    """The pseudo-regret of a policy in one environment.

    Parameters
    ----------
    place : the environment, in words.
    mean, se : mean pseudo-regret after the last round, and its standard error; 0 where it is computed.
    share : the mean as a share of that of the uniform policy.
    late : the same of the last third of the rounds. About 0 has learned, 1 plays as if it had learned nothing.
    """

    place: str
    mean: float
    se: float
    share: float
    late: float


@dataclass(frozen=True)
class PolicyRegret:
    """The pseudo-regret of a policy in all environments.

    Parameters
    ----------
    policy : "original", "patch 1" and so on, "uniform", or the id of a shipped algorithm.
    runs : in each environment; 0 where it is computed.
    places : one for each environment.
    """

    policy: str
    runs: int
    places: tuple[PlaceRegret, ...]

    @property
    def share(self) -> float:
        """Regret as a share of the uniform policy's, averaged over the environments."""
        return sum(place.share for place in self.places) / len(self.places)


@dataclass(frozen=True)
class FixPatch:
    """A patch that passed the search.

    Parameters
    ----------
    number : from 1, in the order in which they are listed: the recommended one first.
    standing : "recommended", "certified", "not recommended" (it is certified, and stops learning or
        could not be measured), "not certified"
        (guarded runs found nothing, and no certificate was made: `why` says why not) or "withdrawn".
    why : why it is not recommended, was not certified or was withdrawn; empty for the others.
    edits : what it consists of.
    diff : what it changes, as a unified diff for `git apply`.
    text : the whole file.
    certificate : of the patched code, at the setting that was asked for; None if none was granted.
    settings : the further settings in which guarded runs found nothing, in words.
    epsilon_lower : what a statistical audit of the patched code gives as lower bound on epsilon; None if not audited.
    audit_runs, audit_rounds : runs per stream of that audit, and rounds of each run.
    audit_confidence : of that lower bound.
    audit_releases : whether anything is released in so many rounds; otherwise the audit says nothing of the noise.
    regret : in the same environments, and with the same rewards, as that of the original; None if it was withdrawn.
    regret_ratio : regret over that of the original, averaged over the environments in which the original learns; None
        if it learns in none of them.
    """

    number: int
    standing: str
    why: str
    edits: tuple[FixEdit, ...]
    diff: str = field(repr=False)
    text: str = field(repr=False)
    certificate: Certificate | None = field(default=None, repr=False)
    settings: tuple[str, ...] = ()
    epsilon_lower: float | None = None
    audit_runs: int = 0
    audit_rounds: int = 0
    audit_releases: bool = True
    audit_confidence: float = 0.999
    regret: PolicyRegret | None = None
    regret_ratio: float | None = None

    def __post_init__(self) -> None:
        if self.standing not in STANDINGS:
            raise ValueError(f"standing is {self.standing[:40]!r}")

    @property
    def is_certified(self) -> bool:
        """Whether its certificate is granted and nothing that was tried afterwards speaks against it."""
        return self.standing in (RECOMMENDED, CERTIFIED_TOO, STOPS_LEARNING)

    @property
    def stops_learning(self) -> bool:
        """Whether its regret was measured, and says that it stops learning."""
        return self.why.startswith("it stops learning")

    @property
    def by_targeted_edits(self) -> bool:
        """Whether it consists of edits for what was found, without those that fit any bandit."""
        return all(edit.family != "universal" for edit in self.edits)

    @property
    def changed_lines(self) -> tuple[int, int]:
        """How many lines it adds and takes away."""
        lines = self.diff.split("\n")[3:]
        return sum(line.startswith("+") for line in lines), sum(line.startswith("-") for line in lines)


@dataclass(frozen=True)
class Fix(WholeResult):
    """The result of `privcheck.fix`.

    Parameters
    ----------
    target : the file and the class.
    epsilon, arms, horizon, rewards, seed : the setting that was asked for.
    outcome : "nothing to fix", "fixed" (there is a recommended patch), "none learns" (patches are certified, and
        none is known to learn: each stops learning, or its regret could not be measured) or "nothing certifies".
    finding : what the first look at the original found; None if it found nothing.
    patches : those that passed the search, the recommended one first, then by regret, then those that are not
        recommended, those that were not certified, and those that were withdrawn.
    original : the regret of the original; None if nothing was priced.
    others : the regret of the uniform policy, and of shipped algorithms with the same budget.
    rounds : of each run by which regret was measured.
    certificate : of the original; None where a finding made one superfluous.
    tried : the names of the edits of each text that was looked at.
    refused : what was found in each of them, in words; an empty text where nothing was.
    looks : how many texts were looked at.
    seconds : CPU seconds of search and judgement, and of the measurement of regret.
    sha256 : of the file as it was read.
    notes : what is worth knowing besides.

    Guarantee
    ---------
    For the patched code, that of its certificate, and no more: for the code as it is written there, under the guard.
    Nothing is proved of its regret, which is measured in the environments that are named.
    """

    target: str
    epsilon: float
    arms: int
    horizon: int
    rewards: tuple[float, float]
    seed: int
    outcome: str
    finding: FixFinding | None
    patches: tuple[FixPatch, ...] = field(repr=False)
    original: PolicyRegret | None = field(default=None, repr=False)
    others: tuple[PolicyRegret, ...] = field(default=(), repr=False)
    rounds: int = 0
    certificate: Certificate | None = field(default=None, repr=False)
    tried: tuple[tuple[str, ...], ...] = field(default=(), repr=False)
    refused: tuple[str, ...] = field(default=(), repr=False)
    looks: int = 0
    seconds: tuple[float, float] = field(default=(0.0, 0.0), repr=False)
    sha256: str = field(default="", repr=False)
    notes: tuple[str, ...] = field(default=(), repr=False)

    @property
    def recommended(self) -> FixPatch | None:
        """The patch to apply; None if there is none.

        >>> from privcheck.results._example_results import FIXED_BANDIT
        >>> FIXED_BANDIT.recommended.edits[0].name
        'noisy-rewards'
        """
        return next((patch for patch in self.patches if patch.standing == RECOMMENDED), None)

    @property
    def certified(self) -> tuple[FixPatch, ...]:
        """The patches that are certified, whether they learn or not."""
        return tuple(patch for patch in self.patches if patch.is_certified)

    def tables(self) -> dict[str, Callable[[], list[Row]]]:
        """Return "patches", a row for each patch, and "regret", a row for each policy in each environment."""
        return {"patches": lambda: [_patch_row(patch) for patch in self.patches], "regret": self._regret_rows}

    def _regret_rows(self) -> list[Row]:
        measured = [self.original, *(patch.regret for patch in self.patches), *self.others]
        return [
            {"policy": each.policy, "runs": each.runs, **vars(place)}
            for each in measured
            if each is not None
            for place in each.places
        ]

    @classmethod
    def from_json(cls, text: str) -> Fix:
        """Return the result whose `to_json` gave this text.

        Raises
        ------
        PrivcheckError : text that is not JSON, or no such result, or one that contradicts itself.
        """
        found = super().from_json(text)
        if why := _contradicts_itself(found):
            raise PrivcheckError("text", words(f"a fix of which {why}"), "what Fix.to_json wrote")
        return found

    def save_html(self, path: str | Path) -> None:
        """Write one self-contained page: the finding, the diffs, the certificate and the regret."""
        presenting.save_page(self, path)

    def plot(self, path: str | Path | None = None) -> Figure:
        """Draw the regret of the original and of the patches, and save the picture if there is a path."""
        return presenting.plot(self, path)

    def _repr_html_(self) -> str:
        return presenting.notebook(self)


def _patch_row(patch: FixPatch) -> Row:
    added, taken = patch.changed_lines
    upper = None if patch.certificate is None else patch.certificate.epsilon_upper
    return {
        "patch": patch.number,
        "standing": patch.standing,
        "edits": ", ".join(edit.name for edit in patch.edits),
        "lines_added": added,
        "lines_removed": taken,
        "epsilon_upper": upper,
        "epsilon_lower": patch.epsilon_lower,
        "regret": None if patch.regret is None else patch.regret.share,
        "regret_ratio": patch.regret_ratio,
        "why": patch.why,
    }


def _contradicts_itself(found: Fix) -> str:
    """Return what is said of a fix that nothing else in it bears out; an empty text if there is no such thing."""
    if found.outcome not in (NOTHING_TO_FIX, FIXED, NONE_LEARNS, NOTHING_CERTIFIES):
        return f"the outcome is {found.outcome[:40]!r}"
    standings = {patch.standing for patch in found.patches}
    if (found.outcome == FIXED) != (RECOMMENDED in standings):
        return f"the outcome is {found.outcome!r}, and its patches say otherwise"
    if found.outcome == NOTHING_TO_FIX and (
        found.finding or found.patches or not _is_granted(found.certificate, found)
    ):
        return "the outcome is 'nothing to fix', and no certificate of the original says so"
    for patch in found.patches:
        if patch.is_certified and not _is_granted(patch.certificate, found):
            return f"patch {patch.number} stands as {patch.standing!r}, with no certificate for this epsilon"
        if patch.is_certified and patch.epsilon_lower is not None and patch.epsilon_lower > found.epsilon:
            return f"patch {patch.number} stands as {patch.standing!r}, and an audit refutes it"
    return ""


def _is_granted(certificate: Certificate | None, found: Fix) -> bool:
    return certificate is not None and certificate.granted and certificate.budget == Pure(found.epsilon)
