"""What an audit found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privcheck import presenting
from privcheck.arrays import ComparedByValue, Table
from privcheck.enclosure import as_given, rounded_down
from privcheck.errors import printable
from privcheck.inference import TradeoffRegion
from privcheck.privacy import Contexts
from privcheck.results._cited_papers import papers_of
from privcheck.results._fault import Fault
from privcheck.results._law_evidence import LawEvidence
from privcheck.results._suspicion import Suspicion
from privcheck.results._verdicts import check_verdict, conditions
from privcheck.results._whole_result import WholeResult
from privcheck.serialise import plain
from privcheck.tables import Row

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
        and never seen on the other). For a claim in rho or mu, the bound that they are expected to show of Gaussian
        noise with 2.2 times the claimed rho; in reports written before schema_version 3, of such an event.
    mass : the smallest event probability with which they could have refuted the claim; None without a claim, above 1
        if no event could have.

    """

    epsilon: float
    mass: float | None


@dataclass(frozen=True)
class Search:
    """How much of the candidate pairs of streams an audit looked at.

    Parameters
    ----------
    pairs : candidate pairs of streams: those of the structured families and random ones, or the user's own pair.
    screened : candidate pairs that were played; 0 if the audit ended during the search.
    families : the families of the pairs that were played: "kind of base streams: kind of change".
    missing : the families of which no pair was played.
    equal_coins : whether the random pairs were compared with the same coins on both streams; False if the target's
        coins cannot be set, None without random pairs.

    """

    pairs: int
    screened: int
    families: tuple[str, ...]
    missing: tuple[str, ...] = ()
    equal_coins: bool | None = None

    @property
    def complete(self) -> bool:
        """Whether every family and at least nine in ten of the pairs were played, as "consistent" needs."""
        return not self.missing and 10 * self.screened >= 9 * self.pairs


@dataclass(frozen=True, eq=False)
class Witness(ComparedByValue):
    """Two neighbouring streams and an event by which an observer can tell them apart.

    Parameters
    ----------
    first, second : reward tables, shape (T, K).
    rounds : the rounds that differ, counted from 1.
    streams : the two streams in words.
    event : the event in words.
    more_likely : "first" or "second", the stream on which the event was seen more often.
    probability_first, probability_second : the event's probability on each stream, with intervals.
    mirror : in words, an event that is more likely on the other stream, if the bound rests on both events together: a
        run in the event is evidence for one stream, a run in `mirror` for the other. The event is the one of the two
        with the larger lower limit.

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

    def __repr__(self) -> str:
        return f"<Witness {printable(self.streams)}: {printable(self.event)}>"


@dataclass(frozen=True)
class AuditReport(WholeResult):
    """The result of `privcheck.audit`.

    Parameters
    ----------
    verdict : "violation": the claim is refuted at level `error`; "consistent": it is not refuted, although the search
        was complete, the resolution is at or above the claim, the outputs varied, and `epsilon_lower` is not above the
        claim; "inconclusive": one of these is missing, which a note names, or the audit ended early; None: no claim was
        given.
    epsilon_claimed, delta : the claim.
    epsilon_lower : lower bound on epsilon at `confidence`; None if the audit ended early. Both levels, `confidence` and
        `error`, cover the whole search, because events and streams were chosen on runs that were not counted.
    epsilon_lower_clopper_pearson : the same event's bound from Clopper-Pearson limits, for comparison.
    epsilon_estimate : log-ratio of the probabilities of this event, the one behind `epsilon_lower`, with its two-sided
        interval: the limits of the same test at half the level each. With a mirror image both events are counted
        together. The interval contains the value, and the value is at least the lower bounds (unless these are 0).
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
    time_budget : the number of seconds that was asked for; None if none was given. It has no part in repeating the
        audit: `pairs`, `runs` and `stop_after` say what was played.
    pairs : the number of candidate pairs that were to be screened; None for the user's own streams.
    stop_after : the number of counted runs per stream after which the audit was cut short by the user or the clock, or
        was asked to stop; None if it ended by itself.
    streams : the user's own pair as it is written in a call: a file's name in quotation marks, short arrays in full,
        "pair" for others, "neighbours_of_mine" for a function that draws pairs; None if the pair was searched for.
    contexts : for a contextual bandit, what the context of one round looks like.
    guarded : whether the policy was played under its guard, with the claim as budget.
    encode : the place of the function that read the outputs, "encode" if it has none; None if there was no function.
    accountants : the shares of delta that were asked for; None for the usual ones.
    rho, mu, tradeoff_claimed : a claim in place of epsilon: in zCDP, in Gaussian DP, or the corners of a curve.
    claim_lower : for such a claim, the lower bound on mu, on rho or on delta at `claim_epsilon`, at `confidence`; the
        witness then is the event behind it, and `resolution` is about it too. Like `delta_lower` it holds by itself.
    claim_epsilon : the epsilon at which such a claim was tested, chosen before the runs were counted.
    randomness : "seeded": equal seeds gave equal runs, which was checked; "independent": there were no seeds, the
        independence of the runs is taken on the user's word, and the audit cannot be repeated exactly.
    time_limit : the number of seconds that was allowed for a run; None for the usual limit.
    screened_pairs, screening_runs : the number of pairs of streams examined, variants of candidates among them, and the
        runs (on both streams) spent on that.
    search : how much of the candidate pairs was looked at; None in reports written before there was such a field.
    faults : for a violation, the lines of the target behind it, found by guarded runs and replays on the streams of the
        witness; empty where none could be named, which a note says, and in reports written before there was such a
        field. They have no part in the verdict.
    p_value : of the claim, from the runs that were counted; if the audit was sequential or was cut short, 1 / e_value,
        which may be read at any time. It covers the whole search, so p-values of many audits can be adjusted for their
        number: see `privcheck report`. None without a claim or without counted runs, and in reports written before
        there was such a field.
    law : the place of the function that gave the law of the outputs, "law" if it has none; None if there was no
        function. Where it was given, `exact_loss` is a lower limit of the loss by this law.
    by_law : what the law says of the pair on which its loss is largest, and whether runs follow it; None without one.
    suspicion : what speaks against the claim although counts of runs have not refuted it, so that the verdict is
        "inconclusive": a given law, or a step of the target taken by itself. None where there is nothing of the kind,
        and in reports written before there was such a field.
    messages : whether the messages of exceptions were observed.
    read_code : whether numbers of the target's code were tried as values of the data.

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
    search: Search | None = None
    pairs: int | None = None
    stop_after: int | None = None
    streams: str | None = None
    notes: list[str] = field(default_factory=list)
    guarded: bool = False
    encode: str | None = None
    accountants: dict[str, float] | None = None
    rho: float | None = None
    mu: float | None = None
    tradeoff_claimed: tuple[tuple[float, float], ...] | None = None
    claim_lower: float | None = None
    claim_epsilon: float | None = None
    faults: list[Fault] = field(default_factory=list)
    randomness: str = "seeded"
    time_limit: float | None = None
    p_value: float | None = None
    law: str | None = None
    by_law: LawEvidence | None = None
    suspicion: Suspicion | None = None
    messages: bool = False
    read_code: bool = False

    def __post_init__(self) -> None:
        check_verdict(self.verdict)

    @property
    def claimed(self) -> tuple[str, float] | None:
        """What the claim bounds, "epsilon", "mu", "rho" or "delta", and how much is claimed; None without a claim.

        A trade-off curve is tested at one epsilon, `claim_epsilon`, by the delta that it allows there.
        """
        if self.tradeoff_claimed is not None:
            from privcheck.accounting import CurveProfile

            return "delta", CurveProfile(self.tradeoff_claimed).delta_at(self.claim_epsilon or 0.0)
        amounts = {"mu": self.mu, "rho": self.rho, "epsilon": self.epsilon_claimed}
        return next(((name, amount) for name, amount in amounts.items() if amount is not None), None)

    @property
    def lower(self) -> float | None:
        """The lower bound on what the claim bounds; on epsilon without a claim; None if the audit ended early."""
        return self.epsilon_lower if self.claimed is None or self.claimed[0] == "epsilon" else self.claim_lower

    @property
    def claim_words(self) -> str:
        """The claim as it stands in a sentence; "none" without one."""
        if self.claimed is None:
            return "none"
        if self.tradeoff_claimed is not None:
            return "of the trade-off curve"
        name, amount = self.claimed
        return f"{name} = {as_given(amount)}" + (f", delta = {as_given(self.delta)}" if self.delta else "")

    @property
    def provided(self) -> tuple[str, ...]:
        """On what the verdict holds besides the runs, in sentences: above all what is taken on the user's word."""
        found = conditions(self.notes)
        if self.by_law is not None and self.by_law.decides:
            found += ("the law that was given for the outputs decides this verdict, and is taken on your word",)
        if self.randomness != "seeded":
            found += ("that the runs are independent of each other is taken on your word",)
        return found

    def tables(self) -> dict[str, Callable[[], list[Row]]]:
        """Return "audit", one row."""
        return {"audit": lambda: [self._row()]}

    def _row(self) -> Row:
        return {
            "target": self.target,
            "verdict": self.verdict,
            "epsilon_claimed": self.epsilon_claimed,
            "delta": self.delta,
            "epsilon_lower": self.epsilon_lower,
            "confidence": self.confidence,
            "p_value": self.p_value,
            "epsilon_upper": None if self.certificate is None else self.certificate.epsilon_at(self.delta),
            "resolution": None if self.resolution is None else self.resolution.epsilon,
            "exact_loss": self.exact_loss,
            "streams": None if self.witness is None else self.witness.streams,
            "event": None if self.witness is None else self.witness.event,
            "runs": self.runs,
            "seconds": self.seconds,
            "seed": self.seed,
            "provided": "; ".join(self.provided),
        }

    def citations(self) -> tuple[str, ...]:
        """Return the BibTeX keys of the papers that a shipped algorithm comes from."""
        return papers_of([self.target])

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain Python values."""
        return dict(plain(self))

    def save_html(self, path: str | Path) -> None:
        """Write one self-contained page with the verdict, the bounds, the witness and its pictures."""
        presenting.save_page(self, path)

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
        return presenting.plot(self, path, picture=picture)

    def __repr__(self) -> str:
        return f"<AuditReport {self}>"

    def _repr_html_(self) -> str:
        return presenting.notebook(self)

    def __str__(self) -> str:
        claim = "no claim" if self.claimed is None else f"claim {self.claim_words}"
        name = "epsilon" if self.claimed is None else self.claimed[0]
        lower = "no lower bound" if self.lower is None else f"{name} >= {rounded_down(self.lower)}"
        if self.claimed is None and self.delta and self.lower is not None:
            lower += f" at delta = {self.delta:g}"
        blind = ", no power here" if self.verdict == "consistent" and not self.lower else ""
        told = f"{self.verdict or 'measured'}{blind} ({claim}; {lower} at confidence {self.confidence:.15g})"
        at = f"; at fault: {', '.join(fault.place for fault in self.faults)}" if self.faults else ""
        certified: Any = self.certificate
        found = certified is not None and certified.is_refused
        refused = "; certificate refused" if found and self.verdict != "violation" else ""
        return f"{printable(self.target)}: {told}{printable(at)}{refused}"
