"""Printed orders are numbers that can be checked: entered twice, and not below a lower bound along scaling paths."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from privcheck.bounds import THEOREMS, ContextualInstance, Instance, SemiBanditInstance

ORDERS = [name for name, theorem in THEOREMS.items() if theorem.provenance == "order-only"]
BANDIT = Instance("bernoulli", (0.9, 0.8, 0.75, 0.4), epsilon=0.3, horizon=5000)
WISHART = ContextualInstance(4, 3000, 0.7, 0.05, alpha=0.02, noise="wishart", mean_bound=2.0, parameter_norm=3.0)
SEMI = SemiBanditInstance(arms=8, size=3, epsilon=0.4, gap=0.2, smooth_inf=1.5, smooth_one=0.7, horizon=4000)


def kl(p, q):
    return p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))


def two_forms(o):
    gaps = np.array([0.1, 0.15, 0.5])
    return min(
        np.sum(math.log(5000) / np.minimum(gaps, 0.3)), math.sqrt(4 * 5000 * math.log(5000)) + 4 * math.log(5000) / 0.3
    )


def contextual(o):
    """The brackets of Corollaries 10 and 12: the width, and what multiplies S and the root of L^2 + B^2."""
    d, n, alpha = o.dimension, o.horizon, o.alpha
    row = math.sqrt(o.row_norm_squared) * o.parameter_norm
    return d, n, alpha, row, o.sigma * (math.log(1 / alpha) + d * math.log(n)), 2.0 * math.sqrt(n)


def wishart(o):
    d, n, alpha, row, width, factor = contextual(o)
    inner = (d ** (1 / 4) + o.epsilon ** (-1 / 2) * math.log(20) ** (1 / 4)) * (
        d ** (1 / 4) + math.log(n / alpha) ** (1 / 4)
    )
    return factor * (width + row * math.sqrt(d) * math.log(n) ** (3 / 4) * inner)


def gaussian(o):
    d, n, alpha, row, width, factor = contextual(o)
    return factor * (
        width + row * math.log(n) * math.sqrt(d * (math.sqrt(d) + math.log(n / alpha)) * math.log(20) / o.epsilon)
    )


AGAIN = {
    "hu-2021/thm3": (BANDIT, two_forms),
    "hu-2021/thm5": (BANDIT, two_forms),
    "hu-2021/thm9": (BANDIT, lambda o: math.log(4) / 0.1 + math.log(4) * math.log(0.5 / 0.3) / 0.3),
    "hu-2021/cor10a": (dataclasses.replace(BANDIT, epsilon=2.0), lambda o: math.log(4) / 0.1),
    "hu-2021/cor10b": (
        dataclasses.replace(BANDIT, means=(0.9, 0.8, 0.75), epsilon=0.05),
        lambda o: math.log(3) / 0.05,
    ),
    "hu-2021/cor11": (BANDIT, lambda o: math.sqrt(5000 * math.log(4)) + math.log(4) * math.log(5000) / 0.3),
    "hu-2021/thm12": (BANDIT, lambda o: max(math.log(4) / 0.1, math.log(4) / 0.3)),
    "azize-basu-2022/thm8": (
        BANDIT,
        lambda o: sum((0.9 - m) * math.log(5000) / min(kl(m, 0.9), 0.3 * (0.9 - m)) + 93 for m in (0.8, 0.75, 0.4)),
    ),
    "shariff-sheffet-2018/cor10": (WISHART, wishart),
    "shariff-sheffet-2018/cor12": (dataclasses.replace(WISHART, noise="gaussian"), gaussian),
    "chen-2020/thm2": (SEMI, lambda o: 8 * 9 * 1.5**2 * math.log(4000) / (0.16 * 0.2)),
    "chen-2020/thm4": (SEMI, lambda o: 8 * 1.5**2 * math.log(4000) / (0.16 * 0.2)),
    "chen-2020/thm8": (
        SEMI,
        lambda o: (
            8 * 3 * 0.49 * math.log(4000) ** 2 / 0.2
            + 8 * 3 * 0.7 * math.log(4000) ** 3 * math.log(0.7 * 3 * math.log(4000) / 0.08) / 0.4
        ),
    ),
    "chen-2020/thm9": (SEMI, lambda o: 0.49 * 8 * 3 / 0.2 + 0.7 * 8 * 3 / 0.4),
}


def test_every_order_is_entered_again():
    assert sorted(AGAIN) == sorted(ORDERS), "enter the order of each such theorem once more, in AGAIN"


@pytest.mark.parametrize("name", ORDERS)
def test_an_order_is_what_is_printed_and_no_bound(name):
    instance, again = AGAIN[name]
    row = THEOREMS[name].evaluate(instance)
    assert row.applies
    assert row.value is row.constant is None
    assert row.order == pytest.approx(again(instance), rel=1e-9)
    assert row.number_text == "order only"
    assert row.to_dict()["order"] == row.order


def test_other_bounds_have_no_order():
    assert all((THEOREMS[name].evaluate(BANDIT).order is None) for name in THEOREMS if name not in ORDERS)


@pytest.mark.parametrize("name", ORDERS)
def test_an_order_at_the_edges_is_a_number_or_nothing(name):
    """One round, and gaps and budgets that floats hardly hold: no error, and the theorem still applies."""
    instance, _ = AGAIN[name]
    if isinstance(instance, Instance):
        others = [dataclasses.replace(instance, means=(5e-324, 0.0, 0.0, 0.0), epsilon=2.0)]
    else:
        others = [dataclasses.replace(instance, epsilon=1e-100)]
    for other in (dataclasses.replace(instance, horizon=1), *others):
        row = THEOREMS[name].evaluate(other)
        assert row.order is None or math.isfinite(row.order)
        assert row.value is None


def scaled(path, s):
    """An instance with two arms along a path: the horizon, the budget or the gap changes by s."""
    horizon, epsilon, gap = {
        "horizon": (1000 * s, 0.5, 0.2),
        "budget": (10**9, 0.5 / s, 0.2),
        "gap": (10**12, 0.5, 0.2 / s),
        "both": (10**15, 0.5 / s, 0.2 / s),
    }[path]
    return Instance("bernoulli", (0.5 + gap, 0.5), epsilon=epsilon, horizon=int(horizon))


def ratios(upper, path, spoil=lambda s: 1.0):
    """Order of an upper bound over the asymptotic lower bound on the same quantity, along a path."""
    lower = THEOREMS["azize-basu-2022/thm3-tight"]
    assert THEOREMS[upper].quantity == lower.quantity
    found = []
    for s in (1, 10, 100, 1000):
        instance = scaled(path, s)
        least = lower.evaluate(instance).constant * math.log(instance.horizon)
        found.append(THEOREMS[upper].evaluate(instance).order * spoil(s) / least)
    return np.array(found)


@pytest.mark.parametrize("path", ["horizon", "budget", "gap", "both"])
@pytest.mark.parametrize("upper", ["hu-2021/thm3", "hu-2021/thm5", "azize-basu-2022/thm8"])
def test_an_upper_order_is_never_of_smaller_order_than_a_lower_bound(upper, path):
    """The ratio stays above a constant; an order that is too small by the root of a scale would fall by 1000^(1/2)."""
    found = ratios(upper, path)
    assert np.all(found > 0.2)
    assert found[-1] > 0.3 * found[0]
    assert ratios(upper, path, lambda s: s**-0.5)[-1] < 0.3 * found[0]


def test_the_second_form_of_theorem_9_vanishes_against_its_lower_bound():
    """With equal gaps the printed logarithm is 0: the order refuted as hu-2021/thm9, seen from the bounds."""
    upper, lower = THEOREMS["hu-2021/thm9"], THEOREMS["hu-2021/thm12"]
    found = []
    for s in (1, 10, 100, 1000):
        instance = Instance("bernoulli", (0.7, 0.5, 0.5, 0.5), epsilon=0.1 / s, horizon=10**9)
        found.append(upper.evaluate(instance).order / lower.evaluate(instance).order)
    assert found[-1] < 0.01 * found[0]
    assert upper.claims[0] == "hu-2021/thm9"
