"""Functions of one number that tell it by way of the process are refused, put back, or named; honest ones are not."""

from __future__ import annotations

import fractions
import gc
import re
import sys
import warnings
from contextvars import copy_context

import numpy as np
import pytest

import privcheck
from privcheck.certifying._guard import guarded
from privcheck.certifying._outside.trusted_base import FUNCTIONS
from privcheck.errors import PrivcheckError
from privcheck.private_values import PrivateSource
from privcheck.reached_state import SeparateCoins, apart

REFUSED = {
    "Warns": "warnings.warn",
    "WarnsByAHelper": "warnings.warn",
    "Prints": "print",
    "WritesToOutput": "sys.stdout",
    "WritesToErrors": "sys.stderr",
    "ReadsFrames": "sys._getframe",
    "Inspects": "inspect.stack",
    "ReadsTracebacks": "the attribute __traceback__",
    "FramesOfGenerators": "the attribute gi_frame",
    "UnraisableError": "a method __del__",
    "StartsAThread": "threading.Thread",
    "RunsALoop": "asyncio.run",
    "AsksForSizes": "sys.getsizeof",
    "AttributeOfNumpy": "np.median.told, which it sets",
}
SIZES = ["SizeOfASet", "SizeOfADictionary", "SizeOfAList", "SizeOfAnObject", "SizeOfABuffer", "OrderOfASet"]
ELSEWHERE = [
    "AttributeByAnotherName",
    "AttributeInADictionary",
    "AttributeOfAClass",
    "ContextVariable",
]
BUDGET = {"epsilon": 1.0, "delta": 0.0, "rho": None, "mu": None}
OPTIONS = {"rewards": (0.0, 1.0), "neighbours": "row", "contexts": None, "accountants": None}


@pytest.fixture
def streams(monkeypatch):
    """Whatever a policy replaces is what it was."""
    for name in ("stdout", "unraisablehook"):
        monkeypatch.setattr(sys, name, getattr(sys, name))


@pytest.mark.usefixtures("streams")
@pytest.mark.parametrize("name", REFUSED)
def test_a_function_that_surely_tells_is_refused(impure_functions, name) -> None:
    found = privcheck.certify(getattr(impure_functions, name), epsilon=1.0, arms=2, horizon=8, runs=1)
    said = rf"scaled \(impure_functions.py:\d+\) uses .*{REFUSED[name]}.*: it is not a function of one number"
    assert found.upper is None
    assert any(re.fullmatch(said, note) for note in found.notes)


@pytest.mark.usefixtures("streams")
@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_in_deployment_too(impure_functions, name) -> None:
    policy = privcheck.guard(getattr(impure_functions, name), epsilon=1.0, arms=2, noise="float")
    arm = policy.select()
    with pytest.raises(PrivcheckError, match=REFUSED[name]):
        policy.update(arm, 0.25)


def test_what_is_not_known_is_named_one_by_one(impure_functions) -> None:
    found = privcheck.certify(impure_functions.Logs, epsilon=1.0, arms=2, horizon=8, runs=1)
    assert found.granted
    (said,) = found.rests_on[FUNCTIONS]
    assert said.startswith("scaled (impure_functions.py:")
    assert said.endswith("is a function of its number: it uses logging.Logger.info, which privcheck does not know")
    assert said in found.provided
    assert said in str(found)


@pytest.mark.usefixtures("streams")
def test_a_generator_that_ends_later_is_named_and_its_errors_reach_nobody(impure_functions) -> None:
    """One in a cycle ends when the collector finds it."""
    found = privcheck.certify(impure_functions.UnraisableInAGenerator, epsilon=1.0, arms=2, horizon=8, runs=1)
    assert "a generator with try, with, await or yield from" in found.provided
    source = PrivateSource()
    heard: list[object] = []
    sys.unraisablehook = heard.append
    function = impure_functions.UnraisableInAGenerator.scaled
    privcheck.feature(lambda r: function(None, r), source.scalar(0.9, 0.0, 1.0, 0), 0.0, 1.0)
    gc.collect()
    assert heard == []
    function(None, 0.9)
    assert len(heard) == 1


def actions(cls, first: float) -> list[int]:
    """Return the actions of a guarded policy; its first reward is given, the others are not larger than one half."""
    coins = np.random.default_rng(1), np.random.default_rng(2)
    policy = guarded(cls, BUDGET, OPTIONS, "bandit", 2, "float", *coins)
    found = []
    for reward in (first, 0.1, 0.2, 0.1):
        found.append(policy.select())
        policy.update(found[-1], reward)
    return found


def alone(cls, first: float) -> list[int]:
    policy, found = cls(np.random.default_rng(1)), []
    for reward in (first, 0.1, 0.2, 0.1):
        found.append(policy.select())
        policy.update(found[-1], reward)
    return found


@pytest.fixture
def attributes():
    """What a policy sets of numpy and of Python is removed."""
    yield
    for held in (np.median, np.linalg, np.linalg.norm, fractions.Fraction):
        if hasattr(held, "told"):
            del held.told


@pytest.mark.usefixtures("attributes")
@pytest.mark.parametrize("name", ELSEWHERE)
def test_what_is_set_elsewhere_is_put_back(impure_functions, name) -> None:
    cls = getattr(impure_functions, name)
    small = copy_context().run(actions, cls, 0.1)
    assert copy_context().run(actions, cls, 0.9) == small
    assert copy_context().run(alone, cls, 0.9) != small


@pytest.mark.parametrize("name", SIZES)
def test_the_room_that_containers_take_is_put_back(impure_functions, name) -> None:
    cls = getattr(impure_functions, name)
    assert actions(cls, 0.9) == actions(cls, 0.1)
    assert alone(cls, 0.9) != alone(cls, 0.1)


def warning(x):
    """Warn for small numbers only: numpy casts a complex number."""
    return float(np.sqrt((x - 0.5) ** 0.5))


def test_warnings_of_numpy_reach_nobody() -> None:
    source = PrivateSource()
    registry = globals().setdefault("__warningregistry__", {})
    registry.clear()
    for function in (warning, lambda x: float(np.array([1.0, x])[1:]) + warning(x)):
        with warnings.catch_warnings(record=True) as shown:
            warnings.simplefilter("always")
            privcheck.feature(function, source.scalar(0.1, 0.0, 1.0, 0), 0.0, 1.0)
            privcheck.feature(function, 0.1, 0.0, 1.0)
        assert (shown, registry) == ([], {})
        assert globals()["__warningregistry__"] is registry
    with pytest.warns(np.exceptions.ComplexWarning):
        warning(0.1)


def test_a_registry_that_a_call_makes_is_gone_afterwards() -> None:
    space = {"np": np}
    exec("def own(x):\n    return float(np.sqrt((x - 0.5) ** 0.5)) if [x] else x", space)
    source = PrivateSource()
    privcheck.feature(space["own"], source.scalar(0.1, 0.0, 1.0, 0), 0.0, 1.0)
    assert "__warningregistry__" not in space
    with apart([space["own"]], SeparateCoins()):
        space["own"](0.1)
        assert "__warningregistry__" in space


def plain(x):
    return float(np.sqrt((x - 0.5) ** 0.5))


@pytest.mark.parametrize("numbers", ["private", "public"])
def test_python_remembers_what_it_has_warned_of_while_plain_functions_are_called(numbers) -> None:
    """It forgot at every call, and a warning that is shown once was shown again; other functions make it forget."""
    value = PrivateSource().scalar(0.1, 0.0, 1.0, 0) if numbers == "private" else 0.1
    space = {"warnings": warnings, "__name__": "elsewhere"}
    exec("def warn():\n    warnings.warn('large')", space)
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("default")
        filters, version = warnings.filters, None
        for _ in range(20):
            space["warn"]()
            privcheck.feature(plain, value, 0.0, 1.0)
            version = version or space["__warningregistry__"]["version"]
        assert [str(each.message) for each in shown] == ["large"]
        assert warnings.filters is filters
        assert space["__warningregistry__"]["version"] == version
        privcheck.feature(lambda x: plain(x) if [x] else x, value, 0.0, 1.0)
        space["warn"]()
        assert len(shown) == 2
        assert space["__warningregistry__"]["version"] != version
