"""MABWiser: audit a `mabwiser.mab.MAB`, context-free or contextual, with the learning policy that it has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from privcheck.adapters._seeded_factory import (
    OTHERWISE,
    Adapter,
    Randomise,
    check_labels,
    check_randomise,
    part,
    probe,
    vector,
)
from privcheck.errors import PolicyError, PrivcheckError, words

EXAMPLE = "`lambda seed: MAB([0, 1], LearningPolicy.EpsilonGreedy(0.1), seed=seed)`"

EXPECTED = "a MAB of MABWiser with its labels in `arms`"


def from_mabwiser(
    build: Callable[[int], Any], *, first: Sequence[Any] | None = None, randomise: Randomise | None = None
) -> Adapter:
    """Return a factory of policies, as `privcheck.audit` takes it, for a MAB of MABWiser.

    Arm i is the i-th of the MAB's arms, whatever their labels. The output is the actions. The first rounds play the
    arms of `first`, and their rewards go into one `partial_fit`, which fits a new MAB; after that there is one
    `predict` and one `partial_fit` per round, except that nothing is fitted after the last round.

    Parameters
    ----------
    build : returns a new MAB for an integer seed; all randomness must come from that seed. A contextual MAB is
        audited with feedback="contextual", neighbours="context-reward" and `contexts`.
    first : labels of the arms to play first, one per round: every arm once by default, none when `build` has fitted the
        MAB, for example on data that are public.
    randomise : `f(reward, rng)`, what the MAB receives instead of the reward; None tells it the reward.

    Raises
    ------
    PrivcheckError : `build` is not such a function (returning the same MAB twice, or a fixed seed, is refused), or a
        label in `first` is not among the arms.

    Source: Strong, Kleynhans and Kadioglu, "MABWiser: Parallelizable Contextual Multi-Armed Bandits" (2021).

    Examples
    --------
    >>> class Greedy:  # stands for mabwiser.mab.MAB, which has these parts
    ...     def __init__(self, seed):
    ...         self.arms, self.seed, self.sums = ["left", "right"], seed, {"left": 0.0, "right": 0.0}
    ...     def partial_fit(self, decisions, rewards, contexts=None):
    ...         for arm, reward in zip(decisions, rewards, strict=True):
    ...             self.sums[arm] += reward
    ...     def predict(self, contexts=None):
    ...         return max(self.sums, key=self.sums.get)
    >>> import privcheck
    >>> privcheck.audit(from_mabwiser(Greedy), epsilon=1.0, horizon=4, runs=1000).verdict
    'violation'
    """
    check_randomise(randomise)
    mab = probe(
        build, ("predict", "partial_fit"), "a MAB of MABWiser", EXAMPLE, lambda mab: part(mab, "seed", EXPECTED)
    )
    arms = part(mab, "arms", EXPECTED)
    if arms is None:
        got = words(f"an object of type {type(mab).__name__}, which has no arms")
        raise PrivcheckError("build", got, EXPECTED, f"write {EXAMPLE}; {OTHERWISE}")
    labels = check_labels("arms", arms, "a bandit chooses between at least two arms")
    try:
        set(labels)
    except TypeError:
        expected = "labels that can be keys of a dict"
        raise PrivcheckError("arms", labels, expected, "as in MAB(['left', 'right'])") from None
    opening = first
    if opening is None:
        opening = [] if part(mab, "_is_initial_fit", EXPECTED, False) else labels
    try:
        places = [labels.index(label) for label in opening]
    except (TypeError, ValueError):
        raise PrivcheckError("first", first, f"labels among {labels}", "as given to MAB(arms)") from None
    name = f"MAB({type(part(mab, 'learning_policy', EXPECTED, mab)).__name__})"
    return Adapter(name, labels, build, partial(MabwiserPolicy, first=places, randomise=randomise))


class MabwiserPolicy:
    """One MAB, played round by round.

    Parameters
    ----------
    mab : the MAB.
    labels : of its arms.
    rng : for `randomise`.
    first : arms to play in the first rounds.
    randomise : as in `from_mabwiser`.
    """

    def __init__(
        self, mab: Any, labels: list[Any], rng: np.random.Generator, *, first: list[int], randomise: Randomise | None
    ) -> None:
        self._mab, self._labels, self._rng = mab, labels, rng
        self._first, self._randomise = first, randomise
        self._places = {label: place for place, label in enumerate(labels)}
        self._contextual = bool(getattr(mab, "is_contextual", False))
        self._round = 0
        self._seen: list[tuple[Any, Any, Any]] = []

    def select(self, context: Any = None) -> int:
        """Return the arm of this round, given its context when the MAB is contextual."""
        if (context is not None) != self._contextual:
            raise _other_feedback(contextual=self._contextual)
        if self._round < len(self._first):
            return self._first[self._round]
        if self._seen:
            self._learn()
        label = self._mab.predict(vector(context).reshape(1, -1)) if self._contextual else self._mab.predict()
        try:
            return self._places[label]
        except (KeyError, TypeError):
            raise PolicyError("prediction", label, f"one of the arms {self._labels}", "as given to MAB(arms)") from None

    def update(self, *event: Any) -> None:
        """Keep (action, reward), or (context, action, reward), until the MAB is next asked."""
        *context, action, reward = event
        told = reward if self._randomise is None else self._randomise(reward, self._rng)
        self._seen.append((self._labels[action], told, *context))
        self._round += 1

    def _learn(self) -> None:
        decisions, rewards, *contexts = (list(column) for column in zip(*self._seen, strict=True))
        self._mab.partial_fit(decisions, rewards, *map(np.array, contexts))
        self._seen = []


def _other_feedback(*, contextual: bool) -> PolicyError:
    if contextual:
        hint = "give feedback='contextual', neighbours='context-reward' and contexts=privcheck.Contexts(shape=(d,))"
        return PolicyError("feedback", "bandit", "'contextual': the MAB is contextual", hint)
    hint = "leave out feedback, neighbours and contexts, or give the MAB a contextual policy such as LinUCB"
    return PolicyError("feedback", "contextual", "'bandit': the MAB takes no contexts", hint)
