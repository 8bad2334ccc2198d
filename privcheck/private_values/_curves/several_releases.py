"""What several releases cost a datum together, charged one by one as they come."""

from __future__ import annotations

import hashlib
import math
import sys
from collections.abc import Callable, Hashable, Iterable, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privcheck.arrays import Array, Integers
from privcheck.private_values._curves.largest_changes import joined, largest_change
from privcheck.private_values._curves.shapes import Curve, single
from privcheck.private_values._float_rounding import entry_errors

if TYPE_CHECKING:
    from privcheck.private_values._features import FeatureTable
    from privcheck.private_values._private import Private

_MOST_TERMS = 256
"""Terms, and below it data, of a release that is bounded together with others."""

_MOST_DATA = 32

_MOST_ENTRIES = 32
"""Entries, and features, of a datum's releases that are bounded together."""

_MOST_BLOCKS = 256
"""Data of which releases are remembered."""

_SLACK = 2e-11
"""Relative: the rounding of features, `UNNOTICED`, and that of sums, squares and roots. It has to stay well below the
slack with which totals are compared with a budget, or releases that cost the whole of it together are refused."""

_LEAST = 1e-6
"""Share of a loss below which it is not worth while to charge less."""


class Block(NamedTuple):
    """Releases of one datum with noise of one kind.

    Parameters
    ----------
    rows, features, weights : coefficients of their entries, divided by the scales of the noise.
    entries : how many these are.
    curves : what the features are functions of; complete by itself, so that features may be forgotten.
    rounding : how far rounding may move all entries in L1, divided by the scales.
    paid : the sum of what was charged for them, in L2 of the squares; rounded down.
    """

    rows: Integers
    features: Integers
    weights: Array
    entries: int
    curves: dict[int, Curve]
    rounding: float
    paid: float


Key = tuple[str, Hashable]


class SeveralReleases:
    r"""The releases of each datum so far, of which a new one may cost less than it would alone.

    A release with noise of scale b costs the datum at most n(d) = ||C d|| / b, C its coefficients and d the change of
    the datum's features: epsilon of Laplace noise in L1, mu of normal noise in L2. A single release is charged the
    largest n(d) over all d. Of several ones these maxima are at different d, but two neighbours have one d.

    Guarantee
    ---------
    *Over several releases.* After every release the charges of a block add up to at least sum_t n_t(d) (in L2: their
    squares to sum_t n_t(d)^2) for each single d that the datum can make. By induction: let P be what was paid before.
    A release that is charged its own largest n keeps this. Otherwise P plus its charge is at least (in L2: with
    squares) J + R, J the largest norm of the coefficients of all releases of the block, divided by their scales, as one
    array, and R what rounding adds to each of them; that is the claim itself. What is charged apart from blocks, or in
    an older block, adds to it: the sum of largest values is at least the largest sum.

    *Whatever is released later.* No release has to be known in advance. Fix two neighbouring streams, and all that was
    drawn: d is then one vector, because a feature is a function of the datum, and what was drawn, that is computed
    once; C and b depend on what was drawn only. So along each execution the losses of these two streams add up to at
    most what was charged, which does not depend on the data, and the same filters apply as to charges that add up:
    for pure privacy multiply the likelihood ratios, for normal noise those of Gaussian and concentrated privacy, whose
    losses are at each step those of the two streams. They take the streams as fixed: the maximum over d is theirs.

    *Over a group.* In L1 sums over data of sums over releases are what they were. For normal noise the changes of the
    data of one release are added before they are squared; the root of the sum of squares is a norm, so that the sum
    over data of the roots is at least that.

    Only epsilon (mu and rho of normal noise) is charged less: the rho and mu of Laplace noise grow faster than its
    epsilon, so that those of smaller epsilons would not add up to those of one d.

    Source: Rogers, Roth, Ullman and Vadhan 2016, Theorem 3.6; Smith and Thakurta 2022; Feldman and Zrnic 2021.
    """

    def __init__(self) -> None:
        self._blocks: dict[Key, Block] = {}

    def keep(self, blocks: Mapping[Key, Block], losses: Mapping[Hashable, float]) -> None:
        """Take note of a release, once it is charged, and of what was charged for it."""
        for key, block in blocks.items():
            norm, datum = key
            loss = losses[datum]
            paid = block.paid + (loss if norm == "l1" else loss * loss) * (1.0 - 2.0**-50)
            self._blocks.pop(key, None)
            self._blocks[key] = block._replace(paid=max(block.paid, math.nextafter(paid, 0.0)))
        while len(self._blocks) > _MOST_BLOCKS:
            del self._blocks[next(iter(self._blocks))]

    def drop(self, data: Iterable[Hashable]) -> None:
        """Bound releases of these data no more together with those before."""
        for datum in data:
            for norm in ("l1", "l2"):
                self._blocks.pop((norm, datum), None)

    def charged(self, parts: Mapping[Key, Block], losses: dict[Hashable, float]) -> dict[Key, Block]:
        """Lower the losses of a release where they are less together with those before; return what to `keep`.

        Parameters
        ----------
        parts : the release: see `parts_of`.
        losses : what the release costs each datum alone; changed in place.
        """
        blocks = {}
        for key, part in parts.items():
            norm, datum = key
            blocks[key], losses[datum] = _with(self._blocks.get(key), part, norm, losses[datum])
        return blocks

    def again(self, parts: Mapping[Key, Block]) -> dict[Key, Block]:
        """Return what to `keep` of a release whose charges are recorded."""
        return {key: _longer(self._blocks.get(key), part) for key, part in parts.items()}

    def parts_of(
        self,
        norm: str,
        value: Private,
        table: FeatureTable,
        scale: float,
        inside: Callable[[Array], float],
        data: Mapping[Hashable, object],
    ) -> dict[Key, Block]:
        """Return a release as a block for each datum; nothing if it is not bounded together with others.

        Parameters
        ----------
        norm : "l1" or "l2".
        value : what is released.
        table : the features.
        scale : of the noise, which is independent in each entry, or the smaller one that is charged.
        inside : bounds the rounding inside the mechanism, given the largest sizes of the entries.
        data : that the release is charged to.
        """
        tidy = value.terms.tidy()
        if tidy.count > _MOST_TERMS or len(data) > _MOST_DATA:
            return {}
        errors, sizes = entry_errors(value)
        rounding = float(errors.sum()) + inside(sizes.reshape(value.shape))
        features, weights = tidy.features, tidy.weights / scale
        bounded = table.group.take(features) >= 0
        exact = np.isfinite(weights) & (np.abs(weights) >= sys.float_info.min)  # subnormal quotients lose digits
        if not (exact.all() and math.isfinite(added := rounding / scale)):
            return {}
        if bounded.any() and not table.curves.keys() >= set(features[bounded].tolist()):
            return {}  # what is known of a vector is its norm, in one release
        owner = table.owner.take(features)
        order = np.argsort(owner, kind="stable")
        bounds = np.flatnonzero(np.diff(owner[order], prepend=-1, append=-1)).tolist()
        parts = {}
        for start, stop in pairwise(bounds):
            places = order[start:stop]
            datum = table.data[int(owner[places[0]])]
            if datum not in data:
                continue
            curves = {feature: single(feature, table) for feature in features[places].tolist()}
            used, rows = np.unique(tidy.rows[places], return_inverse=True)
            parts[norm, datum] = Block(rows, features[places], weights[places], used.size, curves, added, 0.0)
        return parts

    @staticmethod
    def identity(parts: Mapping[Key, Block], table: FeatureTable) -> str:
        """Return a hash of a release by which it is known again when it is played again; "" for none.

        Equal hashes have equal coefficients of features that were made, in the same order, from the same numbers of the
        same data: see `FeatureTable.history`. So they have the same norm of each change of a datum.
        """
        if not parts or table.history is None:
            return ""
        found = hashlib.blake2b(table.history, digest_size=16)
        for key, (rows, features, weights, _, _, rounding, _) in parts.items():
            found.update(repr((key, rounding, rows.size)).encode())
            for column in (rows, features, weights):
                found.update(column.tobytes())
        return found.hexdigest()


def _with(before: Block | None, new: Block, norm: str, loss: float) -> tuple[Block, float]:
    """Return the block with one more release, and what that is charged."""
    block = _longer(before, new)
    if block is not new and len(block.curves) > 1:
        loss = _least(block, norm, loss)
    return block, loss


def _longer(before: Block | None, new: Block) -> Block:
    """Return the block with one more release, of which nothing is paid yet; a full one is left to begin another."""
    if before is None or before.entries + new.entries > _MOST_ENTRIES:
        return new
    curves = before.curves | new.curves
    if len(curves) > _MOST_ENTRIES:
        return new
    return Block(
        np.concatenate([before.rows, new.rows + before.entries]),
        np.concatenate([before.features, new.features]),
        np.concatenate([before.weights, new.weights]),
        before.entries + new.entries,
        curves,
        before.rounding + new.rounding,
        before.paid,
    )


def _least(block: Block, norm: str, loss: float) -> float:
    """Return what the last release of a block has to be charged, if it costs so much alone."""
    columns = {feature: column for column, feature in enumerate(block.curves)}
    matrix = np.zeros((block.entries, len(columns)))
    matrix[block.rows, [columns[feature] for feature in block.features.tolist()]] = block.weights
    parts = joined({columns[feature]: curve for feature, curve in block.curves.items()})
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        total = largest_change(norm, matrix, parts) * (1.0 + _SLACK) + block.rounding * (1.0 + _SLACK)
    owed = total - block.paid if norm == "l1" else math.sqrt(max(total * total * (1.0 + _SLACK) - block.paid, 0.0))
    return max(math.nextafter(owed, math.inf), 0.0) if owed < loss * (1.0 - _LEAST) else loss
