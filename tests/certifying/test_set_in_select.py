"""What a contextual `select` sets is lost under the guard: code whose noise depends on it is not what was certified."""

import pytest

import privcheck
from tests.certifying.translated_programs import loaded

POLICY = """\
import numpy as np

import privcheck


class Policy:
    def __init__(self, rng, arms=2):
        self.rng, self.t, self.calls, self.last, self.sum, self.stale, self.cached = rng, 0, 0, 0, 0.0, False, 0.0

    def counted(self, x):
        self.calls += 1
        return x

    def select(self, context):
        {select}
        return int(self.sum > 40.0)

    def update(self, context, action, reward):
        {update}
"""

COUNTS, PLAYS = "self.t += 1", "self.last = int(context[0] > 0.0)"
DEPENDS = {
    "the scale on a count": (COUNTS, "self.sum += float(reward + self.rng.laplace(0.0, 2.0 / (1 + self.t)))"),
    "the scale on its action": (PLAYS, "self.sum += float(reward + self.rng.laplace(0.0, 1.0 + 20 * self.last))"),
    "the scale of normal noise": (COUNTS, "self.sum += float(reward + self.rng.normal(0.0, 4.0 / (1 + self.t)))"),
    "the scale of a noisy maximum": (
        COUNTS,
        "self.sum += int(np.argmax(privcheck.one_hot(action, 2) + self.rng.gumbel(0.0, 4.0 / (1 + self.t), 2)))",
    ),
    "a factor of the noise": (COUNTS, "self.sum += float(reward + self.rng.laplace() * 2.0 / (1 + self.t))"),
    "the chance of an answer": (
        COUNTS,
        "self.sum += float(np.where(self.rng.random() < 1 - 0.4 / (1 + self.t), reward > 0.5, reward <= 0.5))",
    ),
    "the scale on calls of a function of one number": (
        "pass",
        "x = privcheck.feature(self.counted, reward, 0.0, 1.0)\n"
        "        self.sum += float(x + self.rng.laplace(0.0, 2.0 / (1 + self.calls)))",
    ),
}
RIGHT = {
    "nothing": (f"{COUNTS}; {PLAYS}", "self.sum += float(reward + self.rng.laplace())"),
    "a cache of what was released": (
        "self.cached, self.stale = (2 * self.sum, False) if self.stale else (self.cached, False)",
        "self.sum += float(reward + self.rng.laplace()); self.stale = True",
    ),
    "the chance of an answer": (
        COUNTS,
        "self.sum += float(np.where(self.rng.random() < 0.7, reward > 0.5, reward <= 0.5))",
    ),
}


def certified(code, folder):
    module = loaded(POLICY.format(select=code[0], update=code[1]), folder)
    budget = {"mu": 1.0} if "normal" in code[1] else {"epsilon": 1.0}
    contexts = privcheck.Contexts(shape=(2,))
    return privcheck.certify(module, **budget, arms=2, feedback="contextual", contexts=contexts, horizon=5, runs=2)


@pytest.mark.parametrize("name", DEPENDS)
def test_what_depends_on_it_is_not_granted(name, tmp_path):
    found = certified(DEPENDS[name], tmp_path)
    assert found.coverage == "all-executions-under-guard" or found.replay.divergences
    assert not found.granted


@pytest.mark.parametrize("name", RIGHT)
def test_what_does_not_is_granted_without_a_condition(name, tmp_path):
    found = certified(RIGHT[name], tmp_path)
    assert found.granted, str(found)
    assert not found.provided


NOISED = "self.sum += float(reward + self.rng.laplace())"
COUNTED = {
    "turns": (f"{COUNTS}; return self.t % 2", NOISED),
    "a bonus": (f"{COUNTS}; return int(context[0] + 2.0 * self.t > 2.0)", NOISED),
    "a shrinking coin": ("self.last = 0.9 * (self.last or 1.0); return int(self.rng.random() < self.last)", NOISED),
}


@pytest.mark.parametrize("name", COUNTED)
def test_a_count_of_rounds_is_no_divergence(name, tmp_path):
    """It is the same on all streams, and lost under the guard: the two runs of a replay lose it alike."""
    found = certified(COUNTED[name], tmp_path)
    assert (found.replay.divergences, found.granted) == (0, False)
    place = "t" if COUNTS in COUNTED[name][0] else "last"
    assert f"what select() sets (Policy.{place}) is lost under the guard, and without it the code does" in str(found)


CARRIES = {
    "the largest entry": "self.last = max(self.last, abs(context[0])); return int(self.sum > 40.0 + 1e-6 * self.last)",
    "a running mean": "self.t += 1; self.last += (context[1] - self.last) / self.t; return int(self.sum > self.last)",
    "what is set once": (
        "if not hasattr(self, 'first'): self.first = context[0]\n"
        "        return int(self.sum > 40.0 + 1e-6 * self.first)"
    ),
    "a count of signs": "self.calls += context[0] > 0; return int(self.sum > 40.0 + 1e-6 * self.calls)",
    "a threshold that decays": "self.last = 0.9 * self.last + 0.1 * context[0]; return int(self.sum > 50 + self.last)",
}
OF_THIS_ROUND = {
    "the largest entry": "self.last = max(0.0, abs(context[0])); return int(self.sum > 40.0 + 1e-6 * self.last)",
    "a score": "self.last = context[0] * self.sum; return int(self.last > 40.0)",
    "its action": "self.last = int(context[0] > 0.0); return self.last",
}


@pytest.mark.parametrize("name", CARRIES)
def test_a_context_that_a_number_carries_to_later_rounds_is_named(name, tmp_path):
    found = certified((CARRIES[name], NOISED), tmp_path)
    assert (found.granted, found.complete) == (False, False)
    assert "depends on contexts of earlier rounds: it is lost under the guard" in str(found)
    assert found.epsilon_upper == pytest.approx(1.0), "under the guard it is lost"


@pytest.mark.parametrize("name", OF_THIS_ROUND)
def test_what_select_computes_anew_in_each_round_is_none(name, tmp_path):
    assert certified((OF_THIS_ROUND[name], NOISED), tmp_path).granted


KEPT_ALONE = "what select() sets, which the guard drops and code alone keeps"
PERSISTS = {
    "a text": "self.word = 'up' if context[0] > 0 else 'down'; return int(self.sum > 40.0)",
    "what was nothing": "self.word = context[0] if self.word is None else self.word; return int(self.sum > 40.0)",
    "the context before": "old, self.last = self.last, context[0]; return int(self.sum > 40.0 + 1e-6 * old)",
    "a list that grows": "self.seen.append(context[0] > 0); return int(self.sum > 40.0)",
    "a set": "self.signs.add(context[0] > 0); return int(self.sum > 40.0)",
    "an attribute of another object": "self.box.held = bool(context[0] > 0); return int(self.sum > 40.0)",
}


@pytest.mark.parametrize("name", PERSISTS)
def test_whatever_select_sets_is_named(name, tmp_path):
    made = "self.word, self.seen, self.signs, self.box = None, [], set(), type('Box', (), {{}})()\n"
    policy = POLICY.replace("        self.rng,", f"        {made}        self.rng,")
    module = loaded(policy.format(select=PERSISTS[name], update=NOISED), tmp_path)
    contexts = privcheck.Contexts(shape=(2,))
    options = {"arms": 2, "feedback": "contextual", "contexts": contexts, "horizon": 5, "runs": 2}
    found = privcheck.certify(module, epsilon=1.0, **options)
    assert found.granted == (name not in ("what was nothing", "a list that grows")), "numbers of these are compared"
    assert len(found.rests_on[KEPT_ALONE]) == 1, str(found)


def test_what_sets_nothing_has_no_such_condition(tmp_path):
    found = certified(("return int(context[0] > 0.0)", NOISED), tmp_path)
    assert found.granted
    assert KEPT_ALONE not in found.rests_on
