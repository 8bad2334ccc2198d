"""The sparse vector technique: which queries, in order, are above a threshold?

Lyu, Su and Li (2017), "Understanding the sparse vector technique for differential privacy", Figure 1, compare six
published versions: 1 (theirs) and 2 (Dwork and Roth) are private, 3 to 6 are not. Two more broken ones here are
version 1 with a scale that is easily mistaken.
"""

import itertools

import numpy as np

from .twins import Twins, largest_log_ratio

ENDED = -1
"""Answer to a query after the last positive one that is allowed."""

NEGATIVE, AFTER = 20.0, 30.0
"""The same among numbers: values that a noisy query hardly has."""

THRESHOLD = 0.0
EPSILON_1 = EPSILON_2 = 0.5


def sparse_vector(threshold, query, limit=None, *, redraw=False, numbers=False):
    """Return a mechanism that answers 1 when query + noise >= THRESHOLD + noise, and 0 otherwise.

    Parameters
    ----------
    threshold, query : scales of the two noises, 0 for none.
    limit : positive answers after which it ends.
    redraw : draw a new noise of the threshold after every positive answer.
    numbers : answer with the noisy query itself instead of 1, with NEGATIVE instead of 0, and AFTER when it has ended.

    """

    def answer(data, rng, runs):
        answers = np.zeros((runs, data.shape[1]))
        bar = THRESHOLD + rng.laplace(size=runs) * threshold
        positive = np.zeros(runs, int)
        for i, value in enumerate(data[0]):
            noisy = value + rng.laplace(size=runs) * query
            above = noisy >= bar
            answers[:, i] = np.where(above, noisy, NEGATIVE) if numbers else above
            if limit:
                answers[positive >= limit, i] = AFTER if numbers else ENDED
                above &= positive < limit
            positive += above
            if redraw:
                bar = np.where(above, THRESHOLD + rng.laplace(size=runs) * threshold, bar)
        return answers if numbers else answers.astype(int)

    return answer


def law(threshold, query, limit=None):
    """Return the law of `sparse_vector`, by the trapezoid rule over the noise of the threshold."""
    units = np.linspace(-30.0, 30.0, 30_001)
    z, weight = units * threshold, np.exp(-np.abs(units)) * (units[1] - units[0]) / 2.0

    def probability(queries, answers):
        inner = weight
        for value, answer in zip(queries, answers, strict=True):
            t = (THRESHOLD + z - value) / query
            above = np.where(t > 0.0, 0.5 * np.exp(-np.maximum(t, 0.0)), 1.0 - 0.5 * np.exp(np.minimum(t, 0.0)))
            inner = inner * (above if answer else 1.0 - above)
        return inner.sum()

    def loss(first, second):
        outputs = []
        for full in itertools.product((0, 1), repeat=first.shape[1]):
            stop = next((i + 1 for i in range(len(full)) if limit and sum(full[: i + 1]) == limit), len(full))
            outputs.append(full[:stop])
        laws = (
            [probability(data[0, : len(answers)], answers) for answers in dict.fromkeys(outputs)]
            for data in (first, second)
        )
        return largest_log_ratio(*laws)

    return loss


def _queries(count):
    """Return options for one datum that has an answer to each query; replacing it moves all of them."""
    return {"arms": count, "horizon": 1}


def _version_1(limit):
    return sparse_vector(1.0 / EPSILON_1, 2.0 * limit / EPSILON_2, limit)


def _version_2(limit):
    return sparse_vector(limit / EPSILON_1, 2.0 * limit / EPSILON_2, limit, redraw=True)


TWINS = [
    Twins(
        "sparse vector 3",
        "answers with the noisy query that was compared, so the threshold is below it (Roth 2011)",
        sparse_vector(2.0, 2.0, 1, numbers=True),
        _version_1(1),
        runs=50_000,
        options=_queries(6),
    ),
    Twins(
        "sparse vector 4",
        "the noise of the queries does not grow with the number of positive answers (Lee and Clifton 2014)",
        sparse_vector(4.0, 4.0 / 3.0, 3),
        _version_1(3),
        runs=50_000,
        options=_queries(6),
        law=law(4.0, 4.0 / 3.0, 3),
    ),
    Twins(
        "sparse vector 5",
        "no noise on the queries (Stoddard, Chen and Machanavajjhala 2014)",
        sparse_vector(2.0, 0.0),
        _version_1(2),
        options=_queries(4),
    ),
    Twins(
        "sparse vector 6",
        "no limit on the number of positive answers (Chen, Xiao, Zhang and Xu 2015)",
        sparse_vector(2.0, 2.0),
        _version_1(2),
        runs=50_000,
        options=_queries(6),
        law=law(2.0, 2.0),
    ),
    Twins(
        "sparse vector with half of the query noise",
        "the noise of monotone queries, c / epsilon_2 instead of 2 c / epsilon_2, on others",
        sparse_vector(2.0, 2.0, 1),
        _version_1(1),
        runs=100_000,
        options=_queries(4),
        law=law(2.0, 2.0, 1),
    ),
    Twins(
        "sparse vector without noise on the threshold",
        "every negative answer costs budget, not only the positive ones",
        sparse_vector(0.0, 2.0, 1),
        _version_2(1),
        options=_queries(4),
        law=law(0.0, 2.0, 1),
    ),
]
