"""Uses of a private action: its indicator, and the row of the same datum that it chooses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from privcheck.arrays import Array, zero_array
from privcheck.declared import Integer, check
from privcheck.errors import PrivcheckError, words
from privcheck.private_values._entries import Entries, collected
from privcheck.private_values._features import FeatureTable
from privcheck.private_values._refused_operations import Refusals, refuse
from privcheck.private_values._vector_bounds import ONE_HOT, VectorBound

if TYPE_CHECKING:
    from privcheck.private_values._private import Private


def one_hot(action: Any, arms: int) -> Any:
    """Return the indicator of an arm, shape (K,): 1 at the action, 0 elsewhere.

    A private action, which `update` receives under contextual feedback, cannot be used as an index: which entry changes
    would reveal the action. Its indicator can be added, released, and multiplied with values of the same datum.
    Replacing the datum moves the indicator by at most 2 in L1 and sqrt(2) in L2, and its product with a vector of norm
    R by at most 2 R.

    Parameters
    ----------
    action : an arm, private or an ordinary integer.
    arms : K.

    Raises
    ------
    PrivcheckError : an arm outside 0, ..., K - 1, or a private value that is not an action among K arms.

    Source: Shariff and Sheffet (2018), Section 2: under joint differential privacy the action of a round is private.

    Examples
    --------
    >>> one_hot(1, 3).tolist()
    [0.0, 1.0, 0.0]
    >>> from privcheck.private_values._source import PrivateSource
    >>> indicator = one_hot(PrivateSource().action(1, arms=3, datum=7), 3)
    >>> indicator
    Private(shape=(3,), data=round 7, hidden)
    >>> indicator.sensitivities("l1")
    {7: 2.0}

    """
    count: int = check("arms", arms, Integer(1), "the number of arms")
    private = isinstance(action, Refusals)
    if not private or action.is_public:
        chosen = action.reveal(None) if private else action
        arm = check("action", chosen, Integer(0, count - 1), "arms are counted from 0")
        indicator = zero_array("arms", count)
        indicator[arm] = 1.0
        return indicator
    table, feature = _action(action, count)
    group = table.derived_group(("one hot", feature), lambda: ONE_HOT)
    keys, ends = [("one hot", feature, arm) for arm in range(count)], (np.zeros(count), np.ones(count))
    played = (np.arange(count) == table._hidden[feature]) * 1.0
    owner = table.owner[feature]
    return action.make(action.source, *collected(table, keys, owner, ends, played, group=group, whole=True))


def chosen_row(rows: Private, action: Private) -> Private:
    """Return rows[action] of a private array of shape (K, ...); each entry lies in the hull of its column's intervals.

    The rows belong to the datum of the action, or are public. The longest of them bounds the norm of the chosen row.
    """
    arms, entries = rows.shape[0], Entries.of(rows)
    table, feature = _action(action, arms)
    owner = table.owner[feature]
    if (table.owner.take(entries.features) != owner).any():
        refuse("index", "indexing", action)
    lows, highs = _hulls(entries, arms)
    moves, key = lows < highs, ("chosen", feature, entries.identity)
    longest = float(_norms(entries, arms).max())
    low, high = (end[moves] if moves.any() else np.zeros(1) for end in (lows, highs))
    group = table.derived_group(key, lambda: VectorBound.of(low, high, longest))
    keys, whole = [(*key, place) for place in range(lows.size)], entries.whole.reshape(arms, -1).all(axis=0)
    played = entries.values.reshape(arms, -1)[int(table._hidden[feature])]
    const, terms = collected(table, keys, owner, (lows, highs), played, group=group, whole=whole)
    return rows.make(action.source, const.reshape(rows.shape[1:]), terms)


def _hulls(entries: Entries, arms: int) -> tuple[Array, Array]:
    """Return the ends of the hull of each column's intervals."""
    lows, highs = (end.reshape(arms, -1) for end in entries.interval)
    return lows.min(axis=0), highs.max(axis=0)


def _norms(entries: Entries, arms: int) -> Array:
    """Return bounds on the norms of rows: those of vectors, where the entries of a row are multiples of its entries."""
    found, table = np.full(arms, math.inf), entries.table
    single = ((entries.counts == 1) & (entries.const == 0.0)).reshape(arms, -1).all(axis=1)
    if not single.any():
        return found
    places = entries.firsts.reshape(arms, -1)[single]
    features = entries.features[places]
    groups, ordered = table.group.take(features.ravel()).reshape(places.shape), np.sort(features, axis=1)
    one = (groups == groups[:, :1]).all(axis=1) & (groups[:, 0] >= 0) & (ordered[:, 1:] > ordered[:, :-1]).all(axis=1)
    shares = np.abs(entries.weights[places]) / np.sqrt(table.multiplicity.take(features.ravel())).reshape(places.shape)
    radii = [table.bounds[group].l2_radius if group >= 0 else math.inf for group in groups[:, 0].tolist()]
    found[single] = np.where(one, shares.max(axis=1) * np.array(radii), math.inf)
    return found


def _action(action: Private, arms: int) -> tuple[FeatureTable, int]:
    """Return the feature table and the feature that is this action, or refuse what is not an action among K arms."""
    assert action.source is not None
    entries = Entries.of(action)
    table, feature = entries.table, int(entries.features[0])
    if action.ndim or not entries.plain[0] or table.actions.get(feature) != arms:
        hint = "give the action that `update` received, and the number of arms"
        raise PrivcheckError("action", words("another private value"), f"a private action among {arms} arms", hint)
    return table, feature
