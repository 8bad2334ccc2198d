"""Instances of the other settings: fields, refusals, TOML, and the words for what is bounded."""

import dataclasses
import json
import math

import pytest

from privcheck.bounds import (
    QUANTITIES,
    THEOREMS,
    ConcentratedInstance,
    ContextualInstance,
    LinearInstance,
    PrivcheckError,
    SemiBanditInstance,
    evaluate,
)
from privcheck.bounds._quantity import THIS_INSTANCE, Quantity

LINEAR = LinearInstance(((1, 0), (0, 1)), (0.5, 0.25), epsilon=1.0, horizon=100)
PAPER = ContextualInstance(dimension=5, horizon=5e7, epsilon=1.0, delta=0.1, alpha=2e-8, gap=0.1)
SEMI = SemiBanditInstance(arms=6, size=2, epsilon=0.5, gap=0.1, smooth_inf=1.0)
ZCDP = ConcentratedInstance("gaussian", (0.75, 0.5), rho=0.01, horizon=100, variance=2.0)
ALL = (LINEAR, PAPER, SEMI, ZCDP)

REFUSED = [
    (LINEAR, "vectors", ((1, 0),)),
    (LINEAR, "vectors", ((1, 0), (1,))),
    (LINEAR, "vectors", ((1, math.nan), (1, 0))),
    (LINEAR, "vectors", "1,0"),
    (LINEAR, "theta", (1.0,)),
    (LINEAR, "theta", ()),
    (LINEAR, "epsilon", -1.0),
    (PAPER, "epsilon", math.nan),
    (LINEAR, "horizon", 0),
    (PAPER, "dimension", 0),
    (PAPER, "alpha", 1.0),
    (PAPER, "delta", 1.0),
    (PAPER, "mean_bound", 0.5),
    (PAPER, "gap", 0.0),
    (PAPER, "noise", "laplace"),
    (ZCDP, "family", "poisson"),
    (ZCDP, "means", (0.5,)),
    (ZCDP, "rho", -1.0),
    (ZCDP, "variance", 0.0),
    (SEMI, "arms", 1),
    (SEMI, "size", 7),
    (SEMI, "gap", 0.0),
    (SEMI, "smooth_inf", -1.0),
]


@pytest.mark.parametrize(("instance", "field", "value"), REFUSED)
def test_nonsense_is_refused_by_name(instance, field, value):
    with pytest.raises(PrivcheckError) as caught:
        dataclasses.replace(instance, **{field: value})
    assert caught.value.parameter == field
    assert "\n" not in str(caught.value)


def toml(value):
    return json.dumps(value)


@pytest.mark.parametrize("instance", ALL)
def test_toml_and_back(instance, tmp_path):
    path = tmp_path / "instance.toml"
    given = {name: value for name, value in instance.to_dict().items() if value is not None}
    path.write_text("".join(f"{name} = {toml(value)}\n" for name, value in given.items()))
    assert type(instance).from_toml(path) == instance
    budget = "rho" if instance is ZCDP else "epsilon"
    assert getattr(type(instance).from_toml(path, **{budget: 0.125}), budget) == 0.125
    assert json.loads(json.dumps(instance.to_dict())) == instance.to_dict()
    path.write_text("nothing = 1\n")
    with pytest.raises(PrivcheckError, match="unknown key 'nothing'"):
        type(instance).from_toml(path)


@pytest.mark.parametrize("instance", ALL)
def test_everything_is_evaluated_on_every_setting_without_a_contradiction(instance):
    rows = evaluate(instance)  # a ContradictionWarning would be an error here
    assert [row.id for row in rows] == list(THEOREMS)
    about = {name for name, theorem in THEOREMS.items() if theorem.about is type(instance)}
    assert len(about) >= 5
    assert {row.id for row in rows if row.applies} <= about


def test_rounds_need_a_horizon():
    assert LINEAR.rounds == 100
    with pytest.raises(PrivcheckError, match="give the instance a horizon"):
        _ = SEMI.rounds


def test_derived_numbers():
    assert LINEAR.gaps == (0.0, 0.25)
    assert (PAPER.levels, PAPER.row_norm_squared) == (27, 2.0)
    assert [dataclasses.replace(PAPER, horizon=n).levels for n in (1, 2, 3, 4, 5, 2**20)] == [1, 2, 3, 3, 4, 21]


def test_every_quantity_says_what_makes_it_comparable():
    for theorem in THEOREMS.values():
        quantity = QUANTITIES[theorem.quantity]
        assert quantity.measure
        assert quantity.feedback
        assert "DP" in quantity.privacy
        assert quantity.minimax == quantity.scope.startswith("minimax over ")
        assert quantity.minimax or quantity.scope == THIS_INSTANCE
        assert quantity.largest_gap is None or quantity.minimax


def test_quantities_that_differ_in_one_part_are_not_equal():
    base = Quantity("pseudo-regret", "bandit feedback", "epsilon-DP")
    for change in ({"measure": "pulls"}, {"feedback": "full"}, {"privacy": "none"}, {"scope": "minimax over all"}):
        assert str(dataclasses.replace(base, **change)) != str(base)
