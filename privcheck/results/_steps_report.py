"""What is known of the noisy steps of a target: calls that draw, and how well one of them alone is told apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from privcheck import presenting
from privcheck.results._audit_report import Estimate
from privcheck.results._law_evidence import LawEvidence
from privcheck.results._suspicion import Suspicion
from privcheck.results._whole_result import WholeResult
from privcheck.serialise import to_json
from privcheck.tables import Row

ISOLATED, LATER, STILL = "isolated", "after draws that could not be forced", "no argument moves"
"""The standing of a step: it can be played alone; its arguments may move with what was released before; nothing to play
alone, because the data come in after the draw, or in the target itself.
"""

GIVEN = ("by_law", "released", "is_released", "undecided")
"""Fields that are None unless a law is given, something is said to be released, or the best step is undecided."""


@dataclass(frozen=True)
class NoisyStep:
    """A function of the target that draws random numbers.

    Parameters
    ----------
    function : its name.
    place : file and line.
    standing : "isolated", "after draws that could not be forced", "no argument moves" or "not recorded".
    moves : the arguments that differ between neighbours, although what was released before is the same.
    pairs : pairs of neighbours on which they do.
    """

    function: str
    place: str
    standing: str
    moves: tuple[str, ...] = ()
    pairs: int = 0


@dataclass(frozen=True)
class StepBound:
    """How well one call alone is told apart on two recorded inputs.

    Parameters
    ----------
    function, place : of the step.
    streams : the neighbours whose runs made the call, in words.
    first, second : the arguments that differ, on each of them.
    event : of the call's output, in words; None if no run was counted.
    more_likely : "first" or "second", the input on which the event was seen more often.
    probability_first, probability_second : the event's probability on each input, with intervals.
    epsilon_lower : the lower bound on the loss of the call between the two inputs, at `confidence`.
    runs : of the call on each input.
    """

    function: str
    place: str
    streams: str
    first: str
    second: str
    event: str | None
    more_likely: str | None
    probability_first: Estimate | None
    probability_second: Estimate | None
    epsilon_lower: float | None
    runs: int


@dataclass(frozen=True)
class StepsReport(WholeResult):
    """What is known of the noisy steps of a target.

    Parameters
    ----------
    target : its name.
    epsilon_claimed, delta : the claim; None to measure without one.
    confidence, error : the level of `best.epsilon_lower`, and that at which a step is suspected.
    neighbours, rewards, feedback, arms, horizon, seed : what was played.
    steps : what draws: the isolated steps first.
    best : the step that is told apart best; None if none could be played alone.
    suspicion : if that step alone is told apart better than the claim allows: of kind "step" by counts of its runs, of
        kind "law" only by the law that was given for it.
    pairs, runs : pairs of neighbours that were looked at, and runs of the whole target for it.
    provided : what all of it rests on.
    notes : what is worth knowing besides.
    seconds : that it took.
    by_law : what a given law says of the best step, and whether its runs follow the law.
    released : the part of the output that was said to release the step.
    is_released : whether the target shows there which values are forced on a suspected step; None if it was not tried.
    undecided : why the runs of the best step do not tell whether it keeps the claim, in words; None if they do.

    Guarantee
    ---------
    A suspicion names a call and two recorded inputs between which that call alone is told apart: with probability at
    most `error` the loss of the call between them is at most epsilon. It says nothing of the target, whose output may
    hide the call, and whose neighbours may seldom make it with these inputs. Bounds of several steps are not added up.
    """

    target: str
    epsilon_claimed: float | None
    delta: float
    confidence: float
    error: float
    neighbours: str
    rewards: tuple[float, float]
    feedback: str
    arms: int
    horizon: int
    seed: int
    steps: tuple[NoisyStep, ...]
    best: StepBound | None
    suspicion: Suspicion | None
    pairs: int
    runs: int
    provided: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=(), repr=False)
    seconds: float = 0.0
    by_law: LawEvidence | None = None
    released: str | None = None
    is_released: bool | None = None
    undecided: str | None = None

    @property
    def outcome(self) -> str:
        """What was found: "suspicion", "another law" than that which was given, "undecided", "isolated" or "nothing to
        isolate".

        >>> from privcheck.results._example_results import STEPS
        >>> STEPS.outcome
        'suspicion'
        """
        if self.suspicion is not None:
            return "suspicion"
        if self.by_law is not None and not self.by_law.follows:
            return "another law"
        if self.best is None:
            return "nothing to isolate"
        return "isolated" if self.undecided is None else "undecided"

    def tables(self) -> dict[str, Callable[[], list[Row]]]:
        """Return "steps", a row for each function that draws."""
        return {"steps": lambda: [vars(step) | {"moves": ", ".join(step.moves)} for step in self.steps]}

    def to_json(self) -> str:
        """Return all fields as JSON text; those of a law and of a release where one was given."""
        return to_json({name: value for name, value in vars(self).items() if name not in GIVEN or value is not None})

    def save_html(self, path: str | Path) -> None:
        """Write one self-contained page about it."""
        presenting.save_page(self, path)

    def __repr__(self) -> str:
        """Show the target and what was found, not all fields.

        >>> from privcheck.results._example_results import STEPS
        >>> STEPS
        <StepsReport fit.py:fit: suspicion: add_noise at fit.py:9>
        """
        drawing = ", ".join(step.place for step in self.steps) or "nothing that draws"
        place = drawing if self.suspicion is None else self.suspicion.place
        return f"<StepsReport {self.target}: {self.outcome}: {place}>"

    def _repr_html_(self) -> str:
        return presenting.notebook(self)
