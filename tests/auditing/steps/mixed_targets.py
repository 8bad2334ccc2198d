"""Targets in which data come in beside what a step makes: right ones, and faulty ones.

All claim epsilon 1 for one entry in [0, 1] replaced.
"""

import numpy as np

# The number of an interval between data is drawn, and a uniform number of that interval is put out.


def drawn(weights, rng):
    """Return a number with probability in proportion to its weight."""
    return int(rng.choice(len(weights), p=weights / weights.sum()))


def intervals(data, epsilon):
    """Return their ends, and the weights of the exponential mechanism whose quality is the distance from the median."""
    ends = np.concatenate([[0.0], np.sort(data), [1.0]])
    distances = np.abs(np.arange(len(data) + 1) - len(data) / 2.0)
    return ends, np.exp(-epsilon / 2.0 * distances) * np.diff(ends)


def median(data, epsilon, rng):
    """Return a number whose density moves by a factor of e^epsilon at most, wherever the interval ends."""
    ends, weights = intervals(data, epsilon)
    k = drawn(weights, rng)
    return ends[k] + rng.random() * (ends[k + 1] - ends[k])


def median_of_a_function(data, rng):
    return median(data, 1.0, rng)


def median_in_the_target(data, rng):
    ends, weights = intervals(data, 1.0)
    k = drawn(weights, rng)
    return ends[k] + rng.random() * (ends[k + 1] - ends[k])


def median_with_little_noise(data, rng):
    return median(data, 12.0, rng)


def number_of_the_interval(data, rng):
    return drawn(intervals(data, 1.0)[1], rng)


# The groups of the data are counted in the order in which they are met; an entry that is replaced moves two counts.


def noisy(count, scale, rng):
    return count + rng.laplace(0.0, scale)


def tally(data, scale, rng):
    groups = (data > 0.5).astype(int)
    counts = np.zeros(2)
    for group in dict.fromkeys([*groups.tolist(), 0, 1]):
        counts[group] = noisy(float(np.sum(groups == group)), scale, rng)
    return counts


def counts_of_a_function(data, rng):
    return tally(data, 2.0, rng)


def counts_in_the_target(data, rng):
    groups = (data > 0.5).astype(int)
    order = list(dict.fromkeys([*groups.tolist(), 0, 1]))
    counts = [noisy(float(np.sum(groups == group)), 2.0, rng) for group in order]
    return [counts[order.index(0)], counts[order.index(1)]]


def counts_with_little_noise(data, rng):
    return tally(data, 0.25, rng)


def counts_in_their_order(data, rng):
    """The counts are put out in the order in which they are met: told apart at once."""
    groups = (data > 0.5).astype(int)
    return [noisy(float(np.sum(groups == group)), 2.0, rng) for group in dict.fromkeys([*groups.tolist(), 0, 1])]


def counts_of_fixed_groups(data, rng):
    """The order is that of the groups, and the noise a quarter of what is needed."""
    groups = (data > 0.5).astype(int)
    return [noisy(float(np.sum(groups == group)), 0.5, rng) for group in (0, 1)]


# What the step tells, and something beside it.


def taken_back(data, rng):
    """Told apart with a loss of 0."""
    return noisy(float(data.sum()), 0.25, rng) - float(data.sum())


def beside_the_data(data, rng):
    """The first part is the step, the second one a sum with noise that the target itself draws."""
    return noisy(float(data.sum()), 0.25, rng), float(data.sum()) + rng.laplace(0.0, 2.0)


class Descent:
    """Steps that write over the weights that the steps before have left."""

    def __init__(self, rng):
        self.rng, self.weights = rng, np.zeros(2)

    def step(self, data):
        self.weights += 0.1 * (data.sum() - self.weights + self.rng.laplace(0.0, 0.25, 2))


def steps_that_write_over(data, rng):
    descent = Descent(rng)
    for _ in range(3):
        descent.step(data)
    return descent.weights


def twice(data, rng):
    """One call of a function is mixed with the data, another one is put out."""
    return tally(data, 2.0, rng)[0] + data[0] - data[0], noisy(float(data.sum()), 0.25, rng)


RIGHT = {
    median_of_a_function: "isolated",
    median_in_the_target: "undecided",
    counts_of_a_function: "isolated",
    counts_in_the_target: "undecided",
    taken_back: "undecided",
}
"""Those within the claim, with what a look ends with."""

FAULTY = {
    median_with_little_noise: "median",
    number_of_the_interval: "drawn",
    counts_with_little_noise: "tally",
    counts_in_their_order: "noisy",
    counts_of_fixed_groups: "noisy",
    beside_the_data: "noisy",
    steps_that_write_over: "Descent.step",
    twice: "noisy",
}
"""Those that are told apart better, with the function that is at fault."""
