"""Wishart noise: the loss of one row against quadrature, whole matrices and the paper, and twins that are caught."""

import dataclasses
import itertools
import math
import re
from contextlib import suppress

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, special, stats

import privcheck
from privcheck.accounting import NOTHING, gaussian_delta
from privcheck.auditing._exact import exact_delta, exact_loss
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import Wishart
from privcheck.mechanisms.base import Recorder, recording
from privcheck.mechanisms.wishart_law import delta_of, epsilon_of, mu_of, tails

FIXED = settings(derandomize=True, deadline=None, database=None, max_examples=40)
SMALL = Wishart(dimension=3, degrees=60, sensitivity=4.0, delta=1e-5)


def quadrature(epsilon, shift, freedom):
    """The larger hockey stick of X and X + shift, by integration of scipy's densities."""
    law, moved = stats.chi2(freedom), stats.chi2(freedom, shift)
    sticks = []
    for one, other in ((law, moved), (moved, law)):
        excess = lambda x, p=one, q=other: max(0.0, p.pdf(x) - math.exp(epsilon) * q.pdf(x))  # noqa: E731
        edges = np.concatenate(([0.0, shift], law.ppf([1e-12, 1e-6, 0.01, 0.3, 0.7, 0.99, 1 - 1e-9]), [freedom * 9]))
        edges = np.unique(edges)
        sticks.append(sum(integrate.quad(excess, *ends, limit=200)[0] for ends in itertools.pairwise(edges)))
    return max(sticks)


@pytest.mark.parametrize(
    ("epsilon", "shift", "freedom"), [(0.0, 1.0, 50), (0.4, 1.0, 50), (0.1, 1.0, 1000), (0.3, 2.0, 8), (2.0, 0.5, 4)]
)
def test_delta_by_quadrature(epsilon, shift, freedom):
    truth = quadrature(epsilon, shift, freedom)
    assert delta_of(epsilon, shift, freedom) == pytest.approx(truth, rel=1e-5, abs=1e-9)
    assert delta_of(epsilon, shift / 2, freedom) < truth * 0.9


@FIXED
@given(
    shift=st.floats(0.01, 4.0),
    freedom=st.integers(30, 100_000),
    log=st.floats(-18.0, -2.0),
    copies=st.sampled_from([1, 2]),
)
def test_epsilon_is_the_inverse_of_delta_and_never_below_it(shift, freedom, log, copies):
    delta = math.exp(log)
    try:
        found = epsilon_of(delta, shift, freedom, copies=copies) / copies
    except PrivcheckError:
        assert stats.chi2(freedom).cdf(shift) * copies > delta * 1e-9
        return
    factor = 1.0 if copies == 1 else 1.0 + math.exp(found)
    assert factor * delta_of(found, shift, freedom) <= delta
    assert found == 0.0 or factor * delta_of(found * (1 - 1e-6), shift, freedom) > delta * (1 - 1e-3)


@pytest.mark.parametrize(
    ("shift", "freedom", "delta"), [(1.0, 50, 1e-4), (1.0, 1000, 1e-9), (3.0, 200, 0.01), (0.1, 12, 1e-6)]
)
def test_mu_is_below_the_trade_off_curve_and_less_is_not(shift, freedom, delta):
    """Errors of the tests that reject above x, against the curve of mu and against its mixture with delta."""
    law, mu = stats.chi2(freedom), mu_of(delta, shift, freedom)
    cut = law.ppf(delta)
    xs = np.concatenate([law.ppf(np.geomspace(1e-15, 0.5, 2000)), law.isf(np.geomspace(1e-15, 0.5, 2000)), [cut]])
    xs = xs[xs > shift]
    alpha, beta, scores = law.sf(xs), law.cdf(xs - shift), -special.ndtri_exp(law.logcdf(xs))
    for factor, holds in ((1.0, True), (0.999, False)):
        assert (beta >= stats.norm.cdf(-scores - factor * mu))[xs >= cut].all() == holds
    for one, two in ((alpha, beta), (beta, alpha)):
        least = (1 - delta) * stats.norm.sf(mu - stats.norm.isf(np.minimum(1.0, one / (1 - delta))))
        assert (two >= least * (1 - 1e-9)).all()
    assert mu > shift / math.sqrt(2 * freedom)


@pytest.mark.parametrize("freedom", [3, 10, 100, 10_000])
def test_the_normal_scores_of_a_chi_square_variable_are_concave(freedom):
    """What the proof of mu needs, from van Zwet's order: differences of scores fall."""
    law = stats.chi2(freedom)
    xs = np.linspace(law.ppf(1e-10), law.ppf(0.999), 400)
    scores = special.ndtri_exp(law.logcdf(xs))
    assert (np.diff(scores, 2) < 1e-9).all()


def random_row(rng, dimension, norm):
    row = rng.normal(size=dimension)
    return row * norm / np.linalg.norm(row)


@pytest.mark.chance(1e-6, "two Kolmogorov tests at 5e-7")
def test_the_loss_of_whole_matrices_is_that_of_one_chi_square_variable():
    """The log-ratio of densities is the formula in X exactly, and X has its law; it fails with probability 1e-6."""
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(5, 3))
    gram, row = rows.T @ rows, random_row(rng, 3, 2.0)
    other, ratio = gram + np.outer(row, row), (row @ row) / SMALL.scale
    outputs = SMALL.release_batch(gram, rng, 8000)
    x = ratio / np.einsum("i,nij,j->n", row, np.linalg.inv(outputs - gram), row)
    formula = -(60 - 3 - 1) / 2 * np.log1p(-ratio / x) - ratio / 2
    np.testing.assert_allclose(SMALL.log_ratio(outputs, gram, other), formula, atol=1e-8)
    assert stats.kstest(x, stats.chi2(58).cdf).pvalue > 5e-7
    assert stats.kstest(x, stats.chi2(60).cdf).pvalue < 5e-7
    shifted = SMALL.release_batch(other, rng, 8000)
    y = ratio / np.einsum("i,nij,j->n", row, np.linalg.inv(shifted - gram), row)
    assert stats.kstest(y - ratio, stats.chi2(58).cdf).pvalue > 5e-7


@pytest.mark.chance(
    1e-8,
    "means more than 60 standard errors from their limits; 40 losses above epsilon where 10 are expected",
)
def test_replacing_a_row_stays_within_the_charge_and_two_fifths_of_it_are_not_enough():
    """Monte Carlo of E[(1 - e^(eps - loss))+] between two rows at right angles, exact loss; error about 2 %."""
    mechanism = Wishart(dimension=2, degrees=400, sensitivity=1.0, delta=1e-4)
    charge, rng = mechanism.charge(1.0), np.random.default_rng(4)
    one, two = np.diag([1.0, 0.0]), np.diag([0.0, 1.0])
    losses = mechanism.log_ratio(mechanism.release_batch(one, rng, 400_000), one, two)
    for epsilon in (0.0, 0.02, 0.05):
        found = np.maximum(0.0, -np.expm1(epsilon - losses)).mean()
        assert found < charge.delta + gaussian_delta(charge.mu, epsilon).upper
        assert found > charge.delta + gaussian_delta(0.4 * charge.mu, epsilon).upper
    assert np.quantile(np.abs(losses), 1 - 1e-4) < charge.epsilon


def test_the_charge_holds_all_bounds():
    mechanism = dataclasses.replace(SMALL, degrees=2000)
    for charged, least in ((mechanism.charge_of_one_row, 1.0), (mechanism.charge, 2.0)):
        charge = charged(4.0)
        assert charge.delta == 1e-5
        assert least / math.sqrt(2 * 1998) < charge.mu < 1.3 * least / math.sqrt(2 * 1998)
        assert charge.mu**2 / 2 <= charge.rho == pytest.approx(charge.mu**2 / 2, rel=1e-6)
        assert charged(1.0).mu < charge.mu / 3.9
        assert charged(0.0) == NOTHING
    assert SMALL.charge_of_one_row(4.0).epsilon < SMALL.charge(4.0).epsilon / 2


@FIXED
@given(dimension=st.integers(1, 40), epsilon=st.floats(0.02, 0.99), delta=st.floats(1e-12, 0.36))
def test_theorem_8_holds_where_it_is_claimed_to(dimension, epsilon, delta):
    published = Wishart.published(dimension=dimension, sensitivity=3.0, epsilon=epsilon, delta=delta)
    assert published.exact_delta(epsilon) <= delta
    assert published.charge_of_one_row(3.0).epsilon <= epsilon


@FIXED
@given(dimension=st.integers(1, 40), epsilon=st.floats(0.05, 3.0), delta=st.floats(1e-12, 0.1))
def test_the_fewest_degrees_of_freedom(dimension, epsilon, delta):
    """The charge is (2 e, (1 + exp(e)) d) with the exact d; one degree of freedom fewer exceeds the budget."""
    exact = Wishart.exact(dimension=dimension, sensitivity=3.0, epsilon=epsilon, delta=delta)
    assert exact.charge(3.0).epsilon <= epsilon
    half = epsilon / 2
    assert (1 + math.exp(half)) * exact.exact_delta(half) <= delta * (1 + 1e-9)
    if exact.degrees > dimension + 2:
        fewer = dataclasses.replace(exact, degrees=exact.degrees - 1)
        with suppress(PrivcheckError):
            assert fewer.charge(3.0).epsilon > epsilon


def test_theorem_8_beyond_epsilon_1_is_refuted_and_refused():
    """k = p + ceil(28 ln(4 / delta) / epsilon^2) = 8 at p = 6: P(X <= 1) is 0.1987 with 3 degrees of freedom."""
    mechanism = Wishart(dimension=6, degrees=8, sensitivity=1.0, delta=0.1)
    assert mechanism.exact_delta(7.5) == pytest.approx(stats.chi2(3).cdf(1.0), rel=1e-3)
    assert mechanism.exact_delta(7.5) > 0.1
    for epsilon, delta in ((7.5, 0.1), (0.5, 0.4)):
        with pytest.raises(PrivcheckError):
            Wishart.published(dimension=6, sensitivity=1.0, epsilon=epsilon, delta=delta)
    with pytest.raises(PrivcheckError, match=r"delta: got a probability of 0\.1, which is less than"):
        mechanism.charge(1.0)


def test_noise_of_scale_l_instead_of_its_square_is_not_enough():
    """Rows of norm 100: the scale is 100^2, and not 100 as a formula of the paper has it."""
    mechanism = Wishart.published(dimension=4, sensitivity=100.0**2, epsilon=0.5, delta=1e-6)
    misprint = dataclasses.replace(mechanism, sensitivity=100.0)
    assert mechanism.exact_delta(0.5, 100.0**2) < 1e-6 < 0.1 < misprint.exact_delta(0.5, 100.0**2)


@pytest.mark.chance(1e-6, "four Kolmogorov tests, together at this level by Bonferroni")
@pytest.mark.parametrize(("seed", "degrees"), [(0, 5), (1, 40)])
def test_the_sampler_follows_its_law_and_broken_twins_do_not(seed, degrees):
    """Trace, quadratic form and its inverse, each exactly chi-square: false failure 1e-6 by Bonferroni."""
    mechanism = Wishart(dimension=3, degrees=degrees, sensitivity=4.0, delta=0.1)

    def p_value(noise):
        direction = np.array([0.6, 0.0, 0.8])
        quadratic = np.einsum("i,nij,j->n", direction, noise, direction)
        inverse = 1.0 / np.einsum("i,nij,j->n", direction, np.linalg.inv(noise), direction)
        found = [
            stats.kstest(values / 4.0, stats.chi2(freedom).cdf).pvalue
            for values, freedom in (
                (np.trace(noise, axis1=1, axis2=2), 3 * degrees),
                (quadratic, degrees),
                (inverse, degrees - 2),
                (noise[:, 2, 2], degrees),
            )
        ]
        return 4 * min(found)

    value = np.diag([1.0, 2.0, 3.0])
    assert p_value(mechanism.release_batch(value, np.random.default_rng(seed), 20_000) - value) >= 1e-6
    for change in ({"degrees": degrees + 1}, {"sensitivity": 4.2}):
        broken = dataclasses.replace(mechanism, **change)
        assert p_value(broken.noise((20_000,), np.random.default_rng(seed))) < 1e-6


def test_a_single_release_is_the_batch_and_a_recorder_answers():
    one, batch = np.random.default_rng(5), np.random.default_rng(5)
    np.testing.assert_array_equal(SMALL.release(np.eye(3), one), SMALL.release_batch(np.eye(3), batch, 1)[0])
    assert one.random() == batch.random()

    class Only(Recorder):
        def release(self, mechanism, value, *, secure):
            return mechanism, value, secure

    with recording(Only()):
        assert SMALL.release("anything", None) == (SMALL, "anything", False)


def test_the_density_is_scipys():
    rng = np.random.default_rng(6)
    outputs = SMALL.release_batch(np.eye(3), rng, 4)
    law = stats.wishart(60, 4.0 * np.eye(3))
    np.testing.assert_allclose(SMALL.log_density(outputs, np.eye(3)), [law.logpdf(o - np.eye(3)) for o in outputs])
    assert SMALL.log_density(np.zeros((3, 3)), np.eye(3)) == -math.inf
    assert SMALL.log_ratio(outputs[0], np.eye(3), 1e6 * np.eye(3)) == math.inf


@pytest.mark.parametrize(
    "bad",
    [1.0, [1.0, 2.0, 3.0], np.eye(2), [[math.nan] * 3] * 3, np.triu(np.ones((3, 3))), "1", None, [[1], [1, 2]]],
    ids=repr,
)
def test_bad_values_are_refused(bad):
    for call in (
        lambda: SMALL.release(bad, np.random.default_rng(0)),
        lambda: SMALL.release_batch(bad, np.random.default_rng(0), 2),
        lambda: SMALL.log_density(np.eye(3), bad),
        lambda: SMALL.log_ratio(np.eye(3), np.eye(3), bad),
    ):
        with pytest.raises(PrivcheckError):
            call()


def test_parameters_and_secure_noise_are_refused_in_words():
    good = {"dimension": 3, "degrees": 60, "sensitivity": 2.0, "delta": 1e-5}
    for name, bad in (("dimension", 0), ("degrees", 4), ("sensitivity", -1.0), ("delta", 0.0), ("delta", 0.6)):
        with pytest.raises(PrivcheckError) as error:
            Wishart(**{**good, name: bad})
        assert error.value.parameter == name
    for name, bad in (("dimension", "x"), ("sensitivity", None), ("epsilon", math.nan), ("delta", 2.0)):
        for make in (Wishart.exact, Wishart.published):
            with pytest.raises(PrivcheckError, match=name):
                make(**{"dimension": 2, "sensitivity": 1.0, "epsilon": 0.5, "delta": 1e-6, name: bad})
    with pytest.raises(PrivcheckError, match="has no exact sampler"):
        SMALL.release(np.eye(3), None, secure=True)
    with pytest.raises(PrivcheckError, match=r"numpy\.random\.Generator"):
        SMALL.release(np.eye(3), None)
    with pytest.raises(dataclasses.FrozenInstanceError):
        SMALL.degrees = 3
    parts = ("Parameters", "Guarantee", "Notion:", "Neighbours:", "Released:", "What one datum can change:", "Noise:")
    positions = [Wishart.__doc__.index(part) for part in (*parts, "Ties:", "Raises", "Source:", ">>> ")]
    assert positions == sorted(positions)
    assert re.search(r"\(\d{4}\)", Wishart.source)


@pytest.mark.chance(1e-6, "one verdict on a true claim at this error")
def test_the_auditor_agrees_with_the_exact_delta_and_refutes_a_smaller_one():
    """The level of the verdicts is 1e-6."""
    mechanism = Wishart(dimension=1, degrees=5, sensitivity=1.0, delta=0.1)
    pair = np.zeros((1, 1)), np.ones((1, 1))
    assert exact_loss(mechanism, pair).value == math.inf
    truth = exact_delta(mechanism, pair, 0.5)
    assert truth.lower <= quadrature(0.5, 1.0, 5) <= truth.upper + 1e-7
    options = {"epsilon": 0.5, "streams": pair, "rewards": (0.0, 1.0), "runs": 10_000, "error": 1e-6}
    assert privcheck.audit(mechanism, **options, delta=truth.upper).verdict == "consistent"
    assert privcheck.audit(mechanism, **options, delta=truth.upper / 4).verdict == "violation"


def test_the_exact_law_is_that_of_one_row_only():
    mechanism, row = Wishart(dimension=2, degrees=6, sensitivity=1.0, delta=0.1), np.diag([1.0, 0.0])
    assert exact_delta(mechanism, (np.diag([0.0, 1.0]), row), 0.5) is None
    assert exact_delta(mechanism, (row, row), 0.5).value == 0.0
    assert exact_delta(mechanism, (row + 1.0, row + 2.0), 0.5).value == pytest.approx(quadrature(0.5, 2.0, 5), rel=1e-5)


def test_a_difference_due_to_rounding_between_mirrored_entries_is_not_released():
    """Symmetric noise would leave it in the output, where it depends on the data: a loss without bound."""
    for mirrored in (0.5, 0.5 + 1e-10):
        value = np.array([[1.0, mirrored, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0]])
        noisy = SMALL.release(value, np.random.default_rng(0))
        assert abs(noisy - noisy.T).max() < 1e-12
        assert noisy == pytest.approx(SMALL.release_batch(value, np.random.default_rng(0), 1)[0], rel=1e-12)


@pytest.mark.parametrize("freedom", [1e5, 1e8, 1e12, 1e15])
@pytest.mark.parametrize("score", [-8.0, -5.0, -2.0, -1e-3, 3.0])
def test_tails_of_many_degrees_of_freedom_against_quadrature(freedom, score):
    with mpmath.workdps(40):
        half, deviation = mpmath.mpf(freedom) / 2, mpmath.sqrt(2 * mpmath.mpf(freedom))
        x = mpmath.mpf(round(freedom + score * math.sqrt(2.0 * freedom)))
        top = (half - 1) * mpmath.log(half - 1) - (half - 1)
        kept = mpmath.log(2) + mpmath.loggamma(half) - top

        def density(z):
            place = x + z * deviation
            return mpmath.exp((half - 1) * mpmath.log(place / 2) - place / 2 - top)

        parts = [-30, *range(-16, 1, 2)]
        lower = deviation * mpmath.quad(density, parts) * mpmath.exp(-kept)
        found = tails(float(x), freedom)
        assert found[0] == pytest.approx(float(lower), rel=1e-11)
        assert found[1] == pytest.approx(float(1 - lower), rel=1e-11)


@pytest.mark.parametrize("shift", [1.0, 0.06])
@pytest.mark.parametrize("freedom", [1e7, 1e8, 1e10, 1e12, 1e15])
@pytest.mark.parametrize("delta", [0.1, 1e-6, 1e-9])
def test_many_degrees_of_freedom_are_not_charged_less_than_normal_noise(delta, freedom, shift):
    """The score of a chi-square law is steeper in its lower half than that of the normal law of the same variance."""
    normal, spacing = (number / math.sqrt(2.0 * freedom) for number in (shift, math.ulp(freedom)))
    assert normal <= mu_of(delta, shift, freedom) <= normal * (1.0 + 8.0 / math.sqrt(freedom)) + 2.0 * spacing + 2e-10


def test_exact_losses_of_many_degrees_of_freedom():
    mechanism = Wishart(dimension=1, degrees=10**8, sensitivity=1.0, delta=1e-6)
    found = exact_delta(mechanism, ([[0.0]], [[1.0]]), 4e-4)
    normal = gaussian_delta(1.0 / math.sqrt(2e8), 4e-4).upper
    assert found.upper == pytest.approx(normal, rel=0.1)
    assert found.upper <= mechanism.exact_delta(4e-4)
    assert dataclasses.replace(mechanism, degrees=10**9).law_of_pair([[0.0]], [[1.0]]) is None
