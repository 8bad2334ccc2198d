"""Uses of a private action: its indicator, and the row of the same datum that it chooses."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

from privcheck.arrays import zero_array
from privcheck.declared import Integer, check
from privcheck.errors import PrivcheckError, words
from privcheck.private_values.entries import Form, collected, forms
from privcheck.private_values.features import FeatureTable
from privcheck.private_values.refused_operations import Refusals, refuse
from privcheck.private_values.vector_bounds import ONE_HOT, VectorBound

if TYPE_CHECKING:
    from privcheck.private_values.private import Private


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
    >>> from privcheck.private_values.source import PrivateSource
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
    owner = table.data[table.owner[feature]]
    group = table.derived_group(("one hot", feature), lambda: ONE_HOT)
    features = []
    for arm in range(count):
        make = partial(table.add, owner, 0.0, 1.0, float(table._hidden[feature] == arm), group, whole=True)
        features.append(table.derived(("one hot", feature, arm), make))
    return action.make(action.source, *collected([Form(0.0, (j,), (1.0,)) for j in features], (count,)))


def chosen_row(rows: Private, action: Private) -> Private:
    """Return rows[action] of a private array of shape (K, ...); each entry lies in the hull of its column's intervals.

    The rows belong to the datum of the action, or are public. The longest of them bounds the norm of the chosen row.
    """
    arms = rows.shape[0]
    table, feature = _action(action, arms)
    entries, owner = forms(rows), table.owner[feature]
    if not {number for form in entries for number in form.owners(table)} <= {owner}:
        refuse("index", "indexing", action)
    width, key = len(entries) // arms, ("chosen", feature, tuple(entries))
    hulls = [_hull(entries[place::width], table) for place in range(width)]
    lows, highs = zip(*[(low, high) for low, high in hulls if low < high] or [(0.0, 0.0)], strict=True)
    longest = max(_norm(entries[start : start + width], table) for start in range(0, len(entries), width))
    found = []
    for place, (low, high) in enumerate(hulls):
        if low == high:
            found.append(Form(low))
            continue
        group = table.derived_group(key, lambda: VectorBound.of(lows, highs, longest))
        whole = all(form.is_whole(table) for form in entries[place::width])
        played = entries[int(table._hidden[feature]) * width + place].value(table)
        make = partial(table.add, table.data[owner], low, high, played, group, whole=whole)
        found.append(Form(0.0, (table.derived((*key, place), make),), (1.0,)))
    return rows.make(action.source, *collected(found, rows.shape[1:]))


def _hull(column: list[Form], table: FeatureTable) -> tuple[float, float]:
    lows, highs = zip(*(form.interval(table) for form in column), strict=True)
    return min(lows), max(highs)


def _norm(row: list[Form], table: FeatureTable) -> float:
    """Return a bound on the norm of a row: that of a vector, if the entries of the row are multiples of its entries."""
    features = [form.features[0] for form in row if form.const == 0.0 and len(form.features) == 1]
    groups = {table.group[j] for j in features}
    if len(set(features)) < len(row) or len(groups) != 1 or -1 in groups:
        return math.inf
    largest = max(abs(form.weights[0]) / math.sqrt(table.multiplicity[form.features[0]]) for form in row)
    return largest * table.bounds[groups.pop()].l2_radius


def _action(action: Private, arms: int) -> tuple[FeatureTable, int]:
    """Return the feature table and the feature that is this action, or refuse what is not an action among K arms."""
    assert action.source is not None
    table, (form, *_) = action.source.features, forms(action)
    if action.ndim or not form.is_feature or table.actions.get(form.features[0]) != arms:
        hint = "give the action that `update` received, and the number of arms"
        raise PrivcheckError("action", words("another private value"), f"a private action among {arms} arms", hint)
    return table, form.features[0]
