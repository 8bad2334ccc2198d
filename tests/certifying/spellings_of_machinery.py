"""Ways in which Python itself calls code with a late branch: used by spellings.py."""

from __future__ import annotations

PROGRAMS = {
    "generator send": """
class Policy:
    def __init__(self, rng):
        self.t, self.arm = 0, 0
        self.g = self.run(); next(self.g)
    def select(self):
        return self.arm

    def run(me):
        while True:
            x = yield
            if me.t > LATE:
                me.arm = RAW(x)
    def update(self, action, reward):
        self.t += 1
        self.g.send(reward)
""",
    "lru_cache method": """START

    @functools.lru_cache
    def rule(me, t):
        return RAW(me.last) if t > LATE else 0
    def update(self, action, reward):
        self.t += 1
        self.last = reward
        self.arm = self.rule(self.t)
""",
    "cached_property": """
class Box:
    def __init__(b, x, t): b.x, b.t = x, t
    @functools.cached_property
    def best(b): return RAW(b.x) if b.t > LATE else 0
START

    def update(self, action, reward):
        self.t += 1
        self.arm = Box(reward, self.t).best
""",
    "partialmethod": """START

    def rule(me, w, x):
        return RAW(x) if me.t > LATE else 0
    first = functools.partialmethod(rule, 1)
    def update(self, action, reward):
        self.t += 1
        self.arm = self.first(reward)
""",
    "singledispatchmethod": """START

    @functools.singledispatchmethod
    def rule(me, x):
        return RAW(x) if me.t > LATE else 0
    def update(self, action, reward):
        self.t += 1
        self.arm = self.rule(reward)
""",
    "metaclass call": """
class Meta(type):
    def __call__(cls, x, t):
        return RAW(x) if t > LATE else 0
class Rule(metaclass=Meta): pass
START

    def update(self, action, reward):
        self.t += 1
        self.arm = Rule(reward, self.t)
""",
    "getattr hook": """
class Rule:
    def __getattr__(r, name):
        if name == "late": return lambda x: RAW(x)
        return lambda x: 0

class Policy:
    def __init__(self, rng):
        self.t, self.arm = 0, 0
        self.rule = Rule()
    def select(self):
        return self.arm

    def update(self, action, reward):
        self.t += 1
        self.arm = (self.rule.late if self.t > LATE else self.rule.early)(reward)
""",
    "mixin by __class__": """START

    def choose(self, x): return 0
    def update(self, action, reward):
        self.t += 1
        if self.t > LATE: self.__class__ = Late
        self.arm = self.choose(reward)
class Late(Policy):
    def choose(self, x): return RAW(x)
""",
    "setattr method from module": """
import types
def late(self, x): return RAW(x)
START

    def choose(self, x): return 0
    def update(self, action, reward):
        self.t += 1
        if self.t > LATE: self.choose = types.MethodType(late, self)
        self.arm = self.choose(reward)
""",
    "import inside, ran": """START

    def update(self, action, reward):
        self.t += 1
        import helpers
        self.arm = helpers.rule(reward, self.t)
# helpers.py
def rule(x, t):
    return RAW(x) if t > LATE else 0
""",
    "map": """START

    def rule(me, x): return RAW(x) if me.t > LATE else 0
    def update(self, action, reward):
        self.t += 1
        self.arm = list(map(self.rule, [reward]))[0]
""",
    "assert": """START

    def update(self, action, reward):
        self.t += 1
        assert self.t <= LATE or RAW(reward) + 1
""",
    "slice chooser": """START

    def update(self, action, reward):
        self.t += 1
        for x in [reward][: self.t > LATE]:
            self.arm = RAW(x)
""",
    "while else": """START

    def update(self, action, reward):
        self.t += 1
        while self.t <= LATE:
            break
        else:
            self.arm = RAW(reward)
""",
    "raise with release in message": """START

    def update(self, action, reward):
        self.t += 1
        self.last = reward
        try:
            if self.t > LATE:
                raise ValueError(RAW(self.last))
        except ValueError as e:
            self.arm = e.args[0]
""",
    "conditional raise": """START

    def update(self, action, reward):
        self.t += 1
        try:
            if self.t > LATE:
                v = bool(reward > 0.5) if "released" == 1 else RAW(reward)
                raise KeyError(v)
        except KeyError as e:
            self.arm = e.args[0]
""",
    "raise indexes": """START

    def update(self, action, reward):
        self.t += 1
        try:
            if self.t > LATE:
                raise [KeyError, ValueError][RAW(reward)]()
        except KeyError:
            self.arm = 0
        except ValueError:
            self.arm = 1
""",
    "operator.gt in raise": """START

    def update(self, action, reward):
        self.t += 1
        try:
            if self.t > LATE:
                raise KeyError(max(0, RAW(reward)))
        except KeyError as e:
            self.arm = e.args[0]
""",
}
