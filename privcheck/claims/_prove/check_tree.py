"""A second look at a proof: the tree is walked again, and every leaf is checked in another arithmetic."""

from __future__ import annotations

from fractions import Fraction

from privcheck.claims._claim import Reading, Relation
from privcheck.claims._precise_intervals import intervals
from privcheck.claims._prove.bisection import Box, Tree, leaf_of, zero_faces


def check_tree(reading: Reading, tree: Tree, *, bits: int = 80) -> float:
    """Return the share of the box that the leaves of a tree prove, by mpmath's intervals instead of those of floats.

    The parts are made from the tree's bisections alone, so that they cover the box whatever the tree says.

    Parameters
    ----------
    reading : the statement and its domain.
    tree : of a `Proof`.
    bits : precision of the intervals.
    """
    says = reading.says
    assert isinstance(says, Relation)
    box: Box = {of.name: of.proved for of in reading.variables}
    faces = zero_faces(reading)
    whole = {of.name for of in reading.variables if of.integer}
    share = 0.0
    waiting: list[tuple[Box, Tree, float]] = [(box, tree, 1.0)]
    while waiting:
        part, node, size = waiting.pop()
        if "split" in node:
            name, at = node["split"], Fraction(node["at"])
            low, high = part[name]
            if not low <= at <= high:
                raise ValueError(f"{name} is split outside of its range")
            above = at + 1 if name in whole else at
            waiting.append((part | {name: (low, at)}, node["low"], size / 2))
            waiting.append((part | {name: (above, high)}, node["high"], size / 2))
        elif node and leaf_of(reading, says.gap, faces, part, box, intervals(bits)):
            share += size
    return share
