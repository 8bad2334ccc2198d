"""Faults seen in the code of others, each restated in a few lines of our own, with an argument without privcheck.

Nothing of this is on the site before its maintainers have been told: see `.github/SECURITY.md`. Each has a twin in
which the suggested change is made: its argument stays within the claim, and so does its audit.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from audits.wild.implementation import UNREPORTED, Project


@dataclass(frozen=True)
class Restated:
    """A fault, as far as it is needed to see it.

    Parameters
    ----------
    id : its name.
    project : the version in which it was seen, which was the newest one on 27 November 2026.
    what : the function.
    cause, effect, remedy : for those who maintain it.
    play : `f(data, rng)`, with the fault unless `right` is true.
    loss : the exact loss of `pair`, likewise, in the unit of the claim.
    pair : two neighbouring inputs.
    claim : what is claimed, as arguments of `privcheck.audit`.
    upstream : whether the maintainers know.

    """

    id: str
    project: Project
    what: str
    cause: str
    effect: str
    remedy: str
    play: Callable[..., Any]
    loss: Callable[..., float]
    pair: tuple[Any, Any]
    claim: dict[str, float]
    upstream: str = UNREPORTED

    @property
    def claimed(self) -> float:
        """The number that is claimed."""
        (number,) = self.claim.values()
        return number


# jodander/smooth-binary-mechanism: the noise of a node


def deviation(rho: float, *, right: bool) -> float:
    """Return the standard deviation of a node's noise for one step, where the tree has depth 2."""
    depth = 2
    variance = depth / (4 * rho)
    return math.sqrt(variance) if right else variance


def noisy_first_sum(data, rng, *, right=False):
    """Release the first prefix sum, which has the noise of one node."""
    return float(data[0]) + rng.normal(0.0, deviation(4.0, right=right))


def rho_of_first_sum(*, right=False):
    """Return rho of one Gaussian release of sensitivity 1: 1 / (2 s^2), for every order of the divergence."""
    return 1.0 / (2.0 * deviation(4.0, right=right) ** 2)


# columbia/PrivateKube: the quantile


EQUAL = [0.5] * 5
ONE_HIGHER = [0.5, 0.5, 0.5, 0.5, 1.0]


def smooth_sensitivity(values, index, beta, *, right):
    """Return the largest e^(-beta k) times what moving k more rows can move the quantile by.

    Values beyond either end of the sorted data are the ends of the range, 0 and 1; these are what the code leaves out.
    """
    size = len(values)
    padding = size if right else 0
    padded = [0.0] * padding + sorted(values) + [1.0] * padding
    middle = index + padding
    windows = itertools.product(range(middle + 1), range(middle, len(padded)))
    return max((padded[j] - padded[i]) * math.exp(-beta * (j - i - 1)) for i, j in windows)


def noisy_quantile(data, rng, *, right=False, epsilon=1.0):
    """Release the median of five rows with Cauchy noise."""
    values = [EQUAL, ONE_HIGHER][int(data[0])]
    index = math.floor((len(values) - 1) * 0.5 + 1)
    scale = 6.0 / epsilon * smooth_sensitivity(values, index, epsilon / 6.0, right=right)
    return sorted(values)[index] + scale * rng.standard_cauchy()


def loss_of_quantile(*, right=False, epsilon=1.0):
    """Return the largest loss of two Cauchy laws around one number: |ln| of the ratio of their scales.

    At scale 0 the output is a known number, which the other law has with probability 0.
    """
    scales = [smooth_sensitivity(values, 3, epsilon / 6.0, right=right) for values in (EQUAL, ONE_HIGHER)]
    return math.inf if min(scales) == 0.0 < max(scales) else abs(math.log(scales[0] / scales[1]))


# columbia/PrivateKube: the most frequent values


WITH_A_SECOND = [1, 1, 2]
WITHOUT = [1, 1]


def most_frequent(data, rng, *, right=False, epsilon=1.0):
    """Tell whether the value 2 is among the two most frequent ones."""
    rows = [WITH_A_SECOND, WITHOUT][int(data[0])]
    values = np.array([1, 2, 3]) if right else np.unique(rows)
    counts = np.array([rows.count(value) for value in values]) + rng.laplace(0.0, 1.0 / epsilon, len(values))
    return float(2 in values[np.argsort(counts)[-2:]])


def loss_of_most_frequent(*, right=False, epsilon=1.0):
    """Return the loss of "2 is named": where only values in the data can be named it is impossible without its row.

    With public values it is a function of counts with Laplace noise of scale 1 / eps, one of which moves by 1.
    """
    named = [set([1, 2, 3] if right else rows) for rows in (WITH_A_SECOND, WITHOUT)]
    return epsilon if all(2 in values for values in named) else math.inf


# multi-freq-ldpy: the report of subset selection


VALUES = 6


def sizes(epsilon):
    """Return the size of the subset, and the probability that it holds the true value."""
    size = max(1, round(VALUES / (math.exp(epsilon) + 1)))
    return size, size * math.exp(epsilon) / (size * math.exp(epsilon) + VALUES - size)


def subset(data, rng, *, right=False, epsilon=1.0):
    """Report a subset, in the order in which it was made; sorted, if right."""
    value = int(data[0])
    size, kept = sizes(epsilon)
    others = [other for other in range(VALUES) if other != value]
    if rng.random() <= kept:
        report = [value, *rng.choice(others, size - 1, replace=False)]
    else:
        report = list(rng.choice(others, size, replace=False))
    return [float(x) for x in (sorted(report) if right else report)]


def law_of_subset(value, epsilon, *, right):
    """Return the exact probability of each report."""
    size, kept = sizes(epsilon)
    others = [other for other in range(VALUES) if other != value]
    law: dict[tuple[int, ...], float] = {}
    for first, number, mass in (([value], size - 1, kept), ([], size, 1.0 - kept)):
        ways = list(itertools.permutations(others, number))
        for rest in ways:
            report = tuple(sorted([*first, *rest]) if right else [*first, *rest])
            law[report] = law.get(report, 0.0) + mass / len(ways)
    return law


def loss_of_subset(*, right=False, epsilon=1.0):
    """Return the largest loss between two values over all reports."""
    return largest_loss(*(law_of_subset(value, epsilon, right=right) for value in (0, 1)))


def largest_loss(first, second):
    """Return the largest ln of a ratio of two laws with finitely many outputs, in either direction."""
    losses = []
    for output in first.keys() | second.keys():
        p, q = first.get(output, 0.0), second.get(output, 0.0)
        losses.append(math.inf if min(p, q) == 0.0 else abs(math.log(p / q)))
    return max(losses)


# pure-ldp: the bits of RAPPOR


BITS = 4


def flip(epsilon):
    """Return f for reports whose one true bit is told from any other: ((1 - f/2) / (f/2))^2 = e^eps."""
    return 2.0 / (math.exp(epsilon / 2.0) + 1.0)


def rappor(data, rng, *, right=False, epsilon=1.0):
    """Report the bits of a value that sets the bit of its number."""
    f, report = flip(epsilon), [0.0] * BITS
    report[int(data[0])] = 1.0
    for place, bit in enumerate(report):
        u = rng.random()
        if (bit == 1.0 and u < 1.0 - 0.5 * f) or (bit == 0.0 and u < 0.5 * f):
            report[place] = 1.0
        elif right:
            report[place] = 0.0
    return report


def law_of_rappor(value, epsilon, *, right):
    """Return the exact probability of each report: without the last branch a true bit stays what it is."""
    f, law = flip(epsilon), {}
    for report in itertools.product((0, 1), repeat=BITS):
        mass = 1.0
        for place, bit in enumerate(report):
            one = (1.0 - f / 2.0 if right else 1.0) if place == value else f / 2.0
            mass *= one if bit else 1.0 - one
        law[report] = mass
    return law


def loss_of_rappor(*, right=False, epsilon=1.0):
    """Return the largest loss between two values over all reports."""
    return largest_loss(*(law_of_rappor(value, epsilon, right=right) for value in (0, 1)))


# yedtoss/swiss-sense-synergy-dp: sums under continual observation


def shares(horizon, *, right):
    """Return by what epsilon is divided: the number of levels, which is a logarithm to the base 2."""
    return math.log2(horizon) if right else math.log(horizon)


def prefix_sums(data, rng, *, right=False, epsilon=1.0, horizon=8):
    """Release the sums of the first 1, 2, 4, ... items, each of which is that of a block, with noise of its own."""
    ends = [t for t in range(1, horizon) if t & (t - 1) == 0]
    scale = shares(horizon, right=right) / epsilon
    return [float(np.sum(data[:t])) + rng.laplace(0.0, scale) for t in ends]


def loss_of_prefix_sums(*, right=False, epsilon=1.0, horizon=8):
    """Return the loss of the first item: it is in the blocks that end at 1, 2, 4, each with fresh noise.

    The sums at these times are these blocks, so that all of them are released.
    """
    blocks = sum(1 for t in range(1, horizon) if t - (t & -t) == 0)
    return blocks * epsilon / shares(horizon, right=right)


def hybrid_sums(data, rng, *, right=False, epsilon=1.0):
    """Release n times the mean of the first n items, n = 1 to 4: by powers of two, and blocks between them."""
    each = epsilon / 2.0 if right else epsilon
    released, last, out = 0.0, 0.0, []
    for n, item in enumerate(data[:4], start=1):
        released += float(item)
        if n & (n - 1) == 0:
            released += rng.laplace(0.0, 1.0 / each)
            last = released
            out.append(released)
        else:  # a block mechanism for two items, with one level
            out.append(last + float(item) + rng.laplace(0.0, shares(2, right=right) / each))
    return out


def loss_of_hybrid_sums(*, right=False, epsilon=1.0):
    """Return the loss of the third item: once in the block at 3, and once more in the sum at 4, with fresh noise."""
    each = epsilon / 2.0 if right else epsilon
    return each / shares(2, right=right) + each


KUBE = Project("PrivateKube", "14f575e", "Apache-2.0", owner="columbia")
SWISS = Project("swiss-sense-synergy-dp", "b7de4c4", "none stated", owner="yedtoss")
FIRST_OF_SEVEN = ([1.0] * 7, [0.0] + [1.0] * 6)

# eeprivacy: the mean of vectors


SWAPPED = ([0.0, 1.0], [1.0, 0.0])


def vector(data, rng, *, right=False):
    """Release both entries, whose sum of differences is 2, with noise of that scale: one number for both."""
    return data + rng.laplace(0.0, 2.0, size=2 if right else 1)


def loss_of_vector(*, right=False):
    """Return the loss of the two: one number cancels in the difference of the entries, which shows that of the data."""
    return float(np.abs(np.subtract(*SWAPPED)).sum()) / 2.0 if right else math.inf


EVERYTHING = (
    Restated(
        "smooth-binary-noise",
        Project("smooth-binary-mechanism", "1795acf", "MIT", owner="jodander"),
        "`smooth_binary_mechanism_noise` and `binary_mechanism_noise`",
        "the variance of a node is given to `noise_generator` as its second argument, which numpy reads as the "
        "standard deviation",
        "where the variance is below 1, that is, for rho above a quarter of the depth (half of it in the binary "
        "mechanism), the noise is too small; elsewhere it is larger than needed, and results improve with the change",
        "call `noise_generator(0, np.sqrt(variance), size=dimensions)`",
        noisy_first_sum,
        rho_of_first_sum,
        ([0.0], [1.0]),
        {"rho": 4.0},
    ),
    Restated(
        "privatekube-quantile",
        KUBE,
        "`private_quantile`",
        "the smooth sensitivity looks only at differences within the data: `min_value` and `max_value` are checked, "
        "but do not stand for the rows beyond either end",
        "where all rows that are looked at are equal there is no noise at all",
        "let the sorted data be preceded by `min_value` and followed by `max_value`, as in Nissim, Raskhodnikova and "
        "Smith (2007)",
        noisy_quantile,
        loss_of_quantile,
        ([0.0], [1.0]),
        {"epsilon": 1.0},
    ),
    Restated(
        "privatekube-top-k",
        KUBE,
        "`private_top_k`",
        "the candidates are the values that occur, `np.unique(x)`",
        "a value that one row alone has is named if there are few others, and never without that row",
        "take the list of possible values as an argument, or leave out noisy counts below a threshold that is chosen "
        "for delta",
        most_frequent,
        loss_of_most_frequent,
        ([0.0], [1.0]),
        {"epsilon": 1.0},
    ),
    Restated(
        "multi-freq-ldpy-subset",
        Project("multi-freq-ldpy", "0.2.5", "MIT", package="multi-freq-ldpy"),
        "`SS_Client`",
        "if the true value is in the subset, it stands in its first place",
        "the order tells more than the set, which is private: a value in another place is not the true one",
        "shuffle or sort the subset before it is returned; the aggregators do not look at its order",
        subset,
        loss_of_subset,
        ([0.0], [1.0]),
        {"epsilon": 1.0},
    ),
    Restated(
        "pure-ldp-rappor",
        Project("pure-ldp", "1.2.0", "MIT", package="pure-ldp"),
        "`RAPPORClient`",
        "`_perturb` sets bits in the array that it reads, and has no branch that clears one",
        "a bit of the true value is always set, so that a report without it excludes the value",
        "write into a new array of zeros, as version 1.2.0 does in `UEClient`",
        rappor,
        loss_of_rappor,
        ([0.0], [1.0]),
        {"epsilon": 1.0},
    ),
    Restated(
        "swiss-sense-binary",
        SWISS,
        "`BinaryMechanism`",
        "epsilon is divided by `np.log(horizon)`, the natural logarithm, and there are log2(horizon) levels",
        "an item of the first round loses 1 / ln 2 = 1.44 times epsilon",
        "divide by `np.ceil(np.log2(horizon))`, the length of `alpha`",
        prefix_sums,
        loss_of_prefix_sums,
        FIRST_OF_SEVEN,
        {"epsilon": 1.0},
    ),
    Restated(
        "swiss-sense-hybrid",
        SWISS,
        "`HybridMechanism`, `mean`",
        "both parts are made with epsilon, and each item is in both; a comment says that epsilon / 2 was left out on "
        "purpose",
        "an item loses epsilon in the logarithmic part and at least epsilon in the binary part",
        "give epsilon / 2 to each, or state 2 epsilon as what is spent",
        hybrid_sums,
        loss_of_hybrid_sums,
        ([1.0] * 4, [1.0, 1.0, 0.0, 1.0]),
        {"epsilon": 1.0},
    ),
    Restated(
        "eeprivacy-vector-mean",
        Project("eeprivacy", "0.0.5", "Apache-2.0", package="eeprivacy"),
        "`PrivateVectorClampedMeanLaplace`",
        "`LaplaceMechanism.execute` draws one number, which is added to all entries of the vector",
        "the differences of the entries are released without noise",
        "call `execute_batch`, as the mean with Gaussian noise does",
        vector,
        loss_of_vector,
        SWAPPED,
        {"epsilon": 1.0},
    ),
)
