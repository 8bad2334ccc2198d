"""Budgets of 0 and of infinity: which theorems say something, what, and why the others do not."""

import dataclasses
import math

import pytest

from privcheck.bounds import (
    THEOREMS,
    ContextualInstance,
    Instance,
    LinearInstance,
    PrivcheckError,
    SemiBanditInstance,
    characteristic_time,
    curve,
    evaluate,
    kl_bernoulli,
    named_instance,
    privacy_regime,
)
from privcheck.bounds._evaluation import number
from privcheck.bounds.jourdan_azize_2025.stopping_time import information_of_risk
from privcheck.cli import run

MEANS = (0.75, 0.5, 0.25)
FREE = Instance("bernoulli", MEANS, epsilon=math.inf, horizon=10**6, risk=0.01)
OTHERS = [
    LinearInstance(((-1, -1), (-1, 1), (1, -1), (1, 1)), (0.5, 0.25), epsilon=1.0, horizon=100),
    ContextualInstance(5, 5e7, 1.0, 0.1, alpha=2e-8),
    SemiBanditInstance(6, 2, 1.0, 0.1, smooth_inf=1.0, smooth_one=1.0),
]


WITHOUT_PRIVACY = {
    "azize-basu-2022/thm3",
    "azize-basu-2022/thm3-tight",
    "azize-basu-2022/thm7",
    "azize-basu-2022/thm7-corrected",
    "azize-basu-2022/thm12",
    "azize-basu-2022/thm12-minimax",
    "jourdan-azize-2025/thm2",
    "jourdan-azize-2025/thm2-kl",
}
"""Theorems about independent arms that still say something when epsilon is infinite."""

OF_OTHER_SETTINGS = {"azize-basu-2022/thm4", "azize-basu-2022/thm4-tight"}
"""The same about other settings."""


def applying(instance):
    return {row.id: row for row in evaluate(instance) if row.applies}


def test_without_privacy_the_bounds_are_the_known_ones():
    rows = applying(FREE)
    assert set(rows) >= WITHOUT_PRIVACY
    lai_robbins = sum((0.75 - mean) / kl_bernoulli(mean, 0.75) for mean in MEANS[1:])
    assert rows["azize-basu-2022/thm3"].constant == pytest.approx(lai_robbins, rel=1e-14)
    assert rows["azize-basu-2022/thm3-tight"].constant == pytest.approx(lai_robbins, rel=1e-14)
    identify = characteristic_time("bernoulli", MEANS, None).value * information_of_risk(0.01)
    assert rows["jourdan-azize-2025/thm2"].value == rows["jourdan-azize-2025/thm2-kl"].value == identify
    expected = sum(8 * 3.1 * math.log(1e6) / gap + 93 for gap in (0.25, 0.5))
    assert rows["azize-basu-2022/thm7-corrected"].value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("instance", [FREE, named_instance("c2", epsilon=1.0), *OTHERS], ids=lambda i: i.setting)
def test_every_bound_without_privacy_is_the_limit_of_large_budgets(instance):
    free, large = (evaluate(dataclasses.replace(instance, epsilon=epsilon)) for epsilon in (math.inf, 1e9))
    for row, near in zip(free, large, strict=True):
        if row.applies:
            assert near.applies
            assert row.asymptotic == near.asymptotic
            assert number(row) == pytest.approx(number(near), rel=1e-6)


def test_a_budget_of_0_leaves_what_holds_without_privacy_and_says_why():
    silent = dataclasses.replace(FREE, epsilon=0.0)
    assert set(applying(silent)) & WITHOUT_PRIVACY == {"jourdan-azize-2025/thm2-kl"}
    for row in evaluate(silent):
        if not row.applies and isinstance(silent, THEOREMS[row.id].about):
            (condition,) = row.conditions
            assert condition.text in ("a privacy budget above 0", "a finite privacy budget above 0")


@pytest.mark.parametrize("epsilon", [0.0, math.inf])
@pytest.mark.parametrize("instance", OTHERS, ids=lambda instance: instance.setting)
def test_other_settings_take_them_too(instance, epsilon):
    rows = applying(dataclasses.replace(instance, epsilon=epsilon))
    assert set(rows) <= (OF_OTHER_SETTINGS if epsilon else set()), "name a theorem that holds at this budget above"


def test_regimes_and_curves():
    assert privacy_regime(FREE).name == "low privacy"
    assert privacy_regime(dataclasses.replace(FREE, epsilon=0.0)).name == "high privacy"
    for epsilon in (0.0, math.inf):
        places = curve(dataclasses.replace(FREE, epsilon=epsilon, risk=None, horizon=None), "epsilon").values
        assert (places[0], places[-1]) == pytest.approx((0.01, 10.0))


@pytest.mark.parametrize("text", ["0", "inf"])
def test_on_the_command_line(capsys, text):
    assert run(["bounds", "--means", "0.75,0.5", "--risk", "0.1", "--epsilon", text]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert f"epsilon = {text}" in out
    assert "jourdan-azize-2025/thm2-kl" in out
    assert run(["bounds", "--means", "0.75,0.5", "--epsilon", text, "--json", "-"]) == 0
    assert f'"epsilon": {"0.0" if text == "0" else chr(34) + "inf" + chr(34)}' in capsys.readouterr().out


@pytest.mark.parametrize("epsilon", [-1e-9, -math.inf, math.nan, None])
def test_no_budgets(epsilon):
    with pytest.raises(PrivcheckError) as caught:
        Instance("bernoulli", MEANS, epsilon=epsilon)
    assert caught.value.parameter == "epsilon"


@pytest.mark.parametrize("epsilon", [0.0, 1e-6, 1e-3, 1.0, 1e3, math.inf])
@pytest.mark.parametrize("family", ["bernoulli", "two-point", "gaussian"])
@pytest.mark.parametrize("means", [(1 - 1e-12, 1e-12), (1e-12, 2e-12), (1 - 1e-12, 1 - 2e-12), (1.0, 0.5), (0.5, 0.0)])
def test_nothing_warns_at_the_edges(family, means, epsilon):
    """Warnings are errors in these tests."""
    rows = evaluate(Instance(family, means, epsilon, 10**7, risk=0.01))
    assert all(number(row) is None or 0 <= number(row) < math.inf for row in rows)
