"""LinUCB on sums with Wishart noise, without the shift."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from privcheck.bandits.audit_setting import AuditSetting
from privcheck.bandits.lin_ucb_wishart import LinUCBWishart, near_a_tie


@dataclass(frozen=True)
class LinUCBWishartUnshifted(LinUCBWishart):
    r"""LinUCB on prefix sums of (x, y)(x, y)' with Wishart noise from which nothing is subtracted.

    It is `lin-ucb-wishart` with c = 0: rho_min = Ltilde^2 (q - s)^2 and rho_max = Ltilde^2 (q + s)^2. With published
    noise its regulariser is larger by about Ltilde^2 m k; with calibrated noise c usually is 0 anyway.

    Parameters
    ----------
    arms, features, epsilon, delta, horizon, noise, context_norm, reward_bound, sigma, theta_norm, outside : as for
        `lin-ucb-wishart`.

    Guarantee
    ---------
    (epsilon, delta)-joint DP, for the same neighbours, releases and reasons as `lin-ucb-wishart`: the shift is a
    constant, so leaving it out is post-processing. Ties within 1e-9 go to the lowest action.

    Source
    ------
    Shariff and Sheffet 2018, Section 4.1 and appendix D.2, "WishartUnshifted".

    Examples
    --------
    >>> spec = {"arms": 4, "features": 2, "epsilon": 1.0, "delta": 0.1, "horizon": 1000, "noise": "published"}
    >>> unshifted, shifted = LinUCBWishartUnshifted(**spec), LinUCBWishart(**spec)
    >>> unshifted.mechanism == shifted.mechanism, round(unshifted.bounds.rho_min / shifted.bounds.rho_min, 1)
    (True, 24.6)

    """

    id: ClassVar[str] = "lin-ucb-wishart-unshifted"
    source: ClassVar[str] = "Shariff and Sheffet 2018, Section 4.1 and appendix D.2"
    shifted: ClassVar[bool] = False
    audit_setting: ClassVar[AuditSetting | None] = AuditSetting(
        runs=400_000, horizon=2, rewards=(-1.0, 1.0), streams=near_a_tie
    )
