"""Why one accountant is the best for a plan, in words."""

from __future__ import annotations

from collections.abc import Mapping

SAME = 1e-6
"""Bounds whose relative difference is below this are called equal."""


def reason_for(best: str, bounds: Mapping[str, float], lower: float, nothing: float, missing: str) -> str:
    """Return why an accountant is the best, and why privacy-loss distributions are not.

    Parameters
    ----------
    best : the accountant with the smallest bound.
    bounds : all of them.
    lower : the lower end of the privacy-loss distribution; 0 if there is none.
    nothing : a bound that says nothing: infinity, or 1 for a delta.
    missing : why there is no privacy-loss distribution; empty if there is one.

    Examples
    --------
    >>> reason_for("pld", {"pure": 2.0, "gdp": 1.8, "pld": 1.0}, 0.999, float("inf"), "")
    'the smallest bound; at most 0.1 % above what the dominating pairs need'
    >>> reason_for("pure", {"pure": 2.0, "pld": 2.0}, 2.5, float("inf"), "")
    'smaller than the privacy-loss distribution, because charges say more here than dominating pairs'
    >>> reason_for("rdp", {"pure": 2.0, "rdp": 1.0, "pld": float("inf")}, 0.0, float("inf"), "noise bounds rho alone")
    'there is no privacy-loss distribution, because noise bounds rho alone; of the others it is the smallest'
    """
    if missing:
        others = "" if bounds[best] >= nothing else "; of the others it is the smallest"
        return f"there is no privacy-loss distribution, because {missing}{others}"
    losses = bounds["pld"]
    if bounds[best] >= nothing:
        return "no accountant gives a bound"
    if best == "gdp" and losses <= bounds["gdp"] * (1.0 + SAME):
        return "the closed form for Gaussian noise, which is all that the dominating pairs have"
    less = lower > bounds[best] * (1.0 + SAME)  # as a charge with two amounts may be, of which each is right
    if best == "pure" and losses <= bounds["pure"] * (1.0 + SAME) and not less:
        return "the sum is as small as the bound of the privacy-loss distribution: delta gains nothing here"
    if best != "pld" or less:
        return "smaller than the privacy-loss distribution, because charges say more here than dominating pairs"
    gap = 100.0 * (bounds["pld"] - lower) / bounds["pld"] if bounds["pld"] > 0.0 else 0.0
    return f"the smallest bound; at most {max(gap, 1e-6):.2g} % above what the dominating pairs need"
