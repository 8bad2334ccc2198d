"""Bounds from given densities, against closed forms, and laws that are no laws."""

import json
import math

import numpy as np
import pytest
from scipy import stats

import privcheck
from privcheck import PrivcheckError, bound_from_laws
from privcheck.auditing import fit_of_law
from privcheck.auditing._exact import exact_delta, exact_loss
from privcheck.mechanisms import Laplace
from privcheck.testing import PrivacyFailure, assert_law


class Product:
    """Independent outputs of one law each; known up to a factor if asked."""

    def __init__(self, laws, factor=None):
        self.laws, self.factor = laws, factor
        self.normalised = factor is None

    def logpdf(self, x):
        columns = x.T if len(self.laws) > 1 else [x]
        total = sum(law.logpdf(column) for law, column in zip(self.laws, columns, strict=True))
        return total + math.log(self.factor or 1.0)

    def support(self):
        return [law.support() for law in self.laws]


class PlainLaplace:
    """The law of scipy, whose own logpdf takes several times as long."""

    def __init__(self, place, scale):
        self.place, self.scale = place, scale

    def logpdf(self, x):
        return -np.abs(x - self.place) / self.scale - math.log(2.0 * self.scale)

    def support(self):
        return -math.inf, math.inf


def gaussian_delta(mu, epsilon):
    """Balle and Wang (2018), Theorem 8."""
    return stats.norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * stats.norm.cdf(-mu / 2 - epsilon / mu)


@pytest.mark.parametrize("place", [0.0, 1e5, -300.0])
@pytest.mark.parametrize("scale", [1e-3, 2.0, 1e4])
def test_laplace_laws_have_the_loss_of_the_mechanism(place, scale):
    shift = 0.7 * scale
    found = bound_from_laws(stats.laplace(place, scale), stats.laplace(place + shift, scale))
    truth = exact_loss(Laplace.with_scale(scale), (0.0, shift))
    assert truth.upper - 1e-4 <= found.epsilon_lower <= truth.upper
    assert found.log_ratio == pytest.approx(0.7, abs=1e-5)
    at = bound_from_laws(stats.laplace(place, scale), stats.laplace(place + shift, scale), epsilon=0.3)
    exact = exact_delta(Laplace.with_scale(scale), (0.0, shift), 0.3)
    assert at.delta_lower - 1e-6 <= exact.value <= at.delta_upper + 1e-6
    assert at.delta_upper - at.delta_lower < 1e-5
    assert at.verdict == "violation"


@pytest.mark.nightly
def test_the_boundary_is_no_violation():
    for claim, verdict in ((0.5, "not refuted"), (0.4999, "violation"), (0.51, "not refuted")):
        assert bound_from_laws(stats.laplace(0.0, 2.0), stats.laplace(1.0, 2.0), epsilon=claim).verdict == verdict


def test_rounding_far_from_zero_is_no_violation():
    """1e4 + 0.1 - 1e4 is 0.1 (1 + 3.6e-12) in floating point, so the two laws have an excess of 3e-13 at the claim."""
    pair = stats.laplace(1e4, 0.1), stats.laplace(1e4 + 0.1, 0.1)
    assert bound_from_laws(*pair, epsilon=1.0).verdict == "not refuted"
    assert bound_from_laws(*pair, epsilon=1.0 - 1e-6).verdict == "violation"


@pytest.mark.parametrize(("mu", "epsilon", "delta"), [(0.25, 1.0, 1e-5), (1.0, 1.0, 0.05), (3.0, 4.0, 0.01)])
def test_gaussian_laws(mu, epsilon, delta):
    found = bound_from_laws(stats.norm(0.0, 1.0), stats.norm(mu, 1.0), delta=delta, epsilon=epsilon)
    truth = gaussian_delta(mu, epsilon)
    assert found.delta_lower <= truth <= found.delta_upper
    assert found.delta_upper - found.delta_lower < 1e-7
    assert found.verdict == ("violation" if truth > delta else "not refuted")
    assert gaussian_delta(mu, found.epsilon_lower) >= delta >= gaussian_delta(mu, found.epsilon_upper) - 1e-12
    assert found.epsilon_upper - found.epsilon_lower < 1e-3


def test_cauchy_laws_have_a_bounded_loss():
    """ln((3 + sqrt 5) / 2), the largest log-ratio of two Cauchy densities one unit apart; their tails are heavy."""
    found = bound_from_laws(stats.cauchy(0.0), stats.cauchy(1.0))
    assert math.log((3 + math.sqrt(5)) / 2) - 1e-3 < found.epsilon_lower < math.log((3 + math.sqrt(5)) / 2)


@pytest.mark.parametrize("family", [stats.uniform, stats.expon])
def test_an_event_that_is_impossible_under_one_law_is_an_unbounded_loss(family):
    found = bound_from_laws(family(0.0), family(0.5), epsilon=20.0)
    assert found.epsilon_lower == math.inf
    assert found.verdict == "violation"
    assert "unbounded" in str(found)


@pytest.mark.parametrize("factor", [None, 1e30])
def test_two_dimensions_and_an_unknown_factor(factor):
    laws = [Product([PlainLaplace(shift, 2.0), PlainLaplace(0.3, 1.0)], factor) for shift in (0.0, 1.0)]
    found = bound_from_laws(*laws, epsilon=0.3)
    exact = exact_delta(Laplace.with_scale(2.0), (0.0, 1.0), 0.3).value
    assert found.delta_lower <= exact <= found.delta_upper
    assert 0.49 < found.epsilon_lower <= 0.5


@pytest.mark.nightly
def test_three_dimensions():
    laws = [Product([stats.norm(shift), stats.norm(), stats.norm()]) for shift in (0.0, 1.0)]
    found = bound_from_laws(*laws, delta=0.01, epsilon=1.0)
    assert found.delta_lower <= gaussian_delta(1.0, 1.0) <= found.delta_upper
    assert 2.0 < found.epsilon_lower < found.epsilon_upper < 2.6


def test_an_inverted_acceptance_ratio_is_refuted_from_the_density():
    """A sampler of exp(-x^2 / 2) with proposals of twice the variance that accepts by the inverse ratio.

    Its law is proportional to g(x)^2 / f(x): wider than f, with more in the tails where privacy is lost.
    """

    class Accepted:
        normalised = False

        def __init__(self, centre, *, inverted):
            self.centre, self.sign = centre, -1.0 if inverted else 1.0

        def logpdf(self, x):
            proposal = -np.abs(x - self.centre) / 2.0
            wanted = -np.abs(x - self.centre) / 4.0
            return proposal + self.sign * (wanted - proposal)

        def support(self):
            return -math.inf, math.inf

    claim = 0.25
    correct = bound_from_laws(Accepted(0.0, inverted=False), Accepted(1.0, inverted=False), epsilon=claim)
    assert correct.verdict == "not refuted"
    broken = bound_from_laws(Accepted(0.0, inverted=True), Accepted(1.0, inverted=True), epsilon=claim)
    assert broken.verdict == "violation"
    assert broken.epsilon_lower == pytest.approx(0.75, abs=1e-4)


class Bad:
    """A law whose parts can be replaced."""

    def __init__(self, logpdf=lambda x: 0.0 * x, support=(0.0, 1.0)):
        self.logpdf, self._support = logpdf, support

    def support(self):
        return self._support


def test_the_ends_of_two_axes_are_not_taken_for_pairs():
    """Unnormalised on [-5, 5] x [0, 10]: read as [-5, 0] x [5, 10], the ends would give another bound in silence."""

    class Plane:
        normalised = False

        def __init__(self, shift, support):
            self.shift, self.support = shift, lambda: support

        def logpdf(self, x):
            return -np.abs(x[:, 0] - self.shift) - x[:, 1]

    pairs = [(-5.0, 5.0), (0.0, 10.0)]
    assert bound_from_laws(Plane(0.0, pairs), Plane(1.0, pairs)).epsilon_lower == pytest.approx(1.0, abs=0.01)
    low, high = np.array(pairs).T
    with pytest.raises(PrivcheckError, match=r"list\(zip\(low, high\)\)"):
        bound_from_laws(Plane(0.0, (low, high)), Plane(1.0, (low, high)))


def test_complex_samples_are_refused():
    with pytest.raises(PrivcheckError, match="samples: got an object of type ndarray, expected numbers"):
        fit_of_law(np.full(100, 1j), stats.norm())


@pytest.mark.parametrize(
    ("law", "message"),
    [
        (3, "first: got an object of type int, expected a law"),
        (Bad(support=(1.0, 0.0)), r"first\.support\(\)"),
        (Bad(support="ends"), r"first\.support\(\)"),
        (Bad(support=(math.nan, 1.0)), r"got the pair \(nan, 1\.0\), expected pairs \(low, high\)"),
        (Bad(support=(np.array([-5.0, 0.0]), np.array([5.0, 10.0]))), r"two ndarray objects.*list\(zip\(low, high\)\)"),
        (Bad(support=([0, 0], [1, 1])), "got a tuple of two list objects, expected"),
        (Bad(support=([0, 0, 0], [1, 1, 1])), r"got numbers of shape \(2, 3\), expected"),
        (Bad(support=np.array([0.0, 1.0 + 1j])), "got TypeError: complex numbers"),
        (Bad(support=[(0, 1), (0, 1, 2)]), r"first\.support\(\): got ValueError"),
        (Bad(support=[(0, 1)] * 4), "4 dimensions, expected at most 3; give the law of a function of the output"),
        (Bad(support=(0.0, 2.0)), r"mass 2 in \[0, 2\] by quadrature, expected a density of mass 1; say `norm"),
        (
            Bad(logpdf=stats.poisson(3).logpmf, support=(0.0, math.inf)),
            r"mass 0 in \[0, inf\] by quadrature, expected a density with a finite positive mass",
        ),
        (Bad(logpdf=lambda x: 0.0), r"shape \(\), expected shape"),
        (Bad(logpdf=lambda x: x * math.nan), "nan or inf at"),
        (Bad(logpdf=lambda x: x - math.inf), "a density that is 0 wherever"),
        (Bad(logpdf=lambda x: 1e-6 * np.random.default_rng().random(len(x))), "other numbers for the same points"),
        (Bad(logpdf=lambda x: np.array(["a"] * len(x))), "expected shape"),
    ],
)
def test_what_is_no_law_is_refused(law, message):
    with pytest.raises(PrivcheckError, match=message):
        bound_from_laws(law, stats.uniform())


def test_laws_of_outputs_of_different_length_are_refused():
    with pytest.raises(PrivcheckError, match="second: got outputs of 2 numbers, expected outputs of 1"):
        bound_from_laws(stats.norm(), Product([stats.norm(), stats.norm()]))


def test_a_bound_is_read_back(tmp_path):
    for found in (
        bound_from_laws(stats.norm(0.0), stats.norm(1.0), delta=0.01, epsilon=1.0),
        bound_from_laws(stats.uniform(0.0), stats.uniform(0.5)),
    ):
        assert privcheck.LawBound.from_json(found.to_json()) == found
        found.save(tmp_path / "bound.json")
        assert privcheck.load(tmp_path / "bound.json") == found
        assert json.loads(found.to_json())["epsilon"] == found.epsilon
        assert len(found.tables()["bound"]()) == 1


# Samples


@pytest.mark.chance(3e-6, "three tests at 1e-6")
@pytest.mark.parametrize("seed", range(3))
def test_samples_of_the_law_fit(seed):
    """Each of the three fails with probability 1e-6."""
    rng = np.random.default_rng(seed)
    assert_law(rng.laplace(1.0, 2.0, 500), stats.laplace(1.0, 2.0))
    assert_law(rng.normal(size=(1000, 2)), Product([stats.norm(), stats.norm()], 7.0))
    assert_law(rng.exponential(size=50), stats.expon())


@pytest.mark.chance(1e-6, "one Kolmogorov test")
def test_p_values_are_uniform():
    """On the line: Kolmogorov and Smirnov once more, on 100 p-values; fails with probability 1e-6."""
    rng = np.random.default_rng(0)
    found = [fit_of_law(rng.gamma(2.0, size=60), stats.gamma(2.0)).p_value for _ in range(100)]
    assert stats.kstest(found, "uniform").pvalue > 1e-6


@pytest.mark.chance(1e-6, "a count of small p-values, against its binomial quantile")
def test_p_values_of_boxes_are_no_smaller_than_uniform():
    """By Markov's bound for a binomial count of p-values at most .05 in 40: fails with probability below 1e-6."""
    rng, law = np.random.default_rng(1), Product([stats.uniform(), stats.uniform()])
    small = sum(fit_of_law(rng.random((128, 2)), law).p_value <= 0.05 for _ in range(40))
    assert small <= stats.binom.isf(1e-6, 40, 0.05)


@pytest.mark.parametrize(
    ("samples", "law"),
    [
        (lambda rng: rng.laplace(0.0, 1.0, 400), stats.laplace(0.0, 2.0)),
        (lambda rng: np.abs(rng.normal(size=400)), stats.norm()),
        (lambda rng: rng.normal(size=(2000, 2)) @ [[1.0, 0.8], [0.0, 0.6]], Product([stats.norm(), stats.norm()])),
        (lambda rng: rng.random((2000, 3)) ** [1.0, 1.0, 2.0], Product([stats.uniform()] * 3)),
        (lambda rng: rng.random(400) * 1.01, stats.uniform()),
    ],
)
def test_samples_of_another_law_do_not(samples, law):
    """The last has a sample outside of the support, the third one wrong dependence and right margins."""
    with pytest.raises(
        PrivacyFailure, match=r"the samples do not follow the law: p-value .*\n.*of the samples, .*by the law"
    ):
        assert_law(samples(np.random.default_rng(0)), law)


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        (np.zeros(19), "19 samples, expected at least 20"),
        (np.full(30, np.nan), "nan"),
        (np.zeros((30, 2)), r"shape \(30, 2\), expected shape \(n,\)"),
        ("text", "an object of type str"),
    ],
)
def test_what_are_no_samples_is_refused(samples, message):
    with pytest.raises(PrivcheckError, match=f"samples: got {message}"):
        assert_law(samples, stats.norm())
