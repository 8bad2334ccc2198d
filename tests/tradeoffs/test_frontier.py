"""Regret against epsilon: simulations, audits, certificates and theory agree with what they are made of."""

import functools
import importlib
import math
from dataclasses import replace

import pytest
from rich.console import Console

import privcheck
from privcheck.bounds import THEOREMS
from privcheck.environments import Bernoulli, Gaussian
from privcheck.errors import PrivcheckError
from privcheck.reporting import details
from privcheck.reporting._kinds.frontier import COLUMNS
from privcheck.reporting._pictures.frontier_picture import frontier_figure
from privcheck.results import Frontier, FrontierBound, FrontierPoint
from privcheck.scheduling import _chunk_store as chunk_store
from privcheck.scheduling import _dask_workers as scheduling
from privcheck.scheduling import _executor as executor
from privcheck.tradeoffs import frontier

pytestmark = pytest.mark.long

MEANS = [0.9, 0.1]
QUICK = {"horizon": 500, "runs": 5, "audit_runs": 0}


class Follower:
    """Claims a budget and adds no noise."""

    def __init__(self, rng, arms, epsilon):
        self.sums, self.rounds = [0.0] * arms, 0

    def select(self):
        return self.rounds if self.rounds < len(self.sums) else self.sums.index(max(self.sums))

    def update(self, action, reward):
        self.sums[action] += reward
        self.rounds += 1


def test_an_epsilon_of_another_notion_is_told():
    """All stand on one axis: a local epsilon, and a pure one beside a delta, promise more than the others."""
    quick = {"epsilons": [1.0], "runs": 2, "horizon": 50, "audit_runs": 0, "certificates": False}
    central, local = frontier("adap-ucb", MEANS, **quick), frontier(["adap-ucb", "ldp-ucb"], MEANS, **quick)
    assert central.remarks == ()
    (remark,) = local.remarks
    assert remark.startswith("ldp-ucb: its epsilon is local")
    assert remark.endswith("the theory's bounds are those of central privacy")
    with_delta = frontier(["adap-ucb", "ldp-ucb"], MEANS, delta=1e-6, **quick).remarks
    assert [of.partition(",")[0] for of in with_delta] == [
        "adap-ucb: it is private in pure epsilon", "ldp-ucb: its epsilon is local"
    ]  # fmt: skip


@pytest.mark.chance(2e-6, "verdict and bound of one audit of a true claim, 1e-6 each")
def test_a_false_claim_is_refuted_and_a_true_one_is_enclosed(monkeypatch):
    module = importlib.import_module("privcheck.tradeoffs._frontier")
    monkeypatch.setattr(module, "audit", functools.partial(module.audit, error=1e-6))
    monkeypatch.setattr(module, "CONFIDENCE", 1.0 - 1e-6)
    (honest,) = frontier("adap-ucb", MEANS, epsilons=[1.0], horizon=200, runs=5, audit_runs=2000).points
    found = frontier(Follower, MEANS, epsilons=[0.5], horizon=200, runs=5, audit_runs=10_000)
    (broken,) = found.points
    assert honest.epsilon_lower <= honest.epsilon == honest.epsilon_upper
    assert honest.verdict != "violation"
    assert broken.verdict == "violation"
    assert broken.epsilon_lower > 1.0
    assert broken.epsilon_upper is None
    assert any("Follower" in remark for remark in found.remarks)


@pytest.mark.chance(0.0, "the verdict is given")
@pytest.mark.parametrize("refuted", [True, False])
def test_an_audit_that_refutes_a_certificate_is_remarked_on(refuted, monkeypatch):
    """As it is after a fault in the guard; the true one is left alone."""
    module = importlib.import_module("privcheck.tradeoffs._frontier")

    def audited(*given, **options):
        return replace(privcheck.audit(*given, **options), verdict="violation" if refuted else "consistent")

    monkeypatch.setattr(module, "audit", audited)
    found = frontier("adap-ucb", MEANS, epsilons=[1.0], horizon=200, runs=3, audit_runs=100)
    said = [remark for remark in found.remarks if "without its guard refutes epsilon = 1 at level 0.001" in remark]
    assert len(said) == refuted
    assert found.points[0].epsilon_upper == (None if refuted else 1.0), (
        "the guard alone keeps it, and nobody simulated that"
    )


def test_points_are_those_of_simulate_and_bounds_those_of_the_theory():
    found = frontier(["adap-ucb", "ucb"], MEANS, epsilons=[2.0, 0.5], certificates=False, **QUICK)
    assert [(point.policy, point.epsilon) for point in found.points] == [
        ("adap-ucb", 0.5),
        ("adap-ucb", 2.0),
        ("ucb", None),
    ]
    for point in found.points:
        row = privcheck.simulate(
            point.policy, MEANS, horizon=500, runs=5, checkpoints=1, epsilon=point.epsilon
        ).summary()[0]
        assert (point.mean, point.q95) == (row["mean"], row["q95"])
        assert point.epsilon_upper is point.epsilon_lower is None
    at_two = next(bound for bound in found.bounds if bound.epsilon == 2.0)
    instance = Bernoulli(MEANS).instance(2.0, 500)
    assert at_two.lower == pytest.approx(THEOREMS[at_two.lower_id].evaluate(instance).constant * math.log(500))
    assert at_two.upper == THEOREMS[at_two.upper_id].evaluate(instance).value
    lowers = [bound.lower for bound in found.bounds]
    assert lowers == sorted(lowers, reverse=True)


class First:
    """Plays the first arm for ever."""

    def __init__(self, rng, epsilon):
        pass

    def select(self):
        return 0

    def update(self, action, reward):
        pass


def test_arms_in_random_order_give_the_first_one_no_advantage(tmp_path):
    quick = {"epsilons": [1.0], "horizon": 50, "runs": 40, "audit_runs": 0, "certificates": False}
    plain = frontier([First, "adap-ucb"], MEANS, **quick)
    found = frontier([First, "adap-ucb"], MEANS, **quick, shuffle_arms=True)
    assert (plain.points[0].mean, plain.shuffle_arms, found.shuffle_arms) == (0.0, False, True)
    for point in found.points:
        policy = First if point.policy != "adap-ucb" else point.policy
        expected = privcheck.simulate(policy, MEANS, horizon=50, runs=40, checkpoints=1, epsilon=1.0, shuffle_arms=True)
        assert point.mean == expected.summary()[0]["mean"] > 0.0
    assert found.points[0].q95 == pytest.approx(50 * (max(MEANS) - min(MEANS)))
    found.save(tmp_path / "frontier.json")
    assert privcheck.load(tmp_path / "frontier.json") == found
    assert "shuffle_arms" not in plain.to_json(), "what was written before stays as it is"
    found.save_html(tmp_path / "frontier.html")
    assert "random in every run" in (tmp_path / "frontier.html").read_text(encoding="utf-8")
    tables = details(found).renderables
    assert "arms in a random order in every run" in str(tables[0].title)
    assert "random" not in str(details(plain).renderables[0].title)


def test_files(tmp_path):
    point = FrontierPoint("adap-ucb", 1.0, 5.0, None, 4.0, 6.0, 1, 0.5, "consistent", math.inf)
    bound = FrontierBound(1.0, None, None, 9.0, "azize-basu-2022/thm8-explicit")
    found = Frontier("replay", (0.5, 0.25), ("left", "right"), 100, 0, 0.95, (point,), (bound,), ("said",))
    found.save(tmp_path / "frontier.json")
    assert privcheck.load(tmp_path / "frontier.json") == found
    found.plot(tmp_path / "frontier.png")
    assert (tmp_path / "frontier.png").stat().st_size > 10_000
    found.save(tmp_path / "frontier.html")
    page = (tmp_path / "frontier.html").read_text(encoding="utf-8")
    for told in ("left 0.5", "consistent", "not refuted", "Azize &amp; Basu 2022, Thm. 8 (explicit)", "said"):
        assert told in page
    assert found.citations() == ("azize-basu-2022",)
    with pytest.raises(PrivcheckError, match="JSON of a frontier"):
        Frontier.from_json('{"schema_version": 2, "frontier": {}}')


def test_latex_takes_the_headings_of_the_terminal():
    plain = FrontierPoint("one", 1.0, 5.0, 0.1, 4.0, 6.0, 9, 0.5, "consistent", 0.75)
    gaussian = FrontierPoint("two", None, 5.0, 0.1, 4.0, 6.0, 9, 9.0, "consistent", 9.5, 0.0, 0.25, None, 0.125, 0.1875)
    for point, lower, upper in ((plain, "0.5", "0.75"), (gaussian, "0.125", "0.1875")):
        found = Frontier("c2", (0.5, 0.4), (), 100, 0, 0.95, (point,), ())
        made = found.to_latex(columns=["policy", "audited", "certified", "claim"])
        assert r"policy & audited & certified & claim \\" in made
        assert rf"{point.policy} & ${lower}$ & ${upper}$ & consistent \\" in made
        with pytest.raises(PrivcheckError, match="columns: got 'granted', expected columns among policy"):
            found.to_latex(columns=["granted"])
        with pytest.raises(PrivcheckError, match="columns: got 'certified', expected columns among epsilon, lower"):
            replace(found, bounds=(FrontierBound(1.0, None, None, 9.0, "x"),)).to_latex("bounds", columns=["certified"])


def test_the_picture_shows_what_differs_from_the_claim():
    """The interval of a refuted claim begins to the right of its point, and its marker is hollow."""
    points = (
        FrontierPoint("one", 1.0, 5.0, 0.1, 4.0, 6.0, 9, 0.5, "consistent", 1.0),
        FrontierPoint("two", 1.0, 3.0, 0.1, 2.0, 4.0, 9, 2.0, "violation", None),
    )
    axes = frontier_figure(Frontier("c2", (0.5, 0.4), (), 100, 0, 0.95, points, ())).axes[0]
    bars = [line.get_xdata() for line in axes.lines if line.get_linewidth() == 3.2 and len(line.get_xdata())]
    assert [tuple(round(x, 1) for x in bar) for bar in bars] == [(0.5, 1.0), (2.0, 2.0)]
    means = [line for line in axes.lines if line.get_marker() in "os" and len(line.get_xdata())]
    assert [tuple(line.get_xdata()) for line in means] == [(1.0,), (1.0,)], "at their budget, one beside the other"
    hollow = [line for line in axes.lines if line.get_markerfacecolor() == "white" and len(line.get_xdata())]
    assert [round(float(line.get_ydata()[0]), 1) for line in hollow] == [3.0]


@pytest.mark.parametrize(
    ("change", "parameter"),
    [
        ({"epsilons": []}, "epsilons"),
        ({"epsilons": [1.0, -1.0]}, "epsilons"),
        ({"epsilons": 1.0}, "epsilons"),
        ({"audit_runs": 3}, "audit_runs"),
        ({"policies": "adap-ucb(epsilon=1)"}, "policies"),
        ({"policies": "no-such"}, "algorithm"),
        ({"environment": Gaussian((0.5, 0.4))}, "environment"),
    ],
)
def test_bad_input(change, parameter):
    given = {"policies": "adap-ucb", "environment": MEANS, "epsilons": [1.0]} | QUICK | change
    with pytest.raises(PrivcheckError) as caught:
        frontier(given.pop("policies"), given.pop("environment"), **given)
    assert caught.value.parameter == parameter


def test_the_legend_explains_the_marks_that_are_drawn():
    def legend():
        point = replace(found.points[0], epsilon_lower=None, epsilon_upper=None, verdict=None)
        figure = frontier_figure(replace(found, points=(point,)))
        return " ".join(text.get_text() for text in figure.legends[0].get_texts())

    found = frontier("adap-ucb", [0.9, 0.1], epsilons=[1.0], horizon=500, runs=3, audit_runs=0)
    assert "true epsilon" not in legend()
    assert "refuted" not in legend()
    assert "5 to 95 %" in legend()
    known = replace(found.points[0], epsilon_lower=2.0, epsilon_upper=None, verdict="violation")
    texts = [text.get_text() for text in frontier_figure(replace(found, points=(known,))).legends[0].get_texts()]
    assert "claim refuted by the audit" in texts
    assert any(text.startswith("true epsilon") for text in texts)


def test_a_store_changes_no_number_and_spares_what_was_played(tmp_path, monkeypatch):
    """The broken twin would hand the store to the simulations only, or to nobody."""
    pytest.importorskip("pyarrow", reason="the extra store is not installed")
    monkeypatch.setattr(chunk_store, "KEPT_FROM", 0.0)
    asked = {"epsilons": [1.0], "horizon": 500, "runs": 5, "audit_runs": 40, "certificates": False}
    expected = frontier("adap-ucb", MEANS, **asked)
    assert frontier("adap-ucb", MEANS, **asked, store=tmp_path) == expected

    def played(*_):
        raise AssertionError("a finished chunk was played again")

    monkeypatch.setattr(executor, "timed", played)
    assert frontier("adap-ucb", MEANS, **asked, store=tmp_path) == expected
    with pytest.raises(AssertionError):
        frontier("adap-ucb", MEANS, **asked | {"audit_runs": 60}, store=tmp_path)


def test_one_scheduler_plays_all_of_it(monkeypatch):
    """The broken twin would start the workers of local:1 for every simulation and every audit."""
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    started = []

    def counted(scheduler):
        started.append(scheduler)
        return dask_workers(scheduler)

    dask_workers = scheduling.dask_workers
    monkeypatch.setattr(scheduling, "dask_workers", counted)
    monkeypatch.setattr(executor, "dask_workers", counted)
    asked = {"epsilons": [1.0], "horizon": 500, "runs": 5, "audit_runs": 40, "certificates": False}
    assert frontier("adap-ucb", MEANS, **asked, scheduler="local:1") == frontier("adap-ucb", MEANS, **asked)
    assert [each for each in started if each.startswith("local")] == ["local:1"]
    assert len(started) == 3


def test_a_bar_is_an_arrow_where_the_audit_saw_next_to_nothing():
    """The broken twin would begin the bar at the left edge: those of several budgets hide each other."""

    def bar(lower):
        point = FrontierPoint("one", 3.0, 5.0, 0.1, 4.0, 6.0, 9, lower, "inconclusive", 3.0)
        figure = frontier_figure(Frontier("c2", (0.5, 0.4), (), 100, 0, 0.95, (point,), ()))
        (found,) = [each for each in figure.axes[0].lines if each.get_linewidth() == 3.2 and len(each.get_xdata())]
        told = " ".join(text.get_text() for text in figure.legends[0].get_texts())
        return [round(float(x), 3) for x in found.get_xdata()], "1/30 of the claim" in told

    assert bar(0.0) == bar(0.1) == ([2.0, 3.0], True)
    assert bar(0.2) == ([0.2, 3.0], False)


def test_a_policy_without_a_budget_is_named_and_called_no_worse_than_it_is():
    class Coin:
        def __init__(self, rng, arms):
            self.rng, self.arms = rng, arms

        def select(self):
            return int(self.rng.integers(self.arms))

        def update(self, action, reward):
            pass

    found = frontier([Coin, "ucb"], MEANS, epsilons=[1.0], **QUICK)
    assert found.remarks == ("Coin: no parameter epsilon, so it is simulated once, without a claim",)
    texts = [text.get_text() for text in frontier_figure(found).legends[0].get_texts()]
    assert {"Coin, takes no epsilon", "ucb, not private"} <= set(texts)


def test_no_line_joins_two_budgets_of_a_policy_and_an_upper_bound_names_its_policy():
    found = frontier(["adap-kl-ucb", "adap-ucb"], "c2", epsilons=[0.1, 3.0], horizon=10**6, runs=5, audit_runs=0)
    figure = frontier_figure(found)
    joined = [set(line.get_xdata()) & {0.1, 3.0} for line in figure.axes[0].lines if line.get_linestyle() != "None"]
    theory = [line for line in figure.axes[0].lines if len(line.get_xdata()) > 2]
    assert sum(len(both) > 1 for both in joined) == len(theory) == 2
    texts = " ".join(text.get_text() for text in figure.legends[0].get_texts())
    uppers = {bound.upper_id for bound in found.bounds}
    assert "azize-basu-2022/thm8-explicit" in uppers
    assert "upper bound of AdaP-KLUCB only" in texts
    assert "best proven" not in texts


def test_the_table_fits_into_80_columns():
    found = frontier(["adap-kl-ucb", "ucb"], "c2", epsilons=[0.1, 3.0], horizon=10**6, runs=5, audit_runs=0)
    with (console := Console(width=80)).capture() as shown:
        console.print(details(found))
    text = shown.get()
    assert max(map(len, text.splitlines())) <= 80
    for word in (*COLUMNS, "adap-kl-ucb"):
        assert word in text
