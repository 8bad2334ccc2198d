"""Code with a late branch in what a policy makes: generators, records, handlers of groups: used by spellings.py."""

from __future__ import annotations

PROGRAMS = {
    "a generator that the constructor makes": """
class Policy:
    def __init__(self, rng):
        self.t, self.arm, self.last = 0, 0, 0.0
        def run():
            while True:
                late = yield
                if late:
                    self.arm = RAW(self.last)
        self.g = run(); next(self.g)
    def select(self):
        return self.arm
    def update(self, action, reward):
        self.t += 1
        self.last = reward
        self.g.send(self.t > LATE)
""",
    "a generator expression that the constructor makes": """
import itertools
class Policy:
    def __init__(self, rng):
        self.t, self.arm, self.last = 0, 0, 0.0
        self.g = ((RAW(self.last) if self.t > LATE else 0) for _ in itertools.count())
    def select(self):
        return self.arm
    def update(self, action, reward):
        self.t += 1
        self.last = reward
        self.arm = next(self.g)
""",
    "a coroutine that the constructor makes": """
import types
@types.coroutine
def waits():
    return (yield)
class Policy:
    def __init__(self, rng):
        self.t, self.arm, self.last = 0, 0, 0.0
        async def run():
            while True:
                late = await waits()
                if late:
                    self.arm = RAW(self.last)
        self.g = run(); self.g.send(None)
    def select(self):
        return self.arm
    def update(self, action, reward):
        self.t += 1
        self.last = reward
        self.g.send(self.t > LATE)
""",
    "a group of exceptions, in one line": """START

    def update(self, action, reward):
        self.t += 1
        try:
            raise ExceptionGroup("", [ValueError(), *([KeyError()] if self.t > LATE else [])])
        except* ValueError: pass
        except* KeyError: self.arm = RAW(reward)
""",
    "a group of exceptions": """START

    def update(self, action, reward):
        self.t += 1
        try:
            raise ExceptionGroup("", [ValueError(), *([KeyError()] if self.t > LATE else [])])
        except* ValueError:
            pass
        except* KeyError:
            self.arm = RAW(reward)
""",
    "a named tuple of a class that is chosen": """
from typing import NamedTuple
class Early(NamedTuple):
    x: float
    def told(self): return 0
class Late(NamedTuple):
    x: float
    def told(self): return RAW(self.x)
START

    def update(self, action, reward):
        self.t += 1
        self.arm = (Late if self.t > LATE else Early)(reward).told()
""",
    "a data class of a table, which computes when it is made": """
@dataclass
class Early:
    x: float
    best: int = 0
@dataclass
class Late:
    x: float
    best: int = 0
    def __post_init__(self): self.best = RAW(self.x)
START

    def update(self, action, reward):
        self.t += 1
        kinds = [Early, Late]
        self.arm = kinds[self.t > LATE](reward).best
""",
    "a default of a data class": """
HELD = [0.0]
def best(): return RAW(HELD[0])
@dataclass
class Early:
    arm: int = 0
@dataclass
class Late:
    arm: int = field(default_factory=best)
START

    def update(self, action, reward):
        self.t += 1
        HELD[0] = reward
        self.arm = (Late if self.t > LATE else Early)().arm
""",
    "a property in a format": """
class Policy:
    def __init__(self, rng):
        self.t, self.arm, self.last = 0, 0, 0.0
    def select(self):
        return self.arm
    @property
    def mean(self):
        return RAW(self.last)
    def update(self, action, reward):
        self.t += 1
        self.last = reward
        self.arm = int(("{0.mean:d}" if self.t > LATE else "{0.t}").format(self)[0]) % 2
""",
}
