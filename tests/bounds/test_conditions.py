"""Every condition of every theorem decides: alone it withholds the number on some instance, and holds on another."""

import dataclasses

import pytest

from privcheck.bounds import (
    THEOREMS,
    ConcentratedInstance,
    ContextualInstance,
    Instance,
    LinearInstance,
    SemiBanditInstance,
    named_instance,
)

C2 = named_instance("c2", epsilon=1.0, horizon=1e6)
LONG = Instance("bernoulli", (0.75, 0.7, 0.7, 0.7), epsilon=1.0, horizon=1000, risk=0.01)
GAUSSIAN = Instance("gaussian", (1.0, 0.5, 0.0), epsilon=1.0, horizon=1000, risk=0.01)
PAPER = ContextualInstance(dimension=5, horizon=5e7, epsilon=1.0, delta=0.1, alpha=2e-8, gap=0.1)
WISHART = dataclasses.replace(PAPER, noise="wishart")
SMALL = dict.fromkeys(("action_norm", "reward_bound", "parameter_norm", "sigma"), 1e-6)
LDP = ContextualInstance(dimension=1, horizon=1000, epsilon=0.5, delta=0.1, alpha=0.1)
SEMI = SemiBanditInstance(arms=6, size=2, epsilon=0.5, gap=0.1, smooth_inf=1.0, smooth_one=1.0, horizon=1000)
PAIR = LinearInstance(((1, 0), (0, 1)), (0.5, 0.25), epsilon=1.0, horizon=100)
CUBE = LinearInstance(((-1, -1), (-1, 1), (1, -1), (1, 1)), (0.5, 0.25), epsilon=1.0, horizon=100)
ZCDP = ConcentratedInstance("bernoulli", (0.75, 0.5), rho=0.01, horizon=1000)
FINITE = Instance("bounded", support=(0, 0.5, 1), weights=((0.1, 0.3, 0.6), (0.2, 0.6, 0.2)), epsilon=1.0, horizon=1000)

POOL = [
    C2,
    *(dataclasses.replace(C2, **{name: value}) for name, value in [("delta", 1e-6), ("horizon", None), ("alpha", 3.0)]),
    *(dataclasses.replace(C2, epsilon=epsilon) for epsilon in (0.1, 2.0, 2.92, 10.0)),
    named_instance("c1", epsilon=0.1, horizon=1e6),
    Instance("bernoulli", (1.0, 0.5), epsilon=1.0, horizon=100),
    Instance("bernoulli", (1.0, 0.5), epsilon=5.0, horizon=100),
    Instance("bernoulli", (0.5, 0.5), epsilon=1.0, horizon=100),
    Instance("bernoulli", (0.5, 0.5, 0.5, 0.5), epsilon=1.0, horizon=100),
    Instance("bernoulli", (0.6, 0.3), epsilon=0.2, horizon=100),
    Instance("bernoulli", (0.6, 0.3), epsilon=0.001, horizon=100),
    Instance("bernoulli", (0.6, 0.3), epsilon=5.0, horizon=100),
    Instance("bernoulli", (0.5, 0.3), epsilon=5.0, horizon=100),
    Instance("bernoulli", (0.9, 0.3), epsilon=1.0, horizon=100),
    Instance("bernoulli", (0.5, 0.45, 0.1), epsilon=1.0, horizon=100, delta=0.1),
    FINITE,
    Instance("two-point", (0.5, 0.0), epsilon=1.0, horizon=1000),
    Instance("poisson", (0.4, 0.3), epsilon=1.0, horizon=1000, risk=0.01),
    *(dataclasses.replace(GAUSSIAN, **{name: value}) for name, value in [("horizon", 1), ("horizon", None)]),
    *(dataclasses.replace(GAUSSIAN, **{name: value}) for name, value in [("delta", 0.1), ("variance", 2.0)]),
    GAUSSIAN,
    LONG,
    Instance("bernoulli", (0.75, 0.7, 0.7, 0.7), epsilon=1.0, horizon=20),
    Instance("bernoulli", (0.75, 0.7, 0.7), epsilon=1.0, horizon=1000),
    Instance("bernoulli", (0.75, 0.4, 0.4, 0.4), epsilon=1.0, horizon=1000),
    Instance("gaussian", (0.75, 0.7, 0.7, 0.7), epsilon=1.0, horizon=1000),
    *(dataclasses.replace(LONG, **{name: value}) for name, value in [("delta", 0.1), ("risk", 0.5), ("risk", None)]),
    *(dataclasses.replace(LONG, **{name: value}) for name, value in [("horizon", None), ("means", (0.7, 0.7, 0.6))]),
    ZCDP,
    *(dataclasses.replace(ZCDP, **{name: value}) for name, value in [("horizon", None), ("horizon", 5)]),
    *(dataclasses.replace(ZCDP, means=means) for means in [(1.0, 0.5), (0.5, 0.5)]),
    *(
        dataclasses.replace(ZCDP, **({"family": "gaussian", "means": (0.75, 0.5, 0.25, 0.0)} | change))
        for change in ({}, {"horizon": None}, {"horizon": 2}, {"variance": 2.0})
    ),
    PAIR,
    *(dataclasses.replace(PAIR, **{name: value}) for name, value in [("delta", 0.1), ("theta", (0.5, 0.5))]),
    LinearInstance(((1, 0, 0), (0, 1, 0)), (0.5, 0.25, 0.0), epsilon=1.0),
    LinearInstance(((1, 0), (0.6, 0.8)), (0.5, 0.25), epsilon=1.0),
    CUBE,
    *(dataclasses.replace(CUBE, **{name: value}) for name, value in [("delta", 0.1), ("horizon", None)]),
    LinearInstance((*CUBE.vectors, (2, 0)), (0.5, 0.25), epsilon=1.0, horizon=100),
    LinearInstance(CUBE.vectors[:3], (0.5, 0.25), epsilon=1.0, horizon=100),
    *(
        dataclasses.replace(base, **changes)
        for base in (PAPER, WISHART)
        for changes in ({}, {"delta": 0.0}, {"gap": None}, {"mean_bound": 2.0}, SMALL, {"epsilon": 26.0})
    ),
    dataclasses.replace(PAPER, epsilon=150.0, delta=0.5),
    dataclasses.replace(WISHART, epsilon=4.0, delta=0.9, horizon=4, alpha=1e-9),
    LDP,
    *(dataclasses.replace(LDP, **{name: value}) for name, value in [("epsilon", 0.7), ("delta", 0.25)]),
    *(dataclasses.replace(LDP, **{name: 0.5}) for name in ("action_norm", "parameter_norm")),
    SEMI,
    *(dataclasses.replace(SEMI, **{name: None}) for name in ("smooth_inf", "smooth_one", "horizon")),
    *(dataclasses.replace(SEMI, **{name: value}) for name, value in [("gap", 0.5), ("gap", 0.75), ("epsilon", 0.6)]),
    *(dataclasses.replace(SEMI, **{name: value}) for name, value in [("arms", 5), ("arms", 3)]),
]
CASES = [(name, condition.text) for name, theorem in THEOREMS.items() for condition in theorem.conditions]


@pytest.fixture(scope="module")
def rows():
    return {
        name: [theorem.evaluate(instance) for instance in POOL if isinstance(instance, theorem.about)]
        for name, theorem in THEOREMS.items()
    }


@pytest.mark.parametrize(("name", "text"), CASES)
def test_every_condition_decides(rows, name, text):
    alone = [row for row in rows[name] if [c.text for c in row.conditions if not c.holds] == [text]]
    assert alone, "no instance of the pool fails this condition only"
    assert all((row.applies, row.value, row.constant) == (False, None, None) for row in alone)


@pytest.mark.parametrize("name", THEOREMS)
def test_every_theorem_applies_somewhere(rows, name):
    applying = [row for row in rows[name] if row.applies]
    assert applying
    numbers = [row.constant if row.asymptotic else row.value for row in applying]
    assert all((number is None) == (THEOREMS[name].provenance == "order-only") for number in numbers)
    assert all(number is None or number >= 0 for number in numbers)


@pytest.mark.parametrize("name", THEOREMS)
def test_a_theorem_does_not_apply_to_another_setting_and_says_so(name):
    theorem = THEOREMS[name]
    others = [instance for instance in (C2, PAIR, PAPER, SEMI, ZCDP) if not isinstance(instance, theorem.about)]
    assert len(others) == 4
    for instance in others:
        row = theorem.evaluate(instance)
        (condition,) = row.conditions
        assert not row.applies
        assert theorem.about.setting in condition.text
