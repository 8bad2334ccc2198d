"""What the runs of an audit decided."""

from __future__ import annotations

from dataclasses import dataclass

from privcheck.inference import TradeoffRegion
from privcheck.results._audit_report import Estimate, Resolution, Witness
from privcheck.results._suspicion import Suspicion


@dataclass(frozen=True)
class Outcome:
    """The part of an `AuditReport` that the search and the counted runs determine; that class describes the fields.

    An audit that ended before any runs were counted has the defaults: no bound and no witness. `refused_pairs` are the
    random pairs on which the target raised an error.
    """

    verdict: str | None
    screened_pairs: int
    screening_runs: int
    refused_pairs: int = 0
    counted_runs: int = 0
    stop_after: int | None = None
    epsilon_lower: float | None = None
    epsilon_lower_clopper_pearson: float | None = None
    epsilon_estimate: Estimate | None = None
    delta_lower: float | None = None
    e_value: float | None = None
    p_value: float | None = None
    tradeoff: TradeoffRegion | None = None
    resolution: Resolution | None = None
    witness: Witness | None = None
    simplest: Witness | None = None
    simplest_lower: float | None = None
    claim_lower: float | None = None
    claim_epsilon: float | None = None
    suspicion: Suspicion | None = None
    notes: tuple[str, ...] = ()
