"""Programs in all settings: what is granted is compared with losses that other code measures, and with plain runs."""

from __future__ import annotations

import importlib.util
import random
import signal
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import privcheck
from privcheck.certifying._charging import one_release
from privcheck.certifying._outside import release_generators as generators
from privcheck.certifying._outside.contradictions import above_budget
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import DiscreteLaplace, RecordedRelease
from privcheck.targets import Claim

pytestmark = pytest.mark.long


def loaded(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


programs = loaded(Path(__file__).with_name("setting_programs.py"), "setting_programs")
QUICK = {
    "a child that is put back", "the seeds of a child", "a Generator without noise", "a child of a child",
    "a function that reaches a child", "a child of a copy", "a grandchild of a copied child",
}  # fmt: skip
NAMED = (generators.COPIED, generators.OTHERS, generators.CHANGED)


def cases(table: dict[str, object]) -> list[object]:
    """Return the names of programs; all but a few are left to `make evidence`."""
    return [name if name in QUICK else pytest.param(name, marks=pytest.mark.nightly) for name in table]


def certificate(text: str, folder: Path, setting: str = "bandit", **options: object) -> object:
    (folder / "policy.py").write_text(text, encoding="utf-8")
    options = {"epsilon": 1.0, "arms": 2, "horizon": 5, "runs": 2} | programs.SETTINGS[setting][1] | options
    return privcheck.certify(f"{folder / 'policy.py'}:Policy", **options)


def showing(name: str) -> str:
    start, act, before = programs.SHOWING[name]
    return programs.program("bandit", act, start, before)


@pytest.mark.parametrize("name", programs.SHOWING)
def test_the_code_alone_shows_the_reward(name, tmp_path):
    (tmp_path / "alone.py").write_text(showing(name), encoding="utf-8")
    policy = loaded(tmp_path / "alone.py", "alone").Policy
    for reward in (0.0, 0.37, 1.0):
        table = np.full((1, 2), reward)
        assert [programs.play(policy, "bandit", table, seed).y for seed in (0, 1)] == pytest.approx([reward] * 2)


@pytest.mark.parametrize("name", cases(programs.SHOWING))
def test_noise_that_is_drawn_again_or_not_at_all_is_not_granted_without_a_condition(name, tmp_path):
    found = certificate(showing(name), tmp_path)
    assert not found.granted or set(NAMED) & set(found.rests_on)
    assert found.granted or any("starts where another one did" in note for note in found.notes) or found.refusals


@pytest.mark.parametrize("name", cases(programs.PRIVATE))
def test_children_that_are_only_drawn_from_are_granted_without_a_condition(name, tmp_path):
    start, act = programs.PRIVATE[name]
    found = certificate(programs.program("bandit", act, start), tmp_path)
    assert (found.granted, set(NAMED) & set(found.rests_on)) == (True, set())


def test_the_guards_own_copies_of_a_child_are_no_reason_for_a_condition(tmp_path):
    text = programs.HEAD.replace("SELECT", "def select(self, c):\n        return int(np.argmax(c @ np.ones(2)))")
    text = (
        text.replace("LEARN(self, a, r)", "update(self, c, a, r)")
        .replace("BEFORE", "")
        .replace("START", programs.CHILD)
    )
    text = text.replace("ACT", "self.y = self.noise.release(r, self.g)")
    contexts = privcheck.Contexts(shape=(2, 2), norm=1.0)
    joint = {"feedback": "contextual", "neighbours": "context-reward", "contexts": contexts}
    found = certificate(text, tmp_path, **joint)
    assert (found.granted, set(NAMED) & set(found.rests_on)) == (True, set())


def test_the_condition_names_the_line(tmp_path):
    text = showing("a Generator without noise")
    found = certificate(text, tmp_path)
    line = 1 + text.splitlines().index("        self.y = self.noise.release(r, self.g)")
    assert found.rests_on[generators.CHANGED] == [f"policy.py:{line}"]


def random_program(number: int) -> tuple[str, str, str]:
    rnd = random.Random(number)
    setting = rnd.choice(list(programs.SETTINGS))
    return setting, rnd.choice(["row", "row", "reward", "group:2"]), programs.random_act(rnd, setting)


def unpaid(number: int, folder: Path) -> tuple[str, float]:
    """Return what was decided, and by how much a measured loss exceeds what the ledger charges, as a share."""
    setting, neighbours, act = random_program(number)
    try:
        found = certificate(programs.program(setting, act), folder, setting, epsilon=1e4, neighbours=neighbours, runs=1)
    except privcheck.PrivcheckError:  # a product of several data
        return "refused", 0.0
    if not found.granted:
        return "refused", 0.0
    module = loaded(folder / "policy.py", f"program_{number}")
    loss = programs.measured(module, setting, neighbours, number)
    return "granted", loss / max(found.ledger_epsilon, 1e-12)


def test_no_random_program_loses_more_than_its_certificate_says(tmp_path, evidence):
    decided = [unpaid(number, tmp_path) for number in range(evidence(6, 400))]
    assert max(share for _, share in decided) <= 1.0 + 1e-6
    assert sum(kind == "granted" and share > 0.9 for kind, share in decided) >= len(decided) / 3


@pytest.mark.parametrize("share", [1.0, 0.5])
def test_the_measurement_finds_charges_that_are_too_small(share, tmp_path, monkeypatch):
    computed = one_release.with_rounding
    monkeypatch.setattr(
        one_release, "with_rounding", lambda *given: {datum: share * s for datum, s in computed(*given).items()}
    )
    setting = "full"
    found = certificate(programs.program(setting, "released(self, r, 1.0)"), tmp_path, setting, epsilon=1e4)
    loss = programs.measured(loaded(tmp_path / "policy.py", "vector"), setting, "row", 0, tables=12, each=12)
    assert found.ledger_epsilon == pytest.approx(3.0 * share)
    assert (loss <= found.ledger_epsilon) is (share == 1.0)


class Told:
    """Hands a reward to a function; plays 1 if numpy's warnings or errors told of it."""

    def __init__(self, rng, arms=2):
        self.arm, self.told, self.made = 0, [], None

    def select(self):
        return self.arm


class Raising(Told):
    error: type[BaseException] = SystemExit

    def update(self, action, reward):
        def function(number):
            if number > 0.5:
                raise self.error
            return 0.3

        self.made = privcheck.feature(function, reward, 0.0, 1.0)


class RaisingLate(Raising):
    """The error is raised where the result becomes a number."""

    def update(self, action, reward):
        class Result:
            def __float__(self):
                raise SystemExit

        self.made = privcheck.feature(lambda number: Result() if number > 0.5 else 0.3, reward, 0.0, 1.0)


class Stop(BaseException):
    pass


@pytest.mark.parametrize("error", [SystemExit, GeneratorExit, Stop, ValueError])
@pytest.mark.parametrize("policy", [Raising, RaisingLate])
def test_no_exception_of_a_function_tells_of_a_reward(error, policy, monkeypatch):
    monkeypatch.setattr(Raising, "error", error)
    for reward in (0.0, 1.0):
        guarded = privcheck.guard(policy, epsilon=1.0, arms=2, noise="float")
        guarded.update(guarded.select(), reward)
        assert guarded.select() == 0


class Slow(Told):
    def update(self, action, reward):
        privcheck.feature(lambda number: sum(number for _ in range(10**9)), reward, 0.0, 1.0)


def test_an_interruption_passes(monkeypatch):
    guarded = privcheck.guard(Slow, epsilon=1.0, arms=2, noise="float")
    arm = guarded.select()
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(KeyboardInterrupt):
            guarded.update(arm, 1.0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def test_a_function_that_interrupts_by_itself_is_refused(monkeypatch):
    monkeypatch.setattr(Raising, "error", KeyboardInterrupt)
    for reward in (0.0, 1.0):
        guarded = privcheck.guard(Raising, epsilon=1.0, arms=2, noise="float")
        with pytest.raises(PrivcheckError, match="uses KeyboardInterrupt"):
            guarded.update(guarded.select(), reward)


class Warned(Told):
    def update(self, action, reward):
        with np.errstate(all="call", call=lambda *given: self.told.append(given)):
            privcheck.feature(lambda number: float(np.log(np.float64(0.5) - number)), reward, 0.0, 1.0)
        self.arm = int(len(self.told) > 0)


class WarnedByPython(Told):
    def update(self, action, reward):
        import warnings

        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            privcheck.feature(lambda number: float(np.log(np.float64(0.5) - number)), reward, 0.0, 1.0)
        self.arm = int(len(told) > 0)


@pytest.mark.parametrize("policy", [Warned, WarnedByPython])
def test_no_warning_of_numpy_tells_of_a_reward(policy):
    played = []
    for reward in (0.0, 1.0):
        guarded = privcheck.guard(policy, epsilon=1.0, arms=2, noise="float")
        guarded.update(guarded.select(), reward)
        played.append(guarded.select())
    assert played == [0, 0]


DISCRETE = "self.y = DiscreteLaplace(sensitivity=1, epsilon=1.0).release(privcheck.rounded(r), self.rng)"
GEOMETRIC = "a, b = (self.rng.geometric(0.6) for _ in 'ab')\nself.y = int(privcheck.rounded(r) + a - b)"


@pytest.mark.parametrize("act", [DISCRETE, pytest.param(GEOMETRIC, marks=pytest.mark.nightly)], ids=["drawn", "added"])
@pytest.mark.parametrize("budget", [{"rho": 1.0}, {"mu": 2.0}, {"epsilon": 2.0, "delta": 1e-5}], ids=str)
def test_integers_are_certified_in_every_notion(act, budget, tmp_path):
    assert certificate(programs.program("bandit", act), tmp_path, **({"epsilon": None} | budget)).granted


def test_integers_that_cost_more_than_the_budget_contradict_it():
    one = RecordedRelease(DiscreteLaplace.with_scale(1.0), np.array(3), np.array(3))
    claim = Claim(epsilon=None, rho=0.47)  # one step costs 0.4621, two cost more
    assert list(above_budget([one], [np.array(4)], claim, None)) == []
    assert list(above_budget([one], [np.array(5)], claim, None))


def test_what_cannot_be_hashed_is_no_function(tmp_path):
    before = "TABLE = memoryview(bytearray(4))\ndef f(x): return x + TABLE[0]"
    act = "w = privcheck.feature(f, r, 0, 1)\nself.y = self.noise.release(w, self.rng)"
    assert certificate(programs.program("bandit", act, before=before), tmp_path).granted


LISTS = {
    "release": "self.y = released(self, {}, {})",
    "clip": "self.y = released(self, privcheck.clip({}, 0.0, 1.0).sum(), {})",
    "feature": "self.y = released(self, privcheck.feature(lambda x: x * x, {}, 0.0, 1.0).sum(), {})",
}


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("form", ["list(r)", "np.array(list(r))"])
def test_lists_of_rewards_are_taken_as_arrays(name, form, tmp_path):
    found = certificate(programs.program("batch", LISTS[name].format(form, 1.0)), tmp_path, "batch")
    assert (found.granted, found.ledger_epsilon, found.leaks) == (True, 1.0, [])
    assert not any("fresh process" in note for note in found.notes)


@pytest.mark.parametrize("name", LISTS)
def test_a_reward_that_is_twice_in_a_list_is_charged_twice(name, tmp_path):
    twice = LISTS[name].format("[*r, *r]", 1.0)
    found = certificate(programs.program("batch", twice), tmp_path, "batch", epsilon=2.0)
    assert (found.granted, found.ledger_epsilon) == (True, 2.0)
    assert certificate(programs.program("batch", twice), tmp_path, "batch").refusals
