"""Policies on combinatorial semi-bandits: which may be played there, and whether their bonus can tell anything."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from privcheck.bandits import ALGORITHMS, Algorithm, SemiBanditAlgorithm, ShippedId
from privcheck.environments import Combinatorial, Environment
from privcheck.errors import PrivcheckError, words


class VacuousBonusWarning(UserWarning):
    """An index cannot fall below 1 within the horizon, so that the regret shows how ties break and nothing else."""


def sized(policy: Any, place: Environment) -> Any:
    """Return an id of an algorithm for semi-bandits with the size of the environment's super arms, unless it has one.

    >>> from privcheck.environments import TopKArms
    >>> sized("cucb", TopKArms((0.9, 0.8, 0.2), size=2)), sized("cucb(size=1)", TopKArms((0.9, 0.8, 0.2), size=1))
    ('cucb(size=2)', 'cucb(size=1)')
    """
    if not isinstance(policy, str) or not isinstance(place, Combinatorial) or ":" in policy:
        return policy
    shipped = ShippedId.read(policy)
    if not issubclass(shipped.algorithm, SemiBanditAlgorithm) or "size" in shipped.given:
        return policy
    given = ", ".join(f"{name}={value}" for name, value in (shipped.given | {"size": place.oracle.size}).items())
    return f"{shipped.name}({given})"


def check_feedback(place: Environment, algorithms: Sequence[Algorithm], horizon: int) -> None:
    """Refuse policies of another kind of feedback than the environment has, and warn of bonuses above 1.

    Raises
    ------
    PrivcheckError : an algorithm for semi-bandits elsewhere, or another algorithm on a semi-bandit, or super arms of
        more base arms than the algorithm's noise is calibrated to.
    """
    for algorithm in algorithms:
        if isinstance(algorithm, SemiBanditAlgorithm) != isinstance(place, Combinatorial):
            fitting = [n for n in ALGORITHMS if issubclass(ALGORITHMS[n], SemiBanditAlgorithm)]
            expected = "an algorithm that plays one arm a round"
            if isinstance(place, Combinatorial):
                expected = f"an algorithm for semi-bandits, one of {', '.join(fitting)}"
            hint = "algorithms for semi-bandits play on environments such as top-k"
            raise PrivcheckError("policies", words(f"{algorithm.id} on {place.id}"), expected, hint)
        if isinstance(algorithm, SemiBanditAlgorithm) and isinstance(place, Combinatorial):
            algorithm.checked_oracle(place.oracle)
            bonus = algorithm.bonus_after(horizon)
            if bonus is not None and bonus >= 1.0:
                text = (
                    f"the bonus of {algorithm.describe()} is {bonus:.3g} even after {horizon} outcomes of a base arm: "
                )
                text += "its indices are clipped to 1, and the regret shows how ties break"
                warnings.warn(text, VacuousBonusWarning, stacklevel=3)
