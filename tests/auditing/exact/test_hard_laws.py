"""Laws on which a hostile reading found bounds from densities, or tests of samples against them, to be wrong."""

import math

import numpy as np
import pytest
from scipy import stats
from scipy.special import logsumexp, xlog1py, xlogy

from privcheck import PrivcheckError, bound_from_laws
from privcheck.auditing._exact.law_event import likelier_outputs
from privcheck.auditing._exact.samples_of_a_law import fit_of_law
from privcheck.testing import PrivacyFailure, assert_law


class Given:
    """A law known up to a factor, unless said otherwise."""

    def __init__(self, logpdf, support=(-math.inf, math.inf), *, normalised=False):
        self.logpdf, self._support, self.normalised = logpdf, support, normalised

    def support(self):
        return self._support


def peaks(share, *laws, support=(-math.inf, math.inf)):
    return Given(
        lambda x: logsumexp(
            [np.log(w) + law.logpdf(x) for w, law in zip((share, 1 - share), laws, strict=True)], axis=0
        ),
        support,
    )


def beta(a, b):
    """The law of scipy, whose own logpdf takes several times as long."""
    law = stats.beta(a, b)
    constant = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    given = Given(lambda x: xlogy(a - 1.0, x) + xlog1py(b - 1.0, -x) + constant, (0.0, 1.0), normalised=True)
    given.median = law.median
    return given


def bound_or_refusal(*laws, **options):
    try:
        return bound_from_laws(*laws, **options)
    except PrivcheckError:
        return None


@pytest.mark.parametrize("family", [stats.norm, stats.laplace])
@pytest.mark.parametrize(("far", "support"), [(150.0, (-math.inf, math.inf)), (3e4, (-1e5, 1e5))])
def test_two_far_peaks_are_no_violation(family, far, support):
    """Truth: epsilon = ln(.51 / .2) = 0.936, delta(1) = 0."""
    laws = [peaks(share, family(-far), family(far), support=support) for share in (0.51, 0.2)]
    found = bound_or_refusal(*laws, epsilon=1.0)
    assert found is None or found.verdict == "not refuted"
    assert found is None or found.epsilon_lower <= math.log(0.51 / 0.2)


@pytest.mark.parametrize(
    ("places", "support"), [((0.0, 1000.0), (-math.inf, math.inf)), ((300.0, 3000.0), (0.0, math.inf))]
)
def test_two_far_peaks_have_their_delta(places, support):
    """Truth: delta(.1) = .7 - e^.1 * .3 = 0.368, so epsilon at delta = .1 is ln(.6 / .3) = 0.693."""
    laws = [peaks(share, *map(stats.laplace, places), support=support) for share in (0.7, 0.3)]
    found = bound_or_refusal(*laws, epsilon=0.1, delta=0.1)
    assert found is None or found.delta_upper >= 0.7 - math.exp(0.1) * 0.3
    assert found is None or found.epsilon_upper is None or found.epsilon_upper >= math.log(2.0)


@pytest.mark.parametrize("width", [0.001, 0.01])
def test_a_gap_without_density_is_seen(width):
    """Truth: an event of probability `width` under the first law has none under the second."""
    first = Given(lambda x: 0.0 * x, (0.0, 1.0))
    second = Given(lambda x: np.where((x > 0.3) & (x < 0.3 + width), -math.inf, 0.0), (0.0, 1.0))
    found = bound_or_refusal(first, second, epsilon=1.0, delta=width / 2)
    assert found is None or found.delta_upper >= width
    assert found is None or found.epsilon_upper is None


@pytest.mark.nightly
@pytest.mark.parametrize("place", [1e6])
def test_a_narrow_heavy_tailed_law_far_out(place):
    """Truth: ln 2, the largest log-ratio of Cauchy densities of scales s and 2 s."""
    laws = [Given(stats.cauchy(place, scale).logpdf) for scale in (1e-9, 2e-9)]
    found = bound_or_refusal(*laws)
    assert found is None or found.epsilon_lower <= math.log(2.0)


def test_uniform_laws_far_out():
    """Truth: the share of the second interval above the first, 0.4; normalised laws of scipy."""
    place, width = 5673345584.239498, 4419.529148902927
    first, second = stats.uniform(place, width), stats.uniform(place + 0.1 * width, 1.5 * width)
    found = bound_or_refusal(first, second, epsilon=0.3)
    assert found is None or found.delta_lower <= 0.4 + 1e-6


@pytest.mark.parametrize(
    ("laws", "delta", "truth"),
    [
        ((stats.laplace(0.0, 1.0), stats.laplace(800.0, 1.0)), 0.0, 800.0),
        ((stats.norm(0.0), stats.norm(40.0)), 0.01, 900.0),  # 893 or so, by Balle and Wang
    ],
)
def test_a_loss_above_700_is_not_unbounded(laws, delta, truth):
    found = bound_from_laws(*laws, delta=delta)
    assert found.epsilon_lower <= truth


@pytest.mark.parametrize(("n", "d"), [(20, 2), (63, 2), (40, 3)])
def test_few_samples_of_several_numbers_are_refused(n, d):
    law = Given(lambda x: stats.norm.logpdf(x).sum(axis=1), [(-math.inf, math.inf)] * d, normalised=True)
    with pytest.raises(PrivcheckError, match=f"samples: got {n} samples, expected at least 64"):
        assert_law(np.random.default_rng(0).normal(size=(n, d)), law)
    assert_law(np.random.default_rng(0).normal(size=(64, d)), law)


def test_an_infinite_sample_is_outside_of_every_law():
    with pytest.raises(PrivacyFailure, match="samples outside of the support"):
        assert_law([0.0] * 30 + [math.inf], stats.norm())


def test_a_density_may_grow_without_bound_at_an_end():
    """Truth: the mass of beta(1/2, 1/2) up to x is 2 / pi arcsin(sqrt x), and its samples fit."""
    assert_law(np.random.default_rng(0).beta(0.5, 0.5, 400), stats.beta(0.5, 0.5))
    found = bound_from_laws(beta(0.5, 0.5), beta(0.5, 0.6), epsilon=0.5)
    near = 1.0 - (math.gamma(0.6) * math.gamma(1.0) / math.gamma(1.1) / math.gamma(0.5) / math.exp(0.5)) ** 10
    truth = stats.beta(0.5, 0.5).sf(near) - math.exp(0.5) * stats.beta(0.5, 0.6).sf(near)
    assert found.delta_lower <= truth <= found.delta_upper
    total = bound_from_laws(beta(0.5, 0.5), Given(np.zeros_like, (0.0, 1.0), normalised=True), epsilon=0.0)
    crossing = 0.5 - math.sqrt(0.25 - math.pi**-2)
    truth = 2.0 * (2.0 / math.pi * math.asin(math.sqrt(crossing)) - crossing)
    assert total.delta_lower <= truth <= total.delta_upper <= total.delta_lower + 0.01


def test_samples_in_the_corner_of_the_support_fail():
    law = Given(lambda x: 0.0 * x[:, 0], [(0.0, 1.0)] * 2, normalised=True)
    with pytest.raises(PrivacyFailure):
        assert_law(np.zeros((1000, 2)), law)


def test_samples_of_two_far_peaks_fit():
    rng = np.random.default_rng(0)
    assert_law(rng.normal(size=1000) + 1000.0 * (rng.random(1000) < 0.5), peaks(0.5, stats.norm(0), stats.norm(1000)))


@pytest.mark.parametrize("logpdf", [lambda x: -math.log(2.0) - math.fabs(x), lambda x: -x if x > 0 else x])
def test_a_logpdf_of_one_number_is_refused_in_words(logpdf):
    with pytest.raises(PrivcheckError, match="logpdf"):
        bound_from_laws(Given(logpdf), stats.norm(1.0))


def test_a_median_that_takes_arguments_is_not_called_or_refused():
    law = Given(stats.norm.logpdf, normalised=True)
    law.median = lambda axis: 0.0
    bound_from_laws(law, stats.norm(1.0))


def test_uniform_laws_at_a_million_widths_are_no_violation():
    """Truth: delta(.3) = 1/3 for widths 1000 and 1500 with a common lower end."""
    found = bound_from_laws(stats.uniform(1e9, 1000.0), stats.uniform(1e9, 1500.0), delta=0.3335, epsilon=0.3)
    assert found.verdict == "not refuted"


@pytest.mark.parametrize(
    ("laws", "epsilon"),
    [
        ((stats.gamma(1.5, 0.0, 4743.673757529695), stats.gamma(1.5, 14231.021272589085, 7115.510636294543)), 2.5),
        (
            (
                stats.weibull_min(1.5, 84022.12627781573, 0.4932764283079545),
                stats.weibull_min(1.5, 84022.47157209712, 0.24663821415397724),
            ),
            2.5,
        ),
        (
            (
                stats.t(2.5, -0.005246477090935284, 1.612403510056063e-06),
                stats.t(2.5, -0.005241639880765116, 1.612403510056063e-06),
            ),
            0.05,
        ),
    ],
)
def test_the_upper_delta_is_above_a_sum_over_two_million_intervals(laws, epsilon):
    """Differences of distribution functions over intervals: a lower bound, up to rounding."""
    middle, width = laws[0].median(), 40.0 * laws[0].std()
    x = np.linspace(middle - width, middle + width, 2_000_001)
    one, two = (np.diff(law.cdf(x)) for law in laws)
    least = max(
        np.maximum(one - math.exp(epsilon) * two, 0.0).sum(), np.maximum(two - math.exp(epsilon) * one, 0.0).sum()
    )
    found = bound_from_laws(*laws, epsilon=epsilon)
    assert found.delta_upper >= least - 1e-9


def test_outputs_at_a_loss_of_exactly_epsilon_are_in_no_event():
    """Two Laplace laws have this loss on half-lines, and rounding put half of the points of these into the event: its
    quadrature took minutes, and its outputs were an arbitrary half.
    """
    laws = [
        peaks(0.99, stats.laplace(place), stats.norm(100.0 if place else -100.0, 0.1), support=(-200.0, 200.0))
        for place in (0.0, 1.0)
    ]
    event, _ = likelier_outputs(*laws, 1.0)
    assert not event.contains(np.linspace(-10.0, 0.0, 1001)[:, None]).any()
    assert event.contains(np.array([[-100.0]])).all()
    (own, other), off = event.probabilities()
    assert own == pytest.approx(0.01, abs=1e-6)
    assert other < 1e-6
    assert off < 1e-6


@pytest.mark.parametrize(
    ("samples", "law"),
    [
        (np.random.default_rng(1).integers(0, 2, 200), stats.norm()),
        (np.random.default_rng(1).normal(size=200), stats.expon()),
        (np.ceil(np.random.default_rng(1).laplace(0, 3, 4000)), stats.laplace(0, 3)),
        (np.append(np.random.default_rng(1).normal(size=100), [np.inf] * 5), stats.norm()),
    ],
)
def test_what_a_failure_says_of_samples_in_a_place_is_so(samples, law):
    fit = fit_of_law(samples, law)
    points = np.asarray(samples, float).reshape(len(samples), -1)
    ends = np.array(fit.where)
    inside = ((ends[:, 0] <= points) & (points <= ends[:, 1])).all(axis=1)
    assert fit.share == pytest.approx(inside.mean())
    assert fit.probability == pytest.approx(law.cdf(ends[0, 1]) - law.cdf(ends[0, 0]), abs=1e-6)
    assert fit.p_value < 1e-6
