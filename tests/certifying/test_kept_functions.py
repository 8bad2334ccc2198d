"""Lines that never ran and reach what releases through a place where it is kept, or change how much is kept."""

from __future__ import annotations

import pytest

from privcheck import certify
from privcheck.certifying._observed_values import ObservedValues

HEAD = """\
import collections
import functools

import numpy as np

from privcheck.mechanisms import Laplace


def each(functions):
    return [function() for function in functions]


def forever(policy):
    while True:
        yield policy.ask()


class Answers:
    def __init__(self, policy):
        self.policy = policy

    def METHOD(self, *arguments):
        return self.policy.ask()

    def name(self):
        return "answers"


class Missing(dict):
    def __init__(self, policy):
        super().__init__()
        self.policy = policy

    def __missing__(self, key):
        return self.policy.ask()


class Policy:
    def __init__(self, rng):
        self.rng, self.arm, self.total, self.last, self.k, self.counts = rng, 0, 0.0, 0, 1, collections.defaultdict(int)
        self.means = collections.defaultdict(lambda: 0.0)
        self.mechanism = Laplace(sensitivity=1.0, epsilon=1.0)
        self.kept = KEPT

    def select(self):
        return self.arm

    def ask(self):
        return self.mechanism.release(self.total, self.rng)

    def index(self):
        return 0

    def get(self):
        return self.kept

    def update(self, action, reward):
        self.total = reward
        n = self.ask()
        REPEATED
        if n > 1e6:
            LINE
        self.total = 0.0
        self.arm = int(n > 0.5)
"""

RARELY = """\
        return self.policy.ask() if self.policy.last else None  # never: `last` stays 0

    def name"""

LISTED = [
    ("[self.ask]", "self.last = [ask() for ask in self.kept]"),
    ("[self.ask]", "self.last = self.kept[0]()"),
    ("[self.ask]", "self.last = each(self.kept)"),
    ("[self.ask]", "self.last = each(self.get())"),
    ("[self.ask]", "self.last = getattr(self, 'kept')[0]()"),
    ("self.ask", "self.last = self.kept()"),
    ("(0, ('ask', self.ask))", "self.last = self.kept[1][1]()"),
    ("{'ask': self.ask}", "self.last = self.kept['ask']()"),
    ("{'ask': self.ask}", "self.last = [ask() for ask in self.kept.values()]"),
    ("collections.deque([self.ask])", "self.last = self.kept.popleft()()"),
    ("functools.partial(Policy.ask, self)", "self.last = self.kept()"),
    ("lambda: self.ask()", "self.last = self.kept()"),
    ("[lambda: self.mechanism.release(self.total, self.rng)]", "self.last = self.kept.pop()()"),
    ("collections.defaultdict(self.ask)", "self.last = self.kept[self.k]"),
    ("iter([self.ask])", "self.last = next(self.kept)()"),
    ("map(lambda _: self.ask(), range(99))", "self.last = next(self.kept)"),
    ("iter(self.ask, 1.0)", "self.last = next(self.kept)"),
    ("forever(self)", "self.last = next(self.kept)"),
    ("(self.ask() for _ in range(99))", "self.last = next(self.kept)"),
    ("Missing(self)", "self.last = self.kept[self.k]"),
    ("np.frompyfunc(lambda x: self.ask(), 1, 1)", "self.last = self.kept(0)"),
    ("np.vectorize(lambda x: self.ask())", "self.last = self.kept(0)"),
    ("np.array([self.ask], dtype=object)", "self.last = self.kept[0]()"),
]
METHODS = [
    ("__call__", "self.last = self.kept()"),
    ("__iter__", "self.last = list(self.kept)"),
    ("__getitem__", "self.last = self.kept[0]"),
    ("__next__", "self.last = next(self.kept)"),
    ("__enter__", "with self.kept: pass"),
    ("__eq__", "self.last = self.kept == 3"),
    ("__add__", "self.last = self.kept + 3"),
    ("__radd__", "self.last = 3 + self.kept"),
    ("__bool__", "self.last = not self.kept"),
    ("__str__", "print(self.kept)"),
    ("__getattr__", "print(self.kept.answer)"),
    ("__setitem__", "self.kept[0] = 1"),
    ("__contains__", "self.last = 3 in self.kept"),
]
RIGHT = [
    ("[self.index]", "self.last = [ask() for ask in self.kept]"),
    ("[self.ask]", "self.last = self.index()"),
    ("[self.ask]", "print(n)"),
    ("[0, 1]", "self.last = self.kept.pop()"),
    ("[self.ask]", "self.counts[self.arm] += 1"),
    ("[self.ask]", "self.means[self.arm] += 1"),
    ("[self.ask]", "self.means.update({0: 1.0})"),
    ("iter([0, 1])", "print(n)"),
]


def certificate(kept, line, folder, method="answer", repeated="pass"):
    text = HEAD.replace("METHOD", method).replace("KEPT", kept)
    file = folder / "policy.py"
    file.write_text(text.replace("LINE", line).replace("REPEATED", repeated), encoding="utf-8")
    return certify(f"{file}:Policy", epsilon=1.0, arms=2, horizon=6, runs=2)


def lines(found):
    assert (found.leaks, found.refusals) == ([], [])
    return [unreached.text for unreached in found.unreached]


@pytest.mark.parametrize(("kept", "line"), LISTED)
def test_a_kept_function_that_releases_is_listed(kept, line, tmp_path):
    found = certificate(kept, line, tmp_path)
    assert (line in lines(found), found.granted) == (True, False)


@pytest.mark.parametrize(("method", "line"), METHODS)
def test_a_special_method_that_releases_is_listed(method, line, tmp_path):
    found = certificate("Answers(self)", line, tmp_path, method)
    assert (line in lines(found), found.granted) == (True, False)


@pytest.mark.parametrize(("kept", "line"), RIGHT)
def test_other_lines_are_not(kept, line, tmp_path):
    found = certificate(kept, line, tmp_path)
    assert (lines(found), found.granted) == ([], True)


def test_an_object_whose_end_releases_is_listed_where_it_is_given_up(tmp_path):
    text = HEAD.replace("METHOD", "__del__").replace("KEPT", "Answers(self)").replace("REPEATED", "pass")
    text = text.replace("        return self.policy.ask()\n\n    def name", RARELY).replace("LINE", "self.kept = None")
    file = tmp_path / "policy.py"
    file.write_text(text, encoding="utf-8")
    found = certify(f"{file}:Policy", epsilon=1.0, arms=2, horizon=6, runs=2)
    assert ("self.kept = None" in lines(found), found.granted) == (True, False)


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")
def test_what_has_begun_is_kept_code():
    async def answer():
        return 0

    async def answers():
        yield 0

    def numbers():
        yield 0

    seen = ObservedValues(lambda cls: False)
    for function in (answer, answers, numbers):
        assert seen.look([function()]).functions == {function.__code__}


def test_an_own_object_without_such_a_method_is_not_listed(tmp_path):
    found = certificate("Answers(self)", "print(self.kept.name(), self.kept)", tmp_path)
    assert (lines(found), found.granted) == ([], True)


def test_which_kept_function_is_called_is_followed(tmp_path):
    kept, repeated = "[self.ask, self.index]", "self.total = 0.0; self.kept[self.k]()"
    found = certificate(kept, "self.k = 0", tmp_path, repeated=repeated)
    assert "self.k = 0" in lines(found)


@pytest.mark.parametrize("line", ["ask()", "self.last = each([ask])", "more = ask; more()"])
def test_a_name_of_a_function_is_followed(line, tmp_path):
    found = certificate("None", line, tmp_path, repeated="ask = self.ask")
    assert (lines(found), found.granted) == ([line], False)


COINS = """\
class Policy:
    def __init__(self, rng):
        self.rng, self.arm, self.total, self.last = rng, 0, 0.0, 0.0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.total = reward
        coins = [self.rng.random() < 0.5 for _ in range(8)]
        kept = coins
        if self.last > 1e6:
            LINE
        self.last = float(self.total + self.rng.laplace(0, max(SIZE, 1) / 8))
        self.total = 0.0
        self.arm = int(self.last > 0.5)
"""


@pytest.mark.parametrize(
    ("size", "line", "listed"),
    [
        ("len(kept)", "coins.clear()", True),
        ("len(kept)", "kept = []", True),
        ("len(coins)", "kept.pop()", True),
        ("len(coins)", "coins.remove(True)", True),
        ("len([coin for coin in kept])", "del coins[1:]", True),
        ("len(coins)", "kept = []", False),
        ("len(kept)", "size = len(kept) - 7", False),
    ],
)
def test_how_many_coins_set_a_scale(size, line, listed, tmp_path):
    file = tmp_path / "policy.py"
    file.write_text(COINS.replace("LINE", line).replace("SIZE", size), encoding="utf-8")
    found = certify(f"{file}:Policy", epsilon=1.0, arms=2, horizon=6, runs=2)
    assert (lines(found), found.granted) == (([line], False) if listed else ([], True))
