"""Many instances at once, one instance along an axis, and regimes: the same numbers as one at a time."""

import dataclasses
import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import logit, rel_entr

from privcheck.bounds import (
    THEOREMS,
    Instance,
    PrivcheckError,
    curve,
    d_epsilon,
    kl_bernoulli,
    named_instance,
    privacy_regime,
    sweep,
    theorem,
)
from privcheck.bounds._quantity import BANDIT_REGRET
from privcheck.bounds._sweep import VECTORISED

RANGES = {"bernoulli": (0, 1), "two-point": (-1, 1), "gaussian": (-2, 2), "exponential": (0.1, 5), "poisson": (0, 9)}


@pytest.mark.parametrize("family", RANGES)
@pytest.mark.parametrize("name", VECTORISED)
def test_array_forms_agree_with_the_theorems(family, name):
    rng = np.random.default_rng(11)
    means = rng.uniform(*RANGES[family], (25, 4))
    means[3, 1] = means[3].max()  # a tie
    means[4, 2] = RANGES[family][1]
    budgets = np.exp(rng.uniform(-4, 3, 25))
    found = sweep(means, budgets, family=family, horizon=10_000, theorems=[name])[name]
    for row, epsilon, value in zip(means, budgets, found, strict=True):
        bound = THEOREMS[name].evaluate(Instance(family, row, epsilon, 10_000))
        assert bound.applies == (not math.isnan(value))
        if bound.applies:
            assert value == pytest.approx(bound.constant if bound.asymptotic else bound.value, rel=1e-10)


def test_a_hundred_thousand_instances():
    rng = np.random.default_rng(2)
    means = rng.uniform(0, 1, (100_000, 5))
    found = sweep(means, 0.5, horizon=1e6)
    assert set(found) == set(VECTORISED)
    gaps = means.max(axis=1, keepdims=True) - means
    expected = np.where(gaps > 0, gaps / np.maximum(d_epsilon(means, means.max(axis=1, keepdims=True), 0.5), 1e-300), 0)
    assert np.allclose(found["azize-basu-2022/thm3-tight"], expected.sum(axis=1), rtol=1e-9)


def test_theorems_without_an_array_form_go_one_by_one():
    name = "azize-basu-2022/thm12"
    found = sweep([[0.7, 0.5], [0.9, 0.1]], 1.0, horizon=1000, theorems=[name])[name]
    assert found[1] == THEOREMS[name].evaluate(Instance("bernoulli", (0.9, 0.1), 1.0, 1000)).value


@pytest.mark.parametrize(
    ("arguments", "parameter"),
    [
        ({"means": [0.5, 0.4], "epsilon": 1.0}, "means"),
        ({"means": [[0.5], [0.4]], "epsilon": 1.0}, "means"),
        ({"means": [[0.5, 1.4]], "epsilon": 1.0}, "means"),
        ({"means": [[0.5, 0.4]], "epsilon": 0.0}, "epsilon"),
        ({"means": [[0.5, 0.4]], "epsilon": [1.0, 2.0, 3.0]}, "epsilon and means"),
        ({"means": [[0.5, 0.4]], "epsilon": [1.0, 2.0, 3.0], "horizon": [10, 20]}, "epsilon and horizon and means"),
        ({"means": [[0.5, 0.4]], "epsilon": [[1.0], [2.0]]}, "epsilon"),
        ({"means": [[0.5, 0.4]] * 2, "epsilon": 1.0, "horizon": 0}, "horizon"),
        ({"means": [[0.5, 0.4]], "epsilon": 1.0, "theorems": ["thm99"]}, "theorems"),
        ({"means": [[0.5, 0.4]], "epsilon": 1.0, "family": "bounded"}, "family"),
    ],
)
def test_bad_sweeps(arguments, parameter):
    if parameter == "epsilon and means":
        arguments["means"] = arguments["means"] * 2
    with pytest.raises(PrivcheckError) as caught:
        sweep(**arguments)
    assert caught.value.parameter == parameter


# ---- regimes


def test_the_regime_of_a_bernoulli_instance():
    regime = privacy_regime(named_instance("fig3", epsilon=0.3))
    kl = rel_entr(0.1, 0.8) + rel_entr(0.9, 0.2)
    assert regime.changes_from == regime.changes_to == pytest.approx(kl / 0.7)
    assert regime.free_from == pytest.approx(logit(0.8) - logit(0.1))
    switch = brentq(lambda e: d_epsilon(0.1, 0.8, e) - kl_bernoulli(0.1, 0.8) * (1 - 1e-12), 1, 10)
    assert regime.free_from == pytest.approx(switch, rel=1e-4)


@pytest.mark.parametrize(("epsilon", "name"), [(0.05, "high privacy"), (1.0, "mixed"), (3.0, "low privacy")])
def test_the_regime_changes_with_the_budget(epsilon, name):
    regime = privacy_regime(named_instance("c2", epsilon=epsilon))
    assert regime.name == name
    assert regime.changes_from < regime.changes_to < regime.free_from


def test_regimes_that_are_not_defined_or_never_free():
    assert privacy_regime(Instance("bernoulli", (0.5, 0.5), epsilon=1.0)).name == "undefined"
    assert privacy_regime(Instance("bernoulli", (1.0, 0.5), epsilon=1.0)).changes_from is None
    assert privacy_regime(Instance("gaussian", (1.0, 0.5), epsilon=9.0)).free_from == math.inf
    with pytest.raises(PrivcheckError, match="instance"):
        privacy_regime("c2")


# ---- curves


@pytest.mark.parametrize("axis", ["epsilon", "horizon", "gap"])
def test_a_curve_is_made_of_evaluations(axis):
    instance = named_instance("c2", epsilon=1.0, horizon=1e5)
    line = curve(instance, axis)
    assert len(line.values) == len(line.rows)
    assert all(a < b for a, b in pairwise(line.values))
    assert line.contradictions == ()
    upper = line.series("azize-basu-2022/thm7-corrected")
    assert all(value is not None and value > 0 for value in upper)
    rising = {"epsilon": -1, "horizon": 1, "gap": 0}[axis]
    assert rising == 0 or all(rising * (b - a) >= 0 for a, b in pairwise(upper))


def test_places_of_a_curve():
    instance = named_instance("c2", epsilon=1.0, horizon=1e5)
    budgets = curve(instance, "epsilon", [0.1, 1.0])
    for budget, constant in zip((0.1, 1.0), budgets.series("azize-basu-2022/thm3"), strict=True):
        assert constant == THEOREMS["azize-basu-2022/thm3"].evaluate(named_instance("c2", epsilon=budget)).constant
    (gap,) = curve(instance, "gap", [0.0625]).series("azize-basu-2022/thm3-tight")
    halved = dataclasses.replace(instance, means=(0.75, 0.6875, 0.625, 0.5625, 0.5))
    assert gap == pytest.approx(THEOREMS["azize-basu-2022/thm3-tight"].evaluate(halved).constant, rel=1e-12)


def test_a_curve_is_one_line_in_a_notebook():
    line = curve(named_instance("c2", epsilon=1.0), "epsilon", [0.1, 1.0])
    assert repr(line) == f"<Curve of {len(line.rows[0])} theorems at 2 values of epsilon from 0.1 to 1>"


def test_a_curve_collects_contradictions(monkeypatch):
    false = theorem("test/high", kind="lower", quantity=BANDIT_REGRET, provenance="derived", source="a wrong proof")
    false(lambda instance: 1e5)
    monkeypatch.setitem(THEOREMS, "test/high", THEOREMS.pop("test/high"))
    found = curve(named_instance("c2", epsilon=1.0, horizon=1e5), "epsilon", [0.1, 1.0]).contradictions
    assert ("test/high", "trivial/horizon-times-gap") in {(lower.id, upper.id) for lower, upper in found}


@pytest.mark.parametrize(
    ("instance", "axis", "parameter"),
    [
        (named_instance("c2", epsilon=1.0), "delta", "axis"),
        ("c2", "epsilon", "instance"),
        (Instance("bernoulli", (0.5, 0.5), epsilon=1.0), "gap", "axis"),
        (Instance("bounded", support=(0, 1), weights=((0.1, 0.9), (0.5, 0.5)), epsilon=1.0), "gap", "axis"),
    ],
)
def test_bad_curves(instance, axis, parameter):
    with pytest.raises(PrivcheckError) as caught:
        curve(instance, axis)
    assert caught.value.parameter == parameter


def test_one_row_of_means_serves_every_budget_and_horizon():
    budgets, horizons = [0.1, 0.5, 1.0, 4.0], [100, 1000, 10**4, 10**5]
    found = sweep(means=[[0.75, 0.5]], epsilon=budgets, horizon=horizons)
    apart = [sweep([[0.75, 0.5]], epsilon, horizon=t) for epsilon, t in zip(budgets, horizons, strict=True)]
    for name, values in found.items():
        assert values.tolist() == pytest.approx([one[name][0] for one in apart], nan_ok=True)


def test_a_curve_is_a_table_with_its_citations(tmp_path):
    line = curve(named_instance("c2", epsilon=1.0, horizon=10**6), "epsilon", [0.5, 1.0])
    frame = line.to_frame(library="pandas")
    tight = frame[frame["id"] == "azize-basu-2022/thm3-tight"]
    assert tight["constant"].tolist() == list(line.series("azize-basu-2022/thm3-tight"))
    assert tight["epsilon"].tolist() == [0.5, 1.0]
    assert r"\cite{azize-basu-2022}" in line.to_latex(columns=["epsilon", "id", "constant", "cite"])
    assert "@inproceedings{azize-basu-2022," in line.to_bibtex()
    line.save(tmp_path / "curve.csv")
    assert (tmp_path / "curve.csv").read_text() == line.to_csv()
    assert "10.4 ln T (rate)" in line._repr_html_()
