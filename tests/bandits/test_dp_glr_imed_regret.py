"""Each step of the proof in docs/evidence/dp-glr-imed-regret.md, numerically, with variants that are wrong.

Nothing here is statistical: probabilities are summed or integrated, and the steps about the algorithm hold on any
private sums.
"""

import math

import numpy as np
import pytest
from scipy.stats import binom, gamma

from privcheck.bandits.dp_glr_imed import DPGLRIMEDPolicy
from privcheck.bandits.geometric_batches import next_total
from privcheck.bounds import d_epsilon, d_epsilon_minimiser

EDGES = np.array([0.0, 1e-12, 1e-6, 0.5, 1.0 - 1e-6, 1.0 - 1e-12, 1.0])
EPSILONS = [1e-3, 0.1, 1.0, 5.0, 30.0]
LENGTHS = [1, 2, 5, 40, 300]


def points(seed, size=200):
    """Return random means, some of them close to each other, and the edges."""
    rng = np.random.default_rng(seed)
    found = np.concatenate([rng.random(size), EDGES])
    near = np.clip(found + rng.normal(size=len(found)) * 1e-3, 0.0, 1.0)
    return np.concatenate([found, near])


def slope(m, q, epsilon):
    """Return the derivative of d in q, for q in (0, 1)."""
    return (q - d_epsilon_minimiser(m, q, epsilon)) / (q * (1.0 - q))


def kappa(epsilon):
    return math.expm1(-epsilon) ** 2


# Step 1


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_d_is_lipschitz_in_the_mean(epsilon):
    m, q = points(1)[:, None, None], points(2, 20)
    other = points(3, 20)[:, None]
    change = np.abs(d_epsilon(m, q, epsilon) - d_epsilon(other, q, epsilon))
    assert (change <= epsilon * np.abs(m - other) + 1e-12).all()
    assert (change > 0.999 * epsilon * np.abs(m - other))[np.abs(m - other)[..., 0] > 0.1].any(), "and no less"
    assert (d_epsilon(m, q, epsilon) <= epsilon * np.abs(m - q) + 1e-12).all()


def least_excess(epsilon, curvature):
    """Return the smallest d(m, y) - d(m, x) - d'(m, x) (y - x) - curvature (y - x)^2 / 2 over x <= y."""
    m, x = points(4, 60)[:, None, None], points(5, 30)
    x = x[(x > 0.0) & (x < 1.0)][:, None]
    y = np.concatenate([points(6, 30), [1.0]])
    y = np.maximum(x, y)
    # where x is near 0 or 1, the derivative is a difference of nearly equal numbers divided by x (1 - x)
    rounding = 1e-15 / (x * (1.0 - x)) + 1e-12
    tangent = slope(m, x, epsilon) * (y - x)
    excess = d_epsilon(m, y, epsilon) - d_epsilon(m, x, epsilon) - tangent - curvature * (y - x) ** 2 / 2
    return float((excess + rounding * (y - x)).min())


@pytest.mark.parametrize("epsilon", EPSILONS[:4])
def test_curvature(epsilon):
    assert least_excess(epsilon, kappa(epsilon)) >= -1e-11 * epsilon
    assert least_excess(epsilon, 1.0 if epsilon < 1 else 4.0) < 0.0, "the curvature of kl alone is not there"
    rise = slope(0.0, 2e-4, epsilon) - slope(0.0, 1e-4, epsilon)
    assert rise == pytest.approx(kappa(epsilon) * 1e-4, rel=1e-3), "kappa is attained as q tends to m = 0"


# Step 2


def tail(x, law, epsilon):
    """Return P(S + Laplace >= l x) for every x, exactly; `law` holds l, the values of S and their probabilities."""
    length, values, probabilities = law
    missing = length * x[:, None] - values
    size = 0.5 * np.exp(-epsilon * np.abs(missing))
    return np.where(missing >= 0.0, size, 1.0 - size) @ probabilities


def laws(length, mu):
    """Return laws of the sum of `length` rewards of mean mu: Bernoulli, constant, and mu or mu plus or minus half."""
    yield length, np.arange(length + 1.0), binom.pmf(np.arange(length + 1), length, mu)
    yield length, np.array([length * mu]), np.ones(1)
    reach = min(mu, 1.0 - mu) / 2
    steps = np.arange(length + 1.0)
    yield length, length * mu + reach * (2 * steps - length), binom.pmf(steps, length, 0.5)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("length", LENGTHS)
def test_the_tail_of_one_release(epsilon, length):
    closest = math.inf
    for mu in (0.0, 1e-9, 0.02, 0.3, 0.5, 0.9, 1.0 - 1e-9, 1.0):
        x = np.unique(np.clip(np.concatenate([np.linspace(mu, 1.0, 60), mu + np.geomspace(1e-9, 1.0, 40)]), mu, 1.0))
        for law in laws(length, mu):
            bound = math.log1p(epsilon * length) - length * d_epsilon(x, mu, epsilon)
            seen = tail(x, law, epsilon)
            some = seen > 1e-290
            closest = min(closest, (bound[some] - np.log(seen[some])).min())
    assert 0.0 <= closest < math.log(3.0 * (1.0 + epsilon * length)), "a bound, and not far off somewhere"


def test_the_tail_needs_this_divergence():
    """With a divergence of 1.3 epsilon instead of epsilon the bound fails; so does kl, which knows no noise."""
    length, epsilon, mu = 300, 0.2, 0.3
    x = np.linspace(mu, 1.0, 60)
    seen = np.log(tail(x, next(laws(length, mu)), epsilon))
    for wrong in (1.3 * epsilon, 1e9):
        assert (seen > math.log1p(epsilon * length) - length * d_epsilon(x, mu, wrong)).any()


def test_the_tail_of_six_noises_is_another():
    """DP-IMED's mean holds the noise of all batches; rewards are 0, so that d(x, 0) = epsilon x."""
    grid = np.linspace(0.0, 80.0, 200_001)
    exceeds = np.trapezoid(gamma.pdf(grid, 6) * gamma.sf(20.0 + grid, 6), grid)
    assert exceeds > 2.0 * (1.0 + 20.0) * math.exp(-20.0)
    one = np.trapezoid(gamma.pdf(grid, 1) * gamma.sf(20.0 + grid, 1), grid)
    assert one == pytest.approx(0.5 * math.exp(-20.0), rel=1e-6)


def expected(function, length, mu, epsilon):
    """Return E f(m) for the clipped private mean m of Bernoulli rewards, by the trapezoidal rule between integers."""
    weights = binom.pmf(np.arange(length + 1), length, mu)
    sums = np.arange(length + 1.0)
    at_ends = 0.5 * np.exp(-epsilon * sums) @ weights, 0.5 * np.exp(-epsilon * (length - sums)) @ weights
    total = at_ends[0] * function(np.zeros(1))[0] + at_ends[1] * function(np.ones(1))[0]
    for start in range(length):
        y = start + np.linspace(0.0, 1.0, 401)
        density = 0.5 * epsilon * np.exp(-epsilon * np.abs(y[:, None] - sums)) @ weights
        total += np.trapezoid(density * function(y / length), y)
    return total


CASES = [(1, 0.3), (3, 0.0), (10, 0.5), (10, 0.97), (40, 0.2)]


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 2.0])
@pytest.mark.parametrize(("length", "mu"), CASES)
def test_the_exponential_moment_of_one_release(epsilon, length, mu):
    assert expected(np.ones_like, length, mu, epsilon) == pytest.approx(1.0, abs=1e-4)
    moment = expected(lambda m: np.exp(length * d_epsilon(m, mu, epsilon)), length, mu, epsilon)
    budget = epsilon * length
    assert 1.0 <= moment <= 1.0 + 2.0 * budget * (1.0 + budget)
    if budget > 3.0:  # the moment does grow with the length
        assert moment > 1.0 + budget / 8.0


# Step 3 and 4: on any private sums


class Watched(DPGLRIMEDPolicy):
    """The reference, which notes what the proof says about every batch that starts."""

    def __init__(self, means, epsilon, seed, misled):
        super().__init__(len(means), epsilon, 1.2, np.random.default_rng(seed), None, max(round(1 / epsilon), 1), 0)
        self.true, self.misled, self.held, self.broken = np.array(means), misled, [0, 0, 0], []

    def take_in(self, arm, length, private_sum):
        """Mislead: shift the sums of the best arm downwards, or those of the others upwards, in the first batches."""
        best = arm == int(self.true.argmax())
        if len(self.lengths[arm]) < 3:
            private_sum += (self.misled if not best else -self.misled) * length
        super().take_in(arm, length, private_sum)

    def choose(self):
        arm = self.chosen()
        best = int(self.true.argmax())
        leader, n = max(self.estimates), self.pulls[arm]
        for gap_share in (0.1, 0.5, 0.9):
            if arm == best:
                continue
            delta = gap_share * (self.true[best] - self.true[arm])
            q = self.true[best] - delta
            if leader < q:
                excess = self.deviance(best, q) - self.least[best]
                self.note(0, math.log(n) <= excess + math.log(self.pulls[best]) + 1e-9)
                shrunk = self.deviance(best, self.true[best]) - self.pulls[best] * kappa(self.drawn) * delta**2 / 2
                self.note(2, excess <= shrunk + 1e-9)
                continue
            away = sum(m * abs(p - self.true[arm]) for m, p in zip(self.lengths[arm], self.released[arm], strict=True))
            rate = d_epsilon(self.true[arm], q, self.drawn) - 2.0 * self.drawn * away / n
            if rate > 0.0:
                self.note(1, n * rate <= math.log(sum(self.pulls)) + 2e-9)
        return arm

    def chosen(self):
        return super().choose()

    def note(self, step, holds):
        self.held[step] += holds
        if not holds:
            self.broken.append(step)


class Least(Watched):
    """A broken twin: it plays the arm with the fewest pulls, whatever the releases say."""

    def chosen(self):
        return self.pulls.index(min(self.pulls))


class Greedy(Watched):
    """A broken twin: it plays the arm with the largest estimate."""

    def chosen(self):
        return self.estimates.index(max(self.estimates))


def watched(cls):
    """Return how often the three inequalities held, and which failed, over some runs."""
    held, broken = np.zeros(3, int), []
    for seed, (means, epsilon, misled) in enumerate(
        [
            ((0.75, 0.625, 0.5), 1.0, 0.0),
            ((0.2, 0.9), 0.3, 0.3),
            ((0.55, 0.5, 0.5, 0.45), 2.0, 0.1),
            ((0.0, 1.0, 0.5), 0.5, 0.6),
            ((0.05, 0.3), 5.0, 0.2),
        ]
    ):
        policy = cls(means, epsilon, seed, misled)
        rng = np.random.default_rng(100 + seed)
        for _ in range(1200):
            arm = policy.select()
            policy.update(arm, float(rng.random() < means[arm]))
        held += policy.held
        broken += policy.broken
    return held, broken


def test_every_batch_that_starts_is_one_of_the_proof():
    held, broken = watched(Watched)
    assert broken == []
    assert (held > 10).all(), f"each inequality was at stake: {held}"


@pytest.mark.parametrize(("twin", "step"), [(Least, 1), (Greedy, 0)])
def test_other_rules_break_it(twin, step):
    assert step in watched(twin)[1]


@pytest.mark.parametrize(("length", "mu"), CASES)
@pytest.mark.parametrize("epsilon", [0.05, 1.0, 4.0])
def test_the_deviation_of_one_release(length, mu, epsilon):
    for share in (0.01, 0.2, 0.5):
        size = share * epsilon
        moment = expected(lambda m: np.exp(size * length * np.abs(m - mu)), length, mu, epsilon)  # noqa: B023
        assert moment <= 2.0 * math.exp(size**2 * length / 8.0) / (1.0 - share)


# Step 5


def sums(epsilon, ratio, delta, eta, most=1e12):
    """Return the logarithms of the terms of the two sums, by k."""
    first, second = math.ceil(1.0 / epsilon), math.ceil(10.0 / epsilon)
    totals = [first]
    while totals[-1] < most:
        totals.append(next_total(totals[-1], ratio, first, second))
    n = np.array(totals, float)
    budgets = epsilon * np.diff(n, prepend=0.0)
    log_c = np.cumsum(np.log1p(2.0 * budgets * (1.0 + budgets)))
    under = np.log(ratio * math.exp(1e-9) * n + 1.0 + n[1]) + log_c - n * kappa(epsilon) * delta**2 / 2.0
    size = min(epsilon / 2.0, 4.0 * eta)
    deviates = np.minimum(0.0, np.arange(1, len(n) + 1) * math.log(4.0) - size * eta * n / 2.0)
    return n[:-1], under[:-1], np.log(n[1:]) + deviates[:-1]


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("ratio", [1.2, 1.5, 2.0])
def test_the_sums_are_finite(epsilon, ratio):
    """From some k on, each term is less than e^-10 times the one before."""
    for terms in sums(epsilon, ratio, 0.05, 0.02)[1:]:
        top = int(np.argmax(terms))
        falls = np.diff(terms[top:]) < -10.0
        start = int(np.argmax(falls))
        assert falls[start:].all()
        assert terms[top + start] > -100.0, "the drop is seen before the terms vanish"
        assert len(falls[start:]) > 10


def test_the_numbers_on_the_page():
    """C2 with epsilon 1, delta .06."""
    n, under, _ = sums(1.0, 1.5, 0.06, 0.02)
    assert 235.0 < under.max() < 240.0
    assert n[np.argmax((under < 0.0) & (n > 1e4))] == pytest.approx(6e5, rel=0.01)
