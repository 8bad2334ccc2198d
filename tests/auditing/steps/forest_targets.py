"""A forest of private trees, with many draws a fit, and two faults: half the noise, and splits chosen on raw data.

All claim epsilon 1 for one row of two features and a label replaced. Each tree has rows of its own. Without faults a
split is drawn without the data, and each leaf adds Laplace noise of scale 2 to the counts of its labels: a replaced row
moves them by 2 in all.
"""

import time

import numpy as np

CLAIM, TREES, DEPTH = 1.0, 4, 3
GRID = [(x, y) for x in (0.2, 0.8) for y in (0.2, 0.8)]


def waste(milliseconds):
    """Compute for some time of the processor."""
    until = time.process_time() + milliseconds / 1000
    while time.process_time() < until:
        sum(range(200))


class Node:
    def __init__(self, feature, threshold, left, right):
        self.feature, self.threshold, self.left, self.right = feature, threshold, left, right

    def votes(self, row):
        return (self.left if row[self.feature] <= self.threshold else self.right).votes(row)


class Leaf:
    def __init__(self, counts):
        self.counts = counts

    def votes(self, row):
        return self.counts


def noisy_counts(labels, scale, rng):
    """The step."""
    return np.bincount(labels, minlength=2) + rng.laplace(0.0, scale, 2)


def drawn_split(low, high, rng):
    feature = int(rng.integers(2))
    return feature, float(rng.uniform(low[feature], high[feature]))


def purest_split(rows, labels, low, high):
    """Choose on the data, without noise: not private."""

    def purity(split):
        inside = rows[:, split[0]] <= split[1]
        return sum(np.bincount(labels[part], minlength=2).max() for part in (inside, ~inside))

    shares = [(feature, share) for feature in (0, 1) for share in (0.25, 0.5, 0.75)]
    return max(((f, low[f] + share * (high[f] - low[f])) for f, share in shares), key=purity)


class Tree:
    def __init__(self, rng, scale, is_raw):
        self.rng, self.scale, self.is_raw, self.root = rng, scale, is_raw, None

    def fit(self, rows, labels):
        waste(4)
        self.root = self.grow(rows, labels, 0, [0.0, 0.0], [1.0, 1.0])
        return self

    def grow(self, rows, labels, depth, low, high):
        if depth == DEPTH:
            return Leaf(noisy_counts(labels, self.scale, self.rng))
        feature, threshold = purest_split(rows, labels, low, high) if self.is_raw else drawn_split(low, high, self.rng)
        inside, middle = rows[:, feature] <= threshold, list(low)
        ends = list(high)
        ends[feature] = middle[feature] = threshold
        left = self.grow(rows[inside], labels[inside], depth + 1, low, ends)
        return Node(feature, threshold, left, self.grow(rows[~inside], labels[~inside], depth + 1, middle, high))


class Forest:
    def __init__(self, scale, is_raw=False):
        self.scale, self.is_raw, self.trees = scale, is_raw, []

    def fit(self, data, rng):
        rows, labels = data[:, :2], (data[:, 2] > 0.5).astype(int)
        for number in range(TREES):
            own = slice(number, None, TREES)
            self.trees.append(Tree(rng, self.scale, self.is_raw).fit(rows[own], labels[own]))
        return self

    def predictions(self):
        return [int(np.argmax(sum(tree.root.votes(row) for tree in self.trees))) for row in GRID]


def forest(data, rng):
    return Forest(2.0 / CLAIM).fit(data, rng).predictions()


def halved_forest(data, rng):
    return Forest(1.0 / CLAIM).fit(data, rng).predictions()


def raw_forest(data, rng):
    """The counts of a leaf move by all rows that another split moves."""
    return Forest(2.0 / CLAIM, is_raw=True).fit(data, rng).predictions()


def counted_forest(data, rng):
    """All counts are released."""
    return np.ravel([[tree.root.votes(row) for tree in Forest(2.0 / CLAIM).fit(data, rng).trees] for row in GRID])


def with_another_label(data):
    other = data.copy()
    other[0, 2] = 1.0 - np.round(data[0, 2])
    return data, other


def one_label():
    """Two tables of 24 rows, of which one has another label: the counts of one leaf move by 2."""
    return with_another_label(np.random.default_rng(0).random((24, 3)))


def another_split():
    """Two tables of 64 rows, of which one has another label: chosen so that a split changes, and a leaf by 9 labels."""
    return with_another_label(np.random.default_rng(1203).random((64, 3)))
