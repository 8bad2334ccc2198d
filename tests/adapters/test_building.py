"""What the adapters share: no library is imported, an adapter says how many arms it has and can be sent to workers."""

import doctest
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import privcheck
import privcheck.adapters as package
from privcheck.adapters import from_coba, from_mabwiser
from privcheck.adapters._seeded_factory import SEEDS, vector
from privcheck.targets import load

MODULES = [f"{package.__name__}.{module.name}" for module in pkgutil.iter_modules(package.__path__)]


class Uniform:
    """A learner of one's own that needs no library."""

    def __init__(self, seed):
        self.seed = seed

    def predict(self, context, actions):
        return actions[np.random.default_rng(self.seed).integers(len(actions))]

    def learn(self, context, action, reward, probability):
        assert probability is None


@pytest.mark.parametrize("name", [package.__name__, *MODULES])
def test_examples_run(name):
    module = importlib.import_module(name)
    assert doctest.testmod(module).failed == 0
    assert ">>> " in (Path(module.__file__).read_text(encoding="utf-8"))


def test_nothing_of_a_library_is_imported():
    root = Path(package.__file__).parents[2]
    code = f"import sys; sys.path.insert(0, {str(root)!r}); import privcheck.adapters; "
    code += "print({'mabwiser', 'coba', 'pandas', 'torch'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_an_adapter_says_how_many_arms_it_has():
    adapter = from_coba(Uniform, ["a", "b", "c"])
    assert load(adapter).arms(None) == 3
    with pytest.raises(privcheck.PrivcheckError, match="arms: got None"):
        load(lambda rng: adapter(rng)).arms(None)


def test_a_class_does_not_say_it_by_an_attribute():
    """`arms` of a class is as likely a default of its instances."""

    class Bandit:
        arms = 2

    with pytest.raises(privcheck.PrivcheckError, match="arms: got None"):
        load(Bandit).arms(None)


def test_seeds_come_from_the_generator_alone():
    adapter = from_coba(Uniform, ["a", "b"])
    seeds = [adapter(np.random.default_rng(n))._learner.seed for n in (0, 0, 1)]
    assert seeds[0] == seeds[1] != seeds[2]
    assert all(type(seed) is int and 0 <= seed < SEEDS for seed in seeds)


def test_workers_make_the_same_runs():
    cloudpickle = pytest.importorskip("cloudpickle", reason="joblib brings it from 1.6 on")
    adapter = cloudpickle.loads(cloudpickle.dumps(from_coba(Uniform, ["a", "b"])))
    assert (adapter.arms, adapter.__name__) == (2, "Uniform")
    once, twice = (adapter(np.random.default_rng(3)).select() for _ in range(2))
    assert once == twice


def test_what_the_library_is_told_is_randomised_with_the_generator():
    told = []

    class Learner(Uniform):
        def learn(self, context, action, reward, probability):
            told.append(reward)

    policy = from_coba(Learner, ["a", "b"], randomise=lambda reward, rng: reward + rng.random())(
        np.random.default_rng(5)
    )
    rng = np.random.default_rng(5)
    rng.integers(SEEDS)
    policy.update(policy.select(), 2.0)
    assert told == [2.0 + rng.random()]


def test_a_mab_needs_its_labels():
    class Nameless:
        def __init__(self, seed):
            pass

        def predict(self):
            pass

        def partial_fit(self, decisions, rewards):
            pass

    with pytest.raises(privcheck.PrivcheckError, match=r"build: got .*Nameless.* with its labels in `arms`"):
        from_mabwiser(Nameless)
    Nameless.arms = [1, 2]
    Nameless.predict = lambda self: 3
    with pytest.raises(privcheck.PolicyError, match=r"prediction: got 3, expected one of the arms \[1, 2\]"):
        privcheck.audit(from_mabwiser(Nameless), epsilon=1.0, horizon=3, runs=20)


class Fake:
    """Has the parts of a MAB."""

    arms = ("left", "right")

    def __init__(self, seed):
        self.seed = seed

    def predict(self):
        return "left"

    def partial_fit(self, decisions, rewards):
        pass


def raising(self):
    raise RuntimeError("not yet")


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"__init__": lambda self, seed: setattr(self, "seed", np.array([1, 2]))}, r"build: got .* the seed \[1 2\]"),
        ({"__init__": object.__init__, "seed": property(raising)}, "build: got one that raises TypeError"),
        ({"__init__": lambda self, seed: None, "seed": property(raising)}, "whose seed raises RuntimeError: not yet"),
        ({"arms": property(raising)}, "whose arms raises RuntimeError: not yet"),
        ({"arms": None}, r"an object of type Mine, which has no arms, .* or wrap it in a class with select\(\)"),
        ({"arms": [["left"], ["right"]]}, r"arms: got \[\['left'\], \['right'\]\], expected labels that can be keys"),
        ({"arms": [([],), ([1],)]}, "expected labels that can be keys"),
        ({"partial_fit": None}, r"which has no method partial_fit\(\), .* or wrap it in a class with select\(\)"),
    ],
)
def test_what_is_no_mab_is_refused_in_one_line(parts, said):
    """Some of these once ended in a traceback."""
    with pytest.raises(privcheck.PrivcheckError, match=said) as refused:
        from_mabwiser(type("Mine", (Fake,), parts))
    assert "\n" not in str(refused.value)
    assert " at 0x" not in str(refused.value)


def test_a_function_that_returns_a_class_is_refused():
    with pytest.raises(privcheck.PrivcheckError, match="got one that returns the class Fake itself, expected"):
        from_mabwiser(lambda seed: Fake)


def test_a_value_whose_text_raises_is_named_by_its_type():
    bad = type("Bad", (), {"__repr__": raising})()
    assert (
        str(privcheck.PrivcheckError("target", bad, "another")) == "target: got an object of type Bad, expected another"
    )


def test_decision_sets_are_refused():
    with pytest.raises(privcheck.PolicyError, match=r"contexts: got shape \(2, 3\), expected one vector per round"):
        vector(np.zeros((2, 3)))


@pytest.mark.parametrize("first", [3, "right", ["right", "up"], [["left"]]])
def test_what_is_no_list_of_labels_is_refused(first):
    def build(seed):
        return SimpleNamespace(arms=["left", "right"], seed=seed, predict=print, partial_fit=print)

    with pytest.raises(privcheck.PrivcheckError, match=r"first: got .*, expected labels among \['left', 'right'\]"):
        from_mabwiser(build, first=first)
