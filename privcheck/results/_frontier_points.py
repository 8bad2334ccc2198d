"""Regret against epsilon: what policies lose at several budgets, beside the theory, and how private each was found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast

from privcheck import presenting
from privcheck.errors import PrivcheckError
from privcheck.results._cited_papers import papers_of
from privcheck.results._verdicts import CONSISTENT, ROUNDING, VIOLATION, check_claims, check_levels, check_verdict
from privcheck.schema_versions import version_of
from privcheck.serialise import ILL_TYPED, parsed, revived, to_json, well_typed
from privcheck.tables import Result, Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SETTING = ("environment", "means", "arms", "horizon", "seed", "confidence")
"""The fields of a frontier that its JSON has under "frontier"."""

AUDIT_ERROR = 1e-3
"""The level at which the audits of a frontier refute a claim: that of `privcheck.audit`."""


@dataclass(frozen=True)
class FrontierPoint:
    """One policy at one budget.

    Parameters
    ----------
    policy : its name, without the budget.
    epsilon : the claim, with which it was built, simulated, audited and certified; None for one in rho or mu, and for
        a policy that takes no budget.
    mean, se, q05, q95 : of the final pseudo-regret; `se` is None for one run.
    runs : independent runs.
    epsilon_lower : audited lower bound at the frontier's confidence; None without an audit.
    verdict : of the audit; None without one.
    epsilon_upper : certified upper bound; None unless the certificate was granted.
    delta : of the claim and of both bounds.
    rho, mu : the claim, in place of epsilon.
    claim_lower, claim_upper : the bounds of a claim in rho or mu, in the same unit.
    p_value : of the claim, by its audit; None without one, and in files that were written before there was this field.
    """

    policy: str
    epsilon: float | None
    mean: float
    se: float | None
    q05: float
    q95: float
    runs: int
    epsilon_lower: float | None = None
    verdict: str | None = None
    epsilon_upper: float | None = None
    delta: float = 0.0
    rho: float | None = None
    mu: float | None = None
    claim_lower: float | None = None
    claim_upper: float | None = None
    p_value: float | None = None

    def __post_init__(self) -> None:
        check_verdict(self.verdict)

    @property
    def budget(self) -> float | None:
        """The claim in its own unit; None for a policy that takes no budget."""
        return next((each for each in (self.epsilon, self.rho, self.mu) if each is not None), None)

    @property
    def counted_p_value(self) -> float | None:
        """The p-value of the claim among others; without one in the file, what its verdict is worth as a p-value.

        >>> FrontierPoint("one", 1.0, 5.0, 0.1, 4.0, 6.0, 9, 2.0, "violation").counted_p_value
        0.001
        """
        if self.verdict is None or self.p_value is not None:
            return self.p_value
        return AUDIT_ERROR if self.verdict == VIOLATION else 1.0

    @property
    def lower(self) -> float | None:
        """The audited lower bound in the unit of the claim."""
        return self.epsilon_lower if self.epsilon is not None else self.claim_lower

    @property
    def upper(self) -> float | None:
        """The certified upper bound in the unit of the claim."""
        return self.epsilon_upper if self.epsilon is not None else self.claim_upper


@dataclass(frozen=True)
class FrontierBound:
    """The theory at one budget.

    Parameters
    ----------
    epsilon : the budget.
    lower : the largest asymptotic lower bound, its constant times ln T: not a bound at T. None if there is none.
    lower_id : id of its theorem.
    upper : the smallest proven upper bound at T, of the algorithm that its theorem is about; T times the largest gap,
        which no regret exceeds, if that is smaller; None if there is none.
    upper_id : id of its theorem, or "trivial/horizon-times-gap".
    """

    epsilon: float
    lower: float | None
    lower_id: str | None
    upper: float | None
    upper_id: str | None


@dataclass(frozen=True)
class Frontier(Result):
    """The result of `privcheck.frontier`.

    Parameters
    ----------
    environment : id of the environment.
    means, arms : mean rewards of the arms, and their names if they have any.
    horizon, seed : what was run.
    confidence : of every audited lower bound on its own.
    points : one for each policy and budget.
    bounds : the theory on a grid of budgets; empty if `bounds` has no family of such rewards.
    remarks : policies with fewer runs, without an audit or a certificate, or of another notion of privacy, in words.
    shuffle_arms : whether the arms were in a random order in every simulated run.
    labels : the label and the name of every policy, if labels were given; points and remarks have the labels.
    """

    environment: str
    means: tuple[float, ...]
    arms: tuple[str, ...]
    horizon: int
    seed: int
    confidence: float
    points: tuple[FrontierPoint, ...] = field(repr=False)
    bounds: tuple[FrontierBound, ...] = field(repr=False)
    remarks: tuple[str, ...] = field(default=(), repr=False)
    shuffle_arms: bool = False
    labels: tuple[tuple[str, str], ...] = ()

    @property
    def policies(self) -> tuple[str, ...]:
        """The names of the policies, in the order given."""
        return tuple(dict.fromkeys(point.policy for point in self.points))

    @property
    def unit(self) -> str:
        """What the budgets are: "epsilon", "rho" or "mu"."""
        units = ("rho", "mu")
        return next((unit for unit in units for each in self.points if getattr(each, unit) is not None), "epsilon")

    @property
    def claim(self) -> str:
        """The unit in words, with the delta of all budgets."""
        delta = max((point.delta for point in self.points), default=0.0)
        return f"{self.unit} at delta = {delta:g}" if delta else self.unit

    def tables(self) -> dict[str, Callable[[], list[Row]]]:
        """Return "points", a row for every policy and budget, and "bounds", a row for every budget of the grid."""
        return {
            "points": lambda: [asdict(point) for point in self.points],
            "bounds": lambda: [asdict(bound) for bound in self.bounds],
        }

    def printed_columns(self) -> dict[str, str]:
        """Return the columns behind the headings "audited", "certified" and, as it was once called, "claim"."""
        prefix = "epsilon" if self.unit == "epsilon" else "claim"
        return {"audited": f"{prefix}_lower", "certified": f"{prefix}_upper", "claim": "verdict"}

    def citations(self) -> tuple[str, ...]:
        """Return the BibTeX keys of the papers that the policies come from."""
        return papers_of(map(self.name_of, self.policies))

    def name_of(self, policy: str) -> str:
        """Return the id of a shipped policy, or the name of another, that has a label."""
        return dict(self.labels).get(policy, policy)

    def to_json(self) -> str:
        """Return all fields as JSON text.

        "shuffle_arms" and "labels" are there if they were asked for, "p_value" in points that were audited.
        """
        own = {name: getattr(self, name) for name in SETTING} | ({"shuffle_arms": True} if self.shuffle_arms else {})
        own |= {"labels": dict(self.labels)} if self.labels else {}
        points = [{name: v for name, v in row.items() if (name, v) != ("p_value", None)} for row in self.rows("points")]
        rows = {"points": points, "bounds": self.rows("bounds")}
        return to_json({"frontier": own} | rows | {"remarks": self.remarks})

    @staticmethod
    def from_json(text: str) -> Frontier:
        """Return the frontier whose `to_json` wrote a text.

        Raises
        ------
        PrivcheckError : text that is no frontier.
        """
        try:
            found = parsed(text)
            if version_of(found) is None:
                raise ValueError(f"schema_version {found['schema_version']}")
            own = {name: found["frontier"][name] for name in SETTING}
            own["shuffle_arms"] = found["frontier"].get("shuffle_arms", False)
            own["labels"] = [list(pair) for pair in found["frontier"].get("labels", {}).items()]
            rows = {name: found[name] for name in ("points", "bounds", "remarks")}
            return _checked(well_typed(cast("Frontier", revived(own | rows, Frontier))))
        except (RecursionError, *ILL_TYPED) as error:
            raise PrivcheckError("json", "a text", "the JSON of a frontier", str(error)) from None

    def plot(self, path: str | Path | None = None) -> Figure:
        """Draw regret against epsilon.

        A point is the mean regret of a policy with the budget that it claims, with a bar from the 5 to the 95 %
        quantile. The horizontal line through it is what is known of its true epsilon: from the audited lower bound to
        the certified upper bound, or to an arrow without a certificate.

        Parameters
        ----------
        path : where to save it, ending in .png or .svg; None to save nothing.

        Returns
        -------
        The matplotlib Figure.

        Raises
        ------
        PrivcheckError : matplotlib missing, a path that cannot be written.
        """
        return presenting.plot(self, path)

    def save_html(self, path: str | Path) -> None:
        """Write a self-contained page with the picture and the tables; see `privcheck.reporting`.

        Parameters
        ----------
        path : of the file, ending in .html or .htm.

        Raises
        ------
        PrivcheckError : matplotlib missing, a path that cannot be written.
        """
        presenting.save_page(self, path)


def _checked(found: Frontier) -> Frontier:
    """Refuse a frontier with numbers that none has, or with an acquittal that its bound speaks against."""
    check_levels(confidence=found.confidence)
    for point in found.points:
        check_claims([point.epsilon, point.rho, point.mu], least=0)
        budget, lower, p = point.budget, point.lower, point.p_value
        if p is not None and (point.verdict is None or not 0.0 <= p <= 1.0):
            raise ValueError(f"verdict is {point.verdict}, and p_value {p}")
        if point.runs < 1 or (point.se is not None and point.se < 0) or point.q05 > point.q95:
            raise ValueError(f"regret is {point.mean} from {point.q05} to {point.q95}, of {point.runs} runs")
        if not 0.0 <= point.delta < 1.0 or (budget is not None and budget < 0):
            raise ValueError(f"the budget is {budget} at delta {point.delta}")
        if budget is None or lower is None or point.verdict != CONSISTENT:
            continue
        if lower > budget + ROUNDING * max(1.0, budget):
            raise ValueError(f"verdict is {point.verdict} with {budget}, but the lower bound is {lower}")
    return found
