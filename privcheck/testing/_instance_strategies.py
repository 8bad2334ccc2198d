"""Hypothesis strategies for the inputs of bandits: budgets, instances, sets of arms, contexts, mechanisms."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from privcheck.arrays import Array
from privcheck.bounds import Instance
from privcheck.declared import POSITIVE, Choice, Integer, OrNone, Real, check, declared_fields
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import MECHANISMS, Mechanism
from privcheck.privacy import Contexts


def budgets(least: float = 0.05, most: float = 10.0) -> st.SearchStrategy[float]:
    """Return a strategy of privacy budgets epsilon in [least, most], 0 < least <= most; it shrinks towards 1.

    Raises
    ------
    PrivcheckError : a limit that is not above 0, or limits in the wrong order.

    Source: common budgets, as in the experiments of the bandit papers (0.1 to 10).

    Examples
    --------
    >>> from hypothesis import find
    >>> find(budgets(), lambda epsilon: True)
    1.0
    """
    low, high = (check("budget", end, POSITIVE, "a privacy budget is positive, e.g. 1.0") for end in (least, most))
    if low > high:
        raise PrivcheckError("budgets", (low, high), "least <= most", "swap the two")
    usual = [epsilon for epsilon in (1.0, 0.1, 0.5, 2.0, 4.0) if low <= epsilon <= high]
    return st.sampled_from([*usual, low, high]) | st.floats(low, high)


def bandit_instances(
    *, min_arms: int = 2, max_arms: int = 6, least_gap: float = 0.0, max_horizon: int = 1000
) -> st.SearchStrategy[Instance]:
    """Return a strategy of Bernoulli bandits: means, budget and horizon, as a `bounds.Instance`.

    Parameters
    ----------
    min_arms, max_arms : range of K, 2 <= min_arms <= max_arms.
    least_gap : smallest gap of some arm to the best one, in [0, 1].
    max_horizon : largest horizon T, at least `max_arms`.

    Raises
    ------
    PrivcheckError : bad input.

    Source: the instances of Azize and Basu (2022), Section 2.

    Examples
    --------
    >>> from hypothesis import find
    >>> instance = find(bandit_instances(least_gap=0.5), lambda instance: True)
    >>> instance.arms, max(instance.gaps) >= 0.5
    (2, True)
    """
    few, gap = check("min_arms", min_arms, Integer(2)), check("least_gap", least_gap, Real(0.0, 1.0))
    many = check("max_arms", max_arms, Integer(few), "max_arms must be at least min_arms")
    longest = check("max_horizon", max_horizon, Integer(many), "every arm is played once")

    @st.composite
    def instances(draw: st.DrawFn) -> Instance:
        low = draw(st.floats(0.0, 1.0 - gap))
        high = draw(st.floats(min(low + gap, 1.0), 1.0))
        others = draw(st.lists(st.floats(0.0, high), min_size=few - 2, max_size=many - 2))
        means = draw(st.permutations([high, low, *others]))
        horizon = draw(st.integers(len(means), longest))
        return Instance("bernoulli", means=tuple(means), epsilon=draw(budgets()), horizon=horizon)

    return instances()


def arm_sets(*, arms: int = 3, dimension: int = 2, norm: float = 1.0) -> st.SearchStrategy[Array]:
    """Return a strategy of decision sets of a linear bandit: K distinct feature vectors, shape (K, d).

    Parameters
    ----------
    arms : K, at least 1.
    dimension : d, at least 1.
    norm : largest L2 norm of a vector, > 0.

    Raises
    ------
    PrivcheckError : bad input.

    Source: decision sets of bounded vectors, Shariff and Sheffet (2018), Section 2.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(arm_sets(arms=2, dimension=1), lambda vectors: True).tolist()
    [[0.0], [1.0]]
    """
    size, radius = check("arms", arms, Integer(1)), check("norm", norm, POSITIVE)
    vector = contexts(Contexts(check("dimension", dimension, Integer(1)), -radius, radius, radius))
    row = vector.map(lambda values: tuple(values.tolist()))
    return st.lists(row, min_size=size, max_size=size, unique=True).map(np.array)


def contexts(space: Contexts) -> st.SearchStrategy[Array]:
    """Return a strategy of single contexts, shape `space.shape`, within its range and norm; it shrinks towards 0.

    Parameters
    ----------
    space : what contexts look like.

    Raises
    ------
    PrivcheckError : anything but a `Contexts`.

    Source: contexts of bounded norm, Shariff and Sheffet (2018), Section 2.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(contexts(Contexts(shape=2, norm=1.0)), lambda context: context.any()).tolist()
    [0.0, 1.0]
    """
    if not isinstance(space, Contexts):
        raise PrivcheckError("space", space, "a privcheck.Contexts", "as in privcheck.Contexts(shape=(3,), norm=1.0)")
    plain = min(max(0.0, space.low), space.high)
    entry = st.sampled_from((plain, space.high, space.low)) | st.floats(space.low, space.high)
    entries = st.lists(entry, min_size=space.size, max_size=space.size)
    return entries.map(lambda drawn: space._within(np.array(drawn).reshape(space.shape)) + 0.0)


def mechanisms(*ids: str) -> st.SearchStrategy[Mechanism]:
    """Return a strategy of privcheck's mechanisms, with typical parameters.

    Parameters
    ----------
    *ids : ids of the mechanisms; all of them by default.

    Raises
    ------
    PrivcheckError : an unknown id.

    Source: the typical ranges that the mechanisms declare.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(mechanisms("laplace"), lambda mechanism: mechanism.epsilon >= 1.0).epsilon
    1.0
    """
    return st.one_of([_mechanism(MECHANISMS[name]) for name in ids or MECHANISMS])


def _mechanism(kind: type[Mechanism]) -> st.SearchStrategy[Mechanism]:
    parameters = {f.name: _parameter(f.metadata) for f in declared_fields(kind) if f.name != "given_scale"}
    return st.builds(kind, **parameters)


def _parameter(declared: Any) -> st.SearchStrategy[Any]:
    domain, typical = declared["domain"], declared["typical"]
    domain = domain.inner if isinstance(domain, OrNone) else domain
    if isinstance(domain, Choice):
        return st.sampled_from(tuple(domain.options))
    low, high = typical
    return st.integers(low, high) if isinstance(domain, Integer) else st.floats(low, high)
