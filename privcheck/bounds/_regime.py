"""Privacy regime of an instance: whether privacy or the noise of the rewards makes the arms hard to distinguish."""

from __future__ import annotations

import math
from dataclasses import dataclass

from privcheck.bounds._instance import Instance
from privcheck.errors import PrivcheckError


@dataclass(frozen=True)
class Regime:
    """The privacy regime of an instance, and the budgets at which it changes.

    Parameters
    ----------
    name : "high privacy" when epsilon t_inf is below d_inf for every sub-optimal arm, "low privacy" when it is for
        none, "mixed" in between, "undefined" when no arm is sub-optimal or no law of the family beats the best arm.
    changes_from, changes_to : smallest and largest epsilon at which an arm's two terms are equal, `d_inf/t_inf`; the
        regime is mixed between them. None when undefined.
    free_from : smallest epsilon from which privacy costs nothing, `d_epsilon,inf = d_inf` for every arm; infinite when
        log-ratios of the laws are unbounded. None when undefined.
    """

    name: str
    changes_from: float | None
    changes_to: float | None
    free_from: float | None


def privacy_regime(instance: Instance) -> Regime:
    """Return the privacy regime of an instance.

    Azize & Basu 2022 compare d_inf with 6 epsilon t_inf, so their regime changes at one sixth of these budgets; the
    factor 6 is not needed (docs/evidence/derivations.md).

    Parameters
    ----------
    instance : a bandit with independent arms.

    Raises
    ------
    PrivcheckError : `instance` is not an `Instance`.

    Source
    ------
    Azize & Basu 2022, discussion of Theorem 3; Jourdan & Azize 2025 (low-privacy condition, Bernoulli).

    Examples
    --------
    >>> from privcheck.bounds._instances import named_instance
    >>> regime = privacy_regime(named_instance("fig3", epsilon=0.3))
    >>> regime.name, round(regime.changes_from, 4), round(regime.free_from, 4)
    ('high privacy', 1.6368, 3.5835)
    """
    if not isinstance(instance, Instance):
        raise PrivcheckError("instance", instance, "a privcheck.bounds.Instance", "build one with Instance(...)")
    arms = [arm for arm, gap in enumerate(instance.gaps) if gap > 0]
    if not arms or not instance.better_law_exists:
        return Regime("undefined", None, None, None)
    changes = [_ratio(instance.d_inf(arm), instance.t_inf(arm)) for arm in arms]
    free = max(instance.law_family.free_epsilon(instance.law(arm), instance.best_mean) for arm in arms)
    name = "mixed"
    if instance.epsilon < min(changes):
        name = "high privacy"
    elif instance.epsilon >= max(changes):
        name = "low privacy"
    return Regime(name, min(changes), max(changes), free)


def _ratio(divergence: float, variation: float) -> float:
    return divergence / variation if variation > 0 else math.inf
