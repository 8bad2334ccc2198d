"""Evaluating everything at once, and the layer that notices contradictions."""

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privcheck.bounds import (
    THEOREMS,
    BoundValue,
    ContextualInstance,
    ContradictionWarning,
    Instance,
    PrivcheckError,
    best_on_this_instance,
    contradictions,
    evaluate,
    theorem,
)
from privcheck.bounds._quantity import BANDIT_REGRET, UNIT_MINIMAX_REGRET

INSTANCE = Instance("bernoulli", (0.75, 0.5), epsilon=1.0, horizon=1000)

WISHART = {"shariff-sheffet-2018/prop9-gamma"}
UNPROVEN = {
    "gaussian": {f"shariff-sheffet-2018/prop11{part}" for part in ("", "-rho-min", "-gamma")},
    "wishart": WISHART,
    "wishart-unshifted": WISHART,
}


def made_up(kind, number, *, quantity="pseudo-regret", asymptotic=False, applies=True):
    return BoundValue(
        id=f"test/{kind}",
        kind=kind,
        quantity=quantity,
        value=None if asymptotic else number,
        constant=number if asymptotic else None,
        asymptotic=asymptotic,
        applies=applies,
        conditions=(),
        provenance="explicit",
        source="nowhere",
    )


def test_every_theorem_gives_one_row_in_order():
    rows = evaluate(INSTANCE)
    assert [row.id for row in rows] == list(THEOREMS)
    first = [row.id for row in rows][:7]
    assert first == [
        "azize-basu-2022/thm3",
        "azize-basu-2022/thm3-tight",
        "azize-basu-2022/thm7",
        "azize-basu-2022/thm7-corrected",
        "azize-basu-2022/lemma2",
        "azize-basu-2022/lemma2-sharp",
        "azize-basu-2022/lemma2-kl",
    ]


@settings(derandomize=True, deadline=None)
@given(
    family=st.sampled_from(["bernoulli", "gaussian"]),
    means=st.lists(st.floats(0, 1), min_size=2, max_size=6),
    epsilon=st.floats(1e-3, 50),
    horizon=st.none() | st.integers(1, 10**12),
    delta=st.sampled_from([0.0, 1e-6]),
)
def test_any_instance_is_evaluated_without_a_contradiction(family, means, epsilon, horizon, delta):
    rows = evaluate(Instance(family, means, epsilon, horizon, delta))  # a ContradictionWarning would be an error here
    for row in rows:
        number = row.constant if row.asymptotic else row.value
        assert (number is not None) == (row.applies and row.provenance != "order-only")
        assert number is None or number >= 0


@pytest.mark.parametrize("asymptotic", [False, True])
def test_a_lower_bound_above_an_upper_bound_is_flagged(asymptotic):
    lower, upper = made_up("lower", 2.0, asymptotic=asymptotic), made_up("upper", 1.0, asymptotic=asymptotic)
    assert contradictions([upper, lower]) == [(lower, upper)]


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "upper"},
        {"quantity": "kl-divergence"},
        {"asymptotic": True, "value": None, "constant": 2.0},
        {"applies": False},
        {"value": None},
        {"value": 1.0},
        {"value": 1.0 + 1e-12},
    ],
)
def test_bounds_that_cannot_be_compared_or_agree_are_not_flagged(change):
    lower, upper = made_up("lower", 2.0), made_up("upper", 1.0)
    assert contradictions([dataclasses.replace(lower, **change), upper]) == []


def test_evaluate_warns_of_a_contradiction(monkeypatch):
    false = theorem("test/too-high", kind="lower", quantity=BANDIT_REGRET, provenance="derived", source="nowhere")
    false(lambda instance: 1e9)
    declared = THEOREMS.pop("test/too-high")
    monkeypatch.setitem(THEOREMS, "test/too-high", declared)
    with pytest.warns(ContradictionWarning) as caught:
        rows = evaluate(INSTANCE)
    assert any("test/too-high (1e+09) is above azize-basu-2022/thm7" in str(warning.message) for warning in caught)
    assert rows[-1].value == 1e9


@pytest.mark.parametrize("bad", [None, "c1", {"means": (0.1, 0.2)}])
def test_only_instances_are_evaluated(bad):
    with pytest.raises(PrivcheckError, match=r"expected a privcheck\.bounds\.Instance"):
        evaluate(bad)


# ---- what is trivially possible


def test_regret_above_the_horizon_times_the_largest_gap_is_a_contradiction(monkeypatch):
    false = theorem("test/too-high", kind="lower", quantity=BANDIT_REGRET, provenance="derived", source="a wrong proof")
    false(lambda instance: 251.0)
    monkeypatch.setitem(THEOREMS, "test/too-high", THEOREMS.pop("test/too-high"))
    with pytest.warns(ContradictionWarning) as caught:
        evaluate(INSTANCE)  # T times the largest gap is 250
    (text,) = (str(w.message) for w in caught if "trivial" in str(w.message))
    assert "test/too-high (251) is above trivial/horizon-times-gap (250)" in text
    assert "a wrong proof" in text
    assert "definition of regret: at most T times the largest gap on this instance" in text


def test_minimax_regret_is_held_against_the_class():
    class_wide = made_up("lower", 1001.0, quantity=str(UNIT_MINIMAX_REGRET))
    ((lower, upper),) = contradictions([class_wide], INSTANCE)
    assert (lower, upper.value) == (class_wide, 1000.0)
    assert contradictions([dataclasses.replace(class_wide, value=999.0)], INSTANCE) == []
    assert contradictions([class_wide], dataclasses.replace(INSTANCE, horizon=None)) == []


def test_asymptotic_constants_and_other_quantities_have_no_trivial_bound():
    rate = made_up("lower", 1e9, quantity=str(BANDIT_REGRET), asymptotic=True)
    assert contradictions([rate, made_up("lower", 1e9, quantity="kl-divergence")], INSTANCE) == []


def test_a_bound_by_its_id():
    found = evaluate(Instance("bernoulli", (0.75, 0.5), epsilon=1.0))
    assert found.of("azize-basu-2022/thm3").value is None
    with pytest.raises(PrivcheckError, match="for example azize-basu-2022/thm3"):
        found.of("azize-basu/thm3")


def test_the_best_bounds_are_of_this_instance():
    rows = [
        made_up("lower", 1.0, quantity=str(BANDIT_REGRET)),
        made_up("lower", 2.0, quantity=str(BANDIT_REGRET)),
        made_up("lower", 9.0, quantity=str(UNIT_MINIMAX_REGRET)),
        made_up("lower", 9.0, quantity=str(BANDIT_REGRET), asymptotic=True),
        made_up("lower", 9.0, quantity=str(BANDIT_REGRET), applies=False),
        made_up("upper", 5.0, quantity=str(BANDIT_REGRET)),
        made_up("upper", 4.0, quantity=str(BANDIT_REGRET)),
    ]
    assert [(row.kind, row.value) for row in best_on_this_instance(rows)] == [("lower", 2.0), ("upper", 4.0)]
    shaky = dataclasses.replace(rows[-1], value=3.0, provenance="unproven")
    assert [(row.kind, row.value) for row in best_on_this_instance([shaky, *rows])] == [("lower", 2.0), ("upper", 4.0)]


@pytest.mark.parametrize("noise", ["gaussian", "wishart", "wishart-unshifted"])
def test_an_unproven_form_is_never_the_best_and_stands_beside_a_repaired_one(noise):
    rows = evaluate(ContextualInstance(5, 5e7, 1.0, 0.1, alpha=2e-8, noise=noise))
    unproven = [row for row in rows if row.applies and row.provenance == "unproven"]
    best = best_on_this_instance(rows)
    assert {row.id for row in unproven} == UNPROVEN[noise] | {"shariff-sheffet-2018/thm5"}
    for row in unproven:
        (found,) = (other for other in best if (other.quantity, other.kind) == (row.quantity, row.kind))
        assert found.provenance == "derived"
        assert found.id.endswith("-corrected")
