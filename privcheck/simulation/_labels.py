"""The algorithms that a user names, and distinct labels for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from privcheck.bandits import Algorithm, ShippedId, in_words
from privcheck.declared import POSITIVE, declared_fields
from privcheck.errors import PrivcheckError, words
from privcheck.results import OwnPolicy

EXPECTED = "a shipped id, a spec, a policy of your own, a non-empty list of these, or a mapping from labels to them"


def with_labels(policies: Any) -> tuple[list[str] | None, list[Any]]:
    """Return the labels of a mapping, or None, and one policy or several as a list.

    >>> with_labels({"ours": dict, "theirs": "ucb"})
    (['ours', 'theirs'], [<class 'dict'>, 'ucb'])
    """
    if isinstance(policies, str | Algorithm) or callable(policies):
        return None, [policies]
    if not isinstance(policies, Sequence | Mapping) or not policies:
        raise PrivcheckError("policies", policies, EXPECTED)
    if isinstance(policies, Mapping):
        for label in policies:
            _check_label(label)
        return list(policies), list(policies.values())
    for policy in policies:
        if isinstance(policy, tuple):
            hint = "labels are the keys of a mapping, as in {'ours': MyBandit, 'theirs': 'adap-ucb'}"
            raise PrivcheckError("policies", policy, EXPECTED, hint)
    return None, list(policies)


def _check_label(label: Any) -> None:
    """Refuse a label that a table or a picture would not show as it is: matplotlib leaves out what begins with `_`."""
    if not isinstance(label, str) or not label.isprintable() or label != label.strip() or label[:1] in ("", "_"):
        hint = "it is printed as it is, in tables and in legends"
        raise PrivcheckError("label", label, "a line of text that begins with neither a space nor '_'", hint)


def chosen_algorithm(
    policy: Any,
    arms: int,
    epsilon: float | None,
    horizon: int,
    *,
    delta: float | None = None,
    rho: float | None = None,
    mu: float | None = None,
    features: int | None = None,
) -> Algorithm:
    """Return the spec of a shipped id, or a given spec if it fits the environment.

    Parameters
    ----------
    policy : an id or a spec.
    arms, horizon : K and T.
    epsilon, delta, rho, mu : the budget of an algorithm given by its id.
    features : d of a contextual environment; None for others, on which no contextual algorithm can be played.
    """
    if isinstance(policy, Algorithm):
        if policy.arms != arms:
            got = words(f"{policy.describe()} on an environment with {arms} arms")
            raise PrivcheckError("policies", got, f"arms={arms}", "give the number of arms of the environment")
        if policy.declares("horizon") and horizon > policy.horizon:  # type: ignore[attr-defined]
            got = words(f"{policy.describe()} for {horizon} rounds")
            raise PrivcheckError("policies", got, f"horizon={horizon}", "build it with the horizon of the simulation")
        return _of_kind(policy, features)
    if not isinstance(policy, str):
        hint = "a policy of your own is given as its class, or as a function of a Generator, not as an object"
        raise PrivcheckError("policies", policy, "a shipped id, a spec, or a policy of your own", hint)
    shipped = ShippedId.read(policy)
    if shipped.given.get("arms", arms) != arms:
        got = words(f"{policy} on an environment with {arms} arms")
        raise PrivcheckError("policies", got, f"arms={arms}", "leave the number of arms out")
    if shipped.lacks_epsilon and epsilon is None:
        raise PrivcheckError(
            "epsilon", None, POSITIVE.text, f"{policy} is private: give its budget, for example epsilon=1"
        )
    if shipped.lacks_rho and rho is None and mu is None:
        raise PrivcheckError("rho", None, POSITIVE.text, f"{policy} is private: give its budget, for example rho=0.1")
    if shipped.algorithm.declares("features") != (features is not None):
        raise _other_kind(policy, features)
    made = shipped.spec(arms=arms, epsilon=epsilon, horizon=horizon, delta=delta, rho=rho, mu=mu, features=features)
    return _of_kind(made, features)


def _of_kind(algorithm: Algorithm, features: int | None) -> Algorithm:
    if getattr(algorithm, "features", None) != features:
        raise _other_kind(algorithm.describe(), features)
    return algorithm


def _other_kind(policy: str, features: int | None) -> PrivcheckError:
    where = "arms without features" if features is None else f"decision sets of {features} features"
    expected = "an algorithm for arms" if features is None else f"an algorithm for contexts, with features={features}"
    hint = "contextual algorithms play on linear-contexts, or on a log of contexts; the others on arms"
    return PrivcheckError("policies", words(f"{policy} on {where}"), expected, hint)


def labels_of(algorithms: Sequence[Algorithm | OwnPolicy]) -> list[str]:
    """Return distinct labels: the id, plus the differing parameters if an id repeats and a number for duplicates."""
    labels = []
    for algorithm in algorithms:
        if isinstance(algorithm, OwnPolicy):
            labels.append(algorithm.name)
            continue
        parameters = [p.name for p in declared_fields(type(algorithm))]
        same = [other for other in algorithms if other.id == algorithm.id]
        differing = [name for name in parameters if len({getattr(other, name) for other in same}) > 1]
        values = ", ".join(f"{name}={in_words(getattr(algorithm, name), 12)}" for name in differing)
        labels.append(f"{algorithm.id}({values})" if differing else algorithm.id)
    repeated, seen = Counter(labels), Counter[str]()
    for position, label in enumerate(labels):
        seen[label] += 1
        if repeated[label] > 1:
            labels[position] = f"{label} #{seen[label]}"
    return labels
