"""Programs that tell wrapped rewards from ordinary ones are not granted; noise that is drawn twice is noticed.

Without the guard each of them plays by a raw reward, which is checked by playing them; under it none does.
"""

from __future__ import annotations

import importlib.util
import threading
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import privcheck
from privcheck.certifying import _certify as certifying
from privcheck.certifying._outside import same_path
from privcheck.reached_state import Kept

pytestmark = pytest.mark.long


def loaded(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


programs = loaded(Path(__file__).with_name("wrapper_programs.py"), "wrapper_programs")
CONTEXTS = privcheck.Contexts(shape=(2, 2), norm=1.0)
JOINT = {"feedback": "contextual", "neighbours": "context-reward", "contexts": CONTEXTS}
QUICK = {
    "an unbound comparison", "json with a default", "a comparison of a float", "repr", "a seed", "a copy",
    "a state put back", "isclose", "a grandchild", "a missing key", "a lock", "coins",
}  # fmt: skip


def cases(table: dict[str, object]) -> list[object]:
    """Return the names of programs; all but a few are left to `make evidence`."""
    return [name if name in QUICK else pytest.param(name, marks=pytest.mark.nightly) for name in table]


def certificate(text: str, folder: Path, **options: object) -> object:
    (folder / "policy.py").write_text(text, encoding="utf-8")
    options = {"epsilon": 1.0, "arms": 2, "horizon": 6, "runs": 3} | options
    return privcheck.certify(f"{folder / 'policy.py'}:Policy", **options)


def arms_after(text: str, folder: Path, reward: float, runs: int = 40) -> list[int]:
    """Return the arms that the code alone plays after one reward."""
    (folder / "alone.py").write_text(text, encoding="utf-8")
    policy, played = loaded(folder / "alone.py", "alone").Policy, []
    for seed in range(runs):
        one = policy(np.random.default_rng(seed))
        one.update(one.select(), reward)
        played.append(one.select())
    return played


@pytest.mark.parametrize("name", [*programs.FAILING, *programs.DECLINED, *programs.SHOWN])
def test_the_code_alone_plays_by_a_raw_reward(name, tmp_path):
    text = programs.reading((programs.FAILING | programs.DECLINED | programs.SHOWN)[name])
    assert all(arms_after(text, tmp_path, 0.37))
    assert not all(arms_after(text, tmp_path, 0.36))


@pytest.mark.parametrize("name", cases(programs.FAILING))
def test_an_error_of_wrapped_rewards_alone_is_named(name, tmp_path):
    found = certificate(programs.reading(programs.FAILING[name]), tmp_path)
    assert (found.granted, found.epsilon_upper, found.leaks) == (False, 1.0, [])
    assert "policy.py:17 in Policy.update" in found.notes[0]
    assert "with wrapped rewards alone" in found.notes[0]


@pytest.mark.parametrize("name", cases(programs.DECLINED))
def test_a_comparison_with_a_number_that_the_code_names_is_tried(name, tmp_path):
    found = certificate(programs.reading(programs.DECLINED[name]), tmp_path)
    assert (found.granted, found.notes) == (False, [same_path.ACTIONS])


@pytest.mark.parametrize("name", cases(programs.SHOWN))
def test_texts_of_rewards_are_printed_as_a_condition(name, tmp_path):
    found = certificate(programs.reading(programs.SHOWN[name]), tmp_path)
    assert found.leaks == []
    assert found.rests_on[certifying.TEXTS] == ["policy.py:17"]


def test_a_text_that_is_only_logged_is_granted_on_a_condition(tmp_path):
    text = programs.releasing(
        "self.log = []", "self.log.append(repr(reward)); y = self.noise.release(reward, self.rng)"
    )
    found = certificate(text, tmp_path)
    assert (found.granted, found.rests_on) == (True, {certifying.TEXTS: ["policy.py:16"]})


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
@pytest.mark.parametrize("name", cases(programs.LEAKING))
def test_other_readings_are_leaks(name, tmp_path):
    found = certificate(programs.reading(programs.LEAKING[name]), tmp_path)
    assert (found.granted, {leak.line for leak in found.leaks}) == (False, {17})


@pytest.mark.parametrize("name", cases(programs.FOLLOWED))
def test_a_reading_that_is_kept_as_a_private_number_leaks_where_it_decides(name, tmp_path):
    found = certificate(programs.reading(programs.FOLLOWED[name]), tmp_path)
    assert (found.granted, {leak.line for leak in found.leaks}) == (False, {20})


@pytest.mark.parametrize("name", cases(programs.KNOWN_NOISE))
def test_noise_that_starts_where_other_noise_did_is_noticed(name, tmp_path):
    found = certificate(programs.releasing(*programs.KNOWN_NOISE[name]), tmp_path, runs=6)
    assert not found.granted
    assert "policy.py:16: the noise of this release" in found.notes[0]


@pytest.mark.parametrize("name", cases(programs.TAKEN_ON_TRUST))
def test_what_is_believed_of_generators_is_printed(name, tmp_path):
    found = certificate(programs.releasing(*programs.TAKEN_ON_TRUST[name]), tmp_path)
    ((kind, lines),) = found.rests_on.items()
    assert "Generator" in kind
    assert lines == ["policy.py:16"]


@pytest.mark.parametrize("name", cases(programs.PRIVATE))
def test_private_programs_are_granted_without_a_condition(name, tmp_path):
    found = certificate(programs.releasing(*programs.PRIVATE[name]), tmp_path, runs=4)
    assert (found.granted, found.notes, found.rests_on) == (True, [], {})


def test_without_the_comparison_of_ways_the_certificate_is_wrong(tmp_path, monkeypatch):
    monkeypatch.setattr(certifying, "other_ways", lambda *arguments: [])
    assert certificate(programs.reading(programs.FAILING["json"]), tmp_path).granted


def after_a_rare_context(text: str, folder: Path, entry: float) -> list[int]:
    """Return the actions of a guarded policy in the rounds after the first, in which a context has this entry."""
    (folder / "guarded.py").write_text(text, encoding="utf-8")
    build = loaded(folder / "guarded.py", "guarded_program").Policy
    policy = privcheck.guard(build, epsilon=1.0, arms=2, noise="float", rng=np.random.default_rng(1), **JOINT)
    rng, actions = np.random.default_rng(5), []
    for number in range(4):
        context = rng.uniform(-0.6, 0.6, (2, 2))
        if number == 0:
            context[0, 0] = entry
        actions.append(policy.select(context))
        policy.update(context, actions[-1], 0.0)
    return actions[1:]


@pytest.mark.parametrize("name", programs.PUT_BACK)
def test_what_select_keeps_outside_is_put_back(name, tmp_path):
    text = programs.remembering(*programs.PUT_BACK[name])
    assert after_a_rare_context(text, tmp_path, 0.1235) == after_a_rare_context(text, tmp_path, -0.4)


@pytest.mark.parametrize("name", cases(programs.OUTSIDE))
def test_what_is_not_put_back_is_printed(name, tmp_path):
    *text, printed = programs.OUTSIDE[name]
    found = certificate(programs.remembering(*text), tmp_path, **JOINT)
    assert any(printed in words for kind, names in found.rests_on.items() if "put back" not in kind for words in names)


def test_a_reentrant_lock_is_released_as_often_as_it_was_acquired():
    lock = threading.RLock()

    def acquire():
        lock.acquire()

    def release():
        lock.release()

    kept = Kept([acquire])
    acquire()
    kept.put_back()
    assert not lock._is_owned()
    lock.acquire()
    kept = Kept([release])
    release()
    kept.put_back()
    assert lock._is_owned()
    lock.release()
