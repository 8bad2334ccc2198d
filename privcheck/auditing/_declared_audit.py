"""A declared audit: a target, its claim, how it is audited, and what is expected of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from privcheck.auditing._audit import audit
from privcheck.bandits import ALGORITHMS, AuditSetting
from privcheck.results import AuditReport


@dataclass(frozen=True)
class DeclaredAudit:
    """What is claimed for a target, on which streams it is audited, and the verdict that is expected.

    Parameters
    ----------
    target : a shipped id, or the location of a factory.
    epsilon : the claim; None for one in rho or mu, which is among the options.
    expected : "consistent" or "violation".
    runs : runs per stream of the final pair, all folds together; None for those of the algorithm's setting.
    options : further arguments of `privcheck.audit`, such as arms and horizon; a shipped id has those of its setting.
    least_lower_bound : the smallest lower bound that is acceptable: an audit with a low bound proves little.

    Examples
    --------
    >>> declared = DeclaredAudit("rnm-ftnl-published", 1.0, "violation", 20_000, {"arms": 4, "horizon": 4})
    >>> declared.as_expected(declared.run())
    True
    """

    target: str
    epsilon: float | None
    expected: str
    runs: int | None = None
    options: dict[str, Any] = field(default_factory=dict)
    least_lower_bound: float = 0.0

    def run(self, *, runs: int | None = None, seed: int = 0, jobs: int = 1) -> AuditReport:
        """Run the audit; `runs` overrides the declared number of runs."""
        return audit(self.target, epsilon=self.epsilon, runs=runs or self.number, seed=seed, jobs=jobs, **self.played)

    @property
    def number(self) -> int | None:
        """The number of runs: as declared here, or in the setting of a shipped id."""
        return self.runs or (self.setting.runs if self.setting is not None else None)

    @property
    def setting(self) -> AuditSetting | None:
        """The setting that a shipped id declares."""
        name = self.target.partition("(")[0]
        return ALGORITHMS[name].audit_setting if name in ALGORITHMS else None

    @property
    def played(self) -> dict[str, Any]:
        """All options: those of the setting, and the declared ones."""
        return (self.setting.options if self.setting is not None else {}) | self.options

    def as_expected(self, report: AuditReport) -> bool:
        """Tell whether the verdict is the expected one and the lower bound is large enough."""
        lower = -math.inf if report.lower is None else report.lower  # in the notion of the claim
        return report.verdict == self.expected and lower >= self.least_lower_bound
