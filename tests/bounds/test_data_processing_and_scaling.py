"""Divergences cannot grow when outcomes are sorted into bins, and do not change with the unit of the rewards."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from privcheck.bounds import THEOREMS, Instance, family
from privcheck.bounds._clipping import atoms, clipped_divergence
from privcheck.bounds.families import Exponential, Gaussian, Poisson, TwoPoint

LAWS = {
    "gaussian": (-2.0, 2.0, lambda mean: stats.norm(mean, 1)),
    "exponential": (0.2, 5.0, lambda mean: stats.expon(scale=mean)),
    "poisson": (0.2, 12.0, lambda mean: stats.poisson(mean)),
}
QUANTITIES = ("kl", "tv", "hellinger")


def binned(law, cuts):
    """Probabilities of the bins between the cuts, from scipy; the upper tails by survival functions."""
    edges = np.concatenate(([-np.inf], np.unique(cuts), [np.inf]))
    lower, upper = np.diff(law.cdf(edges)), -np.diff(law.sf(edges))
    return np.where(law.cdf(edges[:-1]) < 0.5, lower, upper)


def of_bins(p, q, epsilon):
    """The five divergences of two finite laws, from their definitions."""
    seen = p > 0
    return {
        "kl": float(np.sum(p[seen] * np.log(p[seen] / q[seen]))),
        "tv": float(np.abs(p - q).sum() / 2),
        "hellinger": math.sqrt(max(0.0, float(np.sum((np.sqrt(p) - np.sqrt(q)) ** 2) / 2))),
        "hockey_stick": float(np.maximum(p - math.exp(epsilon) * q, 0).sum()),
        "d_epsilon": clipped_divergence(atoms(p, q), epsilon).lower,
    }


def of_family(kind, p, q, epsilon):
    found = {name: float(getattr(kind, name)(p, q)) for name in QUANTITIES}
    return found | {
        "hockey_stick": float(kind.hockey_stick(p, q, epsilon)),
        "d_epsilon": kind.d_epsilon(p, q, epsilon).upper,
    }


@settings(derandomize=True, deadline=None, max_examples=100)
@given(
    name=st.sampled_from(sorted(LAWS)),
    shares=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    cuts=st.lists(st.floats(0.01, 0.99), min_size=1, max_size=8),
    epsilon=st.floats(0.01, 5),
)
def test_bins_know_less(name, shares, cuts, epsilon):
    bottom, top, law = LAWS[name]
    p, q = (bottom + (top - bottom) * share for share in shares)
    assume(abs(p - q) > 1e-3)
    whole = of_family(family(name), p, q, epsilon)
    known = of_bins(*(binned(law(mean), law((p + q) / 2).ppf(cuts)) for mean in (p, q)), epsilon)
    for quantity, value in known.items():
        assert value <= whole[quantity] * (1 + 1e-9) + 1e-12


@pytest.mark.parametrize("name", sorted(LAWS))
def test_many_bins_know_nearly_everything(name):
    """So the inequality above is not an empty one: a hundredth less would break it."""
    bottom, top, law = LAWS[name]
    p, q = bottom + 0.3 * (top - bottom), bottom + 0.6 * (top - bottom)
    cuts = np.arange(60) if name == "poisson" else law((p + q) / 2).ppf(np.linspace(0.0002, 0.9998, 3000))
    known = of_bins(*(binned(law(mean), cuts) for mean in (p, q)), 0.4)
    for quantity, value in of_family(family(name), p, q, 0.4).items():
        assert 0.99 * value < known[quantity] <= value * (1 + 1e-9)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    scale=st.floats(-3, 3),
    means=st.tuples(st.floats(0.1, 3), st.floats(0.1, 3)),
    epsilon=st.floats(0.01, 5),
)
def test_the_unit_of_the_rewards_does_not_matter(scale, means, epsilon):
    p, q = means
    assume(abs(p - q) > 1e-3)
    scale = 10**scale
    for one, other in ((Gaussian(), Gaussian(variance=scale**2)), (Exponential(), Exponential())):
        first, second = of_family(one, p, q, epsilon), of_family(other, scale * p, scale * q, epsilon)
        for quantity, value in first.items():
            assert second[quantity] == pytest.approx(value, rel=1e-8, abs=1e-13)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(means=st.tuples(st.floats(0.01, 0.99), st.floats(0.01, 0.99)), epsilon=st.floats(0.01, 5))
def test_two_point_laws_are_stretched_bernoulli_laws(means, epsilon):
    p, q = means
    assume(abs(p - q) > 1e-3)
    first = of_family(family("bernoulli"), p, q, epsilon)
    for quantity, value in of_family(TwoPoint(), 2 * p - 1, 2 * q - 1, epsilon).items():
        assert value == pytest.approx(first[quantity], rel=1e-9, abs=1e-13)


def test_poisson_laws_have_a_unit():
    """Counts twice as large tell more: the check of units fires where there is one."""
    assert Poisson().kl(2.0, 6.0) == pytest.approx(2 * Poisson().kl(1.0, 3.0))
    assert Poisson().d_epsilon(2.0, 6.0, 0.5).value > 1.1 * Poisson().d_epsilon(1.0, 3.0, 0.5).value


@settings(derandomize=True, deadline=None, max_examples=8)
@given(
    scale=st.floats(0.01, 100),
    means=st.lists(st.integers(1, 30), min_size=2, max_size=4, unique=True),
    epsilon=st.floats(0.05, 5),
)
def test_bounds_of_gaussian_arms_scale_with_their_unit(scale, means, epsilon):
    """Regret is measured in the unit of the rewards, pulls are not."""
    one = Instance("gaussian", [m / 10 for m in means], epsilon=epsilon, risk=0.01)
    other = Instance("gaussian", [scale * m / 10 for m in means], epsilon=epsilon, risk=0.01, variance=scale**2)
    for name, power in (("azize-basu-2022/thm3", 1), ("azize-basu-2022/thm3-tight", 1), ("jourdan-azize-2025/thm2", 0)):
        first, second = (THEOREMS[name].evaluate(instance) for instance in (one, other))
        value = (first.constant, second.constant) if first.asymptotic else (first.value, second.value)
        assert value[1] == pytest.approx(value[0] * scale**power, rel=1e-8)
