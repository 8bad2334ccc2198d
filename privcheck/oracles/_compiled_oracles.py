"""The oracles in kernels: one function that finds a super arm, and one for the reward that it is expected to pay.

An index above 1 counts as 1 where values are added or multiplied: outcomes are at most 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from privcheck.arrays import Array, Integers
from privcheck.kernels import compiled, inlined

TOP_K, SHORTEST_PATH, SPANNING_TREE, COVERAGE = range(4)

UNREACHED = -1


class OracleData(NamedTuple):
    """What kernels need of a combinatorial problem.

    kind : one of the four kinds above.
    size : K, the largest number of base arms of a super arm.
    ends : shape (m, 2): for each base arm the two ends of its edge; unused for the top K.
    numbers : SHORTEST_PATH: vertices, source, target, 1 if edges have a direction; SPANNING_TREE: vertices;
    COVERAGE: left vertices, right vertices, left vertices to choose.
    """

    kind: int
    size: int
    ends: Integers
    numbers: Integers


@inlined
def top_arms(size: int, index: Array, chosen: Integers) -> int:
    """Write the `size` base arms with the largest indices in ascending order; among equal ones the lowest win.

    >>> chosen = np.zeros(2, np.int64)
    >>> top_arms(2, np.array([0.5, 0.9, 0.5]), chosen), chosen.tolist()
    (2, [0, 1])
    """
    count = 0
    for arm in range(index.shape[0]):
        if count == size and not index[arm] > index[chosen[size - 1]]:
            continue
        place = count if count < size else size - 1
        while place > 0 and index[arm] > index[chosen[place - 1]]:
            chosen[place] = chosen[place - 1]
            place -= 1
        chosen[place] = arm
        if count < size:
            count += 1
    in_order(chosen, count)
    return count


@inlined
def in_order(chosen: Integers, count: int) -> None:
    """Sort the first base arms of an array."""
    for i in range(1, count):
        arm, place = chosen[i], i
        while place > 0 and chosen[place - 1] > arm:
            chosen[place] = chosen[place - 1]
            place -= 1
        chosen[place] = arm


@compiled
def shortest_path(oracle: OracleData, index: Array, chosen: Integers) -> int:
    """Write the edges of a path of the least total of 1 - index, by Dijkstra's algorithm on an array of distances."""
    vertices, source, target, directed = oracle.numbers
    distance, reached_by = np.full(vertices, np.inf), np.full(vertices, UNREACHED)
    closed = np.zeros(vertices, np.bool_)
    distance[source] = 0.0
    while True:
        here = -1
        for v in range(vertices):
            if not closed[v] and distance[v] < np.inf and (here < 0 or distance[v] < distance[here]):
                here = v
        if here < 0 or here == target:
            break
        closed[here] = True
        for edge in range(oracle.ends.shape[0]):
            for side in range(1 if directed else 2):
                there = oracle.ends[edge, 1 - side]
                if oracle.ends[edge, side] != here or closed[there]:
                    continue
                length = distance[here] + 1.0 - min(index[edge], 1.0)
                if length < distance[there]:
                    distance[there], reached_by[there] = length, edge
    count, here = 0, target
    while here != source:
        edge = reached_by[here]
        chosen[count] = edge
        here = oracle.ends[edge, 0] if oracle.ends[edge, 1] == here else oracle.ends[edge, 1]
        count += 1
    in_order(chosen, count)
    return count


@compiled
def spanning_tree(oracle: OracleData, index: Array, chosen: Integers) -> int:
    """Write the edges of a maximum spanning tree, by Kruskal's algorithm; among equal indices the lowest come first."""
    vertices = oracle.numbers[0]
    parent, count = np.arange(vertices), 0
    for edge in np.argsort(-index, kind="mergesort"):
        one, other = oracle.ends[edge, 0], oracle.ends[edge, 1]
        while parent[one] != one:
            parent[one] = parent[parent[one]]
            one = parent[one]
        while parent[other] != other:
            parent[other] = parent[parent[other]]
            other = parent[other]
        if one != other:
            parent[one] = other
            chosen[count] = edge
            count += 1
    in_order(chosen, count)
    return count


@compiled
def greedy_coverage(oracle: OracleData, index: Array, chosen: Integers) -> int:
    """Write the edges of the left vertices that greedily cover the most, the lowest first among equal ones."""
    left, right, picks = oracle.numbers
    uncovered, taken = np.ones(right), np.zeros(left, np.bool_)
    gain = np.zeros(left)
    for _ in range(picks):
        gain[:] = 0.0
        for edge in range(oracle.ends.shape[0]):
            gain[oracle.ends[edge, 0]] += uncovered[oracle.ends[edge, 1]] * min(max(index[edge], 0.0), 1.0)
        best = -1
        for u in range(left):
            if not taken[u] and (best < 0 or gain[u] > gain[best]):
                best = u
        taken[best] = True
        for edge in range(oracle.ends.shape[0]):
            if oracle.ends[edge, 0] == best:
                uncovered[oracle.ends[edge, 1]] *= 1.0 - min(max(index[edge], 0.0), 1.0)
    count = 0
    for edge in range(oracle.ends.shape[0]):
        if taken[oracle.ends[edge, 0]]:
            chosen[count] = edge
            count += 1
    return count


@inlined
def super_arm(oracle: OracleData, index: Array, chosen: Integers) -> int:
    """Write the base arms of the super arm for these indices to `chosen`, ascending, and return how many they are."""
    if oracle.kind == TOP_K:
        return top_arms(oracle.size, index, chosen)
    if oracle.kind == SHORTEST_PATH:
        return shortest_path(oracle, index, chosen)
    if oracle.kind == SPANNING_TREE:
        return spanning_tree(oracle, index, chosen)
    return greedy_coverage(oracle, index, chosen)


@compiled
def coverage(oracle: OracleData, means: Array, chosen: Integers, count: int) -> float:
    """Return the expected number of right vertices that at least one chosen edge covers."""
    uncovered, total = np.ones(oracle.numbers[1]), 0.0
    for j in range(count):
        uncovered[oracle.ends[chosen[j], 1]] *= 1.0 - means[chosen[j]]
    for v in range(uncovered.shape[0]):
        total += 1.0 - uncovered[v]
    return total


@inlined
def expected_reward(oracle: OracleData, means: Array, chosen: Integers, count: int) -> float:
    """Return the reward of a super arm: the sum of means, minus the sum of 1 - mean on a path, or the coverage."""
    if oracle.kind == COVERAGE:
        return coverage(oracle, means, chosen, count)
    total = 0.0
    for j in range(count):
        total += means[chosen[j]]
    return total - count if oracle.kind == SHORTEST_PATH else total
