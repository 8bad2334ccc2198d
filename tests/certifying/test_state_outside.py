"""State that a policy keeps outside of itself: it makes no wrong certificate, and honest caches keep theirs."""

# ruff: noqa: NPY002  numpy's global generator is a part of that state

from __future__ import annotations

import re
from contextvars import copy_context
from pathlib import Path

import numpy as np
import pytest

import privcheck
from privcheck.certifying._guard import guarded
from privcheck.certifying._outside.state_apart import Separated, from_clean
from privcheck.errors import PrivcheckError
from privcheck.reached_state import Kept

pytestmark = pytest.mark.long

HERE = Path(__file__).parent
CONTEXTS = privcheck.Contexts(shape=(2, 2), norm=1.0)
JOINT = {"feedback": "contextual", "neighbours": "context-reward", "contexts": CONTEXTS}


def names(file: str, base: str) -> list[str]:
    """Return the classes of a file that derive from one of its classes."""
    found = re.findall(r"^class (\w+)\((\w+)\)", (HERE / file).read_text(encoding="utf-8"), re.M)
    return [name for name, parent in found if parent == base]


MEMOS, REMEMBERING = names("memos.py", "Memo"), names("remembering.py", "Remembering")
HONEST = re.findall(r"\w+", (HERE / "honest_caches.py").read_text(encoding="utf-8").split("KINDS = [")[1].split("]")[0])
REFUSED_WHEN_BUILT = {"Count": "count", "Destructor": "__del__"}
REFUSED_BY_THE_GUARD = REFUSED_WHEN_BUILT | {"Exceptions": "the attribute f_locals"}
REFUSED_WHEN_CALLED = ("InMemoryFile", "LabelEncoder", "Counter", "FromPython")
SAID = "not a function of one number|that is not put back"
SAME_WITHOUT_THE_GUARD = {"Destructor", "CachedInATuple"}


def contexts(sign: float) -> list[np.ndarray]:
    """Return contexts of seven rounds; the first has this sign in its first entry."""
    rng = np.random.default_rng(3)
    drawn = [rng.uniform(-0.6, 0.6, (2, 2)) for _ in range(7)]
    drawn[0][0, 0] = 0.5 * sign
    return drawn


def played(policy: object, sign: float) -> list[int]:
    """Return the actions of the rounds after the first, on contexts whose first one has this sign."""
    actions = []
    for context in contexts(sign):
        actions.append(policy.select(context))
        policy.update(context, actions[-1], 0.5)
    return actions[1:]


def test_there_are_enough_of_each() -> None:
    assert len(MEMOS) >= 30
    assert len(REMEMBERING) >= 15
    assert len(HONEST) * 2 >= 40


@pytest.mark.parametrize("name", MEMOS)
def test_a_memo_of_contexts_is_not_granted(memos, name) -> None:
    if name in REFUSED_WHEN_BUILT:
        with pytest.raises(PrivcheckError, match=REFUSED_WHEN_BUILT[name]):
            privcheck.certify(getattr(memos, name), epsilon=1.0, arms=2, horizon=8, runs=3, **JOINT)
        return
    found = privcheck.certify(getattr(memos, name), epsilon=1.0, arms=2, horizon=8, runs=3, **JOINT)
    assert not found.granted


@pytest.mark.filterwarnings("ignore:.* is guarded provided that:RuntimeWarning")
@pytest.mark.parametrize("name", [name for name in MEMOS if name not in REFUSED_BY_THE_GUARD])
def test_the_guard_undoes_what_select_keeps(memos, name) -> None:
    """With the same coins, the actions of all later rounds are the same on neighbours."""
    cls = getattr(memos, name)
    options = {"rewards": (0.0, 1.0), "neighbours": "context-reward", "contexts": CONTEXTS, "accountants": None}
    budget = {"epsilon": 1.0, "delta": 0.0, "rho": None, "mu": None}
    with from_clean(cls) as build:
        under = [
            played(
                guarded(
                    build, budget, options, "contextual", 2, "float", np.random.default_rng(1), np.random.default_rng(2)
                ),
                sign,
            )
            for sign in (1.0, -1.0)
        ]
    assert under[0] == under[1]


@pytest.mark.parametrize("name", MEMOS)
def test_a_memo_leaks_without_the_guard(memos, name) -> None:
    cls = getattr(memos, name)
    with from_clean(cls) as build:
        alone = [copy_context().run(played, build(np.random.default_rng(2)), sign) for sign in (1.0, -1.0)]
    if name not in SAME_WITHOUT_THE_GUARD:
        assert alone[0] != alone[1]


@pytest.mark.parametrize("name", sorted(REFUSED_BY_THE_GUARD))
def test_what_cannot_be_put_back_is_refused_when_the_guard_is_built(memos, name) -> None:
    with pytest.raises(PrivcheckError, match=REFUSED_BY_THE_GUARD[name]):
        privcheck.guard(getattr(memos, name), epsilon=1.0, arms=2, **JOINT)


@pytest.mark.parametrize("name", REMEMBERING)
def test_a_function_that_remembers_is_not_granted(remembering, name, monkeypatch, tmp_path) -> None:
    monkeypatch.chdir(tmp_path)
    target = f"{HERE / 'remembering.py'}:{name}" if name == "WorkingFolder" else getattr(remembering, name)
    if name in REFUSED_WHEN_CALLED:
        with pytest.raises(PrivcheckError, match="a function of one number"):
            privcheck.certify(target, epsilon=1.0, arms=2, horizon=16, runs=4)
        return
    found = privcheck.certify(target, epsilon=1.0, arms=2, horizon=16, runs=4)
    assert not found.granted
    assert found.contradictions or found.replay.divergences or re.search(SAID, found.notes[0])


def test_a_note_names_what_the_function_changes(remembering) -> None:
    found = privcheck.certify(remembering.RunningMaximum, epsilon=1.0, arms=2, horizon=8, runs=2)
    assert found.notes[0] == "scaled changes self.top: it is not a function of one number"


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_cache_keeps_its_certificate(honest_caches, name) -> None:
    choosing = privcheck.certify(honest_caches.CHOOSING[name], epsilon=1.0, arms=2, horizon=8, runs=2, **JOINT)
    scaling = privcheck.certify(honest_caches.SCALING[name], epsilon=1.0, arms=2, horizon=12, runs=3)
    assert choosing.granted, str(choosing)
    assert scaling.granted, str(scaling)


def test_what_a_certificate_rests_on_is_said(honest_caches) -> None:
    found = privcheck.certify(honest_caches.CHOOSING["Logs"], epsilon=1.0, arms=2, horizon=8, runs=2, **JOINT)
    assert found.provided == "provided that the global LOG (Logger) does not change"
    assert found.provided in str(found)
    scaling = privcheck.certify(honest_caches.SCALING["Dictionary"], epsilon=1.0, arms=2, horizon=8, runs=2)
    assert scaling.rests_on["globals that are read, and put back"] == ["honest_caches.SQUARES"]
    assert privcheck.certify("adap-ucb", epsilon=1.0, arms=2, horizon=8, runs=2).rests_on == {}


def test_state_is_left_as_it_was(memos) -> None:
    memos.FIRST.clear()
    memos.FIRST["other"] = 1.0
    before = Kept([memos.ModuleDictionary])
    privcheck.certify(memos.ModuleDictionary, epsilon=1.0, arms=2, horizon=8, runs=2, **JOINT)
    assert before.changed() == ""
    assert memos.FIRST == {"other": 1.0}


def test_caches_are_put_back_with_their_entries_and_counters(honest_caches) -> None:
    honest_caches.cached_square(0.25)
    before = honest_caches.cached_square, honest_caches.cached_square.cache_info()
    privcheck.certify(honest_caches.CHOOSING["LruCache"], epsilon=1.0, arms=2, horizon=8, runs=2, **JOINT)
    assert (honest_caches.cached_square, honest_caches.cached_square.cache_info()) == before


def test_global_generators_go_on_as_if_select_had_drawn_nothing(memos) -> None:
    policy = privcheck.guard(memos.ModuleGenerator, epsilon=1.0, arms=2, noise="float", **JOINT)
    before = memos.MODULE_GENERATOR.bit_generator.state, np.random.get_state()[1].tolist()
    policy.select(contexts(1.0)[0])
    assert memos.MODULE_GENERATOR.bit_generator.state == before[0]
    assert np.random.get_state()[1].tolist() == before[1]


def test_a_replay_draws_the_coins_of_the_guard() -> None:
    """The coins of global generators in `select` are the same in a plain replay as under the guard of `certify`."""

    class Coin:
        def select(self, context):
            return np.random.random()

        def update(self, *told):
            pass

    assert Separated(Coin()).select(None) == Separated(Coin()).select(None) != np.random.random()
