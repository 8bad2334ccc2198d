"""Pictures and sentences about bounds: what is drawn, where, and with which words."""

from __future__ import annotations

import math

import numpy as np
import pytest

from privcheck.bounds import THEOREMS, ConcentratedInstance, Instance, curve, named_instance, theorem_name
from privcheck.errors import PrivcheckError
from privcheck.reporting import save_png, to_svg
from privcheck.reporting._pictures.theory_picture import theory_figure
from privcheck.reporting._terminal.bounds_table import describe, regime_sentence

BUDGETS = [0.05, 0.3, 1.0, 4.0, 10.0]
TIGHT = "azize-basu-2022/thm3-tight"
IDS = {theorem_name(name): name for name in THEOREMS}
"""Legends have names."""


@pytest.fixture(scope="module")
def figure3():
    return curve(named_instance("fig3", epsilon=1.0), "epsilon", BUDGETS)


def lines(axes):
    return {IDS.get(name := line.get_label().rpartition(" (")[0], name): line for line in axes.lines}


def test_rates_are_drawn_times_the_logarithm_and_say_so(figure3):
    axes = theory_figure(figure3).axes[0]
    line = lines(axes)[TIGHT]
    assert np.allclose(line.get_ydata(), np.array(figure3.series(TIGHT)) * math.log(1e7))
    assert "rate × ln T" in line.get_label()
    assert "Dashed: asymptotic rates, not bounds at any T." in theory_figure(figure3).get_suptitle()
    assert line.get_linestyle() != "-"
    upper = lines(axes)["azize-basu-2022/thm7-corrected"]
    assert upper.get_linestyle() == "-"
    assert np.allclose(upper.get_ydata(), figure3.series("azize-basu-2022/thm7-corrected"))


def test_minimax_bounds_and_divergences_stay_out(figure3):
    figure = theory_figure(figure3)
    drawn = {name for axes in figure.axes for name in lines(axes)}
    assert not any("thm2" in name or "minimax" in name or "lemma2" in name for name in drawn)


def test_bounds_with_one_arm_raised_stand_beside_the_rates(figure3):
    first, *others = theory_figure(figure3).axes
    line = lines(first)["finite-time/pure"]
    assert np.allclose(line.get_ydata(), figure3.series("finite-time/pure"))
    assert line.get_label().endswith("(lower; or one arm raised)")
    assert line.get_linestyle() == "-"
    assert "finite-time/local" in lines(others[-1])


def test_a_rate_that_is_attained_is_seen_below_the_other_end(figure3):
    drawn = lines(theory_figure(figure3).axes[0])
    wide = {name for name, line in drawn.items() if line.get_linewidth() > 2.0}
    assert wide == {TIGHT}
    assert np.allclose(drawn[TIGHT].get_ydata(), drawn["pure-privacy/rate-attained"].get_ydata())


def test_panels_of_different_notions_say_which():
    found = curve(ConcentratedInstance("bernoulli", (0.75, 0.5), rho=0.01, horizon=10**5), "rho", [1e-4, 1e-2, 1.0])
    figure = theory_figure(found)
    assert [axes.get_ylabel().partition("\n")[2] for axes in figure.axes] == ["(rho-zCDP)", "(mu-Gaussian DP)"]
    assert figure.axes[0].get_xlabel() == "privacy budget rho of zCDP"
    assert "rho" not in figure.get_suptitle()
    assert "T = 100000" in figure.get_suptitle()


def test_a_bound_has_a_gap_where_it_does_not_apply():
    found = curve(Instance("bernoulli", (0.5, 0.25), epsilon=1.0), "epsilon", [0.1, 1.0, 5.0])
    heights = lines(theory_figure(found).axes[0])["shariff-sheffet-2018/cor15-proven"].get_ydata()
    assert [math.isnan(height) for height in heights] == [False, False, True]


def test_the_regimes_are_named(figure3):
    words = [text.get_text().strip() for text in theory_figure(figure3).axes[0].texts]
    assert words == ["high privacy", "privacy is free"]


def test_along_the_horizon_the_rate_grows_with_the_logarithm():
    found = curve(named_instance("c2", epsilon=1.0), "horizon", [10, 1000])
    line = lines(theory_figure(found).axes[0])[TIGHT]
    assert np.allclose(line.get_ydata(), np.array(found.series(TIGHT)) * np.log([10, 1000]))


def test_a_rate_of_pulls_is_drawn_times_the_logarithm_too():
    found = curve(named_instance("c2", epsilon=1.0, horizon=10**4), "gap", [0.01, 0.02])
    drawn = {name: line for axes in theory_figure(found).axes for name, line in lines(axes).items()}
    pulls = drawn["shariff-sheffet-2018/claim14"]
    assert np.allclose(pulls.get_ydata(), np.array(found.series("shariff-sheffet-2018/claim14")) * math.log(1e4))


@pytest.mark.parametrize(("epsilons", "horizon"), [(BUDGETS, 10**6), ([0.05, 0.4, 10.0], 10**6), ([0.5, 0.6], 10**7)])
def test_every_axis_has_labelled_ticks(epsilons, horizon):
    """A panel that spans less than a power of ten has labels in between."""
    figure = theory_figure(curve(named_instance("ja25-mu1", epsilon=1.0, horizon=horizon), "epsilon", epsilons))
    figure.canvas.draw()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = axis.get_view_interval()
            ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
            assert sum(bool(t.label1.get_text()) and low <= t.get_loc() <= high for t in ticks) >= 2


def test_without_a_horizon_the_axis_is_the_rate():
    found = curve(named_instance("ja25-mu2", epsilon=1.0), "epsilon", BUDGETS)
    labels = [axes.get_ylabel() for axes in theory_figure(found).axes]
    assert labels[0] == "pseudo-regret / ln T\n(epsilon-DP)"
    assert any("stopping time" in label and "ln T" not in label for label in labels)


@pytest.mark.parametrize("axis", ["epsilon", "horizon", "gap"])
@pytest.mark.parametrize("name", ["c2", "fig3", "ja25-mu1"])
def test_everything_is_inside_the_picture(name, axis):
    places = {"epsilon": BUDGETS, "horizon": [10, 1000, 10**6], "gap": [0.001, 0.01]}[axis]
    figure = theory_figure(curve(named_instance(name, epsilon=0.5), axis, places))
    figure.canvas.draw()
    drawn = figure.get_tightbbox(figure.canvas.get_renderer())
    width, height = figure.get_size_inches()
    assert 0 <= drawn.x0 < drawn.x1 <= width
    assert 0 <= drawn.y0 < drawn.y1 <= height


def test_the_same_curve_gives_the_same_picture(figure3, tmp_path):
    drawn = theory_figure(figure3)
    assert to_svg(drawn) == to_svg(theory_figure(figure3))
    save_png(drawn, tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size > 10_000


def test_a_curve_without_bounds_is_refused():
    found = curve(Instance("gaussian", (0.0, 1.0), epsilon=1.0, delta=1e-6), "epsilon", [1.0])
    with pytest.raises(PrivcheckError, match="some theorem applies"):
        theory_figure(found)


def test_sentences():
    assert describe(Instance("gaussian", (0, 1), 1.0, variance=4)) == "gaussian arms (variance 4) 0, 1; epsilon = 1"
    many = describe(Instance("bernoulli", (0.5,) * 30, 1.0, 100, delta=1e-5))
    assert many.endswith("0.5, ...; epsilon = 1, delta = 1e-05, T = 100")
    assert regime_sentence(Instance("bernoulli", (0.5, 0.5), 1.0)).startswith("no privacy regime")
    assert regime_sentence(Instance("gaussian", (0.5, 0.0), 1.0)).endswith("privacy always costs something")
