"""Ninety correct functions of data, in as many ways of writing them: none is refused.

Independent runs are refused with probability at most 1.25e-6, hence one of these with probability 1.2e-4; the seeds are
fixed.
"""

import warnings

import numpy as np
import pytest

from privcheck.auditing._harness.checked_runs import check_runs
from privcheck.targets import MechanismRunner, StreamPair

from .noise_sources import SOURCES
from .test_correct_policies import POLICIES


def alone(draw, data):
    return float(data.sum() + draw())


def rounded(draw, data):
    return round(data.sum() + draw())


def sign(draw, data):
    return bool(data.sum() + draw() > 0.5)


def pair(draw, data):
    return int(draw() > 0.0), data.sum() + draw()


def array(draw, data):
    data += np.array([draw() for _ in data])
    return data


def nested(draw, data):
    return [[draw(), data.sum() + draw()], (int(draw() > 1.0),)]


def of_any_length(draw, data):
    return [int(draw() > 0.0) for _ in range(1 + int(abs(draw())))]


ONE_BY_ONE = [alone, rounded, sign, pair, array, nested, of_any_length]


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("shape", ONE_BY_ONE[:5])
def test_functions_of_one_run(shape, source):
    passes(lambda data, rng: shape(source(rng), data))


@pytest.mark.parametrize("shape", ONE_BY_ONE[5:])
def test_outputs_of_many_parts(shape):
    passes(lambda data, rng: shape(rng.laplace, data))


def vectorised(data, rng, runs):
    return data.sum() + rng.laplace(size=runs)


def in_rows(data, rng, runs):
    return data.sum() + rng.laplace(size=(runs, 5)).cumsum(axis=1)


def transposed(data, rng, runs):
    return (data.sum() + rng.laplace(size=(5, runs))).T


def cubes(data, rng, runs):
    return data.sum() + rng.laplace(size=(runs, 2, 3))


def one_after_the_other(data, rng, runs):
    return np.array([data.sum() + rng.laplace() for _ in range(runs)])


def generators_of_their_own(data, rng, runs):
    return np.array([data.sum() + child.laplace() for child in rng.spawn(runs)])


def in_chunks(data, rng, runs):
    return data.sum() + np.concatenate([rng.laplace(size=min(4, runs - at)) for at in range(0, runs, 4)])


def in_place(data, rng, runs):
    out = np.empty(runs)
    rng.random(out=out)
    return data.sum() + out


def integers(data, rng, runs):
    return rng.geometric(0.4, runs) - rng.geometric(0.4, runs) + int(data.sum())


def booleans(data, rng, runs):
    return rng.random((runs, 3)) < 0.3 + 0.1 * data.sum()


def arg_max(data, rng, runs):
    return np.argmax(rng.exponential(size=(runs, 4)), axis=1)


def shuffled(data, rng, runs):
    noise = rng.laplace(size=runs)
    rng.shuffle(noise)
    return data.sum() + noise


def rejected(data, rng, runs):
    out = []
    while len(out) < runs:
        out.extend(x for x in rng.normal(size=runs) if abs(x) < 2.0)
    return data.sum() + np.array(out[:runs])


def rare(data, rng, runs):
    return rng.random((runs, 40)) < 0.003


def heavy_tails(data, rng, runs):
    return data.sum() + rng.standard_cauchy(runs)


def infinite(data, rng, runs):
    return np.where(rng.random(runs) < 0.1, np.inf, data.sum() + rng.laplace(size=runs))


def constant(data, rng, runs):
    return np.full((runs, 2), 3.0)


def one_constant(data, rng, runs):
    return np.full(runs, 3.0)


def no_output(data, rng, runs):
    return np.zeros((runs, 0))


def jumped_once(data, rng, runs):
    return data.sum() + np.random.Generator(rng.bit_generator.jumped()).laplace(size=runs)


MANY = [
    vectorised,
    in_rows,
    transposed,
    cubes,
    one_after_the_other,
    generators_of_their_own,
    in_chunks,
    in_place,
    integers,
    booleans,
    arg_max,
    shuffled,
    rejected,
    rare,
    heavy_tails,
    infinite,
    constant,
    one_constant,
    no_output,
    jumped_once,
]


@pytest.mark.parametrize("function", MANY)
def test_functions_of_many_runs(function):
    passes(function)


def passes(function):
    check_runs(MechanismRunner(function), [StreamPair(np.zeros(3), np.array([1.0, 0.0, 0.0]))], 3, 2000)


def test_there_are_two_hundred_correct_harnesses():
    assert len(POLICIES) + 5 * len(SOURCES) + 2 + len(MANY) >= 200


def test_outputs_near_the_largest_float():
    """The sum of their parts would overflow."""

    def huge(data, rng, runs):
        return 1.7e308 * np.tanh(data.sum() + rng.normal(size=(runs, 20)))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        passes(huge)
