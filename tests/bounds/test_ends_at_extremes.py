"""Certified ends next to equality, at the ends of the floats and with many atoms, against exact or long arithmetic."""

import math
import warnings
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from privcheck.bounds import THEOREMS, FiniteLaw, Instance, PrivcheckError, kl_upper_inverse, low_privacy_epsilon
from privcheck.bounds.families import Bernoulli, Bounded, Exponential, Gaussian, Poisson, TwoPoint
from privcheck.bounds.finite_time.raised_arm import RAISES
from privcheck.bounds.settings import ContextualInstance

mpf = mpmath.mpf
UNIT = Bounded()


@pytest.fixture(autouse=True)
def long_arithmetic_without_warnings():
    with warnings.catch_warnings(), mpmath.workdps(400):
        warnings.simplefilter("error")
        yield


def shares(family, mean):
    high = (1 + mpf(mean)) / 2 if family.id == "two-point" else mpf(mean)
    return high, 1 - high


def missed(found, truth):
    """By how much an enclosure misses a value, as a share of it; the rounding of the smallest floats is allowed."""
    distance = max(mpf(found.lower) - truth, truth - mpf(found.upper), 0)
    return float(distance / truth) if distance > mpf(5e-324) else 0.0


NEXT_TO_EACH_OTHER = [
    (Bernoulli(), 0.5, 0.5 + 2**-53), (Bernoulli(), 1e-240, 1e-240 * (1 + 2**-52)), (Bernoulli(), 0.1, 0.1 + 2**-56),
    (Bernoulli(), 1 - 2**-52, 1 - 2**-53), (TwoPoint(), -0.18, math.nextafter(-0.18, 1)), (TwoPoint(), 1e-110, 2e-110),
]  # fmt: skip


@pytest.mark.parametrize(("family", "p", "q"), NEXT_TO_EACH_OTHER)
def test_the_free_budget_next_to_equality(family, p, q):
    (a, a_bar), (b, b_bar) = shares(family, p), shares(family, q)
    assert family.free_epsilon(p, q) == pytest.approx(float(mpmath.log(b / a * a_bar / b_bar)), rel=1e-14, abs=0)
    if family.id == "bernoulli":
        assert low_privacy_epsilon([p, q]) == pytest.approx(family.free_epsilon(p, q), rel=1e-14, abs=0)


@pytest.mark.parametrize("share", [0.01, 0.4, 0.999, 1.01, 100.0])
@pytest.mark.parametrize(("family", "p", "q"), NEXT_TO_EACH_OTHER)
def test_the_private_divergence_next_to_equality(family, p, q, share):
    (a, a_bar), (b, b_bar) = shares(family, p), shares(family, q)
    free = mpmath.log(b / a * a_bar / b_bar)
    epsilon = float(free) * share
    if epsilon < free:
        truth = -mpmath.log(b_bar + b * mpmath.exp(-mpf(epsilon))) - mpf(epsilon) * a
    else:
        truth = a * mpmath.log(a / b) + a_bar * mpmath.log(a_bar / b_bar)
    assert missed(family.d_epsilon(p, q, epsilon), truth) == 0


def test_the_optimistic_mean_of_the_smallest_float():
    assert kl_upper_inverse(5e-324, 0.5) == pytest.approx(1 - math.exp(-0.5), rel=1e-15)


def test_a_divergence_from_the_smallest_float():
    p, q = mpf(0.6809773096239098), mpf(5e-324)
    truth = p * mpmath.log(p / q) + (1 - p) * mpmath.log((1 - p) / (1 - q))
    assert Bernoulli().kl(0.6809773096239098, 5e-324) == pytest.approx(float(truth), rel=1e-15)


@pytest.mark.parametrize(
    ("p", "q"), [(1e-300, 1e300), (5e-324, 1.5), (1e300, 1e298), (1.7e308, 1.7e308), (1e-3, 1e250)]
)
def test_exponential_laws_of_very_different_means(p, q):
    truth = mpmath.log(mpf(q) / mpf(p)) + mpf(p) / mpf(q) - 1
    assert Exponential().kl(p, q) == pytest.approx(float(truth), rel=1e-15)
    assert missed(Exponential().d_inf(p, q), truth if p < q else mpf(0)) == 0
    far = abs(mpmath.sqrt(p) - mpmath.sqrt(q)) / mpmath.sqrt(mpf(p) + mpf(q))
    assert Exponential().hellinger(p, q) == pytest.approx(float(far), rel=1e-15)


def test_exponential_means_whose_ratio_is_no_float():
    with pytest.raises(PrivcheckError, match="a mean within a factor of 1e\\+300"):
        Exponential().d_epsilon(1e-300, 1e300, 1.0)


def test_distances_whose_squares_underflow():
    assert Bernoulli().hellinger(1e-308, 1e-308 * (1 + 1e-14)) > 0
    assert TwoPoint().hellinger(0.0, 1e-200) == pytest.approx(1e-200 / math.sqrt(8), rel=1e-14, abs=0)
    assert Gaussian().hellinger(0.0, 1e-200) == pytest.approx(1e-200 / math.sqrt(8), rel=1e-14, abs=0)
    assert Poisson().hellinger(0.0, 1e-320) == pytest.approx(math.sqrt(1e-320 / 2), rel=1e-14, abs=0)


@pytest.mark.parametrize("p", [1e-8, 0.3, 1.0, 1e6])
@pytest.mark.parametrize("ratio", [1 + 1e-12, 1.001, 1.3, 4.0, 1e5, 1e290])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.6, 0.99, 1 - 1e-6])
def test_the_hockey_stick_of_exponential_laws(p, ratio, share):
    q = p * ratio
    truth_ratio = mpf(q) / mpf(p)
    epsilon = float(mpmath.log(truth_ratio)) * share
    for one, two in ((p, q), (q, p)):
        log = mpmath.log(mpf(two) / mpf(one))
        cut = max((log - epsilon) / (1 - mpf(one) / mpf(two)), mpf(0))
        one_beyond, two_beyond = mpmath.exp(-cut), mpmath.exp(-cut * mpf(one) / mpf(two))
        factor = mpmath.exp(mpf(epsilon))
        truth = one_beyond - factor * two_beyond if one > two else 1 - one_beyond - factor * (1 - two_beyond)
        found = Exponential().hockey_stick(one, two, epsilon)
        # the argument epsilon is next to ln(q/p) for the last share, and their difference has its rounding
        assert found == pytest.approx(float(max(truth, 0)), rel=1e-13 + 1e-15 / (1 - share), abs=1e-300)


@pytest.mark.parametrize("shift", [1e-160, 1e-12, 1e-3, 0.3, 0.49, 0.51, 2.0, 20.0])
@pytest.mark.parametrize("at", [-0.1, 0.5, 3.0, 12.0])
def test_the_hockey_stick_of_gaussian_laws(shift, at):
    epsilon = max(0.0, at * shift + shift**2 / 2)
    low = mpf(epsilon) / mpf(shift) - mpf(shift) / 2
    with mpmath.workdps(700):
        truth = mpmath.erfc(low / mpmath.sqrt(2)) - mpmath.exp(epsilon) * mpmath.erfc((low + shift) / mpmath.sqrt(2))
    assert Gaussian().hockey_stick(0.0, shift, epsilon) == pytest.approx(float(truth / 2), rel=2e-13, abs=0)


def test_gaussian_means_whose_distance_is_no_float():
    assert 0.25 in Gaussian(variance=1e-3).d_epsilon(-1e308, 1e308, 0.25)


def test_the_closed_forms_of_the_infima_lie_between_their_ends():
    rng = np.random.default_rng(1)
    for family in (Bernoulli(), TwoPoint()):
        for p, q in np.sort(rng.uniform(0, 1, (150, 2)), axis=1).tolist():
            (a, a_bar), (b, b_bar) = shares(family, p), shares(family, q)
            truth = a * mpmath.log(a / b) + a_bar * mpmath.log(a_bar / b_bar)
            assert missed(family.d_inf(p, q), truth) == 0
            assert missed(family.t_inf(p, q), b - a) <= 2**-53
    for p, q in np.sort(rng.uniform(-3, 3, (50, 2)), axis=1).tolist():
        assert missed(Gaussian(variance=0.3).d_inf(p, q), (mpf(q) - mpf(p)) ** 2 / 2 / mpf(0.3)) == 0
        assert missed(Gaussian().t_inf(p, q), mpmath.erf((mpf(q) - mpf(p)) / mpmath.sqrt(8))) == 0


def exact(numbers):
    return [Fraction(x) for x in numbers.tolist()]


def least_variation(law, best):
    missing = sum(w * (Fraction(best) - x) for x, w in zip(exact(law.atoms), exact(law.weights), strict=True))
    moved = Fraction(0)
    for x, w in sorted(zip(exact(law.atoms), exact(law.weights), strict=True)):
        if w * (1 - x) >= missing:
            return moved + max(missing, 0) / (1 - x)
        moved, missing = moved + w, missing - w * (1 - x)
    return moved


@pytest.mark.parametrize("power", [0.1, 1, 5])
def test_the_total_variation_to_better_laws_of_many_atoms(power):
    rng = np.random.default_rng(2)
    weights = rng.random(20_000) ** 3
    law = FiniteLaw(rng.random(20_000) ** power, weights / weights.sum())
    for best in (1 - 1e-9, law.mean + 0.3 * (1 - law.mean)):
        found = UNIT.t_inf(law, best)
        assert Fraction(found.lower) <= least_variation(law, best) <= Fraction(found.upper)
        assert found.relative_width < 1e-9


def test_a_mean_within_rounding_of_the_best_has_no_end_at_zero():
    rng, seen = np.random.default_rng(3), 0
    for _ in range(600):
        atoms, weights = rng.random((2, rng.integers(1, 6)))
        law = FiniteLaw(atoms, weights / weights.sum())
        best = law.mean + rng.integers(-1, 3) * 2.0**-54
        gap = sum(w * (Fraction(best) - x) for x, w in zip(exact(law.atoms), exact(law.weights), strict=True))
        seen += gap > 0
        for found in (UNIT.t_inf(law, best), UNIT.d_inf(law, best), UNIT.d_epsilon_inf(law, best, 0.5)):
            assert found.upper > 0 if gap > 0 else found.lower == 0
            assert found.upper < 1e-13
    assert seen > 100


def test_laws_that_differ_by_the_rounding_of_their_weights():
    atoms = [0.5, 0.9, 0.5, 0.9, 0.5, 0.9]
    rng = np.random.default_rng(4)
    for epsilon in (3e-11, 3.0):
        for _ in range(50):
            weights = rng.random(6)
            first = FiniteLaw(atoms, weights / weights.sum())
            weights *= 1 + 1e-10 * rng.uniform(-1, 1, 6)
            second = FiniteLaw(atoms, weights / weights.sum())
            (p, p_bar), (q, q_bar) = (
                [sum(exact(law.weights)[i::2], Fraction(0)) for i in (0, 1)] for law in (first, second)
            )
            p, q = p / (p + p_bar), q / (q + q_bar)
            a, b = (mpf(x.numerator) / x.denominator for x in ((p, q) if p <= q else (1 - p, 1 - q)))
            if a == b:
                continue
            if mpmath.log(b / a * (1 - a) / (1 - b)) > epsilon:
                truth = -mpmath.log(1 - b + b * mpmath.exp(-mpf(epsilon))) - mpf(epsilon) * a
            else:
                truth = a * mpmath.log(a / b) + (1 - a) * mpmath.log((1 - a) / (1 - b))
            assert missed(UNIT.d_epsilon(first, second, epsilon), truth) == 0


@pytest.mark.parametrize(("best", "gap"), [(0.5, 1e-9), (0.3, 1e-10), (0.9, 1e-8), (0.7, 3e-6)])
def test_the_order_of_theorem_8_next_to_equality(best, gap):
    """The divergence of close means is not the difference of two logarithms of nearly the same size."""
    instance = Instance("bernoulli", (best, best - gap), epsilon=1.0, horizon=10**18)
    p, q = mpmath.mpf(best - gap), mpmath.mpf(best)
    kl = p * mpmath.log(p / q) + (1 - p) * mpmath.log((1 - p) / (1 - q))
    true = (q - p) * mpmath.log(10**18) / min(kl, q - p) + 3 * mpmath.mpf(3.1) / (mpmath.mpf(3.1) - 3)
    assert THEOREMS["azize-basu-2022/thm8"].evaluate(instance).order == pytest.approx(float(true), rel=1e-13)


@pytest.mark.parametrize(("best", "gap", "epsilon"), [(0.9, 1e-8, 1.0), (0.9, 7e-9, 3e-4), (0.7, 1e-7, 0.1)])
@pytest.mark.parametrize("name", ["pure", "local"])
def test_an_arm_is_raised_by_what_the_bound_says(best, gap, epsilon, name):
    """Where mu* + x is rounded, x is the distance to the rounded mean: the root with exact numbers is no smaller."""
    instance = Instance("bernoulli", (best, best - gap), epsilon=epsilon, horizon=10**18)
    p, q = Fraction(best - gap), Fraction(best)
    raised = [Fraction(float(best + instance.gaps[1] * part)) for part in RAISES]
    apart = [(other - q, _apart(p, other, epsilon, name)) for other in raised if other <= 1]
    low, high = mpmath.mpf(0), 10**18 * mpmath.mpf(gap)
    for _ in range(150):
        middle = (low + high) / 2
        logs = [(mpmath.log(10**18 * _exact(min(q - p, x)) / (8 * middle)), d) for x, d in apart]
        enough = _exact(q - p) * max(log / d for log, d in logs) >= middle
        low, high = (middle, high) if enough else (low, middle)
    found = THEOREMS[f"finite-time/{name}"].evaluate(instance).value
    assert float(low) * (1 - 1e-12) <= found <= float(low) * (1 + 1e-14)


def _exact(value):
    return mpmath.mpf(value.numerator) / value.denominator


def _apart(p, q, epsilon, name):
    """Return the divergence of a pull, of close means: that of the rewards, or of randomised responses."""
    p, q = _exact(p), _exact(q)
    if name == "local":
        p, q = (mpmath.mpf(1) / 2 + (m - mpmath.mpf(1) / 2) * mpmath.tanh(mpmath.mpf(epsilon) / 2) for m in (p, q))
    return p * mpmath.log(p / q) + (1 - p) * mpmath.log((1 - p) / (1 - q))


@pytest.mark.parametrize("name", ["prop9", "prop9-gamma", "thm5", "cor10"])
def test_a_failure_probability_near_the_smallest_float_has_a_finite_logarithm(name):
    """n/alpha is no float, and its logarithm is 725."""
    setting = {"epsilon": 0.5, "delta": 1e-6, "noise": "wishart"}
    rare = THEOREMS[f"shariff-sheffet-2018/{name}"].evaluate(ContextualInstance(5, 10**15, alpha=1e-300, **setting))
    number = rare.value if rare.order is None else rare.order
    common = THEOREMS[f"shariff-sheffet-2018/{name}"].evaluate(ContextualInstance(5, 10**15, alpha=1e-290, **setting))
    assert number == pytest.approx(common.value or common.order, rel=0.04)


@pytest.mark.parametrize("variance", [53.3, 0.07])
@pytest.mark.parametrize(("best", "gap"), [(4.0, 1e-10), (0.3, 1e-9), (1e6, 1e-8)])
def test_the_stopping_time_of_close_gaussian_arms_of_any_variance(best, gap, variance):
    """Of two arms: 8 variance/gap^2 without privacy, and 2/TV with much; the means are not divided before the gap."""
    means = (best, best - gap)
    instance = Instance("gaussian", means, epsilon=1e-30, risk=0.25, variance=variance)
    apart = (mpf(means[0]) - mpf(means[1])) / mpmath.sqrt(mpf(variance))
    risk = mpmath.log(3) / 2
    for name, true in (("thm2-kl", 8 / apart**2), ("thm2-tv", 2 / mpmath.erf(apart / mpmath.sqrt(8)) / mpf(1e-30))):
        found = THEOREMS[f"jourdan-azize-2025/{name}"].evaluate(instance).value
        assert float(true * risk) * (1 - 1e-10) <= found <= float(true * risk) * (1 + 1e-14)
