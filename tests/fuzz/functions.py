"""Random calls of public functions: they return, or refuse with a PrivcheckError."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import numpy as np
from tests_fuzz_play import damaged

import privcheck
from privcheck import bounds
from privcheck.accounting import ReleaseRefusedError
from privcheck.environments import ENVIRONMENTS, environment
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import MECHANISMS
from tests.example_results import CERTIFIED, GRANTED, VIOLATION

ODD: list[Any] = [
    None, True, "1", "", "\x1b[31m", math.nan, math.inf, -math.inf, -1, 0, 0.5, 1, 2.5, 1e308, 5e-324, 10**400, [], {},
    (), [0.5], [math.nan, 1], ["a", "b"], np.array([]), np.array([[0.5]]), np.float32(0.5), np.int8(3),
    np.bool_(True), 1j, object(), [[1], [1, 2]], np.array([1, 2], dtype=object), range(3), {1, 2}, lambda: None, float,
]  # fmt: skip
"""Values that a number, a name or an array may be mistaken for."""

REFUSED = (PrivcheckError, ReleaseRefusedError)

GOOD: dict[str, list[Any]] = {
    "epsilon": [0.1, 1, 1.0, 5.0, np.float64(0.5)], "delta": [0.0, 1e-6], "horizon": [4, 100, 1e5], "p": [0.2, 0.5],
    "q": [0.4, 0.9], "means": [(0.7, 0.5), [0.9, 0.1], np.array([0.3, 0.2, 0.1])], "mean": [0.2, 0.5],
    "means_1": [(0.7, 0.5)], "sensitivity": [1.0, 2], "arms": [2, 3], "domain": [(0, 1)],
    "family": ["bernoulli", "gaussian"],
    "name": ["c2", "fig3", "bernoulli"], "variance": [1.0, 4.0], "risk": [0.05], "target": ["rnm-ftnl"],
    "runs": [20, 3],
    "shape": [(2, 3), 4], "low": [-1.0], "high": [1.0], "norm": [None, 2.0], "value": [0.3, [0.2, 0.4]], "lo": [0.0],
    "hi": [1.0], "axis": ["epsilon", "horizon"], "seed": [0, 7], "jobs": [1], "confidence": [0.95], "error": [1e-3],
    "description": ["c2", [0.7, 0.5]], "x": [0.3], "level": [0.5], "budget": [1.0], "count": [3], "number": [2],
}  # fmt: skip

SLOW = {"sweep", "characteristic_time", "characteristic_time_tv", "curve", "theorem", "Theorem", "Condition"}
RECORDS = {
    "Bounds", "BoundValue", "CharacteristicTime", "ClaimedRegret", "ContradictionWarning", "Curve", "CurveTable",
    "Enclosure", "Indistinguishability", "PrivcheckError", "Regime", "THEOREMS", "CLASSIC_EPSILON_LIMIT",
}  # fmt: skip
"""What is returned by others, and declares no arguments of its own."""


def _instance(random: Random) -> bounds.Instance:
    means = [round(random.random(), 3) for _ in range(random.choice((2, 2, 3)))]
    return bounds.Instance("bernoulli", tuple(means), epsilon=10 ** random.uniform(-4, 2), horizon=1e4)


def _arguments(random: Random, function: Callable[..., Any], valid: bool) -> dict[str, Any]:
    found = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if parameter.default is not parameter.empty and random.random() < 0.7:
            continue
        pool = [_instance(random)] if name in ("instance",) else GOOD.get(name, [0.5, 0.25])
        found[name] = random.choice(pool)
    if found and not valid:
        found[random.choice(list(found))] = random.choice(ODD)
    return found


def call(random: Random, valid: bool) -> tuple[str, Callable[[], Any]]:
    """Return the name of a public function, and a call of it."""
    kind = random.choices(["bounds", "mechanism", "environment", "reader", "small", "run"], [40, 20, 10, 20, 8, 2])[0]
    return MAKERS[kind](random, valid)


def _of_bounds(random: Random, valid: bool) -> tuple[str, Callable[[], Any]]:
    name = random.choice(sorted(set(bounds.__all__) - SLOW - RECORDS))
    function = getattr(bounds, name)
    if name in ("contradictions", "best_on_this_instance"):
        values = bounds.evaluate(_instance(random))
        return name, lambda: function(values)
    if name == "claimed_regret":
        values, claimed = bounds.evaluate(_instance(random)), random.choice([5, "3 ln T"] if valid else ODD)
        return f"{name}(..., {claimed!r})", lambda: repr(function(values, claimed))
    arguments = _arguments(random, function, valid)
    return f"bounds.{name}({arguments})", lambda: function(**arguments)


def _of_a_mechanism(random: Random, valid: bool) -> tuple[str, Callable[[], Any]]:
    name = random.choice(list(MECHANISMS))
    cls = MECHANISMS[name]
    pools: dict[str, list[Any]] = {"sensitivity": [1.0, 2], "epsilon": [0.5, 1.0], "horizon": [8], "categories": [2, 3]}
    pools |= {"mu": [0.5, 1.0], "rho": [0.1, 1.0]}
    pools |= {"answers": [1, 2], "radius": [1.0], "size": [1], "dimension": [2], "degrees": [9], "delta": [0.1]}
    known = inspect.signature(cls).parameters
    arguments = {name: random.choice(pool) for name, pool in pools.items() if name in known}
    if not valid and arguments:
        arguments[random.choice(list(arguments))] = random.choice(ODD)
    value = random.choice([0.5, [0.1, 0.9], np.array([0.25, 1.0])]) if valid else random.choice(ODD)
    rng = np.random.default_rng(random.randrange(100))

    def use() -> Any:
        mechanism = cls(**arguments)
        return repr(mechanism), mechanism.release(value, rng)

    return f"{name}({arguments}).release({value!r})", use


def _of_an_environment(random: Random, valid: bool) -> tuple[str, Callable[[], Any]]:
    if random.random() < 0.5:
        value = random.choice(GOOD["description"] if valid else ODD)
        return f"environment({value!r})", lambda: repr(environment(value))
    cls = ENVIRONMENTS[random.choice(list(ENVIRONMENTS))]
    arguments = _arguments(random, cls, valid)
    return f"{cls.__name__}({arguments})", lambda: repr(cls(**arguments))


def _of_a_reader(random: Random, valid: bool) -> tuple[str, Callable[[], Any]]:
    one = random.choice([VIOLATION, CERTIFIED, GRANTED])
    text = one.to_json() if valid else damaged(one.to_json(), random)

    def read() -> Any:
        again = type(one).from_json(text)
        return str(again), repr(again), again.to_json()

    return f"{type(one).__name__}.from_json({text[:2000]!r})", read


def _of_a_small_one(random: Random, valid: bool) -> tuple[str, Callable[[], Any]]:
    name = random.choice(["zeros", "clip", "one_hot", "rounded", "Contexts", "guard"])
    if name == "guard":
        first = next(iter(inspect.signature(privcheck.guard).parameters))
        arguments: dict[str, Any] = {first: "adap-ucb(arms=2)", "epsilon": 1.0}
        if not valid:
            arguments[random.choice(list(arguments))] = random.choice(ODD)
        return f"guard({arguments})", lambda: privcheck.guard(**arguments)
    good = {"zeros": (3,), "clip": (0.5, 0.0, 1.0), "one_hot": (1, 3), "rounded": (0.5,), "Contexts": ((2, 3),)}[name]
    given = list(good)
    if not valid:
        given[random.randrange(len(given))] = random.choice(ODD)
    return f"{name}{tuple(given)}", partial(getattr(privcheck, name), *given)


def _of_a_run(random: Random, valid: bool) -> tuple[str, Callable[[], Any]]:
    name = random.choice(["audit", "certify", "simulate"])
    arguments: dict[str, Any] = {
        "audit": {"target": "rnm-ftnl", "epsilon": 1.0, "arms": 2, "streams": ([0.0, 0.0], [1.0, 0.0]), "runs": 20},
        "certify": {"target": "adap-ucb", "epsilon": 1.0, "arms": 2, "horizon": 3, "runs": 1},
        "simulate": {"policies": "ucb", "environment": [0.7, 0.5], "horizon": 10, "runs": 2},
    }[name]
    if not valid:
        key = random.choice(list(inspect.signature(getattr(privcheck, name)).parameters))
        arguments[key] = random.choice([value for value in ODD if not isinstance(value, int) or abs(value) < 10])
    return f"{name}({arguments})", lambda: str(getattr(privcheck, name)(**arguments))


MAKERS = {
    "bounds": _of_bounds, "mechanism": _of_a_mechanism, "environment": _of_an_environment, "reader": _of_a_reader,
    "small": _of_a_small_one, "run": _of_a_run,
}  # fmt: skip
