"""The ends of a total loss, far out and for many releases, against 50-digit sums and the inverted moment function."""

from __future__ import annotations

import math

import numpy as np
import pytest

from privcheck.accounting import DiscreteLaplacePair, GaussianPair, LaplacePair, ResponsePair
from privcheck.accounting import _tilted_sum as tilted_sum
from privcheck.accounting._lattice_law import LatticeLaw, lattice_law
from privcheck.accounting._loss_distribution import composed

mpmath = pytest.importorskip("mpmath")

DELTAS = (1e-2, 1e-6, 1e-8, 1e-10, 1e-12)
WITHIN = 1e-2
"""The most by which the ends may differ, relative to the upper one."""


@pytest.fixture(autouse=True)
def fifty_digits():
    with mpmath.workdps(50):
        yield


def response_delta(epsilon, times, at):
    """Kairouz, Oh and Viswanath 2015, Theorem 3.3: a binomial sum over the number of truthful answers."""
    one = mpmath.mpf(epsilon)
    odds = mpmath.exp(-one)
    lied = min(times, math.ceil((times - at / one) / 2) - 1)  # the most lies with a loss above `at`
    if lied < 0:
        return mpmath.mpf(0)
    term = mpmath.binomial(times, lied) * odds**lied / (1 + odds) ** times
    total, largest = mpmath.mpf(0), mpmath.mpf(0)
    while lied >= 0 and term >= largest * mpmath.mpf(10) ** -45:
        total += term * -mpmath.expm1(at - one * (times - 2 * lied))
        largest = max(largest, term)
        term *= lied / (odds * (times - lied + 1))
        lied -= 1
    return total


def lattice_delta(law, times, at):
    """The mean of 1 - exp(at - loss) above `at`, by the power of a polynomial; the law is [(loss, mass), ...]."""
    base, step, masses = law
    total = [mpmath.mpf(1)]
    for _ in range(times):
        longer = [mpmath.mpf(0)] * (len(total) + len(masses) - 1)
        for place, mass in enumerate(masses):
            for other, value in enumerate(total):
                longer[place + other] += mass * value
        total = longer
    losses = [times * base + step * place for place in range(len(total))]
    return sum(mass * -mpmath.expm1(at - loss) for mass, loss in zip(total, losses, strict=True) if loss > at)


def laplace_delta(epsilon, times, at):
    """Laplace losses are 1, -1 times epsilon, or have a density proportional to exp(loss / 2): a sum of splines."""
    one, total = mpmath.mpf(epsilon), mpmath.mpf(0)
    for high in range(times + 1):
        for low in range(times + 1 - high):
            inner = times - high - low
            ways = mpmath.factorial(times) / mpmath.factorial(high) / mpmath.factorial(low) / mpmath.factorial(inner)
            weight = ways * mpmath.mpf(2) ** -(high + low) * mpmath.exp(-low * one)
            rest = at - (high - low) * one
            if inner == 0:
                total += weight * max(mpmath.mpf(0), -mpmath.expm1(rest))
                continue
            weight *= mpmath.exp(-inner * one / 2) / mpmath.mpf(4) ** inner
            for knot in range(inner + 1):
                start = (2 * knot - inner) * one
                share = (-1) ** knot * mpmath.binomial(inner, knot) / mpmath.factorial(inner - 1)

                def piece(x, start=start, rest=rest, inner=inner):
                    return (x - start) ** (inner - 1) * mpmath.exp(x / 2) * -mpmath.expm1(rest - x)

                begin = max(start, rest)
                if begin < inner * one:
                    total += weight * share * mpmath.quad(piece, [begin, inner * one])
    return total


def gaussian_delta(mu, at):
    mu, at = mpmath.mpf(mu), mpmath.mpf(at)
    return mpmath.ncdf(mu / 2 - at / mu) - mpmath.exp(at) * mpmath.ncdf(-mu / 2 - at / mu)


def contains(releases, exact, deltas=DELTAS):
    """Assert that the exact delta at the upper epsilon is not above, and at the lower one not below."""
    upper, lower = composed(releases)
    for delta in deltas:
        above, below = upper.epsilon(delta), lower.epsilon(delta)
        assert exact(mpmath.mpf(above)) <= delta
        assert below == 0.0 or exact(mpmath.mpf(below)) >= delta
        assert above - below <= WITHIN * above
        for end, at in ((upper, below), (lower, above)):
            assert (end is upper) == (mpmath.mpf(end.delta(at)) >= exact(mpmath.mpf(at)))


@pytest.mark.parametrize("times", [1, 10, 100, 1000, 10_000, 100_000])
def test_randomised_response(times):
    epsilon = math.sqrt(2.0 / times)
    contains([(ResponsePair(epsilon), times)], lambda at: response_delta(epsilon, times, at))


def categories_law(epsilon, categories):
    odds = mpmath.exp(-mpmath.mpf(epsilon))
    keep = 1 / (1 + (categories - 1) * odds)
    return -mpmath.mpf(epsilon), mpmath.mpf(epsilon), [odds * keep, (categories - 2) * odds * keep, keep]


def discrete_law(epsilon, distance):
    step = mpmath.mpf(epsilon) / distance
    q = mpmath.exp(-step)
    masses = [q**place * (1 - q) / (1 + q) for place in range(distance, -1, -1)]
    masses[0], masses[-1] = q**distance / (1 + q), 1 / (1 + q)
    return -mpmath.mpf(epsilon), 2 * step, masses


@pytest.mark.parametrize("epsilon", [0.05, 0.4, 2.0])
def test_lattices_of_several_losses(epsilon):
    contains(
        [(ResponsePair(epsilon, 5), 60)], lambda at: lattice_delta(categories_law(epsilon, 5), 60, at), (1e-6, 1e-12)
    )
    law = discrete_law(epsilon, 3)
    contains([(DiscreteLaplacePair(epsilon, 3), 40)], lambda at: lattice_delta(law, 40, at), (1e-6, 1e-12))


@pytest.mark.parametrize(("epsilon", "times"), [(0.3, 1), (1.0, 2), (2.0, 4)])
def test_few_laplace_releases(epsilon, times):
    contains([(LaplacePair(epsilon), times)], lambda at: laplace_delta(epsilon, times, at), (1e-2, 1e-6, 1e-12))


@pytest.mark.parametrize(("mu", "times"), [(0.01, 10_000), (1.0, 1), (0.3, 50)])
def test_gaussian_noise(mu, times):
    exact_mu = mpmath.mpf(mu) * mpmath.sqrt(times)
    contains([(GaussianPair(mu), times)], lambda at: gaussian_delta(exact_mu, at))


def test_gaussian_noise_and_responses():
    """The Gaussian closed form, averaged over the binomial losses of the responses."""
    epsilon, times, mu = 0.05, 400, 0.5

    def exact(at):
        lies = 1 / (1 + mpmath.exp(mpmath.mpf(epsilon)))
        term, total = (1 - lies) ** times, mpmath.mpf(0)
        for lied in range(times + 1):
            if term > mpmath.mpf(10) ** -40:
                total += term * gaussian_delta(mu, at - mpmath.mpf(epsilon) * (times - 2 * lied))
            term *= lies / (1 - lies) * (times - lied) / (lied + 1)
        return total

    contains([(GaussianPair(mu), 1), (ResponsePair(epsilon), times)], exact, (1e-6, 1e-12))


def log_moment(pair, z):
    """Return ln E exp(z loss), for complex z."""
    if isinstance(pair, GaussianPair):
        return pair.mu**2 / 2.0 * (z * z + z)
    e = pair.epsilon
    if isinstance(pair, LaplacePair):
        return np.log(((1.0 + z) * np.exp(z * e) + z * np.exp(-(1.0 + z) * e)) / (1.0 + 2.0 * z))
    losses, masses = pair.atoms
    return np.log(np.sum(masses[:, None] * np.exp(losses[:, None] * z), axis=0))


def inverted(releases, at, tilt):
    r"""Delta by Laplace inversion: the integral of exp(K(z) - z at) / (z (z + 1)) over Re z = tilt, over 2 pi i.

    The trapezoidal rule of an analytic function that decays has an error that falls exponentially: by Poisson's
    formula it adds the values at `at` plus multiples of the period, which are negligible.
    """
    probe = np.array([tilt, tilt + 1e-4], complex)
    total = [sum(count * log_moment(pair, probe).real for pair, count in releases)][0]
    variance = sum(
        count * float(np.diff(log_moment(pair, np.array([tilt - 1e-3, tilt, tilt + 1e-3], complex)).real, 2)[0]) / 1e-6
        for pair, count in releases
    )
    mu = math.sqrt(sum(count * pair.mu**2 for pair, count in releases if isinstance(pair, GaussianPair)))
    decay = mu or math.sqrt(variance)
    period = 40.0 * math.sqrt(variance) + 100.0 / tilt
    u = 2.0 * math.pi / period * np.arange(math.ceil(10.0 / decay * period / (2.0 * math.pi)))
    z = tilt + 1j * u
    exponents = sum(count * (log_moment(pair, z) - log_moment(pair, probe)[0]) for pair, count in releases)
    values = (np.exp(exponents - 1j * u * at) / (z * (z + 1.0))).real
    return math.exp(total[0] - tilt * at) * (values.sum() - values[0] / 2.0) * 2.0 / period


def test_the_inversion_is_the_closed_form():
    assert inverted([(GaussianPair(1.0), 1)], 5.0, 4.5) == pytest.approx(float(gaussian_delta(1.0, 5.0)), rel=1e-11)
    both = [(GaussianPair(0.5), 1), (ResponsePair(1.0), 1)]
    keep = 1.0 / (1.0 + math.exp(-1.0))
    exact = keep * gaussian_delta(0.5, 2.0) + (1.0 - keep) * gaussian_delta(0.5, 4.0)
    assert inverted(both, 3.0, 6.0) == pytest.approx(float(exact), rel=1e-11)


@pytest.mark.parametrize("times", [1000, 10_000, 100_000])
def test_many_laplace_releases(times):
    """The moment function away from the real line is at most (1 - epsilon / 2)^times of its value there."""
    releases = [(LaplacePair(math.sqrt(2.0 / times)), times)]
    upper, lower = composed(releases)
    for delta in (1e-6, 1e-12):
        above, below = upper.epsilon(delta), lower.epsilon(delta)
        tilt = (above - 1.0) / 2.0
        assert inverted(releases, above, tilt) <= delta * (1.0 + 1e-8)
        assert inverted(releases, below, tilt) >= delta * (1.0 - 1e-8)
        assert above - below <= 1e-4 * above


def random_plan(rng):
    """Up to six kinds of releases, each up to 1e5 times, with a total rho of the order of one."""
    kinds = (
        lambda e: LaplacePair(e), lambda e: ResponsePair(e), lambda e: ResponsePair(e, int(rng.integers(3, 9))),
        lambda e: DiscreteLaplacePair(e, int(rng.integers(1, 30))), lambda e: LaplacePair(e),
    )  # fmt: skip
    releases = [(GaussianPair(float(rng.uniform(0.1, 1.0))), 1)]
    for place in rng.permutation(len(kinds))[: rng.integers(1, len(kinds) + 1)]:
        count = round(10.0 ** float(rng.uniform(0.0, 5.0)))
        rho = 10.0 ** float(rng.uniform(-3.0, 0.0))
        releases.append((kinds[place](math.sqrt(2.0 * rho / count)), count))
    return releases


def test_random_plans_lie_between_their_ends():
    """Two hundred plans with a little Gaussian noise, which makes the inversion exact to rounding."""
    rng = np.random.default_rng(11)
    for _ in range(200):
        releases = random_plan(rng)
        delta = 10.0 ** float(rng.uniform(-12.0, -2.0))
        upper, lower = composed(releases)
        above, below = upper.epsilon(delta), lower.epsilon(delta)
        slope = -math.log(upper.delta(above * 1.01) / upper.delta(above)) / (0.01 * above)
        assert inverted(releases, above, slope) <= delta * (1.0 + 1e-8), releases
        assert inverted(releases, below, slope) >= delta * (1.0 - 1e-8), releases
        assert above - below <= WITHIN * above, releases


SPREAD, LAW = tilted_sum._Grid.moved, lattice_law


@pytest.mark.parametrize("broken", ["mean loss kept", "rounded down", "merged from above", "window cut"])
def test_broken_upper_ends_are_noticed(broken, monkeypatch):
    """A split that keeps the mean loss, losses that are rounded down, the law from below, and a window without tail."""
    mixed = [(GaussianPair(0.2), 1), (ResponsePair(0.7), 10)]
    many = [(LaplacePair(0.1), 200)]
    if broken == "mean loss kept":

        def kept(self, losses, weights, upper):
            back = np.floor(losses / self.step) * self.step - losses
            fraction = -back / self.step
            start, stay = SPREAD(self, losses, weights * (1.0 - fraction), False)
            _, rise = SPREAD(self, losses + self.step * (1.0 - 1e-9), weights * fraction, False)
            return start, np.concatenate([stay, [0.0]]) + np.concatenate([rise, np.zeros(len(stay) + 1 - len(rise))])

        monkeypatch.setattr(tilted_sum, "GRID", 2**6)
        monkeypatch.setattr(tilted_sum._Grid, "moved", kept)
    elif broken == "rounded down":
        monkeypatch.setattr(
            tilted_sum._Grid, "moved", lambda self, losses, weights, upper: SPREAD(self, losses, weights, False)
        )
    elif broken == "merged from above":
        monkeypatch.setattr(
            tilted_sum, "lattice_law", lambda pair, count, tilt, upper: LAW(pair, count, tilt, upper=False)
        )
    else:
        monkeypatch.setattr(LatticeLaw, "window", lambda self, count, tilt: (0, count))
        monkeypatch.setattr(tilted_sum, "TAIL", 0.0)
    releases = mixed if broken in ("mean loss kept", "rounded down") else many
    upper, _ = composed(releases)
    above = upper.epsilon(1e-6)
    assert inverted(releases, above, 8.0) > 1e-6 * (1.0 + 1e-8)
