"""Forty bandits that leak, in many styles: each gets a patch, which learns as before when privacy costs nothing."""

from __future__ import annotations

import ast
import inspect
import random
import sys
import types
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from privcheck.fixing._look import Setting, look
from privcheck.fixing._search import other, search
from privcheck.fixing._source_text import SourceText

pytestmark = pytest.mark.long

HERE = Path(__file__).parent
BANDITS = {
    node.name: file
    for file in sorted(HERE.glob("leaky_*.py"))
    for node in ast.parse(file.read_text("utf-8")).body
    if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
}

LOOKS = 8
"""Few, so that the test is quick: the universal edits, and the cheapest others."""


@cache
def found(name):
    return search(SourceText.read(BANDITS[name]), name, Setting(), looks=LOOKS)


def test_there_are_forty():
    assert len(BANDITS) == 40


@pytest.mark.parametrize("name", BANDITS)
def test_each_gets_a_patch_that_holds_in_a_third_setting(name):
    answer = found(name)
    assert answer.finding is not None
    assert answer.patches
    text, place = answer.patches[0].text, BANDITS[name]
    assert look(text, name, Setting(epsilon=0.3, arms=4, horizon=160, runs=1, seed=7), place) is None
    assert look(text, name, other(Setting(seed=5)), place) is None


def pulls(text, name, good, epsilon=1e3, rounds=400):
    """Return the share of pulls of an arm that always pays, beside one that never does, at next to no privacy."""
    module = types.ModuleType("privcheck_target_of_a_test")
    random.seed(3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, module.__name__, module)
        exec(compile(text, "of_a_test.py", "exec"), module.__dict__)
        keywords = {"arms": 2, "epsilon": epsilon, "horizon": rounds}
        names = set(inspect.signature(getattr(module, name)).parameters)
        policy = getattr(module, name)(np.random.default_rng(4), **{k: v for k, v in keywords.items() if k in names})
        played = []
        for _ in range(rounds):
            played.append(policy.select())
            policy.update(played[-1], float(played[-1] == good))
    return sum(arm == good for arm in played) / rounds


@pytest.mark.parametrize("name", BANDITS)
def test_a_patch_plays_what_the_rewards_say(name):
    """Twins that a certificate does not see: a policy that never learns, and noise of a thousand times the scale.

    Some patches stop learning, which their regret shows; one at least does not.
    """
    original = BANDITS[name].read_text("utf-8")
    before = min(pulls(original, name, good) for good in (0, 1))
    after = [min(pulls(patch.text, name, good) for good in (0, 1)) for patch in found(name).patches]
    assert max(after) >= min(0.6, before - 0.15), (before, after)


def test_the_twins_would_be_noticed():
    text = BANDITS["PlainUcb"].read_text("utf-8")
    first = "        for arm in range(self.arms):\n            if self.plays"
    constant = text.replace(first, f"        return 0\n{first}", 1)
    assert min(pulls(constant, "PlainUcb", good) for good in (0, 1)) == 0.0
    (noisy,) = [p.text for p in found("PlainUcb").patches if [e.name for e in p.edits] == ["noisy-rewards"]]
    loud = noisy.replace("1.0 / self.epsilon))", "1e6 / self.epsilon))")
    assert loud != noisy
    assert look(loud, "PlainUcb", Setting(), BANDITS["PlainUcb"]) is None
    assert min(pulls(loud, "PlainUcb", good) for good in (0, 1)) < 0.6
