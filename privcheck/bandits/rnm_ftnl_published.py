"""RNM-FTNL exactly as printed: a known violation for audits to find."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from privcheck.bandits.audit_setting import AuditSetting
from privcheck.bandits.base import arms_parameter, epsilon_parameter
from privcheck.bandits.rnm_ftnl import RNMFTNL
from privcheck.mechanisms import NoisyMax


@dataclass(frozen=True)
class RNMFTNLPublished(RNMFTNL):
    r"""RNM-FTNL exactly as published, with Laplace scale 1 / epsilon: only 2 epsilon-DP.

    Parameters
    ----------
    arms : K >= 2.
    epsilon : the budget that the paper claims, > 0.

    Guarantee
    ---------
    The paper claims epsilon-DP (Theorem 8) by an argument for counts that all move in the same direction. Replacing a
    reward vector moves sums both ways: the range of score differences is 2, the scale is 1 / epsilon, and the algorithm
    is exactly 2 epsilon-DP (a supremum, which for K >= 3 even short epochs approach). With one entry replaced it is
    epsilon-DP. It is shipped so that audits have a published violation to find; use `rnm-ftnl` instead.

    Source
    ------
    Hu, Huang, Mehta and Hegde, Algorithm 4 and Theorem 8 (as printed).

    Examples
    --------
    >>> RNMFTNLPublished(arms=4, epsilon=1.0).mechanism().scale
    1.0

    """

    arms: int = arms_parameter()
    epsilon: float = epsilon_parameter()

    id: ClassVar[str] = "rnm-ftnl-published"
    source: ClassVar[str] = "Hu, Huang, Mehta and Hegde, Algorithm 4 as printed, Theorem 8 (refuted)"
    audit_setting: ClassVar[AuditSetting | None] = AuditSetting(runs=400_000, arms=4, horizon=8)

    def mechanism(self) -> NoisyMax:
        return NoisyMax.with_scale(1.0 / self.epsilon)
