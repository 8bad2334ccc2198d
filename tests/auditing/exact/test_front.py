"""The front: what it takes, what it refuses, its speed-independent properties, and the examples."""

import doctest
import importlib
import itertools
import math
import pkgutil
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import privcheck.auditing._exact as package
from privcheck.accounting import FiniteLaws
from privcheck.auditing._exact import exact_delta, exact_loss, worst_pair
from privcheck.bandits import ALGORITHMS
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import BinaryTree, DiscreteLaplace, Gaussian, Laplace, NoisyMax, RandomisedResponse

MODULES = [f"{package.__name__}.{found.name}" for found in pkgutil.iter_modules(package.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize("seed", range(5))
def test_finite_laws_against_all_events(seed):
    """All 2^7 events, and errors that are really made."""
    rng = np.random.default_rng(seed)
    p, q = (x / x.sum() for x in rng.exponential(size=(2, 7)) ** 2)
    subsets = [list(s) for size in range(1, 7) for s in itertools.combinations(range(7), size)]
    loss = max(abs(math.log(p[s].sum() / q[s].sum())) for s in subsets)
    errors = rng.uniform(-0.01, 0.01, (2, 7))
    laws = FiniteLaws(np.log(p) + errors[0], np.log(q) + errors[1], np.full(7, 0.01))
    assert loss in laws.loss()
    assert laws.loss().width <= 0.04 + 1e-12
    for epsilon in (0.0, 0.5, 2.0):
        delta = max(a[s].sum() - math.exp(epsilon) * b[s].sum() for s in [[0], *subsets] for a, b in ((p, q), (q, p)))
        assert max(delta, 0.0) in laws.delta(epsilon)
    careless = FiniteLaws(laws.log_first, laws.log_second, np.zeros(7))
    assert loss not in careless.loss()


def test_a_product_adds_losses():
    one = FiniteLaws(np.log([0.6, 0.4]), np.log([0.4, 0.6]), np.zeros(2))
    both = one.times(one)
    assert both.loss().value == pytest.approx(2 * math.log(1.5))
    assert both.delta(0.0).value == pytest.approx(0.36 - 0.16)


@pytest.mark.parametrize(
    ("target", "first", "second"),
    [
        (Laplace.with_scale(1.0), 0.0, 1.5),
        (DiscreteLaplace.with_scale(1.0), 0, 2),
        (RandomisedResponse(categories=3, epsilon=1.0), 0, 2),
        (NoisyMax.with_scale(1.0), [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]),
        (BinaryTree.with_scale(2.0, horizon=4), np.zeros(4), np.eye(4)[1]),
        (ALGORITHMS["adap-ucb"](arms=2, epsilon=1.5), np.zeros((6, 2)), np.eye(6, 2)),
        (ALGORITHMS["rnm-ftnl"](arms=2, epsilon=1.5), np.zeros((6, 2)), np.eye(6, 2)),
    ],
)
def test_what_every_law_of_the_loss_does(target, first, second):
    """Symmetry, delta falling with epsilon from the total variation to 0 at the loss, and pairs as objects."""
    loss = exact_loss(target, (first, second))
    assert 0.0 < loss.lower <= loss.upper
    assert exact_loss(target, (second, first)).value == pytest.approx(loss.value, rel=1e-12)
    assert exact_loss(target, SimpleNamespace(first=first, second=second)) == loss
    grid = np.linspace(0.0, loss.upper, 12)
    deltas = [exact_delta(target, (first, second), epsilon) for epsilon in grid]
    for one, two in itertools.pairwise(deltas):
        assert two.lower <= one.upper
    assert deltas[0].lower > 0.0
    assert deltas[-2].upper > 0.0
    assert deltas[-1].lower <= 1e-12
    assert deltas[0].upper <= (1 - math.exp(-loss.upper)) / (1 + math.exp(-loss.upper)) + 1e-9
    again = exact_delta(target, (second, first), 0.1 * loss.lower)
    assert again.value == pytest.approx(exact_delta(target, (first, second), 0.1 * loss.lower).value, abs=1e-5)


def test_other_targets_have_no_exact_loss():
    assert exact_loss("adap-ucb", (0, 1)) is None
    assert exact_loss(lambda data, rng: data, (0, 1)) is None
    assert exact_delta(object(), (0, 1), 1.0) is None
    assert worst_pair(ALGORITHMS["ucb"](arms=2), 4) is None


@pytest.mark.parametrize("pair", [None, 3, (1.0,), (1.0, 2.0, 3.0)])
def test_what_is_no_pair(pair):
    with pytest.raises(PrivcheckError, match="pair"):
        exact_loss(Laplace.with_scale(1.0), pair)


@pytest.mark.parametrize(
    ("target", "pair"),
    [
        (Laplace.with_scale(1.0), (0.0, math.nan)),
        (Laplace.with_scale(1.0), (np.zeros(2), np.zeros(3))),
        (Gaussian.with_scale(1.0), (np.zeros(2), np.zeros(3))),
        (Gaussian.with_scale(1.0), (0.0, math.inf)),
        (DiscreteLaplace.with_scale(1.0), (0, 0.5)),
        (RandomisedResponse(categories=2, epsilon=1.0), (0, 2)),
        (NoisyMax.with_scale(1.0), ([0.0, 1.0], [0.0, 1.0, 2.0])),
        (BinaryTree.with_scale(1.0, horizon=2), (np.zeros(3), np.ones(3))),
        (ALGORITHMS["adap-ucb"](arms=2, epsilon=1.0), (np.zeros((3, 2)), np.zeros((4, 2)))),
        (ALGORITHMS["adap-ucb"](arms=2, epsilon=1.0), (np.zeros((3, 3)), np.zeros((3, 3)))),
        (ALGORITHMS["rnm-ftnl"](arms=2, epsilon=1.0), (np.zeros((3, 2)), np.full((3, 2), math.inf))),
    ],
)
def test_inputs_that_do_not_fit_the_target(target, pair):
    with pytest.raises(PrivcheckError):
        exact_loss(target, pair)
