"""coba: audit a learner with `predict` and `learn`, with or without contexts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from privcheck.adapters._predictions import read
from privcheck.adapters._seeded_factory import Adapter, Randomise, check_labels, check_randomise, part, probe, vector

EXAMPLE = "`lambda seed: BanditEpsilonLearner(0.1, seed=seed)`"


def from_coba(build: Callable[[int], Any], actions: Sequence[Any], *, randomise: Randomise | None = None) -> Adapter:
    """Return a factory of policies, as `privcheck.audit` takes it, for a learner of coba.

    Arm i is the i-th action. The output is the actions; probabilities go back only to the learner. When a prediction is
    a distribution, the action is drawn from it with the Generator of the audit.

    Parameters
    ----------
    build : returns a new learner for an integer seed; all randomness must come from that seed, including that of
        learners within the learner.
    actions : what the learner chooses from in every round: labels, or features as tuples.
    randomise : `f(reward, rng)`, what the learner receives instead of the reward; None tells it the reward.

    Raises
    ------
    PrivcheckError : `build` is not such a function (returning the same learner twice, or a fixed seed, is refused), or
        `actions` are not at least two different ones.

    Source: coba 8, `coba.primitives.Learner`; predictions are read as `coba.safety.SafeLearner` reads them.

    Examples
    --------
    >>> class Greedy:  # stands for a learner of coba, which has these methods
    ...     def __init__(self, seed):
    ...         self.params, self.sums = {"seed": seed}, {"left": 0.0, "right": 0.0}
    ...     def predict(self, context, actions):
    ...         best = max(self.sums, key=self.sums.get)
    ...         return [0.9 if action == best else 0.1 for action in actions]
    ...     def learn(self, context, action, reward, probability):
    ...         self.sums[action] += reward
    >>> import privcheck
    >>> privcheck.audit(from_coba(Greedy, ["left", "right"]), epsilon=1.0, horizon=4, runs=2000).verdict
    'violation'
    """
    check_randomise(randomise)
    labels = check_labels("actions", actions, "as in actions=['left', 'right']")
    learner = probe(build, ("predict", "learn"), "a learner of coba", EXAMPLE, _seed)
    name = type(getattr(learner, "learner", learner)).__name__
    # coba's experiments do the same, so that an action that comes back can be told from a probability by its identity
    shown = [float(label) if isinstance(label, int) and label in (0, 1) else label for label in labels]
    return Adapter(name, shown, build, partial(CobaPolicy, randomise=randomise))


def _seed(learner: Any) -> Any:
    params = part(learner, "params", "a learner of coba")
    try:
        params = params() if callable(params) else params
    except Exception:  # it does not say, then
        return None
    return params.get("seed") if isinstance(params, Mapping) else None


class CobaPolicy:
    """One learner, played round by round.

    Parameters
    ----------
    learner : the learner.
    labels : its actions.
    rng : for predictions that are distributions, and for `randomise`.
    randomise : as in `from_coba`.
    """

    def __init__(
        self, learner: Any, labels: list[Any], rng: np.random.Generator, *, randomise: Randomise | None
    ) -> None:
        self._learner, self._labels, self._rng, self._randomise = learner, labels, rng, randomise
        self._probability: Any = None
        self._information: Mapping[str, Any] = {}

    def select(self, context: Any = None) -> int:
        """Return the arm of this round."""
        prediction = self._learner.predict(_shown(context), [*self._labels])
        action, self._probability, self._information = read(prediction, self._labels, self._rng)
        return action

    def update(self, *event: Any) -> None:
        """Learn from (action, reward), or from (context, action, reward)."""
        *context, action, reward = event
        told = reward if self._randomise is None else self._randomise(reward, self._rng)
        shown = _shown(*context) if context else None
        self._learner.learn(shown, self._labels[action], told, self._probability, **self._information)


def _shown(context: Any) -> tuple[float, ...] | None:
    return None if context is None else tuple(vector(context).tolist())
