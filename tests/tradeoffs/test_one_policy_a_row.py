"""A row of a frontier speaks of one policy: its simulation, its audit and its certificate are built with one budget."""

import json
from pathlib import Path

import numpy as np
import pytest

import privcheck
from privcheck.cli import run
from privcheck.errors import PrivcheckError
from privcheck.reporting import details, page
from privcheck.results import Frontier
from privcheck.tradeoffs import frontier

MEANS = [0.9, 0.1]
QUICK = {"horizon": 40, "runs": 5, "audit_runs": 40}
TOLD = []

POLICY = """
class Noisy:
    def __init__(self, rng, arms, epsilon=9.0, delta=1e-6, rho=9.0, mu=9.0):
        self.arm = 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        pass
"""


class Recorded:
    """Takes note of what it was told; its own defaults are none that is asked for."""

    def __init__(self, rng, arms, epsilon=9.0, delta=0.25, rho=9.0, mu=9.0):
        TOLD.append({"epsilon": epsilon, "delta": delta, "rho": rho, "mu": mu})
        self.arm = 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        pass


@pytest.mark.parametrize(
    ("budgets", "expected"),
    [
        ({"epsilons": [0.5]}, {"epsilon": 0.5, "delta": 0.0, "rho": 9.0, "mu": 9.0}),
        ({"epsilons": [0.5], "delta": 1e-3}, {"epsilon": 0.5, "delta": 1e-3, "rho": 9.0, "mu": 9.0}),
        ({"rho": [0.5]}, {"epsilon": 9.0, "delta": 0.25, "rho": 0.5, "mu": 9.0}),
        ({"mu": [0.5]}, {"epsilon": 9.0, "delta": 0.25, "rho": 9.0, "mu": 0.5}),
    ],
)
def test_all_parts_of_a_row_are_told_one_budget(budgets, expected):
    """Once the simulation had the factory's own delta, and audit and certificate were told 0."""
    TOLD.clear()
    found = frontier(Recorded, MEANS, **budgets, **QUICK)
    assert TOLD
    assert all(told == expected for told in TOLD), "the parts were told different budgets"
    (point,) = found.points
    (unit,) = set(budgets) & {"epsilons", "rho", "mu"}
    assert found.unit == unit.removesuffix("s")
    assert (point.budget, point.delta) == (0.5, budgets.get("delta", 0.0))
    assert point.lower is not None
    assert point.upper == 0.5, "it releases nothing, and the certificate is of the budget"


def test_simulations_are_told_what_audits_are():
    for budget in ({"epsilon": 0.5}, {"epsilon": 0.5, "delta": 1e-3}, {"rho": 0.5}, {"mu": 0.5}):
        TOLD.clear()
        simulation = privcheck.simulate(Recorded, MEANS, horizon=10, runs=2, **budget)
        simulated = list(TOLD)
        TOLD.clear()
        privcheck.audit(Recorded, arms=2, horizon=4, runs=40, **budget)
        assert simulated[0] == TOLD[0]
        assert all(each == simulated[0] for each in (*simulated, *TOLD))
        own = simulation.results[0].algorithm
        assert {name: getattr(own, name) for name in budget} == budget
        assert own.private


def test_without_a_budget_a_simulation_leaves_a_factory_its_defaults():
    TOLD.clear()
    privcheck.simulate(Recorded, MEANS, horizon=10, runs=2)
    assert TOLD[0] == {"epsilon": 9.0, "delta": 0.25, "rho": 9.0, "mu": 9.0}


def test_the_theory_of_pure_privacy_is_not_shown_for_other_budgets():
    """Its lower bounds do not hold for (epsilon, delta)-DP."""
    quick = QUICK | {"audit_runs": 0, "certificates": False}
    assert frontier(Recorded, MEANS, epsilons=[0.5], **quick).bounds
    for budgets in ({"epsilons": [0.5], "delta": 1e-3}, {"rho": [0.5]}):
        found = frontier(Recorded, MEANS, **budgets, **quick)
        assert found.bounds == ()
        assert Frontier.from_json(found.to_json()) == found
        assert found.claim in page(found)
        assert details(found)


@pytest.mark.parametrize(
    ("change", "parameter"),
    [
        ({"rho": [1.0]}, "budget"),
        ({"epsilons": None}, "epsilons"),
        ({"epsilons": None, "rho": [-1.0]}, "rho"),
        ({"epsilons": None, "rho": [1.0], "delta": 0.1}, "delta"),
        ({"delta": 1.0}, "delta"),
        ({"epsilons": None, "mu": [1.0], "policies": "adap-ucb"}, "policies"),
    ],
)
def test_bad_budgets(change, parameter):
    given = {"policies": Recorded, "epsilons": [1.0]} | QUICK | change
    with pytest.raises(PrivcheckError) as caught:
        frontier(given.pop("policies"), MEANS, **given)
    assert caught.value.parameter == parameter


def test_a_policy_that_takes_the_horizon_is_remarked_on():
    class Long(Recorded):
        def __init__(self, rng, arms, horizon, epsilon):
            super().__init__(rng, arms, epsilon)

    (remark,) = frontier(Long, MEANS, epsilons=[1.0], **QUICK | {"audit_runs": 0}).remarks
    assert "built for 40 rounds where it is simulated" in remark


@pytest.mark.parametrize("budget", [["--epsilon", "1", "--delta", "1e-3"], ["--rho", "0.5"], ["--mu", "0.5"]])
def test_the_command_line_takes_the_budgets_of_own_policies(budget, tmp_path, monkeypatch, capsys):
    """`--delta` was taken for that of best-arm identification, whose shipped ids were listed."""
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(POLICY)
    rest = ["--means", "0.9,0.1", "--horizon", "40", "--runs", "5", "--json", "found.json"]
    assert run(["simulate", "mine.py:Noisy", *budget, *rest]) == 0
    assert "Noisy" in capsys.readouterr().out
    several = ["--epsilons", *budget[1:]] if budget[0] == "--epsilon" else budget
    assert run(["frontier", "mine.py:Noisy", *several, *rest, "--audit-runs", "40"]) == 0
    (point,) = json.loads(Path("found.json").read_text())["points"]
    assert (point["delta"], point["verdict"]) == (1e-3 if "--delta" in budget else 0.0, "inconclusive")


def test_several_deltas_or_a_budget_without_meaning_are_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(POLICY)
    rest = ["--means", "0.9,0.1", "--horizon", "40", "--runs", "5"]
    assert run(["simulate", "mine.py:Noisy", "--epsilon", "1", "--delta", "0.1,0.01", *rest]) == 2
    assert "one number" in capsys.readouterr().err
    assert run(["simulate", "dp-se-bai", "--rho", "1", "--delta", "0.1", *rest]) == 2
    assert "privcheck: rho: got" in capsys.readouterr().err


class Late:
    """Noise on every reward, and raw sums from the fiftieth round on, which are simulated and not certified."""

    def __init__(self, rng, arms, epsilon, late=50):
        self.rng, self.epsilon, self.late = rng, epsilon, late
        self.sums, self.raw, self.t = np.zeros(arms), np.zeros(arms), 0

    def select(self):
        self.t += 1
        if self.t > self.late:
            return int(np.argmax(self.raw))
        return int(np.argmax(self.sums))

    def update(self, action, reward):
        self.raw[action] += reward
        self.sums[action] += reward + self.rng.laplace(0.0, 1.0 / self.epsilon)


class Early(Late):
    """The same without the late part."""

    def select(self):
        self.t += 1
        return int(np.argmax(self.sums))


class Choosing(Early):
    """The late part in a line that runs in every round: the certificate is granted, and says what it rests on."""

    def select(self):
        self.t += 1
        return int(np.argmax((self.sums, self.raw)[self.t > 50]))


@pytest.mark.parametrize(("budgets", "unit"), [({"epsilons": [0.5]}, "epsilon"), ({"rho": [0.5]}, "rho")])
def test_what_only_the_guard_keeps_is_no_bound_of_a_row(budgets, unit):
    """Once the column "certified" had the bound of the guarded policy, and regret was that of the leaking one."""
    kept = Late if unit == "epsilon" else LateGaussian
    found = frontier(kept, MEANS, **budgets, horizon=100, runs=2, audit_runs=0)
    (point,) = found.points
    assert point.upper is None
    assert f"{kept.__name__}, {unit} 0.5: not certified: a line that matters for privacy never ran" in found.remarks[-1]
    assert "raw" in found.remarks[-1]


class LateGaussian(Late):
    """The same in zCDP."""

    def __init__(self, rng, arms, rho):
        super().__init__(rng, arms, 1.0)
        self.rho = rho

    def update(self, action, reward):
        self.raw[action] += reward
        self.sums[action] += reward + self.rng.normal(0.0, np.sqrt(0.5 / self.rho))


def test_what_a_certified_bound_rests_on_is_printed_with_it():
    (point,) = (found := frontier(Early, MEANS, epsilons=[0.5], horizon=20, runs=2, audit_runs=0)).points
    assert point.upper == 0.5
    assert not [remark for remark in found.remarks if "certified" in remark]
    (point,) = (found := frontier(Choosing, MEANS, epsilons=[0.5], horizon=20, runs=2, audit_runs=0)).points
    assert point.upper == 0.5
    assert "certified, and this rests on: line" in found.remarks[-1]
    assert "compares or indexes with 50" in found.remarks[-1]


def test_two_policies_of_one_name_are_two_policies():
    """Once their points stood under one name, in one colour."""

    def made(arm):
        class Constant(Recorded):
            def select(self):
                return arm

        return Constant

    found = frontier([made(0), made(1), "ucb"], MEANS, epsilons=[0.5, 1.0], **QUICK | {"audit_runs": 0})
    assert found.policies == ("Constant #1", "Constant #2", "ucb")
    best, worst = ({point.mean for point in found.points if point.policy == name} for name in found.policies[:2])
    assert max(best) < min(worst)
