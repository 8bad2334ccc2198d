"""Laws on lattices: which dominates which, what a window leaves out, and the rounding of a transform."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from scipy import stats

from privcheck.accounting import DiscreteLaplacePair, LaplacePair, ResponsePair
from privcheck.accounting._lattice_law import LONGEST, TAIL, LatticeLaw, lattice_law
from privcheck.accounting._tilted_sum import STAGE


def delta(law: LatticeLaw, epsilon: float) -> float:
    return float(np.sum(law.masses * np.maximum(-np.expm1(epsilon - law.losses), 0.0)))


def laplace(epsilon: float, at: float) -> float:
    return -math.expm1(at) if at <= -epsilon else max(0.0, -math.expm1((at - epsilon) / 2.0))


@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 1.0, 8.0])
@pytest.mark.parametrize("count", [1, 1000, 10**5])
def test_laplace_noise_lies_between_both_ends(epsilon, count):
    upper, lower = (lattice_law(LaplacePair(epsilon), count, 0.5, upper=end) for end in (True, False))
    places = np.linspace(-1.2 * epsilon, epsilon, 777).tolist()
    for law in (upper, lower):
        assert law.masses.sum() == pytest.approx(1.0, abs=1e-14)
        assert np.sum(law.masses * np.exp(-law.losses)) == pytest.approx(1.0, abs=1e-13)
    for at in places:
        exact = laplace(epsilon, at)
        assert delta(lower, at) <= exact + 1e-15
        assert delta(upper, at) >= exact - 1e-15
    assert max(delta(upper, at) - delta(lower, at) for at in places) < 0.1 * laplace(epsilon, 0.0)


@pytest.mark.parametrize(("epsilon", "distance"), [(1.0, 10**4), (6.0, 10**5), (0.5, 2 * 10**6)])
def test_discrete_laplace_noise_on_a_coarser_lattice(epsilon, distance):
    pair, count = DiscreteLaplacePair(epsilon, distance), 10**5
    upper, lower = (lattice_law(pair, count, 0.5, upper=end) for end in (True, False))
    own = LatticeLaw(-epsilon, 2.0 * epsilon / distance, pair.atoms[1])
    assert len(upper.masses) < len(own.masses)
    for at in np.linspace(-epsilon, epsilon, 60).tolist():
        assert delta(lower, at) <= delta(own, at) + 1e-12
        assert delta(upper, at) >= delta(own, at) - 1e-12


def test_releases_that_do_not_fit():
    assert lattice_law(ResponsePair(1e-7), 10**14, 1.0, upper=True) is None
    assert lattice_law(ResponsePair(1e-4), 10**8, 1.0, upper=True).window(10**8, 1.0)[1] < LONGEST + 10**8


@pytest.mark.chance(0.0, "nothing in it is random")
@pytest.mark.parametrize("tilt", [0.0, 2.0, 30.0])
def test_a_window_leaves_out_no_more_than_it_says(tilt):
    """The number of truths among many responses is binomial, when tilted too."""
    law, count = LatticeLaw(-0.01, 0.02, np.array([0.4, 0.6])), 10**6
    low, high = law.window(count, tilt)
    kept = law.tilted(tilt)[1]
    assert stats.binom.cdf(low - 1, count, kept) <= TAIL
    assert stats.binom.sf(high, count, kept) <= TAIL
    assert high - low < 25.0 * math.sqrt(count * kept * (1.0 - kept))


@pytest.mark.parametrize("length", [2**10, 2**14])
@pytest.mark.parametrize("shape", ["even", "narrow", "random"])
def test_a_transform_rounds_no_more_than_is_charged(length, shape):
    """Outputs of the transform of probabilities, and of its inverse, against 40 digits."""
    rng = np.random.default_rng(5)
    places = np.arange(length)
    weights = {"even": np.ones(length), "narrow": np.exp(-((places - 70.0) ** 2) / 50.0), "random": rng.random(length)}
    masses = weights[shape] / weights[shape].sum()
    found = np.fft.rfft(masses)
    back = np.fft.irfft(found, length)
    with mpmath.workdps(40):
        given = [(place, mpmath.mpf(mass)) for place, mass in enumerate(masses.tolist()) if mass > 1e-40]
        for output in (1, 3, int(rng.integers(length // 2)), length // 2 - 1):
            turns = mpmath.mpf(2 * output) / length
            exact = mpmath.fsum(mass * mpmath.expjpi(-turns * place) for place, mass in given)
            assert abs(mpmath.mpc(complex(found[output])) - exact) <= STAGE / 4.0 * math.log2(length)
    assert np.linalg.norm(back - masses) <= STAGE / 4.0 * math.log2(length) * np.linalg.norm(masses)
