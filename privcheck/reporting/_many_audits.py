"""What many audits show together: which claims are refuted when their number is allowed for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from privcheck.declared import Real, check
from privcheck.inference import false_discovery, holm
from privcheck.reporting._text import numbers
from privcheck.results import AuditReport

LEVEL = 0.05
NAMED = 5
"""Refuted claims that a sentence names."""


@dataclass(frozen=True)
class AuditedClaim:
    """A claim that was tested.

    Parameters
    ----------
    target : what was audited, with what tells it from the others.
    p_value : of its claim.
    seed : of its audit.
    """

    target: str
    p_value: float
    seed: int | None


@dataclass(frozen=True)
class Together:
    """The adjusted p-values of several claims.

    Parameters
    ----------
    tested : the claims.
    level : of both procedures.
    holm : adjusted p-values for the family-wise error rate, valid for any dependence.
    discovery : adjusted p-values for the false discovery rate.
    independent : whether `discovery` relies on independence, because no two audits have the same seed.
    untested : further claims whose audits are not made yet.
    """

    tested: tuple[AuditedClaim, ...]
    level: float
    holm: tuple[float, ...]
    discovery: tuple[float, ...]
    independent: bool
    untested: int = 0

    @property
    def sentences(self) -> tuple[str, str]:
        """What is refuted for the family-wise error rate, and for the false discovery rate."""
        name = "Benjamini-Hochberg: no two audits have the same seed"
        if not self.independent:
            name = "Benjamini-Yekutieli: some audits have the same seed, so they may depend on each other"
        level, claims = f"{self.level:g}", f"{len(self.tested) + self.untested} claims"
        if self.untested:
            claims += f", {self.untested} of them not tested yet"
        return (
            f"Family-wise, at most {level} for any wrong refutation among {claims} (Holm): {self._refuted(self.holm)}.",
            f"False discoveries, at most {level} of the refuted claims true on average ({name}): "
            f"{self._refuted(self.discovery)}.",
        )

    def _refuted(self, adjusted: Sequence[float]) -> str:
        order = sorted(range(len(adjusted)), key=lambda i: (adjusted[i], self.tested[i].p_value))
        found = [i for i in order if adjusted[i] <= self.level]
        if not found:
            return "none refuted"
        named = [f"{numbers.clean(self.tested[i].target)} (p {numbers.p_value(adjusted[i])})" for i in found[:NAMED]]
        more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
        return f"{len(found)} refuted: {', '.join(named)}{more}"


def together(tested: Iterable[AuditedClaim], level: float = LEVEL, untested: int = 0) -> Together | None:
    """Return the adjusted p-values of several claims; None if there are fewer than two, or none was tested.

    Parameters
    ----------
    tested : all claims that were tested. Leaving out some because of their results makes the others too small.
    level : the family-wise error rate and the false discovery rate, in (0, 0.5].
    untested : further claims whose audits are planned and not made yet. Their p-values count as 1, and can only become
        smaller: what is refuted by Holm's procedure now is refuted at the end, however often it is looked at meanwhile.

    Guarantee
    ---------
    Holm's holds for any dependence. Audits with different seeds have independent runs, hence independent p-values, and
    the false discovery rate is controlled by Benjamini and Hochberg; otherwise by Benjamini and Yekutieli, for any
    dependence.

    Examples
    --------
    >>> found = together([AuditedClaim("a", 1e-6, 0), AuditedClaim("b", 0.02, 1), AuditedClaim("c", 0.9, 2)])
    >>> [round(p, 6) for p in found.holm]
    [3e-06, 0.04, 0.9]
    >>> found.independent
    True
    """
    claims = tuple(tested)
    level = check("level", level, Real(0.0, 0.5, low_open=True))
    if not claims or len(claims) + untested < 2:
        return None
    p_values = [claim.p_value for claim in claims] + [1.0] * untested
    seeds = {claim.seed for claim in claims}
    independent = None not in seeds and len(seeds) == len(claims)
    family, discovery = holm(p_values), false_discovery(p_values, independent=independent)
    first, second = (tuple(np.asarray(adjusted)[: len(claims)].tolist()) for adjusted in (family, discovery))
    return Together(claims, level, first, second, independent, untested)


def p_value_of(report: AuditReport) -> float | None:
    """Return the p-value of a report's claim; None without a claim.

    A report written before it had one says as much as its verdict: a claim is refuted at `error` or it is not, and this
    happens to a true claim with probability at most `error`. Without counted runs nothing was shown, and it is 1.

    >>> from privcheck.results._example_results import VIOLATION
    >>> p_value_of(VIOLATION) <= VIOLATION.error
    True
    """
    if report.claimed is None:
        return None
    if report.p_value is not None:
        return report.p_value
    return report.error if report.verdict == "violation" else 1.0
