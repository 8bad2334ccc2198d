"""The predictions of coba's learners, in every format that coba takes."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping
from itertools import accumulate
from typing import Any

import numpy as np

from privcheck.errors import PolicyError

EXPECTED = "an action, (action, probability) or a distribution over the actions"


def read(prediction: Any, actions: list[Any], rng: np.random.Generator) -> tuple[int, Any, Mapping[str, Any]]:
    """Return the arm that a prediction chooses, its probability (None where unknown), and what else `learn` receives.

    Parameters
    ----------
    prediction : an action, (action, probability), or a distribution over the actions, alone or with a mapping of
        further information in the last place; or {"action": ...}, {"action_prob": ...} or {"pmf": ...}.
    actions : from which it was to choose, at least two.
    rng : to draw from a distribution.

    Raises
    ------
    PolicyError : none of these, or an action that is not among `actions`.

    Source: `coba.safety.SafeLearner`, coba 8.1: an object that is one of the actions is an action, one that could be
    both a distribution and an action that merely equals one is a distribution.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> read(("b", 0.25), ["a", "b"], rng), read(([0.0, 1.0], {"info": 3}), ["a", "b"], rng)
    ((1, 0.25, {}), (1, 1.0, {'info': 3}))
    """
    information: Mapping[str, Any] = {}
    if _sized(prediction) and len(prediction) > 1 and isinstance(prediction[-1], Mapping):
        *rest, information = prediction
        prediction = rest[0] if len(rest) == 1 else rest
    hinted = _hinted(prediction, actions, rng)
    if hinted is not None:
        return *hinted, information
    if _sized(prediction) and len(prediction) == 2 and any(prediction[0] is action for action in actions):
        return _place(prediction[0], actions), prediction[1], information
    if not any(prediction is action for action in actions) and _is_distribution(prediction, actions):
        return *_drawn(prediction, rng), information
    return _place(prediction, actions), None, information


def _hinted(prediction: Any, actions: list[Any], rng: np.random.Generator) -> tuple[int, Any] | None:
    """Return what a prediction says that names its format; None for one that does not."""
    if not isinstance(prediction, Mapping) or any(prediction is action for action in actions):
        return None
    if "pmf" in prediction:
        if not _is_distribution(prediction["pmf"], actions):
            raise PolicyError("prediction", prediction, f"a distribution over the {len(actions)} actions")
        return _drawn(prediction["pmf"], rng)
    if "action" in prediction:
        return _place(prediction["action"], actions), None
    if "action_prob" in prediction and _sized(prediction["action_prob"]) and len(prediction["action_prob"]) == 2:
        action, probability = prediction["action_prob"]
        return _place(action, actions), probability
    return None


def _sized(value: Any) -> bool:
    return isinstance(value, list | tuple | np.ndarray)


def _is_distribution(value: Any, actions: list[Any]) -> bool:
    try:
        return len(value) == len(actions) and math.isclose(sum(value), 1.0, abs_tol=1e-3) and min(value) >= 0.0
    except (TypeError, ValueError):
        return False


def _drawn(distribution: Any, rng: np.random.Generator) -> tuple[int, float]:
    upto = list(accumulate(distribution))
    place = bisect_right(upto, rng.random() * upto[-1], hi=len(upto) - 1)
    return place, distribution[place]


def _place(action: Any, actions: list[Any]) -> int:
    """Return the place of an action: the object itself, or one that equals it."""
    for place, known in enumerate(actions):
        if known is action:
            return place
    try:
        return actions.index(action)
    except ValueError:
        raise PolicyError("prediction", action, EXPECTED, f"the actions are {actions}") from None
