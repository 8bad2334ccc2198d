"""What an audit found."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privcheck.arrays import Table
from privcheck.inference.tradeoff import TradeoffRegion
from privcheck.privacy import Contexts
from privcheck.serialise import plain, to_json

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Estimate:
    """A number with a two-sided confidence interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Resolution:
    """What the audit could have detected at the level of its verdict.

    Parameters
    ----------
    epsilon : the largest lower bound that its counted runs could have shown (for an event that is certain on one stream
        and never seen on the other).
    mass : the smallest event probability with which they could have refuted the claim; None without a claim, above 1
        if no event could have.

    """

    epsilon: float
    mass: float | None


@dataclass(frozen=True)
class Witness:
    """Two neighbouring streams and an event by which an observer can tell them apart.

    Parameters
    ----------
    first, second : reward tables, shape (T, K).
    rounds : the rounds that differ, counted from 1.
    streams : the two streams in words.
    event : the event in words.
    more_likely : "first" or "second", the stream on which the event is more likely.
    probability_first, probability_second : the event's probability on each stream, with intervals.
    mirror : in words, an event that is more likely on the second stream, if the bound rests on both events together: a
        run in the event is evidence for the first stream, a run in `mirror` is evidence for the second.

    """

    first: Table
    second: Table
    rounds: tuple[int, ...]
    streams: str
    event: str
    more_likely: str
    probability_first: Estimate
    probability_second: Estimate
    mirror: str | None = None


@dataclass(frozen=True)
class AuditReport:
    """The result of `privcheck.audit`.

    Parameters
    ----------
    verdict : "violation": the claim is refuted at level `error`; "consistent": it is not refuted, and the resolution is
        at or above the claim; "inconclusive": there were too few runs to tell, or the audit ended early; None: no claim
        was given.
    epsilon_claimed, delta : the claim.
    epsilon_lower : lower bound on epsilon at `confidence`; None if the audit ended early. Both levels, `confidence` and
        `error`, cover the whole search, because events and streams were chosen on runs that were not counted.
    epsilon_lower_clopper_pearson : the same bound from two Clopper-Pearson limits, for comparison.
    epsilon_estimate : log-ratio of the winning event's probabilities, with its two-sided interval.
    delta_lower : lower bound on delta at the claimed epsilon, from an event chosen for it, at `confidence`; None
        without a claim. `delta_lower` and `epsilon_lower` each hold at `confidence`, but not jointly.
    resolution : what the runs could have shown.
    exact_loss : the true loss on the witness's pair, if the law of the outputs is known; None otherwise.
    witness : the two streams and the event.
    certificate : the certificate of guarded runs with the claim as budget, an upper bound if it is granted; None if the
        policy does not release through privcheck's mechanisms, or without a claim. For a shipped algorithm it covers
        the reference implementation.
    runs : runs per stream of the final pair, for learning, choosing and counting together.
    counted_runs : the number of these on which the events were counted or bet on; 0 if the audit ended before that.
    sequential : whether runs were played until the evidence sufficed; `runs` is then the largest number allowed.
    e_value : the capital won by bets on the events, if the audit was sequential or was cut short: a value of at least
        1 / error refutes the claim, whenever it is read. The lower bound then also holds at any time. None otherwise.
    tradeoff : counts of the main event's score at thresholds fixed beforehand, and the confidence region that follows
        for the trade-off between the two errors, at `confidence` by itself.
    simplest : for a violation, a simpler witness (shorter streams and, if possible, one plain event) that refuted the
        claim again at level `error` on fresh runs; None if nothing simpler did.
    simplest_lower : the lower bound that `simplest` gives by itself, at `confidence`.
    time_budget : the number of seconds that was asked for; None if none was given.
    contexts : for a contextual bandit, what the context of one round looks like.
    screened_pairs, screening_runs : the number of pairs of streams examined, and the runs (on both streams) spent on
        that.

    """

    target: str
    verdict: str | None
    epsilon_claimed: float | None
    delta: float
    epsilon_lower: float | None
    epsilon_lower_clopper_pearson: float | None
    epsilon_estimate: Estimate | None
    resolution: Resolution | None
    exact_loss: float | None
    witness: Witness | None
    certificate: Any
    runs: int
    screened_pairs: int
    screening_runs: int
    seconds: float
    engine: str
    neighbours: str
    rewards: tuple[float, float]
    observe: str
    feedback: str
    horizon: int
    arms: int
    seed: int
    confidence: float
    error: float
    counted_runs: int = 0
    sequential: bool = False
    delta_lower: float | None = None
    e_value: float | None = None
    tradeoff: TradeoffRegion | None = None
    simplest: Witness | None = None
    simplest_lower: float | None = None
    time_budget: float | None = None
    contexts: Contexts | None = None
    notes: list[str] = field(default_factory=list)

    def to_json(self) -> str:
        """Return all fields as JSON text, `schema_version` first, infinities as "inf"."""
        return to_json(self)

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain Python values."""
        return dict(plain(self))

    @classmethod
    def from_json(cls, text: str) -> AuditReport:
        """Return the report whose `to_json` gave this text, with its certificate.

        Raises
        ------
        PrivcheckError : text that is not JSON, or not a report of this version.

        """
        from privcheck.results.audit_json import read_report

        return read_report(text)

    def save_html(self, path: str | Path) -> None:
        """Write one self-contained page with the verdict, the bounds, the witness and its pictures."""
        from privcheck.reporting.pages.page_audits import save_page

        save_page([self], path)

    def plot(self, path: str | Path | None = None, *, picture: str = "bounds") -> Figure:
        """Draw one of the pictures of the page.

        Parameters
        ----------
        path : where to save it, ending in .svg or .png; None to save nothing.
        picture : "bounds" (lower bounds, estimate, claim, certified upper bound), "witness" or "trade-off".

        Returns
        -------
        The matplotlib Figure.

        Raises
        ------
        PrivcheckError : an unknown picture or path, or a picture of something that this audit does not have.

        """
        from privcheck.reporting.pictures.plot import plot_audit

        return plot_audit(self, path, picture)

    def __str__(self) -> str:
        claim = "no claim" if self.epsilon_claimed is None else f"claim epsilon = {self.epsilon_claimed:g}"
        claim += f", delta = {self.delta:g}" if self.delta else ""
        lower = "no lower bound" if self.epsilon_lower is None else f"epsilon >= {self.epsilon_lower:.3f}"
        return f"{self.target}: {self.verdict or 'measured'} ({claim}; {lower} at confidence {self.confidence:g})"
