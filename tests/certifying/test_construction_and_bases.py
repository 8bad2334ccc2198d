"""Ordinary programs whose lines ran, or are not theirs, have none listed; what numpy refuses names the user's line."""

from __future__ import annotations

import sys

import pytest

from privcheck import certify
from privcheck.certifying import _observed_values

START = """
    def __init__(self, rng):
        self.rng, self.t, self.arm, self.total = rng, 0, 0, 0.0
"""
REST = """
    def select(self):
        return self.arm

    def update(self, action, reward):
        self.t += 1
        self.total += reward
        if self.t % 4 == 0:
            self.arm = int(self.total + self.rng.laplace(0.0, 4.0) > 2.0)
            self.total = 0.0
"""
GENERIC = "from typing import Generic, Protocol, TypeVar, runtime_checkable\nT = TypeVar('T')\n"
ABSTRACT = """
from abc import ABC, abstractmethod
class Rule(ABC):
    @abstractmethod
    def select(self) -> int: ...
"""
PROTOCOL = "class Rule(Protocol[T]):\n    arm: int\n    def select(self) -> int: ...\n"
BASES = {
    "Generic": (GENERIC, "Generic[T]"),
    "Protocol": (GENERIC + PROTOCOL, "Rule[int]"),
    "runtime Protocol": (GENERIC + "@runtime_checkable\n" + PROTOCOL, "Rule[int], Generic[T]"),
    "ABC": (ABSTRACT, "Rule"),
    "Sized": ("from collections.abc import Hashable, Sized\n", "Sized, Hashable"),
    "Exception": ("", "Exception"),
    "UserDict": ("from collections import UserDict\n", "UserDict"),
    "Thread": ("import threading\n", "threading.Thread"),
    "SimpleNamespace": ("from types import SimpleNamespace\n", "SimpleNamespace"),
}
INIT = {"UserDict": "        self.data = {}\n", "Thread": "        super().__init__()\n"}
MORE = {"Sized": "    def __len__(self):\n        return self.t\n    def __hash__(self):\n        return 1\n"}
CONSTRUCTED = {
    "a method that the constructor calls": """
        self.reset()
    def reset(self):
        self.arm = int(self.rng.integers(2))
""",
    "a function that the constructor calls": """
        self.arm = begin(self.rng)
""",
    "a held object": """
        self.start = Start(rng)
        self.arm = self.start.arm
""",
    "a comprehension": """
        self.order = [self.draw(k) for k in range(2)]
    def draw(self, k):
        return self.rng.random() + k
""",
    "a loop": """
        self.warm(3)
    def warm(self, n):
        for _ in range(n):
            self.arm = int(self.rng.integers(2))
""",
}
HELPERS = """
def begin(rng):
    return int(rng.integers(2))

class Start:
    def __init__(self, rng):
        self.arm = int(rng.integers(2))
"""


def certificate(folder, text, horizon=8, runs=2):
    (folder / "policy.py").write_text(text, encoding="utf-8")
    return certify(f"{folder / 'policy.py'}:Policy", epsilon=1.0, arms=2, horizon=horizon, runs=runs)


@pytest.mark.parametrize("name", BASES)
def test_base_classes_of_the_standard_library_are_not_looked_into(name, tmp_path):
    head, bases = BASES[name]
    text = f"{head}\nclass Policy({bases}):\n{START}{INIT.get(name, '')}{REST}{MORE.get(name, '')}"
    found = certificate(tmp_path, text)
    assert (found.unreached, found.notes) == ([], [])
    assert found.granted


STATES = {
    "named tuple": (
        "from typing import NamedTuple\nclass State(NamedTuple):\n    total: float\n    t: int\n"
        "    def after(self, x):\n        return State(self.total + x, self.t + 1)\n"
    ),
    "data class": (
        "from dataclasses import dataclass\n@dataclass(frozen=True, slots=True)\nclass State:\n    total: float\n"
        "    t: int\n    def after(self, x):\n        return State(self.total + x, self.t + 1)\n"
    ),
    "enumeration": (
        "import enum\nfrom typing import NamedTuple\nclass Phase(enum.Enum):\n    A = 0\n    B = 1\n    @property\n"
        "    def other(self):\n        return Phase.B if self is Phase.A else Phase.A\n"
        "class State(NamedTuple):\n    total: float\n    t: int\n    phase: Phase = Phase.A\n"
        "    def after(self, x):\n        return State(self.total + x, self.t + 1, self.phase.other)\n"
    ),
}


@pytest.mark.parametrize("name", STATES)
def test_members_of_such_classes_are_followed(name, tmp_path):
    text = f"""{STATES[name]}
class Policy:
    def __init__(self, rng):
        self.rng, self.state, self.arm = rng, State(0.0, 0), 0
    def select(self):
        return self.arm
    def update(self, action, reward):
        self.state = self.state.after(reward)
        if self.state.t > LATE:
            self.arm = CHOOSE
            self.state = State(0.0, 0)
"""
    released = "int(self.state.total + self.rng.laplace(0.0, 4.0) > 2.0)"
    assert certificate(tmp_path, text.replace("LATE", "3").replace("CHOOSE", released)).granted
    raw = certificate(tmp_path, text.replace("LATE", "30").replace("CHOOSE", "int(self.state.total > 2.0)"))
    assert (raw.granted, raw.complete, raw.leaks) == (False, False, [])
    assert "int(self.state.total > 2.0)" in raw.unreached[0].text


@pytest.mark.parametrize("runs", [1, 2])
@pytest.mark.parametrize("name", CONSTRUCTED)
def test_lines_that_run_in_the_constructor_are_not_listed(name, runs, tmp_path):
    found = certificate(tmp_path, f"{HELPERS}\nclass Policy:\n{START}{CONSTRUCTED[name]}{REST}", runs=runs)
    assert found.unreached == []
    assert found.granted


def test_a_line_that_the_constructor_leaves_out_is_still_listed(tmp_path):
    extra = CONSTRUCTED["a loop"].replace("warm(3)", "warm(0)")
    found = certificate(tmp_path, f"{HELPERS}\nclass Policy:\n{START}{extra}{REST}")
    assert [line.text for line in found.unreached] == ["self.arm = int(self.rng.integers(2))"]


READS = [
    "np.var(self.k)", "np.std(self.k)", "np.cov(self.k)", "np.cov(self.k, self.k)[0, 1]", "np.median(self.k)",
    "np.percentile(self.k, 50)", "np.quantile(self.k, 0.5)",
    "np.any(np.isnan(self.k))", "np.isinf(self.k).any()", "self.v.std()", "self.v.var()",
    "np.std(self.v)", "np.median(self.v)", "np.nanstd(self.v)", "np.linalg.norm(self.k)", "np.ptp(self.k)",
]  # fmt: skip


@pytest.mark.parametrize("read", READS)
def test_a_statistic_of_private_values_is_a_leak_in_the_line_of_the_user(read, tmp_path):
    text = f"""
import numpy as np
class Policy:
    def __init__(self, rng):
        self.t, self.arm, self.k = 0, 0, []
    def select(self):
        return self.arm
    def update(self, action, reward):
        self.t += 1
        self.k.append(reward)
        if self.t == 3:
            self.v = np.stack(self.k)
            self.arm = int({read} > 0.5)
"""
    (leak,) = certificate(tmp_path, text, horizon=4).leaks
    assert leak.file.endswith("policy.py")
    assert read in leak.code
    assert "release" in leak.hint


COMPREHENSIONS = """\
class Policy:
    def __init__(self, rng):
        self.rng, self.arm = rng, 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        sums = {a: sum(r for r in [reward] if action == a) for a in (0, 1)}
        noisy = {a: s + self.rng.laplace(0, 1) for a, s in sums.items()}
        self.arm = int(noisy[1] > noisy[0])
"""


def test_a_variable_of_two_comprehensions_of_which_one_makes_a_cell_of_it(tmp_path):
    """To read it from a trace function ends Python 3.13.0."""
    (tmp_path / "policy.py").write_text(COMPREHENSIONS)
    found = certify(f"{tmp_path / 'policy.py'}:Policy", epsilon=1.0, arms=2, horizon=4, runs=1)
    assert found.granted, str(found)
    assert found.ledger_epsilon == pytest.approx(1.0)


def test_a_name_that_cannot_be_read_from_outside_may_hold_a_generator(monkeypatch):
    """A line that has not run and draws from it is looked for by that name; a broken twin misses it."""
    monkeypatch.setattr(_observed_values, "read_nowhere", lambda code: frozenset({"unseen"}))
    frame, seen = sys._getframe(), _observed_values.ObservedValues(lambda cls: False)
    seen.frame(frame.f_code, frame)
    assert "unseen" in seen.names[frame.f_code]
    assert "unseen" in seen.generators[frame.f_code]
