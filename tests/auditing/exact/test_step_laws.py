"""Densities with steps, against finite sums: an exponential mechanism, or a histogram, has no other ones."""

import math

import numpy as np
import pytest
from scipy import stats

import privcheck
from privcheck import PrivcheckError, bound_from_laws
from privcheck.auditing import fit_of_law
from privcheck.testing import PrivacyFailure, assert_law


class Cells:
    """A density of exp(values) on cells, known up to a factor unless said otherwise."""

    def __init__(self, edges, values, *, normalised=False):
        self.edges, self.values, self.normalised = np.asarray(edges, float), np.asarray(values, float), normalised
        if normalised:
            self.values = self.values - math.log(self.mass())

    def logpdf(self, x):
        cells = np.searchsorted(self.edges, x, side="right") - 1
        return self.values[np.clip(cells, 0, len(self.values) - 1)]

    def support(self):
        return float(self.edges[0]), float(self.edges[-1])

    def mass(self):
        return math.fsum(np.diff(self.edges) * np.exp(self.values))

    def sample(self, rng, count, *, moved=0.0):
        """Draw exactly, but with so much less probability in the most probable cell, and more in the others."""
        chances = np.diff(self.edges) * np.exp(self.values) / self.mass()
        top = np.argmax(chances)
        share = chances[top] - moved
        chances *= (1.0 - share) / (1.0 - chances[top])
        chances[top] = share
        cells = rng.choice(len(chances), size=count, p=chances)
        return self.edges[cells] + rng.random(count) * np.diff(self.edges)[cells]


def median(data, epsilon, **options):
    """The exponential mechanism for a median of data in [0, 1]."""
    edges = [0.0, *sorted(data), 1.0]
    return Cells(edges, [-epsilon / 2.0 * abs(below - len(data) / 2.0) for below in range(len(data) + 1)], **options)


def loss(one, two):
    """The largest log-ratio of two densities on cells."""
    edges = np.unique(np.concatenate([one.edges, two.edges]))
    middles = edges[:-1] + np.diff(edges) / 2.0
    with np.errstate(invalid="ignore"):
        ratios = one.logpdf(middles) - two.logpdf(middles) + math.log(two.mass() / one.mass())
    return float(np.nanmax(np.abs(ratios)))


def random_cells(count, seed, height=1.0):
    rng = np.random.default_rng([count, seed])
    edges = np.concatenate([[0.0], np.sort(rng.random(count - 1)), [1.0]])
    return [(edges, height * (rng.random(count) < 0.5)) for _ in range(2)]


def narrow(width, mass, place):
    height = math.log(mass / (1.0 - mass) * (1.0 - width) / width)
    return [([0.0, place, place + width, 1.0], [0.0, height - less, 0.0]) for less in (0.0, 1.0)]


def clustered(count, width, gone):
    data = 0.3 + width * np.random.default_rng(0).random(count)
    return [data, np.where(np.arange(count) == np.argsort(data)[count // 2], gone, data)]


MEDIANS = {
    "five": ([0.79, 0.27, 0.9, 0.62, 0.88], [0.79, 0.27, 0.1, 0.62, 0.88]),
    "irrational": ([1 / math.pi, 1 / math.e, math.sqrt(0.5)], [1 / math.pi, math.sqrt(0.9), math.sqrt(0.5)]),
    "within a millionth": clustered(41, 1e-6, 0.9),
    "a thousand": clustered(1001, 0.4, 0.9),
}

PAIRS = {
    "equal cells": [(np.linspace(0.0, 1.0, 6), values) for values in ([0, 0, 0, 1, 1], [1, 1, 1, 1, 0])],
    "20 cells": random_cells(20, 0),
    "200 cells": random_cells(200, 1),
    "1000 cells": random_cells(1000, 1),
    "high cells": random_cells(60, 3, 4.0),
    "a hundredth": narrow(1e-2, 0.3, 0.1234567),
    "a thousandth": narrow(1e-3, 0.9, 0.7),
    "a hundred-thousandth": narrow(1e-5, 0.3, 0.1234567),
    "another": narrow(1e-5, 0.9, 0.7),
    "gaps": [([0.0, 0.2, 0.3, 0.7001, 1.0], [0.0, -math.inf, 1.0, 0.0]),
             ([0.0, 0.2, 0.3, 0.7001, 1.0], [1.0, -math.inf, 0.0, 0.0])],
}  # fmt: skip


def check_bounds(one, two):
    truth = loss(one, two)
    for pair in ((one, two), (two, one)):
        found = bound_from_laws(*pair, epsilon=truth * (1.0 + 1e-6))
        assert (1.0 - 1e-3) * truth <= found.epsilon_lower <= truth
        assert found.verdict == "not refuted"
    assert bound_from_laws(one, two, epsilon=truth - 0.01).verdict == "violation"


@pytest.mark.parametrize("normalised", [False, True])
@pytest.mark.parametrize("epsilon", [0.5, 4.0])
@pytest.mark.parametrize("data", MEDIANS)
def test_the_median_by_the_exponential_mechanism(data, epsilon, normalised):
    """The first one was given epsilon >= 2.5682655, above the truth 2.5681058."""
    check_bounds(*(median(each, epsilon, normalised=normalised) for each in MEDIANS[data]))


@pytest.mark.parametrize("normalised", [False, True])
@pytest.mark.parametrize("cells", PAIRS)
def test_densities_on_cells(cells, normalised):
    check_bounds(*(Cells(*each, normalised=normalised) for each in PAIRS[cells]))


def test_delta_of_densities_on_cells():
    (edges, one), (_, two) = random_cells(60, 0)
    first, second = Cells(edges, one), Cells(edges, two)
    p, q = (np.diff(edges) * np.exp(law.values) / law.mass() for law in (first, second))
    for epsilon in (0.0, 0.2, 0.7):
        truth = max(np.maximum(a - math.exp(epsilon) * b, 0.0).sum() for a, b in ((p, q), (q, p)))
        found = bound_from_laws(first, second, epsilon=epsilon)
        assert found.delta_lower <= truth <= found.delta_upper <= found.delta_lower + 1e-6


class Stairs:
    """The staircase mechanism: geometric steps on the whole line, with a loss of epsilon at distance 1."""

    normalised = False

    def __init__(self, centre):
        self.centre = centre

    def logpdf(self, x):
        distance = np.abs(x - self.centre)
        whole = np.floor(distance)
        return -(whole + (distance - whole >= 0.37))

    def support(self):
        return -math.inf, math.inf


@pytest.mark.parametrize("place", [0.0, 1e5])
def test_steps_on_an_infinite_support(place):
    found = bound_from_laws(Stairs(place), Stairs(place + 1.0), epsilon=1.0)
    assert found.verdict == "not refuted"
    assert 0.999 < found.epsilon_lower <= 1.0


class Sloped(Cells):
    """Steps of exp(values + 2 x)."""

    def logpdf(self, x):
        return super().logpdf(x) + 2.0 * np.asarray(x)

    def mass(self):
        return math.fsum(np.diff(np.exp(2.0 * self.edges)) / 2.0 * np.exp(self.values))


@pytest.mark.parametrize("size", [1.0, 1e-2, 1e-4])
def test_steps_on_a_slope(size):
    pair = [Sloped(edges, size * values) for edges, values in random_cells(8, 0)]
    truth = loss(*pair)
    found = bound_from_laws(*pair, epsilon=truth * (1.0 + 1e-6))
    assert found.verdict == "not refuted"
    assert 0.97 * truth <= found.epsilon_lower <= truth


@pytest.mark.parametrize(("place", "width"), [(5.0, 1e-3), (20.0, 1e-3)])
def test_a_narrow_peak_far_from_the_median(place, width):
    """Truth: ln 2, the ratio of the shares of the peak; two that were not seen had the bound 1.0986."""

    class Peaked:
        normalised = False

        def __init__(self, share):
            self.share = share

        def logpdf(self, x):
            peak = np.log(self.share) + stats.norm.logpdf(x, place, width)
            return np.logaddexp(np.log1p(-self.share) + stats.norm.logpdf(x), peak)

        def support(self):
            return -math.inf, math.inf

    found = bound_from_laws(Peaked(0.5), Peaked(0.25), epsilon=math.log(2.0))
    assert found.verdict == "not refuted"
    assert math.log(2.0) - 1e-4 <= found.epsilon_lower <= math.log(2.0)


def test_an_audit_suspects_no_true_claim_because_of_steps():
    pair = [Cells(*each) for each in PAIRS["equal cells"]]

    def law(data):
        return pair[int(data[0] > 0.5)]

    def mechanism(data, rng, runs):
        return law(data).sample(rng, runs)

    claim = loss(*pair) * (1.0 + 1e-6)
    found = privcheck.audit(mechanism, epsilon=claim, law=law, streams=([0.0], [1.0]), runs=2000, seed=0)
    assert found.exact_loss <= loss(*pair)
    assert found.suspicion is None


# Samples


@pytest.mark.chance(2.5e-7, "one Kolmogorov test at 2.5e-7")
@pytest.mark.parametrize("normalised", [False, True])
@pytest.mark.parametrize("seed", [1, 3])
def test_many_samples_of_many_steps_fit(seed, normalised):
    """Each fails with probability 2.5e-7; distribution functions by quadrature were off by 0.004."""
    (edges, values), _ = random_cells(60, seed, 4.0)
    law = Cells(edges, values, normalised=normalised)
    assert_law(law.sample(np.random.default_rng(0), 300_000), law, error=2.5e-7)


def test_samples_with_two_per_cent_of_a_cell_elsewhere_do_not():
    edges = np.concatenate([[0.0], np.sort(np.random.default_rng(0).random(58)) / 2.0, [0.5, 1.0]])
    law = Cells(edges, np.append(4.0 * (np.arange(59) % 3 == 0) - 2.0, 2.0))
    with pytest.raises(PrivacyFailure, match="the samples do not follow the law"):
        assert_law(law.sample(np.random.default_rng(0), 300_000, moved=0.02), law)


def test_a_law_that_quadrature_cannot_tell_is_refused_for_many_samples():
    """A density of |x|^-0.98 has a fifth of its mass below 1e-35."""

    class Singular:
        normalised = False

        def logpdf(self, x):
            return -0.98 * np.log(x)

        def support(self):
            return 0.0, 1.0

    samples = np.maximum(np.random.default_rng(0).random(1000) ** 50.0, 1e-300)
    with pytest.raises(PrivcheckError, match=r"law: got a law whose probabilities are known up to .* by quadrature"):
        fit_of_law(samples, Singular())


def test_mass_that_quadrature_misses_is_said_to_be_missed():
    law = Cells(*narrow(1e-8, 0.3, 0.1234567)[0], normalised=True)
    with pytest.raises(
        PrivcheckError, match=r"mass 0\.7 in \[0, 1\] by quadrature, .* the quadrature misses some of it"
    ):
        bound_from_laws(law, law)
