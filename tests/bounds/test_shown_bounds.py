"""What the bounds of an instance say of themselves: vacuous bounds, ties, empty answers, reasons, and the notebook."""

import re

import pytest

import privcheck
from privcheck.bounds import Instance, best_on_this_instance, evaluate, named_instance
from privcheck.reporting import resting_sentence
from privcheck.reporting._text.bound_marks import HOLLOW, STAR, BoundMarks

WEAK = evaluate(named_instance("c1", epsilon=0.1, horizon=10**5))
"""Five arms whose largest gap is 0.05: no regret exceeds 5000."""
REGRET = "pseudo-regret; bandit feedback; epsilon-DP, one reward replaced; this instance"


def test_an_upper_bound_above_the_trivial_one_is_vacuous_and_never_the_best():
    above = {bound.id for bound in WEAK.applicable if WEAK.vacuous(bound) is not None}
    assert above == {bound.id for bound in WEAK if bound.quantity.startswith("pseudo-regret") and bound.kind == "upper"
                     and "minimax" not in bound.quantity and (bound.value or 0) > 4999}  # fmt: skip
    assert "azize-basu-2022/thm8-explicit" in above
    assert REGRET not in {bound.quantity for bound in WEAK.best("upper")}
    assert not above & {bound.id for bound in best_on_this_instance(WEAK)}


def test_a_bound_below_the_trivial_one_keeps_its_star():
    found = evaluate(named_instance("c1", epsilon=10.0, horizon=10**7))
    assert found.vacuous(found.of("azize-basu-2022/thm8-explicit")) is None
    assert REGRET in {bound.quantity for bound in found.best("upper")}
    assert BoundMarks(found.instance, found).sign(found.of("azize-basu-2022/thm8-explicit")) == STAR


def test_a_frontier_draws_the_smaller_of_both():
    found = privcheck.frontier("adap-ucb", [0.75, 0.7], epsilons=[0.1], horizon=1000, runs=2, audit_runs=0)
    assert {bound.upper_id for bound in found.bounds} == {"trivial/horizon-times-gap"}
    assert all(bound.upper == pytest.approx(50.0) for bound in found.bounds)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0])
def test_of_equal_rates_the_tighter_statement_is_the_best(epsilon):
    """At epsilon = 4 privacy costs nothing, and both forms are the sum of the gaps over the divergences."""
    best = evaluate(Instance("bernoulli", (0.75, 0.5), epsilon=epsilon)).best("lower", asymptotic=True)
    assert best[0].id == "azize-basu-2022/thm3-tight"


def test_an_empty_answer_says_where_the_others_are():
    assert WEAK.best("lower") == []
    assert "best('lower', asymptotic=True)" in repr(WEAK.best("lower"))
    assert f"ln T (rate)> on {REGRET}" in repr(WEAK.best("lower", asymptotic=True))


def test_a_delta_is_not_mistaken_for_a_risk_in_silence():
    found = evaluate(Instance("bernoulli", means=(0.75, 0.5), epsilon=1, delta=0.01))
    assert not found.applicable
    for said in (repr(found), found._repr_html_()):
        assert "pure differential privacy: delta = 0" in said
        assert "error probability of best-arm identification is `risk`" in said
    assert re.search(r"^  \d+ ask for: pure differential privacy", repr(found), re.MULTILINE)
    right = repr(evaluate(Instance("bernoulli", means=(0.75, 0.5), epsilon=1, risk=0.01)))
    assert "`risk`" not in right


def test_a_notebook_shows_what_the_command_prints():
    shown = WEAK._repr_html_()
    for part in (
        "bernoulli arms 0.75, 0.7", "high-privacy regime at epsilon = 0.1", REGRET, HOLLOW, "13113.7, vacuous",
        "49.42 ln T = 569", "T x largest gap = 5000", "Azize &amp; Basu 2022, Theorem 3, eq. (4)",
        "rests on lem2 (refuted)", "Gaussian rewards of variance 1: azize-basu-2022/thm2",
    ):  # fmt: skip
        assert part in shown, part


def test_a_contradiction_is_red_in_a_notebook():
    lower = WEAK.of("hu-2021/thm12-explicit")
    false = type(lower)(**{**vars(lower), "id": "test/false", "value": 6000.0, "quantity": REGRET})
    shown = type(WEAK)([*WEAK, false], WEAK.instance)._repr_html_()
    assert re.search(r"background: #b00020[^<]*>✗ CONTRADICTION: test/false \(6000\) is above trivial", shown)
    assert "CONTRADICTION" not in WEAK._repr_html_()


def test_bounds_are_saved_as_a_page(tmp_path):
    WEAK.save(tmp_path / "bounds.html")
    page = (tmp_path / "bounds.html").read_text(encoding="utf-8")
    assert "vacuous: not below T × largest gap = 5000" in page
    assert "coefficient of ln T" in page
    with pytest.raises(privcheck.PrivcheckError, match="instance: got None"):
        type(WEAK)(list(WEAK)).save(tmp_path / "b.html")


def test_a_repaired_bound_does_not_rest_on_what_was_repaired():
    assert resting_sentence("hu-2021/thm9-explicit") == ""
    assert "thm8 (refuted)" in resting_sentence("hu-2021/thm9")
