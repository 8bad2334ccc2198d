"""Lines that never ran and keep a released reward from being forgotten, or change what other code reads."""

from __future__ import annotations

import textwrap

import pytest

from privcheck import certify

HEAD = """\
import collections
import contextlib
import functools
import heapq
import types

import numpy as np


class Skipped(Exception):
    pass


class Ended:
    def __init__(self, policy):
        self.policy = policy

    def __enter__(self):
        pass

    def __exit__(self, *error):
        self.policy.total = 0.0


class On:
    def end(self, policy):
        policy.total = 0.0


class Off:
    def end(self, policy):
        pass


class Scale:
    def __init__(self, base):
        self.base = base

    def METHOD(self, *arguments):
        return self.base


class Policy:
    def __init__(self, rng):
        self.rng, self.arm, self.total, self.last, self.skipped, self.b = rng, 0, 0.0, 0.0, 0, 1.0
        self.means, self.sums, self.kept, self.history = [0.5, 0.5], [0.0, 0.0], [[], []], []
        self.base, self.source, self.widths = 1.0, {"b": 1.0}, [1.0, 1.0]
        HELD

    def select(self):
        return self.arm

    def forget(self):
        self.total = 0.0

    def forget_later(self):
        if self.last > 1e6:
            return
        self.total = 0.0

    def nothing(self):
        pass

    def width(self):
        return self.base

    def widths_for_ever(self):
        while True:
            yield self.base

    def learn(self, reward):
        self.total += reward
        noisy = float(self.total + self.rng.laplace(0.0, 1.0))
        if noisy > 1e6:
            raise Skipped
        self.total = 0.0
        return noisy

    def update(self, action, reward):
        n = 0.0
        BODY
        self.arm = int(n > 0.5)
"""
NOISED = "n = float(self.total + self.rng.laplace(0.0, 1.0))\n"
TOTAL = f"self.total += reward\n{NOISED}"
RARE = "if n > 1e6:\n    LINE\n"
LIST = "self.kept[0].append(reward)\nn = float(sum(self.kept[0]) + self.rng.laplace(0.0, 1.0))\n"
ARMS = "self.kept[action].append(reward)\nn = float(sum(self.kept[action]) + self.rng.laplace(0.0, 1.0))\n"


def lines(body, line, folder, held="pass", method="nothing"):
    indented = textwrap.indent(body.replace("LINE", line), " " * 8).lstrip()
    file = folder / "policy.py"
    text = HEAD.replace("HELD", held.replace("\n", "\n        ")).replace("METHOD", method)
    file.write_text(text.replace("BODY", indented), encoding="utf-8")
    found = certify(f"{file}:Policy", epsilon=1.0, arms=2, horizon=6, runs=2)
    assert (found.leaks, found.refusals) == ([], [])
    assert found.granted == (not found.unreached)
    return [unreached.text for unreached in found.unreached]


LEFT = [
    (f"{LIST}{RARE}self.kept[0].clear()", "return"),
    (f"{LIST}{RARE}del self.kept[0][:]", "return"),
    (f"{LIST}{RARE}self.kept[0][:] = []", "return"),
    (f"{LIST}{RARE}self.kept[0].pop()", "return"),
    (f"{LIST}{RARE}self.kept[0] = []", "return"),
    (f"self.last = n\n{TOTAL}self.forget_later()", "return"),
    ("try:\n    n = self.learn(reward)\nexcept Skipped:\n    LINE", "self.skipped += 1"),
    (
        f"{TOTAL}for _ in range(1):\n    if n > 1e6:\n        LINE\n        break\n    self.total = 0.0",
        "self.skipped += 1",
    ),
]


@pytest.mark.parametrize(("body", "line"), LEFT)
def test_what_leaves_before_a_reward_is_forgotten_is_listed(body, line, tmp_path):
    assert line in lines(body, line, tmp_path)


OFF = [
    ("pass", "self.forget()", "self.forget = lambda: None"),
    ("self.after = self.forget", "self.after()", "self.after = self.nothing"),
    ("self.hooks = [self.forget]", "for hook in self.hooks:\n    hook()", "self.hooks.clear()"),
    ("self.hooks = {'end': self.forget}", "self.hooks['end']()", "self.hooks['end'] = self.nothing"),
    ("self.k = 0; self.hooks = [self.forget, self.nothing]", "self.hooks[self.k]()", "self.k = 1"),
    ("self.end = 'forget'", "getattr(self, self.end)()", "self.end = 'nothing'"),
    ("self.state = On()", "self.state.end(self)", "self.state = Off()"),
    ("self.ended = Ended(self)", "with self.ended:\n    pass", "self.ended = contextlib.nullcontext()"),
]


@pytest.mark.parametrize(("held", "forgotten", "line"), OFF)
def test_what_lets_another_function_than_the_one_that_forgets_be_called_is_listed(held, forgotten, line, tmp_path):
    assert line in lines(f"{TOTAL}{forgotten}\n{RARE}", line, tmp_path, held)


SHARED = [
    (f"{ARMS}self.kept[action] = []\nself.history.append(n)\n{RARE}", "self.kept = [self.history, self.history]"),
    (f"{ARMS}self.kept[action] = []\n{RARE}", "self.kept = [[]] * 2"),
    (f"{ARMS}self.kept[action] = []\n{RARE}", "self.kept = dict.fromkeys([0, 1], [])"),
    (f"{ARMS}self.kept[action] = []\n{RARE}", "new = []; self.kept = [new, new]"),
    (
        "self.sums[action] += reward\nn = float(self.sums[action] + self.rng.laplace(0.0, 1.0))\n"
        f"self.sums[action] = 0.0\nself.means[action] = n\nself.last = max(self.means)\n{RARE}",
        "self.sums = self.means",
    ),
    (
        "new = [] if self.last < 1e6 else (\n    LINE\n)\nnew.append(reward)\n"
        "n = float(sum(new) + self.rng.laplace(0.0, 1.0))\nself.history.append(n)\nself.last = n\n",
        "self.history",
    ),
]


@pytest.mark.parametrize(("body", "line"), SHARED)
def test_a_place_of_rewards_that_something_else_holds_too_is_listed(body, line, tmp_path):
    assert lines(body, line, tmp_path) == [line]


SCALES = [
    ("__call__", "self.scale()"),
    ("__float__", "float(self.scale)"),
    ("__mul__", "self.scale * 1.0"),
    ("__getitem__", "self.scale[0]"),
    ("__next__", "next(self.scale)"),
    ("__getattr__", "self.scale.breadth"),
]


@pytest.mark.parametrize(("method", "scale"), SCALES)
def test_what_a_special_method_reads_that_gives_a_scale_is_listed(method, scale, tmp_path):
    body = f"{TOTAL}self.total = 0.0\n{RARE}".replace("laplace(0.0, 1.0", f"laplace(0.0, {scale}")
    held, line = "self.scale = Scale(1.0)", "self.scale.base = 0.1"
    assert lines(body, line, tmp_path, held, method) == [line]


READ = [
    ("self.read = self.width", "self.read()", "self.base = 0.1"),
    ("self.read = [self.width]", "self.read[0]()", "self.base = 0.1"),
    ("self.read = lambda: self.base", "self.read()", "self.base = 0.1"),
    ("self.read = self.widths_for_ever()", "next(self.read)", "self.base = 0.1"),
    ("self.read = [self.source]", "self.read[0]['b']", "self.source['b'] = 0.1"),
    ("self.read = types.MappingProxyType(self.source)", "self.read['b']", "self.source['b'] = 0.1"),
    ("pass", "max(map(Policy.width, [self]))", "self.base = 0.1"),
    ("pass", "getattr(self, 'base')", "self.base = 0.1"),
    ("self.read = np.rec.array([(1.0,)], names='b')", "self.read['b'][0]", "self.read.base.b = 0.1"),
    ("pass", "len(self.widths) / 2", "self.last = self.widths.pop()"),
    ("pass", "len(self.widths) / 2", "print(self.widths.pop())"),
    ("pass", "self.widths[0]", "self.last = heapq.heapreplace(self.widths, 0.1)"),
    ("pass", "self.source['b']", "change = self.source.update; change(b=0.1)"),
    ("pass", "self.source['b']", "return self.source.update(b=0.1)"),
    ("pass", "self.b", "self.rng.bit_generator.state = np.random.PCG64(0).state"),
    ("pass", "self.b", "self.__class__ = Policy"),
]


@pytest.mark.parametrize(("held", "scale", "line"), READ)
def test_what_is_read_through_something_else_is_listed(held, scale, line, tmp_path):
    body = f"{TOTAL}self.total = 0.0\n{RARE}".replace("laplace(0.0, 1.0", f"laplace(0.0, {scale}")
    assert lines(body, line, tmp_path, held) == [line]


ANSWER = "float(self.kept[0][0] + self.rng.laplace(0.0, 1.0))"
MEMOS = [
    (f"try:\n    n = self.memo[0]\nexcept KeyError:\n    n = self.memo[0] = {ANSWER}\n", "self.memo.clear()"),
    (f"try:\n    n = self.answer\nexcept AttributeError:\n    n = self.answer = {ANSWER}\n", "del self.answer"),
    (f"if not hasattr(self, 'answer'):\n    self.answer = {ANSWER}\nn = self.answer\n", "del self.answer"),
    (f"if getattr(self, 'answer', None) is None:\n    self.answer = {ANSWER}\nn = self.answer\n", "self.answer = None"),
    (f"if (n := self.memo.get(0)) is None:\n    n = self.memo[0] = {ANSWER}\n", "self.memo = {}"),
]


@pytest.mark.parametrize(("asked", "line"), MEMOS)
def test_what_lets_an_answer_be_released_once_more_is_listed(asked, line, tmp_path):
    assert lines(f"self.kept[0].append(reward)\n{asked}{RARE}", line, tmp_path, "self.memo = {}") == [line]


DEEP = [
    ("types.SimpleNamespace(asks=[self.learn])", "self.held.asks[0](0.0)"),
    ("collections.UserDict(ask=self.learn)", "self.held['ask'](0.0)"),
    ("{'a': [{'b': [self.learn]}]}", "self.held['a'][0]['b'][0](0.0)"),
    ("types.MappingProxyType({'ask': self.learn})", "self.held['ask'](0.0)"),
]


@pytest.mark.parametrize(("held", "line"), DEEP)
def test_a_function_that_is_kept_deep_within_others_is_listed(held, line, tmp_path):
    body = f"try:\n    n = self.learn(reward)\nexcept Skipped:\n    self.total = 0.0\n{RARE}"
    assert line in lines(body, line, tmp_path, f"self.held = {held}")


RIGHT = [
    (f"{TOTAL}{RARE}self.total = 0.0", "self.last = self.base"),
    (f"if self.last > 1e6:\n    LINE\n{TOTAL}self.last = n\nself.total = 0.0", "return"),
    (f"try:\n    {TOTAL.replace(chr(10), chr(10) + '    ')}{RARE.replace(chr(10), chr(10) + '    ')}pass\n"
     "finally:\n    self.total = 0.0", "return"),
    (f"{TOTAL}self.total = 0.0\n{RARE}", "self.total = self.b"),
    (f"{ARMS}self.kept[action] = []\n{RARE}", "self.kept = [[], []]"),
    (f"{ARMS}self.kept[action] = []\n{RARE}", "self.kept = [[] for _ in range(2)]"),
    (f"{TOTAL}self.total = 0.0\n{RARE}", "self.last = self.means.pop()"),
    (f"{TOTAL}self.total = 0.0\n{RARE}", "self.means = self.history"),
    (f"{TOTAL}self.total = 0.0\n{RARE}", "self.source.update(b=0.1)"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "line"), RIGHT)
def test_what_changes_nothing_of_that_is_not_listed(body, line, tmp_path):
    assert lines(body, line, tmp_path) == []
