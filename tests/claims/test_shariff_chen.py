"""The claims of Shariff and Sheffet 2018 and of Chen et al. 2020: entered again, and checked by other means."""

from __future__ import annotations

import importlib.util
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy import optimize, stats

import privcheck.claims
from privcheck.claims import CLAIMS, Order, findings_from_json
from privcheck.claims._arithmetic import FLOATS
from privcheck.claims._expression import evaluate, substitute
from privcheck.claims._search.starting_points import candidates

_spec = importlib.util.spec_from_file_location("again", Path(__file__).parent / "entered_again_shariff_chen.py")
again = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(again)

RUN = Path(privcheck.claims.__file__).parent / "claims.json"
PAPERS = ("shariff-sheffet-2018", "chen-2020")
AGAIN = {f"{PAPERS[0]}/{name}": entry for name, entry in again.SHARIFF.items()} | {
    f"{PAPERS[1]}/{name}": entry for name, entry in again.CHEN.items()
}
CASES = [(name, index) for name, entries in AGAIN.items() for index, entry in enumerate(entries) if entry]
POINTS = 12


def usable(reading, point):
    """Whether a point is inside of the domain, away from where floats overflow, and fit for enumeration."""
    inside = all(of.has(Fraction(point[of.name])) for of in reading.variables)
    large = point.get("epsilon", 0.0) > 300 or (point.get("m", 0) > 8 and "epsilon" in point)
    return inside and not large and all(values(given.gap, point) >= 0 for given in reading.assumes)


def values(side, point):
    return evaluate(side, FLOATS, point)


def first_disagreement(reading, entry):
    """The first of `POINTS` random points at which two entries differ, or None; fixed seed."""
    drawn = candidates(reading, 400, np.random.default_rng(5))
    integers = {of.name for of in reading.variables if of.integer}
    compared = 0
    for i in range(400):
        point = {of: float(listed[i]) for of, listed in drawn.items()}
        if compared == POINTS or not usable(reading, point):
            continue
        found = [values(side, point) for side in (reading.says.left, reading.says.right)]
        try:
            other = entry(**{of: int(value) if of in integers else value for of, value in point.items()})
        except (OverflowError, ValueError, ZeroDivisionError):
            continue
        if not all(map(math.isfinite, (*found, *other))):
            continue
        if found != pytest.approx(list(other), rel=1e-6, abs=1e-9):
            return point, found, other
        compared += 1
    assert compared == POINTS
    return None


@pytest.mark.parametrize(("name", "index"), CASES)
def test_a_second_entry_agrees_at_random_points(name, index):
    assert first_disagreement(CLAIMS[name].readings[index], AGAIN[name][index]) is None


@pytest.mark.parametrize(("name", "index"), CASES)
def test_an_entry_that_is_off_by_a_thousandth_disagrees(name, index):
    entry = AGAIN[name][index]
    reading = CLAIMS[name].readings[index]
    assert first_disagreement(reading, lambda **point: [side * 1.001 for side in entry(**point)]) is not None


@pytest.mark.parametrize("name", again.ORDERS)
@pytest.mark.parametrize("s", [3.0, 40.0, 500.0])
def test_a_second_entry_of_an_order_agrees(name, s):
    says = CLAIMS[name].readings[0].says
    assert isinstance(says, Order)
    sides = [substitute(side, says.paths[0]) for side in (says.left, says.right)]
    assert [values(side, {"s": s}) for side in sides] == pytest.approx(list(again.ORDERS[name](s)), rel=1e-9)


def test_every_refuted_claim_is_entered_again():
    wrong = {found.id for found in findings_from_json(RUN) if found.wrong and found.paper in PAPERS}
    bounded_below = {f"{PAPERS[0]}/cor10", f"{PAPERS[0]}/cor12"}  # see the test of what is plugged in
    assert wrong == set(AGAIN) | set(again.ORDERS) | bounded_below


def plugged_in(log_n, lost, size, epsilon, wishart):
    """Theorem 5 over sqrt(8 n) for B = L = sigma = d = 1, alpha = 1/2, with the numbers of Proposition 9 or 11."""
    m, sure = 1 + log_n / math.log(2), log_n + math.log(4)
    if wishart:
        k = 2 + 224 * m * (math.log(8 * m) + lost) * (math.log(2) + lost) / epsilon**2
        eight = 1 + math.sqrt(2 * (log_n + math.log(16)))
        smallest, largest = (factor * math.sqrt(m * k) * eight for factor in (4, 8))
        gamma = math.sqrt(math.sqrt(m * k) * (1 + math.sqrt(2 * sure)))
    else:
        smallest = math.sqrt(32) * m * (math.log(4) + lost) * (4 + 2 * sure) / epsilon
        largest = 3 * smallest
        noise = 4 * math.sqrt(m) * (math.log(4) + lost) / epsilon
        gamma = noise * math.sqrt(m / smallest) * (1 + math.sqrt(2 * sure))
    seen = log_n - math.log(smallest)  # log(1 + n/rho_min), from below
    return (size * math.sqrt(largest) + gamma) * math.sqrt(seen)


def test_what_corollaries_10_and_12_are_plugged_in_from():
    """Their left sides are bounds of it: from below where the order is refuted, from above where it is not."""
    for path, lost in ((0, lambda s: 1.0), (1, lambda s: s)):
        says = CLAIMS["shariff-sheffet-2018/cor10"].readings[0].says
        for s in (1e2, 1e4, 1e8):
            left = values(substitute(says.left, says.paths[path]), {"s": s})
            assert left <= plugged_in(s, lost(s), 1.0, 1.0, wishart=True)
    small, usual = CLAIMS["shariff-sheffet-2018/cor12"].readings
    for s in (1e2, 1e4, 1e8):
        sides = [values(substitute(of.says.left, of.says.paths[0]), {"s": s}) for of in (small, usual)]
        assert sides[0] <= plugged_in(s, 1.0, s**-2, s**-2, wishart=False)
        assert sides[1] >= plugged_in(s, 1.0, 1.0, 1.0, wishart=False)
    # the printed right sides
    says = CLAIMS["shariff-sheffet-2018/cor10"].readings[0].says
    right = math.log(2) + 50 + 50**0.75 * (1 + 9**0.25) * (1 + math.log(math.exp(50) / 0.5) ** 0.25)
    assert values(says.right, {"log_n": 50.0, "log_1_over_delta": 9.0}) == pytest.approx(right)
    right = 50 + math.log(2) + 0.3 * 50 * math.sqrt((1 + math.log(math.exp(50) / 0.5)) / 0.2)
    assert values(small.says.right, {"log_n": 50.0, "S": 0.3, "epsilon": 0.2}) == pytest.approx(right)


def largest_ratio(first, second, neighbours, epsilon, second_at_most):
    """The largest ratio of an event's probabilities, over all epsilon-DP mechanisms; the second one is limited.

    The unknowns are the event's probabilities for each input, over that limit.
    """
    rows, limits = [second], [1.0]
    growth = math.exp(epsilon)
    for i, j in [*neighbours, *((j, i) for i, j in neighbours)]:
        row = np.zeros(len(first))
        row[i], row[j] = 1.0, -growth  # q_i <= e^epsilon q_j
        rows.append(row)
        limits.append(0.0)
        other = np.zeros(len(first))
        other[i], other[j] = -1.0, growth
        rows.append(other)
        limits.append((growth - 1.0) / second_at_most)  # 1 - q_i <= e^epsilon (1 - q_j)
    found = optimize.linprog(-np.asarray(first), A_ub=np.array(rows), b_ub=limits, bounds=(0, 1 / second_at_most))
    assert found.status == 0
    return -found.fun


@pytest.mark.parametrize(("epsilon", "gap", "count"), [(0.5, 0.3, 1), (2.0, 0.1, 3), (5.0, 0.05, 2), (5.0, 0.2, 4)])
def test_the_worst_mechanism_of_claim_14_is_a_linear_programme(epsilon, gap, count):
    """`count` rewards, -1 with probability gap under one law and never under the other."""
    first = stats.binom.pmf(range(count + 1), count, gap)
    second = [1.0] + [0.0] * count
    chain = [(k, k + 1) for k in range(count)]
    most = 1e-6 * math.exp(-epsilon * count)
    found = largest_ratio(first, second, chain, epsilon, most)
    left, right = (
        values(side, {"epsilon": epsilon, "Delta": gap})
        for side in (CLAIMS["shariff-sheffet-2018/claim14-coupling"].readings[1].says.left,
                     CLAIMS["shariff-sheffet-2018/claim14-coupling"].readings[1].says.right)
    )  # fmt: skip
    assert found == pytest.approx(left**count, rel=1e-6)
    assert (found > right**count) == (epsilon == 5.0 and gap < 0.1)


def test_the_lost_arm_of_theorem_4():
    """The other arm's index stays above 1/4 with probability 1/2 at least: a union of Chernoff bounds."""
    log_t = 64.0
    slopes = np.linspace(0.01, 0.99, 99)
    early = 0.0
    for n in range(1, int(8 * log_t)):
        threshold = 4 * math.sqrt(2 * log_t * n) + n / 4
        early += float(np.exp(np.min(-slopes * threshold - n * np.log1p(-(slopes**2)))))
    exponent = -4 * 2 * log_t + 4 / 3 * 2 * log_t  # with the parameter sqrt(2 ln T/n) <= 1/2
    late = math.exp(log_t + exponent)
    assert early + late < 1e-3
    # the best arm's first index is in [0, 1/4) with a probability of the order that is declared
    width, mean, gap = 4 * math.sqrt(2 * log_t), 0.5, 0.1
    chance = stats.laplace.cdf(-width - mean - gap + 0.25) - stats.laplace.cdf(-width - mean - gap)
    assert chance == pytest.approx(math.exp(-width) * math.exp(-mean - gap) * math.expm1(0.25) / 2)
    assert gap * chance / 2 * math.exp(log_t) > 1e3 * log_t


def test_theorem_5_and_6_on_a_run():
    """The algorithm itself on the environment of the counterexamples: the wrong action first, regret 2 S."""
    by_id = {found.id: found for found in findings_from_json(RUN)}
    for name in ("thm5", "thm6", "thm6-rewards", "thm6-scaling"):
        found = by_id[f"shariff-sheffet-2018/{name}"].readings[0].evidence
        at = {"n": 10.0, "rho": 1e-4, "gamma": 1e-6, "sigma": 0.01, "alpha": 0.1}
        at |= {of: float(Fraction(value)) for of, value in found["point"].items()}
        gram, reward_sum, regret = 0.0, 0.0, 0.0
        for _ in range(int(at["n"])):
            v = gram + at["rho"]
            estimate = (reward_sum - at["gamma"] * math.sqrt(at["rho"])) / v
            beta = at["sigma"] * math.sqrt(2 * math.log(2 / at["alpha"]) + math.log(v / at["rho"]))
            beta += at["S"] * math.sqrt(at["rho"]) + at["gamma"]
            assert abs(at["S"] - estimate) * math.sqrt(v) <= beta * (1 + 1e-9)
            action = max((-1.0, 1.0), key=lambda x: estimate * x + beta * abs(x) / math.sqrt(v))
            regret += at["S"] * (1 - action)
            gram, reward_sum = gram + 1, reward_sum + action * action * at["S"]
        assert regret >= float(found["left"])
        assert regret > 1.01 * float(found["right"])


def test_large_rewards_refute_theorem_6_where_the_confidence_radius_is_above_one():
    """S = B = 100: the printed bound is 50.93, and one wrong round has the regret 200."""
    left, right = again.with_gap(10, 100, 1e-4, 0.0, 0.01, 0.1)
    radius = 0.01 * math.sqrt(2 * math.log(20) + math.log1p(1e5)) + 100 * 1e-2
    assert (left, round(right, 2), round(radius, 2)) == (200, 50.93, 1.04)
    found = {of.id: of for of in findings_from_json(RUN)}["shariff-sheffet-2018/thm6-rewards"].readings[0].evidence
    assert found["point"] == {"S": "100"}
    assert float(found["right"]) == pytest.approx(right, abs=0.005)


@pytest.mark.chance(1e-6, "one binomial count")
def test_the_wishart_law_in_one_direction():
    """Theorem 8's event against sampled Wishart matrices."""
    rng = np.random.default_rng(11)
    size, degrees, runs = 3, 5, 4000
    normals = rng.standard_normal((runs, degrees, size))
    inverse = np.linalg.inv(np.einsum("rki,rkj->rij", normals, normals))
    below = np.sum(1 / inverse[:, 0, 0] < 1)
    chance = stats.chi2.cdf(1, degrees - size + 1)
    low, high = stats.binom.interval(1 - 1e-6, runs, chance)
    assert low <= below <= high
    assert not low <= runs * stats.chi2.cdf(1, degrees) <= high, "the law without p - 1 is another one"
