"""Every result can be sent to another process and copied, and is equal to what comes back."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

import privcheck
from privcheck.accounting import Charge, Plan, PlannedRelease
from privcheck.bounds import claimed_regret, curve, evaluate, named_instance
from privcheck.environments import LoggedFeedback
from privcheck.results import _example_results as examples
from privcheck.schema_versions import SCHEMA_VERSION
from privcheck.simulation import replay
from privcheck.sweeps import Sweep
from privcheck.tables import Result

WRITTEN = Path(__file__).parent / "written" / str(SCHEMA_VERSION)
LOADED = ("law_bound", "one_run", "sample_bound", "claims", "frontier", "watch", "fix", "steps", "audit", "certificate")
BUDGETS = {
    "pure": {"epsilon": 1.0},
    "gaussian": {"mu": 0.5},
    "concentrated": {"rho": 0.1},
    "approximate": {"epsilon": 1.0, "delta": 1e-6, "accountants": {"gdp": 0.5, "zcdp": 0.25, "rdp:8": 0.25}},
}
LOG = LoggedFeedback(("a", "b"), np.array([0, 1] * 50), np.array([1.0, 0.0] * 50), np.ones(100))
INSTANCE = named_instance("c2", epsilon=1.0, horizon=10**4)


def simulated():
    return privcheck.simulate(["adap-ucb", "ucb"], [0.75, 0.5], horizon=40, runs=3, epsilon=1.0)


def identified():
    return privcheck.identify("dp-exact-tt", [0.9, 0.5], horizon=1e5, delta=[0.1, 0.01], runs=3, epsilon=1.0)


MADE = {
    **{f"loaded {name}": lambda name=name: privcheck.load(WRITTEN / f"{name}.json") for name in LOADED},
    **{
        f"example {name}": lambda name=name: getattr(examples, name)
        for name in ("VIOLATION", "GRANTED", "GAUSSIAN", "CERTIFIED", "WATCHED", "FIXED_BANDIT", "STEPS")
    },
    **{
        f"certificate {name}": lambda budget=budget: privcheck.certify(
            "adap-ucb(epsilon=0.25)", arms=2, horizon=12, runs=2, **budget
        )
        for name, budget in BUDGETS.items()
    },
    "certificate that is refused": lambda: privcheck.certify("ucb", epsilon=1.0, arms=2, horizon=6, runs=2),
    "simulation": simulated,
    "simulation loaded": lambda: privcheck.load(WRITTEN / "simulation.npz"),
    "identification": identified,
    "sweep": lambda: Sweep("folder", ({"status": "done", "seconds": 1.0},)),
    "bounds": lambda: evaluate(INSTANCE),
    "curve": lambda: curve(INSTANCE, "epsilon", [0.5, 1.0]),
    "table of a curve": lambda: curve(INSTANCE, "epsilon", [0.5, 1.0]).table,
    "claimed regret": lambda: claimed_regret(evaluate(INSTANCE), 500),
    "account": lambda: Plan([PlannedRelease(Charge(0.1), 20)]).at_delta(1e-6),
    "replay of a log": lambda: replay("ucb", LOG, runs=2),
}


@pytest.mark.parametrize("name", MADE)
def test_a_pickle_and_a_copy_are_equal_to_the_result(name):
    result = MADE[name]()
    assert pickle.loads(pickle.dumps(result)) == result
    assert copy.deepcopy(result) == result
    assert copy.copy(result) == result


def test_every_kind_of_result_is_looked_at():
    kinds = {kind for kind in _below(Result) if not _below(kind)}
    assert kinds <= {type(make()) for make in MADE.values()}


def _below(kind):
    return {cls for derived in kind.__subclasses__() for cls in (derived, *_below(derived))}


def test_simulations_are_compared_by_value():
    one = simulated()
    other = replace(one, results=(replace(one.results[0], regret=one.results[0].regret + 1.0), one.results[1]))
    assert one != other
    assert one != replace(one, checkpoints=one.checkpoints + 1)
    assert one != "another object"
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)


def test_a_process_returns_a_certificate():
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as processes:
        found = processes.submit(privcheck.certify, "adap-ucb", epsilon=1.0, arms=2, horizon=12, runs=2).result()
    assert found == privcheck.certify("adap-ucb", epsilon=1.0, arms=2, horizon=12, runs=2)
